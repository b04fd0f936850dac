/** How many columns of a terminal a text takes. */

/** A text cut to so many columns, with an ellipsis if something is missing. It must be clean. */
export function shorten(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let used = 0;
  let kept = '';
  for (const character of text) {
    used += widthOf(character.codePointAt(0)!);
    if (used > columns - 3) break;
    kept += character;
  }
  return `${kept}...`.slice(0, Math.max(0, columns));
}

/** Columns that a text takes: wide characters of East Asia and pictures take two. */
export function width(text: string): number {
  let columns = 0;
  for (const character of text) columns += widthOf(character.codePointAt(0)!);
  return columns;
}

/** First and last code points of what takes two columns. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f000, 0x3ffff],
];

const widthOf = (code: number): number =>
  code >= 0x1100 && WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
