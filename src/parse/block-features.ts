/**
 * What there is to know about each block of a page, as small numbers: its own text, its element's ancestors, its
 * neighbours, and its place among the page's prose. main-text.ts decides on them.
 *
 * Everything is computed on the flat rows of the scan: one sweep up (sums of subtrees), one down (what ancestors say),
 * one over the blocks.
 */
import { Tag } from './elements.js';
import type { Elements } from './open-elements.js';
import type { TextBuilder } from './text-builder.js';

/** The columns. The trained model refers to them by number: whoever changes one trains again. */
// biome-ignore format: a table
export const Feature = {
  chars: 0, words: 1, linkShare: 2, wordLength: 3, commas: 4, upperShare: 5, endsSentence: 6, flags: 7, headingLevel:
  8, container: 9, parentTag: 10, grandparentTag: 11, depth: 12, position: 13, charsBefore: 14, afterHeadline: 15,
  blocksInParent: 16, parentChars: 17, parentLinkShare: 18, parentProseShare: 19, grandChars: 20, grandLinkShare: 21,
  parentChildren: 22, grandChildren: 23, bestDistance: 24, bestShare: 25, coverDistance: 26, coverShare: 27,
  blocksToProse: 28, boilerplateShare: 29, boilerplateLinkShare: 30, boilerplateDistance: 31, previousChars: 32,
  previousLinkShare: 33, nextChars: 34, nextLinkShare: 35, aroundLinkShare: 36, aroundChars: 37, pageChars: 38,
  pageLinkShare: 39, pageProseShare: 40, pageBlocks: 41, articleShare: 42, articleOrdinal: 43, navigation: 44, footer:
  45, header: 46, aside: 47, promotion: 48, comments: 49, hidden: 50, meta: 51, content: 52, article: 53, noscript:
  54, form: 55, caption: 56,
} as const;
export const FEATURE_COUNT = Object.keys(Feature).length;
const F = Feature;

/** Bits of `Hint` in the order of the columns `navigation` to `caption`. */
const HINT_BITS = 13;
const HINT_BASE = F.navigation;
/** Hints that speak against an element: navigation, footer, header, aside, promotion, comments, hidden, meta. */
const AGAINST = 255;

/** A block of this many characters with few links is prose. */
const PROSE_CHARS = 80;
const FAR = 255;

// -- small numbers

const LOG_TABLE = new Uint8Array(4096);
for (let i = 0; i < LOG_TABLE.length; i++) LOG_TABLE[i] = Math.round(Math.log2(1 + i) * 12);

/** Twelve steps an octave: 0 for 0, 144 for 4,096, at most 255. */
function log(value: number): number {
  if (value < 4096) return LOG_TABLE[value];
  return Math.min(255, Math.round(Math.log2(1 + value) * 12));
}

/** A share in percent; 0 of nothing. */
function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.min(100, ((part * 100) / whole) | 0);
}

const cap = (value: number): number => Math.min(value, 255);

/** Blocks that are looked at: the first ones of a page that has more than any reader would go through. */
export const MAX_BLOCKS = 20_000;

/** Bytes of a block that are looked at closely. */
const SAMPLE = 128;

/** The table of features of a page, `FEATURE_COUNT` numbers a block. */
export class BlockFeatures {
  readonly table: Uint8Array;
  readonly #elements: Elements;
  readonly #text: TextBuilder;
  readonly #size: number;
  // per row
  readonly #end: Int32Array;
  readonly #chars: Int32Array;
  readonly #linkChars: Int32Array;
  readonly #prose: Int32Array;
  readonly #blocks: Int32Array;
  readonly #children: Int32Array;
  readonly #depth: Uint8Array;
  /** Row of the nearest element that hints speak against. */
  readonly #against: Int32Array;
  /** Row of the nearest `article`, and the how-manieth of the page it is. */
  readonly #article: Int32Array;
  readonly #articleOrdinal: Uint8Array;
  /** Distance to the nearest ancestor-or-self with each hint, `HINT_BITS` a row. */
  readonly #hintDistance: Uint8Array;
  #best = 0;
  #cover = 0;

