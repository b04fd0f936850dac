/** What a page repeats, and what follows from it. */
import { describe, expect, it } from 'vitest';
import { ERROR_PAGE, type LinkRule } from '../../src/admit/duplicates.js';
import type { Lease } from '../../src/frontier/lease.js';
import { type Answer, Decisions } from '../support/decisions.js';

const MINUTE = 60_000;
const print = (n: number): string => (BigInt(n) * 0x9e3779b97f4a7c15n).toString(16).padStart(16, '0').slice(-16);
/** A few bits further. */
const near = (hex: string, bits: bigint): string => (BigInt(`0x${hex}`) ^ bits).toString(16).padStart(16, '0');

/** Crawls; pages answer as they are listed here by path, anything else with 404. */
function crawled(
  pages: Record<string, Answer>,
  options: ConstructorParameters<typeof Decisions>[0] = {},
  seeds = Object.keys(pages),
): Decisions {
  const crawl = new Decisions(options);
  for (const path of seeds) crawl.admit(`http://a.test${path}`);
  crawl.run(60 * MINUTE, (target) => pages[new URL(target).pathname] ?? { status: 404 });
  return crawl;
}

const visits = (crawl: Decisions) =>
  crawl.changes.visits.map(({ url, code, duplicateOf, near: isNear }) => {
    const path = new URL(crawl.changes.urls[url].url).pathname;
    const of = duplicateOf < 0 ? null : new URL(crawl.changes.urls[duplicateOf].url).pathname;
    return [path, code, of, isNear];
  });

describe('a page that repeats another', () => {
  it('names it: exactly where the content is the same, nearly within three bits', () => {
    const crawl = crawled({
      '/one': { content: 'one', simhash: print(1) },
      '/copy': { content: 'one', simhash: print(1) },
      '/draft': { content: 'one, nearly', simhash: near(print(1), 0b111n) },
      '/other': { content: 'something else', simhash: near(print(1), 0b1111n) },
      '/short': { content: 'short' },
    });
    expect(visits(crawl)).toEqual([
      ['/one', 'ok', null, false],
      ['/copy', 'ok', '/one', false],
      ['/draft', 'ok', '/one', true],
      ['/other', 'ok', null, false],
      ['/short', 'ok', null, false],
    ]);
  });

  it('is told apart by order when both asked before either was settled', () => {
    const crawl = new Decisions();
    const leases = ['a', 'b'].map((host) => {
      crawl.admit(`http://${host}.test/`);
      const [robots] = crawl.turn();
      crawl.answer(robots, { status: 404 });
      crawl.now += 1_000;
      return crawl.turn()[0];
    });
    const ask = (lease: Lease) => crawl.duplicates.ask(lease, { hi: 0, lo: 7 });
    expect(leases.map(ask)).toEqual([-1, -1]);
    crawl.answer(leases[0], { content: 'a', simhash: near('0'.repeat(16), 7n) });
    expect(ask(leases[1])).toBe(0);
    crawl.answer(leases[1], { content: 'b', simhash: near('0'.repeat(16), 7n) });
    expect(crawl.changes.visits.map(({ duplicateOf, near: isNear }) => [duplicateOf, isNear])).toEqual([
      [-1, false],
      [0, true],
    ]);
  });

  it('stays what its worker was told, for it has written no text', () => {
    const crawl = crawled({
      '/one': { content: 'one', simhash: print(1) },
      '/two': { content: 'two', simhash: print(2), told: { of: 0, near: true } },
    });
    expect(visits(crawl)[1]).toEqual(['/two', 'ok', '/one', true]);
  });

  it.each<[LinkRule, LinkRule, (number | null)[]]>([
    ['drop', 'demote', [null, 4]],
    ['demote', 'follow', [4, 1]],
    ['follow', 'drop', [1, null]],
  ])('has its links treated by the rules: exact %s, near %s', (exact, nearly, levels) => {
    const crawl = crawled(
      {
        '/one': { content: 'one', simhash: print(1) },
        '/copy': { content: 'one', simhash: print(1), links: ['/from-copy'] },
        '/draft': { content: 'draft', simhash: near(print(1), 1n), links: ['/from-draft'] },
      },
      { duplicates: { exact, near: nearly } },
    );
    const levelOf = (path: string) => crawl.changes.urls.find(({ url }) => url.endsWith(path))?.level ?? null;
    expect([levelOf('/from-copy'), levelOf('/from-draft')]).toEqual(levels);
  });
});

