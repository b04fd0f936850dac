// Pages whose main text people have marked, as units of blocks: what the parser knows of each, and what share of it belongs.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { BlockFeatures, FEATURE_STRIDE } from '../../../dist/parse/block-features.js';
import { sniffCharset, toUtf8 } from '../../../dist/parse/charset.js';
import { PageScan } from '../../../dist/parse/scan.js';

/** What a page of each collection weighs. The first is the smallest of the large ones and the most careful; the third has
 * labels for a few segments of a page. */
const WEIGHTS = { scrapinghub: 5, wcxb: 1.2, trafilatura: 0.8, readability: 1 };
/** Words from which on a unit weighs no more, words of a page that are compared, and how weight grows with words. */
const MOST_WORDS = 400;
const READ_WORDS = 40_000;
const POWER = 0.8;

/** @typedef {import('./forest.mjs').Blocks} Blocks */
/** @typedef {{ html_path: string, site: string, corpus: string, texts: string[], from: number }} Page `from`: its first unit */

/**
 * @param {string} folder
 * @returns {{ pages: Page[], blocks: Blocks, mass: Float64Array }} `mass`: by words, of each unit
 */
export function readPages(folder) {
  const scan = new PageScan();
  const features = new BlockFeatures();
  const pages = [];
  const tables = [];
  /** @type {number[]} */
  const targets = [];
  /** @type {number[]} */
  const weights = [];
  /** @type {number[]} */
  const mass = [];
  const files = readdirSync(folder).filter((name) => /^text_.*\.jsonl$/.test(name));
  for (const line of files.sort().flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))) {
    const { html_path, site, corpus, expected_text, with: wanted, without } = JSON.parse(line);
    if (expected_text === undefined && wanted === undefined) continue;
    const body = gunzipSync(readFileSync(join(folder, html_path)));
    const { charset, bomLength } = sniffCharset(body);
    const head = { meta() {}, baseTag() {}, link() {} };
    scan.read(toUtf8(body.subarray(bomLength), charset), /** @type {any} */ (head), 0, false);
    const { text } = scan;
    features.read(scan.elements, text, scan.title ?? '');
    tables.push(Buffer.from(features.table.subarray(0, features.unitCount * FEATURE_STRIDE)));
    const texts = Array.from({ length: features.unitCount }, (_, unit) =>
      text.slice(text.blockStart[features.units[unit]], text.blockEnd[features.units[unit + 1] - 1]),
    );
    const words = texts.map(wordsOf);
    const shares = expected_text ? sharesOf(words, wordsOf(expected_text)) : marked(texts, wanted ?? [], without ?? []);
    const masses = words.map(({ length }) => Math.min(length, MOST_WORDS) ** POWER);
    const own = shares.map((share, i) => (share < 0 ? 0 : expected_text ? masses[i] : 1));
    const total = own.reduce((a, b) => a + b, 0);
    const weight = Reflect.get(WEIGHTS, corpus) ?? 1;
    pages.push({ html_path, site, corpus, texts, from: targets.length });
    for (const [i, share] of shares.entries()) {
      targets.push(Math.max(0, share));
      weights.push(total > 0 ? (own[i] * weight) / total : 0);
      mass.push(masses[i]);
    }
  }
  const blocks = {
    columns: columnsOf(Buffer.concat(tables)),
    targets: Float64Array.from(targets),
    weights: evened(weights),
  };
  return { pages, blocks, mass: Float64Array.from(mass) };
}

/** @param {string} text */
const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

/** @param {Uint8Array} table */
function columnsOf(table) {
  const rows = table.length / FEATURE_STRIDE;
  return Array.from({ length: FEATURE_STRIDE }, (_, feature) =>
    new Uint8Array(rows).map((_, row) => table[row * FEATURE_STRIDE + feature]),
  );
}

/** Weights with a mean of 1 over what has any. @param {readonly number[]} weights */
function evened(weights) {
  const known = weights.filter((weight) => weight > 0);
  const mean = known.reduce((a, b) => a + b, 0) / known.length;
  return Float64Array.from(weights, (weight) => weight / mean);
}

/** Shares by segments that belong and that do not: 1, 0, or -1 for what nobody marked.
 * @param {readonly string[]} texts @param {readonly string[]} wanted @param {readonly string[]} unwanted */
function marked(texts, wanted, unwanted) {
  const flat = texts.map((text) => text.replace(/\s+/g, ' '));
  const shares = new Array(texts.length).fill(-1);
  for (const [segments, value] of /** @type {const} */ ([
    [unwanted, 0],
    [wanted, 1],
  ])) {
    for (const segment of segments) {
      const hits = [...flat.keys()].filter((i) => flat[i].includes(segment.replace(/\s+/g, ' ').trim()));
      // a segment that is everywhere does not say which one is meant
      if (value === 0 || hits.length <= 2) for (const i of hits) shares[i] = value;
    }
  }
  return shares;
}

/** The share of each unit's words that a longest common subsequence of page and marked text has; -1 without words.
 * @param {readonly string[][]} units @param {readonly string[]} expected */
function sharesOf(units, expected) {
  const owners = units.flatMap((words, unit) => words.map(() => unit)).slice(0, READ_WORDS);
  const hits = new Float64Array(units.length);
  const isCommon = commonWords(units.flat().slice(0, READ_WORDS), expected);
  for (const [i, unit] of owners.entries()) hits[unit] += isCommon[i];
  return units.map(({ length }, unit) => (length === 0 ? -1 : hits[unit] / length));
}

/** Which words of `a` are in a longest common subsequence with `b`. Bit-parallel (Hyyrö 2004), rows kept for the way back.
 * @param {readonly string[]} a @param {readonly string[]} b */
function commonWords(a, b) {
  const width = (b.length + 31) >> 5;
  /** @type {Map<string, Uint32Array>} */
  const places = new Map();
  for (const [i, word] of b.entries()) {
    const bits = places.get(word) ?? new Uint32Array(width);
    places.set(word, bits);
    bits[i >> 5] |= 1 << (i & 31);
  }
  const rows = new Uint32Array((a.length + 1) * width).fill(0xffffffff, 0, width);
  for (const [i, word] of a.entries()) {
    const [from, to] = [i * width, (i + 1) * width];
    const hits = places.get(word);
    let carry = 0;
    for (let k = 0; k < width; k++) {
      const row = rows[from + k];
      const common = hits === undefined ? 0 : (row & hits[k]) >>> 0;
      const sum = row + common + carry;
      carry = sum > 0xffffffff ? 1 : 0;
      rows[to + k] = hits === undefined ? row : sum | (row & ~common);
    }
  }
  const isCommon = new Uint8Array(a.length);
  for (let [i, j] = [a.length, b.length]; i > 0 && j > 0; ) {
    if ((rows[i * width + ((j - 1) >> 5)] >>> ((j - 1) & 31)) & 1) j--;
    else if (a[--i] === b[j - 1]) {
      isCommon[i] = 1;
      j--;
    }
  }
  return isCommon;
}
