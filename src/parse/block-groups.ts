/**
 * What the units of a page have in common: those in places of a kind, and those that say the same. A paragraph stands in a
 * place in which most of the page's text stands; a caption or a notice is there several times.
 */
import type { Elements } from './open-elements.js';
import { type PageRows, proseOf } from './page-rows.js';
import type { TextBuilder } from './text-builder.js';

/** Characters from which on a block says something. */
const FEWEST_CHARS = 16;

/** Places that are looked at for a group before two groups are taken for one: bounds the work on hostile pages. */
const PROBES = 8;

/** Slots that are kept from page to page. */
const KEPT = 1 << 15;

/** Groups by hash; counters by slot. */
class Groups {
  readonly #keys: Int32Array<ArrayBuffer>;
  readonly blocks: Int32Array<ArrayBuffer>;
  readonly chars: Int32Array<ArrayBuffer>;
  #mask: number;

  constructor(slots: number) {
    this.#keys = new Int32Array(slots);
    this.blocks = new Int32Array(slots);
    this.chars = new Int32Array(slots);
    this.#mask = slots - 1;
  }

  get slots(): number {
    return this.#keys.length;
  }

  /** Forgets what it has, and uses `slots` of its slots: a power of two. */
  begin(slots: number): void {
    this.#mask = slots - 1;
    this.#keys.fill(0, 0, slots);
  }

  /** Counts blocks, and returns the slot of their group. */
  add(hash: number, blocks: number, chars: number): number {
    const key = hash | 1;
    let slot = (hash ^ (hash >>> 15)) & this.#mask;
    for (let probe = 1; probe < PROBES && this.#keys[slot] !== key && this.#keys[slot] !== 0; probe++) {
      slot = (slot + 1) & this.#mask;
    }
    if (this.#keys[slot] === 0) {
      this.#keys[slot] = key;
      this.blocks[slot] = this.chars[slot] = 0;
    }
    this.blocks[slot] += blocks;
    this.chars[slot] += chars;
    return slot;
  }
}

export class BlockGroups {
  #places = new Groups(4096);
  #texts = new Groups(4096);
  #placeOf = new Int32Array(1024);
  #textOf = new Int32Array(1024);
  /** Blocks of prose on the page, and the characters of those that stand where hints speak against them. */
  proseBlocks = 0;
  proseAgainst = 0;
  /** Of the element whose children hold the most prose: its first and last block of prose (-1: none), and its last block. */
  firstProse = -1;
  lastProse = -1;
  lastBlock = -1;

  /**
   * Reads the units of a scanned page: neighbours of a kind count together, and by the one in their middle.
   * @param units the first block of each, and the end of the last
   */
  read(elements: Elements, text: TextBuilder, rows: PageRows, units: Int32Array, count: number): void {
    this.#makeRoom(count);
    this.proseBlocks = this.proseAgainst = 0;
    this.firstProse = this.lastProse = this.lastBlock = -1;
    const { tag, hints, parent } = elements;
    const { blockRow, blockChars, blockFlags } = text;
    const { best } = rows;
    for (let unit = 0; unit < count; unit++) {
      const block = (units[unit] + units[unit + 1]) >> 1;
      const row = blockRow[block];
      const up = Math.max(0, parent[row]);
      const chars = blockChars[block];
      const size = units[unit + 1] - units[unit];
      const tags = tag[row] | (tag[up] << 8) | (blockFlags[block] << 16);
      const place = Math.imul(Math.imul(tags, 0x9e3779b1) ^ hints[row], 0x85ebca6b) ^ Math.imul(hints[up], 0xc2b2ae35);
      this.#placeOf[unit] = this.#places.add(place, size, chars * size);
      this.#textOf[unit] = chars < FEWEST_CHARS ? -1 : this.#texts.add(hashOfText(text, block), 1, chars);
      const isBest = rows.isInside(best, row);
      if (isBest) this.lastBlock = block;
      const prose = proseOf(text, block);
      if (prose === 0) continue;
      this.proseBlocks++;
      if (rows.isAgainst(row)) this.proseAgainst += prose;
      if (!isBest) continue;
      if (this.firstProse < 0) this.firstProse = block;
      this.lastProse = block;
    }
  }

  #makeRoom(units: number): void {
    let slots = 1024;
    while (slots < units * 4) slots *= 2;
    if (this.#places.slots < slots || this.#places.slots > KEPT) {
      this.#places = new Groups(Math.max(4096, slots));
      this.#texts = new Groups(Math.max(4096, slots));
      this.#placeOf = new Int32Array(slots);
      this.#textOf = new Int32Array(slots);
    }
    this.#places.begin(slots);
    this.#texts.begin(slots);
  }

  /** Blocks in elements of the same names and hints, and their characters (about: those of a unit are of a size). */
  blocksAlike(unit: number): number {
    return this.#places.blocks[this.#placeOf[unit]];
  }
  charsAlike(unit: number): number {
    return this.#places.chars[this.#placeOf[unit]];
  }

  /** Units of the same text, this one among them; 1 for very short ones. */
  timesSaid(unit: number): number {
    const slot = this.#textOf[unit];
    return slot < 0 ? 1 : this.#texts.blocks[slot];
  }
}

/** By its lengths and a dozen of its bytes: enough to know a repetition by. */
function hashOfText({ bytes, blockStart, blockEnd, blockChars, blockGaps }: TextBuilder, block: number): number {
  const start = blockStart[block];
  const end = blockEnd[block];
  const middle = (start + end) >> 1;
  const front = bytes[start] | (bytes[start + 1] << 8) | (bytes[start + 2] << 16) | (bytes[start + 4] << 24);
  const inner = bytes[middle] | (bytes[middle - 1] << 8) | (bytes[middle + 1] << 16) | (bytes[middle + 2] << 24);
  const back = bytes[end - 1] | (bytes[end - 2] << 8) | (bytes[end - 3] << 16) | (bytes[end - 5] << 24);
  let hash = Math.imul(front, 0x9e3779b1) ^ Math.imul(inner, 0x85ebca6b) ^ Math.imul(back, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) ^ Math.imul(end - start, 0x27d4eb2f);
  return hash ^ Math.imul(blockChars[block] + (blockGaps[block] << 12), 0x165667b1);
}
