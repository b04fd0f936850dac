import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { SegmentWriter } from '../../src/archive/segments.js';
import { readRecords } from '../../src/archive/warc-reader.js';
import { loadConfig } from '../../src/config/load-config.js';
import { ArchiveReader } from '../../src/corpus/archive-reader.js';
import type { ImportCounts } from '../../src/corpus/importer.js';
import { EVERY_PAGE } from '../../src/corpus/page-filter.js';
import { corpusPages, type ExportedPage } from '../../src/corpus/pages.js';
import { segmentPaths } from '../../src/corpus/segment-paths.js';
import { verify } from '../../src/corpus/verify.js';
import { crawlDirectory } from '../../src/embedded/directory.js';
import { importInto } from '../../src/embedded/import.js';
import { openSqliteReader } from '../../src/engines/sqlite.js';

const fixtures = new URL('../fixtures/warc/', import.meta.url).pathname;
const samples = readFileSync(`${fixtures}cases.jsonl`, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { file: string; readerError: string | null; records: { type: string; uri: string; http_status?: string }[] }); // biome-ignore format: short

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
});
function scratch(): string {
  const dir = mkdtempSync(join(tmpdir(), 'saunter-import-'));
  dirs.push(dir);
  return dir;
}

async function imported(
  dir: string,
  files: string[],
  stopAfter = Number.POSITIVE_INFINITY,
  notHosts: readonly string[] = [],
): Promise<{ counts: ImportCounts; refused: string[] }> {
  // biome-ignore format: short
  const refused: string[] = [];
  let taken = 0;
  const counts = await importInto(dir, {
    ...{ files, config: loadConfig(), userAgent: 'Saunter/1', notHosts },
    isStopped: () => taken >= stopAfter,
    onProgress: (_, records) => {
      taken = records;
    },
    onRefused: (sentence) => refused.push(sentence),
  });
  return { counts, refused };
}

function pagesOf(dir: string): ExportedPage[] {
  const paths = crawlDirectory(dir);
  const reader = openSqliteReader(paths.store);
  const archive = new ArchiveReader(segmentPaths(reader, paths));
  const pages = [...corpusPages(reader, archive, EVERY_PAGE)].map(({ page }) => page);
  reader.close();
  return pages;
}

async function faultsOf(dir: string): Promise<string[]> {
  const paths = crawlDirectory(dir);
  const reader = openSqliteReader(paths.store);
  const checks = await verify(reader, paths);
  reader.close();
  return checks.flatMap(({ examples }) => examples);
}

describe('files of other tools', () => {
  test.each(samples)('$file is taken as far as it can be read', async ({ file, readerError, records }) => {
    const dir = scratch();
    const { counts, refused } = await imported(dir, [fixtures + file]);
    expect(refused).toHaveLength(readerError === null ? 0 : 1);
    for (const sentence of refused) expect(sentence).toMatch(/^.* at offset \d+\. What is before that was imported\.$/);
    const answers = records.filter(({ type }) => type === 'response' || type === 'revisit').length;
    const skipped = Object.entries(counts.skipped).filter(([reason]) => !/^(?:metadata|request|resource|conversion) record$/.test(reason)); // biome-ignore format: short
    expect(counts.records + skipped.reduce((sum, [, count]) => sum + count, 0)).toBe(answers);
    expect(await faultsOf(dir)).toEqual([]);
    expect(pagesOf(dir)).toHaveLength(counts.pages);
  });

  test('all together are one crawl: pages are kept once, and their text is there', async () => {
    const dir = scratch();
    const { counts } = await imported(
      dir,
      samples.map(({ file }) => fixtures + file),
    );
    expect(counts.pages).toBeGreaterThan(5);
    const pages = pagesOf(dir);
    const example = pages.find(({ url }) => url === 'http://example.com/');
    expect(example).toMatchObject({ title: 'Example Domain', duplicateOf: null });
    expect(example?.text).toContain('established to be used for illustrative examples');
    expect(new Set(pages.filter(({ text }) => text !== '').map(({ contentHash }) => contentHash)).size).toBe(pages.filter(({ text }) => text !== '').length); // biome-ignore format: short
    expect(await faultsOf(dir)).toEqual([]);
    expect(readdirSync(join(dir, 'warc')).some((name) => name.endsWith('.open'))).toBe(false);
  });
});

