/**
 * Content codings (RFC 9110, 8.4): gzip, deflate, br and zstd, stacked or mislabelled, within caps.
 *
 * The usual body is decoded by one synchronous call in the worker, gzip by an engine that is kept, into a buffer that is
 * used again: the streaming classes take twice as long. Only a body that this call refuses (damaged, or over its cap)
 * goes through a stream, which gives what could be decoded before the fault.
 *
 * A bomb is stopped before it takes memory: no stage may make more than `ratio` times the bytes that came over the wire
 * once it is past `ratioFrom` bytes (DESIGN 7).
 */
import type { Transform } from 'node:stream';
import zlib from 'node:zlib';
import { bodyBuffers } from '../buffer-pool.js';
import { gunzipAtOnce, statedSize } from '../gunzip.js';
import { BodyBuffer } from './http-body.js';
import { unzstd } from './zstd.js';

export interface DecodeCaps {
  /** Most bytes of decoded body; more is cut, not refused. */
  readonly decoded: number;
  /** Decoded bytes per byte on the wire beyond which a body is a bomb, looked at from `ratioFrom` decoded bytes on. */
  readonly ratio: number;
  readonly ratioFrom: number;
}

export interface Decoded {
  readonly code: 'ok' | 'decode.bomb' | 'decode.failed';
  readonly body: Buffer;
  /** Over the cap: `body` holds exactly the first `decoded` bytes. */
  readonly cut: boolean;
  /** Some of the coded bytes made no sense; `body` is what came before them. */
  readonly damaged: boolean;
}

type Coding = 'gzip' | 'deflate' | 'br' | 'zstd' | 'unsupported';

/** `inflate` is deflate in its zlib wrapping, `inflateRaw` deflate bare (which many servers send for it). */
type Method = 'gunzip' | 'inflate' | 'inflateRaw' | 'brotli' | 'zstd';

/** What one method made of its input; `over`: `body` is as much as the cap allows. */
interface Stage {
  readonly body: Buffer;
  readonly state: 'whole' | 'damaged' | 'over' | 'bomb';
}

/** How much may come out of one method, and what it means if more does. */
interface Limit {
  readonly bytes: number;
  readonly over: 'over' | 'bomb';
}

const EMPTY = Buffer.alloc(0);
const BOMB: Stage = { body: EMPTY, state: 'bomb' };
/** A page has one coding, a confused server two; the rest is an attack. */
const MAX_CODINGS = 5;
const MAX_MEMBERS = 64;
const GZIP_HEADER_BYTES = 10;
const GZIP_TRAILER_BYTES = 8;
const CHUNK = 128 * 1024;
const MIN_CHUNK = 16 * 1024;
const SMALL_INPUT = 256 * 1024;

const CODINGS: ReadonlyMap<string, Coding> = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['x-deflate', 'deflate'],
  ['br', 'br'],
  ['zstd', 'zstd'],
  ['compress', 'unsupported'],
  ['x-compress', 'unsupported'],
  ['dcb', 'unsupported'],
  ['dcz', 'unsupported'],
  ['exi', 'unsupported'],
  ['aes128gcm', 'unsupported'],
]);

/** zstd came to node:zlib with 22.15. */
const modernZlib = zlib as typeof zlib & {
  zstdDecompressSync?: (input: Buffer, options: object) => Buffer;
  createZstdDecompress?: (options: object) => Transform;
};

/** Whether this Node can read zstd itself; otherwise WebAssembly does. It is never asked for, but some servers send it. */
const hasZstd = modernZlib.zstdDecompressSync !== undefined;

/**
 * Undoes the codings of `payload`, the last applied first.
 *
 * `codings`: the tokens of Content-Encoding, lower-case, in their order. Names that mean nothing (`utf-8`, `none`) are
 * skipped, as browsers do; known ones that cannot be read give `decode.failed`. `sniff`: gunzip also what nobody
 * labelled as gzip and yet is by its magic number, and what was gzipped once more than its label says.
 */
