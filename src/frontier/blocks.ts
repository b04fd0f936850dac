/** Hosts that an operator blocked, and when their blocks end by themselves. A block outlives restarts (its event row has
 * the time), and is told apart from all that a host brings upon itself: it changes no clock and no counter. */
import { TimeHeap } from './time-heap.js';

/** A block that only the operator ends. */
export const FOR_GOOD = 0;

export class Blocks {
  /** Blocked hosts, by when that ends (ms; {@link FOR_GOOD}). */
  readonly #until = new Map<number, number>();
  readonly #ends = new TimeHeap();

  /** When the next block ends, or Infinity. */
  get time(): number {
    this.#skip();
    return this.#ends.time;
  }

  /** When the block of a host ends, ms; {@link FOR_GOOD}, or undefined if it is not blocked. */
  until(host: number): number | undefined {
    return this.#until.get(host);
  }

  /** Blocked hosts, ascending. */
  get hosts(): number[] {
    return [...this.#until.keys()].sort((a, b) => a - b);
  }

  set(host: number, until: number): void {
    this.#until.set(host, until);
    if (until !== FOR_GOOD) this.#ends.push(until, host);
  }

  end(host: number): void {
    this.#until.delete(host);
  }

  /** A host whose block is over by now, or -1. */
  due(now: number): number {
    return this.time <= now ? this.#ends.value : -1;
  }

  /** Entries of blocks that were ended or changed. */
  #skip(): void {
    while (this.#ends.size > 0 && this.#until.get(this.#ends.value) !== this.#ends.time) this.#ends.pop();
  }
}
