/**
 * Reads one HTTP/1 answer from the bytes of a connection. Pure: bytes in, state out, no socket and no clock; so it can be
 * fuzzed, and so that any split of the same bytes gives the same answer.
 *
 * It reads what browsers read (bare LF, folded and broken header lines, junk before the status line, interim answers,
 * a missing reason, bodies that end early) and stays inside its caps whatever comes. The message's end follows RFC 9112,
 * 6.3. What cannot be told apart safely (two different Content-Lengths) is an error.
 */
import type { OutcomeCode } from '../errors.js';
import { BodyBuffer, ChunkedReader } from './http-body.js';
import { parseHead, type ResponseHead } from './http-headers.js';

export type Truncation = 'length' | 'time' | 'disconnect';

/** What to do with a body, decided from the head. `limit` in bytes after the transfer coding is removed. */
export interface BodyPlan {
  readonly limit: number;
  /** Stop before the body; `error` says why, null where the status alone says enough. */
  readonly stop: boolean;
  readonly error: OutcomeCode | null;
}

export interface ResponseReaderOptions {
  /** Cap on all heads of this answer together: junk, interim answers, the final head. Bytes. */
  readonly maxHeaderBytes: number;
  /** Asked once, when the final head is complete; `length` is the announced length or null. */
  readonly plan: (head: ResponseHead, length: number | null) => BodyPlan;
}

const LF = 0x0a;
const CR = 0x0d;
const EMPTY = Buffer.alloc(0);
/** How far from the first byte a status line may begin: what a sloppy server left over of its last answer. */
const MAX_JUNK = 1024;
/** What a status line needs to be known as one. */
const LONGEST_START = 16;
const FIRST_HEAD_CAPACITY = 2048;
/** At the very start the version is enough to wait for the rest; elsewhere only a whole status line is one. */
const STATUS_START = /^HTTP\/\d|^ICY[ \t]|HTTP(?:\/\d(?:\.\d+)?)?[ \t]+\d{3}/i;

type ReaderState = 'head' | 'fixed' | 'chunked' | 'until-close' | 'done';

export class ResponseReader {
  /** The final head, once it is complete. */
  head: ResponseHead | null = null;
  /** The final head as it came, from the status line to the empty line, both included. */
  headBytes: Buffer = EMPTY;
  /** Why the answer cannot be used (or was not read further by plan); null while all is well. */
  error: OutcomeCode | null = null;
  /** What exactly made it so. */
  detail = '';
  /** Why the body is not all that the server had to say. */
  truncated: Truncation | null = null;
  /** Bytes taken in, heads and framing included. */
  received = 0;

  readonly #options: ResponseReaderOptions;
  #state: ReaderState = 'head';
  #headBuffer: Buffer = EMPTY;
  #headLength = 0;
  /** Where the status line begins in the head buffer; -1 while unknown. */
  #headStart = -1;
  /** Start of the first line of the head that is not complete yet. */
  #lineStart = 0;
  #headTotal = 0;
  #body: BodyBuffer | null = null;
  #chunked: ChunkedReader | null = null;
  #length = 0;
  #persistent = false;

  constructor(options: ResponseReaderOptions) {
    this.#options = options;
  }

  /** Nothing more will be read: the answer is complete, or was stopped. */
  get done(): boolean {
    return this.#state === 'done';
  }

  /** The whole body is here, only the end of its framing is missing: not worth waiting long for. */
  get bodyComplete(): boolean {
    return this.#chunked?.lastSeen ?? false;
  }

  /** Complete, ended by its own framing, and nothing behind it: the connection can carry another request. */
  get reusable(): boolean {
    return this.done && this.#persistent;
  }

  /** Some bytes of a body have come. */
  get bodyBegun(): boolean {
    return this.#body !== null && this.#body.length > 0;
  }

  /** The body without its transfer coding (chunked); other transfer codings are still on it. */
  takeBody(): Buffer {
    const body = this.#body?.take() ?? EMPTY;
    this.#body = null;
    return body;
  }

