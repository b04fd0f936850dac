import { describe, expect, it } from 'vitest';
import { BloomFilter, bloomSize, bloomSizeForBits } from '../../src/dedupe/bloom.js';
import { randomWords } from './random.js';

/** Share of keys that were never added and that the filter claims to know. */
function measuredRate(filter: BloomFilter, keys: number, seed: number): number {
  const words = randomWords(2 * keys, seed);
  let met = 0;
  for (let i = 0; i < keys; i++) if (filter.has(words[2 * i], words[2 * i + 1])) met++;
  return met / keys;
}
function filled(size: { bits: number; hashes: number }, keys: number, seed = 1): BloomFilter {
  const filter = new BloomFilter(size);
  const words = randomWords(2 * keys, seed);
  for (let i = 0; i < keys; i++) filter.add(words[2 * i], words[2 * i + 1]);
  return filter;
}

describe('the size of a Bloom filter', () => {
  it('for 5 billion keys at 1% is 6 GB and 7 hashes', () => {
    const { bytes, hashes } = bloomSize(5e9, 0.01);
    expect(bytes / 1e9).toBeCloseTo(5.99, 2);
    expect(hashes).toBe(7);
  });

  it('at 20 bits a key is 12.5 GB for 5 billion and 14 hashes', () => {
    expect(bloomSizeForBits(5e9, 20)).toEqual({ bits: 1e11, bytes: 12.5e9, hashes: 14 });
  });

  it('is refused for what makes no sense', () => {
    for (const [keys, rate] of [
      [0, 0.01],
      [1, 0],
      [1, 1],
      [Number.NaN, 0.1],
      [Number.POSITIVE_INFINITY, 0.1],
    ]) {
      expect(() => bloomSize(keys, rate)).toThrow(RangeError);
    }
    expect(() => bloomSizeForBits(5, 0)).toThrow(RangeError);
    expect(() => new BloomFilter({ bits: 0, hashes: 1 })).toThrow(RangeError);
  });
});

describe('a Bloom filter', () => {
  it.each([0.1, 0.01, 0.001])('at its design size is wrong at the rate of %s, and half full', (rate) => {
    const keys = 100_000;
    const filter = filled(bloomSize(keys, rate), keys);
    expect(measuredRate(filter, 300_000, 2) / rate).toBeGreaterThan(0.8);
    expect(measuredRate(filter, 300_000, 2) / rate).toBeLessThan(1.25);
    expect(filter.falsePositiveRate / rate).toBeCloseTo(1, 0);
    expect(filter.fillRatio).toBeCloseTo(0.5, 1);
    expect(filter.inserted / keys).toBeGreaterThan(1 - rate);
  });

  it('over its design size says so by its fill', () => {
    const filter = filled(bloomSize(50_000, 0.01), 100_000);
    expect(filter.falsePositiveRate).toBeGreaterThan(0.1);
    expect(filter.falsePositiveRate / measuredRate(filter, 100_000, 3)).toBeCloseTo(1, 1);
  });

  it('never forgets a key, and knows a new one but for its rate', () => {
    const filter = new BloomFilter(bloomSize(20_000, 0.001));
    const words = randomWords(40_000, 4);
    let fresh = 0;
    for (let i = 0; i < 20_000; i++) if (filter.add(words[2 * i], words[2 * i + 1])) fresh++;
    expect(fresh).toBe(filter.inserted);
    expect(fresh).toBeGreaterThan(19_900);
    for (let i = 0; i < 20_000; i++) if (!filter.has(words[2 * i], words[2 * i + 1])) throw new Error(`lost key ${i}`);
    expect(filter.add(words[0], words[1])).toBe(false);
  });

  it('knows the same key by signed and by unsigned halves', () => {
    const filter = new BloomFilter(bloomSize(10, 0.0001));
    filter.add(0xffff_fffe, 0x8000_0000);
    expect(filter.has(-2, -0x8000_0000)).toBe(true);
    expect(filter.add(-2, -0x8000_0000)).toBe(false);
  });

  it('spreads over blocks when it is larger than one, at the same rate', () => {
    const filter = new BloomFilter({ bits: 2 ** 29 + 64, hashes: 3 });
    const words = randomWords(20_000, 5);
    for (let i = 0; i < 10_000; i++) filter.add(words[2 * i], words[2 * i + 1]);
    const chunks = [...filter.serialize()].slice(1);
    expect(chunks).toHaveLength(2);
    for (const chunk of chunks) expect(Buffer.compare(chunk.subarray(0, 1 << 20), Buffer.alloc(1 << 20))).not.toBe(0);
    for (let i = 0; i < 10_000; i++) if (!filter.has(words[2 * i], words[2 * i + 1])) throw new Error(`lost key ${i}`);
  });

  it('comes back from its bytes, in chunks of any size, with all that it counted', () => {
    const filter = filled(bloomSize(5_000, 0.01), 5_000, 6);
    const bytes = Buffer.concat([...filter.serialize()]);
    for (const size of [1, 39, 1_000, bytes.length]) {
      const chunks: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
      const back = BloomFilter.deserialize(chunks);
      expect([back.inserted, back.fillRatio, back.hashes, back.bits]).toEqual([
        filter.inserted,
        filter.fillRatio,
        filter.hashes,
        filter.bits,
      ]);
      expect(Buffer.concat([...back.serialize()]).equals(bytes)).toBe(true);
    }
  });

  it('does not come back from bytes that are not all its own', () => {
    const bytes = Buffer.concat([...filled(bloomSize(100, 0.01), 100).serialize()]);
    const damaged = Buffer.from(bytes);
    damaged[60] ^= 1;
    for (const wrong of [
      bytes.subarray(0, -1),
      Buffer.concat([bytes, bytes]),
      damaged,
      Buffer.from('nonsense'.repeat(9)),
      Buffer.alloc(0),
    ]) {
      expect(() => BloomFilter.deserialize([wrong])).toThrow();
    }
  });
});
