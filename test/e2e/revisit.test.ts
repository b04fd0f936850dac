/** Pages that change at known rates, crawled by the built program with its times shortened to seconds. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { configFile, crawl, removeScratches, saunter, scratch, start } from '../support/saunter.js';
import { type Answer, type Asked, links, Sites } from '../support/sites.js';

let site: Sites;
/** Times that a target was asked. */
const times = new Map<string, number>();

const WORDS =
  'walk wander amble roam stroll ramble drift hike tramp march pace stride trek trail path road lane way'.split(' ');
/** A text of its own for each `n`. */
const story = (n: number): string =>
  Array.from({ length: 120 }, (_, i) => WORDS[(i * (n + 3) + ((i * i) % (n + 5))) % WORDS.length] + ((i + n) % 7)).join(
    ' ',
  );
const page = (n: number): string => `<!doctype html><title>${n}</title><main><p>${story(n)}</p></main>`;

function answer(target: string, { headers }: Asked): Answer | string | undefined {
  const n = times.get(target) ?? 0;
  times.set(target, n + 1);
  switch (target) {
    case '/':
      return links('/still', '/fast', '/plain', '/gone', '/moves', '/never', '/was', '/copy');
    case '/still': {
      const isSame = headers['if-none-match'] === '"still"' && headers['if-modified-since'] !== undefined;
      const validators = { ETag: '"still"', 'Last-Modified': 'Tue, 01 Dec 2026 10:00:00 GMT' };
      return isSame ? { status: 304, headers: validators } : { headers: validators, body: page(1) };
    }
    case '/fast':
      return { headers: { ETag: `"${n}"` }, body: page(100 + n) };
    case '/plain':
      return page(2);
    case '/gone':
      return n === 0 ? page(3) : undefined;
    case '/moves':
      return n === 0 ? page(4) : { status: 301, headers: { Location: '/new' } };
    case '/new':
      return page(5);
    case '/was':
      return page(n === 0 ? 6 : 7);
    case '/copy':
      return headers['if-none-match'] === '"copy"' ? { status: 304 } : { headers: { ETag: '"copy"' }, body: page(6) };
    default:
      return undefined;
  }
}

beforeAll(async () => {
  site = await Sites.start({ '127.0.0.1': answer });
});
beforeEach(() => {
  site.log.length = 0;
  times.clear();
});
afterAll(async () => {
  await site.stop();
  removeScratches();
});

const SECONDS = { 'revisit.first': '2s', 'revisit.min': '1s', 'revisit.max': '4s' };
const args = (dir: string, policy: string, config: Record<string, unknown>, duration: string): string[] => [
  ...[site.url('127.0.0.1'), '--dir', dir, '--revisit', policy, '--config', configFile(config)],
  ...['--delay', '0', '--allow-private', '127.0.0.0/8', '--max-duration', duration, '--patience', '0'],
];

/** ms between the requests of a target. */
function gaps(target: string): number[] {
  const at = site.log.filter((asked) => asked.target === target).map((asked) => asked.at);
  return at.slice(1).map((time, i) => time - at[i]);
}

