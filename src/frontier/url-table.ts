/**
 * What memory holds of each known URL: no object, 13 bytes in columns (the text lies in the store; the seen table adds
 * 16). Columns grow by segments of 2^20 rows, so that growing never copies.
 */

const BITS = 20;
const SEGMENT = 1 << BITS;
const MASK = SEGMENT - 1;

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
  readonly #link: Uint32Array[] = [];
  readonly #host: Uint32Array[] = [];
  readonly #due: Uint32Array[] = [];
  readonly #packed: Uint8Array[] = [];
  /** URLs in each state. */
  readonly inState: [number, number, number, number, number] = [0, 0, 0, 0, 0];

  get size(): number {
    return this.#count;
  }

  /** Bytes held. */
  get bytes(): number {
    return this.#link.length * SEGMENT * 13;
  }

  /** Appends a pending URL and returns its id (dense, from 0). */
  append(host: number, level: number): number {
    const id = this.#count++;
    if ((id & MASK) === 0) {
      this.#link.push(new Uint32Array(SEGMENT));
      this.#host.push(new Uint32Array(SEGMENT));
      this.#due.push(new Uint32Array(SEGMENT));
      this.#packed.push(new Uint8Array(SEGMENT));
    }
    this.#host[id >>> BITS][id & MASK] = host;
    this.#link[id >>> BITS][id & MASK] = NONE;
    this.#packed[id >>> BITS][id & MASK] = level * ATTEMPTS;
    this.inState[UrlState.pending]++;
    return id;
  }

  hostOf(id: number): number {
    return this.#host[id >>> BITS][id & MASK];
  }

  state(id: number): UrlState {
    return ((this.#packed[id >>> BITS][id & MASK] / PER_STATE) | 0) as UrlState;
  }

  setState(id: number, state: UrlState): void {
    const segment = this.#packed[id >>> BITS];
    const packed = segment[id & MASK];
    const before = (packed / PER_STATE) | 0;
    this.inState[before]--;
    this.inState[state]++;
    segment[id & MASK] = packed + (state - before) * PER_STATE;
  }

  level(id: number): number {
    return (((this.#packed[id >>> BITS][id & MASK] % PER_STATE) / ATTEMPTS) | 0) as number;
  }

  setLevel(id: number, level: number): void {
    this.#packed[id >>> BITS][id & MASK] += (level - this.level(id)) * ATTEMPTS;
  }

  attempts(id: number): number {
    return this.#packed[id >>> BITS][id & MASK] % ATTEMPTS;
  }

  setAttempts(id: number, attempts: number): void {
    const value = Math.min(attempts, MAX_ATTEMPTS);
    this.#packed[id >>> BITS][id & MASK] += value - this.attempts(id);
  }

  /** When a retry (or the next visit) falls due, in ms; whole seconds are kept, rounded up. 0 is not set. */
  due(id: number): number {
    return this.#due[id >>> BITS][id & MASK] * 1000;
  }

  setDue(id: number, at: number): void {
    this.#due[id >>> BITS][id & MASK] = Math.ceil(at / 1000);
  }

  /** The next URL of the list that this one is in, or {@link NONE}. */
  link(id: number): number {
    return this.#link[id >>> BITS][id & MASK];
  }

  setLink(id: number, next: number): void {
    this.#link[id >>> BITS][id & MASK] = next;
  }
}
