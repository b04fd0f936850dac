/**
 * One record, one gzip member (WARC 1.1, annex D): a reader that seeks to a record inflates it alone.
 *
 * A body that is compressed already (it came with a Content-Encoding, or is an image) is not deflated again: deflate
 * finds nothing in it and costs 0.5 ms per 38 KB, more than the whole rest of the archive's work. Such a record, and one
 * that is short (a request), goes into stored blocks (RFC 1951, 3.2.4): setting up a deflate costs more than the few
 * hundred bytes that it would save of a head, some 3% of an archived page. `bench/archive.ts` measures both.
 */
import { crc32, gzipSync, constants as zlib } from 'node:zlib';
import { bodyBuffers } from '../buffer-pool.js';
import { FAILED, ZlibEngine } from '../zlib-engine.js';
import type { RecordRoom } from './record-room.js';

/** Ends a record (WARC 1.1, 4). */
export const RECORD_END = Buffer.from('\r\n\r\n');

const STORED_MAX = 65_535;
/** Records below this are stored as they are. */
const SHORT = 2_048;
const SAMPLE_WINDOW = 256;
const SAMPLE_WINDOWS = 4;
const counts = new Uint16Array(256);

/**
 * The member of `head + body + CRLF CRLF`.
 *
 * @param level 0 to 9, as in zlib, for what is worth deflating.
 * @param room where the member may be put together; else in a buffer of its own.
 */
export function gzipRecord(head: Buffer, body: Buffer, level: number, room?: RecordRoom): Buffer {
  if (head.length + body.length < SHORT || looksCompressed(body)) return storedMember([head, body, RECORD_END], room);
  return (room && deflatedIn(room, head, body, level)) ?? deflatedAlone(head, body, level);
}

const engines = new Map<number, ZlibEngine>();

function engineOf(level: number): ZlibEngine {
  const engine = engines.get(level) ?? ZlibEngine.gzip(level);
  engines.set(level, engine);
  return engine;
}

/** Null if this Node has no engine that can be kept. */
function deflatedIn(room: RecordRoom, head: Buffer, body: Buffer, level: number): Buffer | null {
  const engine = engineOf(level);
  if (!engine.isUsable) return null;
  const length = head.length + body.length + RECORD_END.length;
  // zlib's own bound is 5 bytes for 16 KB that do not deflate, and what is around them
  const output = room.open(length + (length >> 9) + 256);
  engine.begin();
  let at = engine.write(head, output, 0, zlib.Z_NO_FLUSH);
  if (at !== FAILED) at = engine.write(body, output, at, zlib.Z_NO_FLUSH);
  if (at !== FAILED) at = engine.write(RECORD_END, output, at, zlib.Z_FINISH);
  return at === FAILED || at === output.length ? null : room.close(at);
}

function deflatedAlone(head: Buffer, body: Buffer, level: number): Buffer {
  const length = head.length + body.length + RECORD_END.length;
  return gzipSync(Buffer.concat([head, body, RECORD_END], length), {
    level,
    // Small state for small records: a third less time to set up, the same size out.
    memLevel: length < 4096 ? 4 : 8,
    chunkSize: Math.min(Math.max(length, 1024), 65_536),
  });
}

/**
 * True if deflate would find next to nothing: the byte values of a sample (4 times 256 bytes) are spread as evenly as
 * in random data. The sum of squared counts is about 5,100 for random bytes, 17,000 for base64, 26,000 for Chinese in
 * UTF-8, 60,000 for English. A wrong guess costs time or space, never correctness.
 */
export function looksCompressed(body: Buffer): boolean {
  const sample = SAMPLE_WINDOW * SAMPLE_WINDOWS;
  if (body.length < 2 * sample) return false;
  counts.fill(0);
  const gap = Math.floor((body.length - SAMPLE_WINDOW) / SAMPLE_WINDOWS);
  for (let w = 1; w <= SAMPLE_WINDOWS; w++) {
    const from = w * gap;
    for (let i = from; i < from + SAMPLE_WINDOW; i++) counts[body[i]]++;
  }
  let squares = 0;
  for (let i = 0; i < 256; i++) squares += counts[i] * counts[i];
  return squares < 10_000;
}

/** A gzip member of stored blocks. */
function storedMember(parts: readonly Buffer[], room?: RecordRoom): Buffer {
  let length = 0;
  let blocks = 0;
  for (const part of parts) {
    length += part.length;
    blocks += Math.ceil(part.length / STORED_MAX);
  }
  const size = 10 + length + blocks * 5 + 8;
  const out = room === undefined ? Buffer.allocUnsafe(size) : room.open(size);
  out.writeUInt32BE(0x1f8b0800, 0);
  out.writeUInt32BE(0, 4);
  out.writeUInt16BE(0x00ff, 8);
  let at = 10;
  let crc = 0;
  for (const part of parts) {
    const isLast = part === RECORD_END;
    for (let from = 0; from < part.length; from += STORED_MAX) {
      at = storedBlock(out, at, part.subarray(from, from + STORED_MAX), isLast ? 1 : 0);
    }
    if (part.length > 0) crc = crc32(part, crc); // of nothing, zlib gives 0
  }
  at = out.writeUInt32LE(crc, at);
  out.writeUInt32LE(length >>> 0, at);
  return room === undefined ? out : room.close(size);
}

/**
 * What a member of stored blocks holds, without zlib: setting up an inflate costs more than copying the 20 KB that most
 * records have. Null for any other member, and for one that is not whole or right, about which zlib has words.
 */
export function storedContent(member: Buffer, limit: number): Buffer | null {
  if (member.length < 23 || member.readUInt32BE(0) !== 0x1f8b0800) return null;
  const trailer = member.length - 8;
  const size = member.readUInt32LE(trailer + 4);
  if (size > limit || size > member.length) return null;
  const out = bodyBuffers.take(size).subarray(0, size);
  let at = 10;
  let filled = 0;
  for (let isLast = false; !isLast; ) {
    if (at + 5 > trailer || (member[at] & 6) !== 0) return null;
    isLast = (member[at] & 1) === 1;
    const length = member.readUInt16LE(at + 1);
    const end = at + 5 + length;
    if ((length ^ 0xffff) !== member.readUInt16LE(at + 3) || end > trailer || filled + length > size) return null;
    filled += member.copy(out, filled, at + 5, end);
    at = end;
  }
  return at === trailer && filled === size && crc32(out) === member.readUInt32LE(trailer) ? out : null;
}

function storedBlock(out: Buffer, at: number, bytes: Buffer, final: 0 | 1): number {
  out[at] = final;
  out.writeUInt16LE(bytes.length, at + 1);
  out.writeUInt16LE(~bytes.length & 0xffff, at + 3);
  return at + 5 + bytes.copy(out, at + 5);
}