export async function decode(
  payload: Buffer,
  codings: readonly string[],
  caps: DecodeCaps,
  sniff = false,
): Promise<Decoded> {
  const steps = codings.map((name) => CODINGS.get(name)).filter((coding) => coding !== undefined);
  if (steps.length > MAX_CODINGS) return failed();
  const limit = limitFor(payload, caps);
  let stage: Stage = { body: payload, state: 'whole' };
  let [cut, damaged] = [false, false];
  for (const coding of steps.reverse()) {
    const next = stage.body.length === 0 ? stage : await undo(coding, stage.body, limit);
    if (next === null) return failed();
    if (next.state === 'bomb') return bomb();
    cut ||= next.state === 'over';
    damaged ||= next.state === 'damaged';
    letGo(stage.body, next.body, payload);
    stage = next;
  }
  if (sniff && !cut && isGzip(stage.body)) {
    const next = await undo('gzip', stage.body, limit);
    if (next?.state === 'bomb') return bomb();
    cut ||= next?.state === 'over';
    if (next !== null) letGo(stage.body, next.body, payload);
    stage = next ?? stage;
  }
  const over = stage.body.length > caps.decoded;
  return { code: 'ok', body: over ? stage.body.subarray(0, caps.decoded) : stage.body, cut: cut || over, damaged };
}

/** What lay between two codings is needed no more. */
function letGo(between: Buffer, after: Buffer, payload: Buffer): void {
  if (between.buffer !== payload.buffer && between.buffer !== after.buffer) bodyBuffers.give(between);
}

function limitFor(payload: Buffer, caps: DecodeCaps): Limit {
  const suspicious = Math.max(caps.ratioFrom, caps.ratio * payload.length);
  return { bytes: Math.max(1, Math.min(caps.decoded, suspicious)), over: suspicious < caps.decoded ? 'bomb' : 'over' };
}

const failed = (): Decoded => ({ code: 'decode.failed', body: EMPTY, cut: false, damaged: true });
const bomb = (): Decoded => ({ code: 'decode.bomb', body: EMPTY, cut: true, damaged: false });

/** Undoes one coding, by what the bytes are first and by the label second; null where nothing could be decoded. */
async function undo(coding: Coding, input: Buffer, limit: Limit): Promise<Stage | null> {
  for (const method of methodsFor(coding, input)) {
    const stage = await run(method, input, limit);
    if (stage !== null) return stage;
  }
  // A label on a body that was never coded. gzip shows by its magic number; for the others, text shows by itself.
  const plain = coding === 'gzip' ? !isGzip(input) : looksLikeText(input);
  return plain ? { body: input, state: 'whole' } : null;
}

function methodsFor(coding: Coding, input: Buffer): readonly Method[] {
  if (coding === 'unsupported') return [];
  if (isGzip(input)) return ['gunzip'];
  if (coding === 'gzip') return isZlib(input) ? ['inflate'] : [];
  if (coding === 'deflate') return isZlib(input) ? ['inflate', 'inflateRaw'] : ['inflateRaw'];
  if (coding === 'zstd') return ['zstd'];
  return ['brotli'];
}

const isGzip = (b: Buffer): boolean => b.length > 2 && b[0] === 0x1f && b[1] === 0x8b;
/** RFC 1950: method 8, window at most 32 KiB, no preset dictionary, and the check bits right. */
const isZlib = (b: Buffer): boolean =>
  b.length > 2 && (b[0] & 15) === 8 && b[0] >> 4 < 8 && (b[1] & 32) === 0 && ((b[0] << 8) | b[1]) % 31 === 0;

function looksLikeText(input: Buffer): boolean {
  return input.subarray(0, 512).every((byte) => byte >= 0x20 || (byte >= 0x09 && byte <= 0x0d));
}

// -- one method on one input

async function run(method: Method, input: Buffer, limit: Limit): Promise<Stage | null> {
  if (method === 'zstd' && !hasZstd) {
    const stage = await unzstd(input, limit.bytes);
    return stage?.state === 'over' && limit.over === 'bomb' ? BOMB : stage;
  }
  const usual = method === 'gunzip' ? gunzipAtOnce(input, limit.bytes, zlib.constants.Z_SYNC_FLUSH) : null;
  if (usual !== null) return { body: usual, state: 'whole' };
  try {
    return { body: inflateSync(method, input, limit.bytes).buffer, state: 'whole' };
  } catch (error) {
    if (isOverLimit(error)) return limit.over === 'bomb' ? BOMB : salvage(method, input, limit);
  }
  if (method === 'gunzip') return gunzipMembers(input, limit);
  // A wrong checksum throws the whole output away; without its wrapping the stream has none.
  if (method === 'inflate') return run('inflateRaw', input.subarray(2), limit);
  return salvage(method, input, limit);
}

const isOverLimit = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';

interface Inflated {
  readonly buffer: Buffer;
  /** `bytesWritten`: how much of the input was used. */
  readonly engine: { readonly bytesWritten: number };
}