  constructor(elements: Elements, text: TextBuilder) {
    this.#elements = elements;
    this.#text = text;
    const rows = elements.count;
    this.#size = Math.min(text.blockCount, MAX_BLOCKS);
    this.#end = new Int32Array(rows);
    this.#chars = new Int32Array(rows);
    this.#linkChars = new Int32Array(rows);
    this.#prose = new Int32Array(rows);
    this.#blocks = new Int32Array(rows);
    this.#children = new Int32Array(rows);
    this.#depth = new Uint8Array(rows);
    this.#against = new Int32Array(rows);
    this.#article = new Int32Array(rows);
    this.#articleOrdinal = new Uint8Array(rows);
    this.#hintDistance = new Uint8Array(rows * HINT_BITS);
    this.table = new Uint8Array(this.#size * FEATURE_COUNT);
    this.#sumUp();
    this.#chooseBest();
    this.#chooseCover();
    this.#inheritDown();
    this.#fill();
  }

  /** Prose characters of a block: its length if it is long and not mostly links. */
  #proseOf(block: number): number {
    const { blockChars, blockLinkChars } = this.#text;
    const chars = blockChars[block];
    return chars >= PROSE_CHARS && blockLinkChars[block] * 3 < chars ? chars : 0;
  }

  #sumUp(): void {
    const { parent, count } = this.#elements;
    const { blockRow, blockChars, blockLinkChars } = this.#text;
    for (let block = 0; block < this.#size; block++) {
      const row = blockRow[block];
      this.#chars[row] += blockChars[block];
      this.#linkChars[row] += blockLinkChars[block];
      this.#prose[row] += this.#proseOf(block);
      this.#blocks[row]++;
    }
    for (let row = count - 1; row > 0; row--) {
      const up = parent[row];
      if (this.#end[row] === 0) this.#end[row] = row + 1;
      if (this.#end[up] < this.#end[row]) this.#end[up] = this.#end[row];
      this.#chars[up] += this.#chars[row];
      this.#linkChars[up] += this.#linkChars[row];
      this.#prose[up] += this.#prose[row];
      this.#blocks[up] += this.#blocks[row];
      this.#children[up]++;
    }
    if (this.#end[0] === 0) this.#end[0] = 1;
  }

  /** The element whose children hold the most prose: a paragraph counts for its parent and half for its grandparent. */
  #chooseBest(): void {
    const { parent, count } = this.#elements;
    const score = new Float64Array(count);
    let best = 0;
    for (let block = 0; block < this.#size; block++) {
      const prose = this.#proseOf(block);
      if (prose === 0) continue;
      const up = Math.max(0, parent[this.#text.blockRow[block]]);
      const above = Math.max(0, parent[up]);
      score[up] += prose;
      score[above] += prose / 2;
      if (score[up] > score[best]) best = up;
      if (score[above] > score[best]) best = above;
    }
    this.#best = best;
  }

  /** The smallest element that holds 85% of the prose. Rows of a subtree are contiguous, so candidates nest. */
  #chooseCover(): void {
    const need = this.#prose[0] * 0.85;
    if (need === 0) return;
    for (let row = 1; row < this.#elements.count; row++) {
      if (row >= this.#end[this.#cover]) return;
      if (this.#prose[row] >= need) this.#cover = row;
    }
  }

  #inheritDown(): void {
    const { parent, hints, tag, count } = this.#elements;
    const distances = this.#hintDistance;
    for (let bit = 0; bit < HINT_BITS; bit++) distances[bit] = FAR;
    this.#against[0] = -1;
    this.#article[0] = -1;
    let articles = 0;
    for (let row = 1; row < count; row++) {
      const up = parent[row];
      this.#depth[row] = cap(this.#depth[up] + 1);
      const own = hints[row];
      this.#against[row] = own & AGAINST ? row : this.#against[up];
      const isArticle = tag[row] === Tag.article;
      this.#article[row] = isArticle ? row : this.#article[up];
      if (isArticle) this.#articleOrdinal[row] = Math.min(250, articles++);
      const at = row * HINT_BITS;
      const from = up * HINT_BITS;
      for (let bit = 0; bit < HINT_BITS; bit++) {
        const inherited = distances[from + bit];
        distances[at + bit] = own & (1 << bit) ? 0 : inherited >= 254 ? inherited : inherited + 1;
      }
    }
  }

  #fill(): void {
    const headline = this.#headline();
    let charsBefore = 0;
    let lastProse = -1;
    for (let block = 0; block < this.#size; block++) {
      const at = block * FEATURE_COUNT;
      this.#fillText(block, at);
      this.#fillPlace(block, at, charsBefore, headline);
      this.#fillAncestors(block, at);
      if (this.#proseOf(block) > 0) {
        for (let b = Math.max(lastProse + 1, block - 254); b < block; b++) this.#setToProse(b, block - b);
        lastProse = block;
        this.#setToProse(block, 0);
      } else this.#setToProse(block, lastProse < 0 ? FAR : cap(block - lastProse));
      charsBefore += this.#text.blockChars[block];
    }
    this.#fillNeighbours();
  }

  #setToProse(block: number, distance: number): void {
    const at = block * FEATURE_COUNT + F.blocksToProse;
    if (distance === 0 || this.table[at] === 0 || distance < this.table[at]) this.table[at] = distance;
  }

  /** The block of the first `h1`, or -1. */
  #headline(): number {
    const { blockRow, blockFlags } = this.#text;
    for (let block = 0; block < this.#size; block++) {
      if (blockFlags[block] & 1 && this.#headingOf(blockRow[block]) === 1) return block;
    }
    return -1;
  }

  #headingOf(row: number): number {
    const { tag, parent } = this.#elements;
    for (let up = row, steps = 0; up > 0 && steps < 4; up = parent[up], steps++) {
      if (tag[up] >= Tag.h1 && tag[up] <= Tag.h6) return tag[up] - Tag.h1 + 1;
    }
    return 0;
  }

