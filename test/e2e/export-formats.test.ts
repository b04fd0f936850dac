/** The synthetic web, crawled, and exported in every format: the same pages in each, field by field. Its store and its
 * Parquet file answer the queries of docs/queries.md. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRecords } from '../../src/archive/warc-reader.js';
import type { ExportedPage } from '../../src/corpus/pages.js';
import { parseCsv } from '../support/csv.js';
import { built, crawl, removeScratches, root, saunter, scratch } from '../support/saunter.js';

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

test('an export without a page says so, whether or not somebody looks', async () => {
  const { code, out, err } = await saunter(['export', '--dir', dir, '--host', 'nowhere.test']);
  expect([code, out, err]).toEqual([
    0,
    '',
    expect.stringMatching(/^No page was exported: --\S+ \S+ left out all \S+ pages\.\n$/),
  ]);
  for (const format of ['jsonl', 'jsonl.gz', 'parquet', 'markdown']) {
    const path = join(scratch(), `none.${format}`);
    const ran = await saunter(['export', dir, '--host', 'nowhere.test', '--format', format, '--out', path]);
    expect([ran.code, ran.err], format).toEqual([0, expect.stringContaining(` pages. ${path} was not written.`)]);
    expect(existsSync(path)).toBe(false);
  }
});

test('gzipped JSON lines', async () => {
  expect(gunzipSync(readFileSync(await exported('jsonl.gz'))).toString()).toBe(
    readFileSync(await exported('jsonl'), 'utf8'),
  );
});

let parquetFile: Promise<string> | undefined;
const parquet = (): Promise<string> => (parquetFile ??= exported('parquet'));

test('Parquet, opened with DuckDB, types and all', async () => {
  const path = await parquet();
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
  for (const { text, ...page } of pages)
    expect(found.get(page.url)).toEqual({ ...page, hasText: text !== '' || page.duplicateOf !== null });
});

describe('docs/queries.md', () => {
  type Row = Record<string, unknown>;
  const page = readFileSync(join(root, 'docs/queries.md'), 'utf8');
  const queries = new Map(
    [...page.matchAll(/^### (.*)$((?:(?!^###? )[\s\S])*?)```sql\n([\s\S]*?)```/gm)].map(([, question, , sql]) => [
      question,
      sql,
    ]),
  );
  const sum = (rows: readonly Row[], column: string): number => rows.reduce((n, row) => n + Number(row[column]), 0);
  const column = (rows: readonly Row[], name: string): unknown[] => rows.map((row) => row[name]);
  const hosts = (): Set<string> => new Set(pages.map(({ url }) => new URL(url).host));

  /** By the question: what its answer has to be, by what other commands of the program say. */
  const ANSWERS: Record<string, (rows: Row[]) => void | Promise<void>> = {
    'What has become of the known URLs?': async (rows) => {
      const { known } = JSON.parse((await saunter(['status', '--dir', dir, '--json'])).out) as { known: number };
      expect(sum(rows, 'urls')).toBe(known);
      expect(column(rows, 'code')).toEqual(expect.arrayContaining([null, 'ok', 'http.gone', 'redirect']));
    },
    'Which links are broken, and on which page?': (all) => {
      const rows = all.filter(({ code, state }) => code !== 'http.throttled' || state !== 'failing');
      expect(rows.length).toBeGreaterThan(5);
      for (const { broken, status, code, state, linked_from } of rows) {
        expect([status, code, state, broken]).toEqual([404, 'http.gone', 'broken', expect.stringMatching(/\/lost$/)]);
        expect(linked_from).toBe(new URL('/', String(broken)).href);
      }
    },
    'Which pages have the same content?': (rows) => {
      expect(rows.map(({ copy, original }) => [copy, original]).sort()).toEqual(
        pages
          .filter(({ duplicateOf }) => duplicateOf !== null)
          .map(({ url, duplicateOf }) => [url, duplicateOf])
          .sort(),
      );
      expect(rows.length).toBeGreaterThan(0);
    },
    'Where do redirects lead?': async (all) => {
      const { out } = await saunter(['list', 'visits', '--dir', dir, '--json']);
      const redirects = out.trim().split('\n').map((line) => JSON.parse(line) as Row).filter(({ outcome }) => outcome === 'redirect'); // biome-ignore format: short
      expect(column(all, 'moved')).toEqual(column(redirects, 'url').sort());
      for (const { moved, target } of all) {
        const { out: head } = await saunter(['show', String(moved), '--dir', dir, '--head']);
        const [, location] = /^location: *(.*)$/im.exec(head)!;
        if (target !== null) expect(new URL(location, String(moved)).href).toBe(target);
      }
      const rows = all.filter(({ target }) => target !== null);
      const found = rows.map(({ moved, target }) => [moved, target].map((url) => new URL(String(url)).pathname));
      expect(found.length).toBeGreaterThan(0);
      const known = ['/chain-1 /chain-2', '/loop-1 /loop-2', '/away /article/3', '/chain-2 /chain-3', '/chain-3 /chain-end', '/for-good /new-place']; // biome-ignore format: short
      expect(known).toEqual(expect.arrayContaining(found.map((pair) => pair.join(' '))));
    },
    'How fast are the hosts, and how close did requests to them come?': (rows) => {
      expect(rows).toHaveLength(20);
      expect(Number(rows.find(({ host }) => host === 'slow.test')?.mean_ms)).toBeGreaterThanOrEqual(300);
      expect(
        Math.min(
          ...column(rows, 'gap_ms')
            .filter((gap) => gap !== null)
            .map(Number),
        ),
      ).toBeGreaterThanOrEqual(0);
    },
    'What does robots.txt keep us from?': (rows) => {
      expect(rows.find(({ host }) => host === 'closed.test')).toMatchObject({ urls: expect.any(Number) });
      expect(String(rows.find(({ host }) => host === 'harbour.test')?.example)).toMatch(/\/private\/|print=/);
    },
    'Where in the archive is a page?': async (rows) => {
      expect(rows).toHaveLength(5);
      for (const { url, file, record_offset: at, record_length: length } of rows) {
        const bytes = readFileSync(join(dir, 'warc', String(file))).subarray(Number(at), Number(at) + Number(length));
        const [, target] = /\r\nWARC-Target-URI: (\S+)\r\n/.exec(gunzipSync(bytes).toString('latin1'))!;
        // `/guide` redirects to `/guide/`, which has the same key: it is followed in place, and the row keeps its spelling
        const isRedirected = String(url).endsWith('/guide');
        expect(target).toBe(isRedirected ? `${url}/` : url);
      }
    },
    'How much text is there, in which language?': (rows) => {
      expect(sum(rows, 'pages')).toBe(pages.filter(({ text }) => text !== '').length);
      expect(column(rows, 'language')).toEqual(expect.arrayContaining(['en', 'ja', 'ru']));
      expect(sum(rows, 'words')).toBeGreaterThan(10_000);
    },
    'Which pages speak of something?': (rows) => {
      expect(rows).toHaveLength(20);
      for (const { words } of rows) expect(words).toMatch(/\bbetween\b/i);
    },
    'What is the longest page of each host?': (rows) => {
      expect(new Set(column(rows, 'host'))).toEqual(hosts());
      expect(rows).toHaveLength(hosts().size);
    },
  };

  test('has ten queries, and each answer is expected here', () => {
    expect([...queries.keys()]).toEqual(Object.keys(ANSWERS));
    expect(queries.size).toBe(10);
  });

  test.each(Object.entries(ANSWERS))('%s', async (question, expected) => {
    const sql = queries.get(question)!;
    if (sql.includes("'pages.parquet'")) {
      const connection = await (await DuckDBInstance.create(':memory:')).connect();
      const here = sql.replaceAll("'pages.parquet'", `'${await parquet()}'`);
      await expected((await connection.runAndReadAll(here)).getRowObjectsJS());
      connection.closeSync();
    } else {
      const db = new DatabaseSync(join(dir, 'crawl.sqlite'), { readOnly: true });
      await expected(db.prepare(sql).all() as Row[]);
      db.close();
    }
  });
});
