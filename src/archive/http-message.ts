/**
 * The HTTP message in the block of a request, response or revisit record.
 */
import { HeaderFields, type WarcRecord } from './warc-record.js';

export interface HttpMessage {
  /** Status code, 0 for a request or where the first line gives none. */
  status: number;
  /** Reason phrase of a response, or ''. */
  reason: string;
  /** The first line as it stands. */
  startLine: string;
  headers: HeaderFields;
  /** Everything before the payload, with the empty line. */
  head: Buffer;
  payload: Buffer;
}

export interface SplitOptions {
  /** Other tools keep the transfer coding: decode a chunked payload. A payload that only claims to be chunked stays as
   * it is. Default false. */
  dechunk?: boolean;
}

/**
 * Splits the block of a record at its first empty line. Null if the record holds no HTTP message. Never throws: a head
 * without an end is all head.
 */
export function splitHttp(record: WarcRecord, { dechunk = false }: SplitOptions = {}): HttpMessage | null {
  if (!holdsHttp(record)) return null;
  const { block } = record;
  const end = headEnd(block);
  const head = block.subarray(0, end);
  const lines = head.toString('latin1').split(/\r?\n/);
  const first = lines.findIndex((line) => line !== '');
  const startLine = first === -1 ? '' : lines[first];
  const headers = HeaderFields.parse(first === -1 ? [] : lines.slice(first + 1).filter(Boolean), []);
  const match = /^[^\s/]+\/?[\d.]*\s+(\d{3})(?:\s+(.*))?$/.exec(startLine);
  let payload = block.subarray(end);
  if (dechunk && /\bchunked\b/i.test(headers.get('Transfer-Encoding') ?? ''))
    payload = decodeChunked(payload) ?? payload;
  return { status: match ? Number(match[1]) : 0, reason: match?.[2] ?? '', startLine, headers, head, payload };
}

function holdsHttp({ format, type, contentType, url, block, blockLength }: WarcRecord): boolean {
  if (format === 'arc')
    return type === 'response' && /^https?:/i.test(url ?? '') && (startsHttp(block) || isBlank(block));
  if (blockLength === 0) return false;
  return /^application\/http\b/i.test(contentType ?? '') || (type === 'response' && startsHttp(block));
}

const startsHttp = (block: Buffer): boolean => block.toString('latin1', 0, 5) === 'HTTP/';
const isBlank = (block: Buffer): boolean => block.length < 16 && block.toString('latin1').trim() === '';

/** The offset behind the first empty line that follows another line; the whole length if there is none. Lines end in
 * LF, with or without CR. */
function headEnd(block: Buffer): number {
  let at = 0;
  while (block[at] === 10 || block[at] === 13) at++; // empty lines before the message
  for (;;) {
    const lf = block.indexOf(10, at);
    if (lf === -1) return block.length;
    if (block[lf + 1] === 10) return lf + 2;
    if (block[lf + 1] === 13 && block[lf + 2] === 10) return lf + 3;
    at = lf + 1;
  }
}

/**
 * The data of a chunked body (RFC 9112, 7.1); extensions and trailers are dropped. A body that breaks off gives the
 * chunks, or the part of one, that are there. Null if the body does not begin like a chunked one.
 */
export function decodeChunked(body: Buffer): Buffer | null {
  const parts: Buffer[] = [];
  let at = 0;
  while (at < body.length) {
    const lf = body.indexOf(10, at);
    // 16 digits of size and an extension: a longer line is no chunk's.
    const line = lf === -1 || lf - at > 4096 ? '' : body.toString('latin1', at, lf);
    const digits = /^\s*([0-9a-f]{1,12})\s*(?:;.*)?\r?$/i.exec(line)?.[1];
    if (digits === undefined) return parts.length === 0 ? null : Buffer.concat(parts);
    const size = Number.parseInt(digits, 16);
    if (size === 0) break;
    parts.push(body.subarray(lf + 1, lf + 1 + size));
    at = lf + 1 + size;
    if (body[at] === 13) at++;
    if (body[at] === 10) at++;
  }
  return Buffer.concat(parts);
}
