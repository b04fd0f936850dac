import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRecords } from '../../src/archive/warc-reader.js';
import { type ExportFormat, type ExportOptions, exportInto, exportTo } from '../../src/corpus/export.js';
import { filePath } from '../../src/corpus/markdown-files.js';
import { EVERY_PAGE, type PageFilter } from '../../src/corpus/page-filter.js';
import type { ExportedPage } from '../../src/corpus/pages.js';
import { UserError } from '../../src/errors.js';
import { parseCsv } from '../support/csv.js';
import { MadeCrawl, START } from './made-crawl.js';

const A = 'http://a.example/';
const html = (title: string, text: string): string =>
  `<!doctype html><html lang="en"><title>${title}</title><main><h1>${title}</h1><p>${text}</p></main>`;
const FORMULA = '=HYPERLINK("http://evil.example";"click, me")\r\n+1';

let made: MadeCrawl;
let out: string;
beforeAll(async () => {
  out = mkdtempSync(join(tmpdir(), 'saunter-export-'));
  made = new MadeCrawl();
  made.visit({ url: A, body: html('One', 'First text.'), text: 'One\nFirst text.', visit: { title: 'One' } });
  made.visit({ url: `${A}de`, body: 'x', text: 'Ein Satz.', visit: { language: 'de-AT', title: FORMULA } });
  made.visit({ url: `${A}hidden`, body: 'y', text: 'Hidden.', visit: { index: false } });
  made.visit({ url: `${A}twin`, body: html('One', 'First text.'), visit: { duplicateOf: 0, title: '' } });
  made.visit({ url: 'http://b.a.example/', body: 'z', text: '漢字 words', visit: { aiPreferences: '["noai"]' } });
  // a page that changed, one that came again unchanged, one that is gone, one that moved, one that failed once
  for (const text of ['Old.', 'New.']) made.visit({ url: `${A}changes`, body: text, text });
  made.visit({ url: `${A}same`, body: 'same', text: 'Same.', visit: { changed: true } });
  made.visit({ url: `${A}same`, body: 'same', visit: { changed: false } });
  made.visit({ url: `${A}gone`, body: 'g', text: 'Gone.' });
  made.visit({ url: `${A}gone`, visit: { code: 'http.gone', status: 404, contentHash: null } });
  made.visit({ url: `${A}moved`, body: 'm', text: 'Moved.' });
  made.visit({ url: `${A}moved`, visit: { code: 'redirect', status: 301, contentHash: null } });
  made.visit({ url: `${A}flaky`, body: 'f', text: 'Flaky.', visit: { fields: '{"author":"Ada"}' } });
  made.visit({ url: `${A}flaky`, visit: { code: 'not-modified', status: 304, contentHash: null } });
  made.visit({ url: `${A}sitemap.xml`, body: '<urlset/>', visit: { kind: 'sitemap' } });
  await made.close();
});
afterAll(() => {
  rmSync(made.dir, { recursive: true });
  rmSync(out, { recursive: true });
});

const options = (format: ExportFormat, filter: Partial<PageFilter> = {}): ExportOptions => ({
  ...{ format, software: 'Saunter/1', now: START, isStopped: () => false, onProgress: () => {} },
  filter: { ...EVERY_PAGE, ...filter },
});

async function exported(filter: Partial<PageFilter> = {}, crawl = made): Promise<ExportedPage[]> {
  const reader = crawl.read();
  let text = '';
  const write = async (bytes: string | Uint8Array): Promise<void> => {
    text += String(bytes);
  };
  await exportInto({ write }, reader, crawl.folders, options('jsonl', filter));
  reader.close();
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as ExportedPage);
}

async function exportFile(format: ExportFormat, name: string, over: Partial<ExportOptions> = {}) {
  const reader = made.read();
  const path = join(out, name);
  try {
    return { path, pages: await exportTo(path, reader, made.folders, { ...options(format), ...over }) };
  } finally {
    reader.close();
  }
}

const paths = (pages: readonly ExportedPage[]): string[] => pages.map(({ url }) => url.replace(A, ''));

