/** Back queues on virtual time (DESIGN 4): when a host yields its own to others, and who holds none. */
import { describe, expect, test } from 'vitest';
import { HostState } from '../../src/frontier/host-table.js';
import { FRONTIER } from '../support/decisions.js';
import { VirtualCrawl, type VirtualOptions } from './virtual-crawl.js';

const MINUTE = 60_000;
const ONE_BACK_QUEUE = { backQueues: 1, backQueuesMax: 1 };

/** A crawl that counts the back queues it gives to each host. */
function watched(options: VirtualOptions): { crawl: VirtualCrawl; given: number[] } {
  const crawl = new VirtualCrawl(options);
  const given: number[] = [];
  const { back } = crawl.frontier;
  const hold = back.hold.bind(back);
  back.hold = (host, now) => {
    given[host] = (given[host] ?? 0) + 1;
    return hold(host, now);
  };
  return { crawl, given };
}

/** How many requests in a row each host made. */
function runs({ made }: VirtualCrawl): number[] {
  const lengths: number[] = [];
  made.forEach(({ host }, i) => {
    if (i > 0 && made[i - 1].host === host) lengths[lengths.length - 1]++;
    else lengths.push(1);
  });
  return lengths.slice(0, -1); // the last one goes on
}

const delayOf = (delay: number) => ({ ...FRONTIER.rules, delay });

describe('a host yields its back queue to others that wait', () => {
  test.each([1, 63, 64])('after %i fetches', (quantumFetches) => {
    const crawl = new VirtualCrawl({ frontier: { ...ONE_BACK_QUEUE, quantumFetches } });
    crawl.host('a.test', 900);
    crawl.host('b.test', 900);
    crawl.run(9 * MINUTE);
    expect(runs(crawl).length).toBeGreaterThan(3);
    expect(new Set(runs(crawl))).toEqual(new Set([quantumFetches]));
  });

  test.each([
    [10 * MINUTE - 1, 31],
    [10 * MINUTE, 31],
    [10 * MINUTE + 1, 32],
  ])('after %i ms: at 20 s between fetches, the one that ends at ten minutes is the 31st', (quantumTime, fetches) => {
    const rules = delayOf(20_000);
    const crawl = new VirtualCrawl({ frontier: { ...ONE_BACK_QUEUE, rules, quantumFetches: 64, quantumTime } });
    crawl.host('a.test', 900);
    crawl.host('b.test', 900);
    crawl.run(45 * MINUTE);
    expect(runs(crawl).length).toBeGreaterThan(2);
    expect(new Set(runs(crawl))).toEqual(new Set([fetches]));
  });

  test('and not while nobody does: neither alone, nor with a back queue for each', () => {
    for (const hosts of [1, 2]) {
      const { crawl, given } = watched({ frontier: { backQueues: hosts, backQueuesMax: hosts } });
      for (let host = 0; host < hosts; host++) crawl.host(`h${host}.test`, 900);
      crawl.run(12 * MINUTE);
      expect(crawl.made.length).toBeGreaterThan(700 * hosts);
      expect(given).toEqual(new Array(hosts).fill(1));
    }
  });
});

