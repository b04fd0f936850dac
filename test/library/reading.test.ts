/** What the library reads out of a crawl directory: how each URL stands, and pages with their bytes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { built, removeScratches, root, scratch } from '../support/saunter.js';
import { links, Sites } from '../support/sites.js';

const { createCrawler, readArchived, readUrls } = await built<typeof import('../../src/index.js')>('index.js');

const SAME = '<title>Twice</title><p>The very same bytes under two addresses.';
let site: Sites;
let dir: string;
beforeAll(async () => {
  site = await Sites.start({
    '*': (target) => {
      if (target === '/') return links('/one', '/two', '/hidden', '/gone', '/failing', '/forbidden', '/private', 'http://127.0.0.2:1025/'); // biome-ignore format: one line
      if (target === '/robots.txt') return 'User-agent: *\nDisallow: /private\n';
      if (target === '/one' || target === '/two') return SAME;
      if (target === '/hidden') return '<meta name="robots" content="noindex"><p>Not for exports';
      if (target === '/failing') return { status: 500 };
      if (target === '/forbidden') return { status: 403 };
      return undefined;
    },
  });
  dir = scratch();
  const options = { scope: 'any', allowPrivate: ['127.0.0.0/8'], delay: '0ms', patience: '1s', workers: '1' };
  await createCrawler({ seeds: [site.url('127.0.0.1')], dir, ...options }).run();
});
afterAll(async () => {
  await site.stop();
  removeScratches();
});

test('each URL is read with its state and with what went wrong, also what will be tried again', async () => {
  const found: Record<string, unknown> = {};
  const home = site.url('127.0.0.1');
  const count = await readUrls(dir, ({ url, state, code, status, words, wait, linkedFrom }) => {
    expect(linkedFrom).toBe(url === home ? null : home);
    expect(words === '').toBe(code === null);
    found[url.startsWith(home) ? url.slice(home.length - 1) : 'elsewhere'] = [state, code, status, wait];
  });
  expect(count).toBe(9);
  expect(found).toEqual({
    ...{ '/': ['done', 'ok', 200, null], '/one': ['done', 'ok', 200, null], '/two': ['done', 'ok', 200, null] },
    ...{ '/hidden': ['done', 'ok', 200, null], '/gone': ['done', 'http.gone', 404, null] },
    '/forbidden': ['done', 'http.client', 403, null],
    ...{ '/failing': ['pending', 'http.server', 500, null] },
    ...{ '/private': ['denied', null, 0, null], elsewhere: ['pending', 'connect.refused', 0, 'robots'] },
  });
});

test('each page is read with its bytes, also one that came before under another address, and one that asks not to be indexed', async () => {
  const bodies: Record<string, string> = {};
  const count = await readArchived(dir, ({ url, finalUrl, contentType, body }) => {
    expect([finalUrl, contentType]).toEqual([url, expect.stringContaining('text/html')]);
    bodies[new URL(url).pathname] = Buffer.from(body).toString();
  });
  expect(count).toBe(4);
  expect(bodies).toMatchObject({ '/one': SAME, '/two': SAME, '/hidden': expect.stringContaining('Not for exports') });
});

test('the query of docs/queries.md for broken links finds what is refused and what will be tried again', () => {
  const page = readFileSync(join(root, 'docs/queries.md'), 'utf8');
  const [, sql] = /^### Which links are broken[\s\S]*?```sql\n([\s\S]*?)```/m.exec(page)!;
  const db = new DatabaseSync(join(dir, 'crawl.sqlite'), { readOnly: true });
  const rows = db.prepare(sql).all() as Record<string, unknown>[];
  db.close();
  const found = rows.map(({ broken, status, code, state }) => [new URL(String(broken)).pathname, status, code, state]);
  expect(found.sort()).toEqual([
    ['/failing', 500, 'http.server', 'failing'],
    ['/forbidden', 403, 'http.client', 'broken'],
    ['/gone', 404, 'http.gone', 'broken'],
  ]);
});
