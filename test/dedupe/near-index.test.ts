import { describe, expect, it } from 'vitest';
import { blocksFor, NearIndex } from '../../src/dedupe/near-index.js';
import { hammingDistance, parseSimhash, popCount } from '../../src/dedupe/simhash.js';
import { randomWords } from './random.js';

/** Flips `count` bits, chosen by `seed`. */
function flip(hi: number, lo: number, count: number, seed: number): [number, number] {
  const bits = new Set<number>();
  for (const word of randomWords(64, seed)) if (bits.size < count) bits.add(word % 64);
  let [h, l] = [hi, lo];
  for (const bit of bits) {
    if (bit < 32) l ^= 1 << bit;
    else h ^= 1 << (bit - 32);
  }
  return [h >>> 0, l >>> 0];
}

describe.each([4, 5, 6])('a near index of %s blocks', (blocks) => {
  it('finds what a look at every page finds', () => {
    // Fingerprints in clusters, so that distances of 0 to 6 are common.
    const words = randomWords(600, blocks);
    const kept: [number, number][] = [];
    for (let i = 0; i < 300; i++) {
      for (let k = 0; k < 4; k++) kept.push(flip(words[2 * i], words[2 * i + 1], k, 7 * i + k));
    }
    const index = new NearIndex(1_000, blocks);
    for (const [id, [hi, lo]] of kept.entries()) index.add(hi, lo, id);
    const wrong: unknown[] = [];
    let hits = 0;
    for (let i = 0; i < 1_000; i++) {
      const [hi, lo] = flip(...kept[(i * 37) % kept.length], i % 7, 10_000 + i);
      let best = -1;
      let least = 4;
      kept.forEach(([h, l], id) => {
        const distance = hammingDistance({ hi, lo }, { hi: h, lo: l });
        if (distance < least) [best, least] = [id, distance];
      });
      if (best >= 0) hits++;
      if (index.find(hi, lo) !== best || (best >= 0 && index.distance !== least)) wrong.push({ hi, lo, best, least });
    }
    expect(wrong).toEqual([]);
    expect(hits).toBeGreaterThan(400);
  });

  it('finds among 100,000 random pages what a look at each finds: neighbours at distances 0 to 3, and none at 4', () => {
    const pages = 100_000;
    const words = randomWords(2 * pages, 100 + blocks);
    const [his, los] = [words.subarray(0, pages), words.subarray(pages)];
    const index = new NearIndex(pages, blocks);
    for (let id = 0; id < pages; id++) index.add(his[id], los[id], id);
    const found = [0, 0, 0, 0, 0];
    for (let query = 0; query < 500; query++) {
      const planted = query % 5;
      const of = (query * 7_919) % pages;
      const [hi, lo] = flip(his[of], los[of], planted, query);
      let best = -1;
      let least = 4;
      for (let id = 0; id < pages; id++) {
        const distance = popCount(his[id] ^ hi) + popCount(los[id] ^ lo);
        if (distance < least) [best, least] = [id, distance];
      }
      if (index.find(hi, lo) !== best) throw new Error(`query ${query}: ${index.find(hi, lo)} in place of ${best}`);
      if (best === of && index.distance === planted) found[planted]++;
    }
    expect(found).toEqual([100, 100, 100, 100, 0]);
  });

  it('finds every pair that differs in any three bits', () => {
    const index = new NearIndex(10, blocks);
    index.add(0x12345678, 0x9abcdef0, 5);
    let missed = 0;
    for (let a = 0; a < 64; a++) {
      for (let b = a; b < 64; b++) {
        for (let c = b; c < 64; c++) {
          const mask = (1n << BigInt(a)) | (1n << BigInt(b)) | (1n << BigInt(c));
          const [hi, lo] = [Number(mask >> 32n), Number(mask & 0xffff_ffffn)];
          if (index.find(0x12345678 ^ hi, 0x9abcdef0 ^ lo) !== 5) missed++;
        }
      }
    }
    expect(missed).toBe(0);
    expect(index.find(0x12345678 ^ 0x80000001, 0x9abcdef0 ^ 0x80000001)).toBe(-1);
  });
});

describe('a near index', () => {
  it('finds the pairs of an outside case', () => {
    const hashes = [
      'ff',
      'ef',
      'ee',
      'ce',
      '33',
      'ff00',
      'ef00',
      'ee00',
      'ce00',
      '3300',
      'ff0000',
      'ef0000',
      'ee0000',
      'ce0000',
      '330000',
    ];
    const index = new NearIndex(100);
    const found: string[] = [];
    for (const [id, hash] of hashes.entries()) {
      const { hi, lo } = parseSimhash(hash.padStart(16, '0'));
      const others = new Set<number>();
      for (let other = index.find(hi, lo); other >= 0; other = index.find(hi, lo, (known) => !others.has(known)))
        others.add(other);
      for (const other of others) found.push(`${hashes[other]} ${hash}`);
      index.add(hi, lo, id);
    }
    const group = (zeros: string) =>
      ['ff ef', 'ff ee', 'ef ee', 'ff ce', 'ef ce', 'ee ce'].map((pair) =>
        pair.replaceAll(/\w+/g, (hash) => hash + zeros),
      );
    expect(found.sort()).toEqual([...group(''), ...group('00'), ...group('0000')].sort());
  });

  it('counts only what it is told to', () => {
    const index = new NearIndex(10);
    index.add(1, 1, 3);
    index.add(1, 3, 9);
    expect(index.find(1, 1)).toBe(3);
    expect(index.find(1, 1, (id) => id !== 3)).toBe(9);
    expect(index.distance).toBe(1);
    expect(index.find(1, 1, () => false)).toBe(-1);
  });

  it('chooses its blocks by size, and says what it takes', () => {
    expect([1, 2 ** 21, 2 ** 21 + 1, 2 ** 28 + 1].map(blocksFor)).toEqual([4, 4, 5, 6]);
    expect(() => new NearIndex(1, 3)).toThrow(RangeError);
    const index = new NearIndex(1_000);
    for (let i = 0; i < 40_000; i++) index.add(i, i, i);
    expect(index.size).toBe(40_000);
    expect(index.bytes).toBeGreaterThan(40_000 * 28);
  });

  it('walks a bounded way when a site makes all its pages share a block', () => {
    const index = new NearIndex(1_000);
    const words = randomWords(120_000, 3);
    for (let i = 0; i < 60_000; i++) index.add(words[2 * i], (words[2 * i + 1] & 0xffff_0000) >>> 0, i);
    const start = performance.now();
    for (let i = 0; i < 1_000; i++) index.find(~words[2 * i], 0);
    expect(performance.now() - start).toBeLessThan(3_000);
  });
});
