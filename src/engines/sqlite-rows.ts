/**
 * How each change record lies in its SQL table: columns in order, and the two directions. The first column is the row's
 * ordinal (its id where it has one), the second its batch.
 */
import type {
  DeadRow,
  DeniedRow,
  HostEventRow,
  HostRow,
  RecordPointer,
  ReparsedRow,
  RequestRow,
  RobotsRow,
  SeedRow,
  SegmentRow,
  UrlRow,
  VisitRow,
} from '../changes.js';
import { cleanText } from './batch-rules.js';
import type { SqlValue } from './database.js';
import type { Stored, TableName, Tables } from './ports.js';

export interface TableCodec<Row> {
  /** Name of the table in SQL. */
  readonly sql: string;
  /** Columns after the ordinal and the batch. */
  readonly columns: readonly string[];
  /** Rows a chunk of `scan` holds at most: bounds its memory (a robots body has up to 500 KiB). */
  readonly chunk: number;
  /** Values of `columns`, appended to `out`. */
  encode(row: Row, out: SqlValue[]): void;
  /** A row from [ordinal, batch, ...columns]. */
  decode(values: readonly SqlValue[]): Stored<Row>;
}

// What the columns hold is known from STRICT tables and NOT NULL; these name it to the compiler.
const number = (v: SqlValue): number => v as number;
const string = (v: SqlValue): string => v as string;
const bytes = (v: SqlValue): Uint8Array | null => v as Uint8Array | null;
const text = (v: string | null): string | null => (v === null ? null : cleanText(v));

function encodePointer(p: RecordPointer | null, out: SqlValue[]): void {
  if (p === null) out.push(null, null, null);
  else out.push(p.segment, p.offset, p.length);
}

const decodePointer = (v: readonly SqlValue[], i: number): RecordPointer | null =>
  v[i] === null ? null : { segment: number(v[i]), offset: number(v[i + 1]), length: number(v[i + 2]) };

const hosts: TableCodec<HostRow> = {
  sql: 'hosts',
  columns: ['name', 'domain', 'named', 'budget', 'at'],
  chunk: 2048,
  encode: (r, out) => out.push(cleanText(r.name), cleanText(r.domain), r.named ? 1 : 0, r.budget, r.at),
  decode: (v) => ({
    id: number(v[0]),
    batch: number(v[1]),
    name: string(v[2]),
    domain: string(v[3]),
    named: v[4] === 1,
    budget: v[5] as number | null,
    at: number(v[6]),
  }),
};

const urls: TableCodec<UrlRow> = {
  sql: 'urls',
  columns: ['partition', 'host', 'key_hi', 'key_lo', 'kind', 'level', 'depth', 'hops', 'via', 'url'],
  chunk: 2048,
  encode: (r, out) =>
    out.push(r.partition, r.host, r.keyHi, r.keyLo, r.kind, r.level, r.depth, r.hops, r.via, cleanText(r.url)),
  decode: (v) => ({
    id: number(v[0]),
    batch: number(v[1]),
    partition: number(v[2]),
    host: number(v[3]),
    keyHi: number(v[4]),
    keyLo: number(v[5]),
    kind: v[6] as UrlRow['kind'],
    level: number(v[7]),
    depth: number(v[8]),
    hops: number(v[9]),
    via: number(v[10]),
    url: string(v[11]),
  }),
};

const POINTER = ['record_segment', 'record_offset', 'record_length'];

const requests: TableCodec<RequestRow> = {
  sql: 'requests',
  columns: [
    ...['url', 'host', 'address', 'kind', 'target', 'started', 'ended', 'status', 'code', 'bytes', 'delay'],
    ...['address_delay', ...POINTER],
  ],
  chunk: 2048,
  encode: (r, out) => {
    out.push(r.url, r.host, cleanText(r.address), r.kind, cleanText(r.target), r.started, r.ended, r.status, r.code);
    out.push(r.bytes, r.delay, r.addressDelay);
    encodePointer(r.record, out);
  },
  decode: (v) => ({
    id: number(v[0]),
    batch: number(v[1]),
    url: number(v[2]),
    host: number(v[3]),
    address: string(v[4]),
    kind: v[5] as RequestRow['kind'],
    target: string(v[6]),
    started: number(v[7]),
    ended: number(v[8]),
    status: number(v[9]),
    code: v[10] as RequestRow['code'],
    bytes: number(v[11]),
    delay: number(v[12]),
    addressDelay: number(v[13]),
    record: decodePointer(v, 14),
  }),
};