  #fillText(block: number, at: number): void {
    const { table } = this;
    const { bytes, blockStart, blockEnd, blockChars, blockLinkChars, blockGaps } = this.#text;
    const start = blockStart[block];
    const end = blockEnd[block];
    const stop = Math.min(end, start + SAMPLE);
    let commas = 0;
    let uppers = 0;
    let letters = 0;
    for (let p = start; p < stop; p++) {
      const c = bytes[p];
      const lower = c | 0x20;
      if ((lower >= 0x61 && lower <= 0x7a) || c >= 0x80) {
        letters++;
        if (c !== lower) uppers++;
      } else if (c === 0x2c || c === 0x3b) commas++;
    }
    const last = lastCharacter(bytes, start, end);
    const chars = blockChars[block];
    table[at + F.chars] = log(chars);
    table[at + F.words] = log(blockGaps[block] + 1);
    table[at + F.linkShare] = share(blockLinkChars[block], chars);
    table[at + F.wordLength] = cap(((chars * 4) / (blockGaps[block] + 1)) | 0);
    table[at + F.commas] = commas;
    table[at + F.upperShare] = share(uppers, letters);
    table[at + F.endsSentence] = last;
  }

  #fillPlace(block: number, at: number, charsBefore: number, headline: number): void {
    const { table } = this;
    const { blockRow, blockFlags } = this.#text;
    const row = blockRow[block];
    table[at + F.flags] = blockFlags[block];
    table[at + F.headingLevel] = blockFlags[block] & 1 ? this.#headingOf(row) : 0;
    table[at + F.position] = share(block, this.#size);
    table[at + F.charsBefore] = share(charsBefore, this.#chars[0]);
    table[at + F.afterHeadline] = headline < 0 ? 0 : Math.max(1, Math.min(255, 128 + block - headline));
    table[at + F.pageChars] = log(this.#chars[0]);
    table[at + F.pageLinkShare] = share(this.#linkChars[0], this.#chars[0]);
    table[at + F.pageProseShare] = share(this.#prose[0], this.#chars[0]);
    table[at + F.pageBlocks] = log(this.#size);
  }

  #fillAncestors(block: number, at: number): void {
    const { table } = this;
    const { tag, parent } = this.#elements;
    const row = this.#text.blockRow[block];
    const up = Math.max(0, parent[row]);
    const above = Math.max(0, parent[up]);
    table[at + F.container] = tag[row];
    table[at + F.parentTag] = tag[up];
    table[at + F.grandparentTag] = tag[above];
    table[at + F.depth] = this.#depth[row];
    table[at + F.blocksInParent] = log(this.#blocks[up]);
    table[at + F.parentChars] = log(this.#chars[up]);
    table[at + F.parentLinkShare] = share(this.#linkChars[up], this.#chars[up]);
    table[at + F.parentProseShare] = share(this.#prose[up], this.#chars[up]);
    table[at + F.grandChars] = log(this.#chars[above]);
    table[at + F.grandLinkShare] = share(this.#linkChars[above], this.#chars[above]);
    table[at + F.parentChildren] = log(this.#children[up]);
    table[at + F.grandChildren] = log(this.#children[above]);
    const best = this.#best;
    const cover = this.#cover;
    const inBest = row >= best && row < this.#end[best];
    const inCover = row >= cover && row < this.#end[cover];
    table[at + F.bestDistance] = inBest ? Math.min(250, this.#depth[row] - this.#depth[best]) : row < best ? 254 : FAR;
    table[at + F.bestShare] = share(this.#chars[best], this.#chars[0]);
    table[at + F.coverDistance] = inCover
      ? Math.min(250, this.#depth[row] - this.#depth[cover])
      : row < cover
        ? 254
        : FAR;
    table[at + F.coverShare] = share(this.#chars[cover], this.#chars[0]);
    const against = this.#against[row];
    table[at + F.boilerplateShare] = against < 0 ? FAR : share(this.#chars[against], this.#chars[0]);
    table[at + F.boilerplateLinkShare] = against < 0 ? FAR : share(this.#linkChars[against], this.#chars[against]);
    table[at + F.boilerplateDistance] = against < 0 ? FAR : cap(this.#depth[row] - this.#depth[against]);
    const article = this.#article[row];
    table[at + F.articleShare] = article < 0 ? FAR : share(this.#chars[article], this.#chars[0]);
    table[at + F.articleOrdinal] = article < 0 ? FAR : this.#articleOrdinal[article];
    const from = row * HINT_BITS;
    for (let bit = 0; bit < HINT_BITS; bit++) table[at + HINT_BASE + bit] = this.#hintDistance[from + bit];
  }

  /** What stands before and after, in reading order. */
  #fillNeighbours(): void {
    const { table } = this;
    const { blockChars, blockLinkChars } = this.#text;
    const width = 4;
    let chars = 0;
    let links = 0;
    for (let b = 0; b < Math.min(width, this.#size); b++) {
      chars += blockChars[b];
      links += blockLinkChars[b];
    }
    for (let block = 0; block < this.#size; block++) {
      if (block + width < this.#size) {
        chars += blockChars[block + width];
        links += blockLinkChars[block + width];
      }
      if (block > width) {
        chars -= blockChars[block - width - 1];
        links -= blockLinkChars[block - width - 1];
      }
      const at = block * FEATURE_COUNT;
      table[at + F.aroundChars] = log(chars);
      table[at + F.aroundLinkShare] = share(links, chars);
      if (block > 0) {
        table[at + F.previousChars] = table[at - FEATURE_COUNT + F.chars];
        table[at + F.previousLinkShare] = table[at - FEATURE_COUNT + F.linkShare];
      }
      if (block + 1 < this.#size) {
        table[at + F.nextChars] = table[at + FEATURE_COUNT + F.chars];
        table[at + F.nextLinkShare] = table[at + FEATURE_COUNT + F.linkShare];
      }
    }
  }
}

/** 1 if the block ends like a sentence, 2 with a colon, 3 with a digit, 4 with an ellipsis or bracket, 0 else. */
function lastCharacter(bytes: Uint8Array, start: number, end: number): number {
  let p = end - 1;
  while (p > start && (bytes[p] === 0x22 || bytes[p] === 0x27 || bytes[p] === 0x29)) p--;
  const c = bytes[p];
  if (c === 0x2e && bytes[p - 1] === 0x2e) return 4;
  if (c === 0x2e || c === 0x21 || c === 0x3f) return 1;
  if (c === 0x3a) return 2;
  if (c >= 0x30 && c <= 0x39) return 3;
  if (c === 0xa6 && bytes[p - 1] === 0x80 && bytes[p - 2] === 0xe2) return 4;
  // CJK full stop, closing quotation marks
  if (c === 0x82 && bytes[p - 1] === 0x80 && bytes[p - 2] === 0xe3) return 1;
  if (c === 0x9d && bytes[p - 1] === 0x80 && bytes[p - 2] === 0xe2) return 1;
  return 0;
}
