import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { SegmentWriter } from '../../src/archive/segments.js';
import { noChanges } from '../../src/changes.js';
import { ArchiveReader } from '../../src/corpus/archive-reader.js';
import { EVERY_PAGE } from '../../src/corpus/page-filter.js';
import { corpusPages, type ExportedPage } from '../../src/corpus/pages.js';
import { type NewReading, type ReparseCounts, reparseAll } from '../../src/corpus/reparse.js';
import { type ReparseParts, reparse } from '../../src/corpus/reparse-stage.js';
import { segmentPaths } from '../../src/corpus/segment-paths.js';
import { openSqliteStore } from '../../src/engines/sqlite.js';
import { PARSER_VERSION, readDocument } from '../../src/parse/documents.js';
import { HeavyTypes } from '../../src/parse/stage.js';
import { MadeCrawl, type MadeVisit, START } from './made-crawl.js';

const A = 'http://a.example/';
const html = (title: string, text: string): string =>
  `<!doctype html><html lang="en"><title>${title}</title><main><p>${text}</p></main>`;
const crawls: MadeCrawl[] = [];
afterEach(() => {
  for (const { dir } of crawls.splice(0)) rmSync(dir, { recursive: true });
});

async function made(...visits: MadeVisit[]): Promise<MadeCrawl> {
  const crawl = await MadeCrawl.of(visits);
  crawls.push(crawl);
  return crawl;
}

interface Run {
  counts: ReparseCounts;
  rows: NewReading[];
}

let runs = 0;
/** As `saunter reparse` does it, in this thread. */
async function readAgain(
  crawl: MadeCrawl,
  options: { all?: boolean; parser?: number; stopAfter?: number } & Pick<
    Partial<ReparseParts>,
    'read' | 'documents'
  > = {},
): Promise<Run> {
  // biome-ignore format: short
  const store = openSqliteStore(join(crawl.dir, 'crawl.sqlite'), { create: false, reads: 'calling' });
  const epoch = await store.beginEpoch();
  const writer = new SegmentWriter({
    ...{ dir: crawl.folders.text, kind: 'text', prefix: `again-${++runs}`, info: { software: 'x/1' } },
    clock: { wall: () => START },
  });
  const parts: ReparseParts = {
    archive: new ArchiveReader(segmentPaths(store, crawl.folders)),
    ...{ text: writer, caps: { decoded: 1e7, ratio: 200, ratioFrom: 1e6 }, agent: 'saunter', shingles: 20 },
    heavy: new HeavyTypes(['x/y']),
    documents: options.documents ?? { read: async () => ({ failure: 'not here' }) },
    read: options.read,
  };
  const rows: NewReading[] = [];
  const parser = options.parser ?? PARSER_VERSION;
  const counts = await reparseAll(
    store,
    async (orders) => {
      const results = [];
      for (const order of orders) results.push(await reparse(order, parts));
      return results.map((r) => (r.facts && r.facts.parser > 0 ? { ...r, facts: { ...r.facts, parser } } : r));
    },
    async (found) => {
      rows.push(...found);
    },
    {
      all: options.all ?? false,
      parser,
      isStopped: () => rows.length >= (options.stopAfter ?? 1e9),
      onProgress: () => {},
    },
  );
  writer.close();
  const changes = noChanges();
  let segment = new Set([...store.scan('segments')].flat().map(({ id }) => id)).size;
  for (const { name, length } of writer.takeClosed()) {
    changes.segments.push({ id: segment, name, kind: 'text', at: START, closed: true, length });
    segment++;
  }
  let id = store.count('reparsed');
  for (const row of rows) {
    const text = row.text === null ? null : { ...row.text, segment: typeof row.text.segment === 'number' ? row.text.segment : segment - 1 }; // biome-ignore format: short
    changes.reparsed.push({ ...row, id: id++, at: START, text });
  }
  await store.commit({ epoch, sequence: 1, changes });
  store.close();
  return { counts, rows };
}

function exported(crawl: MadeCrawl): ExportedPage[] {
  const reader = crawl.read();
  const archive = new ArchiveReader(segmentPaths(reader, crawl.folders));
  const pages = [...corpusPages(reader, archive, { ...EVERY_PAGE, noindex: 'keep' })].map(({ page }) => page);
  reader.close();
  return pages;
}

const asCrawled = (n: number): MadeVisit => ({
  ...{ url: `${A}${n}`, body: html(`Title ${n}`, `The text of page ${n}.`), text: `The text of page ${n}.` },
  visit: { title: `Title ${n}`, language: 'en', charset: 'utf-8', links: 0 },
});

