import { describe, expect, it } from 'vitest';
import { bloomSizeForBits } from '../../src/dedupe/bloom.js';
import { BloomSeen, UNNAMED } from '../../src/dedupe/bloom-seen.js';
import { seededRandom } from '../../src/engines/system.js';
import { randomWords } from './random.js';

const random = seededRandom(12);
const secret = () => Math.floor(random.next() * 2 ** 32);
const filter = (keys: number, bitsPerKey: number): BloomSeen => new BloomSeen({ keys, bitsPerKey, rate: null, secret });

/** Keys 0 to `count`. */
const words = randomWords(600_000, 31);
const key = (i: number): [hi: number, lo: number] => [words[2 * i], words[2 * i + 1]];

describe('the seen filter of a very large crawl', () => {
  it('finds every key in work by its id, knows every other, and holds no more exact keys than twice those in work', () => {
    const count = 280_000;
    const seen = filter(count, 20);
    seen.keeps = (id) => id % 10 === 0 || id > count - 1000;
    for (let id = 0; id < count; id++) seen.insert(...key(id), id);
    let wrong = 0;
    let unnamed = 0;
    for (let id = 0; id < count; id++) {
      const found = seen.get(...key(id));
      if (found === UNNAMED && !seen.keeps(id)) unnamed++;
      else if (found !== id) wrong++;
    }
    expect(wrong).toBe(0);
    expect(unnamed).toBeGreaterThan(0.3 * count);
    expect(seen.exact.size).toBeLessThan(2 * 65_536 + 0.2 * count);
  });

  it('gives a URL that was skipped falsely another chance in the next epoch, and forgets none that is known', () => {
    const keys = 20_000;
    const seen = filter(keys, 4); // small: 15% of new URLs are skipped
    seen.keeps = () => false;
    for (let id = 0; id < keys; id++) seen.insert(...key(id), id);
    const strangers = Array.from({ length: 20_000 }, (_, i) => keys + i);
    const skipped = strangers.filter((i) => seen.get(...key(i)) !== -1);
    expect(skipped.length / strangers.length).toBeCloseTo(seen.figures.falsePositives, 1);
    expect(seen.begin()).toBe(true);
    expect(seen.begin()).toBe(false);
    const late = 500_000 / 2;
    seen.insert(...key(late), keys); // admitted while the next filter is built
    for (let id = 0; id < keys; id++) seen.recall(...key(id));
    seen.end();
    for (let id = 0; id < keys; id++) expect(seen.get(...key(id)), `key ${id}`).not.toBe(-1);
    expect(seen.get(...key(late))).not.toBe(-1);
    const again = skipped.filter((i) => seen.get(...key(i)) !== -1);
    expect(again.length / skipped.length).toBeLessThan(1.3 * seen.figures.falsePositives + 0.02);
    expect(seen.figures.epoch).toBe(2);
  });

  it('is overfull at the size it was made for, long before the errors have doubled; the next is made for twice as many', () => {
    const design = 5_000;
    const seen = filter(design, 9.6);
    let [alertAt, doubledAt] = [0, 0];
    const atDesign = 0.5 ** bloomSizeForBits(design, 9.6).hashes;
    for (let id = 0; id < 2 * design; id++) {
      seen.insert(...key(id), id);
      if (alertAt === 0 && seen.isOverfull) alertAt = id + 1;
      if (doubledAt === 0 && seen.figures.falsePositives > 2.2 * atDesign) doubledAt = id + 1;
    }
    expect(alertAt).toBeGreaterThanOrEqual(design);
    expect(alertAt).toBeLessThan(1.02 * design);
    expect(doubledAt).toBeGreaterThan(alertAt);
    seen.begin();
    seen.end();
    expect(seen.figures.design).toBe(2 * design);
    expect(seen.isOverfull).toBe(false);
  });

  it('names the URL that is in work when one key has two rows', () => {
    const seen = filter(1000, 20);
    seen.insert(1, 2, 5);
    expect(seen.insert(1, 2, 9)).toBe(5);
    expect(seen.get(1, 2)).toBe(9);
  });
});

describe('the errors of a Bloom filter', () => {
  // the large form, with at least 400 false answers counted for each, is `npm run bench -- seen`
  it.each([
    [9.6, 1],
    [9.6, 2],
  ])('are those of the formula with %f bits a key at %i times the design size', (bits, load) => {
    const design = 40_000;
    const seen = filter(design, bits);
    seen.keeps = () => false;
    for (let id = 0; id < load * design; id++) seen.insert(...key(id), id);
    const { hashes } = bloomSizeForBits(design, bits);
    const formula = (1 - Math.exp((-hashes * load) / bits)) ** hashes;
    let wrong = 0;
    for (let i = load * design; i < 300_000; i++) if (seen.get(...key(i)) !== -1) wrong++;
    const measured = wrong / (300_000 - load * design);
    expect(Math.abs(measured / formula - 1)).toBeLessThan(load === 1 ? 0.1 : 0.05);
  });
});
