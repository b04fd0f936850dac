/**
 * zstd (RFC 8878) for a Node that has none of its own (before 22.15), over the reference decoder in WebAssembly.
 *
 * That decoder is only ever given one frame that was walked block by block here and put together anew: without checksum,
 * dictionary and announced size, so that it cannot be made to allocate what a header claims, and so that a frame that
 * was cut short, or is over its cap, can be decoded as far as it goes.
 */
import type { ZSTDDecoder } from 'zstddec';

export interface Unzstd {
  readonly body: Buffer;
  /** `over`: there is more than the limit; `body` is as much as that. */
  readonly state: 'whole' | 'damaged' | 'over';
}

const MAGIC = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;
/** Most bytes that one block holds decoded (RFC 8878, 3.1.1.2.4). */
const MAX_BLOCK = 128 * 1024;
const MAX_FRAMES = 64;
/** Magic, descriptor without any option, a window of 8 MiB: what RFC 9659 lets a server need. */
const PLAIN_HEADER = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 13 << 3]);
const DICTIONARY_BYTES = [0, 1, 2, 4];
const SIZE_BYTES = [0, 2, 4, 8];

let loading: Promise<ZSTDDecoder> | null = null;

/** The decoder, loaded when the first body needs it. */
function load(): Promise<ZSTDDecoder> {
  loading ??= import('zstddec').then(async ({ ZSTDDecoder }) => {
    const decoder = new ZSTDDecoder();
    await decoder.init();
    return decoder;
  });
  return loading;
}

/** Decodes `input` up to `limit` bytes; null where not one byte came out of it. What follows the last frame is
 * ignored. */
export async function unzstd(input: Buffer, limit: number): Promise<Unzstd | null> {
  const decoder = await load();
  const parts: Buffer[] = [];
  let length = 0;
  let isDamaged = false;
  let at = 0;
  for (let frames = 0; frames < MAX_FRAMES && at + 4 <= input.length && !isDamaged; frames++) {
    const magic = input.readUInt32LE(at);
    if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE && at + 8 <= input.length) {
      at += 8 + input.readUInt32LE(at + 4);
      continue;
    }
    if (magic !== MAGIC) break;
    const frame = walk(input, at, limit - length);
    const { body, blocks } = decodeFrame(decoder, input, frame, limit - length);
    parts.push(body);
    length += body.length;
    if (length > limit) return { body: Buffer.concat(parts, limit), state: 'over' };
    isDamaged = !frame.isWhole || blocks < frame.blocks.length;
    at = frame.end;
  }
  if (parts.length === 0 || (length === 0 && isDamaged)) return null;
  return { body: Buffer.concat(parts, length), state: isDamaged ? 'damaged' : 'whole' };
}

interface Frame {
  /** Where its blocks begin, and behind each of them. */
  readonly from: number;
  readonly blocks: number[];
  /** Least and most bytes that the blocks hold. */
  least: number;
  most: number;
  /** The last block was seen. */
  isWhole: boolean;
  /** Behind the frame. */
  end: number;
}

/** Finds the blocks of a frame, as many as may be needed to fill `room` bytes and one more. */
function walk(input: Buffer, start: number, room: number): Frame {
  const descriptor = input[start + 4] ?? 8;
  const isSingle = (descriptor & 32) !== 0;
  const sizeBytes = SIZE_BYTES[descriptor >> 6] || (isSingle ? 1 : 0);
  let at = start + 5 + (isSingle ? 0 : 1) + DICTIONARY_BYTES[descriptor & 3] + sizeBytes;
  const frame: Frame = { from: at, blocks: [], least: 0, most: 0, isWhole: false, end: input.length };
  // the reserved bit, or a dictionary that nobody has
  if ((descriptor & 8) !== 0 || (descriptor & 3) !== 0) return frame;
  while (at + 3 <= input.length && frame.least <= room) {
    const header = input.readUIntLE(at, 3);
    const type = (header >> 1) & 3;
    const size = header >> 3;
    const bytes = type === 1 ? 1 : size;
    if (type === 3 || size > MAX_BLOCK || at + 3 + bytes > input.length) return frame;
    at += 3 + bytes;
    frame.blocks.push(at);
    frame.least += type === 2 ? 0 : size;
    frame.most += type === 2 ? MAX_BLOCK : size;
    if ((header & 1) === 0) continue;
    frame.isWhole = true;
    frame.end = at + (descriptor & 4);
    return frame;
  }
  return frame;
}

/** As many whole blocks of a frame as make sense, and how many these are; more than `room` bytes if there are. */
function decodeFrame(decoder: ZSTDDecoder, input: Buffer, frame: Frame, room: number) {
  const space = Math.max(1, Math.min(frame.most, room + MAX_BLOCK));
  const first = (count: number): Uint8Array => decoder.decode(rebuilt(input, frame, count), space);
  // The decoder gives nothing where a block makes no sense or the space is too small.
  let [good, bad] = [0, frame.blocks.length + 1];
  let best: Uint8Array = new Uint8Array(0);
  for (let count = frame.blocks.length; count > good; count = (good + bad) >> 1) {
    const body = first(count);
    if (body.length > 0 || frame.most === 0) [good, best] = [count, body];
    else bad = count;
    if (best.length > room) break;
  }
  return { body: Buffer.from(best.buffer, best.byteOffset, best.length), blocks: good };
}

/** A frame of its own that ends behind its first `count` blocks. */
function rebuilt(input: Buffer, { from, blocks }: Frame, count: number): Buffer {
  const frame = Buffer.concat([PLAIN_HEADER, input.subarray(from, blocks[count - 1])]);
  const last = PLAIN_HEADER.length + (count < 2 ? 0 : blocks[count - 2] - from);
  frame[last] |= 1;
  return frame;
}
