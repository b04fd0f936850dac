import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  hammingDistance,
  NEAR_DISTANCE,
  parseSimhash,
  type Simhash,
  simhash,
  simhashHex,
  simhashOf,
} from '../../src/dedupe/simhash.js';
import { randomWords } from './random.js';

/** A text of `count` words out of a vocabulary of 20,000. */
function text(count: number, seed: number): string[] {
  return [...randomWords(count, seed)].map((word) => `w${(word % 20_000).toString(36)}`);
}
function fingerprint(words: string[] | string): Simhash {
  const found = simhash(typeof words === 'string' ? words : words.join(' '));
  if (found === null) throw new Error('too short');
  return found;
}
const distance = (a: string[] | string, b: string[] | string) => hammingDistance(fingerprint(a), fingerprint(b));

describe('simhash', () => {
  it('is the vote of the feature hashes: more than half sets a bit, a tie does not', () => {
    const all = parseSimhash('00000000deadbeef');
    expect(simhashHex(simhashOf(Array.from({ length: 1_000 }, () => all)))).toBe('00000000deadbeef');
    const [ones, none] = [parseSimhash('ffffffffffffffff'), parseSimhash('0000000000000000')];
    expect(simhashHex(simhashOf([ones, none]))).toBe('0000000000000000');
    expect(simhashHex(simhashOf([ones, none, ones]))).toBe('ffffffffffffffff');
  });

  it('votes as 64 plain counters do, past every overflow of the packed ones', () => {
    for (const count of [1, 254, 255, 256, 1_000]) {
      const words = randomWords(2 * count, count);
      const features = Array.from({ length: count }, (_, i) => ({ hi: words[2 * i], lo: words[2 * i + 1] }));
      let expected = '';
      for (let bit = 63; bit >= 0; bit--) {
        const votes = features.filter(({ hi, lo }) => ((bit >= 32 ? hi : lo) >>> (bit & 31)) & 1).length;
        expected += votes * 2 > count ? '1' : '0';
      }
      expect(simhashHex(simhashOf(features))).toBe(BigInt(`0b${expected}`).toString(16).padStart(16, '0'));
    }
  });

  it('measures distances by bits', () => {
    expect(hammingDistance(parseSimhash('00000000deadbeef'), parseSimhash('00000000deadbead'))).toBe(2);
    expect(hammingDistance(parseSimhash('ffffffffffffffff'), parseSimhash('0000000000000000'))).toBe(64);
    expect(() => parseSimhash('xyz')).toThrow(RangeError);
  });

  it('never changes: these are stored', () => {
    expect(simhashHex(fingerprint(text(200, 1)))).toBe(PINNED);
  });

  it('does not exist under 20 shingles', () => {
    expect(simhash('')).toBeNull();
    expect(simhash(text(21, 1).join(' '))).toBeNull();
    expect(simhash(text(22, 1).join(' '))).not.toBeNull();
  });

  it('keeps a page with an advertisement added within 3 bits, and others far', () => {
    let near = 0;
    let far = 64;
    for (let seed = 1; seed <= 50; seed++) {
      const page = text(2_000, seed);
      const withAd = [...page.slice(0, 700), 'buy', 'our', 'shoes', 'today', ...page.slice(700)];
      if (distance(page, withAd) <= NEAR_DISTANCE) near++;
      far = Math.min(far, distance(page, text(2_000, 1_000 + seed)));
    }
    expect(near).toBeGreaterThanOrEqual(45);
    expect(far).toBeGreaterThan(12);
  });

  it('moves with the share of words that changed', () => {
    const page = text(2_000, 7);
    const changed = (every: number) => page.map((word, i) => (i % every === 0 ? `${word}x` : word));
    expect(distance(page, changed(4))).toBeGreaterThan(distance(page, changed(100)));
    expect(distance(page, changed(4))).toBeGreaterThan(8);
    expect(distance(page, [...page].reverse())).toBeGreaterThan(8);
  });

  it('does not see case, punctuation, white space or how an accent is written', () => {
    const plain =
      'the café près de la gare opens at nine o clock every day but sunday and serves coffee tea and warm bread to all who come in';
    const dressed = `  ${plain.toUpperCase().replaceAll(' ', ' —\n\t"')}!?`;
    expect(distance(plain, dressed)).toBe(0);
    expect(distance(plain, plain.normalize('NFD'))).toBe(0);
  });

  it('reads a Latin-1 text as it reads any other', () => {
    const letters = fc.string({ unit: fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code)) });
    const texts = fc.array(letters, { minLength: 40, maxLength: 60 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(texts, (latin) => {
        expect(simhash(`${latin} \u20ac`)).toEqual(simhash(latin)); // a sign, and no letter
      }),
      { numRuns: 50 },
    );
  });

  it('tells texts apart in scripts without spaces, and finds them near', () => {
    const chinese = Array.from(randomWords(1_500, 3), (word) => String.fromCharCode(0x4e00 + (word % 3_000))).join('');
    const edited = `${chinese.slice(0, 500)}广告${chinese.slice(500)}`;
    expect(distance(chinese, edited)).toBeLessThanOrEqual(6);
    expect(distance(chinese, [...chinese].reverse().join(''))).toBeGreaterThan(8);
    expect(distance(chinese, chinese.replace(/(.{20})/g, '$1，'))).toBe(0);
    expect(simhash('สวัสดีครับผมชื่อสมชายและผมอาศัยอยู่ในกรุงเทพ')).not.toBeNull();
    expect(simhash('これは日本語のテキストです。単語の間に空白がありません。')).not.toBeNull();
    expect(simhash('𠀀𠀁𠀂𠀃𠀄𠀅𠀆𠀇𠀈𠀉𠀊𠀋𠀌𠀍𠀎𠀏𠀐𠀑𠀒𠀓𠀔𠀕')).not.toBeNull();
  });

  it('takes emoji and lone surrogates for punctuation', () => {
    const plain = text(50, 9);
    expect(distance(plain, plain.join(' 🎉\ud800 '))).toBe(0);
  });

  it('is linear: a text of a million characters takes no more than its share', () => {
    for (const unit of ['a', 'a ', '字', ' ', '\u0301', '\ud800']) {
      const start = performance.now();
      simhash(unit.repeat(1_000_000 / unit.length));
      expect(performance.now() - start).toBeLessThan(2_000);
    }
  });
});

const PINNED = 'e0f55d5930dd0258';
