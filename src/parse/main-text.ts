/**
 * The main text: the blocks of a page that a reader came for.
 *
 * A small forest of decision trees scores each block on what block-features.ts knows about it. The forest
 * (main-text-model.ts) was trained on pages whose main text people have marked; docs/parsing.md says how, and what it
 * scores on pages it had not seen. It knows words of class names that thousands of sites use, and no site.
 */
import { BlockFeatures, FEATURE_COUNT, Feature, MAX_BLOCKS } from './block-features.js';
import { LEAVES, NODES, ROOTS } from './main-text-model.js';
import type { Elements } from './open-elements.js';
import type { TextBuilder } from './text-builder.js';

/** Fields of a node of the forest: `feature <= threshold` goes left; a negative child is the complement of a leaf. */
const NODE_STRIDE = 4;

/** Log-odds from which a block belongs (a probability of 0.47), as the leaves are scaled. */
const LEAF_SCALE = 8192;
const THRESHOLD = Math.round(Math.log(0.47 / 0.53) * LEAF_SCALE);

/** Which blocks of a scanned page are its main text: 1 or 0 for each. Blocks past `MAX_BLOCKS` are not. */
export function chooseBlocks(elements: Elements, text: TextBuilder): Uint8Array {
  const count = Math.min(text.blockCount, MAX_BLOCKS);
  const chosen = new Uint8Array(count);
  if (count === 0) return chosen;
  const { table } = new BlockFeatures(elements, text);
  let any = false;
  for (let block = 0; block < count; block++) {
    if (scoreBlock(table, block * FEATURE_COUNT) <= THRESHOLD) continue;
    chosen[block] = 1;
    any = true;
  }
  if (!any) chooseByElimination(table, chosen);
  return chosen;
}

/** How far the trees from each one on move a sum, either way, as good as always: most blocks are decided early. The bound
 * is a fourteenth of the largest move there could be: it changes one decision in 200 and saves five sixths of the time. */
const REACH = remainingReach();

function remainingReach(): Float64Array {
  const reach = new Float64Array(ROOTS.length + 1);
  for (let tree = ROOTS.length - 1, last = LEAVES.length; tree >= 0; tree--) {
    const first = firstLeaf(ROOTS[tree]);
    let largest = 0;
    for (let leaf = first; leaf < last; leaf++) largest = Math.max(largest, Math.abs(LEAVES[leaf]));
    reach[tree] = reach[tree + 1] + largest / 14;
    last = first;
  }
  return reach;
}

/** Leaves are numbered from left to right, tree by tree. */
function firstLeaf(root: number): number {
  let node = root;
  while (node >= 0) node = NODES[node * NODE_STRIDE + 2];
  return ~node;
}

/** The sum of the leaves that the features at `table[at]` lead to, or of as many trees as decide the block. */
export function scoreBlock(table: Uint8Array, at: number): number {
  let sum = 0;
  for (let tree = 0; tree < ROOTS.length; tree++) {
    let node = ROOTS[tree];
    while (node >= 0) {
      const n = node * NODE_STRIDE;
      node = table[at + NODES[n]] <= NODES[n + 1] ? NODES[n + 2] : NODES[n + 3];
    }
    sum += LEAVES[~node];
    if (Math.abs(sum - THRESHOLD) > REACH[tree + 1]) return sum;
  }
  return sum;
}

/** A page on which nothing looks like text, a few words perhaps: all but links and what calls itself boilerplate. */
function chooseByElimination(table: Uint8Array, chosen: Uint8Array): void {
  for (let block = 0; block < chosen.length; block++) {
    const at = block * FEATURE_COUNT;
    if (table[at + Feature.linkShare] < 50 && table[at + Feature.boilerplateDistance] === 255) chosen[block] = 1;
  }
}

/** The chosen blocks in their order, a line each, tabs between the cells of a row. Neighbours that are both chosen are taken
 * in one piece. */
export function joinBlocks(text: TextBuilder, chosen: Uint8Array): string {
  const pieces: string[] = [];
  for (let block = 0; block < chosen.length; block++) {
    if (chosen[block] === 0) continue;
    const start = text.blockStart[block];
    while (block + 1 < chosen.length && chosen[block + 1] === 1) block++;
    pieces.push(text.slice(start, text.blockEnd[block]));
  }
  return pieces.join('\n');
}
