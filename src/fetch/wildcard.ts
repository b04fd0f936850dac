/**
 * Patterns with `*` (any run of characters, also none), matched in linear time.
 *
 * The literal pieces between the stars are searched from left to right, each as far left as it can go. For `*` that
 * choice is never worse than any other, so nothing is ever tried twice: a pattern such as `/*a*a*a*a*b$` against a
 * kilobyte of `a` costs one pass, where a backtracking regular expression costs for ever.
 */

export interface Wildcard {
  /** The literal pieces; between two of them stands a star. `['/a', '.gif']` is `/a*.gif`. */
  readonly pieces: readonly string[];
  /** Whether the text has to end where the pattern ends; without it the pattern matches any text it is a prefix of. */
  readonly anchored: boolean;
}

/** Compiles `pattern`, in which each run of `*` means one star and every other character means itself. */
export function compileWildcard(pattern: string, anchored: boolean): Wildcard {
  const parts = pattern.split('*');
  const pieces = parts.filter((piece, i) => piece !== '' || i === 0 || i === parts.length - 1);
  return { pieces, anchored };
}

/** Whether `text` matches `wildcard`. Time: O(length of the text + length of the pattern). */
export function matchesWildcard(wildcard: Wildcard, text: string): boolean {
  const { pieces, anchored } = wildcard;
  if (!text.startsWith(pieces[0])) return false;
  let at = pieces[0].length;
  const last = pieces.length - 1;
  if (last === 0) return !anchored || at === text.length;
  for (let i = 1; i < last; i++) {
    const found = indexOfLinear(text, pieces[i], at);
    if (found < 0) return false;
    at = found + pieces[i].length;
  }
  if (!anchored) return indexOfLinear(text, pieces[last], at) >= 0;
  return text.length - pieces[last].length >= at && text.endsWith(pieces[last]);
}

/** Steps that the built-in search may take in its worst case before ours is the better choice. */
const CHEAP = 1024;
/** Fallbacks of the needle at hand; needles that are longer get an array of their own. */
const SCRATCH = new Uint32Array(1024);

/** `text.indexOf(needle, from)` without the built-in's quadratic worst case (Knuth, Morris and Pratt). */
function indexOfLinear(text: string, needle: string, from: number): number {
  const size = needle.length;
  if (size <= 2 || (text.length - from) * size <= CHEAP) return text.indexOf(needle, from);
  if (text.length - from < size) return -1;
  const fallback = size <= SCRATCH.length ? SCRATCH : new Uint32Array(size);
  fallback[0] = 0;
  for (let i = 1, k = 0; i < size; i++) {
    const unit = needle.charCodeAt(i);
    while (k > 0 && needle.charCodeAt(k) !== unit) k = fallback[k - 1];
    if (needle.charCodeAt(k) === unit) k++;
    fallback[i] = k;
  }
  for (let i = from, k = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    while (k > 0 && needle.charCodeAt(k) !== unit) k = fallback[k - 1];
    if (needle.charCodeAt(k) === unit) k++;
    if (k === size) return i - size + 1;
  }
  return -1;
}
