/**
 * The main text: the blocks of a page that a reader came for.
 *
 * A small forest of decision trees scores each block on what block-features.ts knows about it. The forest
 * (main-text-model.ts) was trained on pages whose main text people have marked; docs/parsing.md says how, and what it
 * scores on pages it had not seen. It knows words of class names that thousands of sites use, and no site.
 */
import { bodyBuffers } from '../buffer-pool.js';
import { BlockFeatures, FEATURE_STRIDE } from './block-features.js';
import { FEATURES, LEAVES, LOWER, THRESHOLDS, UPPER } from './main-text-model.js';
import type { Elements } from './open-elements.js';
import { decodeText, MAX_BLOCKS, type TextBuilder } from './text-builder.js';

/** One for all pages: its tables are kept. */
const features = new BlockFeatures();

/** Which blocks of a scanned page are its main text: 1 or 0 for each. Blocks past `MAX_BLOCKS` are not. */
export function chooseBlocks(elements: Elements, text: TextBuilder, title: string): Uint8Array {
  const chosen = new Uint8Array(Math.min(text.blockCount, MAX_BLOCKS));
  if (chosen.length === 0) return chosen;
  features.read(elements, text, title);
  const { table, units, unitCount } = features;
  if (verdicts.length < unitCount) verdicts = new Uint8Array(unitCount * 2);
  decide(table, unitCount);
  if (charactersChosen(text) < FEW_CHARS) chooseNearest(text);
  for (let unit = 0; unit < unitCount; unit++) chosen.fill(verdicts[unit], units[unit], units[unit + 1]);
  return chosen;
}

/** Nodes of a tree and their leaves: all trees are full, five questions deep. Node `i` has the children `2i` and `2i + 1`,
 * the root is 1, and the leaf of "node" `32 + i` is `i`. */
const NODES = 32;

/** Trees after which the blocks that are sure enough leave. */
const ROUND = 4;

const NEWLINE = 0x0a;
/** Where texts are joined; what is kept from page to page. */
const KEPT_BYTES = 1 << 20;
let joined = Buffer.allocUnsafeSlow(0);

/** A main text of fewer characters is looked at again; what comes near it: 1.2 in log-odds. */
const FEW_CHARS = 400;
const NEAR = 1.2 * 8192;

/** 1 for each unit that belongs. */
let verdicts = new Uint8Array(1024);

// per unit that is undecided: its place in the table, and its sum
let places = new Int32Array(1024);
let sums = new Int32Array(1024);

/** Sums the forest for each unit, as far as it takes to decide it. Goes tree by tree, not unit by
 * unit: no step depends on a guess of the processor, and the walks of neighbours overlap. */
function decide(table: Uint8Array, unitCount: number): void {
  if (places.length < unitCount) {
    places = new Int32Array(unitCount * 2);
    sums = new Int32Array(unitCount * 2);
  }
  let count = unitCount;
  verdicts.fill(0, 0, count);
  for (let k = 0; k < count; k++) places[k] = k * FEATURE_STRIDE;
  sums.fill(0, 0, count);
  for (let round = 0; round < UPPER.length && count > 0; round++) {
    for (let tree = round * ROUND; tree < (round + 1) * ROUND; tree++) addTree(table, tree * NODES, count);
    let left = 0;
    for (let k = 0; k < count; k++) {
      const sum = sums[k];
      if (sum > UPPER[round]) {
        verdicts[places[k] / FEATURE_STRIDE] = 1;
      } else if (sum >= LOWER[round]) {
        places[left] = places[k];
        sums[left++] = sum;
      }
    }
    count = left;
  }
}

/** Characters of the units that are chosen, white space not counted. */
function charactersChosen(text: TextBuilder): number {
  const { units, unitCount } = features;
  let chars = 0;
  for (let unit = 0; unit < unitCount; unit++) if (verdicts[unit] === 1) chars += charactersOf(text, units, unit);
  return chars;
}

