/**
 * What a word is, to the near-duplicate fingerprint: a run of letters, digits and marks, by Unicode. Scripts that put
 * no spaces between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese, Tibetan) give one word for each character, so
 * that their shingles are runs of characters.
 */

export const SEPARATOR = 0;
export const LETTER = 1;
/** A word by itself. */
export const IDEOGRAPH = 2;
/** Half of a character beyond the Basic Multilingual Plane: see {@link classOfAstral}. */
export const SURROGATE = 3;

const WORD = /[\p{L}\p{N}\p{M}]/u;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u;

let classes: Uint8Array | undefined;

/** Class of each UTF-16 code unit; 64 KiB, made on first use in 10 ms. */
export function wordClasses(): Uint8Array {
  if (classes !== undefined) return classes;
  classes = new Uint8Array(0x1_0000);
  for (let code = 0; code < 0x1_0000; code++) {
    if (code >= 0xd800 && code <= 0xdfff) classes[code] = SURROGATE;
    else classes[code] = classOf(String.fromCharCode(code));
  }
  return classes;
}

/** Class of a character beyond the Basic Multilingual Plane: ideographs are some, emoji are separators. */
export function classOfAstral(codePoint: number): number {
  return classOf(String.fromCodePoint(codePoint));
}

function classOf(character: string): number {
  if (!WORD.test(character)) return SEPARATOR;
  return UNSPACED.test(character) ? IDEOGRAPH : LETTER;
}

/** The lower case of each letter below 256, and 0 for the others. */
export const latin1Letters = Uint8Array.from({ length: 256 }, (_, code) => {
  const lower = String.fromCharCode(code).toLowerCase();
  return classOf(lower) === LETTER ? lower.charCodeAt(0) : 0;
});