describe('a soft 404', () => {
  const sorry = { content: 'we are sorry', simhash: print(9) };

  it('is a 200 that is near to what the host answers with 404', () => {
    const crawl = crawled({
      '/missing': { ...sorry, status: 404 },
      '/lost': { ...sorry, content: 'we are sorry for /lost', simhash: near(print(9), 0b101n), links: ['/from-error'] },
      '/page': { content: 'a page', simhash: print(1) },
    });
    expect(visits(crawl)).toEqual([
      ['/missing', 'http.gone', null, false],
      ['/lost', 'http.soft404', null, false],
      ['/page', 'ok', null, false],
    ]);
    expect(crawl.changes.requests.at(-2)).toMatchObject({ code: 'http.soft404', status: 200 });
    expect(crawl.changes.urls.some(({ url }) => url.endsWith('/from-error'))).toBe(false);
  });

  it('is known to the worker before it keeps the text', () => {
    const crawl = crawled({ '/missing': { ...sorry, status: 404 }, '/page': { content: 'x' } });
    crawl.admit('http://a.test/next');
    crawl.now += MINUTE;
    const [lease] = crawl.turn();
    const ask = (hex: string) =>
      crawl.duplicates.ask(lease, {
        hi: Number.parseInt(hex.slice(0, 8), 16),
        lo: Number.parseInt(hex.slice(8), 16),
      });
    expect([ask(print(9)), ask(print(1))]).toEqual([ERROR_PAGE, -1]);
  });

  it('is never a home page, nor a seed', () => {
    const crawl = new Decisions();
    for (const path of ['/missing', '/', '/lost']) crawl.admit(`http://a.test${path}`);
    crawl.admit('http://a.test/seed', { seed: true, depth: 0 });
    crawl.run(60 * MINUTE, (target) => ({
      ...sorry,
      status: target.endsWith('/missing') || target.endsWith('/robots.txt') ? 404 : 200,
    }));
    const codes = Object.fromEntries(visits(crawl).map(([path, code]) => [path, code]));
    expect(codes).toMatchObject({ '/': 'ok', '/seed': 'ok', '/lost': 'http.soft404' });
  });

  it('is found by one probe where a host repeats itself and has shown no error page', () => {
    const paths = Array.from({ length: 30 }, (_, i) => `/item/${i}`);
    const crawl = new Decisions({ duplicates: { limits: { ratio: 0.8, window: 40 } } });
    for (const path of paths) crawl.admit(`http://a.test${path}`);
    const asked = crawl.run(60 * MINUTE, (target) => (target.endsWith('robots.txt') ? { status: 404 } : sorry));
    expect(asked.filter(({ target }) => target.endsWith('/nobody-has-this'))).toHaveLength(1);
    const codes = visits(crawl).map(([, code]) => code);
    expect(codes.filter((code) => code === 'ok').length).toBeLessThan(10);
    expect(codes.filter((code) => code === 'http.soft404').length).toBeGreaterThan(20);
    expect(crawl.changes.hostEvents.map(({ kind }) => kind)).toEqual(['probed']);
  });

  it('is not suspected where the probe is answered by an honest 404', () => {
    const paths = Array.from({ length: 30 }, (_, i) => `/item/${i}`);
    const crawl = crawled(Object.fromEntries(paths.map((path) => [path, sorry])));
    expect(visits(crawl).filter(([, code]) => code === 'http.soft404')).toEqual([]);
    expect(visits(crawl).filter(([, code]) => code === 'http.gone')).toHaveLength(1);
  });
});

describe('a host that repeats itself', () => {
  const limits = { ratio: 0.8, window: 20 };
  const copies = Array.from({ length: 40 }, (_, i) => `/copy/${i}`);
  const server = (target: string): Answer => {
    if (target.endsWith('robots.txt') || target.endsWith('/nobody-has-this')) return { status: 404 };
    return target.includes('/copy/') ? { content: 'the same', simhash: print(5) } : { content: target };
  };

  it('falls to the lowest level, is named, and is fetched to the end all the same', () => {
    const crawl = new Decisions({ duplicates: { limits } });
    for (const path of [...copies, '/good']) crawl.admit(`http://a.test${path}`);
    crawl.run(60 * MINUTE, server);
    const [probed, demoted] = crawl.changes.hostEvents;
    expect([probed.kind, demoted.kind, crawl.frontier.hosts.demoted[0]]).toEqual(['probed', 'demoted', 1]);
    expect(crawl.changes.hostEvents).toHaveLength(2);
    expect(demoted.words).toContain('more than 80% of its last 20 new pages');
    expect(crawl.frontier.urls.inState).toEqual([0, 0, 0, 42, 0]);
    expect(crawl.duplicates.report(5)).toEqual({
      suspectedTraps: [{ host: 'a.test', pages: 41, duplicates: 39 }],
      mirrors: [],
    });
  });

  it('is known after a restart as before it', () => {
    const crawl = new Decisions({ duplicates: { limits } });
    for (const path of copies.slice(0, 15)) crawl.admit(`http://a.test${path}`);
    crawl.run(60 * MINUTE, server);
    const again = new Decisions({ duplicates: { limits } });
    for (const { url } of crawl.changes.urls) again.admit(url);
    for (const path of copies) again.admit(`http://a.test${path}`);
    const pages = crawl.changes.visits.filter(({ code }) => code === 'ok');
    for (const visit of pages) again.duplicates.restore(visit);
    again.settlement.ids.visits = crawl.changes.visits.length;
    for (const event of crawl.changes.hostEvents) again.duplicates.restoreEvent(event);
    const hosts = [crawl, again].map(({ duplicates }) => [duplicates.hosts.pages(0), duplicates.hosts.duplicates(0)]);
    expect(hosts[1]).toEqual(hosts[0]);
    again.run(60 * MINUTE, server);
    expect(again.changes.hostEvents.map(({ kind }) => kind)).toEqual(['demoted']); // it is not probed again
  });
});
