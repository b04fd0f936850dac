import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { removeScratches, root, scratch } from '../support/saunter.js';
import { links, Sites } from '../support/sites.js';

const GERMAN =
  'Die Katze liegt auf der Mauer und schaut den Vögeln zu, die im Garten nach Würmern suchen und davon nichts wissen wollen, dass sie beobachtet werden.';

let site: Sites;
/** Of `/clock`: how often it was asked. */
let asked = 0;
beforeAll(async () => {
  site = await Sites.start({
    '*': (target) => {
      if (target === '/clock') return `<title>Asked ${++asked}</title><p>${asked > 1 ? 'Later' : 'Early'}`;
      if (target === '/many/') return links(...MANY);
      if (MANY.includes(target)) return `<title>${target}</title><p>The page numbered ${target}, one of many.`;
      return SITE[target];
    },
  });
});
afterAll(async () => {
  await site.stop();
  removeScratches();
});

const MANY = Array.from({ length: 25 }, (_, i) => `/many/${i}`);
const SITE: Record<string, string | { headers: Record<string, string>; body: string }> = {
  '/docs/': `${links('/docs/one', '/docs/two', '/docs/gone?a="b"', '/docs/table.csv')}<p>Where the documentation begins.`,
  '/docs/one': '<title>One</title><h1>Chapter one</h1><p>A polite crawler waits between two requests to a host.',
  '/docs/two': `<html lang="de"><title>Zwei</title><p>${GERMAN}`,
  '/docs/table.csv': { headers: { 'Content-Type': 'text/csv' }, body: 'name,size\none,1\ntwo,2\n' },
};

/** For a crawl of this machine. */
const here = (more: Record<string, unknown> = {}): string =>
  JSON.stringify({ allowPrivate: ['127.0.0.0/8'], delay: '0ms', patience: '1s', workers: 1, ...more });

/** Runs an example as its first lines say. `until`: what it says before it is interrupted. */
const example = (name: string, args: readonly string[], until?: RegExp): Promise<string> =>
  run([join(root, 'examples', `${name}.mjs`), ...args], until);

async function run(args: readonly string[], until?: RegExp): Promise<string> {
  const child = spawn(process.execPath, args, { cwd: root });
  let said = '';
  let isOver = false;
  const hear = (text: string): void => {
    said += text;
    if (isOver || !until?.test(said)) return;
    isOver = true;
    child.kill('SIGINT');
  };
  child.stdout.setEncoding('utf8').on('data', hear);
  child.stderr.setEncoding('utf8').on('data', hear);
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect({ code, said }).toEqual({ code: 0, said: expect.any(String) });
  return said;
}

test('mirror-docs writes a Markdown file for each page', async () => {
  const folder = join(scratch(), 'mirror');
  const said = await example('mirror-docs', [site.url('127.0.0.1', '/docs/'), folder, here()]);
  expect(said).toContain('4 files in');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));
  expect(files.map((file) => readFileSync(join(folder, file), 'utf8')).join()).toContain('# Chapter one');
  await example('mirror-docs', [site.url('127.0.0.1', '/docs/'), folder, here()]); // over the last one
});

test('watch-pages tells which page changed, and stops at Ctrl-C', async () => {
  const list = join(scratch(), 'pages.txt');
  writeFileSync(list, `${site.url('127.0.0.1', '/clock')}\n${site.url('127.0.0.1', '/docs/one')}\n`);
  // shortened: an hour to the first revisit
  const options = here({ 'revisit.first': '1s', 'revisit.min': '1s' });
  const said = await example('watch-pages', [list, join(scratch(), 'watched'), options], /changed/);
  expect(said).toMatch(/watching \S+\/docs\/one: One/);
  expect(said).toMatch(/changed \S+\/clock: Asked 1 -> Asked 2/);
  expect(said).not.toMatch(/changed \S+\/docs\/one/);
});

