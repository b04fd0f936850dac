import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DnsCache } from '../../src/fetch/dns-cache.js';
import type { Lookup } from '../../src/fetch/dns-lookup.js';
import { parseHosts } from '../../src/fetch/hosts-file.js';
import { inCidr, parseCidr, parseIp } from '../../src/fetch/ip.js';
import { pinnedAddress } from '../../src/fetch/pins.js';
import { type DnsAnswer, DnsResolver, type DnsResolverOptions } from '../../src/fetch/resolver.js';
import { type DnsName, DnsServer } from '../support/dns-server.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const NAMES: Record<string, DnsName> = {
  'both.test': { a: ['192.0.2.1', '192.0.2.2'], aaaa: ['2001:db8::1'], ttl: 600 },
  'four.test': { a: ['192.0.2.4'] },
  'six.test': { aaaa: ['2001:DB8::6'], ttl: 3600 },
  'alias.test': { cname: 'both.test', ttl: 900 },
  'none.test': {},
  'short.test': { a: ['192.0.2.9'], ttl: 1 },
  'long.test': { a: ['192.0.2.9'], ttl: 30 * 86_400 },
  'broken.test': { rcode: 2 },
  'refused.test': { rcode: 5 },
  'silent.test': { silent: true },
  'nosix.test': { a: ['192.0.2.7'], silent: 'aaaa' },
  'garbage.test': { garbage: true },
  'slow.test': { a: ['192.0.2.8'], delayMs: 60 },
  'under_score.test': { a: ['192.0.2.5'] },
};

let now = 0;
const clock = () => now;
const make = (options: Partial<DnsResolverOptions> = {}) => new DnsResolver({ hostsFile: null, clock, ...options });
const addresses = (answer: DnsAnswer) => ('addresses' in answer ? answer.addresses : answer.code);
/** A look-up that fails the test if it is ever asked. */
const never: Lookup = (_, host) => Promise.reject(new Error(`asked for ${host}`));
const failure = (code: string) => Promise.reject(Object.assign(new Error(code), { code }));

beforeEach(() => {
  now = 1_800_000_000_000;
});

