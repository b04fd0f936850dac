import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { built, removeScratches, root, saunter, scratch } from '../support/saunter.js';
import { links, Sites } from '../support/sites.js';

const { createCrawler, exportPages, UserError } = await built<typeof import('../../src/index.js')>('index.js');
type CrawlerConfig = import('../../src/index.js').CrawlerConfig;
type Page = import('../../src/index.js').CrawledPage;

const PAGES = Array.from({ length: 30 }, (_, i) => `/page-${i}`);
const words = (target: string): string => `<title>${target}</title><p>The words of ${target}, which no other page has.`;

let site: Sites;
beforeAll(async () => {
  site = await Sites.start({
    '*': (target) => {
      if (target === '/') return links(...PAGES, '/hidden', '/gone');
      if (target === '/hidden') return '<meta name="robots" content="noindex"><p>Not for exports';
      return PAGES.includes(target) ? words(target) : undefined;
    },
  });
});
afterAll(async () => {
  await site.stop();
  removeScratches();
});

/** Without waiting: the delay of a crawl of this machine. */
const here = () => ({
  ...{ seeds: [site.url('127.0.0.1')], dir: scratch(), workers: '1' },
  ...{ allowPrivate: ['127.0.0.0/8'], delay: '0ms', patience: '1s' },
});

async function urlsOf(pages: AsyncIterable<Page>): Promise<string[]> {
  const urls: string[] = [];
  for await (const { url } of pages) urls.push(new URL(url).pathname);
  return urls;
}

test('the iteration gives what export gives, each page once and with its text', async () => {
  const config = here();
  const crawler = createCrawler(config);
  const pages: Page[] = [];
  for await (const page of crawler) pages.push(page);
  expect(pages).toHaveLength(31);
  expect(crawler.end).toBe('done');
  expect(crawler.summary).toMatchObject({ pages: 32, errors: { 'http.gone': expect.any(Number) } });
  const { out } = await saunter(['export', '--dir', config.dir]);
  const exported = out.trimEnd().split('\n').map((line) => JSON.parse(line) as object); // biome-ignore format: one line
  expect(pages).toEqual(exported.map((page) => ({ ...page, revisit: false, changed: true })));
  expect(pages.find(({ title }) => title === '/page-7')?.text).toContain('The words of /page-7');
});

test('rules are written as in a config file, and decide', async () => {
  const config: CrawlerConfig = {
    ...here(),
    rules: [
      { accept: { regexp: '/page-[1-5]$' } },
      { reject: { addressFamily: 6 } },
      { reject: { contentType: ['image/*'] } },
      { reject: { host: '127.0.0.1' } },
    ],
  };
  const crawler = createCrawler(config);
  expect((await urlsOf(crawler)).sort()).toEqual(['/', ...[1, 2, 3, 4, 5].map((page) => `/page-${page}`)]);
  expect(crawler.summary?.rejected.rules).toBeGreaterThan(0);
});

test('a page is given after its commit', async () => {
  const config = here();
  for await (const page of createCrawler(config)) {
    const { out } = await saunter(['export', '--dir', config.dir]);
    expect(out).toContain(`"url":"${page.url}"`);
    break;
  }
});

test('a reader that leaves stops the crawl cleanly, and the same directory goes on behind what it read', async () => {
  const config = here();
  const first: string[] = [];
  const crawler = createCrawler({ ...config, delay: '100ms' });
  for await (const { url } of crawler) {
    first.push(new URL(url).pathname);
    if (first.length === 5) break;
  }
  expect(crawler.end).toBe('stopped');
  expect(crawler.summary).not.toBeNull();
  const asked = site.log.length;
  const rest = await urlsOf(createCrawler({ ...config, from: crawler.position }));
  expect(site.log.length).toBeGreaterThan(asked);
  expect([...first, ...rest].sort()).toEqual(['/', ...PAGES].sort());
});

test('a slow reader gets every page, and the crawl does not wait for it', async () => {
  const config = here();
  const crawler = createCrawler(config);
  const urls: string[] = [];
  let end: unknown = null;
  for await (const { url } of crawler) {
    urls.push(url);
    if (urls.length > 1) continue;
    while (crawler.end === null) await new Promise((resolve) => setTimeout(resolve, 20));
    end = crawler.end; // it has ended while one page was read
  }
  expect(end).toBe('done');
  expect(urls).toHaveLength(31);
});