describe('the pages', () => {
  test('have the fields of the design, in its order', async () => {
    const [first] = await exported();
    expect(Object.keys(first)).toEqual([
      ...['url', 'finalUrl', 'fetchedAt', 'status', 'contentType', 'charset', 'language', 'title', 'text'],
      ...['contentHash', 'simhash', 'depth', 'duplicateOf', 'aiPreferences'],
    ]);
    expect(first).toMatchObject({ url: A, finalUrl: A, fetchedAt: '2026-01-01T00:00:00.000Z', status: 200 });
    expect(first).toMatchObject({ title: 'One', text: 'One\nFirst text.', duplicateOf: null, aiPreferences: [] });
    expect(first.contentHash).toMatch(/^[0-9a-f]{64}$/);
  });

  test('are one for each URL that has one, in the order in which they were fetched', async () => {
    const pages = await exported();
    expect(paths(pages)).toEqual(['', 'de', 'twin', 'http://b.a.example/', 'changes', 'same', 'flaky']);
    expect(pages.map(({ text }) => text).slice(4)).toEqual(['New.', 'Same.', 'Flaky.']);
    expect(pages[2]).toMatchObject({ duplicateOf: A, text: '' });
    expect(pages[6].fields).toEqual({ author: 'Ada' });
  });

  const filters: [string, Partial<PageFilter>, string[]][] = [
    ['language', { languages: ['de'] }, ['de']],
    ['language, exact', { languages: ['de-AT'] }, ['de']],
    ['language, another region', { languages: ['de-CH'] }, []],
    ['words', { minWords: 3 }, ['', 'http://b.a.example/']],
    ['no duplicates', { duplicates: 'drop', minWords: 0, languages: ['en'], hosts: ['a.example'] }, ['', 'changes', 'same', 'flaky']], // biome-ignore format: a table
    ['noindex kept', { noindex: 'keep', hosts: ['a.example'], languages: ['en'], minWords: 1 }, ['', 'hidden', 'changes', 'same', 'flaky']], // biome-ignore format: a table
    ['objections to AI', { aiPreference: 'drop', hosts: ['b.a.example'] }, []],
    ['any preference', { aiPreference: 'only' }, ['http://b.a.example/']],
    ['host', { hosts: ['B.a.example'] }, ['http://b.a.example/']],
    ['hosts below', { hosts: ['*.a.example'] }, ['http://b.a.example/']],
    ['not a host', { notHosts: ['A.example'] }, ['http://b.a.example/']],
    ['not the hosts below', { notHosts: ['*.a.example'], minWords: 3 }, ['']],
    ['a host, but not those below', { hosts: ['a.example', '*.a.example'], notHosts: ['b.a.example'], minWords: 3 }, ['']], // biome-ignore format: a table
    ['since', { since: START + 6000 }, ['changes', 'same', 'flaky']],
    ['changed since', { changedSince: START + 7500 }, ['flaky']],
  ];
  test.each(filters)('are filtered: %s', async (_, filter, wanted) => {
    expect(paths(await exported(filter))).toEqual(wanted);
  });

  test.each([
    ['["content-usage: train-ai=n, search=y"]', true],
    ['["content-signal: search=yes,ai-train=no"]', true],
    ['["tdm-reservation=1"]', true],
    ['["noimageai","tdm-policy=http://a.example/p"]', false],
    ['["content-signal: ai-train=yes"]', false],
    ['["content-usage: train-ai=none-of-it"]', false],
  ])('of %s object: %s', async (aiPreferences, objects) => {
    const crawl = await MadeCrawl.of([{ url: A, body: 'x', text: 'x', visit: { aiPreferences } }]);
    expect(await exported({ aiPreference: 'drop' }, crawl)).toHaveLength(objects ? 0 : 1);
    rmSync(crawl.dir, { recursive: true });
  });
});