/** Lines of `list visits --json`. */
async function visits(dir: string, path: string): Promise<Record<string, unknown>[]> {
  const { out } = await saunter(['list', 'visits', '--url', site.url('127.0.0.1', path), '--dir', dir, '--json']);
  return out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** The records of a crawl, decompressed. */
const warcText = (dir: string): string =>
  readdirSync(join(dir, 'warc'))
    .filter((name) => name.endsWith('.warc.gz'))
    .map((name) => gunzipSync(readFileSync(join(dir, 'warc', name))).toString('latin1'))
    .join('');

describe('a crawl that revisits', () => {
  test('adaptive: intervals double and halve within bounds, 304s are used, freshness is told, and all of it verifies', async () => {
    const dir = scratch();
    const { code, summary } = await crawl(args(dir, 'adaptive', SECONDS, '13s'));
    expect(code).toBe(0);

    // due times are whole seconds, and sweeps begin a second apart: a visit is up to 2 s late, never early
    const still = gaps('/still');
    expect(still.length).toBeGreaterThanOrEqual(2);
    for (const [i, gap] of still.entries()) expect(gap).toBeGreaterThanOrEqual(i === 0 ? 2000 : 4000);
    const fast = gaps('/fast');
    expect(fast.length).toBeGreaterThan(still.length);
    for (const [i, gap] of fast.entries()) expect(gap).toBeGreaterThanOrEqual(i === 0 ? 2000 : 1000);

    const intervals = async (path: string) => (await visits(dir, path)).map(({ interval }) => interval);
    expect((await intervals('/still')).slice(0, 3)).toEqual([2000, 4000, 4000]);
    expect((await intervals('/fast')).slice(0, 4)).toEqual([2000, 1000, 1000, 1000]);
    expect((await intervals('/gone')).slice(0, 3)).toEqual([2000, 4000, null]);
    expect(await intervals('/never')).toEqual([null]);

    const [first, second] = await visits(dir, '/still');
    expect(first).toMatchObject({ status: 200, changed: true });
    expect(second).toMatchObject({ status: 304, outcome: 'not-modified', changed: false });
    expect((await visits(dir, '/fast'))[1]).toMatchObject({ status: 200, changed: true });
    expect((await visits(dir, '/plain'))[1]).toMatchObject({ status: 200, changed: false });
    expect((await visits(dir, '/gone'))[1]).toMatchObject({ status: 404, changed: true });
    expect(times.get('/new')).toBeGreaterThanOrEqual(1);

    expect(summary.pages).toBe(9); // each page once, and /new
    expect(summary.duplicates).toBe(1);
    // a copy is a page of its own as soon as what it copied is another page, though its server says 304
    const copies = await visits(dir, '/copy');
    const statuses = copies.map(({ status }) => status);
    // at its second visit or its third: whichever comes after the other page has changed
    expect(statuses.slice(0, 3).filter((status) => status === 200)).toHaveLength(2);
    expect([statuses[0], ...statuses.slice(3)]).toEqual([200, ...statuses.slice(3).map(() => 304)]);
    expect(summary.notModified).toBe(still.length + copies.filter(({ status }) => status === 304).length);
    expect(summary.revisits).toBeGreaterThan(summary.changed);
    expect(summary.changed).toBeGreaterThanOrEqual(fast.length + 2);
    expect(summary.freshness).toBeGreaterThan(0);
    expect(summary.freshness).toBeLessThan(1);
    expect(summary.pending).toBe(0);
    expect(site.log.filter(({ target }) => target === '/robots.txt')).toHaveLength(1);

    const verified = await saunter(['verify', '--dir', dir]);
    expect([verified.code, verified.out]).toEqual([0, expect.stringContaining('Everything agrees.')]);
    const records = warcText(dir);
    expect(records.split('revisit/server-not-modified')).toHaveLength(summary.notModified + 1);
    expect(records).toContain('revisit/identical-payload-digest'); // of /plain, which has no validators
    const out = JSON.parse(
      (await saunter(['export', '--dir', dir, '--format', 'jsonl'])).out
        .split('\n')
        .find((l) => l.includes('/still",'))!,
    );
    expect(out).toMatchObject({ status: 200, text: story(1) });
  });

  test('knows its schedule after kill -9: no page is visited early, and none is forgotten', async () => {
    const dir = scratch();
    const config = { 'revisit.every': '3s', 'revisit.min': '1s', 'unclean.owe': '100ms' };
    const running = start(['crawl', ...args(dir, 'uniform', config, '60s')]);
    const targets = ['/', '/still', '/fast', '/plain', '/gone', '/moves'];
    while (!targets.every((target) => times.has(target))) await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise((resolve) => setTimeout(resolve, 1000)); // committed long before
    running.child.kill('SIGKILL');
    await running.over;
    const before = site.log.length;
    expect((await crawl(args(dir, 'uniform', config, '5s'))).code).toBe(0);
    for (const target of targets) {
      expect(gaps(target)[0]).toBeGreaterThanOrEqual(3000);
      expect(site.log.slice(before).some((asked) => asked.target === target)).toBe(true);
    }
    expect(gaps('/never')).toEqual([]);
    expect((await saunter(['verify', '--dir', dir])).code).toBe(0);
  });

  test('takes up the pages of a crawl that fetched each once, and exports what changed since', async () => {
    const dir = scratch();
    const config = { ...SECONDS, 'revisit.every': '2s', 'revisit.perDay': 1_000_000 };
    await crawl([
      site.url('127.0.0.1'),
      '--dir',
      dir,
      '--delay',
      '0',
      '--allow-private',
      '127.0.0.0/8',
      '--patience',
      '0',
    ]);
    const since = new Date().toISOString();
    const { summary } = await crawl(args(dir, 'optimal', config, '4s'));
    expect([summary.pages, summary.revisits > 0, summary.changed > 0]).toEqual([9, true, true]);
    const { out } = await saunter(['export', '--dir', dir, '--format', 'jsonl', '--changed-since', since]);
    const changed = out
      .trimEnd()
      .split('\n')
      .map((line) => new URL(JSON.parse(line).url).pathname);
    expect(changed.sort()).toEqual(['/fast', '/new', '/was']); // which of them was fetched last is a matter of time
    const one = await crawl([
      site.url('127.0.0.1'),
      '--dir',
      dir,
      '--delay',
      '0',
      '--allow-private',
      '127.0.0.0/8',
      '--patience',
      '0',
    ]);
    expect([one.code, one.summary.revisits]).toEqual([0, summary.revisits]); // without a policy it ends at once
  });
});
