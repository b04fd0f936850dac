/**
 * Character references (HTML 13.2.5.72 to 13.2.5.80) in text that is read as UTF-8 bytes.
 *
 * Attribute values are strings by the time they are looked at and go through `entities` whole; text is copied byte by
 * byte, and only the reference itself is looked up here. Names are decoded by `entities` once and then remembered.
 */
import { decodeHTML, decodeHTMLAttribute, replaceCodePoint } from 'entities/decode';

/** Longest name in the standard's table, its semicolon included ("CounterClockwiseContourIntegral;"). */
const LONGEST_NAME = 32;
/** Names remembered: there are 2,231; a page of invented ones must not grow the table for ever. */
const REMEMBERED = 4096;

const HASH = 0x23;
const SEMICOLON = 0x3b;
const LOWER_X = 0x78;

const remembered = new Map<string, Buffer | null>();

/** Where the reference that {@link readReference} just read ends. */
export let referenceEnd = 0;

/** Reads the reference whose `&` is at `bytes[at]`. Returns its text in UTF-8 and sets {@link referenceEnd}, or null if
 * the `&` is only an ampersand. A name without its semicolon counts where the standard lets it (`&copy2` is `©2`). */
export function readReference(bytes: Buffer, at: number, end: number): Buffer | null {
  const first = at + 1 < end ? bytes[at + 1] : 0;
  if (first === HASH) return readNumeric(bytes, at + 2, end);
  if (!isAlphanumeric(first)) return null;
  const limit = Math.min(end, at + 1 + LONGEST_NAME);
  let p = at + 2;
  while (p < limit && isAlphanumeric(bytes[p])) p++;
  if (p < limit && bytes[p] === SEMICOLON) p++;
  const name = bytes.latin1Slice(at + 1, p);
  let text = remembered.get(name);
  if (text === undefined) {
    const decoded = decodeHTML(`&${name}`);
    text = decoded === `&${name}` ? null : Buffer.from(decoded, 'utf8');
    if (remembered.size < REMEMBERED) remembered.set(name, text);
  }
  if (text !== null) referenceEnd = p;
  return text;
}

function readNumeric(bytes: Uint8Array, from: number, end: number): Buffer | null {
  const hex = from < end && (bytes[from] | 0x20) === LOWER_X;
  const base = hex ? 16 : 10;
  const start = hex ? from + 1 : from;
  let p = start;
  let code = 0;
  for (; p < end; p++) {
    const digit = digitValue(bytes[p]);
    if (digit < 0 || digit >= base) break;
    code = Math.min(code * base + digit, 0x110000);
  }
  if (p === start) return null;
  if (p < end && bytes[p] === SEMICOLON) p++;
  referenceEnd = p;
  return Buffer.from(String.fromCodePoint(replaceCodePoint(code)), 'utf8');
}

function digitValue(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function isAlphanumeric(byte: number): boolean {
  const lower = byte | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || (byte >= 0x30 && byte <= 0x39);
}

/** An attribute's value with its references decoded; `&copy=1` stays as it is (13.2.5.73). */
export function decodeAttribute(value: string): string {
  return value.includes('&') ? decodeHTMLAttribute(value) : value;
}
