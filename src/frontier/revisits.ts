/**
 * The schedule of visits to pages that are known already (DESIGN 8: found by sweeping the due array): no heap and no
 * object, so that a hundred million pages cost a gigabyte and not ten.
 *
 * A sweep looks at 65,536 URLs a call (0.1 to 0.25 ms), and begins again when the earliest due time that it saw has come,
 * but not more often than once a second, and a second more for each 4 million URLs: about 1% of the thread. What is due becomes pending in a list of its own; a URL is such a revisit as long as it
 * has a due time.
 */
import type { LastVisit } from '../engines/ports.js';
import { type Found, type Planned, Planner } from '../revisit/plan.js';
import type { RevisitOptions } from '../revisit/policy.js';
import { NO_RATE, rateOfClass } from '../revisit/rate-census.js';
import { RevisitFacts } from './revisit-facts.js';
import { UrlState, type UrlTable } from './url-table.js';

/** URLs that one call looks at. */
const SLICE = 1 << 16;
/** Between the beginnings of two sweeps, ms: so long, and one more for so many URLs. */
const PACE = 1_000;
const URLS_A_MS = 4_000;

export class Revisits {
  readonly planner: Planner;
  /** Pages that fell due and wait, or are being fetched. */
  overdue = 0;
  readonly #urls: UrlTable;
  #facts: RevisitFacts;
  /** Where the sweep is; -1 between two. */
  #cursor = -1;
  #began = Number.NEGATIVE_INFINITY;
  /** The earliest due time: of all URLs, and of those that this sweep has seen (s). */
  #earliest = Number.POSITIVE_INFINITY;
  #seen = Number.POSITIVE_INFINITY;

  constructor(urls: UrlTable, options: RevisitOptions) {
    this.#urls = urls;
    this.planner = new Planner(options);
    this.#facts = new RevisitFacts(this.planner);
  }

  get bytes(): number {
    return this.#facts.bytes;
  }

  /** When the URL is to be visited again: ms, whole seconds, rounded up; 0 is never. */
  due(url: number): number {
    return this.#facts.due.get(url) * 1000;
  }

  /** Id of its last visit, or -1. */
  lastVisit(url: number): number {
    return this.#facts.visits.get(url) - 1;
  }

  /** True for a pending or leased URL that is visited again by the schedule. */
  isRevisit(url: number): boolean {
    return this.#facts.due.get(url) !== 0;
  }

  /** A visit is over: plans the next. @param last the visit before it, null at the first */
  visited(url: number, visit: number, found: Found, last: LastVisit | null): Planned {
    const planned = this.planner.plan(last, found);
    if (!this.planner.isStanding) return planned;
    const before = this.#facts.rates.get(url);
    this.#facts.set(url, visit, found.at, planned.nextVisit, planned.rate);
    this.planner.census.move(before, this.#facts.rates.get(url));
    this.#expect(this.#facts.due.get(url));
    return planned;
  }

  /** Begins with what the rows of earlier runs say of `size` URLs; the columns are this schedule's own from now on. No page
   * waits for longer than its interval, though a clock was set back. */
  takeOver(facts: RevisitFacts, size: number, now: number): void {
    if (!this.planner.isStanding) return;
    this.#facts = facts;
    for (let url = 0; url < size; url++) {
      const due = facts.due.get(url);
      if (due === 0) continue;
      const latest = Math.ceil(now / 1000 + 1.1 * facts.span(url));
      if (due > latest) facts.due.set(url, latest);
      this.planner.census.move(NO_RATE, facts.rates.get(url));
      this.#expect(Math.min(due, latest));
    }
  }

  #expect(seconds: number): void {
    if (seconds === 0) return;
    this.#earliest = Math.min(this.#earliest, seconds);
    this.#seen = Math.min(this.#seen, seconds);
  }

  /** The URL's lease has ended it, or it is given up: it has no due time until one is planned. */
  settle(url: number): void {
    if (!this.isRevisit(url)) return;
    this.#facts.due.set(url, 0);
    this.overdue--;
  }

  /** It will not be visited by the schedule any more (a dead letter, forbidden by robots). */
  forget(url: number): void {
    if (this.isRevisit(url) && this.#urls.state(url) !== UrlState.done) this.overdue--;
    this.planner.census.move(this.#facts.rates.get(url), NO_RATE);
    this.#facts.forget(url);
  }

  /** Makes a page that is due pending; whoever calls puts it into a queue. */
  take(url: number): void {
    this.#urls.setState(url, UrlState.pending);
    this.overdue++;
  }

  /** When there may be something to do: ms, 0 while a sweep is under way, Infinity if nothing is scheduled. */
  get time(): number {
    return this.#cursor >= 0 ? 0 : Math.max(this.#earliest * 1000, this.#began + PACE + this.#urls.size / URLS_A_MS);
  }

  /** Looks at the next slice of URLs. `found` is told each that is due; it is pending then. */
  sweep(now: number, found: (url: number) => void): void {
    if (this.#cursor < 0) {
      if (this.time > now) return;
      this.#cursor = 0;
      this.#began = now;
      this.#seen = Number.POSITIVE_INFINITY;
    }
    const from = this.#cursor;
    const dues = this.#facts.due.view(from, SLICE);
    const second = Math.floor(now / 1000);
    for (let i = 0; i < dues.length; i++) {
      const due = dues[i];
      if (due === 0) continue;
      if (due > second) {
        if (due < this.#seen) this.#seen = due;
      } else if (this.#urls.state(from + i) === UrlState.done) {
        this.take(from + i);
        found(from + i);
      }
    }
    this.#cursor = from + SLICE; // slices never cross a segment of the column
    if (this.#cursor < this.#urls.size) return;
    this.#cursor = -1;
    this.#earliest = this.#seen;
  }

  /** The share of pages that are believed to be as they were fetched: e^-rt by each page's rate and the time since its
   * last visit, as far as rates are known. Null if none is. One pass: 15 ns a URL. */
  freshness(now: number): number | null {
    let pages = 0;
    let fresh = 0;
    for (let url = 0; url < this.#urls.size; url++) {
      const due = this.#facts.due.get(url);
      const of = this.#facts.rates.get(url);
      if (due === 0 || of === NO_RATE) continue;
      const since = Math.max(now / 1000 - due + this.#facts.span(url), 0);
      pages++;
      fresh += Math.exp(-rateOfClass(of) * since);
    }
    return pages === 0 ? null : fresh / pages;
  }
}
