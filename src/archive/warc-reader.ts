/**
 * Reads WARC and ARC files of any size, from any tool, in bounded memory (DESIGN sections 8 and 11: verify, import,
 * reparse). Gzip member by member, or plain.
 *
 * A file that is cut or broken ends in a {@link WarcFormatError} with the offset, after the records before that place.
 * Faults that other readers step over (a block one line longer than its Content-Length, an ARC length of -1) are noted
 * in `problems` of the record.
 */
import { hash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { constants, gunzipSync } from 'node:zlib';
import { bodyBuffers } from '../buffer-pool.js';
import { gunzipAtOnce, gunzipBeginning } from '../gunzip.js';
import { storedContent } from './gzip-member.js';
import { isGzip, type Piece, readPieces } from './inflate.js';
import { sha1Label } from './warc-fields.js';
import { parseArcLine, parseWarcHead, type RecordHead, WarcFormatError, type WarcRecord } from './warc-record.js';

export interface ReadOptions {
  /** Where to begin: the offset of a record. Default 0. */
  offset?: number;
  /** Records to read. Default all. */
  limit?: number;
  /** Bytes of a block that are kept; the rest is skipped. Default 64 MiB, more than the crawler ever stores. */
  blockLimit?: number;
}

const BLOCK_LIMIT = 64 * 1024 * 1024;
/** Bytes of a record's head. */
const HEAD_LIMIT = 256 * 1024;
/** Stray bytes behind a block that are stepped over. */
const STRAY_LIMIT = 64 * 1024;
const [LF, CR] = [10, 13];

/** The records of a file, in order. */
export async function* readRecords(path: string, options: ReadOptions = {}): AsyncGenerator<WarcRecord> {
  const { offset = 0, limit = Number.POSITIVE_INFINITY, blockLimit = BLOCK_LIMIT } = options;
  const file = await open(path, 'r');
  try {
    yield* parse(file, path, offset, limit, blockLimit);
  } finally {
    await file.close();
  }
}

async function* parse(file: FileHandle, path: string, offset: number, limit: number, blockLimit: number) {
  const source = new PieceReader(readPieces(file, path, offset), path);
  try {
    let count = 0;
    while (count < limit && (await source.skipLineEnds(true))) {
      yield await readRecord(source, blockLimit);
      count++;
    }
  } finally {
    await source.close();
  }
}

async function readRecord(source: PieceReader, blockLimit: number): Promise<WarcRecord> {
  const offset = source.offset;
  const begins = source.atMemberStart;
  const head = await readHead(source);
  const { kept, size } = await source.take(head.blockLength, blockLimit);
  if (size < head.blockLength) {
    const short = `the file ends inside a block (${size} of ${head.blockLength} bytes are there)`;
    throw new WarcFormatError(source.path, offset, short);
  }
  if (head.format === 'warc') await endOfBlock(source, head);
  await source.skipLineEnds(false);
  const end = source.recordEnd();
  return { ...head, offset, length: begins && end !== null ? end - offset : 0, block: kept };
}

async function readHead(source: PieceReader): Promise<RecordHead> {
  const offset = source.offset;
  const fail = (error: unknown): WarcFormatError => new WarcFormatError(source.path, offset, (error as Error).message);
  const first = await source.line(HEAD_LIMIT);
  if (first === null || !first.startsWith('WARC/')) {
    const arc = first === null ? null : parseArcLine(first);
    if (arc?.type === 'arc_header') await readArcVersion(source, arc);
    if (arc) return arc;
  }
  const lines = [first ?? ''];
  let left = HEAD_LIMIT;
  // A first line that begins no record is left to parseWarcHead, which says so.
  while (first?.startsWith('WARC/')) {
    const line = await source.line(left);
    if (line === null) throw fail(new Error(`the file ends, or ${HEAD_LIMIT} bytes pass, inside the head of a record`));
    if (line === '') break;
    lines.push(line);
    left -= line.length;
  }
  try {
    return parseWarcHead(lines);
  } catch (error) {
    throw fail(error);
  }
}

/** The block of an ARC's first record begins with two lines, the version and the names of the fields. They are read as
 * part of the head, also if the length (often wrong) says otherwise. */
async function readArcVersion(source: PieceReader, head: RecordHead): Promise<void> {
  let length = 0;
  for (const name of ['ARC-Version', 'ARC-Fields']) {
    const line = (await source.line(HEAD_LIMIT)) ?? '';
    length += line.length + 1;
    head.headers.add(name, line);
  }
  head.blockLength = Math.max(0, head.blockLength - length);
}

/** After a block come line ends. Anything else on its last line means that Content-Length is too small; that line is
 * skipped, and if the next is not a record's, the reader fails there. */
async function endOfBlock(source: PieceReader, head: RecordHead): Promise<void> {
  const next = await source.peek();
  if (next === null || next === LF || next === CR) return;
  const offset = source.offset;
  const stray = await source.line(STRAY_LIMIT);
  if (stray === null) throw new WarcFormatError(source.path, offset, 'a record is followed by something else');
  head.problems.push('Content-Length is too small: bytes follow the block');
}

/** The pieces of a file as lines and blocks. */
class PieceReader {
  readonly path: string;
  readonly #pieces: AsyncGenerator<Piece>;
  #piece: Piece = { bytes: Buffer.alloc(0), plain: true, start: 0, first: false, last: false, end: 0 };
  #at = 0;
  #ended = false;

  constructor(pieces: AsyncGenerator<Piece>, path: string) {
    this.#pieces = pieces;
    this.path = path;
  }

  async close(): Promise<void> {
    await this.#pieces.return(undefined);
  }

  /** Where the next byte stands in the file; for gzip, where its member does. */
  get offset(): number {
    return this.#piece.plain ? this.#piece.start + this.#at : this.#piece.start;
  }

  /** The next byte can be sought. */
  get atMemberStart(): boolean {
    return this.#piece.plain || (this.#piece.first && this.#at === 0);
  }

  /** The offset behind what was read, or null inside a gzip member. */
  recordEnd(): number | null {
    if (this.#piece.plain) return this.offset;
    return this.#piece.last && this.#at === this.#piece.bytes.length ? this.#piece.end : null;
  }

  /** Moves on to the next piece, which may be empty; false at the end of the file. */
  async #advance(): Promise<boolean> {
    if (this.#ended) return false;
    const next = await this.#pieces.next();
    if (next.done) {
      this.#ended = true;
      return false;
    }
    this.#piece = next.value;
    this.#at = 0;
    return true;
  }

  /** Moves on to a piece with bytes, if this one is used up; false at the end of the file. */
  async #load(): Promise<boolean> {
    while (this.#at === this.#piece.bytes.length) if (!(await this.#advance())) return false;
    return true;
  }

  /** The next byte, unless the member (or the file) ends. */
  async peek(): Promise<number | null> {
    while (this.#at === this.#piece.bytes.length) {
      const memberEnds = !this.#piece.plain && this.#piece.last;
      if (memberEnds || !(await this.#advance())) return null;
    }
    return this.#piece.bytes[this.#at];
  }

  /** Skips CR and LF; across members only if told so. False if nothing follows. */
  async skipLineEnds(across: boolean): Promise<boolean> {
    for (;;) {
      if (across && !(await this.#load())) return false;
      const next = await this.peek();
      if (next !== LF && next !== CR) return next !== null;
      const { bytes } = this.#piece;
      while (bytes[this.#at] === LF || bytes[this.#at] === CR) this.#at++;
    }
  }

  /** The next line without its end, as UTF-8; null if it is longer than `limit` bytes or the file ends first. */
  async line(limit: number): Promise<string | null> {
    let before: Buffer = Buffer.alloc(0);
    while (await this.#load()) {
      const { bytes } = this.#piece;
      const lf = bytes.indexOf(LF, this.#at);
      const end = lf === -1 ? bytes.length : lf;
      if (before.length + end - this.#at > limit) return null;
      const part = bytes.subarray(this.#at, end);
      this.#at = lf === -1 ? end : lf + 1;
      if (before.length === 0 && lf !== -1) return lineText(part);
      before = Buffer.concat([before, part]);
      if (lf !== -1) return lineText(before);
    }
    return null;
  }

  /** Reads `size` bytes and keeps the first `limit` of them. */
  async take(size: number, limit: number): Promise<{ kept: Buffer; size: number }> {
    const parts: Buffer[] = [];
    let taken = 0;
    let kept = 0;
    while (taken < size && (await this.#load())) {
      const part = this.#piece.bytes.subarray(this.#at, this.#at + size - taken);
      this.#at += part.length;
      taken += part.length;
      if (kept < limit) parts.push(part.subarray(0, limit - kept));
      kept = Math.min(limit, kept + part.length);
    }
    return { kept: parts.length === 1 ? parts[0] : Buffer.concat(parts), size: taken };
  }
}

const lineText = (line: Buffer): string => line.toString('utf8', 0, line.at(-1) === CR ? line.length - 1 : line.length);

/**
 * Reads the one record of these bytes of a file: one read, one gunzip. Synchronous, for threads that may wait for the
 * disk. Throws {@link WarcFormatError} if the bytes are not a whole record, or inflate to more than `inflatedLimit`.
 */
export function readRecordAt(path: string, offset: number, length: number, inflatedLimit?: number): WarcRecord {
  const fd = openSync(path, 'r');
  try {
    return readRecordIn(fd, path, offset, length, inflatedLimit);
  } finally {
    closeSync(fd);
  }
}

/** The same for a file that is open. @param path what errors call it */
export function readRecordIn(
  fd: number,
  path: string,
  offset: number,
  length: number,
  inflatedLimit = 2 * BLOCK_LIMIT,
): WarcRecord {
  const fail = (what: string): WarcFormatError => new WarcFormatError(path, offset, what);
  let bytes: Buffer = bodyBuffers.take(length).subarray(0, length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(fd, bytes, filled, length - filled, offset + filled);
    if (count === 0) throw fail(`the file ends after ${filled} of ${length} bytes of the record`);
    filled += count;
  }
  try {
    if (isGzip(bytes)) {
      const member = bytes;
      bytes = storedContent(member, inflatedLimit) ?? inflated(member, inflatedLimit);
      bodyBuffers.give(member);
    }
  } catch (error) {
    throw fail(`the gzip member is damaged (${(error as Error).message})`);
  }
  return { ...parseWhole(bytes, fail), offset, length };
}

/** RFC 1952, 2.3.1: a member ends with the size of what it holds, so one buffer just fits. A lie only costs more buffers,
 * and a buffer that is too large makes the collector run for nothing. */
function inflated(member: Buffer, limit: number): Buffer {
  const usual = gunzipAtOnce(member, limit, constants.Z_FINISH);
  if (usual !== null) return usual;
  const size = member.length < 18 ? 0 : member.readUInt32LE(member.length - 4);
  return gunzipSync(member, { maxOutputLength: limit, chunkSize: Math.min(Math.max(size + 64, 1024), 1 << 20) });
}

/** Bytes of a file in which the head of one of our own records ends, compressed or not. */
const HEAD_SAMPLE = 1536;
const sample = Buffer.allocUnsafeSlow(HEAD_SAMPLE);
const sampled = Buffer.allocUnsafeSlow(4096);

/**
 * Does the record say that its block is this one, by length and SHA-1? Reads its head alone, which is a third of the work
 * for a page's text. False if the head is longer than ours are, or has no such digest.
 */
export function isBlockOf(fd: number, offset: number, length: number, block: Buffer): boolean {
  let bytes: Buffer = sample.subarray(0, readSync(fd, sample, 0, Math.min(length, HEAD_SAMPLE), offset));
  try {
    if (isGzip(bytes)) {
      bytes =
        gunzipBeginning(bytes, sampled) ??
        gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH, chunkSize: sampled.length });
    }
    const { head } = parseHead(bytes, (what) => new Error(what));
    const stated = head.headers.get('WARC-Block-Digest');
    return head.blockLength === block.length && stated === sha1Label(hash('sha1', block, 'buffer'));
  } catch {
    return false; // whoever reads it whole will say what is wrong
  }
}

function parseWhole(bytes: Buffer, fail: (what: string) => Error): RecordHead & { block: Buffer } {
  const { head, at } = parseHead(bytes, fail);
  if (bytes.length - at < head.blockLength)
    throw fail(`the block has ${bytes.length - at} of ${head.blockLength} bytes`);
  return { ...head, block: bytes.subarray(at, at + head.blockLength) };
}

/** The head that these bytes begin with, and where the block begins. */
function parseHead(bytes: Buffer, fail: (what: string) => Error): { head: RecordHead; at: number } {
  const lines: string[] = [];
  let at = 0;
  for (;;) {
    const lf = bytes.indexOf(LF, at);
    if (lf === -1 || at > HEAD_LIMIT) throw fail('the head of the record has no end');
    const line = lineText(bytes.subarray(at, lf));
    at = lf + 1;
    if (line === '') break;
    lines.push(line);
    if (!lines[0].startsWith('WARC/')) break;
  }
  try {
    return { head: parseArcLine(lines[0] ?? '') ?? parseWarcHead(lines), at };
  } catch (error) {
    throw fail((error as Error).message);
  }
}
