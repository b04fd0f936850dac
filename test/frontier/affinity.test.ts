/** A host sticks to one page worker, whose connection it uses, and moves when that has had no room for a while. */
import { expect, test } from 'vitest';
import { seededRandom } from '../../src/engines/system.js';
import { Frontier } from '../../src/frontier/frontier.js';
import { FRONTIER } from '../support/decisions.js';
import { VirtualCrawl } from './virtual-crawl.js';

const HOSTS = 20;
const crawl = (workers: (now: number) => number[], affinity = 1_000): VirtualCrawl => {
  const crawl = new VirtualCrawl({
    workers,
    fetch: () => ({ ms: 20 }),
    frontier: { workers: 2, affinity, backQueues: 64 },
  });
  for (let host = 0; host < HOSTS; host++) crawl.host(`h${host}.test`, 60);
  return crawl;
};

test('a host keeps its worker while that has room, and both have hosts', () => {
  const { made } = crawl(() => [HOSTS, HOSTS]).run(30_000);
  for (let host = 0; host < HOSTS; host++) {
    expect(new Set(made.filter((request) => request.host === host).map(({ worker }) => worker)).size).toBe(1);
  }
  expect(new Set(made.map(({ worker }) => worker)).size).toBe(2);
});

test('a host whose worker has had no room for that time moves, not sooner, and stays where it went', () => {
  const stuck = 1_010_000;
  const back = 1_020_000;
  const { made } = crawl((now) => [now >= stuck && now < back ? 0 : HOSTS, HOSTS], 3_000).run(30_000);
  const before = new Set(made.filter(({ start, worker }) => start < stuck && worker === 0).map(({ host }) => host));
  expect(before.size).toBeGreaterThan(3);
  for (const host of before) {
    const later = made.filter((request) => request.host === host && request.start >= stuck);
    expect(later[0].start).toBeGreaterThanOrEqual(stuck + 3_000);
    expect(later[0].start).toBeLessThanOrEqual(stuck + 4_100);
    expect(new Set(later.map(({ worker }) => worker))).toEqual(new Set([1]));
  }
});

test('while no worker has room, the frontier asks for no turn before something else falls due', () => {
  const frontier = new Frontier({ ...FRONTIER, workers: 2, affinity: 1_000 }, seededRandom(1));
  const changes = { hostEvents: [] } as never;
  const host = frontier.addHost('a.test', 'a.test', null, false, 0);
  frontier.add(host, 1, false, 0);
  const none = Int32Array.of(0, 0);
  const { resolve } = frontier.next(0, none, 10, changes);
  frontier.resolved(resolve[0], { addresses: ['192.0.2.1'], until: 1e12 }, 0, changes);
  for (const now of [0, 500, 1_000, 5_000]) {
    expect(frontier.next(now, none, 10, changes).waitUntil).toBe(Number.POSITIVE_INFINITY);
  }
  expect(frontier.next(6_000, Int32Array.of(1, 1), 10, changes).load).toHaveLength(1);
});
