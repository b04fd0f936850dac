/**
 * From other people's exchanges to a crawl's rows and records: URLs become known, answers are archived in segments of
 * ours, bodies are parsed, fingerprinted and kept once, as if we had fetched them. Only what is a request of ours is
 * missing: there are no rows of `requests`, since no politeness was ours to prove.
 */
import { createHash } from 'node:crypto';
import { cdxjLine } from '../archive/cdxj.js';
import type { Appended, SegmentWriter } from '../archive/segments.js';
import type { Changes, RecordPointer, VisitRow } from '../changes.js';
import { KeptPages, printOf } from '../dedupe/kept-pages.js';
import { SeenTable } from '../dedupe/seen.js';
import type { StoreReader } from '../engines/ports.js';
import type { OutcomeCode } from '../errors.js';
import { type DecodeCaps, decode } from '../fetch/decode.js';
import { statusCode } from '../fetch/http-messages.js';
import {
  type DocumentAnswer,
  type DocumentReading,
  type HandledDocument,
  readDocument,
  readingOf,
} from '../parse/documents.js';
import { documentOf, factsOf, type HeavyTypes } from '../parse/stage.js';
import { domainOf } from '../url/domain.js';
import type { UrlKeyer } from '../url/key.js';
import type { Normalizer, NormalUrl } from '../url/normalize.js';
import { partitionOf } from '../url/partition.js';
import type { ForeignExchange } from './foreign-exchanges.js';
import { rows } from './states.js';

export interface ImportParts {
  normalizer: Normalizer;
  keyer: UrlKeyer;
  warc: SegmentWriter;
  text: SegmentWriter;
  caps: DecodeCaps;
  agent: string;
  /** `simhash.shingles` and `simhash.distance`. */
  shingles: number;
  distance: number;
  heavy: HeavyTypes;
  documents: { read(mediaType: string, document: HandledDocument): Promise<DocumentAnswer> };
  /** Tells whether nothing of a host is to be taken. */
  leavesOut: (host: string) => boolean;
  /** Hosts are spread over so many partitions. */
  partitions: number;
  /** A record was appended: its segment, and its line of the index. */
  onArchived: (segment: string, cdxj: string) => void;
}

export interface ImportCounts {
  /** Answers that were taken. */
  records: number;
  /** Of these: 2xx with a body; and pages whose content, or nearly, was there. */
  pages: number;
  duplicates: number;
  nearDuplicates: number;
  /** What was not taken, by reason. */
  skipped: Record<string, number>;
}

const MAX_HEADER = 1_000;
/** Of what a host answers to errors nothing is asked here. */
const NO_HOST = 0;
/** Codes that say something about the URL for good; a server's bad day does not. */
const KEPT: ReadonlySet<OutcomeCode> = new Set(['ok', 'redirect', 'http.gone', 'http.client', 'http.status']);

export class Importer {
  readonly counts: ImportCounts = { records: 0, pages: 0, duplicates: 0, nearDuplicates: 0, skipped: {} };
  readonly #parts: ImportParts;
  readonly #reader: StoreReader;
  readonly #urls = new SeenTable();
  readonly #hosts = new Map<string, number>();
  readonly #segments = new Map<string, { id: number; kind: 'warc' | 'text' }>();
  readonly #kept: KeptPages;
  /** Visits by payload (64 bits of SHA-1); the URL of each visit. */
  readonly #payloads = new SeenTable();
  readonly #urlOf: number[] = [];
  /** By URL: the date of its last visit. */
  readonly #lastAt: number[] = [];

  /** Reads what the store holds. */
  constructor(reader: StoreReader, parts: ImportParts) {
    this.#parts = parts;
    this.#reader = reader;
    this.#kept = new KeptPages(2 * reader.count('visits'), parts.distance);
    for (const { id, name } of rows(reader, 'hosts')) this.#hosts.set(name, id);
    for (const { id, keyHi, keyLo } of rows(reader, 'urls')) {
      this.#urls.insert(keyHi, keyLo, id);
      this.#lastAt.push(-1);
    }
    for (const { id, name, kind } of rows(reader, 'segments')) this.#segments.set(name, { id, kind });
    for (const visit of rows(reader, 'visits')) this.#remember(visit);
    for (const { visit, simhash } of rows(reader, 'reparsed')) this.#kept.reread(visit, simhash);
  }

  skip(reason: string): void {
    this.counts.skipped[reason] = (this.counts.skipped[reason] ?? 0) + 1;
  }

