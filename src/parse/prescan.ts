/**
 * The encoding a page declares in its first bytes (HTML 13.2.3.2, "prescan a byte stream"), also in an XML declaration.
 */
import { encodingOfLabel } from './encoding-labels.js';

interface Cursor {
  readonly bytes: Buffer;
  position: number;
  readonly end: number;
}

const isSpace = (c: number): boolean => c === 0x20 || c === 0x09 || c === 0x0a || c === 0x0c || c === 0x0d;
const isLetter = (c: number): boolean => (c | 0x20) >= 0x61 && (c | 0x20) <= 0x7a;

/** The declared encoding in `bytes[start, start + length)`, or null. UTF-16 means UTF-8 here: a page whose declaration we
 * can read as ASCII is not in it. */
export function prescanMeta(bytes: Buffer, start: number, length: number): string | null {
  const end = Math.min(bytes.length, start + length);
  const cursor: Cursor = { bytes, position: start, end };
  if (bytes.latin1Slice(start, Math.min(end, start + 5)) === '<?xml') {
    const declaration = xmlEncoding(bytes.latin1Slice(start, Math.min(end, start + 300)));
    if (declaration !== null) return declaration;
  }
  for (;;) {
    const lt = cursor.position < end ? bytes.indexOf(0x3c, cursor.position) : -1;
    if (lt < 0 || lt >= end) return null;
    cursor.position = lt + 1;
    const c = bytes[lt + 1];
    if (c === 0x21 && bytes[lt + 2] === 0x2d && bytes[lt + 3] === 0x2d) {
      const close = bytes.indexOf('-->', lt + 2, 'latin1'); // the dashes of "<!--" may also be those of "-->"
      if (close < 0 || close >= end) return null;
      cursor.position = close + 3;
    } else if (c === 0x21 || c === 0x2f || c === 0x3f) {
      if (c === 0x2f && isLetter(bytes[lt + 2])) {
        cursor.position = lt + 2;
        skipTag(cursor);
      } else skipTo(cursor, 0x3e);
    } else if (isMeta(bytes, lt + 1)) {
      cursor.position = lt + 6;
      const encoding = metaEncoding(cursor);
      if (encoding !== null) return encoding;
    } else if (isLetter(c)) skipTag(cursor);
  }
}

function isMeta(bytes: Buffer, at: number): boolean {
  const c = bytes[at + 4];
  return (
    (isSpace(c) || c === 0x2f) &&
    bytes
      .subarray(at, at + 4)
      .latin1Slice()
      .toLowerCase() === 'meta'
  );
}

function skipTo(cursor: Cursor, byte: number): void {
  const at = cursor.bytes.indexOf(byte, cursor.position);
  cursor.position = at < 0 || at >= cursor.end ? cursor.end : at + 1;
}

/** Skips the rest of a tag, quoted values included. */
function skipTag(cursor: Cursor): void {
  const { bytes, end } = cursor;
  while (cursor.position < end && !isSpace(bytes[cursor.position]) && bytes[cursor.position] !== 0x3e)
    cursor.position++;
  while (nextAttribute(cursor) !== null);
}

/** One `meta`: `charset`, or `http-equiv=content-type` with a charset in `content`. */
function metaEncoding(cursor: Cursor): string | null {
  const seen = new Set<string>();
  let gotPragma = false;
  let needPragma: boolean | null = null;
  let charset: string | null = null;
  for (let attribute = nextAttribute(cursor); attribute !== null; attribute = nextAttribute(cursor)) {
    const [name, value] = attribute;
    if (seen.has(name)) continue;
    seen.add(name);
    if (name === 'http-equiv') gotPragma = value === 'content-type';
    else if (name === 'content' && charset === null) {
      const label = charsetInContent(value);
      charset = label === null ? null : encodingOfLabel(label);
      if (charset !== null) needPragma = true;
    } else if (name === 'charset') {
      charset = encodingOfLabel(value);
      needPragma = false;
    }
  }
  if (needPragma === null || (needPragma && !gotPragma) || charset === null) return null;
  if (charset === 'utf-16le' || charset === 'utf-16be') return 'utf-8';
  return charset === 'x-user-defined' ? 'windows-1252' : charset;
}

/** "Algorithm for extracting a character encoding from a meta element" (2.6.5). */
export function charsetInContent(content: string): string | null {
  const text = content.slice(0, 1000);
  for (const match of text.matchAll(/charset[\t\n\f\r ]*=[\t\n\f\r ]*/gi)) {
    const rest = text.slice(match.index + match[0].length);
    const quote = rest[0];
    if (quote === '"' || quote === "'") {
      const close = rest.indexOf(quote, 1);
      return close < 0 ? null : rest.slice(1, close);
    }
    return /^[^\t\n\f\r ;]*/.exec(rest)?.[0] || null;
  }
  return null;
}

/** "Get an attribute" (13.2.3.2): name and value in lower case, or null at the end of the tag. Each call goes forward. */
function nextAttribute(cursor: Cursor): [string, string] | null {
  const { bytes, end } = cursor;
  let p = cursor.position;
  while (p < end && (isSpace(bytes[p]) || bytes[p] === 0x2f)) p++;
  if (p >= end || bytes[p] === 0x3e) {
    cursor.position = Math.min(end, p + 1);
    return null;
  }
  const nameStart = p;
  while (
    p < end &&
    !isSpace(bytes[p]) &&
    bytes[p] !== 0x2f &&
    bytes[p] !== 0x3e &&
    (bytes[p] !== 0x3d || p === nameStart)
  )
    p++;
  const name = bytes.latin1Slice(nameStart, Math.min(p, nameStart + 100)).toLowerCase();
  while (p < end && isSpace(bytes[p])) p++;
  if (bytes[p] !== 0x3d || p >= end) {
    cursor.position = p;
    return [name, ''];
  }
  p++;
  while (p < end && isSpace(bytes[p])) p++;
  const quote = bytes[p];
  let valueStart = p;
  if (quote === 0x22 || quote === 0x27) {
    valueStart = ++p;
    while (p < end && bytes[p] !== quote) p++;
    cursor.position = Math.min(end, p + 1);
  } else {
    while (p < end && !isSpace(bytes[p]) && bytes[p] !== 0x3e) p++;
    cursor.position = p;
  }
  if (p >= end) cursor.position = end;
  return [name, bytes.latin1Slice(valueStart, Math.min(p, valueStart + 1000)).toLowerCase()];
}

function xmlEncoding(text: string): string | null {
  const close = text.indexOf('>');
  const match = /encoding[\t\n\r ]*=[\t\n\r ]*(?:"([^"]*)"|'([^']*)')/.exec(close < 0 ? text : text.slice(0, close));
  const encoding = match === null ? null : encodingOfLabel(match[1] ?? match[2]);
  return encoding === 'utf-16le' || encoding === 'utf-16be' ? 'utf-8' : encoding;
}
