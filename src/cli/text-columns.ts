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

/** A text cut in its middle, so that both its ends are seen. It must be clean. */
export function shortenMiddle(text: string, columns: number): string {
  if (width(text) <= columns || columns < 12) return shorten(text, columns);
  const left = Math.ceil((columns - 3) / 2);
  const end = [...text];
  while (end.length > 0 && width(end.join('')) > columns - 3 - left) end.shift();
  return `${shorten(text, left + 3)}${end.join('')}`;
}

/** As many of some parts as have room, so that no figure is cut within; an ellipsis (where it has room) if some have not. They must be clean. */
export function fitParts(parts: readonly string[], between: string, columns: number): string {
  const whole = parts.join(between);
  if (width(whole) <= columns) return whole;
  for (let count = parts.length - 1; count > 0; count--) {
    const text = parts.slice(0, count).join(between);
    if (width(text) <= columns) return width(text) + 4 <= columns ? `${text} ...` : text;
  }
  return shorten(whole, columns);
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
