/**
 * When a page is visited again (DESIGN 10, Revisit). Pure. docs/revisit.md tells the rules.
 *
 * Only pages are watched: a URL whose first visit found none has no next visit. A page that was there and is not any more
 * (gone, redirects, refused) is asked again at twice the interval each time, and given up when the longest has passed.
 */
import type { LastVisit } from '../engines/ports.js';
import { extended, historyText, parseHistory, plannedRate } from './change-rate.js';
import type { RevisitOptions } from './policy.js';
import { RateCensus } from './rate-census.js';

/** What a visit found. */
export interface Found {
  at: number;
  /** A page: a body, or the word (304) that the one in force still is the page's. */
  isPage: boolean;
  /** It is another than the visit before saw; of no meaning at the first. */
  changed: boolean;
}

export interface Planned {
  /** Wall ms, or null for never. */
  nextVisit: number | null;
  /** For the visit's row. */
  history: string | null;
  /** Changes a second, as far as they are known. */
  rate: number | null;
}

export class Planner {
  readonly census: RateCensus;
  readonly #options: RevisitOptions;

  constructor(options: RevisitOptions) {
    this.#options = options;
    this.census = new RateCensus(options);
  }

  get isStanding(): boolean {
    return this.#options.policy !== 'none';
  }

  /** @param last the visit before, null at the first */
  plan(last: LastVisit | null, found: Found): Planned {
    if (last === null) {
      const isWatched = this.isStanding && found.isPage;
      return { nextVisit: isWatched ? this.first(found.at) : null, history: null, rate: null };
    }
    const seconds = Math.max(Math.round((found.at - last.at) / 1000), 1);
    const intervals = extended(parseHistory(last.history), { seconds, changed: found.changed });
    const rate = plannedRate(intervals);
    const history = historyText(intervals);
    return { nextVisit: this.#next(last, found, rate!), history, rate };
  }

  /** When a page is visited for the second time. */
  first(at: number): number {
    const { policy, every, first } = this.#options;
    return at + this.#bounded(policy === 'uniform' ? every : first);
  }

  #next(last: LastVisit, { at, isPage, changed }: Found, rate: number): number | null {
    const { policy, every, max } = this.#options;
    if (policy === 'none') return null;
    const before = last.nextVisit === null ? this.first(0) : last.nextVisit - last.at;
    if (!isPage) return before >= max ? null : at + this.#bounded(before * 2);
    switch (policy) {
      case 'uniform':
        return at + this.#bounded(every);
      case 'adaptive':
        return at + this.#bounded(changed ? before / 2 : before * 2);
      case 'optimal':
        return at + this.#bounded(this.census.intervalOf(rate));
    }
  }

  #bounded(interval: number): number {
    return Math.round(Math.min(Math.max(interval, this.#options.min), this.#options.max));
  }
}