  /** Takes an exchange, or counts why not. Rejects only if the archive cannot be written. */
  async take(exchange: ForeignExchange, changes: Changes): Promise<void> {
    const { url: target, http, date } = exchange;
    const normal = this.#parts.normalizer.normalize(target);
    if (normal.url === null) return this.skip(`url.${normal.reason}`);
    const method = exchange.requestHead.toString('latin1', 0, 16).split(' ', 1)[0];
    if (method !== '' && method !== 'GET') return this.skip('not a GET request');
    if (this.#parts.leavesOut(normal.host)) return this.skip('of a host that is left out');
    const { pathname } = new URL(normal.fetch);
    if (pathname === '/robots.txt') return this.skip('robots.txt');
    const code = statusCode(http.status, http.headers.get('location'));
    if (!KEPT.has(code)) return this.skip(code);
    const held = exchange.repeats === null ? -1 : this.#find(this.#payloads, exchange.repeats);
    if (exchange.repeats !== null && held < 0) return this.skip('revisit of what is not there');
    const url = this.#urlId(normal, date, changes);
    if (date <= this.#lastAt[url]) return this.skip('not newer than what is known');
    if (held >= 0 && this.#urlOf[held] === url) return this.skip('revisit of the page itself');
    this.counts.records++;
    await this.#visit(exchange, { url, target, code, held, fetch: normal.fetch }, changes);
  }

  /** A segment of ours was closed. */
  close(name: string, length: number, at: number, changes: Changes): void {
    const segment = this.#segments.get(name);
    if (segment !== undefined) changes.segments.push({ ...segment, name, at, closed: true, length });
  }

  async #visit(
    exchange: ForeignExchange,
    place: { url: number; target: string; code: OutcomeCode; held: number; fetch: string },
    changes: Changes,
  ): Promise<void> {
    const { http, date } = exchange;
    const { url, code, target } = place;
    const hasBody = http.payload.length > 0 && exchange.repeats === null;
    const digest = hasBody ? createHash('sha1').update(http.payload).digest() : null;
    const record = this.#archive(exchange, digest);
    const visit: VisitRow = {
      ...{ id: this.#urlOf.length, url, kind: 'page', request: -1, at: date, status: http.status, code },
      finalUrl: target === place.fetch ? null : target,
      contentType: header(http.headers.get('content-type')),
      ...{
        charset: '',
        language: '',
        title: '',
        contentHash: null,
        payloadDigest: digest ?? exchange.repeats,
        simhash: null,
      },
      etag: header(http.headers.get('etag')) || null,
      lastModified: header(http.headers.get('last-modified')) || null,
      record: this.#pointer(record, 'warc', date, changes),
      ...{ text: null, changed: true, duplicateOf: place.held < 0 ? -1 : this.#urlOf[place.held] },
      ...{ near: false, index: true },
      ...{ nextVisit: null, bytes: http.payload.length, links: 0, aiPreferences: null, parser: 0, fields: null },
      ...{ bodyOf: -1, history: null },
    };
    if (place.held >= 0) visit.contentHash = this.#row(place.held, changes).contentHash;
    if (code === 'ok' && hasBody) await this.#parse(exchange, visit, record, changes);
    if (code === 'ok' && visit.contentHash !== null) this.counts.pages++;
    if (place.held >= 0) this.counts.duplicates++;
    changes.visits.push(visit);
    this.#remember(visit);
  }

  #archive({ url, date, address, requestHead, http, truncated, repeats }: ForeignExchange, digest: Buffer | null) {
    const record = this.#parts.warc.append({
      ...{ url, address, date, requestHead, responseHead: http.head, payload: http.payload, truncated },
      payloadDigest: digest ?? repeats ?? undefined,
      // what it refers to may have come with another date: the digest says which payload
      revisit: repeats === null ? undefined : { profile: 'identical-payload-digest', refersTo: { url, date } },
    });
    const { segment, offset, length, payloadDigest } = record;
    const contentType = http.headers.get('content-type') ?? '';
    const entry = { url, date, status: http.status, contentType, revisit: repeats !== null, payloadDigest };
    this.#parts.onArchived(segment, cdxjLine({ ...entry, offset, length, segment }));
    return record;
  }

  /** Reads the body; keeps its text, unless some page has it. */
  async #parse(exchange: ForeignExchange, visit: VisitRow, record: Appended, changes: Changes): Promise<void> {
    const { http, date, url } = exchange;
    const { body } = await decode(http.payload, codingsOf(exchange), this.#parts.caps);
    visit.contentHash = createHash('sha256').update(body).digest();
    const exact = this.#kept.content.visitOf(visit.contentHash);
    if (exact >= 0 && this.#urlOf[exact] !== visit.url) visit.duplicateOf = this.#urlOf[exact];
    const { reading, failure } = await this.#read(exchange, body, visit.duplicateOf >= 0);
    Object.assign(visit, factsOf(reading, http.headers, failure, this.#parts.shingles));
    if (visit.duplicateOf >= 0) this.counts.duplicates++;
    else if (exact < 0 && this.#isNear(visit)) this.counts.nearDuplicates++;
    if (visit.duplicateOf >= 0 || reading === null || reading.text === '') return;
    const text = this.#parts.text.appendConversion({
      ...{ url, date, text: reading.text, refersTo: record.recordId },
      language: visit.language === '' ? null : visit.language,
    });
    this.#parts.onArchived(text.segment, '');
    visit.text = this.#pointer(text, 'text', date, changes);
  }

  async #read(
    { url, http, truncated }: ForeignExchange,
    body: Buffer,
    isDuplicate: boolean,
  ): Promise<{ reading: DocumentReading | null; failure: string | null }> {
    // biome-ignore format: short
    const { mediaType, input } = documentOf(body, url, http.headers, this.#parts.agent);
    if (!this.#parts.heavy.has(mediaType) || isDuplicate) {
      return { reading: readDocument(mediaType, input), failure: null };
    }
    if (truncated !== null) return { reading: null, failure: 'it is longer than what is read of its type' };
    const document = { bytes: body, url, contentType: input.contentType ?? '' };
    const answer = await this.#parts.documents.read(mediaType, document);
    if ('failure' in answer) return { reading: null, failure: answer.failure };
    return { reading: readingOf(answer.answer, input), failure: null };
  }

  /** A page within 3 bits of one that is kept is its near-duplicate; a URL's own earlier visit does not count. */
  #isNear(visit: VisitRow): boolean {
    const print = printOf(visit.simhash);
    const of = print === null ? -1 : this.#kept.near.find(print.hi, print.lo, visit.url);
    if (of < 0) return false;
    visit.duplicateOf = of;
    visit.near = true;
    return true;
  }

  #urlId({ url, fetch, host }: NormalUrl, at: number, changes: Changes): number {
    const { keyer, partitions } = this.#parts;
    keyer.hash(url);
    const known = this.#urls.get(keyer.hi, keyer.lo);
    if (known >= 0) return known;
    const id = this.#lastAt.length;
    this.#urls.insert(keyer.hi, keyer.lo, id);
    this.#lastAt.push(-1);
    changes.urls.push({
      ...{ id, partition: partitionOf(host, partitions), host: this.#hostId(host, at, changes) },
      ...{ keyHi: keyer.hi, keyLo: keyer.lo, kind: 'page', level: 0, depth: 0, hops: 0, via: -1, url: fetch },
    });
    return id;
  }

  #hostId(name: string, at: number, changes: Changes): number {
    const known = this.#hosts.get(name);
    if (known !== undefined) return known;
    const id = this.#hosts.size;
    this.#hosts.set(name, id);
    changes.hosts.push({ id, name, domain: domainOf(name), named: false, budget: null, at });
    return id;
  }

  #pointer(
    { segment: name, offset, length }: Appended,
    kind: 'warc' | 'text',
    at: number,
    changes: Changes,
  ): RecordPointer {
    let segment = this.#segments.get(name);
    if (segment === undefined) {
      segment = { id: this.#segments.size, kind };
      this.#segments.set(name, segment);
      changes.segments.push({ ...segment, name, at, closed: false, length: 0 });
    }
    return { segment: segment.id, offset, length };
  }

  #remember(visit: VisitRow): void {
    const { id, url, at, payloadDigest } = visit;
    this.#urlOf[id] = url;
    this.#lastAt[url] = Math.max(this.#lastAt[url], at);
    this.#kept.settled(visit, NO_HOST);
    if (visit.code === 'ok' && payloadDigest !== null)
      this.#payloads.insert(lane(payloadDigest, 0), lane(payloadDigest, 4), id);
  }

  /** A visit, which may not be committed yet. */
  #row(visit: number, { visits }: Changes): VisitRow {
    const first = visits.at(0)?.id ?? Number.POSITIVE_INFINITY;
    return visit >= first ? visits[visit - first] : this.#reader.at('visits', [visit])[0];
  }

  #find(table: SeenTable, digest: Uint8Array): number {
    return digest.length < 8 ? -1 : table.get(lane(digest, 0), lane(digest, 4));
  }
}

const lane = (bytes: Uint8Array, at: number): number =>
  ((bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]) >>> 0;

const header = (value: string | null): string => (value === null || value.length > MAX_HEADER ? '' : value);

const codingsOf = ({ http }: ForeignExchange): string[] =>
  http.headers
    .all('content-encoding')
    .flatMap((value) => value.toLowerCase().split(','))
    .map((name) => name.trim());
