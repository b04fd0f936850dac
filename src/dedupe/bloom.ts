/**
 * A Bloom filter over 64-bit keys: the seen filter of crawls that are too large for exact keys (DESIGN section 10).
 *
 * It can say "never met" with certainty, and "met" wrongly: a page that is then lost, silently. So it tells how full it
 * is, and is built again under a new secret each epoch, which gives every false positive another chance.
 *
 * Bits lie in blocks of at most 64 MiB, for an array of 6 GB does not exist everywhere; a key's hash chooses the block
 * and all its bits lie in it. Blocks of that size fill alike to a fraction of a percent, so the rate is that of one
 * flat filter.
 */

import { popCount } from './simhash.js';

const RANGE = 0x1_0000_0000;
/** Bits of the largest block: 64 MiB. */
const LARGEST_BLOCK = 2 ** 29;
/** `BLM1`: what {@link BloomFilter.serialize} writes first. */
const MAGIC = 0x314d4c42;
const HEADER_BYTES = 40;

export interface BloomSize {
  readonly bits: number;
  readonly bytes: number;
  /** How many bits a key sets (k). */
  readonly hashes: number;
}

/**
 * The size for `keys` keys at a false-positive rate of `rate` once all are in: m = -n ln p / (ln 2)^2 and
 * k = (m / n) ln 2 (Bloom, 1970). 5 billion at 1%: 6 GB, k = 7. Throws a RangeError for what makes no sense.
 */
export function bloomSize(keys: number, rate: number): BloomSize {
  if (!(keys >= 1 && Number.isFinite(keys))) throw new RangeError(`a Bloom filter holds at least one key, not ${keys}`);
  if (!(rate > 0 && rate < 1)) throw new RangeError(`a false-positive rate lies between 0 and 1, unlike ${rate}`);
  const bits = Math.ceil((-keys * Math.log(rate)) / Math.LN2 ** 2);
  return { bits, bytes: Math.ceil(bits / 8), hashes: Math.max(1, Math.round((bits / keys) * Math.LN2)) };
}

/** The same from a budget of bits for each key: 20 bits give k = 14 and 0.0067%. */
export function bloomSizeForBits(keys: number, bitsPerKey: number): BloomSize {
  if (!(keys >= 1 && Number.isFinite(keys))) throw new RangeError(`a Bloom filter holds at least one key, not ${keys}`);
  if (!(bitsPerKey > 0)) throw new RangeError(`a key needs some bits, not ${bitsPerKey}`);
  const bits = Math.ceil(keys * bitsPerKey);
  return { bits, bytes: Math.ceil(bits / 8), hashes: Math.max(1, Math.round(bitsPerKey * Math.LN2)) };
}

/** A filter of keys that are hashes already: two lanes of 32 bits, each spread evenly (counters as keys would share bits). */
export class BloomFilter {
  /** Bits in use; what was asked for, rounded up to whole words of every block. */
  readonly bits: number;
  readonly hashes: number;
  /** Keys that set a bit when they were added: all distinct keys but those met falsely. */
  inserted = 0;
  private readonly blocks: Uint32Array[];
  private readonly blockBits: number;
  private setBits = 0;

  constructor(size: Pick<BloomSize, 'bits' | 'hashes'>) {
    if (!(size.bits >= 1 && size.hashes >= 1 && size.hashes <= 64)) {
      throw new RangeError(`a Bloom filter of ${size.bits} bits and ${size.hashes} hashes cannot be`);
    }
    const count = Math.ceil(size.bits / LARGEST_BLOCK);
    this.blockBits = Math.ceil(size.bits / count / 32) * 32;
    this.bits = this.blockBits * count;
    this.hashes = size.hashes;
    this.blocks = Array.from({ length: count }, () => new Uint32Array(this.blockBits / 32));
  }

  get bytes(): number {
    return this.bits / 8;
  }

  /** Share of the bits that are set. At the design size it is one half. */
  get fillRatio(): number {
    return this.setBits / this.bits;
  }

  /** How likely a new key is to be taken for a known one, now. */
  get falsePositiveRate(): number {
    return this.fillRatio ** this.hashes;
  }

  has(hi: number, lo: number): boolean {
    const block = this.blocks[this.blockOf(hi, lo)];
    let hash = hi >>> 0;
    let step = lo;
    for (let i = 0; i < this.hashes; i++) {
      const bit = Math.floor((hash * this.blockBits) / RANGE);
      if ((block[bit >>> 5] & (1 << (bit & 31))) === 0) return false;
      hash = (hash + step) >>> 0;
      step = (step + i) | 0;
    }
    return true;
  }

