/** What the alarms say, and when: each at its limit, and not before it. */
import { describe, expect, test } from 'vitest';
import { ALARMS, type Alarm, alarmsOf, type SickHost } from '../../src/embedded/alarms.js';
import type { CrawlStats } from '../../src/embedded/figures.js';

/** A crawl that is well, on a machine with room. */
const WELL: CrawlStats = {
  ...{ at: 1e12, state: 'running', startedAt: 1e12 - 3_600_000, pages: 5000, pagesPerSecond: 10, requests: 6000 },
  ...{ bytes: 5e8, inFlight: 20, growth: { known: 50, pending: 40 }, waiting: {} },
  pendingByLevel: [0, 0, 1_900_000, 0, 0],
  urls: { known: 2_000_000, pending: 1_900_000, leased: 20, denied: 10, done: 5000, dead: 5 },
  hosts: { known: 500, inPlay: 100, queued: 30, levels: [30, 0, 0, 0, 0] },
  duplicates: { exact: 10, near: 5, share: 0.1 },
  ...{ deadLetters: 5, robotsDenied: 10, rejected: {}, removed: {}, errors: {}, statuses: { 200: 5000 } },
  outcomes: { good: 0.95, throttled: 0.02, failed: 0.03 },
  caches: { dns: { hosts: 500, pending: 0, hits: 1, misses: 1 }, robots: { origins: 500 } },
  memory: { rss: 4e8, heap: 1e8, bodies: 1e6, machine: 8e9 },
  disk: { free: 4e11, total: 1e12 },
  backQueues: { held: 100, count: 1024, most: 65_536, ceiling: 800, binds: false },
  seen: { inserted: 1e6, design: 1e8, fill: 0.01, falsePositives: 1e-9, epoch: 0, overfull: false },
  told: { linesLost: 0, spansSent: 0, spansDropped: 0 },
  revisits: { fetched: 0, notModified: 0, changed: 0, freshness: null },
};
const SICK: SickHost = { host: 'sick.test', requests: 20, failed: 18 };

interface Case {
  id: Alarm['id'];
  severity: Alarm['severity'];
  at: Partial<CrawlStats>;
  before: Partial<CrawlStats>;
  says: string;
  sick?: SickHost;
}
const outcomes = (throttled: number, failed: number): Partial<CrawlStats> => ({
  outcomes: { good: 1 - throttled - failed, throttled, failed },
});
const bloom = (inserted: number): Partial<CrawlStats> => ({
  seen: { ...WELL.seen!, inserted, falsePositives: 0.00012, overfull: inserted > 1e8 },
});
const duplicates = (share: number): Partial<CrawlStats> => ({ duplicates: { ...WELL.duplicates, share } });
const rss = (bytes: number): Partial<CrawlStats> => ({ memory: { ...WELL.memory, rss: bytes } });
const free = (bytes: number): Partial<CrawlStats> => ({ disk: { free: bytes, total: 1e12 } });
const known = (perSecond: number): Partial<CrawlStats> => ({ growth: { known: perSecond, pending: 0 } });
const dead = (n: number): Partial<CrawlStats> => ({ urls: { ...WELL.urls, dead: n } });
const held = (n: number): Partial<CrawlStats> => ({ backQueues: { ...WELL.backQueues, held: n, binds: true } });

const CASES: readonly Case[] = [
  { id: 'duplicates', severity: 'warning', at: duplicates(0.6), before: duplicates(0.5), says: '60% of the pages' },
  { id: 'failing', severity: 'serious', at: outcomes(0, 0.7), before: outcomes(0, 0.5), says: 'that is us' },
  { id: 'failing-host', severity: 'warning', at: {}, before: outcomes(0, 0.7), says: 'that is them', sick: SICK },
  { id: 'throttled', severity: 'warning', at: outcomes(0.3, 0), before: outcomes(0.2, 0), says: 'raise --delay' },
  { id: 'bloom', severity: 'warning', at: bloom(9e7), before: bloom(8e7), says: '0.012% of new URLs are taken' },
  { id: 'bloom', severity: 'serious', at: bloom(1.1e8), before: bloom(0), says: 'seen.bloomKeys' },
  { id: 'disk', severity: 'warning', at: free(4e10), before: free(5e10), says: '96% full' },
  { id: 'disk', severity: 'serious', at: free(9e8), before: free(1e11), says: '900 MB left' },
  { id: 'memory', severity: 'serious', at: rss(7.2e9), before: rss(6.8e9), says: '90% of the machine' },
  { id: 'discovery', severity: 'warning', at: known(200), before: known(100), says: '20 times as fast' },
  {
    id: 'dead-letters',
    severity: 'warning',
    at: dead(2000),
    before: dead(1000),
    says: '2,000 URLs, 29% of those that were tried',
  },
  { id: 'ceiling', severity: 'warning', at: held(65_536), before: held(65_535), says: 'frontier.backQueuesMax' },
];

describe('alarms', () => {
  test.each(CASES)(
    '$id ($severity) is told at its limit and not before it',
    ({ id, severity, at, before, says, sick }) => {
      const told = (change: Partial<CrawlStats>) => alarmsOf({ ...WELL, ...change }, 100, sick ?? null);
      expect(told(at)).toEqual([{ id, severity, words: expect.stringContaining(says) }]);
      expect(told(before).filter((alarm) => alarm.id === id)).toEqual([]);
    },
  );

  test('every alarm there is has a case; a crawl that is well has none', () => {
    expect(new Set(CASES.map(({ id }) => id))).toEqual(new Set(ALARMS));
    expect(alarmsOf(WELL, 100, null)).toEqual([]);
  });

  test('shares of a few requests mean nothing', () => {
    expect(alarmsOf({ ...WELL, ...outcomes(0.4, 0.6), ...duplicates(1) }, 49, null)).toEqual([]);
  });
});
