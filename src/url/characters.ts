/**
 * Character classes of URLs, as tables over ASCII.
 *
 * Two questions are asked of a character: may the WHATWG parser change it or what surrounds it (the cheap path of
 * `resolver.ts` asks, link by link), and how does the normal form spell it (`percent.ts` asks).
 */

/** What a character means to the cheap path. */
export const PLAIN = 0;
export const SLASH = 1;
export const QUESTION = 2;
export const HASH = 3;
export const PERCENT = 4;
export const SEMICOLON = 5;
/** The parser leaves it alone, the normal form encodes it: `[`, `]` and `|`. */
export const ENCODED = 6;
/** Plain in a path, encoded by the parser in a query: `'`. */
export const APOSTROPHE = 7;
/** Only `new URL` knows: whitespace, controls, backslash, quotes, braces, anything past ASCII. */
export const FOREIGN = 8;

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const UNRESERVED = `${ALPHANUMERIC}-._~`;
/** What RFC 3986 allows raw in a path or a query, besides unreserved characters and percent triplets. */
const RESERVED = "!$&'()*+,;=:@/?";

function table(fill: number, ...groups: [string, number][]): Uint8Array {
  const classes = new Uint8Array(128).fill(fill);
  for (const [characters, value] of groups) {
    for (const character of characters) classes[character.charCodeAt(0)] = value;
  }
  return classes;
}

/** Class of each ASCII character in a path or query, for the cheap path. */
export const URL_CLASS = table(
  FOREIGN,
  [UNRESERVED, PLAIN],
  [RESERVED, PLAIN],
  ['/', SLASH],
  ['?', QUESTION],
  ['#', HASH],
  ['%', PERCENT],
  [';', SEMICOLON],
  ['[]|', ENCODED],
  ["'", APOSTROPHE],
);

/** 1 for the characters of an authority that can be looked up as it is written: a lower-case name and a port. */
export const AUTHORITY_CLASS = table(0, ['abcdefghijklmnopqrstuvwxyz0123456789-._:', 1]);

/** 1 for RFC 3986 unreserved characters: a percent triplet of one of these is decoded. */
export const IS_UNRESERVED = table(0, [UNRESERVED, 1]);

/** 1 for what the normal form keeps as it is. */
export const IS_KEPT = table(0, [UNRESERVED, 1], [RESERVED, 1]);

/** 1 for letters and digits: what a session token is made of. */
export const IS_ALPHANUMERIC = table(0, [ALPHANUMERIC, 1]);

/** Value of a hexadecimal digit, or 255. */
export const HEX_VALUE = (() => {
  const values = new Uint8Array(128).fill(255);
  for (let i = 0; i < 16; i++) {
    const digit = i.toString(16);
    values[digit.charCodeAt(0)] = i;
    values[digit.toUpperCase().charCodeAt(0)] = i;
  }
  return values;
})();
