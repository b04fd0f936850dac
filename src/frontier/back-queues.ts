/**
 * Back queues: one host each, sticky while it has work. A slot holds the host's look-ahead (the texts of its next URLs)
 * and its quantum; the politeness clock is the host's own and outlives the slot. Each page worker has a ready heap of
 * its hosts' next-allowed times.
 */
import type { UrlText } from '../engines/ports.js';
import { TimeHeap } from './time-heap.js';

export interface BackQueue {
  /** Host that holds it, -1 if it is free. */
  host: number;
  since: number;
  fetches: number;
  /** Texts of the next URLs; those before `at` are used up. */
  ahead: UrlText[];
  at: number;
  /** Ids taken from the host's lists whose texts are being read. */
  loading: number[] | null;
  /** A lease of the host is out. */
  leased: boolean;
}

export class BackQueues {
  readonly slots: BackQueue[] = [];
  readonly #free: number[] = [];
  readonly #max: number;
  readonly ready: TimeHeap[] = [];
  #ceiling: number;

  constructor(count: number, max: number, workers: number) {
    this.#ceiling = Math.min(count, max);
    this.#max = max;
    for (let w = 0; w < workers; w++) this.ready.push(new TimeHeap());
  }

  /** Back queues that there may be at the moment. */
  get ceiling(): number {
    return this.#ceiling;
  }
  /** What that may grow to. */
  get most(): number {
    return this.#max;
  }
  get held(): number {
    return this.slots.length - this.#free.length;
  }
  get hasFree(): boolean {
    return this.#free.length > 0 || this.slots.length < this.#ceiling;
  }

  /** Doubles the ceiling up to its maximum; false if it is reached. */
  grow(): boolean {
    if (this.#ceiling >= this.#max) return false;
    this.#ceiling = Math.min(this.#ceiling * 2, this.#max);
    return true;
  }

  /** Gives a free slot to a host; returns its index. */
  hold(host: number, now: number): number {
    const index = this.#free.pop() ?? this.slots.length;
    this.slots[index] = { host, since: now, fetches: 0, ahead: [], at: 0, loading: null, leased: false };
    return index;
  }

  release(index: number): void {
    this.slots[index].host = -1;
    this.slots[index].ahead = [];
    this.#free.push(index);
  }
}