const SYNC = {
  gunzip: zlib.gunzipSync,
  inflate: zlib.inflateSync,
  inflateRaw: zlib.inflateRawSync,
  brotli: zlib.brotliDecompressSync,
  zstd: modernZlib.zstdDecompressSync,
} as Record<Method, (input: Buffer, options: object) => unknown>;

/** Input that ends too early is no error: flushing instead of finishing gives what is there. */
const FINISH: Record<Method, number | undefined> = {
  gunzip: zlib.constants.Z_SYNC_FLUSH,
  inflate: zlib.constants.Z_SYNC_FLUSH,
  inflateRaw: zlib.constants.Z_SYNC_FLUSH,
  brotli: zlib.constants.BROTLI_OPERATION_FLUSH,
  zstd: 1, // ZSTD_e_flush
};

/** No window over 8 MiB is needed to read the web (RFC 9659), and none is allocated: ZSTD_d_windowLogMax is 100. */
const OWN: Partial<Record<Method, object>> = { zstd: { params: { 100: 23 } } };

function inflateSync(method: Method, input: Buffer, limit: number): Inflated {
  const chunkSize = method === 'gunzip' ? gzipChunkSize(input, limit) : CHUNK;
  const options = { maxOutputLength: limit, chunkSize, finishFlush: FINISH[method], info: true, ...OWN[method] };
  return SYNC[method](input, options) as Inflated;
}

/** One output buffer that just fits. A lie only costs more buffers, or pages of memory that nobody writes to. */
function gzipChunkSize(input: Buffer, limit: number): number {
  return Math.max(MIN_CHUNK, (statedSize(input, limit) ?? CHUNK) + 64);
}

/** Reads gzip members one by one (RFC 1952) without their checksums, and stops where the next thing is none: what
 * caches and counters append behind the stream is nobody's page. */
async function gunzipMembers(input: Buffer, limit: Limit): Promise<Stage | null> {
  const parts: Buffer[] = [];
  let at = 0;
  let room = limit.bytes;
  for (let member = 0; member < MAX_MEMBERS && room > 0 && isGzip(input.subarray(at)); member++) {
    const data = input.subarray(at + gzipHeaderLength(input.subarray(at)));
    let part: Buffer;
    try {
      const { buffer, engine } = inflateSync('inflateRaw', data, room);
      part = buffer;
      at = input.length - data.length + engine.bytesWritten + GZIP_TRAILER_BYTES;
    } catch {
      part = (await salvage('inflateRaw', data, { bytes: room, over: 'over' }))?.body ?? EMPTY;
      at = input.length;
    }
    parts.push(part);
    room -= part.length;
  }
  return room === limit.bytes ? null : { body: Buffer.concat(parts), state: 'damaged' };
}

/** Bytes before the deflate data; all of them where the header does not end. */
function gzipHeaderLength(member: Buffer): number {
  const flags = member[3];
  let at = GZIP_HEADER_BYTES;
  if (flags & 4) at += at + 2 <= member.length ? 2 + member.readUInt16LE(at) : member.length;
  for (const flag of [8, 16]) {
    if ((flags & flag) === 0) continue;
    const end = member.indexOf(0, at);
    at = end < 0 ? member.length : end + 1;
  }
  if (flags & 2) at += 2;
  return Math.min(at, member.length);
}

/** Decodes as far as it goes, at most to the limit; null where not one byte came out. */
function salvage(method: Method, input: Buffer, limit: Limit): Promise<Stage | null> {
  // What a failing call had in its output is lost, so a small input is read in small steps.
  const chunkSize = input.length < SMALL_INPUT ? 1024 : CHUNK;
  const engine = STREAM[method]({ chunkSize, finishFlush: FINISH[method], ...OWN[method] });
  const body = new BodyBuffer(limit.bytes);
  return new Promise((resolve) => {
    const settle = (state: Stage['state']): void => {
      engine.destroy();
      resolve(body.length === 0 && state === 'damaged' ? null : { body: body.take(), state });
    };
    engine.on('data', (chunk: Buffer) => {
      if (!body.append(chunk, 0, chunk.length)) settle(limit.over);
    });
    engine.on('error', () => settle('damaged'));
    engine.on('end', () => settle('whole'));
    engine.end(input);
  });
}

const STREAM = {
  gunzip: zlib.createGunzip,
  inflate: zlib.createInflate,
  inflateRaw: zlib.createInflateRaw,
  brotli: zlib.createBrotliDecompress,
  zstd: modernZlib.createZstdDecompress,
} as Record<Method, (options: object) => Transform>;
