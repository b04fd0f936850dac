/** Pages that are due again: found by the sweep, leased beside new URLs, planned anew. */
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { HostQueues } from '../../src/frontier/host-queues.js';
import { HostTable } from '../../src/frontier/host-table.js';
import { RevisitFacts } from '../../src/frontier/revisit-facts.js';
import { Revisits } from '../../src/frontier/revisits.js';
import { UrlState, UrlTable } from '../../src/frontier/url-table.js';
import { NO_REVISITS, type RevisitOptions } from '../../src/revisit/policy.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ADAPTIVE: RevisitOptions = {
  ...{ policy: 'adaptive', min: HOUR, max: 30 * DAY, first: DAY, every: 30 * DAY, perDay: null },
};
const START = 1_800_000_000_000;

let urls: UrlTable;
let revisits: Revisits;

beforeEach(() => {
  urls = new UrlTable();
  revisits = new Revisits(urls, ADAPTIVE);
});

/** A URL that was visited at `at` for the first time. */
function page(at: number): number {
  const url = urls.append(0, 1);
  urls.setState(url, UrlState.done);
  revisits.visited(url, url, { at, isPage: true, changed: true }, null);
  return url;
}

/** Sweeps until nothing is left to look at; what was found due. */
function due(now: number): number[] {
  const found: number[] = [];
  do revisits.sweep(now, (url) => found.push(url));
  while (revisits.time === 0);
  return found;
}

test('each page is found when it is due, once, and never before', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 5 * DAY }), { minLength: 1, maxLength: 200 }), (delays) => {
      urls = new UrlTable();
      revisits = new Revisits(urls, ADAPTIVE);
      for (const delay of delays) page(START + delay);
      const foundAt = new Map<number, number>();
      for (let now = START; revisits.time < Number.POSITIVE_INFINITY; now = Math.max(revisits.time, now + 1)) {
        for (const url of due(now)) {
          expect(foundAt.has(url)).toBe(false);
          foundAt.set(url, now);
        }
      }
      delays.forEach((delay, url) => {
        const late = foundAt.get(url)! - (START + delay + DAY);
        expect(late).toBeGreaterThanOrEqual(0);
        expect(late).toBeLessThanOrEqual(2_000); // due times are whole seconds, and sweeps begin a second apart
      });
    }),
    { numRuns: 50 },
  );
});

/** The revisit of a page ends; it is due again at `next`, if the policy of these tests is bent to say so. */
function settled(url: number, next: number): void {
  revisits.settle(url);
  urls.setState(url, UrlState.done);
  const body = { visit: 0, at: 0, target: '', contentHash: null, payloadDigest: null, simhash: null };
  const half = (next - START) / 2;
  const last = {
    ...{ visit: 0, at: START, nextVisit: START + half / 2, history: null, found: true, duplicateOf: -1 },
    ...{ etag: null, lastModified: null, body },
  };
  const planned = revisits.visited(url, 7, { at: START + half, isPage: true, changed: false }, last);
  expect(planned.nextVisit).toBe(START + half + half);
}

test('a page that was found is pending until its visit is settled, and then waits for the time that was planned', () => {
  const url = page(START);
  expect(due(START + DAY)).toEqual([url]);
  expect([urls.state(url), revisits.overdue, revisits.isRevisit(url)]).toEqual([UrlState.pending, 1, true]);
  expect(due(START + 2 * DAY)).toEqual([]);
  settled(url, START + 3 * DAY);
  expect([revisits.overdue, revisits.lastVisit(url), revisits.due(url)]).toEqual([0, 7, START + 3 * DAY]);
  expect(due(START + 3 * DAY - 1)).toEqual([]);
  expect(due(START + 3 * DAY)).toEqual([url]);
});

test('one call looks at a bounded number of URLs; a sweep of many calls misses none', () => {
  const many = 150_000;
  for (let i = 0; i < many; i++) page(START);
  const found: number[] = [];
  let calls = 0;
  do {
    const before = found.length;
    revisits.sweep(START + DAY, (url) => found.push(url));
    expect(found.length - before).toBeLessThanOrEqual(65_536);
    calls++;
  } while (revisits.time === 0);
  expect([found.length, calls]).toEqual([many, 3]);
});

test('a page that is planned while a sweep has passed it is found by the next', () => {
  for (let i = 0; i < 70_000; i++) page(START);
  revisits.sweep(START + DAY, () => {}); // half-way
  settled(5, START + DAY + 1_500);
  due(START + DAY);
  expect(revisits.time).toBeLessThanOrEqual(START + DAY + 2_000);
  expect(due(START + DAY + 2_000)).toEqual([5]);
});

