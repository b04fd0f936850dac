/** The body of an HTTP/1 answer: a buffer that grows up to a cap, and the chunked transfer coding (RFC 9112, 7.1). */

import { bodyBuffers } from '../buffer-pool.js';

const NOTHING = Buffer.alloc(0);
const CR = 0x0d;
const LF = 0x0a;
const FIRST_CAPACITY = 16 * 1024;
/** What is allocated for an announced length before anything came; a server that lies costs this, not what it claims. */
const TRUSTED = 64 * 1024;
/** A body that has grown over this gets its whole limit at once, if that is not large: pages of memory that nobody writes
 * to are not taken from the system, and buffers that were outgrown stay until this thread's garbage is collected. */
const GROWN = 1024 * 1024;
const LARGE_LIMIT = 8 * GROWN;
/** A chunk-size line carries a hexadecimal number and perhaps extensions that nobody uses. */
const MAX_LINE = 4096;
const CHUNK_SIZE = /^[ \t]*([0-9a-f]{1,13})[ \t]*(?:;.*)?$/i;

/** Bytes in order, up to a limit. What is over the limit is dropped and `overflowed` says so. */
export class BodyBuffer {
  readonly limit: number;
  length = 0;
  overflowed = false;
  readonly #expected: number;
  #bytes: Buffer;

  /** @param expected bytes that are announced, or -1 */
  constructor(limit: number, expected = -1) {
    this.limit = limit;
    this.#expected = expected;
    const first = expected < 0 ? FIRST_CAPACITY : Math.min(expected, TRUSTED);
    this.#bytes = bodyBuffers.take(Math.min(first, limit));
  }

  /** Copies `source[start, end)`; the source may be reused afterwards. False once bytes had to be dropped. */
  append(source: Buffer, start: number, end: number): boolean {
    const taken = Math.min(end - start, this.limit - this.length);
    if (taken < end - start) this.overflowed = true;
    if (taken > 0) {
      this.#reserve(this.length + taken);
      source.copy(this.#bytes, this.length, start, start + taken);
      this.length += taken;
    }
    return !this.overflowed;
  }

  /** The bytes so far, without slack worth mentioning. They are the caller's: nothing of them is left here. */
  take(): Buffer {
    const bytes = this.#bytes;
    const wasteful = this.length <= GROWN && bytes.length > 2 * this.length;
    const used = bytes.subarray(0, this.length);
    this.#bytes = NOTHING;
    this.length = 0;
    if (!wasteful) return used;
    const copy = Buffer.from(used);
    bodyBuffers.give(bytes);
    return copy;
  }

  #reserve(needed: number): void {
    if (needed <= this.#bytes.length) return;
    const grown = bodyBuffers.take(Math.min(this.limit, this.#sizeFor(needed)));
    this.#bytes.copy(grown, 0, 0, this.length);
    bodyBuffers.give(this.#bytes);
    this.#bytes = grown;
  }

  /** Once 64 KiB came, the announced length is believed. */
  #sizeFor(needed: number): number {
    if (this.#expected >= needed) return this.#expected;
    if (needed > GROWN && this.limit <= LARGE_LIMIT) return this.limit;
    return Math.max(needed, 2 * this.#bytes.length);
  }
}

type ChunkedState = 'size' | 'data' | 'data-end' | 'trailer' | 'done' | 'broken';

/** Removes the chunked coding. Lenient where browsers are: bare LF, extensions, blanks around the size, a missing line
 * end after the data. Trailers are read and dropped: none of them may change what we know of the page. */
export class ChunkedReader {
  state: ChunkedState = 'size';
  /** The chunk of size 0 was seen: the body is whole, whatever becomes of the trailer. */
  lastSeen = false;
  /** Bytes of framing, so that a body made of it can be stopped. */
  overhead = 0;
  readonly #maxTrailer: number;
  #remaining = 0;
  #line = '';
  #trailer = 0;

  constructor(maxTrailer: number) {
    this.#maxTrailer = maxTrailer;
  }

  /** Reads from `input[at]` on into `body`; returns where it stopped: at the end of the input, behind the coding
   * (`done`), at a fault (`broken`) or where the body was full. */
  push(input: Buffer, at: number, body: BodyBuffer): number {
    let pos = at;
    while (pos < input.length && this.state !== 'done' && this.state !== 'broken' && !body.overflowed) {
      pos = this.state === 'data' ? this.#readData(input, pos, body) : this.#readLine(input, pos);
    }
    return pos;
  }

  #readData(input: Buffer, pos: number, body: BodyBuffer): number {
    const end = Math.min(input.length, pos + this.#remaining);
    body.append(input, pos, end);
    this.#remaining -= end - pos;
    if (this.#remaining === 0) this.state = 'data-end';
    return end;
  }

  #readLine(input: Buffer, pos: number): number {
    const lf = input.indexOf(LF, pos);
    const end = lf < 0 ? input.length : lf;
    this.overhead += end - pos + 1;
    const tooLong =
      this.state === 'trailer' ? this.#trailer > this.#maxTrailer : this.#line.length + end - pos > MAX_LINE;
    if (tooLong) {
      this.state = 'broken';
      return end;
    }
    if (this.state === 'trailer') {
      this.#trailer += end - pos;
      // Of a trailer only "empty or not" matters: two characters of it say so.
      this.#line = (this.#line + input.toString('latin1', pos, Math.min(end, pos + 2))).slice(0, 2);
    } else {
      this.#line += input.toString('latin1', pos, end);
    }
    if (lf >= 0) this.#takeLine();
    return lf < 0 ? end : end + 1;
  }

  #takeLine(): void {
    const line = this.#line.charCodeAt(this.#line.length - 1) === CR ? this.#line.slice(0, -1) : this.#line;
    this.#line = '';
    if (this.state === 'trailer') {
      if (line === '') this.state = 'done';
      return;
    }
    if (this.state === 'data-end' && line === '') {
      this.state = 'size';
      return;
    }
    const size = CHUNK_SIZE.exec(line);
    if (size === null) {
      this.state = 'broken';
      return;
    }
    this.#remaining = Number.parseInt(size[1], 16);
    this.lastSeen = this.#remaining === 0;
    this.state = this.lastSeen ? 'trailer' : 'data';
  }
}
