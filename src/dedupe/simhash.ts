/**
 * Near-duplicate fingerprints: a 64-bit simhash (Charikar, 2002; Manku, Jain and Das Sarma, 2007) over shingles of
 * three words (DESIGN section 10). Texts that share most shingles share most bits.
 */
import { classOfAstral, IDEOGRAPH, LETTER, SEPARATOR, SURROGATE, wordClasses } from './words.js';

export interface Simhash {
  /** High and low 32 bits, unsigned. */
  readonly hi: number;
  readonly lo: number;
}

/** Texts with fewer shingles have no fingerprint: one changed word would move half of its bits. */
export const FEWEST_SHINGLES = 20;

/** Two texts within this distance count as the same. */
export const NEAR_DISTANCE = 3;

/** Characters of a text that are read; the rest of a very long one says little more. */
const LONGEST_TEXT = 1 << 22;

/**
 * The fingerprint of a text, or null when it has fewer than {@link FEWEST_SHINGLES} shingles. Case, punctuation and
 * white space do not count; composed and decomposed characters are one.
 */
export function simhash(text: string): Simhash | null {
  let folded = (text.length > LONGEST_TEXT ? text.slice(0, LONGEST_TEXT) : text).toLowerCase();
  if (/[\u0300-\u036f]/.test(folded)) folded = folded.normalize('NFC');
  const votes = new Votes();
  const shingles = new Shingles(votes);
  eachWord(folded, (word) => shingles.add(word));
  return votes.count < FEWEST_SHINGLES ? null : votes.result();
}

/** The fingerprint of feature hashes: a bit is set when more than half of them have it. */
export function simhashOf(features: Iterable<Simhash>): Simhash {
  const votes = new Votes();
  for (const { hi, lo } of features) votes.add(hi | 0, lo | 0);
  return votes.result();
}

/** In how many of 64 bits two fingerprints differ. */
export function hammingDistance(a: Simhash, b: Simhash): number {
  return popCount(a.hi ^ b.hi) + popCount(a.lo ^ b.lo);
}

/** 16 hexadecimal digits. */
export function simhashHex({ hi, lo }: Simhash): string {
  return (hi >>> 0).toString(16).padStart(8, '0') + (lo >>> 0).toString(16).padStart(8, '0');
}

/** Reads {@link simhashHex}. Throws a RangeError for anything but 16 hexadecimal digits. */
export function parseSimhash(hex: string): Simhash {
  if (!/^[0-9a-f]{16}$/i.test(hex)) throw new RangeError(`${JSON.stringify(hex)} is no fingerprint of 16 hex digits`);
  return { hi: Number.parseInt(hex.slice(0, 8), 16), lo: Number.parseInt(hex.slice(8), 16) };
}

/** How many of the 32 bits are set. */
export function popCount(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Hashes of the words of a lower-case text, in order. */
function eachWord(text: string, visit: (hash: number) => void): void {
  const classes = wordClasses();
  const SEED = 0x811c9dc5;
  let hash = SEED;
  let open = false;
  for (let i = 0; i < text.length; i++) {
    let code = text.charCodeAt(i);
    let kind = classes[code];
    if (kind === SURROGATE) {
      code = text.codePointAt(i)!;
      kind = code > 0xffff ? classOfAstral(code) : SEPARATOR;
      if (code > 0xffff) i++;
    }
    if (kind === LETTER) {
      hash = Math.imul(hash ^ code, 0x01000193);
      open = true;
      continue;
    }
    if (open) visit(hash);
    open = false;
    hash = SEED;
    if (kind === IDEOGRAPH) visit(Math.imul(SEED ^ code, 0x01000193));
  }
  if (open) visit(hash);
}

/** Turns a stream of word hashes into 64-bit shingle hashes. */
class Shingles {
  private readonly votes: Votes;
  private before = 0;
  private previous = 0;
  private words = 0;

  constructor(votes: Votes) {
    this.votes = votes;
  }

  add(word: number): void {
    // Each half mixes the three words with other multipliers, so that the halves and the order are independent.
    if (this.words >= 2) {
      const { before, previous } = this;
      const a = Math.imul(before, 0x9e3779b1) ^ Math.imul(previous ^ (previous >>> 15), 0x85ebca77);
      const b = Math.imul(before ^ (before >>> 13), 0xc2b2ae3d) + Math.imul(previous, 0x27d4eb2f);
      this.votes.add(avalanche(a + Math.imul(word, 0x165667b1)), avalanche(b ^ Math.imul(word, 0xd3a2646d)));
    }
    this.before = this.previous;
    this.previous = word;
    this.words++;
  }
}

/** The finaliser of MurmurHash3: every bit in decides about every bit out. */
function avalanche(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/**
 * Counts, for each of 64 bits, how many hashes have it. Four counters of eight bits share a word, so that a hash costs
 * 16 additions instead of 64; before one could overflow, all are poured into wide ones.
 */
class Votes {
  count = 0;
  private readonly packed = new Int32Array(16);
  private readonly totals = new Uint32Array(64);
  private pending = 0;

  add(hi: number, lo: number): void {
    const { packed } = this;
    for (let i = 0; i < 8; i++) {
      packed[i] += (lo >>> i) & 0x01010101;
      packed[i + 8] += (hi >>> i) & 0x01010101;
    }
    this.count++;
    if (++this.pending === 255) this.pour();
  }

  result(): Simhash {
    this.pour();
    let hi = 0;
    let lo = 0;
    for (let bit = 0; bit < 32; bit++) {
      if (this.totals[bit] * 2 > this.count) lo |= 1 << bit;
      if (this.totals[bit + 32] * 2 > this.count) hi |= 1 << bit;
    }
    return { hi: hi >>> 0, lo: lo >>> 0 };
  }

  private pour(): void {
    for (let i = 0; i < 16; i++) {
      const word = this.packed[i];
      const first = i < 8 ? i : i + 24; // bit i of the low half, or of the high one
      for (let k = 0; k < 4; k++) this.totals[first + 8 * k] += (word >>> (8 * k)) & 0xff;
      this.packed[i] = 0;
    }
    this.pending = 0;
  }
}
