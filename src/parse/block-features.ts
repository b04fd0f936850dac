/**
 * What there is to know about each block of a page, as small numbers: its own text, its element's ancestors, its
 * neighbours, its section, and its place among the page's prose. main-text.ts decides on them.
 *
 * One sweep over the blocks, on what page-rows.ts knows of their elements. The table is kept from page to page.
 */

import { BlockGroups } from './block-groups.js';
import { hintNumber, lastCharacter, SAMPLE, sampleCounts, sampleKind } from './block-text.js';
import { Tag } from './elements.js';
import { hintsOfWords } from './hints.js';
import type { Elements } from './open-elements.js';
import {
  AGAINST_ROW,
  ARTICLE_ROW,
  BLOCKS,
  CHARS,
  CHILDREN,
  FAR,
  HINT_WORDS,
  LINKS,
  PageRows,
  PROSE,
  proseOf,
  ROW,
} from './page-rows.js';
import { cap, log, share, step } from './small-numbers.js';
import { BlockFlag, MAX_BLOCKS, type TextBuilder } from './text-builder.js';
import { TitleWords } from './title-words.js';
import { findUnits } from './units.js';

/** The columns. The trained model refers to them by number: whoever changes one trains again. The first sixteen are in the
 * order of the bits of `Hint`. */
// biome-ignore format: a table
export const Feature = {
  navigation: 0, footer: 1, header: 2, aside: 3, promotion: 4, comments: 5, hidden: 6, meta: 7, content: 8, article: 9,
  noscript: 10, form: 11, caption: 12, embed: 13, listing: 14, lede: 15,
  chars: 16, words: 17, linkShare: 18, wordLength: 19, commas: 20, upperShare: 21, endsSentence: 22, flags: 23,
  headingLevel: 24, container: 25, parentTag: 26, grandparentTag: 27, depth: 28, position: 29, charsBefore: 30,
  afterHeadline: 31, blocksInParent: 32, parentChars: 33, parentLinkShare: 34, parentProseShare: 35, grandChars: 36,
  grandLinkShare: 37, parentChildren: 38, grandChildren: 39, bestDistance: 40, bestShare: 41, coverDistance: 42,
  coverShare: 43, blocksToProse: 44, boilerplateShare: 45, boilerplateLinkShare: 46, boilerplateDistance: 47,
  previousChars: 48, previousLinkShare: 49, nextChars: 50, nextLinkShare: 51, aroundLinkShare: 52, aroundChars: 53,
  pageChars: 54, pageLinkShare: 55, pageProseShare: 56, pageBlocks: 57, articleShare: 58, articleOrdinal: 59,
  lowerShare: 60, digitShare: 61, afterTitle: 62, sectionHint: 63, sectionBlocks: 64, sectionLevel: 65,
  sectionChars: 66, proseBeside: 67, alikeBlocks: 68, alikeChars: 69, alikeLength: 70, alikeShare: 71, timesSaid: 72,
  afterFirstProse: 73, beforeLastProse: 74, beforeBestEnd: 75, bestBefore: 76, proseBlocks: 77, againstShare: 78,
  nextFlags: 79,
} as const;
const F = Feature;

/** Bytes of a row of the table. */
export const FEATURE_STRIDE = 80;

/** Neighbours that are looked at, either way. */
const AROUND = 4;

/** Bytes of a heading whose words are looked up as if they named a class. */
const LABEL = 48;

/** Blocks whose room is kept from page to page. */
const KEPT = 1 << 13;

/** Computes the table of one page after another. */
export class BlockFeatures {
  /** `FEATURE_STRIDE` numbers a unit, of the page read last. */
  table = new Uint8Array(0);
  /** Units: runs of neighbours that are of a kind, such as the cells of a table. Their first blocks, and the end of the last. */
  units = new Int32Array(0);
  unitCount = 0;
  #toProse = new Uint8Array(0);
  #words = new Int32Array(0);
  readonly #page = new PageRows();
  readonly #groups = new BlockGroups();
  #elements!: Elements;
  #text!: TextBuilder;
  #size = 0;
  #headline = -1;
  #titled = -1;
  readonly #title = new TitleWords();

