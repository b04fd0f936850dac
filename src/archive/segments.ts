/**
 * Segments: the files of the archive. A page worker appends to segments of its own; the main thread makes them durable
 * before the transaction that names them (`segment-recovery.ts`).
 *
 * A segment is `NAME.open` while it is written and `NAME` when it is closed, where NAME is
 * `<prefix>-<sequence>.warc.gz` (text: `.text.warc.gz`). Its first record is a warcinfo; after it come pairs of request
 * and response, or conversion records.
 */
import { join } from 'node:path';
import { bodyBuffers } from '../buffer-pool.js';
import type { Clock } from '../engines/ports.js';
import { ArchiveError, type ArchiveFiles, archiveError, diskFiles } from './archive-files.js';
import { RecordRoom } from './record-room.js';
import type { RandomFill } from './warc-fields.js';
import { type Conversion, type Exchange, type WarcInfo, WarcWriter } from './warc-writer.js';

export type SegmentKind = 'warc' | 'text';
export const OPEN_SUFFIX = '.open';
const ROOM_FOR_ONE = 128 * 1024;
const SUFFIX: Record<SegmentKind, string> = { warc: '.warc.gz', text: '.text.warc.gz' };

/** What a segment's name says it holds. */
export const segmentKind = (name: string): SegmentKind => (name.endsWith(SUFFIX.text) ? 'text' : 'warc');

export interface SegmentOptions {
  dir: string;
  kind: SegmentKind;
  /** Unique per worker and start of the crawl, for example `<crawl>-<start>-<worker>`: two writers of one prefix would
   * write one file. Letters, digits, `.`, `_` and `-`. */
  prefix: string;
  info: WarcInfo;
  clock: Pick<Clock, 'wall'>;
  /** A segment is closed before it would grow over this. Default 1 GiB. */
  maxBytes?: number;
  /** Records are kept in memory up to about this many bytes and written in one call. Default 256 KiB. */
  batchBytes?: number;
  /** zlib level. Default 1. */
  level?: number;
  random?: RandomFill;
  files?: ArchiveFiles;
}

/** Where a record lies. A segment that is cut at `offset + length` ends with this record. */
export interface Appended {
  /** Name of the segment, without `.open`. */
  segment: string;
  offset: number;
  length: number;
  /** `urn:uuid:...` */
  recordId: string;
  /** SHA-1 of the payload, 20 bytes. */
  payloadDigest: Uint8Array;
}

export interface ClosedSegment {
  name: string;
  length: number;
}

interface OpenSegment {
  name: string;
  path: string;
  fd: number;
  /** Bytes in the file; always the end of a record. */
  written: number;
}

/**
 * Appends records to one segment after another.
 *
 * Promises: when `flush` returns, every record appended so far is in the page cache, so that the death of the process
 * loses none; a failed `flush` leaves the file at the end of the last record that an earlier one wrote, keeps what it
 * could not write, and may be called again. Leaves out: durability against power cuts (`syncSegments`), and knowing
 * what is committed.
 */
export class SegmentWriter {
  readonly #options: Required<Omit<SegmentOptions, 'random' | 'level'>>;
  readonly #writer: WarcWriter;
  readonly #room: RecordRoom;
  #open: OpenSegment | null = null;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #sequence = 0;
  #closed: ClosedSegment[] = [];
  /** Set once the state of the file is not known: nothing more is written to it. */
  #broken: ArchiveError | null = null;
  #isClosed = false;

  constructor({ random, level, ...options }: SegmentOptions) {
    if (!/^[\w.-]+$/.test(options.prefix)) throw new TypeError(`not a segment prefix: ${options.prefix}`);
    this.#options = { maxBytes: 2 ** 30, batchBytes: 256 * 1024, files: diskFiles, ...options };
    // what is flushed when the next record would be too much, and that record
    this.#room = new RecordRoom(this.#options.batchBytes + ROOM_FOR_ONE);
    this.#writer = new WarcWriter(random, level, this.#room);
  }

