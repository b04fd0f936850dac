/** The web of traps, crawled: each trap ends as docs/traps.md says, and the good pages beside it are all fetched. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ExportedPage } from '../../src/corpus/pages.js';
import { SyntheticServer } from '../../src/sim/server.js';
import { WEB_RESOLVE, webAddress } from '../../src/sim/server-address.js';
import { createTrapWeb } from '../../src/sim/web-traps.js';
import { configFile, crawl, type Ran, removeScratches, type Summary, saunter, scratch } from '../support/saunter.js';

let server: SyntheticServer;
let ran: Ran & { summary: Summary };
let dir: string;
/** What was asked of each host, robots.txt left out. */
const asked = new Map<string, string[]>();
let exported: Map<string, ExportedPage>;
let hosts: Map<string, { pages: number; duplicates: number; suspectedTrap: string | null; mirrorOf: string | null }>;
let urls: { url: string; outcome: string; duplicate: string | null; duplicateOf: string | null }[];

const jsonLines = ({ out }: Ran) => out.trimEnd().split('\n').map((line) => JSON.parse(line)); // biome-ignore format: short
const of = (name: string): string[] => asked.get(`${name}.test`) ?? [];
const count = (name: string, pattern: RegExp): number => of(name).filter((target) => pattern.test(target)).length;

beforeAll(async () => {
  server = await SyntheticServer.start((port) => createTrapWeb(1, { port, addressOf: webAddress }), {
    addressOf: webAddress,
  });
  dir = join(scratch(), 'crawl');
  // made smaller, so that each guard is reached soon: 200 pages, 1,000 queries, 10,000 URLs, 64 read ahead
  const guards = { 'trap.duplicateWindow': 20, 'trap.queries': 50, budget: 120, 'frontier.lookahead': 4 };
  const config = configFile(guards);
  const flags = ['--scope', 'any', '--delay', '0', '--allow-private', '127.0.0.0/8', '--resolve', WEB_RESOLVE];
  ran = await crawl([...server.web.seeds, '--dir', dir, '--config', config, '--patience', '0', ...flags]);
  for (const { host, target } of server.log) {
    if (target !== '/robots.txt') asked.set(host, [...(asked.get(host) ?? []), target]);
  }
  exported = new Map(
    jsonLines(await saunter(['export', '--dir', dir, '--format', 'jsonl'])).map((page) => [page.url, page]),
  );
  hosts = new Map(jsonLines(await saunter(['list', 'hosts', '--dir', dir, '--json'])).map((row) => [row.host, row]));
  urls = jsonLines(await saunter(['list', 'urls', '--dir', dir, '--json']));
}, 120_000);

afterAll(async () => {
  await server.stop();
  removeScratches();
});

test('every good page beside a trap is fetched, and none of them is called a duplicate', () => {
  expect(ran.code).toBe(0);
  const good = server.web.reachable();
  expect(good.filter((url) => !exported.has(url))).toEqual([]);
  expect(good.filter((url) => exported.get(url)!.duplicateOf !== null)).toEqual([]);
  expect(good.length).toBeGreaterThan(150);
});

test('everything that is kept agrees, and a reparse finds what the crawl found', async () => {
  const verified = await saunter(['verify', '--dir', dir]);
  expect([verified.code, verified.out]).toEqual([0, expect.stringContaining('Everything agrees.')]);
  const reparsed = await saunter(['reparse', '--dir', dir, '--all']);
  expect([reparsed.code, reparsed.out]).toEqual([0, expect.stringMatching(/\b0 (are|of them|changed)|none/)]);
});

