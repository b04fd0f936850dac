/**
 * N-grams of words and what they say about the language, in flat arrays.
 *
 * A word is cut into pieces of four bytes of UTF-8, three bytes apart; the first has a blank before it, the last, the
 * word's end, one behind. Pieces are known by 24 bits of a hash, sorted; an index of their upper 16 bits finds them. A false
 * match (one piece in 400) adds noise that a text of any length drowns.
 */
import { brotliDecompressSync } from 'node:zlib';
import { LANGUAGES, PACKED } from './language-model.js';

const GRAM = 4;
const STRIDE = 3;
/** Bytes of a word that are read. */
const LONGEST_WORD = 72;
/** What was taken from all scores to make them small. */
const BASE_SCORE = 53;
const SEED = 0x811c9dc5 | 0;
const PRIME = 0x01000193;
const BLANK = 0x20;

export class LanguageTable {
  readonly #names: readonly string[] = LANGUAGES.split(' ');
  /** First piece by the upper 16 bits of its hash, and the lower 8 bits of each piece. */
  readonly #first = new Uint16Array((1 << 16) + 1);
  readonly #low: Uint8Array;
  /** First vote of each piece; a language and a score for each vote. */
  readonly #votes: Uint32Array;
  readonly #language: Uint8Array;
  readonly #score: Uint8Array;
  /** Pieces that the text has had already: each counts once. Which they are: to forget them by these takes 1 us, to fill the
   * table of 100,000 with zeros 10. */
  readonly #met: Uint8Array;
  readonly #metPieces: number[] = [];
  readonly #totals: Float64Array;
  readonly #word = new Uint8Array(LONGEST_WORD + 4);

  /** Unpacks the model: 10 ms. */
  constructor() {
    const raw = brotliDecompressSync(Buffer.from(PACKED, 'base64'));
    const count = raw.readUInt32LE(0);
    const countsAt = 12 + raw.readUInt32LE(4);
    const languagesAt = countsAt + count;
    const votes = raw.readUInt32LE(8);
    this.#language = Uint8Array.from(raw.subarray(languagesAt, languagesAt + votes));
    this.#score = Uint8Array.from(raw.subarray(languagesAt + votes, languagesAt + 2 * votes));
    this.#low = new Uint8Array(count);
    this.#votes = new Uint32Array(count + 1);
    this.#met = new Uint8Array(count);
    this.#totals = new Float64Array(this.#names.length);
    let hash = 0;
    for (let piece = 0, p = 12; piece < count; piece++) {
      let shift = 0;
      for (; raw[p] >= 0x80; p++, shift += 7) hash += (raw[p] & 0x7f) << shift;
      hash += raw[p++] << shift;
      this.#low[piece] = hash & 0xff;
      this.#first[(hash >>> 8) + 1]++;
      this.#votes[piece + 1] = this.#votes[piece] + raw[countsAt + piece];
    }
    for (let i = 1; i < this.#first.length; i++) this.#first[i] += this.#first[i - 1];
  }

  /** Scores a text in lower case. @param classes,letter a code unit is part of a word if `classes` has `letter` for it */
  read(text: string, classes: Uint8Array, letter: number): void {
    const word = this.#word;
    for (const piece of this.#metPieces) this.#met[piece] = 0;
    this.#metPieces.length = 0;
    this.#totals.fill(0);
    let length = 0;
    for (let i = 0; i <= text.length; i++) {
      const code = i < text.length ? text.charCodeAt(i) : BLANK;
      if (classes[code] !== letter) {
        if (length > 0) this.#addWord(length);
        length = 0;
      } else if (length < LONGEST_WORD) length = putUtf8(word, length, code);
    }
  }

  /** Score of a language, by its name, for the text read last; 0 for one that is not known. */
  scoreOf(language: string): number {
    return this.#totals[this.#names.indexOf(language)] ?? 0;
  }

  #addWord(length: number): void {
    let at = 0;
    for (; at + GRAM < length; at += STRIDE) this.#addPiece(at, at + GRAM, false);
    this.#addPiece(Math.max(0, length - GRAM), length, true, at === 0);
  }

  #addPiece(from: number, to: number, isLast: boolean, isFirst = from === 0): void {
    const word = this.#word;
    let hash = SEED;
    if (isFirst) hash = Math.imul(hash ^ BLANK, PRIME);
    for (let i = from; i < to; i++) hash = Math.imul(hash ^ word[i], PRIME);
    if (isLast) hash = Math.imul(hash ^ BLANK, PRIME);
    const key = (hash ^ (hash >>> 13)) & 0xffffff;
    for (let piece = this.#first[key >>> 8], end = this.#first[(key >>> 8) + 1]; piece < end; piece++) {
      if (this.#low[piece] !== (key & 0xff)) continue;
      if (this.#met[piece] === 1) return;
      this.#met[piece] = 1;
      this.#metPieces.push(piece);
      for (let vote = this.#votes[piece]; vote < this.#votes[piece + 1]; vote++) {
        this.#totals[this.#language[vote]] += this.#score[vote] + BASE_SCORE;
      }
      return;
    }
  }
}

/** Writes a code unit in one to three bytes; returns where the next one goes. Surrogates never come: they are no letters. */
function putUtf8(bytes: Uint8Array, at: number, code: number): number {
  if (code < 0x80) {
    bytes[at] = code;
    return at + 1;
  }
  if (code < 0x800) {
    bytes[at] = 0xc0 | (code >> 6);
    bytes[at + 1] = 0x80 | (code & 0x3f);
    return at + 2;
  }
  bytes[at] = 0xe0 | (code >> 12);
  bytes[at + 1] = 0x80 | ((code >> 6) & 0x3f);
  bytes[at + 2] = 0x80 | (code & 0x3f);
  return at + 3;
}