  /** Adds a key. True if it is certainly new; false if it was met, or seems so. */
  add(hi: number, lo: number): boolean {
    const block = this.blocks[this.blockOf(hi, lo)];
    let hash = hi >>> 0;
    let step = lo;
    let fresh = 0;
    // Enhanced double hashing (Dillinger and Manolios, 2004): the step grows, so no step is a bad one.
    for (let i = 0; i < this.hashes; i++) {
      const bit = Math.floor((hash * this.blockBits) / RANGE);
      const mask = 1 << (bit & 31);
      if ((block[bit >>> 5] & mask) === 0) {
        block[bit >>> 5] |= mask;
        fresh++;
      }
      hash = (hash + step) >>> 0;
      step = (step + i) | 0;
    }
    if (fresh === 0) return false;
    this.setBits += fresh;
    this.inserted++;
    return true;
  }

  /** The filter as chunks of bytes, for a file; little-endian. */
  *serialize(): Generator<Uint8Array> {
    const header = new DataView(new ArrayBuffer(HEADER_BYTES));
    header.setUint32(0, MAGIC, true);
    header.setUint32(4, this.hashes, true);
    header.setFloat64(8, this.bits, true);
    header.setFloat64(16, this.inserted, true);
    header.setFloat64(24, this.setBits, true);
    header.setFloat64(32, this.blocks.length, true);
    yield new Uint8Array(header.buffer);
    for (const block of this.blocks) yield new Uint8Array(block.buffer);
  }

  /** Reads what {@link serialize} wrote, in chunks of any size. Throws an Error if they are not that: too short, too
   * long, or with another number of bits set than the header says. */
  static deserialize(chunks: Iterable<Uint8Array>): BloomFilter {
    const header = new Uint8Array(HEADER_BYTES);
    let filter: BloomFilter | undefined;
    let expected = 0;
    let read = 0;
    for (const chunk of chunks) {
      let rest = chunk;
      if (filter === undefined) {
        const taken = Math.min(rest.length, HEADER_BYTES - read);
        header.set(rest.subarray(0, taken), read);
        read += taken;
        rest = rest.subarray(taken);
        if (read < HEADER_BYTES) continue;
        const view = new DataView(header.buffer);
        [filter, expected] = BloomFilter.fromHeader(view);
        read = 0;
      }
      read = filter.fill(rest, read);
    }
    if (filter === undefined || read !== filter.bytes) throw new Error('a Bloom filter was cut short');
    if (filter.countBits() !== expected) throw new Error('a Bloom filter does not have the bits its header counts');
    filter.setBits = expected;
    return filter;
  }

  private static fromHeader(view: DataView): [BloomFilter, number] {
    const bits = view.getFloat64(8, true);
    const hashes = view.getUint32(4, true);
    if (view.getUint32(0, true) !== MAGIC || !Number.isSafeInteger(bits))
      throw new Error('these bytes are no Bloom filter');
    const filter = new BloomFilter({ bits, hashes });
    if (filter.bits !== bits || filter.blocks.length !== view.getFloat64(32, true)) {
      throw new Error('these bytes are no Bloom filter');
    }
    filter.inserted = view.getFloat64(16, true);
    return [filter, view.getFloat64(24, true)];
  }

  /** Copies bytes to offset `at` of the bits; returns the offset after them. */
  private fill(bytes: Uint8Array, at: number): number {
    if (at + bytes.length > this.bytes) throw new Error('a Bloom filter has more bytes than its header says');
    const blockBytes = this.blockBits / 8;
    let offset = at;
    for (let rest = bytes; rest.length > 0; ) {
      const block = Math.floor(offset / blockBytes);
      const start = offset - block * blockBytes;
      const part = rest.subarray(0, blockBytes - start);
      new Uint8Array(this.blocks[block].buffer).set(part, start);
      offset += part.length;
      rest = rest.subarray(part.length);
    }
    return offset;
  }

  private countBits(): number {
    let bits = 0;
    for (const block of this.blocks) for (let i = 0; i < block.length; i++) bits += popCount(block[i]);
    return bits;
  }

  /** The block of a key, by bits that the steps do not use as they are. */
  private blockOf(hi: number, lo: number): number {
    if (this.blocks.length === 1) return 0;
    let hash = Math.imul(hi ^ (lo >>> 16) ^ (lo << 16), 0x9e3779b1);
    hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) >>> 0;
    return Math.floor((hash * this.blocks.length) / RANGE);
  }
}
