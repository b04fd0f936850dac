// Trains the forest of src/parse/main-text.ts: see README.md. `node train.mjs FOLDER [OUT] [--cuts N]`
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { NODES, scoresOf, trainForest } from './forest.mjs';
import { readPages } from './read-pages.mjs';

/** @typedef {import('./forest.mjs').Tree} Tree */
/** @typedef {import('./forest.mjs').Blocks} Blocks */

const FOLDS = 5;
// as in main-text.ts
const ROUND = 4;
const LEAF_SCALE = 8192;
const FEW_CHARS = 400;
const NEAR = 1.2;
/** Of all words, those that an early decision may get otherwise than the whole forest, a side and round. */
const MISTAKES = 1e-4;
const MODEL = 'src/parse/main-text-model.ts';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { cuts: { type: 'string', default: '1' } },
});
const [folder, out] = positionals;
if (folder === undefined) {
  console.error('node train.mjs FOLDER [OUT] [--cuts N]');
  process.exit(2);
}
const { pages, blocks, mass } = readPages(folder);
console.log(`${pages.length} pages, ${blocks.targets.length} units`);
for (let cut = 1; out !== undefined && cut <= Number(flags.cuts); cut++)
  judgeUnseen(cut, join(out, `unseen-${cut}.jsonl`));
const trees = trainForest(known(), 1);
const sums = sumsByRound(wholeNumbers(trees));
const bounds = earlyBounds(sums, 0);
writeModel(wholeNumbers(trees), bounds);

/** The units that have a label, perhaps without those of some pages. @param {(page: number) => boolean} isUsed */
function known(isUsed = () => true) {
  const rows = pages.flatMap((page, i) =>
    isUsed(i) ? page.texts.map((_, k) => page.from + k).filter((row) => blocks.weights[row] > 0) : [],
  );
  return {
    columns: blocks.columns.map((column) => Uint8Array.from(rows, (row) => column[row])),
    targets: Float64Array.from(rows, (row) => blocks.targets[row]),
    weights: Float64Array.from(rows, (row) => blocks.weights[row]),
  };
}

/** Writes the main text of each page as forests see it that know no page of its site.
 * @param {number} cut which way the sites are cut into folds @param {string} file */
function judgeUnseen(cut, file) {
  const folds = pages.map(({ site }) => hashOf(`${cut} ${site}`) % FOLDS);
  const lines = new Array(pages.length);
  for (let fold = 0; fold < FOLDS; fold++) {
    const forest = trainForest(
      known((page) => folds[page] !== fold),
      100 * cut + fold,
    );
    for (const [i, { html_path, texts, from }] of pages.entries()) {
      if (folds[i] !== fold) continue;
      const own = blocks.columns.map((column) => column.subarray(from, from + texts.length));
      const scores = scoresOf(forest, own);
      const threshold = thresholdOf(scores, texts);
      const text = texts.filter((_, unit) => scores[unit] > threshold).join('\n');
      lines[i] = `${JSON.stringify({ html_path, text })}\n`;
    }
  }
  writeFileSync(file, lines.join(''));
  console.log(`wrote ${file}`);
}

/** As `chooseNearest` in main-text.ts. @param {Float64Array} scores @param {readonly string[]} texts */
function thresholdOf(scores, texts) {
  const most = scores.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const lower = Math.min(most, 0) - NEAR;
  const characters = (/** @type {number} */ from, /** @type {number} */ to) =>
    texts
      .filter((_, unit) => scores[unit] > from && scores[unit] <= to)
      .reduce((sum, text) => sum + text.replace(/\s+/g, '').length, 0);
  const chosen = characters(0, Number.POSITIVE_INFINITY);
  return chosen < FEW_CHARS && characters(lower, 0) > chosen ? lower : 0;
}

/** @param {string} text */
function hashOf(text) {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) >>> 0;
}

/** Leaves as the program has them. @param {readonly Tree[]} forest @returns {Tree[]} */
function wholeNumbers(forest) {
  return forest.map((tree) => ({ ...tree, leaves: tree.leaves.map((leaf) => Math.round(leaf * LEAF_SCALE)) }));
}

/** The sum of each unit after each round of trees. @param {readonly Tree[]} forest @returns {Float64Array[]} */
function sumsByRound(forest) {
  const rounds = [];
  let total = new Float64Array(blocks.targets.length);
  for (let at = 0; at < forest.length; at += ROUND) {
    const more = scoresOf(forest.slice(at, at + ROUND), blocks.columns);
    total = total.map((sum, i) => sum + more[i]);
    rounds.push(total);
  }
  return rounds;
}

/**
 * After each round the sums from which, and up to which, a unit is decided.
 * @param {readonly Float64Array[]} rounds
 * @param {number} threshold
 */
function earlyBounds(rounds, threshold) {
  const final = rounds[rounds.length - 1];
  const allowed = MISTAKES * mass.reduce((a, b) => a + b, 0);
  /** @type {number[]} */
  const lower = [];
  /** @type {number[]} */
  const upper = [];
  let active = [...mass.keys()].filter((unit) => mass[unit] > 0);
  let trees = 0;
  for (const sums of rounds.slice(0, -1)) {
    trees += ROUND * active.length;
    const beyond = (/** @type {number} */ sign) => {
      const wrong = active.filter((unit) => final[unit] > threshold !== sign > 0);
      wrong.sort((a, b) => sign * (sums[b] - sums[a]));
      let spent = 0;
      for (const unit of wrong) {
        spent += mass[unit];
        if (spent > allowed) return sums[unit];
      }
      return -sign * 32768;
    };
    const [high, low] = [beyond(1), beyond(-1)];
    upper.push(Math.min(32767, high));
    lower.push(Math.max(-32768, low));
    active = active.filter((unit) => sums[unit] <= high && sums[unit] >= low);
  }
  trees += ROUND * active.length;
  console.log(`trees a unit, on average: ${(trees / mass.filter((m) => m > 0).length).toFixed(1)}`);
  return { lower: [...lower, threshold + 1], upper: [...upper, threshold] };
}

/** @param {readonly Tree[]} forest @param {{ lower: number[], upper: number[] }} bounds */
function writeModel(forest, { lower, upper }) {
  const bytes = (/** @type {'features' | 'thresholds'} */ name) => Buffer.concat(forest.map((tree) => tree[name]));
  const words = (/** @type {number[]} */ values) => Buffer.from(Int16Array.from(values).buffer);
  const leaves = forest.flatMap((tree) => [...tree.leaves]);
  if (leaves.length !== forest.length * NODES || leaves.some((leaf) => Math.abs(leaf) > 32767))
    throw new RangeError('leaf');
  let source = readFileSync(MODEL, 'utf8');
  for (const [name, data] of /** @type {const} */ ([
    ['FEATURES', bytes('features')],
    ['THRESHOLDS', bytes('thresholds')],
    ['LEAVES', words(leaves)],
    ['LOWER', words(lower)],
    ['UPPER', words(upper)],
  ])) {
    const literal = (data.toString('base64').match(/.{1,112}/g) ?? []).map((line) => `  '${line}'`).join(' +\n');
    const place = new RegExp(`(export const ${name} = \\w+\\(\\n)[^)]*(,\\n\\);)`);
    if (!place.test(source)) throw new Error(`${MODEL} has no ${name}`);
    source = source.replace(place, (_, before, after) => before + literal + after);
  }
  writeFileSync(MODEL, source.replace(/\d+ trees/, `${forest.length} trees`));
}