test('without from, a later run gives its own pages alone; with 0, all that are held', async () => {
  const config = here();
  await createCrawler({ ...config, maxPages: 10 }).run();
  const before = await urlsOf(createCrawler({ ...config, maxPages: 10 }));
  expect(before).toEqual([]);
  const all = await urlsOf(createCrawler({ ...config, from: 0 }));
  expect(all.sort()).toEqual(['/', ...PAGES].sort());
});

test('a program that forgets its iteration ends all the same, with everything durable', async () => {
  const config = here();
  const file = join(scratch(), 'forgets.mjs');
  const entrance = JSON.stringify(pathToFileURL(join(root, 'dist/index.js')).href);
  writeFileSync(
    file,
    `import { createCrawler } from ${entrance};
     await createCrawler(${JSON.stringify(config)})[Symbol.asyncIterator]().next();`,
  );
  const child = spawn(process.execPath, [file], { stdio: 'ignore' });
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
  expect((await saunter(['verify', '--dir', config.dir])).code).toBe(0);
  expect(await urlsOf(createCrawler({ ...config, from: 0 }))).toHaveLength(31);
});

test('an abort ends the iteration without an error, behind what was committed', async () => {
  const config = here();
  const abort = new AbortController();
  const crawler = createCrawler({ ...config, delay: '100ms', signal: abort.signal });
  let given = 0;
  for await (const _ of crawler) if (++given === 3) abort.abort();
  expect(crawler.end).toBe('stopped');
  expect(crawler.summary?.pages).toBeGreaterThanOrEqual(given);
  expect(crawler.summary?.pending).toBeGreaterThan(0);
});

test('what the user can mend is a UserError: at once, or from the iteration where the directory says so', async () => {
  expect(() => createCrawler({ dir: 'x', seeds: ['ftp://example.org'] })).toThrow(UserError);
  expect(() => createCrawler({ dir: 'x', seeds: ['http://a.example'], maxPage: 3 } as never)).toThrow(/nearest is/);
  expect(() => createCrawler({ dir: 'x', seeds: ['http://a.example'], admin: 8787 })).toThrow(/command line/);
  expect(() => createCrawler({ dir: join(scratch(), 'none') })).toThrow(/no seed/);
  const far = createCrawler({ dir: scratch(), seeds: ['http://example.org'] });
  await expect(urlsOf(far)).rejects.toThrow(/--contact/);
  await expect(urlsOf(far)).rejects.toThrow(/has begun already/);
});

test('the outcome hook hears how each visit ended, and which page named the URL', async () => {
  const outcomes: { url: string; code: string; linkedFrom: string | null }[] = [];
  await createCrawler({ ...here(), hooks: { outcome: (outcome) => outcomes.push(outcome) } }).run();
  expect(outcomes).toHaveLength(33);
  const gone = outcomes.filter(({ code }) => code !== 'ok');
  expect(gone).toMatchObject([
    { url: site.url('127.0.0.1', '/gone'), code: 'http.gone', status: 404, linkedFrom: site.url('127.0.0.1') },
  ]);
});

test('the fetch hook sees each request before it goes out, and what it refuses is never asked for', async () => {
  const config = here();
  const seen: string[] = [];
  const asked = site.log.length;
  const fetch = ({ url, depth }: { url: string; depth: number }) => {
    seen.push(`${depth} ${new URL(url).pathname}`);
    return !/page-2\d$/.test(url);
  };
  const crawler = createCrawler({ ...config, hooks: { fetch } });
  const urls = await urlsOf(crawler);
  expect(seen.sort()).toEqual(['0 /', ...[...PAGES, '/hidden', '/gone'].map((path) => `1 ${path}`)].sort());
  expect(urls).toHaveLength(21);
  const targets = site.log.slice(asked).map(({ target }) => target);
  expect(targets.filter((target) => /page-2\d$/.test(target))).toEqual([]);
  expect(crawler.summary).toMatchObject({ deadLetters: 10, pending: 0, errors: { 'guard.hook': 10 } });
  // no row claims a request that was not made, and the dead letters can be taken back
  expect((await saunter(['verify', '--dir', config.dir])).code).toBe(0);
  expect((await crawler.operate({ verb: 'retry' })).changed).toBe(10);
  expect((await urlsOf(createCrawler(config))).length).toBe(10);
});

