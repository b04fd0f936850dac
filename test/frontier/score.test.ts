/** Priorities: the default score, what it is told, and a score of the user's that must not harm the loop. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load-config.js';
import type { CrawlOptions } from '../../src/crawl-options.js';
import { guardedScore, scoreOf } from '../../src/embedded/score-plugin.js';
import { breadthFirst, linkerBit, linkersIn, type Scored } from '../../src/frontier/score.js';
import { Decisions } from '../support/decisions.js';

const url = (facts: Partial<Scored> = {}): Scored => ({
  ...{ url: 'http://a.test/', host: 'a.test', kind: 'page', depth: 5, hostUrls: 100, linkingHosts: 0, priority: null },
  ...facts,
});

describe('the default score', () => {
  const facts = fc.record({
    kind: fc.constantFrom('page', 'sitemap'),
    depth: fc.nat(20),
    hostUrls: fc.nat(5_000),
    linkingHosts: fc.nat(140),
    priority: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  }) as fc.Arbitrary<Partial<Scored>>;

  test('is a level from 1 to 4, never worse for what is nearer, less known, more linked to, or hinted at', () => {
    fc.assert(
      fc.property(facts, facts, (one, other) => {
        const score = breadthFirst(url(one));
        expect([1, 2, 3, 4]).toContain(score);
        for (const [better, worse] of [
          [{ depth: Math.min(one.depth!, other.depth!) }, { depth: Math.max(one.depth!, other.depth!) }],
          [
            { hostUrls: Math.min(one.hostUrls!, other.hostUrls!) },
            { hostUrls: Math.max(one.hostUrls!, other.hostUrls!) },
          ],
          [
            { linkingHosts: Math.max(one.linkingHosts!, other.linkingHosts!) },
            { linkingHosts: Math.min(one.linkingHosts!, other.linkingHosts!) },
          ],
          [{ priority: 1 }, { priority: 0 }],
        ]) {
          expect(breadthFirst(url({ ...one, ...better }))).toBeLessThanOrEqual(breadthFirst(url({ ...one, ...worse })));
        }
      }),
      { seed: 6 },
    );
  });

  test.each<[Partial<Scored>, number]>([
    [{ depth: 1, hostUrls: 50 }, 1],
    [{ depth: 3, hostUrls: 50 }, 2],
    [{ depth: 9, hostUrls: 50 }, 3],
    [{ depth: 9, hostUrls: 5_000 }, 4],
    [{ depth: 9, hostUrls: 3 }, 2],
    [{ depth: 9, linkingHosts: 30 }, 2],
    [{ depth: 9, priority: 0.9 }, 2],
    [{ depth: 9, priority: 0.1 }, 4],
    [{ depth: 9, kind: 'sitemap' }, 1],
  ])('of %j is %i', (facts, level) => {
    expect(breadthFirst(url(facts))).toBe(level);
  });
});

test('linking hosts are counted within a quarter up to fifty, and never fall', () => {
  let sketch = 0;
  let before = 0;
  for (let n = 1; n <= 2_000; n++) {
    sketch |= linkerBit(n * 37);
    const counted = linkersIn(sketch);
    expect(counted).toBeGreaterThanOrEqual(before);
    before = counted;
    if (n <= 50) expect(Math.abs(counted - n)).toBeLessThanOrEqual(2 + n / 4);
  }
  expect(linkersIn(sketch)).toBeGreaterThan(100);
});

test('a score is told which URL it is about, and how many other hosts link to its own', () => {
  const told: Scored[] = [];
  const score = (facts: Scored): number => {
    told.push(facts);
    return 3;
  };
  const crawl = new Decisions({ admission: { score } });
  for (let i = 0; i < 4; i++) crawl.admit(`http://from${i}.test/`, { seed: true, level: 0, depth: 0 });
  const pages: Record<string, string[]> = {
    'http://from0.test/': ['http://to.test/a', 'http://from0.test/own'],
    'http://from1.test/': ['http://to.test/a', 'http://to.test/b'],
    'http://from2.test/': ['http://to.test/a'],
    'http://from3.test/': ['http://to.test/c'],
    'http://to.test/a': ['http://to.test/d'],
  };
  crawl.run(60_000, (target) =>
    target.endsWith('/robots.txt') ? { status: 404 } : { body: target, links: pages[target] ?? [] },
  );
  const of = (target: string) => told.find((facts) => facts.url === target);
  const place = { host: 'to.test', kind: 'page', priority: null };
  expect(of('http://to.test/a')).toMatchObject({ ...place, url: 'http://to.test/a', depth: 1 });
  const ofHost = told.filter(({ host }) => host === 'to.test');
  expect(ofHost.map(({ hostUrls }) => hostUrls)).toEqual([0, 1, 2, 3]);
  expect(ofHost.every(({ linkingHosts }) => linkingHosts >= 1 && linkingHosts <= 4)).toBe(true);
  expect(of('http://to.test/d')).toMatchObject({ ...place, depth: 2, hostUrls: 3, linkingHosts: 4 });
  expect(of('http://from0.test/own')).toMatchObject({ linkingHosts: 0 });
  const level = crawl.changes.urls.find((row) => row.url === 'http://to.test/d')!.level;
  expect([level, told.filter((facts) => facts.url === 'http://to.test/a').length]).toEqual([3, 1]);
});

describe('a score of the user', () => {
  const said: string[] = [];
  const say = (sentence: string): void => {
    said.push(sentence);
  };
  // a busy machine may keep us from a processor for longer than the 50 ms that a score has
  const ask = (score: (facts: Scored) => unknown, times = 1, longest = 10_000): number[] => {
    said.length = 0;
    const guarded = guardedScore(score as (facts: Scored) => number, say, longest);
    return Array.from({ length: times }, () => guarded(url({ depth: 9 })));
  };

  test('gives the level, rounded, from 1 to 4', () => {
    expect([0, -7, 1, 2.4, 2.6, 4, 99].map((level) => ask(() => level)[0])).toEqual([1, 1, 1, 2, 3, 4, 4]);
    expect(said).toEqual([]);
  });

  test.each<[string, (facts: Scored) => unknown, RegExp]>([
    [
      'fails',
      () => JSON.parse('{'),
      /^The score failed on http:\/\/a\.test\/ \(.+\); the default score answers for it\.$/,
    ],
    [
      'throws something odd',
      () => {
        throw null;
      },
      /^The score failed on/,
    ],
    [
      'throws what runs when it is looked at',
      () => {
        throw Object.defineProperty({}, 'message', { get: () => expect.fail('its code ran outside the watchdog') });
      },
      /^The score failed on .+ has no message/,
    ],
    [
      'throws a proxy',
      () => {
        throw new Proxy({}, { getOwnPropertyDescriptor: () => expect.fail('its code ran outside the watchdog') });
      },
      /^The score failed on .+ has no message/,
    ],
    ['gives nothing', () => undefined, /^The score gave no number for/],
    ['gives no number', () => Number.NaN, /^The score gave no number for/],
    ['promises a number', async () => 1, /^The score gave no number for/],
  ])('that %s is answered for by the default, and said once', (_, score, sentence) => {
    expect(ask(score, 5)).toEqual(new Array(5).fill(breadthFirst(url({ depth: 9 }))));
    expect(said).toEqual([expect.stringMatching(sentence)]);
  });

  test('that does not come to an end is stopped, and after three times not asked again', () => {
    let asked = 0;
    const endless = (): number => {
      asked++;
      for (;;) asked += 0;
    };
    expect(ask(endless, 50, 50)).toEqual(new Array(50).fill(3));
    expect([asked, said.length]).toEqual([3, 2]);
    expect(said[1]).toContain('is not asked again');
  });

  test('cannot change what it is told for others', () => {
    const facts = url();
    guardedScore((told) => {
      told.depth = 1;
      told.kind = 'sitemap';
      throw new Error('x');
    }, say)(facts);
    expect(facts).toEqual(url());
  });

  test('comes from the caller, from a module, or is the default', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'score-'));
    try {
      const module = (text: string): string => {
        const path = join(dir, `${Math.abs(text.length)}.mjs`);
        writeFileSync(path, text);
        return path;
      };
      const of = (file: object, more: Partial<CrawlOptions> = {}) =>
        scoreOf({ config: loadConfig(file), ...more } as CrawlOptions, { say });
      expect(await of({})).toBe(breadthFirst);
      const path = module('export default ({ host }) => (host === "a.test" ? 4 : 1);');
      expect((await of({ score: path }))(url())).toBe(4);
      expect((await of({ score: path }, { score: () => 2 }))(url())).toBe(2);
      await expect(of({ score: '/no/such.mjs' })).rejects.toThrow('names no file: /no/such.mjs does not exist.');
      await expect(of({ score: module('export const other = 1;') })).rejects.toThrow(
        'no function as its default export',
      );
      await expect(of({ score: module('not a module') })).rejects.toThrow('cannot be loaded');
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});
