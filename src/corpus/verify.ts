/**
 * Verify: every row and every record of a crawl read back (DESIGN 11). Rows refer to rows that exist; each pointer leads
 * to its record, with right digests; each record of each segment is named by a row; the index has one line a record; and
 * no delay was broken.
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { checkDigests } from '../archive/record-digests.js';
import { readRecords } from '../archive/warc-reader.js';
import type { WarcRecord } from '../archive/warc-record.js';
import type { RecordPointer, RequestRow, SegmentRow, VisitRow } from '../changes.js';
import type { StoreReader } from '../engines/ports.js';
import { DelayProof } from './delays.js';
import { type SegmentFolders, segmentPaths } from './segment-paths.js';
import { rows } from './states.js';

export interface Check {
  name: string;
  /** Things looked at. */
  checked: number;
  faults: number;
  /** The first faults in words. */
  examples: string[];
}

export interface VerifyPaths extends SegmentFolders {
  index: string;
}

const EXAMPLES = 10;

class Finding implements Check {
  readonly name: string;
  checked = 0;
  faults = 0;
  readonly examples: string[] = [];

  constructor(name: string) {
    this.name = name;
  }

  fault(words: string): void {
    this.faults++;
    if (this.examples.length < EXAMPLES) this.examples.push(words);
  }

  expect(condition: boolean, words: () => string): void {
    this.checked++;
    if (!condition) this.fault(words());
  }
}

/** What rows say lies in a segment, by offset. */
interface Expected {
  row: SegmentRow;
  records: Map<number, { length: number; url: string | null; digest: Uint8Array | null }>;
  end: number;
}

/** @param onProgress told the share that is done, 0 to 1 */
export async function verify(
  reader: StoreReader,
  paths: VerifyPaths,
  onProgress: (share: number) => void = () => {},
): Promise<Check[]> {
  const rowsCheck = new Finding('rows');
  const delays = new Finding('delays');
  const segments = readSegments(reader);
  const known = { hosts: reader.count('hosts'), urls: reader.count('urls'), requests: reader.count('requests') };
  checkUrls(reader, known, rowsCheck);
  checkRequests(reader, known, segments, rowsCheck, delays);
  checkVisits(reader, known, segments, rowsCheck);
  checkReparsed(reader, { visits: reader.count('visits') }, segments, rowsCheck);
  const records = new Finding('records');
  let done = 0;
  const files = segmentPaths(reader, paths);
  for (const [id, segment] of segments) {
    await checkSegment(segment, files.get(id)!, records);
    onProgress(++done / segments.size);
  }
  const index = new Finding('index');
  await checkIndex(segments, paths.index, index);
  return [rowsCheck, records, index, delays];
}

function readSegments(reader: StoreReader): Map<number, Expected> {
  const segments = new Map<number, Expected>();
  for (const row of rows(reader, 'segments')) {
    const known = segments.get(row.id);
    if (known === undefined) segments.set(row.id, { row, records: new Map(), end: 0 });
    else known.row = row;
  }
  return segments;
}

function checkUrls(reader: StoreReader, known: { hosts: number }, check: Finding): void {
  let next = 0;
  for (const { id, host } of rows(reader, 'urls')) {
    check.expect(id === next++ && host < known.hosts, () => `URL row ${id} is out of order or names no host`);
  }
}

function checkRequests(
  reader: StoreReader,
  known: { hosts: number; urls: number },
  segments: Map<number, Expected>,
  check: Finding,
  delays: Finding,
): void {
  const proof = new DelayProof();
  let next = 0;
  for (const row of rows(reader, 'requests')) {
    const fits = row.id === next++ && row.host < known.hosts && row.url < known.urls && row.started <= row.ended;
    check.expect(fits, () => `request row ${row.id} is out of order, or names a host or URL that is not there`);
    name(row, segments, check);
    const broken = proof.check(row);
    if (broken !== null) delays.fault(broken);
  }
  delays.checked = proof.gaps;
}

function name({ id, record, target }: RequestRow, segments: Map<number, Expected>, check: Finding): void {
  if (record !== null) expectRecord(record, target, null, segments, check, `request ${id}`);
}