  /**
   * Appends request and response. The answer points at the response (or revisit) record, and is good only once `flush`
   * has returned. Throws {@link ArchiveError} if room has to be made and cannot be; then nothing was appended.
   */
  append(exchange: Exchange): Appended {
    if (this.#pending.length === 0) this.#room.clear();
    const { request, bytes, recordId, payloadDigest } = this.#writer.exchange(exchange);
    const { segment, end } = this.#place([request, bytes]);
    return { segment, offset: end - bytes.length, length: bytes.length, recordId, payloadDigest };
  }

  /** The same for a text. */
  appendConversion(conversion: Conversion): Appended {
    if (this.#pending.length === 0) this.#room.clear();
    const { bytes, recordId, payloadDigest } = this.#writer.conversion(conversion);
    const { segment, end } = this.#place([bytes]);
    return { segment, offset: end - bytes.length, length: bytes.length, recordId, payloadDigest };
  }

  /** Hands everything appended to the operating system, in one call. Throws {@link ArchiveError}. */
  flush(): void {
    if (this.#broken) throw this.#broken;
    const open = this.#open;
    if (open === null || this.#pending.length === 0) return;
    try {
      open.written = this.#writeAll(open, this.#pending);
    } catch (cause) {
      const error = archiveError('write', open.path, cause);
      try {
        this.#options.files.truncate(open.fd, open.written);
      } catch {
        this.#broken = error;
      }
      throw error;
    }
    for (const record of this.#pending) bodyBuffers.give(record); // large ones have room of their own
    this.#pending = [];
    this.#pendingBytes = 0;
  }

  /** Closes the segment, durably and under its final name; the next record begins another. Throws
   * {@link ArchiveError}. */
  roll(): void {
    this.flush();
    const open = this.#open;
    if (open === null) return;
    const { files, dir } = this.#options;
    try {
      files.sync(open.fd);
      files.rename(open.path, join(dir, open.name));
      files.syncDirectory(dir);
      files.close(open.fd);
    } catch (cause) {
      // After a failed sync the kernel may call lost pages clean: a second try would prove nothing.
      this.#broken = archiveError('close', open.path, cause);
      throw this.#broken;
    }
    this.#open = null;
    this.#closed.push({ name: open.name, length: open.written });
  }

  /** `roll`, and no record after it. */
  close(): void {
    if (this.#isClosed) return;
    this.roll();
    this.#isClosed = true;
    this.#broken = new ArchiveError(`the writer of ${this.#options.prefix} is closed`, 'EARCHIVE');
  }

  /** The segments that were closed since the last call. */
  takeClosed(): ClosedSegment[] {
    const closed = this.#closed;
    this.#closed = [];
    return closed;
  }

  /** Puts records into the segment that has room for them; returns where they end. */
  #place(records: Buffer[]): { segment: string; end: number } {
    if (this.#broken) throw this.#broken;
    let bytes = 0;
    for (const record of records) bytes += record.length;
    if (this.#open !== null && this.#open.written + this.#pendingBytes + bytes > this.#options.maxBytes) this.roll();
    // Room is made before the records count as appended: a full disk bounds what waits in memory.
    if (this.#pendingBytes + bytes > this.#options.batchBytes) this.flush();
    this.#open ??= this.#create();
    this.#pending.push(...records);
    this.#pendingBytes += bytes;
    return { segment: this.#open.name, end: this.#open.written + this.#pendingBytes };
  }

  #create(): OpenSegment {
    const { dir, prefix, kind, files, info, clock } = this.#options;
    const name = `${prefix}-${String(this.#sequence++).padStart(5, '0')}${SUFFIX[kind]}`;
    const path = join(dir, name + OPEN_SUFFIX);
    let fd = -1;
    try {
      // The rename that closes a segment must never replace one.
      if (files.size(join(dir, name)) !== null) throw new ArchiveError(`${name} exists already in ${dir}`, 'EEXIST');
      fd = files.create(path);
      // The name is durable from here on; its bytes are when `syncSegments` says so.
      files.syncDirectory(dir);
      const head = this.#writer.info(name, clock.wall(), info);
      this.#pending = [head];
      this.#pendingBytes = head.length;
      return { name, path, fd, written: 0 };
    } catch (cause) {
      if (fd !== -1) files.close(fd); // left empty: recovery removes it
      throw archiveError('create', path, cause);
    }
  }

  #writeAll(open: OpenSegment, records: readonly Buffer[]): number {
    let parts = records.slice();
    let at = open.written;
    while (parts.length > 0) {
      let count = this.#options.files.write(open.fd, parts, at);
      if (count <= 0) throw new Error('the system wrote nothing');
      at += count;
      let whole = 0;
      while (whole < parts.length && count >= parts[whole].length) count -= parts[whole++].length;
      parts = parts.slice(whole);
      if (count > 0) parts[0] = parts[0].subarray(count);
    }
    return at;
  }
}
