/** Neighbours of a kind, such as the cells of a table or the items of a menu, are decided together. */
import type { Elements } from './open-elements.js';
import { PROSE_CHARS } from './page-rows.js';
import { BlockFlag, type TextBuilder } from './text-builder.js';

/** Blocks of a unit at most. */
const MAX_ALIKE = 16;
/** Levels of ancestors in which neighbours of a kind may differ. */
const LEVELS = 3;

/** Writes the first block of each unit, and `size` after the last one; returns how many there are. */
export function findUnits(elements: Elements, text: TextBuilder, size: number, units: Int32Array): number {
  let count = 0;
  for (let block = 0; block < size; block++) {
    if (block > 0 && block - units[count - 1] < MAX_ALIKE && isAlike(elements, text, block - 1, block)) continue;
    units[count++] = block;
  }
  units[count] = size;
  return count;
}

/** Are two neighbours short, with as many links, and in the same place of like elements: items, cells, cards? */
function isAlike({ tag, parent, hints }: Elements, text: TextBuilder, a: number, b: number): boolean {
  const { blockRow, blockFlags, blockChars, blockLinkChars } = text;
  if (blockFlags[a] !== blockFlags[b] || blockFlags[a] & BlockFlag.heading) return false;
  if (blockChars[a] >= PROSE_CHARS || blockChars[b] >= PROSE_CHARS) return false;
  if (blockLinkChars[a] * 2 > blockChars[a] !== blockLinkChars[b] * 2 > blockChars[b]) return false;
  let rowA = blockRow[a];
  let rowB = blockRow[b];
  for (let level = 0; rowA !== rowB; level++) {
    if (level === LEVELS || tag[rowA] !== tag[rowB] || hints[rowA] !== hints[rowB]) return false;
    rowA = parent[rowA];
    rowB = parent[rowB];
  }
  return true;
}