  /** Takes in bytes; they are copied where they are kept. Returns {@link done}. */
  push(bytes: Buffer): boolean {
    this.received += bytes.length;
    if (this.#state === 'head') this.#pushHead(bytes);
    else this.#pushBody(bytes, 0);
    return this.done;
  }

  /** The peer has closed its side. */
  end(): void {
    if (this.done) return;
    const whole = this.#state === 'until-close' || this.bodyComplete;
    if (this.looksForeign) this.#fail('http.malformed', 'no status line');
    else if (this.#state === 'head') this.#fail('read.closed', 'closed before the head was complete');
    else if (!whole) this.truncated = 'disconnect';
    this.#finish(false);
  }

  /** The reading stops here for a reason from outside (a timeout, a reset). No answer at all is not a truncated one. */
  abandon(reason: Truncation): void {
    if (this.done) return;
    if (this.head !== null && !this.bodyComplete) this.truncated = reason;
    this.#finish(false);
  }

  /** Bytes came, and none of them look like HTTP so far. */
  get looksForeign(): boolean {
    return this.#state === 'head' && this.received > 0 && this.#headStart < 0;
  }

  // -- head

  #pushHead(bytes: Buffer): void {
    const room = this.#options.maxHeaderBytes - this.#headTotal - this.#headLength;
    const taken = Math.min(bytes.length, room);
    // The usual case, a head that came in one piece, is read where it lies.
    const inPlace = this.#headLength === 0;
    if (inPlace) {
      this.#headBuffer = bytes;
      this.#headLength = taken;
    } else {
      this.#appendHead(bytes, taken);
    }
    const before = inPlace ? 0 : this.#headLength - taken;
    const end = this.#findHeadEnd();
    if (this.done) return;
    if (end < 0) {
      if (taken < bytes.length || taken === room) {
        this.#fail('http.headers', `head over ${this.#options.maxHeaderBytes} bytes`);
      } else if (inPlace) {
        this.#headBuffer = Buffer.allocUnsafe(Math.max(FIRST_HEAD_CAPACITY, 2 * taken));
        bytes.copy(this.#headBuffer, 0, 0, taken);
      }
      return;
    }
    this.#takeHead(end);
    this.#afterHead(bytes, end - before);
  }

  #appendHead(bytes: Buffer, taken: number): void {
    const needed = this.#headLength + taken;
    if (needed > this.#headBuffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.#headBuffer.length));
      this.#headBuffer.copy(grown, 0, 0, this.#headLength);
      this.#headBuffer = grown;
    }
    bytes.copy(this.#headBuffer, this.#headLength, 0, taken);
    this.#headLength = needed;
  }

  /** The offset behind the empty line, or -1 while it has not come. Each byte is looked at once or twice, however the
   * head is split. */
  #findHeadEnd(): number {
    if (this.#headStart < 0 && !this.#findStatusLine()) return -1;
    const buffer = this.#headBuffer;
    let line = this.#lineStart;
    while (true) {
      const lf = buffer.indexOf(LF, line);
      if (lf < 0 || lf >= this.#headLength) break;
      if (lf === line || (lf === line + 1 && buffer[line] === CR)) return lf + 1;
      line = lf + 1;
    }
    this.#lineStart = line;
    return -1;
  }

  #findStatusLine(): boolean {
    const text = this.#headBuffer.toString('latin1', 0, Math.min(this.#headLength, MAX_JUNK + LONGEST_START));
    const start = text.search(STATUS_START);
    if (start < 0 || start > MAX_JUNK) {
      if (this.#headLength > MAX_JUNK + LONGEST_START) this.#fail('http.malformed', 'no status line');
      return false;
    }
    this.#headStart = start;
    this.#lineStart = start;
    return true;
  }

  #takeHead(end: number): void {
    const raw = this.#headBuffer.subarray(this.#headStart, end);
    const head = parseHead(raw.toString('latin1'));
    if (head === null) {
      this.#fail('http.malformed', 'bad status line');
      return;
    }
    this.#headTotal += end;
    // 101 would be the end of HTTP on this connection; all other interim answers are followed by the real one.
    const interim = head.status < 200 && head.status !== 101;
    if (!interim) {
      this.headBytes = Buffer.from(raw);
      this.head = head;
    }
    this.#headBuffer = EMPTY;
    this.#headLength = 0;
    this.#headStart = -1;
    this.#lineStart = 0;
  }

  #afterHead(bytes: Buffer, at: number): void {
    if (this.done) return;
    if (this.head !== null) {
      this.#beginBody(this.head);
      this.#pushBody(bytes, at);
    } else if (at < bytes.length) {
      this.#pushHead(bytes.subarray(at));
    }
  }

  // -- body

  #beginBody(head: ResponseHead): void {
    const { status, headers } = head;
    const connection = headers.tokens('connection');
    this.#persistent = head.minor >= 1 ? !connection.includes('close') : connection.includes('keep-alive');
    if (hasNoBody(status)) {
      this.#persistent &&= status !== 101;
      this.#state = 'fixed';
      return;
    }
    const codings = headers.tokens('transfer-encoding').filter((coding) => coding !== 'identity');
    const lengths = contentLengths(headers.all('content-length'));
    // Two ways of saying where the body ends, or a length that is no number: whoever made this cannot be trusted with a
    // second answer on the same connection (RFC 9112, 6.3).
    if ((codings.length > 0 && lengths.value !== null) || lengths.invalid) this.#persistent = false;
    // Wherever it stands in the list: servers name it twice, or before gzip, and chunk once.
    const chunked = codings.includes('chunked');
    if (!chunked && lengths.conflict) {
      this.#fail('http.malformed', 'different Content-Lengths');
      return;
    }
    const length = chunked ? null : lengths.value;
    const plan = this.#options.plan(head, length);
    if (plan.stop) {
      this.error = plan.error;
      this.#overLimit();
      return;
    }
    this.#length = length ?? -1;
    this.#body = new BodyBuffer(plan.limit, this.#length);
    if (chunked) {
      this.#chunked = new ChunkedReader(this.#options.maxHeaderBytes);
      this.#state = 'chunked';
    } else {
      this.#state = length === null ? 'until-close' : 'fixed';
    }
  }

