/**
 * The text of a JSON document: its string values, a line each, in their order. Keys, numbers, and strings that are URLs
 * or hold no letter are left out: what remains is what somebody wrote.
 *
 * A scanner for string literals, not a parser: a broken document gives what it holds, and memory is that of its text,
 * where `JSON.parse` of 20 MB of brackets takes half a gigabyte.
 */

export interface JsonText {
  /** The value of `title`, else of `name`, in the outermost object; empty without one. */
  title: string;
  text: string;
}

const LETTER = /\p{L}/u;
const URL_LIKE = /^(?:[a-z][a-z0-9+.-]{1,20}:)?\/\/\S*$|^(?:data|mailto|urn):\S*$/i;
/** Longer values are blobs. */
const MAX_VALUE = 1_000_000;

export function readJson(source: string): JsonText {
  const values: string[] = [];
  const titles: { title?: string; name?: string } = {};
  let depth = 0;
  let key = '';
  for (let p = 0; p < source.length; p++) {
    const code = source.charCodeAt(p);
    if (code === 0x7b || code === 0x5b) depth++;
    else if (code === 0x7d || code === 0x5d) depth--;
    if (code !== 0x22) continue;
    const end = endOfString(source, p + 1);
    if (isKey(source, end + 1)) {
      key = depth === 1 && end - p < 10 ? source.slice(p + 1, end) : '';
    } else {
      const value = end - p <= MAX_VALUE ? decodeString(source.slice(p, end + 1)).trim() : '';
      if (depth === 1 && (key === 'title' || key === 'name')) titles[key] ??= value;
      if (LETTER.test(value) && !URL_LIKE.test(value)) values.push(value);
      key = '';
    }
    p = end;
  }
  return { title: titles.title ?? titles.name ?? '', text: values.join('\n') };
}

/** Index of the quote that ends the string, or of the last character. */
function endOfString(source: string, from: number): number {
  let p = from;
  while (p < source.length) {
    const quote = source.indexOf('"', p);
    if (quote < 0) break;
    let slashes = 0;
    while (source.charCodeAt(quote - 1 - slashes) === 0x5c && quote - 1 - slashes >= from) slashes++;
    if (slashes % 2 === 0) return quote;
    p = quote + 1;
  }
  return source.length - 1;
}

function isKey(source: string, from: number): boolean {
  let p = from;
  while (source.charCodeAt(p) <= 0x20) p++;
  return source.charCodeAt(p) === 0x3a;
}

function decodeString(literal: string): string {
  if (!literal.includes('\\')) return literal.slice(1, literal.endsWith('"') && literal.length > 1 ? -1 : undefined);
  try {
    return JSON.parse(literal) as string;
  } catch {
    return literal.slice(1, -1);
  }
}
