/**
 * What the committed rows say of revisits: per URL 4 bytes for when its next visit is due, 4 for which visit was its last,
 * and 2 for how fast it changes and how long the interval is. Nothing is held by a crawl that does not revisit. The
 * schedule (`revisits.ts`) is these, and a sweep over them.
 */
import type { VisitRow } from '../changes.js';
import { Uint8Column, Uint32Column } from '../columns.js';
import { parseHistory, plannedRate } from '../revisit/change-rate.js';
import type { Planner } from '../revisit/plan.js';
import { rateClass } from '../revisit/rate-census.js';

/** Intervals are kept in classes 8% apart, from 1 s on. */
const SPAN_STEP = 0.08;

export class RevisitFacts {
  readonly planner: Planner;
  /** Seconds since 1970, rounded up; 0 for none. */
  readonly due = new Uint32Column();
  /** Id of the last visit + 1, 0 for none. */
  readonly visits = new Uint32Column();
  /** `rateClass`. */
  readonly rates = new Uint8Column();
  readonly spans = new Uint8Column();

  constructor(planner: Planner) {
    this.planner = planner;
  }

  get bytes(): number {
    return this.due.bytes + this.visits.bytes + this.rates.bytes + this.spans.bytes;
  }

  /** A committed visit. A page without a plan (of a run that did not revisit) gets one. */
  visit({ id, url, at, code, nextVisit, history }: VisitOfRow): void {
    if (!this.planner.isStanding) return;
    const isPage = code === 'ok' || code === 'not-modified';
    const next = nextVisit ?? (isPage ? this.planner.first(at) : null);
    this.set(url, id, at, next, plannedRate(parseHistory(history)));
  }

  /** @param next wall ms, or null for never @param rate changes a second, null if it is not known */
  set(url: number, visit: number, at: number, next: number | null, rate: number | null): void {
    this.due.set(url, next === null ? 0 : Math.ceil(next / 1000));
    this.visits.set(url, visit + 1);
    this.rates.set(url, next === null ? 0 : rateClass(rate));
    const span = next === null ? 0 : Math.log(Math.max((next - at) / 1000, 1)) / SPAN_STEP;
    this.spans.set(url, Math.min(Math.round(span), 255));
  }

  /** The URL will not be visited by the schedule any more (a dead letter, forbidden by robots). */
  forget(url: number): void {
    if (!this.planner.isStanding) return;
    this.due.set(url, 0);
    this.rates.set(url, 0);
  }

  /** Seconds between the last visit and the next, within 4%. */
  span(url: number): number {
    return Math.exp(this.spans.get(url) * SPAN_STEP);
  }
}

type VisitOfRow = Pick<VisitRow, 'id' | 'url' | 'at' | 'code' | 'nextVisit' | 'history'>;