describe('formats', () => {
  test('JSON lines, plain and gzipped, are what standard output gets', async () => {
    const wanted = await exported();
    const plain = await exportFile('jsonl', 'pages.jsonl');
    const gzipped = await exportFile('jsonl.gz', 'pages.jsonl.gz');
    expect([plain.pages, gzipped.pages]).toEqual([wanted.length, wanted.length]);
    const text = readFileSync(plain.path, 'utf8');
    expect(gunzipSync(readFileSync(gzipped.path)).toString()).toBe(text);
    expect(text.trimEnd().split('\n').map((line) => JSON.parse(line))).toEqual(wanted); // biome-ignore format: short
  });

  test('CSV holds the same, and no cell is a formula', async () => {
    const { path } = await exportFile('csv', 'pages.csv');
    const [names, ...rows] = parseCsv(readFileSync(path, 'utf8'));
    const wanted = await exported();
    expect(rows).toHaveLength(wanted.length);
    for (const [i, row] of rows.entries()) {
      for (const cell of row) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
      const page = wanted[i] as unknown as Record<string, unknown>;
      const asText = (value: unknown): string =>
        Array.isArray(value) ? value.join('; ') : typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? ''); // biome-ignore format: short
      for (const [column, name] of names.entries()) {
        expect(row[column].replace(/^'(?=[=+\-@\t\r])/, '')).toBe(asText(page[name]));
      }
    }
    expect(rows[1][names.indexOf('title')]).toBe(`'${FORMULA}`);
  });

  test('WET holds the text of each page that has one', async () => {
    const { path } = await exportFile('wet', 'pages.warc.wet.gz');
    const records = [];
    for await (const record of readRecords(path)) records.push(record);
    const wanted = (await exported()).filter(({ text }) => text !== '');
    expect(records.map(({ type }) => type)).toEqual(['warcinfo', ...wanted.map(() => 'conversion')]);
    expect(records.slice(1).map(({ url, block }) => [url, block.toString()])).toEqual(
      wanted.map(({ url, text }) => [url, text]),
    );
    for (const record of records.slice(1)) {
      expect(record.headers.get('WARC-Refers-To')).toMatch(/^<urn:uuid:/);
      expect(record.contentType).toMatch(/^text\/plain/);
    }
  });

  test('Markdown: a folder for each host, a file for each page, its facts as front matter', async () => {
    const { path } = await exportFile('markdown', 'pages');
    const files = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
    const wanted = await exported();
    const found = new Map<string, { facts: Record<string, unknown>; text: string }>();
    for (const name of files) {
      const [, head, text] = /^---\n(.*?)\n---\n\n(.*)\n$/s.exec(readFileSync(join(path, name), 'utf8'))!;
      const facts = Object.fromEntries(
        head
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), JSON.parse(line.slice(line.indexOf(':') + 1))]),
      );
      expect(name.replaceAll('\\', '/').startsWith(`${new URL(facts.url as string).hostname}/`)).toBe(true);
      found.set(facts.url as string, { facts, text });
    }
    expect(found.size).toBe(wanted.length);
    for (const { text, ...page } of wanted) expect(found.get(page.url)!.facts).toEqual(page);
    expect(found.get(A)!.text).toBe('# One\n\nFirst text.');
  });
});

test('links in Markdown lead from file to file where there is one, by the normal form, and are absolute elsewhere', async () => {
  const linked = new MadeCrawl();
  const words = 'Enough words for a paragraph that is taken for the main text of this page, and some more.';
  const hrefs = ['/two/?utm_source=x#part', 'http://b.example/three', '/not-there', '/one'];
  const paragraph = `${words} ${hrefs.map((href, i) => `<a href="${href}">link ${i}</a>`).join(' and ')}`;
  linked.visit({ url: `${A}one`, body: html('One', paragraph), text: words });
  linked.visit({ url: `${A}two/`, body: html('Two', `${words} <a href="../one">back</a>`), text: words });
  linked.visit({
    url: 'http://b.example/three',
    body: html('Three', `${words} <a href="${A}two">up</a>`),
    text: words,
  });
  await linked.close();
  const reader = linked.read();
  const path = join(out, 'linked');
  await exportTo(path, reader, linked.folders, options('markdown'));
  reader.close();
  const [one, two, three] = [`${A}one`, `${A}two/`, 'http://b.example/three'].map((url) => filePath(url));
  const linksOf = ([folder, name]: [string, string]) =>
    [...readFileSync(join(path, folder, name), 'utf8').matchAll(/\]\((.*?)\)/g)].map(([, target]) => target);
  expect(linksOf(one)).toEqual([`${two[1]}#part`, `../${three.join('/')}`, `${A}not-there`, one[1]]);
  expect(linksOf(two)).toEqual([one[1]]);
  expect(linksOf(three)).toEqual([`../${two.join('/')}`]);
  rmSync(linked.dir, { recursive: true });
});

