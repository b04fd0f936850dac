/** Verify, the rows: each refers to rows that exist, and those that speak of one request agree. */
import type { RecordPointer, RequestRow, SegmentRow, VisitRow } from '../changes.js';
import { SeenTable } from '../dedupe/seen.js';
import type { StoreReader, TableName } from '../engines/ports.js';
import { OUTCOMES } from '../errors.js';
import { metaOf } from '../store-meta.js';
import { DelayProof, type SharedLimits } from './delays.js';
import type { Finding } from './finding.js';
import { rows } from './states.js';
import { checkNear } from './verify-near.js';

/** What the rows say about a record. */
export interface ExpectedRecord {
  length: number;
  /** The exact URL; null if no row says it. */
  url: string | null;
  /** Of an answer: its status, and the address it came from. */
  status: number;
  address: string;
  /** SHA-1 of the entity; null if no row says it. */
  digest: Uint8Array | null;
  /** The record's own `WARC-Payload-Digest`, once it was read. */
  label: string | null;
  isRead: boolean;
  isIndexed: boolean;
}

/** What the rows say lies in a segment, by offset. */
export interface ExpectedSegment {
  row: SegmentRow;
  records: Map<number, ExpectedRecord>;
  /** End of the last record that a row names. */
  end: number;
}

export type ExpectedSegments = Map<number, ExpectedSegment>;

/** Checks all tables. Returns what they say about the archive. */
export function checkRows(reader: StoreReader, check: Finding, delays: Finding): ExpectedSegments {
  const count = (table: TableName): number => reader.count(table);
  const segments = readSegments(reader);
  checkUrls(reader, count('hosts'), check);
  new Pairs(reader, segments, check, delays).check();
  checkReparsed(reader, count('visits'), segments, check);
  checkNear(reader, check);
  const refer = (table: 'denied' | 'dead', what: string): void => {
    for (const { url } of rows(reader, table)) check.expect(url < count('urls'), () => `${what} names no URL: ${url}`);
  };
  refer('denied', 'a row of denied');
  refer('dead', 'a dead letter');
  for (const { host, origin, request } of rows(reader, 'robots')) {
    const fits = host < count('hosts') && request < count('requests');
    check.expect(fits, () => `the robots.txt of ${origin} names a host or request that is not there`);
  }
  for (const { host, kind } of rows(reader, 'hostEvents')) {
    check.expect(host < count('hosts'), () => `an event (${kind}) names no host: ${host}`);
  }
  return segments;
}

function readSegments(reader: StoreReader): ExpectedSegments {
  const segments: ExpectedSegments = new Map();
  for (const row of rows(reader, 'segments')) {
    const known = segments.get(row.id);
    if (known === undefined) segments.set(row.id, { row, records: new Map(), end: 0 });
    else known.row = row;
  }
  return segments;
}

/** Known once each: no two have one key. */
function checkUrls(reader: StoreReader, hosts: number, check: Finding): void {
  const seen = new SeenTable();
  let next = 0;
  for (const { id, host, keyHi, keyLo, url } of rows(reader, 'urls')) {
    check.expect(id === next++ && host < hosts, () => `URL row ${id} is out of order or names no host`);
    const twin = seen.insert(keyHi, keyLo, id);
    if (twin >= 0) check.fault(`URL row ${id} (${url}) has the key of row ${twin}: one page is known twice`);
  }
}

/** Requests and the visits that they ended: both tables are in the order of the requests, so they are read side by
 * side. A visit without a request was imported. */
class Pairs {
  readonly #reader: StoreReader;
  readonly #segments: ExpectedSegments;
  readonly #check: Finding;
  readonly #delays: Finding;
  #nextVisit = 0;

  constructor(reader: StoreReader, segments: ExpectedSegments, check: Finding, delays: Finding) {
    this.#reader = reader;
    this.#segments = segments;
    this.#check = check;
    this.#delays = delays;
  }