function charactersOf({ blockChars }: TextBuilder, units: Int32Array, unit: number): number {
  let chars = 0;
  for (let block = units[unit]; block < units[unit + 1]; block++) chars += blockChars[block];
  return chars;
}

/** The questions of all trees: which feature in the low byte, over which threshold in the high one. One read in place of two. */
const QUESTIONS = Uint16Array.from(FEATURES, (feature, node) => feature | (THRESHOLDS[node] << 8));

/** Adds to the sums of the first `count` units the leaf that each one's features lead to. */
function addTree(table: Uint8Array, tree: number, count: number): void {
  const questions = QUESTIONS;
  const leaves = LEAVES;
  const from = places;
  const into = sums;
  const root = questions[tree + 1];
  const rootFeature = root & 0xff;
  const rootThreshold = root >> 8;
  for (let k = 0; k < count; k++) {
    const at = from[k];
    // 1 if the feature is over the threshold
    let node = 2 + ((rootThreshold - table[at + rootFeature]) >>> 31);
    let question = questions[tree + node];
    node = 2 * node + (((question >> 8) - table[at + (question & 0xff)]) >>> 31);
    question = questions[tree + node];
    node = 2 * node + (((question >> 8) - table[at + (question & 0xff)]) >>> 31);
    question = questions[tree + node];
    node = 2 * node + (((question >> 8) - table[at + (question & 0xff)]) >>> 31);
    question = questions[tree + node];
    node = 2 * node + (((question >> 8) - table[at + (question & 0xff)]) >>> 31);
    into[k] += leaves[tree + node - NODES];
  }
}

/** A page on which little looks like text, a few words perhaps: what comes near as well, if it is more than what was chosen. */
function chooseNearest(text: TextBuilder): void {
  const { table, units, unitCount } = features;
  for (let k = 0; k < unitCount; k++) places[k] = k * FEATURE_STRIDE;
  sums.fill(0, 0, unitCount);
  for (let tree = 0; tree < LEAVES.length; tree += NODES) addTree(table, tree, unitCount);
  let most = 0;
  for (let k = 0; k < unitCount; k++) if (k === 0 || sums[k] > most) most = sums[k];
  const near = Math.min(most, 0) - NEAR;
  let more = 0;
  for (let k = 0; k < unitCount; k++) if (verdicts[k] === 0 && sums[k] > near) more += charactersOf(text, units, k);
  if (more <= charactersChosen(text)) return;
  for (let k = 0; k < unitCount; k++) if (sums[k] > near) verdicts[k] = 1;
}

/** The chosen blocks in their order, a line each, tabs between the cells of a row. Neighbours that are both chosen are taken
 * in one piece. The bytes are put together, not strings: one decoding in place of thirty. */
export function joinBlocks(text: TextBuilder, chosen: Uint8Array): string {
  const pieces = new TextPieces(text.length);
  for (let block = 0; block < chosen.length; block++) {
    if (chosen[block] === 0) continue;
    const start = text.blockStart[block];
    while (block + 1 < chosen.length && chosen[block + 1] === 1) block++;
    pieces.add(text.bytes, start, text.blockEnd[block]);
  }
  return pieces.finish();
}

/** Bytes of a page's text that are put together with line breaks between. */
class TextPieces {
  readonly #bytes: Buffer;
  #length = 0;
  #isEmpty = true;

  /** @param most bytes of all pieces and the line breaks */
  constructor(most: number) {
    if (most <= KEPT_BYTES) {
      if (joined.length < most) joined = Buffer.allocUnsafeSlow(Math.min(KEPT_BYTES, most * 2));
      this.#bytes = joined;
    } else this.#bytes = bodyBuffers.take(most);
  }

  add(source: Buffer, start: number, end: number): void {
    if (!this.#isEmpty) this.#bytes[this.#length++] = NEWLINE;
    this.#isEmpty = false;
    this.#length += source.copy(this.#bytes, this.#length, start, end);
  }

  /** The text; nothing is left afterwards. */
  finish(): string {
    const text = decodeText(this.#bytes, 0, this.#length);
    bodyBuffers.give(this.#bytes);
    return text;
  }
}