describe('a mirror in Markdown', () => {
  const read = (path: string, url: string): string => readFileSync(join(path, ...filePath(url)), 'utf8');

  test('a page that repeats another leads to its file', async () => {
    const { path } = await exportFile('markdown', 'twins');
    expect(read(path, `${A}twin`)).toMatch(new RegExp(`\\n\\nThe same as \\[${A}\\]\\(${filePath(A)[1]}\\)\\.\\n$`));
  });

  test('a page that is nearly another has its own text in a mirror of whole pages', async () => {
    const { path } = await exportFile('markdown', 'near', { markdown: { text: 'whole', frontMatter: 'full' } });
    expect(read(path, `${A}twin`)).toMatch(/\n\n# One\n\nFirst text\.\n$/);
  });

  test('lean front matter says what the page is, and no more', async () => {
    const { path } = await exportFile('markdown', 'lean', { markdown: { text: 'whole', frontMatter: 'lean' } });
    const [, head] = /^---\n(.*?)\n---\n/s.exec(read(path, A))!;
    expect(head.replace(/fetchedAt: ".*?"/, 'fetchedAt')).toBe(`title: "One"\nurl: "${A}"\nfetchedAt\nlanguage: "en"`);
  });

  test('is replaced by the next one, once that is whole', async () => {
    const { path } = await exportFile('markdown', 'mirror');
    const before = join(path, 'a.example', 'gone-0123456789.md');
    writeFileSync(before, 'of a page that is gone');
    expect((await exportFile('markdown', 'mirror', { replaces: true, isStopped: () => true })).pages).toBeNull();
    expect(existsSync(before)).toBe(true);
    expect((await exportFile('markdown', 'mirror', { replaces: true })).pages).toBeGreaterThan(5);
    expect([existsSync(before), existsSync(join(path, ...filePath(A)))]).toEqual([false, true]);
    expect(readdirSync(out).filter((name) => name.startsWith('mirror'))).toEqual(['mirror']);
    expect(readdirSync(path)).toEqual(['a.example', 'b.a.example']);
  });

  test.each(['notes.md', 'a.example/notes.md', 'a.example/more/'])(
    'is not replaced where %s is of somebody else',
    async (file) => {
      const { path } = await exportFile('markdown', `mixed-${file.replaceAll('/', '_')}`);
      if (file.endsWith('/')) mkdirSync(join(path, file));
      else writeFileSync(join(path, file), 'mine');
      await expect(exportFile('markdown', path.slice(out.length + 1), { replaces: true })).rejects.toThrow(/no export wrote its /); // biome-ignore format: one line
      expect(existsSync(join(path, file))).toBe(true);
    },
  );
});

describe('an export that does not come to its end', () => {
  test.each(['jsonl', 'jsonl.gz', 'parquet', 'csv', 'wet', 'markdown'] as const)(
    'as %s leaves nothing',
    async (format) => {
      let asked = 0;
      const { pages } = await exportFile(format, `stopped-${format}`, { isStopped: () => ++asked > 3 });
      expect(pages).toBeNull();
      expect(readdirSync(out).filter((name) => name.startsWith('stopped'))).toEqual([]);
    },
  );

  test('leaves the file that was there', async () => {
    writeFileSync(join(out, 'before.jsonl'), 'before');
    await exportFile('jsonl', 'before.jsonl', { isStopped: () => true });
    expect(readFileSync(join(out, 'before.jsonl'), 'utf8')).toBe('before');
    await exportFile('jsonl', 'before.jsonl');
    expect(readFileSync(join(out, 'before.jsonl'), 'utf8')).toContain('First text.');
  });

  test("says why, and removes nobody else's folder", async () => {
    await expect(exportFile('jsonl', 'no/such/folder.jsonl')).rejects.toThrow(UserError);
    await expect(exportFile('jsonl.gz', 'no/such/folder.jsonl.gz')).rejects.toThrow(
      /folder\.jsonl\.gz cannot be written/,
    );
    await exportFile('markdown', 'kept');
    await expect(exportFile('markdown', 'kept')).rejects.toThrow(/is not empty/);
    await exportFile('markdown', 'mine.part');
    await expect(exportFile('markdown', 'mine')).rejects.toThrow(/is in the way/);
    expect(existsSync(join(out, 'mine.part'))).toBe(true);
  });
});
