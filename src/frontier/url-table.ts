/**
 * What memory holds of each known URL: no object, 9 bytes in columns (the text lies in the store; the seen table adds
 * 16, the time of the next visit 4). Columns grow by segments, so that growing never copies.
 */
import { segmentStart, Uint8Column, Uint32Column } from '../columns.js';

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

/** The state, level and attempts of each URL: what the committed rows say of it, beside its host and its key. */
export class UrlMarks {
  #count = 0;
  readonly #packed = new Uint8Column();
  /** URLs in each state. */
  readonly inState: [number, number, number, number, number] = [0, 0, 0, 0, 0];

  get size(): number {
    return this.#count;
  }

  /** Bytes held. */
  get bytes(): number {
    return this.#packed.bytes;
  }

  /** Appends a pending URL and returns its id (dense, from 0). */
  mark(level: number): number {
    const id = this.#count++;
    this.#packed.set(id, level * ATTEMPTS);
    this.inState[UrlState.pending]++;
    return id;
  }

  state(id: number): UrlState {
    return markState(this.#packed.get(id));
  }

  setState(id: number, state: UrlState): void {
    const packed = this.#packed.get(id);
    const before = (packed / PER_STATE) | 0;
    this.inState[before]--;
    this.inState[state]++;
    this.#packed.set(id, packed + (state - before) * PER_STATE);
  }

  level(id: number): number {
    return markLevel(this.#packed.get(id));
  }

  setLevel(id: number, level: number): void {
    const packed = this.#packed.get(id);
    this.#packed.set(id, packed + (level - (((packed % PER_STATE) / ATTEMPTS) | 0)) * ATTEMPTS);
  }

  attempts(id: number): number {
    return markAttempts(this.#packed.get(id));
  }

  setAttempts(id: number, attempts: number): void {
    const packed = this.#packed.get(id);
    this.#packed.set(id, packed - (packed % ATTEMPTS) + Math.min(attempts, MAX_ATTEMPTS));
  }

  /** Marks from `from` on, up to the end of a segment, at most `most`: for a checkpoint. */
  view(from: number, most: number): Uint8Array {
    return this.#packed.view(from, Math.min(most, this.#count - from));
  }

  /** Appends marks that {@link view} gave. Throws a RangeError if one of them is none. */
  appendMarks(marks: Uint8Array): void {
    const counts = new Uint32Array(256);
    for (let i = 0; i < marks.length; i++) counts[marks[i]]++;
    for (const [mark, count] of counts.entries()) {
      if (count === 0) continue;
      if (mark >= this.inState.length * PER_STATE) throw new RangeError(`${mark} is no mark of a URL`);
      this.inState[(mark / PER_STATE) | 0] += count;
    }
    this.#packed.fill(this.#count, marks);
    this.#count += marks.length;
  }

  clear(): void {
    this.#packed.clear();
    this.inState.fill(0);
    this.#count = 0;
  }
}

/** What {@link UrlMarks} keeps in one byte, taken apart. */
export const markState = (mark: number): UrlState => ((mark / PER_STATE) | 0) as UrlState;
export const markLevel = (mark: number): number => ((mark % PER_STATE) / ATTEMPTS) | 0;
export const markAttempts = (mark: number): number => mark % ATTEMPTS;

/** Some URLs in a row, as their columns lie in memory. */
export interface UrlRun {
  readonly from: number;
  readonly marks: Uint8Array;
  readonly hosts: Uint32Array;
  readonly links: Uint32Array;
}

export class UrlTable extends UrlMarks {
  readonly #link = new Uint32Column();
  readonly #host = new Uint32Column();

  override get bytes(): number {
    return super.bytes + this.#link.bytes + this.#host.bytes;
  }

  /** Appends a pending URL and returns its id (dense, from 0). */
  append(host: number, level: number): number {
    const id = this.mark(level);
    this.#host.set(id, host);
    this.#link.set(id, NONE);
    return id;
  }

  hostOf(id: number): number {
    return this.#host.get(id);
  }

  /** The next URL of the list that this one is in, or {@link NONE}. */
  link(id: number): number {
    return this.#link.get(id);
  }

  setLink(id: number, next: number): void {
    this.#link.set(id, next);
  }

  /** The URLs before `end`, back to where their segment begins: for loops over all of them. */
  runBefore(end: number): UrlRun {
    const from = segmentStart(end - 1);
    const rows = end - from;
    return {
      from,
      marks: this.view(from, rows),
      hosts: this.#host.view(from, rows),
      links: this.#link.room(from, rows),
    };
  }

  /** Hosts of URLs from `from` on, up to the end of a segment, at most `most`: for a checkpoint. */
  hostsOf(from: number, most: number): Uint32Array {
    return this.#host.view(from, Math.min(most, this.size - from));
  }

  /** The host of a URL that a restart brings back; its marks are set by {@link UrlMarks.appendMarks}. */
  setHost(id: number, host: number): void {
    this.#host.set(id, host);
  }

  /** The hosts of URLs that a checkpoint held; their marks are set by {@link UrlMarks.appendMarks}. */
  setHosts(from: number, hosts: Uint32Array): void {
    this.#host.fill(from, hosts);
  }

  override clear(): void {
    super.clear();
    this.#link.clear();
    this.#host.clear();
  }
}
