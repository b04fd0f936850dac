/**
 * URLs that failed and wait for another try: the ladder of waits, the history that a dead letter keeps, and a heap of
 * due times. In memory only while they wait; a restart reads it back from the request rows.
 */
import type { DeadRow } from '../changes.js';
import { KILLS_WORKER } from '../errors.js';
import { WideMap } from '../wide-map.js';
import { TimeHeap } from './time-heap.js';

type History = DeadRow['history'][number][];

export class RetryQueue {
  readonly #ladder: readonly number[];
  readonly #heap = new TimeHeap();
  readonly #history = new WideMap<number, History>();

  /** @param ladder waits before the second, third, ... attempt, ms */
  constructor(ladder: readonly number[]) {
    this.#ladder = ladder;
  }

  /** URLs that wait. */
  get size(): number {
    return this.#heap.size;
  }

  /** When the next one is due, or Infinity. */
  get time(): number {
    return this.#heap.time;
  }

  /** Attempts after which a URL is given up: one more than the ladder has waits. */
  get attempts(): number {
    return this.#ladder.length + 1;
  }

  /** Queues the URL for another try after its `attempts`-th failure, which ended at `ended`; false: the ladder is used
   * up. */
  again(url: number, attempts: number, ended: number): boolean {
    if (attempts > this.#ladder.length) return false;
    this.wait(url, ended + this.#ladder[attempts - 1]);
    return true;
  }

  /** Keeps a failed attempt in the URL's history. */
  remember(url: number, attempt: History[number]): void {
    const history = this.#history.get(url);
    if (history) history.push(attempt);
    else this.#history.set(url, [attempt]);
  }

  /** The page killed a page worker since it was visited last. */
  hasKilled(url: number): boolean {
    return this.#history.get(url)?.some(({ code }) => KILLS_WORKER.has(code)) === true;
  }

  wait(url: number, due: number): void {
    this.#heap.push(due, url);
  }

  /** The next URL that is due, taken out, or -1. */
  due(now: number): number {
    if (this.#heap.time > now) return -1;
    const url = this.#heap.value;
    this.#heap.pop();
    return url;
  }

  /** Drops the history of a URL (it succeeded, or it is given up) and returns it. */
  forget(url: number): History {
    const history = this.#history.get(url) ?? [];
    this.#history.delete(url);
    return history;
  }

  /** Due time by the ladder after the given failures, ms; 0 without failures. */
  dueAfter(attempts: number, lastFailure: number): number {
    return attempts === 0 ? 0 : lastFailure + (this.#ladder[Math.min(attempts, this.#ladder.length) - 1] ?? 0);
  }
}