describe('repetitions', () => {
  test('a mirror is reported, with its share, and its copies have no text', async () => {
    expect(hosts.get('mirror.test')).toMatchObject({ pages: 12, duplicates: 11, mirrorOf: 'original.test' });
    expect(hosts.get('original.test')).toMatchObject({ duplicates: 0, mirrorOf: null });
    const status = await saunter(['status', '--dir', dir]);
    expect(status.out).toMatch(/^mirrors +1 {3}mirror\.test of original\.test \(11 of 12 pages\)$/m);
    expect(ran.summary.mirrors).toEqual([{ host: 'mirror.test', of: 'original.test', copies: 11, pages: 12 }]);
    const copy = [...exported.values()].find(({ url }) => url.includes('mirror.test') && url.endsWith('/article/3'))!;
    expect([copy.text, copy.duplicateOf]).toEqual(['', copy.url.replace('mirror', 'original')]);
  });

  test('near-copies are kept once, and what only they lead to is fetched all the same', () => {
    const drafts = [...exported.values()].filter(({ url }) => url.includes('/draft/'));
    const near = drafts.filter(({ duplicateOf }) => duplicateOf !== null);
    // a changed word moves a fingerprint by a bit or two, and by more than three now and then
    expect([drafts.length, near.length >= 10]).toEqual([12, true]);
    for (const { url, duplicateOf, text } of near) {
      expect([duplicateOf, text]).toEqual([url.replace('/draft/', '/story/'), '']);
    }
    const listed = urls.filter(({ duplicate, url }) => duplicate === 'near' && url.includes('drafts.test'));
    expect(listed).toHaveLength(near.length);
    expect(count('drafts', /^\/behind\//)).toBe(12);
  });

  test('soft 404s are errors where the host has shown what its error page is', () => {
    const old = urls.filter(({ url }) => url.includes('renovated.test') && url.includes('/old/'));
    // all but a few that moved by a bit more than the others
    expect(old.filter(({ outcome }) => outcome === 'http.soft404').length).toBeGreaterThan(30);
    expect(ran.summary.errors['http.soft404']).toBeGreaterThan(40);
  });

  test('soft 404s of a host that knows no error are found by one probe', () => {
    expect(count('polite', /^\/[0-9a-f]{16}\.html$/)).toBe(1);
    const gone = urls.filter(({ url }) => url.includes('polite.test') && url.includes('/gone/'));
    // how many come before the answer of the probe is a matter of the machine's speed: they are near-duplicates of the first
    expect(gone.filter(({ outcome }) => outcome === 'http.soft404').length).toBeGreaterThan(3);
    expect(gone.filter(({ outcome, duplicate }) => outcome === 'ok' && duplicate === null).length).toBeLessThan(4);
  });
});

describe('traps', () => {
  test('a calendar is a suspected trap, goes to the lowest level, and ends at the depth cap', () => {
    expect(hosts.get('calendar.test')!.suspectedTrap).toBe('trap');
    expect(ran.summary.suspectedTraps.map(({ host }) => host)).toContain('calendar.test');
    expect(count('calendar', /^\/month\//)).toBeLessThanOrEqual(2 * 16);
    expect(ran.summary.rejected.depth).toBeGreaterThan(0);
    const months = [...exported.values()].filter(({ url }) => url.includes('/month/'));
    expect(months.filter(({ text }) => text !== '').length).toBeLessThan(months.length / 3);
  });

  test('sessions in a path are one page each, whose copies wait at the lowest level and end at the budget', () => {
    expect(hosts.get('session.test')!.suspectedTrap).toBe('trap');
    expect(of('session')).toHaveLength(120);
    const kept = [...exported.values()].filter(({ url, duplicateOf }) => url.includes('/s/') && duplicateOf === null);
    expect(kept).toHaveLength(8);
  });

  test('sessions in a query cost nothing', () => {
    expect(count('cart', /^\/item\//)).toBe(8);
  });

  test('facets end at the number of queries of a path', () => {
    expect(count('facets', /^\/list\?/)).toBe(50);
    expect(ran.summary.rejected.queries).toBeGreaterThan(0);
  });

  test.each([
    ['all rows', 'off'],
    ['a checkpoint', 1],
  ])('facets end there too when the crawl is stopped and goes on, from %s', async (_, rows) => {
    const before = count('facets', /^\/list\?/);
    const at = join(scratch(), 'crawl');
    const config = configFile({ 'trap.queries': 30, 'checkpoint.rows': rows });
    const flags = ['--scope', 'host', '--delay', '0', '--allow-private', '127.0.0.0/8', '--resolve', WEB_RESOLVE];
    const seed = new URL('/', server.web.reachable().find((url) => url.includes('facets'))!).href;
    for (const pages of [10, 15, 20, 30, 100]) {
      const { code } = await crawl([seed, '--dir', at, '--config', config, '--max-pages', String(pages), ...flags]);
      expect(code).toBe(0);
    }
    const listed = jsonLines(await saunter(['list', 'urls', '--dir', at, '--json'])) as { url: string }[];
    expect(listed.filter(({ url }) => /\/list\?/.test(url))).toHaveLength(30);
    expect(before).toBe(50);
  });

  test('paths that repeat themselves end at the third time', () => {
    expect(count('folders', /^\/topics\/news\//)).toBe(3);
    expect(ran.summary.rejected.repeat).toBeGreaterThan(0);
  });

  test('a series of different pages ends at the depth cap', () => {
    expect(
      of('series')
        .filter((target) => target.startsWith('/part/'))
        .at(-1),
    ).toBe('/part/15');
  });

  test('links that grow end at the length of a URL', () => {
    expect(count('trail', /^\/way\//)).toBeLessThan(6);
    expect(ran.summary.rejected.length).toBeGreaterThan(0);
  });

  test('pages without number end at the budget of their host', () => {
    expect(of('pool')).toHaveLength(120);
    expect(ran.summary.rejected.budget).toBeGreaterThan(0);
  });
});
