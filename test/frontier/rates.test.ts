/** How fast a frontier may go, and how fair it is: the ceilings of DESIGN 4 and 12, on virtual time. */
import { describe, expect, test } from 'vitest';
import type { FrontierOptions } from '../../src/frontier/lease.js';
import { type Made, VirtualCrawl, type VirtualOptions } from './virtual-crawl.js';

const DEFAULTS: Partial<FrontierOptions> = {
  rules: {
    ...{ delay: 1_000, fetchFactor: 0, fetchCap: 0, penaltyCap: 3_600_000, retryAfterCap: 86_400_000 },
    ...{ throttlesBeforeSleep: 10, sleeps: [3_600_000], failuresBeforeOffline: 5, nxdomainsBeforeOffline: 2 },
    offline: [3_600_000],
  },
  ...{ backQueues: 1_024, backQueuesMax: 65_536, lookAhead: 64, quantumFetches: 64, quantumTime: 600_000 },
};
const fetch = () => ({ ms: 200 });

function crawl(urls: readonly number[], options: VirtualOptions = {}): VirtualCrawl {
  const crawl = new VirtualCrawl({ fetch, ...options, frontier: { ...DEFAULTS, ...options.frontier } });
  for (const [i, n] of urls.entries()) crawl.host(`h${i}.test`, n);
  return crawl;
}

/** Longest time between the starts of two requests of a host; of hosts that were asked once, none. */
function longestGap(made: readonly Made[]): number {
  const last = new Map<number, number>();
  let longest = 0;
  for (const { host, start } of made) {
    const before = last.get(host);
    if (before !== undefined) longest = Math.max(longest, start - before);
    last.set(host, start);
  }
  return longest;
}

describe('2,000 hosts that are always full, at a period of 1.2 s', { timeout: 60_000 }, () => {
  const HOSTS = 2_000;
  const SECONDS = 30;
  const least = 0.98 * HOSTS * (SECONDS / 1.2);

  test('give at least 98% of 0.833 requests a second and host', () => {
    const { made } = crawl(new Array(HOSTS).fill(40)).run(SECONDS * 1_000);
    expect(made.length).toBeGreaterThanOrEqual(least);
    expect(made.length).toBeLessThanOrEqual(HOSTS * (SECONDS / 1.2 + 1));
  });

  test('reach that beside one host that holds 90% of all URLs', () => {
    const { made } = crawl([9 * HOSTS * 40, ...new Array(HOSTS).fill(40)]).run(SECONDS * 1_000);
    expect(made.filter(({ host }) => host > 0).length).toBeGreaterThanOrEqual(least);
  });
});

describe('with 20,000 hosts ready', { timeout: 60_000 }, () => {
  const HOSTS = 20_000;

  test.each([
    ['whatever the room', 1_000_000, 3],
    ['with room for 256 requests', 256, 35],
    ['with room for 77 requests, at 385 pages a second', 77, 110],
  ])('a host is asked again within twice the larger of its delay and its share of the rate, %s', (_, room, seconds) => {
    const { made } = crawl(new Array(HOSTS).fill(8), { room }).run(seconds * 1_000);
    const rate = Math.min(room / 0.2, HOSTS / 1.2);
    const bound = 2 * Math.max(1_000, (HOSTS / rate) * 1_000);
    expect(made.length).toBeGreaterThan(0.95 * rate * seconds);
    expect(new Set(made.map(({ host }) => host)).size).toBe(HOSTS);
    // before its first request a host waits no longer than between two, and after its last no longer than to the end
    const before = Array.from({ length: HOSTS }, (_, host) => ({ ...made[0], host, start: 1_000_000 }));
    expect(longestGap([...before, ...made])).toBeLessThanOrEqual(bound);
  });

  test('few URLs are read ahead of each', () => {
    const world = crawl(new Array(HOSTS).fill(8), { room: 77 });
    world.run(20_000);
    const ahead = world.frontier.back.slots.reduce((sum, slot) => sum + slot.ahead.length - slot.at, 0);
    expect(world.frontier.back.held).toBe(HOSTS);
    expect(ahead).toBeLessThanOrEqual(4 * HOSTS + 65_536);
  });
});

describe('with hosts that share addresses, and room for fewer requests than are due', { timeout: 60_000 }, () => {
  /** Every `n`th host has an address of its own, the others share `shared` addresses. */
  const busy = (hosts: number, n: number, shared: number, room: number) =>
    crawl(new Array(hosts).fill(20), {
      room,
      addresses: (host) => [host % n === 0 ? `10.1.${host >> 8}.${host & 255}` : `10.0.${host % shared}.1`],
    });

  test('back queues grow for those that wait for one, though others give theirs back to stand in line', () => {
    const world = busy(1_000, 2, 100, 77);
    world.run(5_000);
    for (let i = 1_000; i < 10_000; i++) world.host(`h${i}.test`, 20); // fetchers have enough to do by now
    const { front, ceiling } = world.run(20_000).frontier;
    expect(ceiling.backQueues).toBeGreaterThan(4_096);
    expect(front.size).toBe(0);
  });

  test('an address is asked as often as its clock allows, not once in each round of all hosts', () => {
    const SECONDS = 100;
    const HOSTS = 4_000;
    const { made } = busy(HOSTS, 2, 150, 40).run(SECONDS * 1_000); // 200 requests a second
    const least = 0.9 * ((SECONDS - 20) / 1.2);
    for (let address = 1; address < 150; address += 2) {
      expect(made.filter(({ host }) => host % 150 === address).length).toBeGreaterThan(least);
    }
    expect(longestGap(made.filter(({ host }) => host % 2 === 0))).toBeLessThan((2 * 1_000 * HOSTS) / 200);
  });
});

describe('the ceiling', () => {
  test('is the number of back queues divided by the mean period, and binds when hosts wait and fetchers starve', () => {
    const world = crawl(new Array(500).fill(100), { frontier: { backQueues: 10, backQueuesMax: 100 } });
    expect(world.frontier.ceiling).toMatchObject({ period: null, pagesPerSecond: null, binds: false, boundMs: 0 });
    const { made } = world.run(60_000);
    const { ceiling } = world.frontier;
    expect(ceiling).toMatchObject({ backQueues: 100, inPlay: 100, waiting: 400, binds: true });
    expect(ceiling.period).toBeCloseTo(1_200, 6);
    expect(ceiling.pagesPerSecond).toBeCloseTo(100 / 1.2, 6);
    expect(made.length / 60 / ceiling.pagesPerSecond!).toBeGreaterThan(0.98);
    expect(made.length / 60 / ceiling.pagesPerSecond!).toBeLessThanOrEqual(1);
    expect(ceiling.boundMs).toBeGreaterThan(55_000);
  });

  test('does not bind where every host is in play, nor where fetchers have no room', () => {
    const free = crawl(new Array(500).fill(100)).run(10_000).frontier.ceiling;
    expect(free).toMatchObject({ binds: false, waiting: 0 });
    const busy = crawl(new Array(500).fill(100), { room: 5, frontier: { backQueues: 10, backQueuesMax: 100 } });
    const { ceiling } = busy.run(10_000).frontier;
    expect(ceiling).toMatchObject({ backQueues: 100, binds: false });
    expect(ceiling.boundMs).toBeLessThan(100);
  });

  test('counts no delay that is slept through without a back queue', () => {
    const world = crawl(new Array(20).fill(10), { fetch: () => ({ ms: 200, code: 'http.throttled' }) });
    world.run(3_600_000);
    expect(world.frontier.ceiling.period).toBeLessThan(30_000);
  });
});