  /**
   * Fills the table for the blocks of a scanned page.
   * @param title its `title`, by which its headline is known
   */
  read(elements: Elements, text: TextBuilder, title: string): void {
    this.#elements = elements;
    this.#text = text;
    this.#size = Math.min(text.blockCount, MAX_BLOCKS);
    this.#makeRoom(this.#size);
    this.#page.read(elements, text, this.#size);
    this.#findHeadlines(title);
    this.unitCount = findUnits(elements, text, this.#size, this.units);
    this.#groups.read(elements, text, this.#page, this.units, this.unitCount);
    this.#findProse();
    this.#fill();
  }

  #makeRoom(blocks: number): void {
    if (this.table.length < blocks * FEATURE_STRIDE || this.table.length > KEPT * FEATURE_STRIDE) {
      this.table = new Uint8Array(Math.max(1024, blocks + (blocks >> 1)) * FEATURE_STRIDE);
      this.#words = new Int32Array(this.table.buffer);
      const size = this.table.length / FEATURE_STRIDE;
      this.units = new Int32Array(size + 1);
      this.#toProse = new Uint8Array(size);
    }
  }

  /** Blocks to the nearest prose, either way. */
  #findProse(): void {
    const distances = this.#toProse;
    let distance = FAR;
    for (let block = 0; block < this.#size; block++) {
      distance = proseOf(this.#text, block) > 0 ? 0 : cap(distance + 1);
      distances[block] = distance;
    }
    distance = FAR;
    for (let block = this.#size - 1; block >= 0; block--) {
      distance = distances[block] === 0 ? 0 : cap(distance + 1);
      if (distance < distances[block]) distances[block] = distance;
    }
  }

  /** The block of the first `h1`, and the heading that has most of the page's title. */
  #findHeadlines(title: string): void {
    const { bytes, blockRow, blockFlags, blockStart, blockEnd } = this.#text;
    this.#headline = this.#titled = -1;
    this.#title.set(title);
    let most = 0;
    for (let block = 0; block < this.#size; block++) {
      if ((blockFlags[block] & BlockFlag.heading) === 0) continue;
      if (this.#headline < 0 && this.#headingOf(blockRow[block]) === 1) this.#headline = block;
      const likeness = this.#title.likeness(bytes, blockStart[block], blockEnd[block]);
      if (likeness <= most) continue;
      most = likeness;
      this.#titled = block;
    }
    if (this.#titled < 0) this.#titled = this.#headline;
  }

  #headingOf(row: number): number {
    const { tag, parent } = this.#elements;
    for (let up = row, steps = 0; up > 0 && steps < 4; up = parent[up], steps++) {
      if (tag[up] >= Tag.h1 && tag[up] <= Tag.h6) return tag[up] - Tag.h1 + 1;
    }
    return 0;
  }

  /** Fills the row of each unit with what there is to know about the block in its middle. */
  #fill(): void {
    const { table, units } = this;
    const { blockChars, blockFlags, blockRow } = this.#text;
    let charsBefore = 0;
    let counted = 0;
    let heading = -1;
    let headingHint = 0;
    let headingLevel = 0;
    let bestBefore = 0;
    for (let unit = 0, previous = -1; unit < this.unitCount; unit++) {
      const at = unit * FEATURE_STRIDE;
      const block = (units[unit] + units[unit + 1]) >> 1;
      for (; counted < block; counted++) {
        charsBefore += blockChars[counted];
        if (this.#page.isInside(this.#page.best, blockRow[counted])) bestBefore += blockChars[counted];
      }
      this.#fillAncestors(block, previous, at);
      this.#fillText(block, at);
      this.#fillPlace(block, at, charsBefore);
      this.#fillNeighbours(block, at);
      table[at + F.blocksToProse] = this.#toProse[block];
      this.#fillGroups(unit, block, at, bestBefore);
      if (blockFlags[block] & BlockFlag.heading) {
        heading = block;
        headingLevel = table[at + F.headingLevel];
        headingHint = this.#labelOf(block);
      }
      table[at + F.sectionHint] = headingHint;
      table[at + F.sectionBlocks] = heading < 0 ? FAR : cap(block - heading);
      table[at + F.sectionLevel] = headingLevel;
      table[at + F.sectionChars] = heading < 0 ? FAR : log(blockChars[heading]);
      previous = block;
    }
  }