describe('reading again', () => {
  test('with the same parser changes nothing, and writes nothing', async () => {
    const crawl = await made(asCrawled(1), asCrawled(2));
    await readAgain(crawl, { all: true }); // the rows were made by hand
    const before = exported(crawl);
    expect(await readAgain(crawl)).toEqual({ counts: { read: 0, changed: 0, failed: 0 }, rows: [] });
    expect(await readAgain(crawl, { all: true })).toEqual({ counts: { read: 2, changed: 0, failed: 0 }, rows: [] });
    expect(exported(crawl)).toEqual(before);
  });

  test('with a newer parser notes its version, and keeps a text that is the same in its place', async () => {
    const crawl = await made(asCrawled(1));
    await readAgain(crawl, { all: true });
    const { counts, rows } = await readAgain(crawl, { parser: PARSER_VERSION + 1 });
    expect(counts).toEqual({ read: 1, changed: 0, failed: 0 });
    expect(rows).toMatchObject([{ visit: 0, parser: PARSER_VERSION + 1, text: { segment: expect.any(Number) } }]);
    expect(await readAgain(crawl, { parser: PARSER_VERSION + 1 })).toMatchObject({ counts: { read: 0 } });
  });

  test('of a page that was gzipped once more than its label said finds what the crawl found', async () => {
    const page = asCrawled(1);
    const crawl = await made({ ...page, body: gzipSync(page.body!) });
    await readAgain(crawl, { all: true });
    expect(exported(crawl)).toMatchObject([{ title: 'Title 1', text: 'The text of page 1.' }]);
  });

  test('with another rule shows in the export', async () => {
    const crawl = await made(asCrawled(1), asCrawled(2), { ...asCrawled(3), visit: { duplicateOf: 0 }, text: null });
    const shout: typeof readDocument = (type, input) => {
      const reading = readDocument(type, input);
      return reading && { ...reading, text: reading.text.toUpperCase(), title: `${reading.title}!` };
    };
    const { counts } = await readAgain(crawl, { parser: PARSER_VERSION + 1, read: shout });
    expect(counts).toEqual({ read: 3, changed: 3, failed: 0 });
    expect(exported(crawl).map(({ title, text, duplicateOf }) => [title, text, duplicateOf])).toEqual([
      ['Title 1!', 'THE TEXT OF PAGE 1.', null],
      ['Title 2!', 'THE TEXT OF PAGE 2.', null],
      ['Title 3!', '', `${A}1`],
    ]);
    await readAgain(crawl, { parser: PARSER_VERSION + 2 });
    expect(exported(crawl)[0]).toMatchObject({ title: 'Title 1', text: 'The text of page 1.' });
  });

  test('goes on where it stopped', async () => {
    const crawl = await made(...Array.from({ length: 700 }, (_, n) => asCrawled(n)));
    const parser = PARSER_VERSION + 1;
    const first = await readAgain(crawl, { parser, stopAfter: 1 });
    expect(first.counts.read).toBeGreaterThan(0);
    expect(first.counts.read).toBeLessThan(700);
    const second = await readAgain(crawl, { parser });
    expect(first.counts.read + second.counts.read).toBe(700);
    const visits = [...first.rows, ...second.rows].map(({ visit }) => visit);
    expect(new Set(visits).size).toBe(700);
  });

  test('keeps what was known of a page that cannot be read, and tries it again', async () => {
    const heavy = { ...asCrawled(1), contentType: 'x/y' };
    const crawl = await made(heavy, asCrawled(2));
    expect((await readAgain(crawl, { all: true })).counts).toMatchObject({ read: 1, failed: 1 });
    expect(exported(crawl)[0]).toMatchObject({ title: 'Title 1', text: 'The text of page 1.' });
    const documents = { read: async () => ({ answer: { text: 'from a handler', fields: { by: 'hand' } } }) };
    expect((await readAgain(crawl, { all: true, documents })).counts).toMatchObject({ read: 2, failed: 0 });
    expect(exported(crawl)[0]).toMatchObject({ text: 'from a handler', fields: { by: 'hand' } });
  });

  test('reads only pages that are in force', async () => {
    const old = { ...asCrawled(1), body: html('Old', 'Old.'), text: 'Old.' };
    const gone = { url: `${A}2`, visit: { code: 'http.gone' as const, contentHash: null } };
    const crawl = await made(old, asCrawled(1), asCrawled(2), gone);
    expect((await readAgain(crawl, { parser: 99 })).rows.map(({ visit }) => visit)).toEqual([1]);
  });
});

test('a record that is damaged is named', async () => {
  const crawl = await made(asCrawled(1));
  const reader = crawl.read();
  const [{ record }] = [...reader.scan('visits')][0];
  const archive = new ArchiveReader(segmentPaths(reader, crawl.folders));
  expect(() => archive.record({ ...record!, length: record!.length - 9 })).toThrow(/the archive is damaged.*verify/);
  expect(() => archive.record({ ...record!, segment: 9 })).toThrow(/not known/);
  rmSync(join(crawl.folders.warc), { recursive: true });
  expect(() => archive.record(record!)).toThrow(/is missing/);
  reader.close();
});
