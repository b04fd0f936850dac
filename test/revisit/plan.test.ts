import { expect, test } from 'vitest';
import type { LastVisit } from '../../src/engines/ports.js';
import { changeRate, parseHistory } from '../../src/revisit/change-rate.js';
import { Planner } from '../../src/revisit/plan.js';
import type { RevisitOptions } from '../../src/revisit/policy.js';
import { RateCensus, rateClass, rateOfClass } from '../../src/revisit/rate-census.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const OPTIONS: RevisitOptions = {
  ...{ policy: 'adaptive', min: HOUR, max: 30 * DAY, first: DAY, every: 7 * DAY, perDay: null },
};

/** The visits of one page under a policy: what each found leads to the next. */
class Page {
  readonly planner: Planner;
  last: LastVisit | null = null;
  at = 0;

  constructor(options: Partial<RevisitOptions> = {}) {
    this.planner = new Planner({ ...OPTIONS, ...options });
  }

  /** Visits it when it is due; ms to the visit after, or null for none. */
  visit(changed = false, isPage = true): number | null {
    if (this.last?.nextVisit != null) this.at = this.last.nextVisit;
    const { nextVisit, history } = this.planner.plan(this.last, { at: this.at, isPage, changed });
    const body = { visit: 0, at: 0, target: '', contentHash: null, payloadDigest: null, simhash: null };
    this.last = {
      visit: 0,
      at: this.at,
      nextVisit,
      history,
      found: isPage,
      duplicateOf: -1,
      etag: null,
      lastModified: null,
      body,
    };
    return nextVisit === null ? null : nextVisit - this.at;
  }
}

test('adaptive: intervals double while nothing changes, halve when something did, and stay within bounds', () => {
  const page = new Page();
  const days = Array.from({ length: 7 }, () => page.visit()! / DAY);
  expect(days).toEqual([1, 2, 4, 8, 16, 30, 30]);
  const hours = Array.from({ length: 12 }, () => page.visit(true)! / HOUR);
  expect(hours.slice(0, 3)).toEqual([360, 180, 90]);
  expect(hours.at(-1)).toBe(1);
});

test('a visit that saw no change is evidence, and so is one that saw one', () => {
  const page = new Page();
  page.visit();
  expect(page.visit(false)).toBe(2 * DAY);
  expect(page.visit(false)).toBe(4 * DAY);
  expect(parseHistory(page.last!.history)).toEqual([
    { seconds: 86_400, changed: false },
    { seconds: 172_800, changed: false },
  ]);
  expect(page.visit(true)).toBe(2 * DAY);
  expect(changeRate(parseHistory(page.last!.history))).toBeGreaterThan(0);
});

test('uniform: every page after the same time', () => {
  const page = new Page({ policy: 'uniform' });
  expect([page.visit(), page.visit(true), page.visit()]).toEqual([7 * DAY, 7 * DAY, 7 * DAY]);
});

test('none: no page is visited again', () => {
  expect(new Page({ policy: 'none' }).visit()).toBeNull();
});

test('a URL that was never a page is not watched; one that stopped being one is asked less and less, then given up', () => {
  expect(new Page().visit(false, false)).toBeNull();
  const page = new Page();
  page.visit();
  const days = Array.from({ length: 6 }, (_, i) => page.visit(i === 0, false));
  expect(days.map((ms) => ms && ms / DAY)).toEqual([2, 4, 8, 16, 30, null]);
});

test('a page that comes back is watched again, more closely', () => {
  const page = new Page();
  page.visit();
  for (let i = 0; i < 3; i++) page.visit(i === 0, false);
  expect(page.visit(true)).toBe(4 * DAY);
});

test('classes of rates are 7% apart and bounded', () => {
  expect(rateClass(null)).toBe(0);
  expect(rateClass(0)).toBe(1);
  expect(rateClass(1e9)).toBe(255);
  for (let rate = 1e-8; rate < 0.1; rate *= 1.9) {
    expect(Math.abs(Math.log(rateOfClass(rateClass(rate)) / rate))).toBeLessThan(0.0355);
  }
});

test('optimal: the budget goes to pages that change now and then; too fast ones are left for the longest time', () => {
  const census = new RateCensus({ min: HOUR, max: 30 * DAY, every: DAY, perDay: null });
  const perDay = [0.01, 0.3, 1, 3, 500];
  for (const rate of perDay) for (let page = 0; page < 200; page++) census.move(0, rateClass(rate / 86_400));
  const days = perDay.map((rate) => census.intervalOf(rateOfClass(rateClass(rate / 86_400))) / DAY);
  const visitsADay = days.reduce((sum, interval) => sum + 1 / interval, 0) / perDay.length;
  expect(visitsADay).toBeCloseTo(1, 2);
  expect(days[4]).toBeCloseTo(30, 6);
  expect(days[2]).toBeLessThan(days[1]);
  expect(days[1]).toBeLessThan(days[0]);
});

test('optimal: a stated budget is kept as pages come, change their class and go', () => {
  const census = new RateCensus({ min: HOUR, max: 300 * DAY, every: DAY, perDay: 100 });
  const classes = Array.from({ length: 1000 }, (_, page) => rateClass((0.01 + page / 500) / 86_400));
  for (const of of classes) census.move(0, of);
  for (let page = 0; page < 500; page++) {
    const to = rateClass(0.05 / 86_400);
    census.move(classes[page], to);
    classes[page] = to;
  }
  for (let page = 900; page < 1000; page++) census.move(classes[page], 0);
  for (let nudge = 0; nudge < 300; nudge++) {
    const to = classes[0] === 9 ? 8 : 9;
    census.move(classes[0], to);
    classes[0] = to;
  }
  const visits = classes.slice(0, 900).reduce((sum, of) => sum + DAY / census.intervalOf(rateOfClass(of)), 0);
  expect(visits).toBeGreaterThan(90);
  expect(visits).toBeLessThan(110);
});
