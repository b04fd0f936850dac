import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { constants, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { splitHttp } from '../../src/archive/http-message.js';
import { checkDigests } from '../../src/archive/record-digests.js';
import { readRecordAt, readRecords } from '../../src/archive/warc-reader.js';
import { WarcFormatError, type WarcRecord } from '../../src/archive/warc-record.js';

interface Expected {
  type: string;
  uri: string | null;
  date: string | null;
  id: string | null;
  content_type: string;
  payload_len: number;
  payload_sha1: string;
  offset: number;
  http_status?: string;
  http_content_type?: string | null;
}
interface Case {
  file: string;
  readerError: string | null;
  records: Expected[];
}

const folder = new URL('../fixtures/warc/', import.meta.url).pathname;
const cases: Case[] = readFileSync(`${folder}cases.jsonl`, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

async function readAll(path: string): Promise<{ records: WarcRecord[]; error: unknown }> {
  const records: WarcRecord[] = [];
  try {
    for await (const record of readRecords(path)) records.push(record);
  } catch (error) {
    return { records, error };
  }
  return { records, error: null };
}

/** The payload without any coding, as the cases count it. */
function decodedPayload(record: WarcRecord): Buffer {
  if (record.type === 'revisit') return Buffer.alloc(0);
  const http = splitHttp(record, { dechunk: true });
  if (http === null) return record.block;
  if (!/gzip/.test(http.headers.get('Content-Encoding') ?? '')) return http.payload;
  return gunzipSync(http.payload, { finishFlush: constants.Z_SYNC_FLUSH }); // one is cut short
}

function asExpected(record: WarcRecord, wanted: Expected): Expected {
  const payload = decodedPayload(record);
  const http = splitHttp(record);
  return {
    ...wanted,
    type: record.type,
    uri: record.url,
    // The cases have no date for an ARC; we make one.
    date: record.format === 'arc' ? null : record.date,
    id: record.recordId === null ? null : `<${record.recordId}>`,
    content_type: record.contentType ?? '',
    payload_len: payload.length,
    payload_sha1: createHash('sha1').update(payload).digest('hex'),
    offset: record.offset,
    // Of a request the cases give the target as its status.
    ...(wanted.http_status !== undefined && {
      http_status: http?.status ? String(http.status) : http?.startLine.split(' ')[1],
      http_content_type: http?.headers.get('Content-Type') ?? null,
    }),
  };
}

describe('files of other tools', () => {
  test.each(cases)('$file is read as its own tools read it', async ({ file, readerError, records: wanted }) => {
    const { records, error } = await readAll(folder + file);
    expect(records.map((record, i) => asExpected(record, wanted[i] ?? ({} as Expected)))).toEqual(wanted);
    if (readerError === null) expect(error).toBeNull();
    else {
      expect(error).toBeInstanceOf(WarcFormatError);
      expect((error as WarcFormatError).offset).toBeGreaterThan(wanted.at(-1)!.offset);
    }
  });

  test.each(cases)('$file: each record can be read by itself, and the records cover the file', async ({ file }) => {
    const { records, error } = await readAll(folder + file);
    let end = 0;
    for (const record of records) {
      expect(record.offset).toBe(end);
      end = record.offset + record.length;
      const alone = readRecordAt(folder + file, record.offset, record.length);
      expect(alone.url).toBe(record.url);
      if (record.type !== 'arc_header') expect(alone.block.equals(record.block)).toBe(true);
    }
    if (error === null) expect(end).toBe(readFileSync(folder + file).length);
  });

  test('digests are right, but for the one that warcio reports too', async () => {
    const failed: string[] = [];
    let passed = 0;
    for (const { file } of cases) {
      for (const record of (await readAll(folder + file)).records) {
        const { block, payload } = checkDigests(record);
        if (block === 'fail' || payload === 'fail') failed.push(`${file}@${record.offset}`);
        if (block === 'pass' || payload === 'pass') passed++;
      }
    }
    expect(failed).toEqual(['webrecorder+warcio__example-trunc.warc@1197']);
    expect(passed).toBeGreaterThan(20);
  });
});
