import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
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
      if (target.startsWith('/broken/')) return broken(target);
      if (target === '/failing') return { status: 500, body: 'x' };
      if (target === '/forbidden') return { status: 403, body: 'x' };
      if (target === '/moved') return { status: 301, headers: { Location: '/moved-away' } };
      if (MANY.includes(target)) return `<title>${target}</title><p>The page numbered ${target}, one of many.`;
      return SITE[target];
    },
  });
});
afterAll(async () => {
  await site.stop();
  removeScratches();
});

/** Folders of temporary crawls that others left. */
const left = readdirSync(tmpdir()).filter((name) => name.startsWith('broken-links-'));

/** A page with broken links: one is on each of thirteen, the others on `/broken/`, one is reached by a redirect. */
function broken(target: string): string {
  const more = Array.from({ length: 12 }, (_, i) => `/broken/${i}`);
  const first = ['/gone?a="b"', '/failing', '/forbidden', `http://127.0.0.2:${site.port}/`, ...more];
  const own = target === '/broken/' ? first : target === '/broken/3' ? ['/moved'] : [];
  return `${links('/everywhere', ...own)}<p>The page ${target}, with words of its own: ${target.length * 7919}.`;
}

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

/** What an example says that cannot do what it is asked for. */
const fault = (name: string, args: readonly string[]): Promise<{ code: number; said: string }> =>
  ended([join(root, 'examples', `${name}.mjs`), ...args]);

async function run(args: readonly string[], until?: RegExp): Promise<string> {
  const { code, said } = await ended(args, until);
  expect({ code, said }).toEqual({ code: 0, said: expect.any(String) });
  return said;
}

async function ended(args: readonly string[], until?: RegExp): Promise<{ code: number; said: string }> {
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
  const code = await new Promise<number>((resolve) => child.on('close', resolve));
  return { code, said };
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

test('broken-links names each link, what is wrong and every page that it is on, and escapes what strangers wrote', async () => {
  const report = join(scratch(), 'broken.html');
  const [from, dead] = [site.url('127.0.0.1', '/broken/'), `127.0.0.2:${site.port}`];
  const said = await example('broken-links', [from, report, here({ scope: 'any' })]);
  expect(said).toMatch(/^\d+ pages, \d+ to go\n/);
  expect(said).toMatch(/6 broken links on \d+ pages: /);
  const html = readFileSync(report, 'utf8');
  const row = (target: string): string =>
    html.split('<tr>').find((line) => line.startsWith(`<td><a href="${target.startsWith('h') ? target : site.url('127.0.0.1', target)}`))!; // biome-ignore format: one line
  expect(row('/gone?')).toContain('404 does not exist');
  expect(row('/forbidden')).toContain('403 was refused by the server');
  expect(row('/failing')).toContain('500 failed on the server (5xx): failing (will be tried again)');
  expect(row(`http://${dead}/`)).toMatch(/robots\.txt of its host has a server that refuses connections: failing/);
  expect(row('/moved-away')).toMatch(/, where <a [^>]*\/moved"[\s\S]*404 [\s\S]*\/broken\/3"/);
  // each of the pages that link to it, the first ten by name
  expect(row('/everywhere').match(/\/broken\/\d*"/g)).toHaveLength(10);
  expect(row('/everywhere')).toContain('and 3 more pages');
  expect(html).toContain('Not looked at: ');
  expect(html).not.toMatch(/"b"/);
});

test('broken-links keeps nothing and says why, where no page was read', async () => {
  const report = join(scratch(), 'broken.html');
  const refused = await fault('broken-links', [site.url('127.0.0.1'), report, '{"contact":"me@example.org"}']);
  expect(refused).toEqual({ code: 1, said: expect.stringMatching(/No page of \S+ was read: guard\.address; /) });
  expect(existsSync(report)).toBe(false);
  const without = await fault('broken-links', ['https://a.example/', report]);
  expect(without).toEqual({ code: 2, said: expect.stringContaining('needs --contact') });
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith('broken-links-'))).toEqual(left);
});

test.each([
  ['broken-links', [], 'URL is missing'],
  ['broken-links', ['https://a.example/'], 'REPORT is missing'],
  ['broken-links', ['https://a.example/', 'report.html', '{'], '"{" is no JSON object'],
  ['broken-links', ['https://a.example/', 'report.html', '{}', 'more'], '"more" is one argument too many'],
  ['custom-handler', [], 'URL is missing'],
  ['mirror-docs', ['https://a.example/'], 'FOLDER is missing'],
  ['parquet-corpus', ['german.parquet', '{}'], 'URL is missing'],
  ['search-index', ['index.sqlite', 'find', 'words'], '"find" is not what is expected'],
  ['search-index', ['index.sqlite', 'search'], 'WORD is missing'],
  ['watch-pages', ['no-such-file', 'watched'], 'There is no file no-such-file'],
])('%s with %j is answered with one sentence and the usage, and asks nobody', async (name, args, words) => {
  const { code, said } = await fault(name, args);
  expect(code).toBe(2);
  expect(said).toMatch(
    new RegExp(`^${words.replace(/[{]/g, '[{]')}[^\\n]* Usage: node examples/${name}\\.mjs [^\\n]+\\n$`),
  );
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
    if (file !== 'csv-handler.mjs' && file !== 'start.mjs')
      expect(tests).toContain(`example('${file.replace('.mjs', '')}'`);
  }
});