test('a fetch hook that gives a promise is refused, not taken for a yes', async () => {
  const fetch = (async () => false) as never;
  await expect(urlsOf(createCrawler({ ...here(), hooks: { fetch } }))).rejects.toThrow(/gave a promise/);
});

test('a host that is blocked from the program is not asked again', async () => {
  const crawler = createCrawler({ ...here(), delay: '100ms' });
  let given = 0;
  for await (const _ of crawler) {
    if (++given === 2) await crawler.operate({ verb: 'block', host: '127.0.0.1', reason: 'its owner asked' });
  }
  expect(crawler.summary?.waiting.blocked?.urls).toBeGreaterThan(0);
  expect(crawler.summary?.pages).toBeLessThan(33);
  await crawler.operate({ verb: 'unblock', host: '127.0.0.1' });
  await expect(crawler.operate({ verb: 'unblock', host: 'never.example' })).rejects.toThrow(UserError);
});

test('a command that would steer the crawl of a program says at once that only the program can', async () => {
  const crawler = createCrawler({ ...here(), delay: '100ms' });
  let told = '';
  let waited = 0;
  for await (const _ of crawler) {
    if (told !== '') continue;
    const began = performance.now();
    const { code, err } = await saunter(['block', '127.0.0.1', '--dir', crawler.dir]);
    waited = performance.now() - began;
    told = `${code}: ${err}`;
    crawler.stop();
  }
  expect(told).toMatch(/^1: The crawl in \S+ is run by a program \(createCrawler\): only that program can ask it \(crawler\.operate\), or stop it first\.\n$/); // biome-ignore format: one sentence
  expect(waited).toBeLessThan(5_000);
});

test('what a hook throws ends the crawl, and comes out of the iteration', async () => {
  const hooks = {
    outcome: () => {
      throw new Error('no more of this');
    },
  };
  await expect(urlsOf(createCrawler({ ...here(), hooks }))).rejects.toThrow('no more of this');
});

test('a score function chooses the order', async () => {
  const score = ({ url }: { url: string }) => (url.endsWith('/page-29') ? 1 : 4);
  const urls = await urlsOf(createCrawler({ ...here(), maxPages: 8, concurrency: 1, hooks: { score } }));
  expect(urls).toContain('/page-29');
});

test('exportPages writes a file that is whole, within its filter', async () => {
  const config = here();
  await createCrawler(config).run();
  const path = join(scratch(), 'pages.jsonl');
  expect(await exportPages(config.dir, path, { format: 'jsonl', minWords: 5 })).toBe(31);
  await expect(exportPages(scratch(), path, { format: 'jsonl' })).rejects.toThrow(UserError);
});

test('a short delay is warned about once, and only where hosts beyond this machine are asked', async () => {
  const notes: string[] = [];
  const note = (sentence: string) => void notes.push(sentence);
  const hasty = { ...here(), contact: 'me@example.org', delay: '50ms', hooks: { note } };
  await createCrawler(hasty).run();
  expect(notes).toEqual([]);
  // addresses for documentation, which the guard refuses without asking
  const seeds = ['http://192.0.2.1/', 'http://192.0.2.2/'];
  await createCrawler({ ...hasty, seeds, dir: scratch(), delay: '200ms' }).run();
  expect(notes.filter((words) => words.includes('delay'))).toEqual([]);
  await createCrawler({ ...hasty, seeds, dir: scratch() }).run();
  expect(notes.filter((words) => words.includes('delay'))).toEqual([
    'A delay of 50ms is for servers of your own: others may take it for an attack, and 192.0.2.1 is not on this machine. The default is 1s.',
  ]);
});

test('a wrong address for a name is put right by another before it', async () => {
  const dir = scratch();
  const config = { ...here(), seeds: [site.url('app.test')], dir, maxPages: 1 };
  await createCrawler({ ...config, resolve: ['app.test=127.0.0.9'] }).run();
  const right = ['app.test=127.0.0.1', 'app.test=127.0.0.9'];
  await expect(createCrawler({ ...config, resolve: right.slice(0, 1) }).run()).rejects.toThrow(
    /was begun with --resolve/,
  );
  // shortened: 5 min to the next look at the robots.txt that could not be read
  const again = createCrawler({ ...config, resolve: right, 'robots.retry': '1s' });
  expect(await urlsOf(again)).toEqual(['/']);
});