const visits: TableCodec<VisitRow> = {
  sql: 'visits',
  columns: [
    ...['url', 'kind', 'request', 'at', 'status', 'code', 'final_url', 'content_type', 'charset', 'language', 'title'],
    ...['content_hash', 'payload_digest', 'simhash', 'etag', 'last_modified', ...POINTER],
    ...['text_segment', 'text_offset', 'text_length', 'changed', 'duplicate_of', 'indexable', 'next_visit'],
    ...['bytes', 'links', 'ai_preferences', 'parser', 'fields', 'near', 'body_of', 'history'],
  ],
  chunk: 1024,
  encode: (r, out) => {
    out.push(r.url, r.kind, r.request, r.at, r.status, r.code, text(r.finalUrl), cleanText(r.contentType));
    out.push(cleanText(r.charset), cleanText(r.language), cleanText(r.title), r.contentHash, r.payloadDigest);
    out.push(r.simhash, text(r.etag), text(r.lastModified));
    encodePointer(r.record, out);
    encodePointer(r.text, out);
    out.push(r.changed ? 1 : 0, r.duplicateOf, r.index ? 1 : 0, r.nextVisit, r.bytes, r.links, text(r.aiPreferences));
    out.push(r.parser, text(r.fields), r.near ? 1 : 0, r.bodyOf, text(r.history));
  },
  decode: (v) => ({
    id: number(v[0]),
    batch: number(v[1]),
    url: number(v[2]),
    kind: v[3] as VisitRow['kind'],
    request: number(v[4]),
    at: number(v[5]),
    status: number(v[6]),
    code: v[7] as VisitRow['code'],
    finalUrl: v[8] as string | null,
    contentType: string(v[9]),
    charset: string(v[10]),
    language: string(v[11]),
    title: string(v[12]),
    contentHash: bytes(v[13]),
    payloadDigest: bytes(v[14]),
    simhash: v[15] as string | null,
    etag: v[16] as string | null,
    lastModified: v[17] as string | null,
    record: decodePointer(v, 18),
    text: decodePointer(v, 21),
    changed: v[24] === 1,
    duplicateOf: number(v[25]),
    index: v[26] === 1,
    nextVisit: v[27] as number | null,
    bytes: number(v[28]),
    links: number(v[29]),
    aiPreferences: v[30] as string | null,
    parser: number(v[31]),
    fields: v[32] as string | null,
    near: v[33] === 1,
    bodyOf: number(v[34]),
    history: v[35] as string | null,
  }),
};

const reparsed: TableCodec<ReparsedRow> = {
  sql: 'reparsed',
  columns: [
    ...['visit', 'at', 'parser', 'charset', 'language', 'title', 'simhash', 'text_segment', 'text_offset'],
    ...['text_length', 'indexable', 'links', 'ai_preferences', 'fields'],
  ],
  chunk: 1024,
  encode: (r, out) => {
    out.push(r.visit, r.at, r.parser, cleanText(r.charset), cleanText(r.language), cleanText(r.title), r.simhash);
    encodePointer(r.text, out);
    out.push(r.index ? 1 : 0, r.links, text(r.aiPreferences), text(r.fields));
  },
  decode: (v) => ({
    id: number(v[0]),
    batch: number(v[1]),
    visit: number(v[2]),
    at: number(v[3]),
    parser: number(v[4]),
    charset: string(v[5]),
    language: string(v[6]),
    title: string(v[7]),
    simhash: v[8] as string | null,
    text: decodePointer(v, 9),
    index: v[12] === 1,
    links: number(v[13]),
    aiPreferences: v[14] as string | null,
    fields: v[15] as string | null,
  }),
};