  #pushBody(bytes: Buffer, at: number): void {
    if (this.#state === 'fixed') this.#pushFixed(bytes, at);
    else if (this.#state === 'chunked') this.#pushChunked(bytes, at);
    else if (this.#state === 'until-close' && !this.#body!.append(bytes, at, bytes.length)) this.#overLimit();
  }

  #pushFixed(bytes: Buffer, at: number): void {
    const body = this.#body;
    const missing = this.#length - (body?.length ?? 0);
    const end = Math.min(bytes.length, at + missing);
    if (body !== null && (!body.append(bytes, at, end) || (body.length === body.limit && end - at < missing))) {
      this.#overLimit();
    } else if (end - at === missing) {
      // Bytes behind the end belong to nothing that was asked for.
      this.#finish(end === bytes.length);
    }
  }

  #pushChunked(bytes: Buffer, at: number): void {
    const body = this.#body!;
    const chunked = this.#chunked!;
    const stopped = chunked.push(bytes, at, body);
    if (body.overflowed || chunked.overhead > 2 * body.limit + this.#options.maxHeaderBytes) {
      this.#overLimit();
    } else if (chunked.state === 'done') {
      this.#finish(stopped === bytes.length);
    } else if (chunked.state === 'broken') {
      // Framing that makes no sense: what came before it is kept, as after an early close.
      if (body.length === 0) this.#fail('http.malformed', 'bad chunk size');
      else if (!chunked.lastSeen) this.truncated = 'disconnect';
      this.#finish(false);
    }
  }

  #overLimit(): void {
    this.truncated = 'length';
    this.#finish(false);
  }

  #fail(error: OutcomeCode, detail: string): void {
    this.error = error;
    this.detail = detail;
    this.#finish(false);
  }

  #finish(connectionIsClean: boolean): void {
    this.#persistent &&= connectionIsClean;
    this.#state = 'done';
    this.#headBuffer = EMPTY;
  }
}

/** 1xx (only 101 comes here), 204 and 304 have no body, whatever their headers say (RFC 9112, 6.3). */
const hasNoBody = (status: number): boolean => status < 200 || status === 204 || status === 304;

interface ContentLengths {
  value: number | null;
  /** Two lengths that differ. */
  conflict: boolean;
  /** Something that is no length: ignored, and the body ends with the connection, as browsers do it. */
  invalid: boolean;
}

/** Content-Length, possibly repeated on lines of its own or in a list (RFC 9110, 8.6: equal ones count once). */
function contentLengths(values: readonly string[]): ContentLengths {
  const result: ContentLengths = { value: null, conflict: false, invalid: false };
  for (const value of values) {
    for (const item of value.split(',')) {
      const digits = /^[ \t]*\+?(\d{1,15})[ \t]*$/.exec(item);
      if (digits === null) {
        result.invalid = true;
        continue;
      }
      const length = Number(digits[1]);
      if (result.value !== null && result.value !== length) result.conflict = true;
      result.value = length;
    }
  }
  return result;
}