/** A WARC of ours with these pages. */
function warc(
  dir: string,
  pages: { url: string; body: string; date?: number; head?: string; request?: string; repeats?: string }[],
): string {
  // biome-ignore format: short
  const writer = new SegmentWriter({
    ...{ dir, kind: 'warc', prefix: `made-${readdirSync(dir).length}`, info: { software: 'x/1' } },
    clock: { wall: () => 1e12 },
  });
  let name = '';
  for (const { url, body, date = 1e12, head = '', request = 'GET / HTTP/1.1\r\n\r\n', repeats } of pages) {
    const payload = gzipSync(body, { level: 1 });
    name = writer.append({
      ...{ url, address: '192.0.2.1', date, truncated: null, payload, requestHead: Buffer.from(request) },
      responseHead: Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n${head}\r\n`),
      revisit:
        repeats === undefined ? undefined : { profile: 'identical-payload-digest', refersTo: { url: repeats, date } },
    }).segment;
  }
  writer.close();
  return join(dir, name);
}
const A = 'http://a.example/';
const long = (from: number): string => Array.from({ length: 200 }, (_, i) => `word${from + i * i}`).join(' ');

describe('an import', () => {
  test('keeps the exchange as it was: request, head, payload, date, address', async () => {
    const [from, dir] = [scratch(), scratch()];
    const file = warc(from, [{ url: `${A}ü?b=1`, body: '<title>One</title>Text.' }]);
    await imported(dir, [file]);
    const read = async (path: string) => {
      const records = [];
      for await (const { type, url, date, block, headers } of readRecords(path)) {
        if (type !== 'warcinfo')
          records.push([type, url, date, headers.get('WARC-IP-Address'), block.toString('latin1')]);
      }
      return records;
    };
    const [segment] = readdirSync(join(dir, 'warc')).filter((name) => name.endsWith('.gz'));
    expect(await read(join(dir, 'warc', segment))).toEqual(await read(file));
    expect(pagesOf(dir)).toMatchObject([
      { url: `${A}%C3%BC?b=1`, title: 'One', fetchedAt: '2001-09-09T01:46:40.000Z' },
    ]);
  });

  test('that is run again takes nothing twice; a newer answer takes the place of an older one', async () => {
    const [from, dir] = [scratch(), scratch()];
    const first = warc(from, [{ url: A, body: 'Old.' }, { url: `${A}b`, body: 'B.' }]); // biome-ignore format: short
    expect((await imported(dir, [first], 1)).counts.records).toBe(1);
    expect((await imported(dir, [first])).counts).toMatchObject({
      records: 1,
      skipped: { 'not newer than what is known': 1 },
    });
    expect((await imported(dir, [warc(from, [{ url: A, body: 'New.', date: 2e12 }])])).counts.records).toBe(1);
    expect(pagesOf(dir).map(({ url, text }) => [url, text])).toEqual([[`${A}b`, 'B.'], [A, 'New.']]); // biome-ignore format: short
    expect(await faultsOf(dir)).toEqual([]);
  });

  test('takes nothing of a host that is left out: a page that repeated one of it has its own text', async () => {
    const [from, whole, rest] = [scratch(), scratch(), scratch()];
    const page = `<p>${long(3)}`;
    const pages = ['http://a.example/', 'http://www.b.example/', 'http://c.example/'].map((url) => ({
      url,
      body: page,
    }));
    const file = warc(from, [...pages.slice(1), pages[0]]);
    await imported(whole, [file]);
    expect(pagesOf(whole).map(({ text }) => text !== '')).toEqual([true, false, false]);
    const { counts } = await imported(rest, [file], undefined, ['*.b.example']);
    expect(counts).toMatchObject({ records: 2, duplicates: 1, skipped: { 'of a host that is left out': 1 } });
    expect(pagesOf(rest).map(({ url, text }) => [url, text !== ''])).toEqual([['http://c.example/', true], [A, false]]); // biome-ignore format: short
    const kept = readFileSync(crawlDirectory(rest).store, 'latin1');
    expect([kept.includes('c.example'), kept.includes('b.example')]).toEqual([true, false]);
    expect(await faultsOf(rest)).toEqual([]);
  });

  test('finds duplicates and near-duplicates, also of earlier imports', async () => {
    const [from, dir] = [scratch(), scratch()];
    const text = long(1);
    const page = (words: string): string => `<html><body><p>${words}</p></body></html>`;
    const near = page(text.replace('word1 ', 'changed '));
    await imported(dir, [warc(from, [{ url: A, body: page(text) }])]);
    const { counts } = await imported(dir, [
      warc(from, [
        ...[
          { url: `${A}same`, body: page(text) },
          { url: `${A}near`, body: near },
          { url: `${A}other`, body: page(long(7)) },
        ],
        ...[
          { url: `${A}again`, body: page(text), repeats: A },
          { url: A, body: page(text), date: 2e12, repeats: A },
        ],
        { url: `${A}lost`, body: 'what nobody has', repeats: 'http://b.example/' },
      ]),
    ]);
    expect(counts).toEqual({
      ...{ records: 4, pages: 4, duplicates: 2, nearDuplicates: 1 },
      skipped: { 'revisit of the page itself': 1, 'revisit of what is not there': 1 },
    });
    const found = pagesOf(dir).map(({ url, duplicateOf, text: words }) => [
      url.replace(A, '/'),
      duplicateOf,
      words !== '',
    ]);
    expect(found).toEqual([['/', null, true], ['/same', A, false], ['/near', A, false], ['/other', null, true], ['/again', A, false]]); // biome-ignore format: short
    expect(await faultsOf(dir)).toEqual([]);
  });

  test('passes over what is no page, and says so', async () => {
    const [from, dir] = [scratch(), scratch()];
    const { counts, refused } = await imported(dir, [
      warc(from, [
        ...[
          { url: `${A}robots.txt`, body: 'User-agent: *' },
          { url: A, body: 'x', request: 'POST / HTTP/1.1\r\n\r\n' },
        ],
        ...[
          { url: 'https://user:pw@[::1', body: 'x' },
          { url: `${A}x`, body: 'x', head: 'X-Robots-Tag: noindex\r\n' },
        ],
      ]),
      join(from, 'not-there.warc'),
      from,
    ]);
    expect(counts.records).toBe(1);
    expect(counts.skipped).toMatchObject({ 'robots.txt': 1, 'not a GET request': 1 });
    expect(Object.values(counts.skipped).reduce((a, b) => a + b)).toBe(3);
    expect(refused).toEqual([
      expect.stringContaining('there is no such file'),
      expect.stringContaining('it is a folder'),
    ]);
    expect(pagesOf(dir)).toEqual([]);
  });

  test('of something that is no archive says so, and leaves nothing', async () => {
    const dir = scratch();
    const file = join(dir, 'x.warc');
    writeFileSync(file, 'Just words.\n');
    const { counts, refused } = await imported(join(dir, 'crawl'), [file]);
    expect([counts.records, refused]).toEqual([0, [expect.stringContaining('no WARC record begins')]]);
    expect(existsSync(join(dir, 'crawl'))).toBe(false);
  });
});