test('without a policy nothing is scheduled and nothing is held', () => {
  revisits = new Revisits(urls, NO_REVISITS);
  for (let i = 0; i < 10; i++) page(START);
  expect([revisits.time, revisits.bytes, due(START + 400 * DAY)]).toEqual([Number.POSITIVE_INFINITY, 0, []]);
});

test('freshness: pages that change often and were visited long ago are believed stale', () => {
  const known = (rate: number, seconds: number): number | null => {
    urls = new UrlTable();
    revisits = new Revisits(urls, ADAPTIVE);
    const facts = new RevisitFacts(revisits.planner);
    for (let i = 0; i < 100; i++) {
      const url = urls.append(0, 1);
      urls.setState(url, UrlState.done);
      facts.set(url, url, START, START + DAY, rate);
    }
    revisits.takeOver(facts, urls.size, START);
    return revisits.freshness(START + seconds * 1000);
  };
  expect(revisits.freshness(START)).toBeNull();
  expect(known(1 / 86_400, 0)).toBeGreaterThan(0.94);
  expect(known(1 / 86_400, 86_400)).toBeCloseTo(Math.exp(-1), 1);
  expect(known(1 / 600, 86_400)).toBeLessThan(0.001);
});

function queues(share: number): { hosts: HostTable; queues: HostQueues } {
  const hosts = new HostTable();
  hosts.append('a.test', 'a.test', null, false, 0);
  return { hosts, queues: new HostQueues(hosts, urls, { next: () => 0.3 }, revisits, share) };
}

test.each([0, 0.25, 0.5, 1])('revisits take at most their share of a host: %f', (share) => {
  const { queues: lists } = queues(share);
  for (let i = 0; i < 100; i++) page(START);
  for (const url of due(START + DAY)) lists.put(url);
  for (let i = 0; i < 100; i++) lists.put(urls.append(0, i % 5));
  const taken: boolean[] = [];
  for (let i = 0; i < 50; i++) for (const url of lists.take(0, 2)) taken.push(revisits.isRevisit(url)); // a few at a time
  expect(taken.filter((isRevisit) => isRevisit)).toHaveLength(share * 100);
});

test('either kind has the host for itself while the other has nothing', () => {
  const { hosts, queues: lists } = queues(0.5);
  const old = [page(START), page(START), page(START)];
  for (const url of due(START + DAY)) lists.put(url);
  expect([lists.best(0), hosts.queued[0], lists.take(0, 9)]).toEqual([2, 3, old]);
  expect([hosts.levels[0], hosts.queued[0], lists.isEmpty(0)]).toEqual([0, 0, true]);
  const fresh = urls.append(0, 4);
  lists.put(fresh);
  expect([lists.best(0), lists.take(0, 9)]).toEqual([4, [fresh]]);
});

test('a demoted host waits at the lowest level with its revisits too', () => {
  const { queues: lists } = queues(0.5);
  const old = page(START);
  for (const url of due(START + DAY)) lists.put(url);
  lists.put(urls.append(0, 0));
  lists.demote(0);
  expect(lists.best(0)).toBe(4);
  expect(lists.take(0, 9).sort()).toEqual([old, 1]);
});

test('what the rows say is taken over: pages keep their times, those of a run without a policy get one, others none', () => {
  const facts = new RevisitFacts(revisits.planner);
  const row = { at: START, history: null };
  const rows = [
    { ...row, url: 0, id: 0, code: 'ok', nextVisit: START + 5 * DAY },
    { ...row, url: 1, id: 1, code: 'ok', nextVisit: null },
    { ...row, url: 2, id: 2, code: 'http.gone', nextVisit: null },
    { ...row, url: 3, id: 3, code: 'ok', nextVisit: START + DAY },
    { ...row, url: 4, id: 4, code: 'ok', nextVisit: START + 5 * DAY, at: START + 4 * DAY },
  ] as const;
  for (const each of rows) {
    urls.append(0, 1);
    urls.setState(each.url, UrlState.done);
    facts.visit(each);
  }
  facts.forget(3);
  revisits.takeOver(facts, 5, START);
  expect([0, 1, 2, 3].map((url) => revisits.due(url))).toEqual([START + 5 * DAY, START + DAY, 0, 0]);
  expect([0, 1, 2, 3].map((url) => revisits.lastVisit(url))).toEqual([0, 1, 2, 3]);
  // a clock that was set back makes nobody wait for longer than an interval
  expect(revisits.due(4)).toBeLessThan(START + 1.2 * DAY);
  expect(due(START + DAY)).toEqual([1]);
});
