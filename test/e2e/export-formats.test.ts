/** The synthetic web, crawled, and exported in every format: the same pages in each, field by field. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readRecords } from '../../src/archive/warc-reader.js';
import type { ExportedPage } from '../../src/corpus/pages.js';
import { parseCsv } from '../support/csv.js';
import { built, crawl, removeScratches, saunter, scratch } from '../support/saunter.js';

let dir: string;
let pages: ExportedPage[];
beforeAll(async () => {
  const { startDemoWeb } = await built<typeof import('../../src/sim/demo.js')>('sim/demo.js');
  const web = await startDemoWeb();
  dir = scratch();
  // without the waits: what is exported is looked at, not how it was fetched
  const flags = [
    '--scope',
    'any',
    '--delay',
    '0',
    '--patience',
    '1s',
    '--allow-private',
    '127.0.0.0/8',
    '--max-pages',
    '300',
  ];
  const { summary } = await crawl([...web.seeds, '--dir', dir, '--resolve', web.resolve, ...flags]);
  await web.stop();
  expect(summary.pages).toBe(300);
  pages = readFileSync(await exported('jsonl'), 'utf8').trim().split('\n').map((line) => JSON.parse(line)); // biome-ignore format: short
  expect(pages.length).toBeGreaterThan(200);
}, 90_000);
afterAll(removeScratches);

async function exported(format: string): Promise<string> {
  const out = join(scratch(), `pages.${format}`);
  const { code, err } = await saunter(['export', '--dir', dir, '--format', format, '--out', out]);
  expect(code, err).toBe(0);
  return out;
}

test('gzipped JSON lines', async () => {
  expect(gunzipSync(readFileSync(await exported('jsonl.gz'))).toString()).toBe(
    readFileSync(await exported('jsonl'), 'utf8'),
  );
});

test('Parquet, opened with DuckDB, types and all', async () => {
  const path = await exported('parquet');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const query = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJS();
  const types = (await query(`DESCRIBE SELECT * FROM '${path}'`)).map((row) => [row.column_name, row.column_type]);
  const text = 'VARCHAR';
  expect(types).toEqual([
    ...[['url', text], ['finalUrl', text], ['fetchedAt', 'TIMESTAMP WITH TIME ZONE'], ['status', 'INTEGER']],
    ...[['contentType', text], ['charset', text], ['language', text], ['title', text], ['text', text]],
    ...[['contentHash', text], ['simhash', text], ['depth', 'INTEGER'], ['duplicateOf', text]],
    ...[['aiPreferences', 'VARCHAR[]'], ['fields', text]],
  ]); // biome-ignore format: a table
  const rows = await query(`SELECT * FROM '${path}'`);
  expect(rows.map(({ fields, fetchedAt, ...row }) => ({ ...row, fetchedAt: (fetchedAt as Date).toISOString(), ...(fields !== null && { fields: JSON.parse(fields as string) }) }))).toEqual(pages); // biome-ignore format: short
  const [{ n }] = await query(
    `SELECT count(*) AS n FROM '${path}' WHERE fetchedAt > TIMESTAMP '2020-01-01' AND depth = 0`,
  );
  expect(Number(n)).toBe(pages.filter(({ depth }) => depth === 0).length);
  connection.closeSync();
});

test('CSV', async () => {
  const [names, ...rows] = parseCsv(readFileSync(await exported('csv'), 'utf8'));
  const cell = (value: unknown): string => {
    const words = Array.isArray(value) ? value.join('; ') : value !== null && typeof value === 'object' ? JSON.stringify(value) : String(value ?? ''); // biome-ignore format: short
    return /^[=+\-@\t\r\n]/.test(words) ? `'${words}` : words;
  };
  expect(rows).toEqual(
    pages.map((page) => names.map((name) => cell((page as unknown as Record<string, unknown>)[name]))),
  );
});

test('WET', async () => {
  const found: unknown[] = [];
  for await (const { type, url, date, block, headers } of readRecords(await exported('wet'))) {
    if (type === 'conversion')
      found.push([url, date, block.toString(), headers.get('WARC-Identified-Content-Language') ?? '']);
  }
  const wanted = pages.filter(({ text }) => text !== '');
  expect(found).toEqual(wanted.map(({ finalUrl, fetchedAt, text, language }) => [finalUrl, fetchedAt, text, language]));
});

test('Markdown', async () => {
  const folder = await exported('markdown');
  const found = new Map<string, unknown>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.md')) continue;
    const [, head, text] = /^---\n(.*?)\n---\n\n(.*)\n$/s.exec(readFileSync(join(folder, name), 'utf8'))!;
    const facts = Object.fromEntries(head.split('\n').map((line) => [line.slice(0, line.indexOf(':')), JSON.parse(line.slice(line.indexOf(':') + 1))])); // biome-ignore format: short
    found.set(facts.url, { ...facts, hasText: text !== '' });
  }
  expect(found.size).toBe(pages.length);
  for (const { text, ...page } of pages) expect(found.get(page.url)).toEqual({ ...page, hasText: text !== '' });
});
