/** Compiled robots rules in bounded memory: what had to leave is read again, and never stands for a permission. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RulesCache } from '../../src/admit/rules-cache.js';
import { parseRobots } from '../../src/fetch/robots.js';
import { Decisions } from '../support/decisions.js';

const FILE = 'User-agent: *\nDisallow: /private/\nCrawl-delay: 2\n';
const rulesOf = (n: number) => parseRobots(`User-agent: *\n${'Disallow: /a\n'.repeat(n)}`, 'x');

describe('the memory of rules', () => {
  test('is never over its limit by more than the rules used last, once all rows are committed', () => {
    const step = fc.record({
      what: fc.constantFrom('keep', 'use', 'fill', 'drop'),
      which: fc.nat(30),
      size: fc.nat(9),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.integer({ min: 1, max: 6_000 }), (steps, limit) => {
        const cache = new RulesCache(limit);
        const kept: ReturnType<RulesCache['keep']>[] = [];
        cache.committed(1_000);
        for (const { what, which, size } of steps) {
          if (what === 'keep' || kept.length === 0) kept.push(cache.keep(rulesOf(size), kept.length));
          const one = kept[which % kept.length];
          if (what === 'use') one.allows('/b');
          if (what === 'fill') cache.fill(one, rulesOf(size));
          if (what === 'drop') cache.drop(one);
          const loaded = kept.filter(({ isLoaded }) => isLoaded);
          expect(cache.bytes).toBe(loaded.reduce((sum, { rules }) => sum + rules!.bytes, 0));
          if (loaded.length > 1) expect(cache.bytes).toBeLessThanOrEqual(limit);
          if (what === 'fill') expect(one.isLoaded).toBe(true);
        }
      }),
      { seed: 7 },
    );
  });

  test('lets go of what was not used for longest', () => {
    const size = rulesOf(1).bytes;
    const cache = new RulesCache(3 * size);
    cache.committed(10);
    const [a, b, c] = [0, 1, 2].map((place) => cache.keep(rulesOf(1), place));
    a.allows('/');
    const d = cache.keep(rulesOf(1), 3);
    expect([a, b, c, d].map(({ isLoaded }) => isLoaded)).toEqual([true, false, true, true]);
  });

  test('keeps what no row can give back yet', () => {
    const cache = new RulesCache(1);
    const kept = [0, 1, 2].map((place) => cache.keep(rulesOf(1), place));
    expect(kept.every(({ isLoaded }) => isLoaded)).toBe(true);
    cache.committed(2);
    expect(kept.map(({ isLoaded }) => isLoaded)).toEqual([false, false, true]);
  });

  test('allows nothing by rules that are not there', () => {
    const cache = new RulesCache(1);
    const kept = cache.keep(rulesOf(0), 0);
    expect(kept.allows('/')).toBe(true);
    cache.drop(kept);
    expect(kept.allows('/')).toBe(false);
  });
});

describe('a crawl whose rules do not fit into memory', () => {
  const server = (target: string) => (target.endsWith('/robots.txt') ? { body: FILE } : { body: target });
  const HOSTS = ['a', 'b', 'c', 'd'];
  const urls = HOSTS.flatMap((host) => [0, 1, 2, 3].map((n) => `http://${host}.test/${n === 2 ? 'private/' : ''}${n}`));

  function crawl(memory: number): { crawl: Decisions; targets: string[] } {
    const crawl = new Decisions({ rulesMemory: memory });
    for (const url of urls) crawl.admit(url);
    const targets = crawl.run(3_000, server).map(({ target }) => target);
    crawl.commit();
    targets.push(...crawl.run(60_000, server).map(({ target }) => target));
    return { crawl, targets };
  }

  /** An origin whose rules are not in memory. */
  const unloaded = ({ frontier }: Decisions): string =>
    HOSTS.map((host) => `http://${host}.test`).find((name) => !frontier.robots.find(name)!.state!.rules!.isLoaded)!;

  test('reads them again, fetches the same, keeps every delay, and forbids what they forbid', () => {
    const small = crawl(1);
    const large = crawl(1e9);
    expect(large.crawl.readBack).toEqual([]);
    expect(small.crawl.readBack.length).toBeGreaterThanOrEqual(3);
    expect([...small.targets].sort()).toEqual([...large.targets].sort());
    expect(small.targets.some((target) => target.includes('private'))).toBe(false);
    expect(small.crawl.frontier.urls.inState).toEqual(large.crawl.frontier.urls.inState);
    const starts = small.crawl.changes.requests.filter(({ host }) => host === 0).map(({ started }) => started);
    for (let i = 1; i < starts.length; i++)
      expect(starts[i] - starts[i - 1]).toBeGreaterThanOrEqual(i > 1 ? 2_000 : 1_000);
    expect(small.crawl.frontier.underWay).toBe(0);
  });

  test('does not decide at admission what it would have to look up', () => {
    const { crawl: small } = crawl(1);
    const origin = unloaded(small);
    const id = small.admit(`${origin}/private/new`);
    expect(small.frontier.urls.state(id)).toBe(0);
    const targets = small.run(60_000, server).map(({ target }) => target);
    expect(targets).toEqual([]);
    expect(small.frontier.urls.state(id)).toBe(2);
  });

  test('closes an origin whose row has lost its body, until the file was fetched again', () => {
    const { crawl: small } = crawl(1);
    const origin = unloaded(small);
    small.bodyOf = () => null;
    small.admit(`${origin}/late`);
    expect(small.run(250_000, server)).toEqual([]);
    const requests = small.run(400_000, server).map(({ target }) => target);
    expect(requests).toEqual([`${origin}/robots.txt`, `${origin}/late`]);
  });

  test('asks for the rules of an origin once, and for nothing of it before they are there', () => {
    const { crawl: small } = crawl(1);
    const origin = unloaded(small);
    for (let i = 0; i < 5; i++) small.admit(`${origin}/more${i}`);
    small.now += 60_000;
    const first = small.turnWithoutRules();
    expect(first.rules.map(({ name }) => name)).toEqual([origin]);
    expect([first.leases, small.frontier.underWay]).toEqual([[], 1]);
    small.admit(`${origin}/evenmore`);
    const second = small.turnWithoutRules();
    expect([second.leases, second.rules]).toEqual([[], []]);
    small.loadRules(first.rules[0]);
    expect(small.turn().map(({ target }) => target)).toEqual([`${origin}/more0`]);
  });
});