const robots: TableCodec<RobotsRow> = {
  sql: 'robots',
  columns: ['origin', 'host', 'at', 'request', 'status', 'code', 'body', 'failures', 'failing_since'],
  chunk: 32,
  encode: (r, out) =>
    out.push(cleanText(r.origin), r.host, r.at, r.request, r.status, r.code, r.body, r.failures, r.failingSince),
  decode: (v) => ({
    batch: number(v[1]),
    origin: string(v[2]),
    host: number(v[3]),
    at: number(v[4]),
    request: number(v[5]),
    status: number(v[6]),
    code: v[7] as RobotsRow['code'],
    body: bytes(v[8]),
    failures: number(v[9]),
    failingSince: v[10] as number | null,
  }),
};

const hostEvents: TableCodec<HostEventRow> = {
  sql: 'host_events',
  columns: ['host', 'at', 'kind', 'until', 'value', 'words'],
  chunk: 2048,
  encode: (r, out) => out.push(r.host, r.at, r.kind, r.until, r.value, cleanText(r.words)),
  decode: (v) => ({
    batch: number(v[1]),
    host: number(v[2]),
    at: number(v[3]),
    kind: v[4] as HostEventRow['kind'],
    until: number(v[5]),
    value: number(v[6]),
    words: string(v[7]),
  }),
};

const denied: TableCodec<DeniedRow> = {
  sql: 'denied',
  columns: ['url', 'at', 'denied'],
  chunk: 2048,
  encode: (r, out) => out.push(r.url, r.at, r.denied ? 1 : 0),
  decode: (v) => ({ batch: number(v[1]), url: number(v[2]), at: number(v[3]), denied: v[4] === 1 }),
};

/** What stands in `dead` of a row that is about the letter alone. */
const LETTERS = [undefined, undefined, 'dropped', 'restored'] as const;

const dead: TableCodec<DeadRow> = {
  sql: 'dead_letters',
  columns: ['url', 'at', 'dead', 'code', 'history'],
  chunk: 1024,
  encode: (r, out) => {
    const dead = r.letter === undefined ? Number(r.dead) : LETTERS.indexOf(r.letter);
    out.push(r.url, r.at, dead, r.code, JSON.stringify(r.history));
  },
  decode: (v) => {
    const letter = LETTERS[number(v[4])];
    return {
      batch: number(v[1]),
      url: number(v[2]),
      at: number(v[3]),
      dead: v[4] !== 0,
      code: v[5] as DeadRow['code'],
      history: JSON.parse(string(v[6])) as DeadRow['history'],
      ...(letter !== undefined && { letter }),
    };
  },
};

const segments: TableCodec<SegmentRow> = {
  sql: 'segments',
  columns: ['id', 'name', 'kind', 'at', 'closed', 'length'],
  chunk: 2048,
  encode: (r, out) => out.push(r.id, cleanText(r.name), r.kind, r.at, r.closed ? 1 : 0, r.length),
  decode: (v) => ({
    batch: number(v[1]),
    id: number(v[2]),
    name: string(v[3]),
    kind: v[4] as SegmentRow['kind'],
    at: number(v[5]),
    closed: v[6] === 1,
    length: number(v[7]),
  }),
};

const seeds: TableCodec<SeedRow> = {
  sql: 'seeds',
  columns: ['url'],
  chunk: 8192,
  encode: (r, out) => out.push(r.url),
  decode: (v) => ({ batch: number(v[1]), url: number(v[2]) }),
};

export const CODECS: { readonly [T in TableName]: TableCodec<Tables[T]> } = {
  hosts,
  urls,
  requests,
  visits,
  reparsed,
  robots,
  hostEvents,
  denied,
  dead,
  segments,
  seeds,
};

/** Name of the ordinal's column: the id of a row that has one. */
export const ordinalOf = (table: TableName): 'id' | 'n' => (WITH_ID.has(table) ? 'id' : 'n');

const WITH_ID: ReadonlySet<TableName> = new Set(['hosts', 'urls', 'requests', 'visits', 'reparsed']);

export const columnsOf = (table: TableName): string => [ordinalOf(table), 'batch', ...CODECS[table].columns].join(', ');
