import { createHash } from 'node:crypto';
import { appendFileSync, cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { base32 } from '../../src/archive/warc-fields.js';
import type { RequestRow } from '../../src/changes.js';
import { openDatabase } from '../../src/engines/database.js';
import type { Stored, TableName, Tables } from '../../src/engines/ports.js';
import { openSqliteReader } from '../../src/engines/sqlite.js';
import { ServerProcess } from '../../src/sim/server-process.js';
import { type OutsideRecord, readOutside } from '../archive/exchanges.js';
import { configFile, crawl, removeScratches, root, type Summary, saunter, scratch } from '../support/saunter.js';

let dir: string;
let summary: Summary;
/** The arguments of the crawl, but for its directory. */
let again: string[];

beforeAll(async () => {
  const server = await ServerProcess.start({ web: 'demo', program: join(root, 'dist/sim/server-main.js') });
  dir = scratch();
  const flags = ['--scope', 'any', '--max-pages', '150', '--delay', '20ms', '--allow-private', '127.0.0.0/8'];
  // Small segments, so that there are several; delays are shortened from 1 s and not ten times as long as a fetch.
  const config = configFile({ 'segment.bytes': '64KiB', 'politeness.factor': 0 });
  again = [...server.ready.seeds, '--resolve', server.ready.resolve, '--config', config, ...flags];
  const ran = await crawl(['--dir', dir, ...again]);
  await server.stop();
  expect([ran.code, ran.summary.pages]).toEqual([0, 150]);
  ({ summary } = ran);
}, 60_000);
afterAll(removeScratches);

const files = (at: string, folder: string): string[] =>
  readdirSync(join(at, folder))
    .filter((name) => name.endsWith('.gz'))
    .sort();
const sha1 = (bytes: Buffer): string => `sha1:${base32(createHash('sha1').update(bytes).digest())}`;

function rows<T extends TableName>(table: T, at = dir): Stored<Tables[T]>[] {
  const store = openSqliteReader(join(at, 'crawl.sqlite'));
  const all = [...store.scan(table)].flat();
  store.close();
  return all;
}

describe('the archive of a crawl', () => {
  const records: (OutsideRecord & { file: string })[] = [];
  beforeAll(async () => {
    for (const file of files(dir, 'warc')) {
      for (const record of await readOutside(join(dir, 'warc', file))) records.push({ ...record, file });
    }
  });

  test('is read by another reader: each request and its answer, with right digests', () => {
    const answers = records.filter(({ type }) => type === 'response' || type === 'revisit');
    expect(files(dir, 'warc').length).toBeGreaterThan(2);
    expect(records.filter(({ type }) => type === 'request')).toHaveLength(answers.length);
    expect(answers).toHaveLength(rows('requests').filter(({ record }) => record !== null).length);
    expect(records.filter(({ type }) => type === 'revisit').length).toBeGreaterThan(0);
    for (const record of answers) {
      const at = `${record.file} at ${record.offset}`;
      if (record.type === 'response')
        expect([at, record.headers.get('WARC-Payload-Digest')]).toEqual([at, sha1(record.payload)]);
      else expect([at, record.payload.length]).toEqual([at, 0]);
      const [request] = records.slice(records.indexOf(record) - 1);
      expect([at, request.type, request.headers.get('WARC-Concurrent-To')]).toEqual([
        at,
        'request',
        record.headers.get('WARC-Record-ID'),
      ]);
    }
  });

  test('has one index line for each answer, at its place, in sorted order', () => {
    const lines = readFileSync(join(dir, 'warc', 'index.cdxj'), 'latin1')
      .trimEnd()
      .split('\n');
    expect(lines).toEqual([...lines].sort());
    const indexed = lines.map((line) => {
      const fields = JSON.parse(line.slice(line.indexOf('{'))) as Record<string, string>;
      return [fields.filename, Number(fields.offset), Number(fields.length), fields.url, fields.digest].join(' ');
    });
    const answers = records
      .filter(({ type }) => type === 'response' || type === 'revisit')
      .map(({ file, offset, length, headers }) =>
        [file, offset, length, headers.get('WARC-Target-URI'), headers.get('WARC-Payload-Digest')].join(' '),
      );
    expect(indexed.sort()).toEqual(answers.sort());
  });

  test('has a text for each page that is kept and has one, which another reader reads too', async () => {
    const texts: OutsideRecord[] = [];
    for (const file of files(dir, 'text')) texts.push(...(await readOutside(join(dir, 'text', file))));
    const conversions = texts.filter(({ type }) => type === 'conversion');
    expect(conversions).toHaveLength(rows('visits').filter(({ text }) => text !== null).length);
    expect(conversions.length).toBeGreaterThanOrEqual(summary.pages - summary.duplicates);
    const answers = new Set(records.map(({ headers }) => headers.get('WARC-Record-ID')));
    for (const { headers, payload } of conversions) {
      expect(headers.get('WARC-Block-Digest')).toBe(sha1(payload));
      expect(answers.has(headers.get('WARC-Refers-To'))).toBe(true);
    }
  });
});

/** A copy of the crawl for one damage. */
function copy(): string {
  const at = scratch();
  cpSync(dir, at, { recursive: true });
  return at;
}

function sql(at: string, statement: string): void {
  const db = openDatabase(join(at, 'crawl.sqlite'));
  db.exec(statement);
  db.close();
}

/** An answer in the middle of the crawl, where it lies. */
function someAnswer(at: string): { path: string; request: RequestRow } {
  const requests = rows('requests', at).filter(({ record, code }) => record !== null && code === 'ok');
  const request = requests[requests.length >> 1];
  const names = new Map(rows('segments', at).map(({ id, name }) => [id, name]));
  return { path: join(at, 'warc', names.get(request.record!.segment)!), request };
}

function indexed(at: string, change: (lines: string[]) => string[]): void {
  const path = join(at, 'warc', 'index.cdxj');
  const lines = readFileSync(path, 'latin1').trimEnd().split('\n');
  writeFileSync(path, `${change(lines).join('\n')}\n`, 'latin1');
}

const lastOf = (table: string): string => `(SELECT max(id) FROM ${table})`;
const PAGE = `(SELECT id FROM requests WHERE kind = 'page' AND code = 'ok' ORDER BY id LIMIT 1 OFFSET 50)`;
/** The robots.txt that its host was asked for before. */
const ROBOTS = `(SELECT max(id) FROM requests WHERE kind = 'robots' AND host = (SELECT host FROM requests WHERE id = ${PAGE}))`;

describe('verify', () => {
  test('finds nothing wrong with a crawl as it was left', async () => {
    const { code, out } = await saunter(['verify', '--dir', dir, '--json']);
    const { ok, checks } = JSON.parse(out) as { ok: boolean; checks: { name: string; checked: number }[] };
    expect([code, ok, checks.map(({ name }) => name)]).toEqual([0, true, ['rows', 'records', 'index', 'delays']]);
    expect(checks.find(({ name }) => name === 'index')?.checked).toBeGreaterThanOrEqual(summary.requests);
    expect(checks.find(({ name }) => name === 'delays')?.checked).toBeGreaterThan(summary.requests);
  });

  test.each<[string, (at: string) => void, RegExp]>([
    // -- the archive
    ['a byte of a record', (at) => flip(someAnswer(at), 0.5), /warc\.gz.* at (offset )?\d+|wrong digest/],
    ['the last byte of a record', (at) => flip(someAnswer(at), 1), /\d+/],
    ['a segment', (at) => rmSync(someAnswer(at).path), /where no record can be read/],
    ['the end of a segment', (at) => truncateSync(someAnswer(at).path, 9_000), /bytes, its row says \d+/],
    ['a record too many', (at) => twice(someAnswer(at)), /is named by no row/],
    [
      'a text segment',
      (at) => rmSync(join(at, 'text', files(at, 'text')[0])),
      /text\.warc\.gz.*where no record can be read/,
    ],
    // -- the index
    ['an index line', (at) => indexed(at, (lines) => lines.slice(1)), /has no line for the record of|were committed/],
    [
      'an index line in the middle',
      (at) => indexed(at, (lines) => lines.toSpliced(40, 1, lines[41])),
      /it repeats the record at.*/,
    ],
    [
      'the offset of an index line',
      (at) => indexed(at, (lines) => lines.with(40, lines[40].replace(/"offset":"\d/, '"offset":"9'))),
      /line 41: it names a record at \d+ in \S+, which no row knows/,
    ],
    [
      'the digest of an index line',
      (at) => indexed(at, (lines) => lines.with(40, lines[40].replace(/sha1:./, 'sha1:0'))),
      /line 41: its record has another digest/,
    ],
    [
      'an unreadable index line',
      (at) => indexed(at, (lines) => lines.with(40, lines[40].replace('{', '['))),
      /line 41: it cannot be read/,
    ],
    ['the whole index', (at) => rmSync(join(at, 'warc', 'index.cdxj')), /index\.cdxj has 0 bytes, \d+ were committed/],
    // -- the rows
    ['a request', (at) => sql(at, `DELETE FROM requests WHERE id = ${PAGE}`), /request row \d+ is out of order/],
    [
      'the last request',
      (at) => sql(at, `DELETE FROM requests WHERE id = ${lastOf('requests')}`),
      /is named by no row/,
    ],
    [
      'the last visit',
      (at) => sql(at, `DELETE FROM visits WHERE id = ${lastOf('visits')}`),
      /ended its URL \(\S+\), and no visit says so/,
    ],
    ['a URL', (at) => sql(at, 'DELETE FROM urls WHERE id = 70'), /URL row 71 is out of order/],
    [
      'a URL that is known twice',
      (at) =>
        sql(
          at,
          'UPDATE urls SET key_hi = (SELECT key_hi FROM urls WHERE id = 3), key_lo = (SELECT key_lo FROM urls WHERE id = 3) WHERE id = 9',
        ),
      /has the key of row 3: one page is known twice/,
    ],
    ['a host', (at) => sql(at, `DELETE FROM hosts WHERE id = ${lastOf('hosts')}`), /names no host/],
    [
      'the place of a record',
      (at) => sql(at, `UPDATE requests SET record_offset = record_offset + 1 WHERE id = ${PAGE}`),
      /where no record can be read/,
    ],
    [
      'the target of a request',
      (at) => sql(at, `UPDATE requests SET target = target || 'x' WHERE id = ${PAGE}`),
      /is of \S+, its row of \S+x/,
    ],
    [
      'the address of a request',
      (at) => sql(at, `UPDATE requests SET address = '127.9.9.9' WHERE id = ${PAGE}`),
      /is from \S+, its row from 127\.9\.9\.9/,
    ],
    [
      'the status of a visit',
      (at) => sql(at, `UPDATE visits SET status = 203 WHERE request = ${PAGE}`),
      /visit \d+ does not agree with its request \d+/,
    ],
    [
      'the digest of a visit',
      (at) => sql(at, `UPDATE visits SET payload_digest = zeroblob(20) WHERE request = ${PAGE}`),
      /has another payload digest than its row/,
    ],
    [
      'the text of a visit',
      (at) => sql(at, `UPDATE visits SET text_length = text_length - 1 WHERE request = ${PAGE}`),
      /bytes long, its row says \d+/,
    ],
    // -- the delays
    [
      'a request that began too early',
      (at) => sql(at, `UPDATE requests SET started = started - 5000 WHERE id = ${PAGE}`),
      /began \d+ ms too early after request \d+/,
    ],
    [
      'a request that lasted too long',
      (at) => sql(at, `UPDATE requests SET ended = ended + 5000 WHERE id = ${ROBOTS}`),
      /began \d+ ms too early after request \d+/,
    ],
  ])('names what is wrong and exits 1 after damage to %s', async (_, damage, words) => {
    const at = copy();
    damage(at);
    const { code, out } = await saunter(['verify', '--dir', at]);
    expect(out).toMatch(words);
    expect([code, out]).toEqual([1, expect.stringMatching(/^WRONG .*[\s\S]*\d+ faults?\.\n$/m)]);
  });
});

test('a damaged index that is deleted, as verify says, is written anew by the same command', async () => {
  const at = copy();
  indexed(at, (lines) => lines.with(40, 'x'.repeat(lines[40].length)));
  const wrong = await saunter(['verify', '--dir', at]);
  expect([wrong.code, wrong.out]).toEqual([1, expect.stringContaining('To mend it, delete warc/index.cdxj:')]);
  rmSync(join(at, 'warc', 'index.cdxj'));
  expect((await crawl(['--dir', at, ...again])).code).toBe(0);
  expect((await saunter(['verify', '--dir', at])).out).toContain('Everything agrees.');
});

/** Changes one byte of the record, at that share of its length. */
function flip({ path, request }: ReturnType<typeof someAnswer>, share: number): void {
  const { offset, length } = request.record!;
  const bytes = readFileSync(path);
  bytes[offset + Math.min(Math.floor(length * share), length - 1)] ^= 0x10;
  writeFileSync(path, bytes);
}

/** Appends the record to its segment once more. */
function twice({ path, request }: ReturnType<typeof someAnswer>): void {
  const { offset, length } = request.record!;
  appendFileSync(path, readFileSync(path).subarray(offset, offset + length));
}
