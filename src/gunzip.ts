/** The usual gunzip of a page, a text or a record: all of it in one call, by an engine that is kept. */
import { constants } from 'node:zlib';
import { bodyBuffers } from './buffer-pool.js';
import { FAILED, ZlibEngine } from './zlib-engine.js';

/** No deflate stream makes more of a byte. */
const MAX_RATIO = 1032;

const engine = ZlibEngine.gunzip();

/** What gzip bytes say that they hold (RFC 1952, 2.3.1: modulo 2^32, the last member); null if that cannot be. */
export function statedSize(input: Buffer, limit: number): number | null {
  const size = input.length < 18 ? 0 : input.readUInt32LE(input.length - 4);
  return size <= Math.min(limit, MAX_RATIO * input.length) ? size : null;
}

/**
 * What gzip bytes hold, as `gunzipSync` would answer, in a buffer of {@link bodyBuffers}. Null if they are damaged, or
 * not what they say: whoever gets that asks node:zlib.
 *
 * @param finishFlush as in node:zlib: with Z_SYNC_FLUSH bytes that end too early are no damage, with Z_FINISH they are
 */
export function gunzipAtOnce(input: Buffer, limit: number, finishFlush: number): Buffer | null {
  const size = statedSize(input, limit);
  if (size === null || !engine.isUsable) return null;
  // with the room all used nobody could tell whether more would have come
  const output = bodyBuffers.take(size + 64).subarray(0, size + 64);
  engine.begin();
  const end = engine.write(input, output, 0, finishFlush);
  if (end !== FAILED && end < output.length && end <= limit) return output.subarray(0, end);
  bodyBuffers.give(output);
  return null;
}

/** Fills `output` with what gzip bytes begin with; the rest of them may be missing. Null if they are damaged. */
export function gunzipBeginning(input: Buffer, output: Buffer): Buffer | null {
  if (!engine.isUsable) return null;
  engine.begin();
  const end = engine.write(input, output, 0, constants.Z_SYNC_FLUSH);
  return end === FAILED ? null : output.subarray(0, end);
}