function checkVisits(
  reader: StoreReader,
  known: { urls: number; requests: number },
  segments: Map<number, Expected>,
  check: Finding,
): void {
  let next = 0;
  for (const visit of rows(reader, 'visits')) {
    const fits = visit.id === next++ && visit.url < known.urls && visit.request < known.requests;
    check.expect(fits, () => `visit row ${visit.id} is out of order, or names a URL or request that is not there`);
    digestOf(visit, segments);
    if (visit.text !== null) expectRecord(visit.text, null, null, segments, check, `the text of visit ${visit.id}`);
  }
}

/** A body that was read again has a text of its own, or goes on with one that a row before it names. */
function checkReparsed(
  reader: StoreReader,
  known: { visits: number },
  segments: Map<number, Expected>,
  check: Finding,
): void {
  let next = 0;
  for (const { id, visit, text } of rows(reader, 'reparsed')) {
    check.expect(id === next++ && visit < known.visits, () => `row ${id} of reparsed is out of order, or has no visit`);
    const isNamed = text !== null && segments.get(text.segment)?.records.get(text.offset)?.length === text.length;
    if (text !== null && !isNamed) expectRecord(text, null, null, segments, check, `the text of reparsed ${id}`);
  }
}

/** A visit knows the digest of the record that its request names. */
function digestOf({ record, payloadDigest }: VisitRow, segments: Map<number, Expected>): void {
  const expected = record === null ? undefined : segments.get(record.segment)?.records.get(record.offset);
  if (expected !== undefined) expected.digest = payloadDigest;
}

function expectRecord(
  at: RecordPointer,
  url: string | null,
  digest: Uint8Array | null,
  segments: Map<number, Expected>,
  check: Finding,
  who: string,
): void {
  const segment = segments.get(at.segment);
  check.expect(segment !== undefined && !segment.records.has(at.offset), () => `${who} points at no record of its own`);
  if (segment === undefined) return;
  segment.records.set(at.offset, { length: at.length, url, digest });
  segment.end = Math.max(segment.end, at.offset + at.length);
}

/** Reads a segment from its first byte to the last one that a row names. */
async function checkSegment({ row, records, end }: Expected, path: string, check: Finding): Promise<void> {
  const wanted = row.kind === 'text' ? TEXTS : RESPONSES;
  try {
    for await (const record of readRecords(path)) {
      if (record.offset >= end) break; // written, and not committed yet
      judge(record, path, check);
      const expected = records.get(record.offset);
      if (!wanted.has(record.type)) continue;
      if (expected === undefined) check.fault(`${path}: the record at ${record.offset} is named by no row`);
      else if (expected.length !== record.length)
        check.fault(`${path}: the record at ${record.offset} has another length`);
      else compare(record, expected, path, check);
      records.delete(record.offset);
    }
  } catch (error) {
    check.fault((error as Error).message);
  }
  for (const offset of records.keys()) check.fault(`${path}: a row points at ${offset}, where no record begins`);
}

const RESPONSES: ReadonlySet<string> = new Set(['response', 'revisit']);
const TEXTS: ReadonlySet<string> = new Set(['conversion']);

function judge(record: WarcRecord, path: string, check: Finding): void {
  const { block, payload } = checkDigests(record);
  check.expect(
    block !== 'fail' && payload !== 'fail',
    () => `${path}: the record at ${record.offset} has a wrong digest`,
  );
  for (const problem of record.problems) check.fault(`${path}: the record at ${record.offset}: ${problem}`);
}

function compare(
  record: WarcRecord,
  expected: { url: string | null; digest: Uint8Array | null },
  path: string,
  check: Finding,
): void {
  if (expected.url !== null && record.url !== expected.url) {
    check.fault(`${path}: the record at ${record.offset} is of ${record.url}, its row of ${expected.url}`);
  }
}

/** One line for each request record, and none besides. */
async function checkIndex(segments: Map<number, Expected>, path: string, check: Finding): Promise<void> {
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
  const seen = new Map<string, number>();
  try {
    for await (const line of lines) {
      const { filename, offset } = JSON.parse(line.slice(line.indexOf('{'))) as { filename: string; offset: string };
      seen.set(filename, (seen.get(filename) ?? 0) + 1);
      check.expect(/^\d+$/.test(offset), () => `${path}: a line without an offset`);
    }
  } catch (error) {
    check.fault(`${path}: ${(error as Error).message}`);
  }
  for (const { row } of segments.values()) seen.delete(row.name);
  for (const name of seen.keys()) check.fault(`${path} names the segment ${name}, which no row knows`);
}
