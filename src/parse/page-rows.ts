/**
 * What there is to know about the elements of a page: sums over their subtrees, what their ancestors say, and where the
 * prose is. On the flat rows of the scan, one sweep up and one down; the tables are kept from page to page.
 */
import { Tag } from './elements.js';
import type { Elements } from './open-elements.js';
import type { TextBuilder } from './text-builder.js';

/** What is kept of a row: where its subtree ends, characters in it, those in links, those of prose, blocks, children, and
 * the rows of the nearest element that hints speak against and of the nearest `article`. */
export const ROW = 8;
const END = 0;
export const CHARS = 1;
export const LINKS = 2;
export const PROSE = 3;
export const BLOCKS = 4;
export const CHILDREN = 5;
export const AGAINST_ROW = 6;
export const ARTICLE_ROW = 7;

/** Distances to the nearest ancestor-or-self with each hint, four to a word: 16. */
export const HINT_WORDS = 4;
const ONES = 0x01010101;

/** Hints that speak against an element: navigation, footer, header, aside, promotion, comments, hidden, meta. */
const AGAINST = 255;

/** A block of this many characters with few links is prose. */
export const PROSE_CHARS = 80;

/** No such element, or one that is far away. */
export const FAR = 255;

/** Rows whose room is kept from page to page. */
const KEPT = 1 << 15;

/** Prose characters of a block: its length if it is long and not mostly links. */
export function proseOf(text: TextBuilder, block: number): number {
  const chars = text.blockChars[block];
  return chars >= PROSE_CHARS && text.blockLinkChars[block] * 3 < chars ? chars : 0;
}

export class PageRows {
  /** `ROW` numbers a row. */
  rows = new Int32Array(0);
  depth = new Uint8Array(0);
  /** Of an `article`: the how-manieth of the page it is. */
  ordinal = new Uint8Array(0);
  distances = new Int32Array(0);
  /** Blocks of prose in an element's children. */
  proseChildren = new Int32Array(0);
  /** The element whose children hold the most prose. */
  best = 0;
  /** The smallest element that holds 85% of the prose. */
  cover = 0;
  #score = new Float64Array(0);

  /** Reads the rows of a scanned page. @param size how many of its blocks count */
  read(elements: Elements, text: TextBuilder, size: number): void {
    this.#makeRoom(elements.count);
    this.#sumUp(elements, text, size);
    this.#chooseBest(elements, text, size);
    this.#chooseCover(elements.count);
    this.#inheritDown(elements);
  }

  #makeRoom(count: number): void {
    if (this.depth.length < count || this.depth.length > KEPT) {
      const size = Math.max(2048, count + (count >> 1));
      this.rows = new Int32Array(size * ROW);
      this.depth = new Uint8Array(size);
      this.ordinal = new Uint8Array(size);
      this.distances = new Int32Array(size * HINT_WORDS);
      this.#score = new Float64Array(size);
      this.proseChildren = new Int32Array(size);
    } else {
      this.proseChildren.fill(0, 0, count);
      this.rows.fill(0, 0, count * ROW);
      this.#score.fill(0, 0, count);
    }
  }

  #sumUp({ parent, count }: Elements, text: TextBuilder, size: number): void {
    const { blockRow, blockChars, blockLinkChars } = text;
    const { rows } = this;
    for (let block = 0; block < size; block++) {
      const at = blockRow[block] * ROW;
      rows[at + CHARS] += blockChars[block];
      rows[at + LINKS] += blockLinkChars[block];
      rows[at + PROSE] += proseOf(text, block);
      rows[at + BLOCKS]++;
    }
    for (let row = count - 1; row > 0; row--) {
      const at = row * ROW;
      const up = parent[row] * ROW;
      if (rows[at + END] === 0) rows[at + END] = row + 1;
      if (rows[up + END] < rows[at + END]) rows[up + END] = rows[at + END];
      rows[up + CHILDREN]++;
      if (rows[at + BLOCKS] === 0) continue;
      rows[up + CHARS] += rows[at + CHARS];
      rows[up + LINKS] += rows[at + LINKS];
      rows[up + PROSE] += rows[at + PROSE];
      rows[up + BLOCKS] += rows[at + BLOCKS];
    }
    if (rows[END] === 0) rows[END] = 1;
  }

  /** The element whose children hold the most prose: a paragraph counts for its parent and half for its grandparent. */
  #chooseBest({ parent }: Elements, text: TextBuilder, size: number): void {
    const score = this.#score;
    let best = 0;
    for (let block = 0; block < size; block++) {
      const prose = proseOf(text, block);
      if (prose === 0) continue;
      const up = Math.max(0, parent[text.blockRow[block]]);
      const above = Math.max(0, parent[up]);
      score[up] += prose;
      this.proseChildren[up]++;
      score[above] += prose / 2;
      if (score[up] > score[best]) best = up;
      if (score[above] > score[best]) best = above;
    }
    this.best = best;
  }

  /** The smallest element that holds 85% of the prose. Rows of a subtree are contiguous, so candidates nest. */
  #chooseCover(count: number): void {
    const { rows } = this;
    const need = rows[PROSE] * 0.85;
    this.cover = 0;
    if (need === 0) return;
    for (let row = 1; row < count; row++) {
      if (row >= rows[this.cover * ROW + END]) return;
      if (rows[row * ROW + PROSE] >= need) this.cover = row;
    }
  }

  #inheritDown({ parent, hints, tag, count }: Elements): void {
    const { rows, distances } = this;
    const bytes = new Uint8Array(distances.buffer);
    distances.fill(-1, 0, HINT_WORDS);
    this.depth[0] = 0;
    rows[AGAINST_ROW] = -1;
    rows[ARTICLE_ROW] = -1;
    let articles = 0;
    for (let row = 1; row < count; row++) {
      const at = row * ROW;
      if (rows[at + BLOCKS] === 0) continue; // nobody will ask
      const up = parent[row];
      const own = hints[row];
      this.depth[row] = Math.min(FAR, this.depth[up] + 1);
      rows[at + AGAINST_ROW] = own & AGAINST ? row : rows[up * ROW + AGAINST_ROW];
      if (tag[row] === Tag.article) {
        rows[at + ARTICLE_ROW] = row;
        this.ordinal[row] = Math.min(250, articles++);
      } else rows[at + ARTICLE_ROW] = rows[up * ROW + ARTICLE_ROW];
      const from = up * HINT_WORDS;
      const to = row * HINT_WORDS;
      for (let word = 0; word < HINT_WORDS; word++) distances[to + word] = oneFarther(distances[from + word]);
      for (let bits = own; bits !== 0; bits &= bits - 1) bytes[to * 4 + 31 - Math.clz32(bits & -bits)] = 0;
    }
  }

  /** Do hints speak against a row or an element around it? */
  isAgainst(row: number): boolean {
    return this.rows[row * ROW + AGAINST_ROW] >= 0;
  }

  /** Is a row the element or inside it? */
  isInside(element: number, row: number): boolean {
    return row >= element && row < this.rows[element * ROW + END];
  }

  /** How deep a row is inside an element; 254 before it, 255 after it. */
  distanceTo(element: number, row: number): number {
    if (row < element) return 254;
    return row < this.rows[element * ROW + END] ? Math.min(250, this.depth[row] - this.depth[element]) : FAR;
  }
}

/** Four distances in a word, each one larger: 254 and 255 stay. */
function oneFarther(word: number): number {
  // the top bit of each byte that is 254 or more
  const stays = word & ((word & 0x7f7f7f7f) + 0x02020202) & 0x80808080;
  return (word + (ONES & ~(stays >>> 7))) | 0;
}
