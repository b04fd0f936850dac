/** What the text of a block says by its bytes: how it ends, what it calls itself, and what its letters are. */
import { Hint } from './hints.js';

/** Bytes of a block that are looked at closely. */
export const SAMPLE = 128;

/** What a byte adds to four counters of eight bits, of at most `SAMPLE` bytes: letters, upper-case ones, commas, digits. */
export const sampleCounts = new Int32Array(256);
sampleCounts.fill(0x101, 0x41, 0x5b).fill(0x1, 0x61, 0x7b).fill(0x1, 0x80).fill(0x1000000, 0x30, 0x3a);
sampleCounts[0x2c] = sampleCounts[0x3b] = 0x10000;

/** 1 for a lower-case letter, 2 for white space. */
export const sampleKind = new Uint8Array(256).fill(1, 0x61, 0x7b);
sampleKind[0x20] = sampleKind[0x0a] = 2;

/** What a short text says it is, as one number: 0 for nothing, then the hint that weighs most. */
export function hintNumber(hints: number): number {
  if (hints === 0) return 0;
  for (let at = 0; at < WEIGHTS.length; at++) if (hints & WEIGHTS[at]) return at + 1;
  return WEIGHTS.length + 1;
}
const WEIGHTS = [Hint.comments, Hint.promotion, Hint.aside, Hint.navigation, Hint.footer, Hint.meta, Hint.hidden];

/** 1 if the block ends like a sentence, 2 with a colon, 3 with a digit, 4 with an ellipsis or bracket, 0 else. */
export function lastCharacter(bytes: Uint8Array, start: number, end: number): number {
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
