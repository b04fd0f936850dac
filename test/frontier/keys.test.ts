/** Which gaps belong to what (DESIGN 4, Keys): hosts, addresses, CDNs, shared hosting, hosts that move. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DelayProof } from '../../src/corpus/delays.js';
import type { OutcomeCode } from '../../src/errors.js';
import { gaps, type Made, mostAtOnce, VirtualCrawl, type VirtualOptions } from './virtual-crawl.js';

const rules = (delay: number) => ({
  ...{ delay, fetchFactor: 0, fetchCap: 0, penaltyCap: 3_600_000, retryAfterCap: 86_400_000 },
  ...{ throttlesBeforeSleep: 10, sleeps: [3_600_000], failuresBeforeOffline: 50, nxdomainsBeforeOffline: 2 },
  offline: [3_600_000],
});
const fetch = () => ({ ms: 200 });
const frontier = { rules: rules(1_000), backQueues: 64 };
const minute = 60_000;

/** A crawl of `hosts` hosts with plenty of URLs. */
function crawl(hosts: number, domainOf: (i: number) => string, options: VirtualOptions): VirtualCrawl {
  const crawl = new VirtualCrawl({ fetch, ...options, frontier: { ...frontier, ...options.frontier } });
  for (let i = 0; i < hosts; i++) crawl.host(`www${i}.${domainOf(i)}`, 200, domainOf(i));
  return crawl;
}

const starts = (made: readonly Made[]): number[] => {
  const times = made.map(({ start }) => start).sort((a, b) => a - b);
  return times.slice(1).map((time, i) => time - times[i]);
};
const byHost = (made: readonly Made[]) => gaps(made, ({ host }) => host);

describe('an address', () => {
  test('has one request at a time and the delay between two, however many hosts it serves', () => {
    const { made } = crawl(16, (i) => `site${i}.test`, { addresses: () => ['192.0.2.1'] }).run(5 * minute);
    expect(mostAtOnce(made)).toBe(1);
    expect(new Set(gaps(made, () => 0))).toEqual(new Set([1_000]));
    expect(new Set(made.map(({ host }) => host)).size).toBe(16);
  });

  test('has no clock where politeness goes by host', () => {
    const { made } = crawl(16, () => 'site.test', { addresses: () => ['192.0.2.1'], frontier: { key: 'host' } }).run(
      minute,
    );
    expect(mostAtOnce(made)).toBe(16);
    expect(Math.min(...byHost(made))).toBe(1_000);
    expect(made[0].addressDelay).toBe(-1);
  });

  test('owes what each of its hosts owes where politeness goes by address, CDN or not', () => {
    const world = crawl(40, (i) => `site${i}.test`, {
      addresses: () => ['192.0.2.1'],
      frontier: { key: 'ip', isCdn: () => true },
    });
    world.frontier.hosts.crawlDelay[3] = 7_000;
    const { made } = world.run(5 * minute);
    expect(mostAtOnce(made)).toBe(1);
    const inOrder = gaps(made, () => 0);
    made.slice(0, -1).forEach(({ host }, i) => {
      expect(inOrder[i]).toBe(host === 3 ? 7_000 : 1_000);
    });
    expect(made.some(({ host }) => host === 3)).toBe(true);
  });
});

