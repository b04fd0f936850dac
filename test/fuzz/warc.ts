/** WARC and ARC files: a damaged one ends in an error that says where; no record is made up, none reaches past the file. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { splitHttp } from '../../src/archive/http-message.js';
import { checkDigests } from '../../src/archive/record-digests.js';
import { readRecordAt, readRecords } from '../../src/archive/warc-reader.js';
import { WarcFormatError, type WarcRecord } from '../../src/archive/warc-record.js';
import { fixture } from './corpus.js';
import { mutated } from './mutations.js';
import { bytesOf, type FuzzTarget } from './target.js';

const COMPRESSED = [
  'webrecorder+warcio__example.warc.gz',
  'webrecorder+warcio__post-test.warc.gz',
  'webrecorder+warcio.js__example-resource.warc.gz',
];
const PLAIN = [
  'webrecorder+warcio__example.warc',
  'webrecorder+warcio__bad.arc',
  'iipc+webarchive-commons__mutliple-headers.warc',
];
const PIECES = [
  ...[
    '\r\n',
    '\n',
    '\r\n\r\n',
    ' ',
    ':',
    '\0',
    '\x1f\x8b',
    '\x1f\x8b\x08\0',
    'WARC/1.0\r\n',
    'WARC/1.1\r\nContent-Length: 0\r\n\r\n\r\n\r\n',
    'Content-Length: 5\r\n',
    'Content-Length: 999999999999\r\n',
  ],
  ...[
    'WARC-Type: response\r\n',
    'http://x/ 1.2.3.4 20200101000000 text/html 5\nhello\n',
    'HTTP/1.1 200 OK\r\n',
    '-1',
    '\xff',
    ' folded',
  ],
];
const BLOCK_LIMIT = 1024 * 1024;

const folder = mkdtempSync(join(tmpdir(), 'saunter-fuzz-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'case.warc');

async function readAll(bytes: Buffer): Promise<{ records: WarcRecord[]; error: unknown }> {
  writeFileSync(path, bytes);
  const records: WarcRecord[] = [];
  try {
    for await (const record of readRecords(path, { blockLimit: BLOCK_LIMIT })) records.push(record);
  } catch (error) {
    return { records, error };
  }
  return { records, error: null };
}

const printOf = (record: WarcRecord): string =>
  createHash('sha1')
    .update(JSON.stringify([...record.headers]))
    .update(record.block)
    .digest('hex');
/** The records of the compressed fixtures: a member's checksum keeps others from being read out of damaged ones. */
let originals: Promise<Set<string>> | null = null;

async function readOriginals(): Promise<Set<string>> {
  const prints = new Set<string>();
  for (const name of COMPRESSED) {
    const { records, error } = await readAll(fixture(`warc/${name}`));
    assert.equal(error, null);
    for (const record of records) prints.add(printOf(record));
  }
  return prints;
}

export const warcTarget: FuzzTarget<string> = {
  name: 'warc',
  suiteRuns: 250,
  cases: () => {
    const compressed = COMPRESSED.map((name) => fixture(`warc/${name}`));
    const plain = [...PLAIN.map((name) => fixture(`warc/${name}`)), ...compressed.map((bytes) => gunzipSync(bytes))];
    const texts = (all: Buffer[]): string[] => all.map((bytes) => bytes.toString('latin1'));
    return fc.oneof(mutated(texts(compressed), PIECES, 20_000, 3), mutated(texts(plain), PIECES, 20_000, 6));
  },
  async check(file) {
    const bytes = bytesOf(file);
    originals ??= readOriginals();
    const known = await originals;
    const { records, error } = await readAll(bytes);
    assert.ok(error === null || error instanceof WarcFormatError, `an error of another kind: ${error}`);
    if (error instanceof WarcFormatError) assert.ok(error.offset >= 0 && error.offset <= bytes.length);
    const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
    let end = 0;
    for (const record of records) {
      assert.ok(record.offset >= (record.length > 0 ? end : 0) && record.offset + record.length <= bytes.length);
      if (record.length > 0) end = record.offset + record.length;
      assert.equal(record.block.length, Math.min(record.blockLength, BLOCK_LIMIT));
      // Of several records in one member the first are read before its checksum is.
      if (isGzip && record.length > 0)
        assert.ok(known.has(printOf(record)), `a record that was never written: ${record.type} ${record.url}`);
      splitHttp(record, { dechunk: true });
      checkDigests(record);
      if (record.length === 0 || record.format !== 'warc' || record.problems.length > 0) continue;
      const alone = readRecordAt(path, record.offset, record.length, 2 * BLOCK_LIMIT);
      assert.equal(printOf(alone), printOf(record), 'a record is another when it is read by itself');
    }
  },
};