describe('a host that may not be asked for over 30 s holds no back queue', () => {
  /** Two hosts and one back queue: whichever is asked first says to come back later. */
  function refused(retryAfterMs: number, frontier: VirtualOptions['frontier'] = ONE_BACK_QUEUE) {
    let a = -1;
    const { crawl, given } = watched({
      frontier,
      ...(frontier?.key === 'ip' ? { addresses: () => ['10.0.0.1'] } : {}),
      fetch: ({ host }) => {
        if (a < 0) a = host;
        return host === a ? { ms: 0, code: 'http.throttled', retryAfterMs } : { ms: 0 };
      },
    });
    crawl.host('a.test', 10);
    crawl.host('b.test', 10);
    while (crawl.made.length === 0) crawl.run(1);
    return { crawl, given, a, b: 1 - a, state: crawl.frontier.hosts.state };
  }

  test('30 s: it keeps it, and the other waits', () => {
    const { crawl, given, a, b, state } = refused(30_000);
    crawl.run(29_000);
    expect([state[a], state[b]]).toEqual([HostState.back, HostState.front]);
    expect(given[b]).toBeUndefined();
  });

  test('a millisecond more: it sleeps, and the other has it at once', () => {
    const { crawl, a, b, state } = refused(30_001);
    expect(state[a]).toBe(HostState.asleep);
    crawl.run(1);
    expect([state[a], state[b]]).toEqual([HostState.asleep, HostState.back]);
    expect(crawl.made.map(({ host }) => host)).toEqual([a, b]);
  });

  test('it comes back when its time comes', () => {
    const { crawl, a } = refused(40_000);
    crawl.run(60_000);
    const [first, second] = crawl.made.filter(({ host }) => host === a);
    expect(second.start - first.end).toBe(40_000);
  });

  test('the clock of its address counts as its own', () => {
    const { crawl, b, state } = refused(40_000, { key: 'ip' });
    crawl.run(5_000);
    expect(crawl.made).toHaveLength(1);
    expect([state[b], crawl.frontier.back.held]).toEqual([HostState.asleep, 0]);
    crawl.run(40_000);
    expect(crawl.made[1].start - crawl.made[0].end).toBe(40_000);
  });

  /** A Crawl-delay that is learnt while the host stands somewhere. */
  function learns(crawl: VirtualCrawl, host: number, name: string, crawlDelay: number): void {
    const origin = crawl.frontier.robots.of(`http://${name}`, host);
    crawl.frontier.setRobots(origin, origin.state!, crawlDelay, false, crawl.now, crawl.changes);
  }

  test.each([
    [30_000, HostState.back],
    [31_500, HostState.asleep],
  ])('a Crawl-delay of %i ms that it learns while it holds one', (crawlDelay, state) => {
    const crawl = new VirtualCrawl();
    const a = crawl.host('a.test', 10);
    crawl.run(500);
    expect(crawl.frontier.hosts.state[a]).toBe(HostState.back);
    learns(crawl, a, 'a.test', crawlDelay);
    crawl.run(1_000);
    expect(crawl.frontier.hosts.state[a]).toBe(state);
    expect(crawl.frontier.back.held).toBe(state === HostState.back ? 1 : 0);
    crawl.run(crawlDelay);
    expect(crawl.made[1].start - crawl.made[0].end).toBe(crawlDelay);
  });

  test('a Crawl-delay that it learns while it waits in front', () => {
    const { crawl, given } = watched({ frontier: { ...ONE_BACK_QUEUE, quantumFetches: 1 } });
    const a = crawl.host('a.test', 10);
    const b = crawl.host('b.test', 10);
    const { state } = crawl.frontier.hosts;
    while (crawl.made.length === 0 || state[a] !== HostState.front) crawl.run(1);
    const before = given[a];
    learns(crawl, a, 'a.test', 120_000);
    crawl.run(60_000);
    expect([state[a], given[a]]).toEqual([HostState.asleep, before]);
    expect(crawl.made.filter(({ host }) => host === b)).toHaveLength(10);
  });
});

describe('a host that waits for something else holds no back queue', () => {
  test('for DNS: until the answer is there, another has it', () => {
    const crawl = new VirtualCrawl({ frontier: ONE_BACK_QUEUE });
    const { frontier, now, changes } = crawl;
    const a = crawl.host('a.test', 1);
    const b = crawl.host('b.test', 1);
    const turn = () => frontier.next(now, Int32Array.of(4), Number.POSITIVE_INFINITY, changes);
    expect(turn().resolve).toEqual([a, b]);
    expect([frontier.hosts.state[a], frontier.back.held]).toEqual([HostState.resolving, 0]);
    frontier.resolved(b, { addresses: ['10.0.0.2'], until: Number.POSITIVE_INFINITY }, now, changes);
    expect(turn().load.map(({ host }) => host)).toEqual([b]);
  });

  test('for robots: while its file is read elsewhere, another has it', () => {
    const crawl = new VirtualCrawl({ frontier: ONE_BACK_QUEUE });
    const { frontier } = crawl;
    const a = crawl.host('a.test', 3);
    const b = crawl.host('b.test', 3);
    frontier.robots.of('http://a.test', a).state = null;
    frontier.robots.of('http://a.test', a).busy = true;
    crawl.run(10_000);
    expect(frontier.hosts.state[a]).toBe(HostState.robots);
    expect(crawl.made.map(({ host }) => host)).toEqual([b, b, b]);
  });

  test('for its address: while another is asked there, or a slow one, it stands in line without', () => {
    const crawl = new VirtualCrawl({ addresses: () => ['10.0.0.1'], fetch: () => ({ ms: 20_000 }) });
    crawl.host('a.test', 3);
    crawl.host('b.test', 3);
    crawl.run(5_000);
    const { hosts, back } = crawl.frontier;
    expect([hosts.state[0], hosts.state[1]].sort()).toEqual([HostState.back, HostState.parked].sort());
    expect(back.held).toBe(1);
  });
});
