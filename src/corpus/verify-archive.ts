/** Verify, the archive: its records are what the rows say, and the index has one line for each answer. */
import { createReadStream, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { splitHttp } from '../archive/http-message.js';
import { checkDigests } from '../archive/record-digests.js';
import { sha1Label } from '../archive/warc-fields.js';
import { readRecords } from '../archive/warc-reader.js';
import type { WarcRecord } from '../archive/warc-record.js';
import type { Finding } from './finding.js';
import type { ExpectedRecord, ExpectedSegment, ExpectedSegments } from './verify-rows.js';

const ANSWERS: ReadonlySet<string> = new Set(['response', 'revisit']);
const TEXTS: ReadonlySet<string> = new Set(['conversion']);

/** Reads a segment from its first byte to its last; one that is still written, to the last record that a row names. */
export async function checkSegment(
  { row, records, end }: ExpectedSegment,
  path: string,
  check: Finding,
): Promise<void> {
  const wanted = row.kind === 'text' ? TEXTS : ANSWERS;
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (row.closed) check.expect(size === row.length, () => `${path} has ${size} bytes, its row says ${row.length}`);
  let before: WarcRecord | null = null;
  try {
    for await (const record of readRecords(path)) {
      if (!row.closed && record.offset >= end) break; // written, and not committed yet
      judge(record, path, check);
      if (wanted.has(record.type)) compare(record, before, records.get(record.offset), path, check);
      before = record;
    }
  } catch (error) {
    check.fault((error as Error).message);
  }
  for (const [offset, { isRead }] of records) {
    if (!isRead) check.fault(`${path}: a row points at ${offset}, where no record can be read`);
  }
}

function judge(record: WarcRecord, path: string, check: Finding): void {
  const { block, payload } = checkDigests(record);
  check.expect(
    block !== 'fail' && payload !== 'fail',
    () => `${path}: the record at ${record.offset} has a wrong digest`,
  );
  for (const problem of record.problems) check.fault(`${path}: the record at ${record.offset}: ${problem}`);
}

/** A record and its row. An answer stands behind the request that it answers. */
function compare(
  record: WarcRecord,
  before: WarcRecord | null,
  expected: ExpectedRecord | undefined,
  path: string,
  check: Finding,
): void {
  const fault = (words: string): void => check.fault(`${path}: the record at ${record.offset} ${words}`);
  if (expected === undefined) {
    fault('is named by no row');
    return;
  }
  expected.isRead = true;
  expected.label = record.headers.get('WARC-Payload-Digest');
  const { length, url, status, address, digest } = expected;
  if (length !== record.length) fault(`is ${record.length} bytes long, its row says ${length}`);
  if (url !== null && record.url !== url) fault(`is of ${record.url}, its row of ${url}`);
  if (digest !== null && expected.label !== sha1Label(digest)) fault('has another payload digest than its row');
  if (record.type === 'conversion') return;
  const answered = splitHttp(record)?.status ?? 0;
  if (answered !== 0 && status !== 0 && answered !== status) fault(`has status ${answered}, its row ${status}`);
  const from = record.headers.get('WARC-IP-Address') ?? '';
  if (address !== '' && from !== address) fault(`is from ${from}, its row from ${address}`);
  const isAsked =
    before?.type === 'request' && before.headers.get('WARC-Concurrent-To')?.includes(record.recordId ?? ' ');
  if (address !== '' && !isAsked) fault('does not follow the request that it answers');
}

interface IndexLine {
  url: string;
  status: string;
  digest?: string;
  length: string;
  offset: string;
  filename: string;
}

/** One line for each answer in the archive, and none besides. What is behind the committed length does not count.
 * @param committed bytes as the store has them, or null */
export async function checkIndex(
  segments: ExpectedSegments,
  path: string,
  committed: string | null,
  check: Finding,
): Promise<void> {
  const length = Number(committed ?? 0);
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  check.expect(size >= length, () => `${path} has ${size} bytes, ${length} were committed`);
  const byName = new Map([...segments.values()].map((segment) => [segment.row.name, segment]));
  if (length > 0 && size > 0) {
    const input = createReadStream(path, { end: length - 1 });
    let number = 0;
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const wrong = judgeLine(line, byName);
      number++;
      check.expect(wrong === null, () => `${path}, line ${number}: ${wrong}`);
    }
  }
  for (const { row, records } of segments.values()) {
    if (row.kind !== 'warc') continue;
    for (const [offset, { isIndexed, url }] of records) {
      if (!isIndexed) check.fault(`${path} has no line for the record of ${url} at ${offset} in ${row.name}`);
    }
  }
}

/** What is wrong with a line, or null. */
function judgeLine(line: string, segments: ReadonlyMap<string, ExpectedSegment>): string | null {
  let fields: IndexLine;
  try {
    fields = JSON.parse(line.slice(line.indexOf('{'))) as IndexLine;
  } catch {
    return 'it cannot be read';
  }
  const record = segments.get(fields.filename)?.records.get(Number(fields.offset));
  if (record === undefined) return `it names a record at ${fields.offset} in ${fields.filename}, which no row knows`;
  if (record.isIndexed) return `it repeats the record at ${fields.offset} in ${fields.filename}`;
  record.isIndexed = true;
  if (fields.length !== String(record.length)) return `its record is ${record.length} bytes long, not ${fields.length}`;
  if (record.url !== null && fields.url !== record.url) return `its record is of ${record.url}, not of ${fields.url}`;
  if (record.status !== 0 && fields.status !== String(record.status)) return 'its record has another status';
  if (record.label !== null && fields.digest !== record.label) return 'its record has another digest';
  return null;
}