test('parquet-corpus keeps the German page alone', async () => {
  const path = join(scratch(), 'german.parquet');
  const said = await example('parquet-corpus', [path, here(), site.url('127.0.0.1', '/docs/')]);
  expect(said).toContain('1 pages in');
  expect(readFileSync(path).subarray(0, 4).toString()).toBe('PAR1');
});

test('broken-links names the link, what is wrong and the page, and escapes what strangers wrote', async () => {
  const report = join(scratch(), 'broken.html');
  const said = await example('broken-links', [site.url('127.0.0.1', '/docs/'), report, here()]);
  expect(said).toContain('1 broken link on ');
  const html = readFileSync(report, 'utf8');
  expect(html).toContain('404 does not exist');
  expect(html).toMatch(/<td><a href="http:\/\/127\.0\.0\.1:\d+\/docs\/">/);
  expect(html).not.toMatch(/"b"/);
});

test('search-index indexes each page once over two runs, and finds it', async () => {
  const index = join(scratch(), 'index.sqlite');
  const seed = site.url('127.0.0.1', '/docs/');
  await example('search-index', [index, 'crawl', seed, here({ maxPages: 2 })]);
  expect(await example('search-index', [index, 'crawl', seed, here()])).toContain('4 pages are indexed');
  const said = await example('search-index', [index, 'search', 'polite', 'crawler']);
  expect(said).toMatch(/^One\n {2}http:\S+\/docs\/one\n {2}.*\[polite\] \[crawler\]/);
});

test('search-index that is killed goes on without losing a page, and indexes none twice', async () => {
  const index = join(scratch(), 'index.sqlite');
  const seed = site.url('127.0.0.1', '/many/');
  // shortened: 10 s that a host owes after an unclean stop
  const args = [index, 'crawl', seed, here({ delay: '40ms', 'batch.time': '50ms', 'unclean.owe': '0ms' })];
  for (const requests of [4, 9]) {
    const child = spawn(process.execPath, [join(root, 'examples/search-index.mjs'), ...args], { cwd: root });
    const over = new Promise((resolve) => child.on('close', resolve));
    const until = site.log.length + requests;
    while (site.log.length < until && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 10));
    child.kill('SIGKILL');
    await over;
  }
  expect(await example('search-index', args)).toContain(`${MANY.length + 1} pages are indexed`);
  const said = await example('search-index', [index, 'search', 'numbered']);
  expect(new Set(said.match(/http\S+/g)).size).toBe(10); // as many as it shows, each once
});

test('custom-handler gets from a table what its handler says', async () => {
  const said = await example('custom-handler', [site.url('127.0.0.1', '/docs/'), join(scratch(), 'tables'), here()]);
  expect(said).toMatch(/^Table table\.csv: 2 rows of name size at http:\S+\/docs\/table\.csv/);
});

test('the first code of docs/library.md runs as it stands', async () => {
  const [, code] = /```js\n([^`]+)```/.exec(readFileSync(join(root, 'docs/library.md'), 'utf8'))!;
  const here = code
    .replace("'saunter'", JSON.stringify(pathToFileURL(join(root, 'dist/index.js')).href))
    .replace('https://example.org/', site.url('127.0.0.1', '/docs/'))
    .replace("'my-crawl'", JSON.stringify(join(scratch(), 'my-crawl')))
    .replace("contact: 'me@example.org'", "allowPrivate: ['127.0.0.0/8'], delay: 0, patience: '1s'");
  const file = join(scratch(), 'first.mjs');
  writeFileSync(file, here);
  const said = await run([file]);
  expect(said).toContain('/docs/one One ');
  expect(said).toMatch(/\ndone 4\n$/);
});

test('every example is short, and is run here', () => {
  const tests = readFileSync(new URL(import.meta.url), 'utf8');
  for (const file of readdirSync(join(root, 'examples'))) {
    expect(readFileSync(join(root, 'examples', file), 'utf8').split('\n').length, file).toBeLessThan(60);
    if (file !== 'csv-handler.mjs') expect(tests).toContain(`example('${file.replace('.mjs', '')}'`);
  }
});
