import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEEPEST, LARGEST_ID, type SeenSegment, SeenTable } from '../../src/dedupe/seen.js';
import { randomWords } from './random.js';

describe('the seen table', () => {
  it('answers as a map does, over any keys and any order', () => {
    const half = fc.oneof(
      fc.constantFrom(0, 1, -1, 0xffff_ffff, 0x8000_0000),
      fc.integer({ min: 0, max: 0xffff_ffff }),
    );
    const step = fc.record({ hi: half, lo: half, id: fc.integer({ min: 0, max: LARGEST_ID }), insert: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const table = new SeenTable();
        const model = new Map<string, number>();
        for (const { hi, lo, id, insert } of steps) {
          const key = `${hi >>> 0} ${lo >>> 0}`;
          const known = model.get(key) ?? -1;
          if ((insert ? table.insert(hi, lo, id) : table.get(hi, lo)) !== known) return false;
          if (insert && known < 0) model.set(key, id);
        }
        return table.size === model.size;
      }),
      { numRuns: 200, seed: 1 },
    );
  });

  it('holds half a million keys exactly, through every growth and split', () => {
    const count = 500_000;
    const words = randomWords(2 * count, 42);
    const table = new SeenTable();
    for (let i = 0; i < count; i++) table.insert(words[2 * i], words[2 * i + 1], i);
    let wrong = 0;
    for (let i = 0; i < count; i++) {
      if (table.get(words[2 * i], words[2 * i + 1]) !== i) wrong++;
      if (table.get(words[2 * i + 1], words[2 * i]) !== -1) wrong++;
      if (table.insert(words[2 * i], words[2 * i + 1], 7) !== i) wrong++;
    }
    expect(wrong).toBe(0);
    expect(table.size).toBe(count);
    const found = new Uint8Array(count);
    table.forEach((hi, lo, id) => {
      if (words[2 * id] === hi && words[2 * id + 1] === lo) found[id]++;
    });
    expect(found.every((times) => times === 1)).toBe(true);
  });

  it('takes 15 to 17 bytes a key at any size', () => {
    const words = randomWords(600_000, 43);
    const table = new SeenTable();
    for (let i = 0; i < 300_000; i++) {
      table.insert(words[2 * i], words[2 * i + 1], i);
      if (i < 10_000 || i % 1_000 !== 0) continue;
      expect(table.bytes / table.size).toBeGreaterThanOrEqual(15);
      expect(table.bytes / table.size).toBeLessThan(17);
    }
  });

  it('walked segment by segment while it grows, gives each key that it held once, and is the same table again', () => {
    const count = 150_000;
    const words = randomWords(4 * count, 44);
    const table = new SeenTable();
    const add = (from: number, to: number): void => {
      for (let i = from; i < to; i++) table.insert(words[2 * i], words[2 * i + 1], i);
    };
    add(0, count);
    const segments: SeenSegment[] = [];
    let added = count;
    for (let at = 0; at < 2 ** DEEPEST; ) {
      const segment = table.segmentAt(at);
      segments.push({ ...segment, slots: segment.slots.slice() });
      at += 2 ** (DEEPEST - segment.depth);
      add(added, Math.min(added + 20_000, 2 * count)); // it splits on the way
      added = Math.min(added + 20_000, 2 * count);
    }
    const load = (parts: readonly SeenSegment[]): SeenTable => {
      const loaded = new SeenTable();
      const { take, end } = loaded.loading();
      parts.forEach(take);
      end();
      return loaded;
    };
    const copy = load(segments);
    let missing = 0;
    for (let i = 0; i < count; i++) if (copy.get(words[2 * i], words[2 * i + 1]) !== i) missing++;
    expect(missing).toBe(0);
    for (let i = count; i < 2 * count; i++) copy.insert(words[2 * i], words[2 * i + 1], i);
    expect(copy.size).toBe(2 * count);
    expect(() => load(segments.slice(1))).toThrow(RangeError);
    expect(() => load(segments.slice(0, -1))).toThrow(RangeError);
  });

  it('bears keys that are no hashes', () => {
    for (const spread of [
      (i: number) => [0, i],
      (i: number) => [i, 0],
      (i: number) => [i << 16, i],
      (i: number) => [7, i << 12],
    ]) {
      const table = new SeenTable();
      for (let i = 0; i < 100_000; i++) table.insert(spread(i)[0], spread(i)[1], i);
      let wrong = 0;
      for (let i = 0; i < 100_000; i++) if (table.get(spread(i)[0], spread(i)[1]) !== i) wrong++;
      expect(wrong).toBe(0);
    }
  });

  it('holds the largest id and refuses what is none', () => {
    const table = new SeenTable();
    expect(table.insert(0, 0, LARGEST_ID)).toBe(-1);
    expect(table.get(0, 0)).toBe(LARGEST_ID);
    for (const id of [-1, LARGEST_ID + 1, Number.NaN]) expect(() => table.insert(1, 1, id)).toThrow(RangeError);
  });
});