describe('an address of a CDN', () => {
  const options: VirtualOptions = { addresses: () => ['192.0.2.1'], frontier: { isCdn: (a) => a === '192.0.2.1' } };

  test('has at most four requests at once to one registrable domain, and the delay for each host', () => {
    const { made } = crawl(10, () => 'site.test', options).run(minute);
    expect(mostAtOnce(made)).toBe(4);
    expect(Math.min(...byHost(made))).toBe(1_000);
    // ten hosts at a period of 1.2 s want 8.3 requests a second; four places of 0.2 s allow 20
    expect(made.length).toBeGreaterThan(0.98 * 10 * (minute / 1_200));
    expect(made.every(({ addressDelay }) => addressDelay === -1)).toBe(true);
  });

  test('holds up only the hosts of a domain that has four, and lets all of those have their turn', () => {
    const slow = { ...options, fetch: () => ({ ms: 2_000 }) };
    const { made } = crawl(40, (i) => (i < 20 ? 'large.test' : `site${i}.test`), slow).run(5 * minute);
    expect(mostAtOnce(made.filter(({ host }) => host < 20))).toBe(4);
    const counts = new Array(40).fill(0);
    for (const { host } of made) counts[host]++;
    for (const n of counts.slice(0, 20)) expect(n).toBeGreaterThan((5 * minute * 4) / 2_000 / 20 / 2);
    for (const n of counts.slice(20)) expect(n).toBeGreaterThan(0.95 * ((5 * minute) / 3_000));
  });

  test('counts for the domain whatever the address', () => {
    const spread = { ...options, addresses: (host: number) => [`192.0.2.${host}`], frontier: { isCdn: () => true } };
    expect(mostAtOnce(crawl(12, () => 'site.test', spread).run(minute).made)).toBe(4);
  });
});

describe('an address that serves more than 16 registrable domains', () => {
  const addresses = () => ['192.0.2.1'];
  const shared = (hosts: number, options: VirtualOptions = {}) =>
    crawl(hosts, (i) => `site${i}.test`, { addresses, fetch: () => ({ ms: 2_000 }), ...options });

  test('may have two requests at once, 250 ms apart, and never more or less', () => {
    const { made } = shared(200).run(20 * minute);
    const from = made[16].end;
    const before = made.filter(({ start }) => start < from);
    const after = made.filter(({ start }) => start >= from);
    expect([mostAtOnce(before), mostAtOnce(after)]).toEqual([1, 2]);
    expect(Math.min(...starts(after))).toBeGreaterThanOrEqual(250);
    expect(Math.min(...byHost(made))).toBeGreaterThanOrEqual(1_000);
    expect(after.length).toBeGreaterThan(1.7 * ((20 * minute) / 2_250));
    expect(new Set(after.map(({ addressDelay }) => addressDelay))).toEqual(new Set([250]));
  });

  test('is not shared by 17 hosts of 16 domains', () => {
    const world = crawl(17, (i) => `site${i % 16}.test`, { addresses, fetch: () => ({ ms: 2_000 }) });
    expect(mostAtOnce(world.run(10 * minute).made)).toBe(1);
  });

  test.each<OutcomeCode>(['http.throttled', 'connect.refused'])('is back to one after a single %s', (code) => {
    let bad = 0;
    const world = shared(60, {
      fetch: (_, now) => ({ ms: 2_000, ...(now > 1_600_000 && bad++ === 0 && { code }) }),
    });
    const { made } = world.run(40 * minute);
    const end = made.find((request) => request.code === code)!.end;
    const last = Math.max(...made.filter(({ start }) => start < end).map((request) => request.end));
    const after = made.filter(({ start }) => start >= end);
    expect(mostAtOnce(made.filter(({ start }) => start < end))).toBe(2);
    expect(mostAtOnce(after)).toBe(1);
    expect(Math.min(...after.map(({ start }) => start)) - last).toBeGreaterThanOrEqual(1_000);
    expect(Math.min(...gaps(after, () => 0))).toBe(1_000);
  });

  test('is no slower than others where the delay is under 250 ms', () => {
    const { made } = shared(60, { frontier: { rules: rules(100) }, fetch: () => ({ ms: 20 }) }).run(minute);
    expect(new Set(made.map(({ addressDelay }) => addressDelay))).toEqual(new Set([100]));
  });
});

