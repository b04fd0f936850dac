/**
 * Builds WARC 1.1 records as gzip members (ISO 28500:2017; DESIGN section 8). Nothing here touches a file: see
 * `segments.ts`.
 *
 * A request that got no answer (DNS, refused, nothing that is HTTP) has no record of any kind: there are no bytes to
 * keep, and its row in `requests` says what happened. A metadata record would only repeat that row.
 */
import { createHash, hash } from 'node:crypto';
import { bodyBuffers } from '../buffer-pool.js';
import { gzipRecord } from './gzip-member.js';
import type { RecordRoom } from './record-room.js';
import { storedHead } from './stored-head.js';
import { escapeUri, escapeValue, type RandomFill, RecordIds, sha1Label, warcDate } from './warc-fields.js';

const VERSION = 'WARC/1.1';
const CONFORMS_TO = 'http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/';
const PROFILE = 'http://netpreserve.org/warc/1.1/revisit/';
const NO_BYTES = Buffer.alloc(0);

/** The record that holds what a revisit did not store again. `date` is that record's own date, wall ms. */
export interface RefersTo {
  url: string;
  date: number;
  /** `urn:uuid:...`, where it is known. */
  recordId?: string;
}

export interface Revisit {
  /** `identical-payload-digest`: the payload came and has the digest of an earlier one. `server-not-modified`: a 304. */
  profile: 'identical-payload-digest' | 'server-not-modified';
  refersTo: RefersTo;
}

/** One request and its answer, whole or cut. */
export interface Exchange {
  /** The exact URL that was requested. */
  url: string;
  /** The address that was connected to, IPv4 or IPv6 without brackets; empty if unknown. */
  address: string;
  /** Wall clock of the request, ms. */
  date: number;
  /** Empty if it is not known (an exchange of somebody else's): then there is no request record. */
  requestHead: Buffer;
  /** As it came from the wire, status line to empty line. */
  responseHead: Buffer;
  /** The entity: transfer coding removed, content coding kept. */
  payload: Buffer;
  truncated: null | 'length' | 'time' | 'disconnect';
  /** What was wrong with the server's certificate, where the page was fetched all the same. */
  certificate?: string | null;
  /** SHA-1 of `payload` (of the earlier payload for a 304), 20 bytes, if the caller has it already. */
  payloadDigest?: Uint8Array;
  /** Writes a revisit record instead of a response: the head without the payload. */
  revisit?: Revisit;
}

/** The main text of a page that was archived. */
export interface Conversion {
  url: string;
  /** Wall clock of the visit, ms. */
  date: number;
  text: string | Buffer;
  /** Id of the response record that the text was taken from. */
  refersTo: string;
  /** Language tag, if known; written as `WARC-Identified-Content-Language`, the name that Common Crawl gave it. */
  language?: string | null;
}

/** Who wrote a segment, how and why: the fields of its warcinfo record. Empty ones are left out. */
export interface WarcInfo {
  /** For example `Saunter/1.0`. */
  software: string;
  /** The User-Agent header that is sent. */
  userAgent?: string;
  /** URL or mailto of whoever runs the crawl. */
  operator?: string;
  /** Name of the crawl that the segment belongs to. */
  isPartOf?: string;
  description?: string;
  /** How robots.txt was treated. Default `obey`. */
  robots?: string;
}

export interface EncodedRecord {
  bytes: Buffer;
  recordId: string;
  /** SHA-1 of the payload, 20 bytes. */
  payloadDigest: Uint8Array;
}

/** A request and its response (or revisit) record, to be written in this order: the response then ends the pair, so
 * that a file cut at the end of a response holds no stray request. */
export interface EncodedExchange extends EncodedRecord {
  request: Buffer;
}

const sha1 = (bytes: Uint8Array): Buffer => hash('sha1', bytes, 'buffer');

/** Characters of a text whose bytes need not be counted first: its room may be three times as large. */
const USUAL_TEXT = 100_000;

/** The UTF-8 of a text, in a buffer that is to be given back. */
function encode(text: string): Buffer {
  const room = bodyBuffers.take(text.length > USUAL_TEXT ? Buffer.byteLength(text) : text.length * 3);
  return room.subarray(0, room.write(text));
}

export class WarcWriter {
  readonly #ids: RecordIds;
  readonly #level: number;
  readonly #room: RecordRoom | undefined;

  /**
   * @param level zlib level for what is worth deflating; 1 takes half the time of 6.
   * @param room where records are put together: they are good until it is cleared.
   */
  constructor(random?: RandomFill, level = 1, room?: RecordRoom) {
    this.#ids = new RecordIds(random);
    this.#level = level;
    this.#room = room;
  }

