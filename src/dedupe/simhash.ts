/**
 * Near-duplicate fingerprints: a 64-bit simhash (Charikar, 2002; Manku, Jain and Das Sarma, 2007) over shingles of
 * three words (DESIGN section 10). Texts that share most shingles share most bits.
 */
import { classOfAstral, IDEOGRAPH, LETTER, latin1Letters, SEPARATOR, SURROGATE, wordClasses } from './words.js';

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

const SPACE = 0x20;
/** Word hashes are FNV-1a. */
const SEED = 0x811c9dc5;
const PRIME = 0x01000193;

/**
 * The fingerprint of a text, or null when it has fewer than `fewest` shingles. Case, punctuation and
 * white space do not count; composed and decomposed characters are one.
 */
export function simhash(text: string, fewest: number = FEWEST_SHINGLES): Simhash | null {
  const read = text.length > LONGEST_TEXT ? text.slice(0, LONGEST_TEXT) : text;
  votes.clear();
  // a text of Latin-1 alone has no combining marks, and its letters are folded as they are read
  if (!eachLatin1Shingle(read)) {
    const folded = read.toLowerCase();
    votes.clear();
    eachShingle(/[\u0300-\u036f]/.test(folded) ? folded.normalize('NFC') : folded);
  }
  return votes.count < fewest ? null : votes.result();
}

/** The fingerprint of feature hashes: a bit is set when more than half of them have it. */
export function simhashOf(features: Iterable<Simhash>): Simhash {
  votes.clear();
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

/** Sends the shingles of a text to the vote, if it is Latin-1 alone; false if it is not, and what was sent is of no use. */
function eachLatin1Shingle(text: string): boolean {
  const letters = latin1Letters;
  let words = 0;
  let before = 0;
  let previous = 0;
  let hash = SEED;
  let open = false;
  for (let i = 0; i <= text.length; i++) {
    const code = i < text.length ? text.charCodeAt(i) : SPACE;
    if (code > 0xff) return false;
    const letter = letters[code];
    if (letter !== 0) {
      hash = Math.imul(hash ^ letter, PRIME);
      open = true;
    } else if (open) {
      if (words >= 2) vote(before, previous, hash);
      before = previous;
      previous = hash;
      words++;
      hash = SEED;
      open = false;
    }
  }
  return true;
}

/** Sends the shingles of a text in lower case to the vote. */
function eachShingle(text: string): void {
  const classes = wordClasses();
  let words = 0;
  let before = 0;
  let previous = 0;
  let hash = SEED;
  let open = false;
  for (let i = 0; i <= text.length; i++) {
    let code = i < text.length ? text.charCodeAt(i) : SPACE;
    let kind = classes[code];
    if (kind === LETTER) {
      hash = Math.imul(hash ^ code, PRIME);
      open = true;
      continue;
    }
    if (kind === SURROGATE) {
      code = text.codePointAt(i)!;
      kind = code > 0xffff ? classOfAstral(code) : SEPARATOR;
      if (code > 0xffff) i++;
      if (kind === LETTER) kind = IDEOGRAPH; // rare scripts and mathematical letters: a word each
    }
    if (open) {
      if (words >= 2) vote(before, previous, hash);
      before = previous;
      previous = hash;
      words++;
      hash = SEED;
      open = false;
    }
    if (kind === IDEOGRAPH) {
      const word = Math.imul(SEED ^ code, PRIME);
      if (words >= 2) vote(before, previous, word);
      before = previous;
      previous = word;
      words++;
    }
  }
}

/** The 64-bit hash of three words. Each half mixes them with other multipliers, so that the halves are independent
 * and the order counts. */
function vote(before: number, previous: number, word: number): void {
  const a = Math.imul(before, 0x9e3779b1) ^ Math.imul(previous ^ (previous >>> 15), 0x85ebca77);
  const b = Math.imul(before ^ (before >>> 13), 0xc2b2ae3d) + Math.imul(previous, 0x27d4eb2f);
  votes.add(avalanche(a + Math.imul(word, 0x165667b1)), avalanche(b ^ Math.imul(word, 0xd3a2646d)));
}

/** The finaliser of MurmurHash3: every bit in decides about every bit out. */
function avalanche(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** Hashes that are buffered, in groups that fit counters of four bits: 16 groups fit counters of eight. */
const GROUP = 15;
const BUFFERED = 16 * GROUP;

/**
 * Counts, for each of 64 bits, how many hashes have it. Adding 64 counters for each hash would be most of the cost of a
 * fingerprint. So hashes are buffered; eight counters of four bits share a word and 15 hashes are added in registers,
 * eight additions each; those are poured into counters of eight bits, and these, before one overflows, into wide ones.
 */
class Votes {
  count = 0;
  private readonly highs = new Int32Array(BUFFERED);
  private readonly lows = new Int32Array(BUFFERED);
  private readonly totals = new Uint32Array(64);
  /** Words 0 to 7 for the low half: word i counts bits i, i + 8, i + 16 and i + 24. Then the high half. */
  private readonly packed = new Int32Array(16);
  private pending = 0;

  /** Forgets all hashes. */
  clear(): void {
    this.count = 0;
    this.pending = 0;
    this.totals.fill(0);
    this.packed.fill(0);
  }

  add(hi: number, lo: number): void {
    this.highs[this.pending] = hi;
    this.lows[this.pending] = lo;
    this.count++;
    if (++this.pending === BUFFERED) this.pour();
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
    for (let start = 0; start < this.pending; start += GROUP) {
      const end = Math.min(start + GROUP, this.pending);
      this.pourGroup(this.lows, start, end, 0);
      this.pourGroup(this.highs, start, end, 8);
    }
    for (let i = 0; i < 16; i++) {
      const word = this.packed[i];
      const first = i < 8 ? i : i + 24; // bit i of the low half, or of the high one
      for (let k = 0; k < 4; k++) this.totals[first + 8 * k] += (word >>> (8 * k)) & 0xff;
      this.packed[i] = 0;
    }
    this.pending = 0;
  }

  private pourGroup(hashes: Int32Array, start: number, end: number, into: number): void {
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let i = start; i < end; i++) {
      const hash = hashes[i];
      a = (a + (hash & 0x11111111)) | 0;
      b = (b + ((hash >>> 1) & 0x11111111)) | 0;
      c = (c + ((hash >>> 2) & 0x11111111)) | 0;
      d = (d + ((hash >>> 3) & 0x11111111)) | 0;
    }
    const { packed } = this;
    packed[into] += a & 0x0f0f0f0f;
    packed[into + 1] += b & 0x0f0f0f0f;
    packed[into + 2] += c & 0x0f0f0f0f;
    packed[into + 3] += d & 0x0f0f0f0f;
    packed[into + 4] += (a >>> 4) & 0x0f0f0f0f;
    packed[into + 5] += (b >>> 4) & 0x0f0f0f0f;
    packed[into + 6] += (c >>> 4) & 0x0f0f0f0f;
    packed[into + 7] += (d >>> 4) & 0x0f0f0f0f;
  }
}

/** One for all texts. */
const votes = new Votes();
