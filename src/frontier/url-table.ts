/**
 * What memory holds of each known URL: no object, 9 bytes in columns (the text lies in the store; the seen table adds
 * 16, the time of the next visit 4). Columns grow by segments, so that growing never copies.
 */
import { Uint8Column, Uint32Column } from '../columns.js';

/** End of a linked list of URLs. */
export const NONE = 0xffff_ffff;

/** A known URL is always in exactly one state. */
export const UrlState = { pending: 0, leased: 1, denied: 2, done: 3, dead: 4 } as const;
export type UrlState = (typeof UrlState)[keyof typeof UrlState];

export const LEVELS = 5;
/** Attempts are counted up to here (the ladder may be shorter). */
export const MAX_ATTEMPTS = 9;
const ATTEMPTS = MAX_ATTEMPTS + 1;
// state, level and attempts share one byte by mixed radix: 5 x 5 x 10 = 250 values
const PER_STATE = LEVELS * ATTEMPTS;

export class UrlTable {
  #count = 0;
  readonly #link = new Uint32Column();
  readonly #host = new Uint32Column();
  readonly #packed = new Uint8Column();
  /** URLs in each state. */
  readonly inState: [number, number, number, number, number] = [0, 0, 0, 0, 0];

  get size(): number {
    return this.#count;
  }

  /** Bytes held. */
  get bytes(): number {
    return this.#link.bytes + this.#host.bytes + this.#packed.bytes;
  }

  /** Appends a pending URL and returns its id (dense, from 0). */
  append(host: number, level: number): number {
    const id = this.#count++;
    this.#host.set(id, host);
    this.#link.set(id, NONE);
    this.#packed.set(id, level * ATTEMPTS);
    this.inState[UrlState.pending]++;
    return id;
  }

  hostOf(id: number): number {
    return this.#host.get(id);
  }

  state(id: number): UrlState {
    return ((this.#packed.get(id) / PER_STATE) | 0) as UrlState;
  }

  setState(id: number, state: UrlState): void {
    const packed = this.#packed.get(id);
    const before = (packed / PER_STATE) | 0;
    this.inState[before]--;
    this.inState[state]++;
    this.#packed.set(id, packed + (state - before) * PER_STATE);
  }

  level(id: number): number {
    return ((this.#packed.get(id) % PER_STATE) / ATTEMPTS) | 0;
  }

  setLevel(id: number, level: number): void {
    const packed = this.#packed.get(id);
    this.#packed.set(id, packed + (level - (((packed % PER_STATE) / ATTEMPTS) | 0)) * ATTEMPTS);
  }

  attempts(id: number): number {
    return this.#packed.get(id) % ATTEMPTS;
  }

  setAttempts(id: number, attempts: number): void {
    const packed = this.#packed.get(id);
    this.#packed.set(id, packed - (packed % ATTEMPTS) + Math.min(attempts, MAX_ATTEMPTS));
  }

  /** The next URL of the list that this one is in, or {@link NONE}. */
  link(id: number): number {
    return this.#link.get(id);
  }

  setLink(id: number, next: number): void {
    this.#link.set(id, next);
  }
}