  /** The record that begins a segment (WARC 1.1, 6.2). */
  info(fileName: string, date: number, info: WarcInfo): Buffer {
    const fields: [string, string | undefined][] = [
      ['software', info.software],
      ['format', 'WARC File Format 1.1'],
      ['conformsTo', CONFORMS_TO],
      ['robots', info.robots ?? 'obey'],
      ['http-header-user-agent', info.userAgent],
      ['operator', info.operator],
      ['isPartOf', info.isPartOf],
      ['description', info.description],
    ];
    let text = '';
    for (const [name, value] of fields) if (value) text += `${name}: ${escapeValue(value)}\r\n`;
    const block = Buffer.from(text);
    const head =
      this.#begin('warcinfo', this.#ids.next(), date) +
      `WARC-Filename: ${escapeValue(fileName)}\r\n` +
      this.#end('application/warc-fields', sha1(block), block.length);
    return this.#member(Buffer.from(head), block);
  }

  /** Request and response, or request and revisit. */
  exchange(exchange: Exchange): EncodedExchange {
    const recordId = this.#ids.next();
    const payloadDigest = exchange.payloadDigest ?? sha1(exchange.payload);
    return {
      request: this.#request(exchange, recordId),
      bytes: this.#response(exchange, recordId, payloadDigest),
      recordId,
      payloadDigest,
    };
  }

  /** A `conversion` record (WARC 1.1, 6.8): the text of a page as UTF-8. */
  conversion(conversion: Conversion): EncodedRecord {
    const block = typeof conversion.text === 'string' ? encode(conversion.text) : conversion.text;
    const digest = sha1(block);
    const recordId = this.#ids.next();
    let head = this.#begin('conversion', recordId, conversion.date);
    head += `WARC-Target-URI: ${escapeUri(conversion.url)}\r\nWARC-Refers-To: <${escapeUri(conversion.refersTo)}>\r\n`;
    if (conversion.language) head += `WARC-Identified-Content-Language: ${escapeValue(conversion.language)}\r\n`;
    head += this.#end('text/plain; charset=utf-8', digest, block.length);
    const bytes = this.#member(Buffer.from(head), block);
    if (typeof conversion.text === 'string') bodyBuffers.give(block);
    return { bytes, recordId, payloadDigest: digest };
  }

  #request({ url, date, requestHead }: Exchange, responseId: string): Buffer {
    if (requestHead.length === 0) return NO_BYTES;
    const head =
      this.#begin('request', this.#ids.next(), date) +
      `WARC-Target-URI: ${escapeUri(url)}\r\nWARC-Concurrent-To: <${responseId}>\r\n` +
      this.#end('application/http; msgtype=request', sha1(requestHead), requestHead.length);
    return this.#member(Buffer.from(head), requestHead);
  }

  #response(exchange: Exchange, recordId: string, payloadDigest: Uint8Array): Buffer {
    const { revisit, payload, address } = exchange;
    const notModified = revisit?.profile === 'server-not-modified';
    const httpHead = storedHead(exchange.responseHead, notModified ? null : payload.length);
    const stored = revisit ? NO_BYTES : payload;
    let head = this.#begin(revisit ? 'revisit' : 'response', recordId, exchange.date);
    head += `WARC-Target-URI: ${escapeUri(exchange.url)}\r\n`;
    if (address) head += `WARC-IP-Address: ${escapeUri(address)}\r\n`;
    if (exchange.certificate) head += `Saunter-Certificate: ${escapeValue(exchange.certificate)}\r\n`;
    if (!notModified || exchange.payloadDigest) head += `WARC-Payload-Digest: ${sha1Label(payloadDigest)}\r\n`;
    if (revisit) head += revisitFields(revisit);
    // WARC 1.1, 6.7.2: a payload left out for its digest is a truncation by length.
    const truncated = revisit && !notModified ? 'length' : exchange.truncated;
    if (truncated) head += `WARC-Truncated: ${truncated}\r\n`;
    const length = httpHead.length + stored.length;
    const block = createHash('sha1').update(httpHead).update(stored);
    head += this.#end('application/http; msgtype=response', block.digest(), length);
    return this.#member(Buffer.concat([Buffer.from(head), httpHead]), stored);
  }

  #member(head: Buffer, body: Buffer): Buffer {
    return gzipRecord(head, body, this.#level, this.#room);
  }

  #begin(type: string, recordId: string, date: number): string {
    return `${VERSION}\r\nWARC-Type: ${type}\r\nWARC-Record-ID: <${recordId}>\r\nWARC-Date: ${warcDate(date)}\r\n`;
  }

  #end(contentType: string, blockDigest: Uint8Array, length: number): string {
    const digest = sha1Label(blockDigest);
    return `WARC-Block-Digest: ${digest}\r\nContent-Type: ${contentType}\r\nContent-Length: ${length}\r\n\r\n`;
  }
}

function revisitFields({ profile, refersTo }: Revisit): string {
  let text = `WARC-Profile: ${PROFILE}${profile}\r\n`;
  if (refersTo.recordId) text += `WARC-Refers-To: <${escapeUri(refersTo.recordId)}>\r\n`;
  text += `WARC-Refers-To-Target-URI: ${escapeUri(refersTo.url)}\r\n`;
  return `${text}WARC-Refers-To-Date: ${warcDate(refersTo.date)}\r\n`;
}
