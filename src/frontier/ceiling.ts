/**
 * How many back queues there are, and what that allows. Each gives one page a period (what a request takes, and what its
 * host is owed after it), so the rate has a ceiling: their number divided by the mean period (DESIGN 4, Back queues; seed
 * C's 0.833 pages/s is a period of 1.2 s). Their number doubles when hosts wait for one and either fetchers starve or the
 * wait gets long: without the second, hosts in play would keep the others out for a whole quantum, and that is many times
 * their share (docs/decisions/012).
 */
import type { FrontierState } from './state.js';

/** Hosts that wait for a back queue for this long get more of them though no fetcher starves, ms. */
const LONG_WAIT = 1_000;
/** Requests over which the period is averaged. */
const SAMPLES = 1_000;

/** What the back queues allow. */
export interface CeilingFigures {
  /** Back queues that there may be, hosts that hold one, and hosts that wait for one. */
  readonly backQueues: number;
  readonly inPlay: number;
  readonly waiting: number;
  /** Mean ms of a request and what its host owes after it; null before the first. */
  readonly period: number | null;
  /** `backQueues` divided by `period`; null before the first request. */
  readonly pagesPerSecond: number | null;
  /** Hosts wait and fetchers starve, and there can be no more back queues. */
  readonly binds: boolean;
  /** ms of this run during which it did. */
  readonly boundMs: number;
}

export class Ceiling {
  readonly #state: FrontierState;
  #waitsSince = Number.POSITIVE_INFINITY;
  #period = 0;
  #samples = 0;
  #binds = false;
  #lookedAt = 0;
  #boundMs = 0;

  constructor(state: FrontierState) {
    this.#state = state;
  }

  /** A request of a host in play is over. */
  ended(granted: number, ended: number, delay: number): void {
    // a host that rests for longer leaves its back queue to others
    const period = Math.max(ended - granted, 0) + (delay > this.#state.options.sleepBeyond ? 0 : delay);
    this.#samples = Math.min(this.#samples + 1, SAMPLES);
    this.#period += (period - this.#period) / this.#samples;
  }

  /** Makes more back queues if that is due. */
  grow(now: number, isStarving: boolean): boolean {
    const { front, back } = this.#state;
    if (front.size === 0) {
      this.#waitsSince = Number.POSITIVE_INFINITY;
      return false;
    }
    this.#waitsSince = Math.min(this.#waitsSince, now);
    // one that was given back in this turn (its host stands in the line of an address now) ends nobody else's wait
    if (back.hasFree) return false;
    if (!isStarving && now - this.#waitsSince < LONG_WAIT) return false;
    this.#waitsSince = now;
    return back.grow();
  }

  /** Looks whether the ceiling binds, at the end of a turn. */
  look(now: number, isStarving: boolean): void {
    const { front, back } = this.#state;
    if (this.#binds) this.#boundMs += Math.max(now - this.#lookedAt, 0);
    this.#lookedAt = now;
    this.#binds = isStarving && front.size > 0 && !back.hasFree;
  }

  get figures(): CeilingFigures {
    const { front, back } = this.#state;
    const period = this.#samples === 0 ? null : this.#period;
    return {
      ...{ backQueues: back.ceiling, inPlay: back.held, waiting: front.size, period },
      pagesPerSecond: period === null || period === 0 ? null : (back.ceiling * 1000) / period,
      ...{ binds: this.#binds, boundMs: this.#boundMs },
    };
  }
}