  check(): void {
    const domains: string[] = [];
    for (const { domain } of rows(this.#reader, 'hosts')) domains.push(domain);
    const proof = new DelayProof(sharedLimits(this.#reader), (host) => domains[host] ?? '');
    const visits = rows(this.#reader, 'visits');
    let visit = this.#take(visits);
    let next = 0;
    for (const request of rows(this.#reader, 'requests')) {
      this.#request(request, next++);
      const broken = proof.check(request);
      if (broken !== null) this.#delays.fault(broken);
      for (; visit !== null && visit.request < request.id; visit = this.#take(visits)) this.#alone(visit);
      const isOver = request.kind !== 'robots' && OUTCOMES[request.code].url === 'done';
      if (visit !== null && visit.request === request.id) {
        this.#pair(request, visit, isOver);
        visit = this.#take(visits);
      } else {
        this.#check.expect(
          !isOver,
          () => `request ${request.id} ended its URL (${request.code}), and no visit says so`,
        );
        if (request.record !== null) this.#name(request, null);
      }
    }
    for (; visit !== null; visit = this.#take(visits)) this.#alone(visit);
    this.#delays.checked = proof.gaps;
  }

  #take(visits: Iterator<VisitRow>): VisitRow | null {
    const { done, value } = visits.next();
    if (done) return null;
    const { id, url, duplicateOf } = value;
    const known = this.#reader.count('urls');
    const fits = id === this.#nextVisit++ && url >= 0 && url < known && duplicateOf < known;
    this.#check.expect(fits, () => `visit row ${id} is out of order, or names a URL that is not there`);
    return value;
  }

  #request({ id, host, url, started, ended }: RequestRow, place: number): void {
    const fits = id === place && host < this.#reader.count('hosts') && url < this.#reader.count('urls');
    this.#check.expect(fits, () => `request row ${id} is out of order, or names a host or URL that is not there`);
    this.#check.expect(started <= ended, () => `request row ${id} ended before it began`);
  }

  #pair(request: RequestRow, visit: VisitRow, isOver: boolean): void {
    const { id, record } = request;
    const agree = visit.url === request.url && visit.kind === request.kind && visit.status === request.status;
    const fits = agree && isOver && visit.code === request.code && isSame(visit.record, record);
    this.#check.expect(fits, () => `visit ${visit.id} does not agree with its request ${id}`);
    if (record !== null) this.#name(request, visit.payloadDigest);
    this.#text(visit, request.target);
  }

  /** Its request is not there, or it never had one. */
  #alone(visit: VisitRow): void {
    this.#check.expect(
      visit.request === -1,
      () => `visit ${visit.id} names the request ${visit.request}, which has none`,
    );
    if (visit.request !== -1) return;
    if (visit.record !== null) this.#expect(visit.record, { url: visit.finalUrl }, `visit ${visit.id}`);
    this.#text(visit, null);
  }

  #name({ id, record, target, status, address }: RequestRow, digest: Uint8Array | null): void {
    this.#expect(record!, { url: target, status, address, digest }, `request ${id}`);
  }

  #text({ id, text }: VisitRow, url: string | null): void {
    if (text !== null) this.#expect(text, { url }, `the text of visit ${id}`);
  }

  #expect(at: RecordPointer, facts: Partial<ExpectedRecord>, who: string): void {
    expectRecord(at, facts, this.#segments, this.#check, who);
  }
}

/** What the runs of the crawl allowed at shared addresses; a crawl that never said so allowed nothing. */
const sharedLimits = (reader: StoreReader): SharedLimits =>
  metaOf<SharedLimits>(reader, 'politeness.shared', { from: 0, requests: 1 });

/** A body that was read again has a text of its own, or goes on with one that a row before it names. */
function checkReparsed(reader: StoreReader, visits: number, segments: ExpectedSegments, check: Finding): void {
  let next = 0;
  for (const { id, visit, text } of rows(reader, 'reparsed')) {
    check.expect(id === next++ && visit < visits, () => `row ${id} of reparsed is out of order, or has no visit`);
    const isNamed = text !== null && segments.get(text.segment)?.records.get(text.offset)?.length === text.length;
    if (text !== null && !isNamed) expectRecord(text, {}, segments, check, `the text of reparsed ${id}`);
  }
}

function expectRecord(
  at: RecordPointer,
  facts: Partial<ExpectedRecord>,
  segments: ExpectedSegments,
  check: Finding,
  who: string,
): void {
  const segment = segments.get(at.segment);
  check.expect(segment !== undefined && !segment.records.has(at.offset), () => `${who} points at no record of its own`);
  if (segment === undefined) return;
  const nothing = {
    url: null,
    status: 0,
    address: '',
    digest: null,
    label: null,
    isRead: false,
    isIndexed: false,
  };
  segment.records.set(at.offset, { ...nothing, length: at.length, ...facts });
  segment.end = Math.max(segment.end, at.offset + at.length);
}

const isSame = (a: RecordPointer | null, b: RecordPointer | null): boolean =>
  a === b || (a !== null && b !== null && a.segment === b.segment && a.offset === b.offset && a.length === b.length);