  #fillText(block: number, at: number): void {
    const { table } = this;
    const { bytes, blockStart, blockEnd, blockChars, blockLinkChars, blockGaps } = this.#text;
    const start = blockStart[block];
    const end = blockEnd[block];
    const stop = Math.min(end, start + SAMPLE);
    let counts = 0;
    let lowerWords = 0;
    let afterBlank = 1;
    for (let p = start; p < stop; p++) {
      const c = bytes[p];
      counts += sampleCounts[c];
      const kind = sampleKind[c];
      lowerWords += afterBlank & kind;
      afterBlank = kind >> 1;
    }
    const letters = counts & 0xff;
    const uppers = (counts >>> 8) & 0xff;
    const commas = (counts >>> 16) & 0xff;
    const digits = counts >>> 24;
    const chars = blockChars[block];
    const words = blockGaps[block] + 1;
    table[at + F.chars] = log(chars);
    table[at + F.words] = log(words);
    table[at + F.linkShare] = share(blockLinkChars[block], chars);
    table[at + F.wordLength] = cap(((chars * 4) / words) | 0);
    table[at + F.commas] = commas;
    table[at + F.upperShare] = share(uppers, letters);
    table[at + F.digitShare] = share(digits, stop - start);
    table[at + F.lowerShare] = share(lowerWords * 8, stop - start);
    table[at + F.endsSentence] = lastCharacter(bytes, start, end);
  }

  /** What a short heading says of its section, as if it named a class. */
  #labelOf(block: number): number {
    const { bytes, blockStart, blockEnd } = this.#text;
    const start = blockStart[block];
    const end = blockEnd[block];
    return end - start <= LABEL ? hintNumber(hintsOfWords(bytes, start, end)) : 0;
  }

  /** What the block has in common with others, and where it stands in the element with the most prose. */
  #fillGroups(unit: number, block: number, at: number, bestBefore: number): void {
    const { table } = this;
    const groups = this.#groups;
    const { rows, best } = this.#page;
    const alike = groups.blocksAlike(unit);
    const chars = groups.charsAlike(unit);
    table[at + F.alikeBlocks] = log(alike);
    table[at + F.alikeChars] = log(chars);
    table[at + F.alikeLength] = log((chars / alike) | 0);
    table[at + F.alikeShare] = share(chars, rows[CHARS]);
    table[at + F.timesSaid] = cap(groups.timesSaid(unit));
    table[at + F.afterFirstProse] = groups.firstProse < 0 ? 0 : step(block - groups.firstProse);
    table[at + F.beforeLastProse] = groups.lastProse < 0 ? 0 : step(groups.lastProse - block);
    table[at + F.beforeBestEnd] = groups.lastBlock < 0 ? 0 : step(groups.lastBlock - block);
    table[at + F.bestBefore] = share(bestBefore, rows[best * ROW + CHARS]);
    table[at + F.proseBlocks] = log(groups.proseBlocks);
    table[at + F.againstShare] = share(groups.proseAgainst, rows[PROSE]);
  }

  #fillPlace(block: number, at: number, charsBefore: number): void {
    const { table } = this;
    const { blockRow, blockFlags } = this.#text;
    const { rows } = this.#page;
    const flags = blockFlags[block];
    table[at + F.flags] = flags;
    table[at + F.headingLevel] = flags & BlockFlag.heading ? this.#headingOf(blockRow[block]) : 0;
    table[at + F.position] = share(block, this.#size);
    table[at + F.charsBefore] = share(charsBefore, rows[CHARS]);
    table[at + F.afterHeadline] = this.#headline < 0 ? 0 : step(block - this.#headline);
    table[at + F.afterTitle] = this.#titled < 0 ? 0 : step(block - this.#titled);
  }

  /** What the ancestors say. Those of the unit before are often the same, and then so is most of what they say. */
  #fillAncestors(block: number, previous: number, at: number): void {
    const { table } = this;
    const words = this.#words;
    const { distances } = this.#page;
    const { tag, parent } = this.#elements;
    const { blockRow } = this.#text;
    const row = blockRow[block];
    const up = Math.max(0, parent[row]);
    const before = previous < 0 ? -1 : blockRow[previous];
    if (before >= 0 && (before === row || Math.max(0, parent[before]) === up)) {
      for (let word = at >> 2, end = word + FEATURE_STRIDE / 4; word < end; word++) {
        words[word] = words[word - FEATURE_STRIDE / 4];
      }
      if (before === row) return;
    } else {
      this.#fillPage(at);
      this.#fillAbove(up, at);
    }
    this.#fillRow(row, at);
    table[at + F.container] = tag[row];
    table[at + F.depth] = this.#page.depth[row];
    for (let word = 0; word < HINT_WORDS; word++) words[(at >> 2) + word] = distances[row * HINT_WORDS + word];
  }

  /** What is the same for all blocks of the page. */
  #fillPage(at: number): void {
    const { table } = this;
    const { rows } = this.#page;
    const chars = rows[CHARS];
    table[at + F.pageChars] = log(chars);
    table[at + F.pageLinkShare] = share(rows[LINKS], chars);
    table[at + F.pageProseShare] = share(rows[PROSE], chars);
    table[at + F.pageBlocks] = log(this.#size);
    table[at + F.bestShare] = share(rows[this.#page.best * ROW + CHARS], chars);
    table[at + F.coverShare] = share(rows[this.#page.cover * ROW + CHARS], chars);
  }

  /** The parent of the block's element, and its parent. */
  #fillAbove(up: number, at: number): void {
    const { table } = this;
    const { rows } = this.#page;
    const { tag, parent } = this.#elements;
    const above = Math.max(0, parent[up]);
    const upRow = up * ROW;
    const aboveRow = above * ROW;
    table[at + F.parentTag] = tag[up];
    table[at + F.proseBeside] = cap(this.#page.proseChildren[up]);
    table[at + F.grandparentTag] = tag[above];
    table[at + F.blocksInParent] = log(rows[upRow + BLOCKS]);
    table[at + F.parentChars] = log(rows[upRow + CHARS]);
    table[at + F.parentLinkShare] = share(rows[upRow + LINKS], rows[upRow + CHARS]);
    table[at + F.parentProseShare] = share(rows[upRow + PROSE], rows[upRow + CHARS]);
    table[at + F.parentChildren] = log(rows[upRow + CHILDREN]);
    table[at + F.grandChars] = log(rows[aboveRow + CHARS]);
    table[at + F.grandLinkShare] = share(rows[aboveRow + LINKS], rows[aboveRow + CHARS]);
    table[at + F.grandChildren] = log(rows[aboveRow + CHILDREN]);
  }

  #fillRow(row: number, at: number): void {
    const { table } = this;
    const { rows } = this.#page;
    table[at + F.bestDistance] = this.#page.distanceTo(this.#page.best, row);
    table[at + F.coverDistance] = this.#page.distanceTo(this.#page.cover, row);
    const against = rows[row * ROW + AGAINST_ROW];
    if (against < 0) {
      table[at + F.boilerplateShare] = table[at + F.boilerplateLinkShare] = table[at + F.boilerplateDistance] = FAR;
    } else {
      const chars = rows[against * ROW + CHARS];
      table[at + F.boilerplateShare] = share(chars, rows[CHARS]);
      table[at + F.boilerplateLinkShare] = share(rows[against * ROW + LINKS], chars);
      table[at + F.boilerplateDistance] = cap(this.#page.depth[row] - this.#page.depth[against]);
    }
    const article = rows[row * ROW + ARTICLE_ROW];
    table[at + F.articleShare] = article < 0 ? FAR : share(rows[article * ROW + CHARS], rows[CHARS]);
    table[at + F.articleOrdinal] = article < 0 ? FAR : this.#page.ordinal[article];
  }

  /** What stands before and after, in reading order: the blocks next to it, and four either way. */
  #fillNeighbours(block: number, at: number): void {
    const { table } = this;
    const { blockChars, blockLinkChars } = this.#text;
    let chars = 0;
    let links = 0;
    for (let b = Math.max(0, block - AROUND), end = Math.min(this.#size, block + AROUND + 1); b < end; b++) {
      chars += blockChars[b];
      links += blockLinkChars[b];
    }
    table[at + F.aroundChars] = log(chars);
    table[at + F.aroundLinkShare] = share(links, chars);
    const hasPrevious = block > 0;
    table[at + F.previousChars] = hasPrevious ? log(blockChars[block - 1]) : 0;
    table[at + F.previousLinkShare] = hasPrevious ? share(blockLinkChars[block - 1], blockChars[block - 1]) : 0;
    const hasNext = block + 1 < this.#size;
    table[at + F.nextFlags] = hasNext ? this.#text.blockFlags[block + 1] : 0;
    table[at + F.nextChars] = hasNext ? log(blockChars[block + 1]) : 0;
    table[at + F.nextLinkShare] = hasNext ? share(blockLinkChars[block + 1], blockChars[block + 1]) : 0;
  }
}