describe('without the DNS', () => {
  it('pins come first, then literals, the hosts file and localhost', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hosts-'));
    try {
      const hostsFile = join(folder, 'hosts');
      writeFileSync(
        hostsFile,
        '# comment\n10.0.0.1 a.test b.test # c.test\n::2 a.test\n10.0.0.9 pinned.test\n127.0.0.9 localhost\n',
      );
      const resolver = make({ hostsFile, lookups: never, pins: ['pinned.test=10.9.9.9', '*.spread.test=10.1.0.0/16'] });
      const resolved = async (host: string) => {
        const answer = await resolver.resolve(host);
        return 'source' in answer ? [answer.source, ...answer.addresses] : [answer.code];
      };
      expect(await resolved('PINNED.test.')).toEqual(['pin', '10.9.9.9']);
      expect(await resolved('x.spread.test')).toEqual(['pin', pinnedAddress('x.spread.test', '10.1.0.0/16')]);
      expect(await resolved('192.0.2.1')).toEqual(['literal', '192.0.2.1']);
      expect(await resolved('[2001:DB8:0::1]')).toEqual(['literal', '2001:db8::1']);
      expect(await resolved('a.test')).toEqual(['hosts', '10.0.0.1', '::2']);
      expect(await resolved('B.test')).toEqual(['hosts', '10.0.0.1']);
      expect(await resolved('localhost')).toEqual(['hosts', '127.0.0.9']);
      expect(await resolved('x.localhost')).toEqual(['hosts', '127.0.0.1']);
      expect(resolver.stats).toMatchObject({ misses: 0, hits: 0 });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('names that cannot exist are not asked for', async () => {
    const resolver = make({ lookups: never, servers: ['127.0.0.1'] });
    for (const host of [
      '',
      '.',
      'a..b',
      'x'.repeat(64),
      `${'a.'.repeat(127)}toolong`,
      'a b',
      'a\0b',
      'ü.test',
      '1.2.3.4.',
      '[::1',
      '%41',
    ]) {
      const answer = await resolver.resolve(host);
      expect([host, addresses(answer)]).toEqual([host, host === '1.2.3.4.' ? ['1.2.3.4'] : 'dns.nxdomain']);
    }
  });

  it('a missing hosts file is an empty one, and odd lines are skipped', () => {
    expect(() => make({ hostsFile: '/no/such/file' })).not.toThrow();
    const hosts = parseHosts('1.2.3.4\n1.2.3 x\n\t10.0.0.1\tx  y.\r\nfe80::1%eth0 z\n# 10.0.0.2 x\n10.0.0.1 x\n');
    expect([...hosts]).toEqual([
      ['x', ['10.0.0.1']],
      ['y', ['10.0.0.1']],
    ]);
  });

  it('options that cannot be meant are refused with the flag’s name', () => {
    for (const pin of ['', 'x', '=10.0.0.1', 'a.test=', 'a.test=b.test', 'a.test=10.0.0.0/33']) {
      expect(() => make({ pins: [pin] })).toThrow(/--resolve/);
    }
    for (const server of ['', 'dns.test', '1.2.3.4:', '1.2.3.4:0', '1.2.3.4:70000', '[::1', '1.2.3']) {
      expect(() => make({ servers: [server] })).toThrow(/--dns/);
    }
    for (const server of ['9.9.9.9', '9.9.9.9:5353', '::1', '[::1]', '[::1]:53', '[2620:fe::fe]:5353']) {
      expect(() => make({ servers: [server], lookups: never })).not.toThrow();
    }
  });
});

describe('a pinned range', () => {
  it('spreads names over itself, the same way for ever', () => {
    expect(pinnedAddress('a.test', '127.64.0.0/10')).toBe(pinnedAddress('A.TEST', '127.65.1.1/10'));
    expect(pinnedAddress('host-1.test', '127.64.0.0/10')).toMatchInlineSnapshot(`"127.105.94.89"`);
    expect(pinnedAddress('host-2.test', 'fd00::/8')).toMatchInlineSnapshot(`"fd00::8b22:a3f6:92a2"`);
    expect(pinnedAddress('x', '10.0.0.7/32')).toBe('10.0.0.7');
    const spread = new Set(Array.from({ length: 5000 }, (_, i) => pinnedAddress(`host-${i}.test`, '127.64.0.0/10')));
    expect(spread.size).toBeGreaterThan(4985); // 3 collisions are expected among 5,000 of 4 million
  });

  it('is never left, and its first and last address are not used', () => {
    fc.assert(
      fc.property(fc.string(), fc.ipV4(), fc.integer({ min: 8, max: 32 }), (host, base, bits) => {
        const range = parseCidr(`${base}/${bits}`)!;
        const address = parseIp(pinnedAddress(host, `${base}/${bits}`))!;
        expect(inCidr(range, address)).toBe(true);
        const offset = address.reduce((sum, byte, i) => sum * 256 + (byte - range.base[i]), 0);
        if (bits < 31) expect(offset > 0 && offset < 2 ** (32 - bits) - 1).toBe(true);
      }),
    );
  });
});

/** Without those that another test left behind: c-ares repeats what nobody answered. */
const queriesSince = (server: DnsServer, from: number) =>
  server.queries.slice(from).filter((query) => !/^(silent|nosix|garbage)\./.test(query));

describe('over the wire', () => {
  let server: DnsServer;
  let other: DnsServer;
  beforeAll(async () => {
    server = await DnsServer.start(NAMES);
    other = await DnsServer.start({
      ...NAMES,
      'half.test': { a: ['192.0.2.30'] },
      'broken.test': { a: ['192.0.2.31'] },
    });
  });
  afterAll(() => Promise.all([server.stop(), other.stop()]));
  const wired = (options: Partial<DnsResolverOptions> = {}) =>
    make({ servers: [server.address], timeoutMs: 2000, ...options });

  it('addresses come IPv4 first, with their TTL', async () => {
    const resolver = wired();
    expect(await resolver.resolve('both.test')).toEqual({
      addresses: ['192.0.2.1', '192.0.2.2', '2001:db8::1'],
      ttlMs: 600_000,
      stale: false,
      source: 'dns',
    });
    expect(addresses(await resolver.resolve('four.test'))).toEqual(['192.0.2.4']);
    expect(addresses(await resolver.resolve('six.test'))).toEqual(['2001:db8::6']);
    expect(addresses(await resolver.resolve('alias.test'))).toEqual(['192.0.2.1', '192.0.2.2', '2001:db8::1']);
    expect(addresses(await resolver.resolve('under_score.test'))).toEqual(['192.0.2.5']);
  });

  it('TTLs are held at least 5 minutes and at most a day', async () => {
    const resolver = wired();
    expect((await resolver.resolve('short.test')).ttlMs).toBe(5 * MINUTE);
    expect((await resolver.resolve('long.test')).ttlMs).toBe(DAY);
  });

  it('failures have the code of what happened', async () => {
    const resolver = wired({ timeoutMs: 600 });
    const code = async (host: string) => addresses(await resolver.resolve(host));
    expect(await code('missing.test')).toBe('dns.nxdomain');
    expect(await code('none.test')).toBe('dns.failed');
    expect(await code('broken.test')).toBe('dns.failed');
    expect(await code('refused.test')).toBe('dns.failed');
    expect(['dns.failed', 'dns.timeout']).toContain(await code('garbage.test'));
    expect(resolver.stats).toMatchObject({ failures: 5, misses: 5, hits: 0 });
  });

  it('a silent server costs the timeout, a silent family much less', async () => {
    const start = performance.now();
    expect(addresses(await wired().resolve('nosix.test'))).toEqual(['192.0.2.7']);
    expect(performance.now() - start).toBeLessThan(1800);
    const second = performance.now();
    expect(addresses(await wired({ timeoutMs: 200 }).resolve('silent.test'))).toBe('dns.timeout');
    expect(performance.now() - second).toBeLessThan(1500);
  });

  it('one answer serves all who ask at once, and all who ask later', async () => {
    const resolver = wired();
    const from = server.queries.length;
    const answers = await Promise.all(Array.from({ length: 50 }, () => resolver.resolve('slow.test')));
    expect(new Set(answers.map((answer) => addresses(answer).toString()))).toEqual(new Set(['192.0.2.8']));
    now += MINUTE;
    expect(await resolver.resolve('slow.test')).toMatchObject({ source: 'cache', stale: false, ttlMs: 4 * MINUTE });
    expect(queriesSince(server, from).sort()).toEqual(['slow.test a', 'slow.test aaaa']);
    expect(resolver.stats).toMatchObject({ misses: 1, hits: 1, pending: 0, cached: 1 });
  });

  it('an address that has moved is used after its time', async () => {
    const resolver = wired();
    server.names.set('moving.test', { a: ['127.0.0.2'] });
    expect(addresses(await resolver.resolve('moving.test'))).toEqual(['127.0.0.2']);
    server.names.set('moving.test', { a: ['127.0.0.3'] });
    now += 5 * MINUTE - 1;
    expect(addresses(await resolver.resolve('moving.test'))).toEqual(['127.0.0.2']);
    now += 1;
    expect(addresses(await resolver.resolve('moving.test'))).toEqual(['127.0.0.3']);
  });

  it('NXDOMAIN counts only when two servers agree', async () => {
    const resolver = wired({ servers: [server.address, other.address] });
    expect(addresses(await resolver.resolve('half.test'))).toEqual(['192.0.2.30']);
    expect(addresses(await resolver.resolve('missing.test'))).toBe('dns.nxdomain');
    expect(addresses(await resolver.resolve('broken.test'))).toEqual(['192.0.2.31']);
    expect(other.queries.filter((query) => query.startsWith('missing.test'))).toHaveLength(2);
  });

  it('servers take turns', async () => {
    const resolver = wired({ servers: [server.address, other.address] });
    const from = [server.queries.length, other.queries.length];
    for (const host of ['both.test', 'four.test', 'six.test', 'short.test']) await resolver.resolve(host);
    expect([queriesSince(server, from[0]).length, queriesSince(other, from[1]).length]).toEqual([4, 4]);
  });
});

describe('old answers', () => {
  /** A name whose server can be broken in the ways of `dns.promises`. */
  const flaky = () => {
    const state = { code: '', asked: 0 };
    const lookups: Lookup = (_, __, family) => {
      state.asked++;
      if (state.code) return failure(state.code);
      return family === 4 ? Promise.resolve([{ address: '192.0.2.1', ttl: 600 }]) : failure('ENODATA');
    };
    return { state, resolver: make({ lookups, servers: ['127.0.0.1', '127.0.0.2'] }) };
  };

  it('stand in for up to a day while no server answers, asked again every 5 minutes', async () => {
    for (const code of ['ETIMEOUT', 'ESERVFAIL', 'ECONNREFUSED']) {
      const { state, resolver } = flaky();
      await resolver.resolve('x.test');
      state.code = code;
      now += 10 * MINUTE;
      expect(await resolver.resolve('x.test')).toEqual({
        addresses: ['192.0.2.1'],
        ttlMs: 5 * MINUTE,
        stale: true,
        source: 'cache',
      });
      const { asked } = state;
      now += 4 * MINUTE;
      expect(await resolver.resolve('x.test')).toMatchObject({ stale: true, ttlMs: MINUTE });
      expect(state.asked).toBe(asked);
      now += DAY - 4 * MINUTE - 1;
      expect(await resolver.resolve('x.test')).toMatchObject({ stale: true, ttlMs: 1 });
      now += 1;
      expect(addresses(await resolver.resolve('x.test'))).toMatch(/^dns\.(timeout|failed)$/);
      expect(resolver.stats.stale).toBe(2);
    }
  });

  it('are fresh again with the next answer', async () => {
    const { state, resolver } = flaky();
    await resolver.resolve('x.test');
    state.code = 'ETIMEOUT';
    now += 10 * MINUTE;
    await resolver.resolve('x.test');
    state.code = '';
    now += 5 * MINUTE;
    expect(await resolver.resolve('x.test')).toMatchObject({ source: 'dns', stale: false });
    expect(await resolver.resolve('x.test')).toMatchObject({ source: 'cache', stale: false });
  });

  it('do not stand in for a name that is gone', async () => {
    const { state, resolver } = flaky();
    await resolver.resolve('x.test');
    state.code = 'ENOTFOUND';
    now += 10 * MINUTE;
    expect(await resolver.resolve('x.test')).toEqual({ code: 'dns.nxdomain', ttlMs: 5 * MINUTE, alone: false });
  });

  it('of failures are kept 5 minutes', async () => {
    const { state, resolver } = flaky();
    state.code = 'ENOTFOUND';
    await resolver.resolve('x.test');
    now += 5 * MINUTE - 1;
    expect(await resolver.resolve('x.test')).toEqual({ code: 'dns.nxdomain', ttlMs: 1, alone: false });
    state.code = '';
    now += 1;
    expect(addresses(await resolver.resolve('x.test'))).toEqual(['192.0.2.1']);
  });
});

describe('bounds', () => {
  it('at most so many hosts are looked up at once, and all get their answer', async () => {
    let running = 0;
    let most = 0;
    const lookups: Lookup = async (_, host, family) => {
      if (family === 6) return [];
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running--;
      if (host.startsWith('h7')) throw new Error('odd');
      return [{ address: '192.0.2.1', ttl: 1 }];
    };
    const resolver = make({ lookups, servers: ['127.0.0.1'], concurrency: 8 });
    const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => resolver.resolve(`h${i}.test`)));
    expect(answers.filter((answer) => 'addresses' in answer)).toHaveLength(189);
    expect(most).toBe(8);
    expect(resolver.stats.pending).toBe(0);
  });

  it('the cache keeps the hosts used last', () => {
    const cache = new DnsCache(3);
    const entry = (i: number) => ({ addresses: [`192.0.2.${i}`], code: null, expiresAt: i, staleUntil: 2 * i });
    for (let i = 1; i <= 3; i++) cache.set(`h${i}`, entry(i));
    cache.get('h1');
    cache.set('h4', { addresses: [], code: 'dns.timeout', expiresAt: 4, staleUntil: 0 });
    expect([cache.get('h1'), cache.get('h2'), cache.get('h3')]).toEqual([entry(1), null, entry(3)]);
    expect(cache.get('h4')).toEqual({ addresses: [], code: 'dns.timeout', expiresAt: 4, staleUntil: 0 });
    for (let i = 10; i < 5000; i++) cache.set(`h${i}`, entry(1));
    expect(cache.size).toBe(3);
  });

  it('an answer with a thousand addresses is cut, and junk in it dropped', async () => {
    const records = [
      { address: 'junk', ttl: 60 },
      ...Array.from({ length: 1000 }, (_, i) => ({ address: `192.0.${i >> 8}.${i & 255}`, ttl: 60 })),
    ];
    const resolver = make({
      lookups: (_, __, family) => Promise.resolve(family === 4 ? records : []),
      servers: ['127.0.0.1'],
    });
    const answer = await resolver.resolve('x.test');
    expect(addresses(answer)).toHaveLength(16);
  });

  it('no server, no answer, no rejection', async () => {
    const thrown: Lookup = () => {
      throw new Error('at once');
    };
    expect(addresses(await make({ lookups: thrown, servers: ['127.0.0.1'] }).resolve('x.test'))).toBe('dns.failed');
    const hanging: Lookup = () => new Promise(() => {});
    const resolver = make({ lookups: hanging, servers: ['127.0.0.1', '127.0.0.2', '127.0.0.3'], timeoutMs: 60 });
    const start = performance.now();
    expect(addresses(await resolver.resolve('x.test'))).toBe('dns.timeout');
    expect(performance.now() - start).toBeLessThan(1500);
  });
});