test('the rows of any crawl of shared addresses prove its gaps, and too early a request is found', () => {
  const world = (seed: number, hosts: number, ms: number): Made[] =>
    crawl(hosts, (i) => `site${i % (hosts - (seed % 3))}.test`, {
      addresses: (host) => [`192.0.2.${host % (1 + (seed % 3))}`],
      frontier: { shared: { from: 1 + (seed % 5), requests: 1 + (seed % 3), gap: 250 } },
      fetch: (lease, now) => ({
        ms: 1 + ((lease.id * 7_919 + seed) % ms),
        ...((lease.id * 31 + now + seed) % 97 === 0 && { code: 'http.throttled' as const }),
      }),
    }).run(2 * minute).made;
  const prove = (made: readonly Made[], limits: { from: number; requests: number }, hosts: number, odd: number) => {
    const proof = new DelayProof(limits, (host) => `site${host % (hosts - odd)}.test`);
    return made.flatMap((request, id) => proof.check(row(request, id)) ?? []);
  };
  fc.assert(
    fc.property(fc.nat(1_000), fc.integer({ min: 6, max: 30 }), fc.integer({ min: 2, max: 3_000 }), (seed, n, ms) => {
      const limits = { from: 1 + (seed % 5), requests: 1 + (seed % 3) };
      const made = world(seed, n, ms);
      expect(prove(made, limits, n, seed % 3)).toEqual([]);
      const late = made.length >> 1;
      const before = made.find(({ address }, i) => i > late && address === made[late].address);
      if (before === undefined || limits.requests > 1) return;
      const hasty = made.map((request) => (request === before ? { ...request, start: made[late].end + 100 } : request));
      expect(prove(hasty, limits, n, seed % 3).length).toBeGreaterThan(0);
    }),
    { numRuns: 30, seed: 5 },
  );
});

const row = ({ host, address, start, end, code, addressDelay }: Made, id: number) => ({
  ...{ id, url: id, host, address, kind: 'page' as const, target: '', started: start, ended: end, status: 200, code },
  ...{ bytes: 0, delay: 0, addressDelay, record: null },
});

describe('a host that moves', () => {
  const moving = (from: string, to: string, at: number) => (host: number, now: number) =>
    host > 0 ? ['192.0.2.2'] : now < at ? [from] : [to];

  test('owes its own clock at its new address, and that of the address', () => {
    const world = new VirtualCrawl({
      ...{ fetch: () => ({ ms: 100 }), ttl: 5_000, frontier: { ...frontier, rules: rules(3_000) } },
      addresses: moving('192.0.2.1', '192.0.2.2', 1_010_000),
    });
    for (const name of ['a.test', 'b.test']) world.host(name, 100);
    const { made } = world.run(minute);
    expect(new Set(made.filter(({ host }) => host === 0).map(({ address }) => address)).size).toBe(2);
    expect(Math.min(...byHost(made))).toBeGreaterThanOrEqual(3_000);
    expect(Math.min(...gaps(made, ({ address }) => address))).toBeGreaterThanOrEqual(3_000);
  });

  test('from one of its addresses that refuses ends its lease; the next is another lease, after its delay', () => {
    const world = new VirtualCrawl({
      fetch: ({ connectTo }) => ({ ms: 50, ...(connectTo === '192.0.2.1' && { code: 'connect.refused' as const }) }),
      ...{ frontier, addresses: () => ['192.0.2.1', '192.0.2.2'] },
    });
    world.host('a.test', 3);
    const { made } = world.run(minute);
    expect(made.map(({ address }) => address)).toEqual(['192.0.2.1', '192.0.2.2', '192.0.2.2', '192.0.2.2']);
    expect(new Set(made.slice(1).map(({ target }) => target)).size).toBe(3);
    expect(Math.min(...byHost(made))).toBe(1_000);
  });

  test('goes to IPv4 first until IPv6 has worked', () => {
    const world = new VirtualCrawl({
      frontier,
      addresses: (host) => (host === 1 ? ['2001:db8::9'] : [`2001:db8::${host + 1}`, `192.0.2.${host + 1}`]),
    });
    world.host('a.test', 1);
    world.run(1_000);
    world.host('b.test', 1);
    world.run(1_000);
    world.host('c.test', 1);
    world.run(1_000);
    expect(world.made.map(({ address }) => address)).toEqual(['192.0.2.1', '2001:db8::9', '2001:db8::3']);
  });
});
