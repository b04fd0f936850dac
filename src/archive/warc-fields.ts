/**
 * The pieces that WARC header fields are made of: digests, dates, record ids, and values that cannot break out of their
 * line. Source: WARC 1.1 (ISO 28500:2017), sections 4 and 5.
 */
import { randomFillSync } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** All 1,024 pairs of base32 digits: 160 bits are 16 look-ups. */
const PAIRS = Array.from({ length: 1024 }, (_, n) => ALPHABET[n >> 5] + ALPHABET[n & 31]);

/** RFC 4648 base32 with padding. A SHA-1 (20 bytes) gives 32 digits and needs none. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  const whole = bytes.length - (bytes.length % 5);
  for (let i = 0; i < whole; i += 5) {
    const [a, b, c, d, e] = [bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3], bytes[i + 4]];
    text += PAIRS[(a << 2) | (b >> 6)] + PAIRS[((b & 63) << 4) | (c >> 4)];
    text += PAIRS[((c & 15) << 6) | (d >> 2)] + PAIRS[((d & 3) << 8) | e];
  }
  if (whole === bytes.length) return text;
  const last = new Uint8Array(5);
  last.set(bytes.subarray(whole));
  const digits = Math.ceil(((bytes.length - whole) * 8) / 5);
  return text + base32(last).slice(0, digits) + '='.repeat(8 - digits);
}

/** A labelled digest (WARC 1.1, 5.8) in the form that all tools read. `digest` is 20 bytes. */
export const sha1Label = (digest: Uint8Array): string => `sha1:${base32(digest)}`;

/** The 20 bytes of a `sha1:` label, in base32 or hex, or null. */
export function parseSha1Label(label: string): Buffer | null {
  const text = /^sha1:(.*)$/i.exec(label.trim())?.[1] ?? '';
  if (/^[0-9a-f]{40}$/i.test(text)) return Buffer.from(text, 'hex');
  if (!/^[A-Z2-7]{32}$/i.test(text)) return null;
  const bytes = Buffer.alloc(20);
  let [bits, held, at] = [0, 0, 0];
  for (const letter of text.toUpperCase()) {
    held = ((held << 5) | ALPHABET.indexOf(letter)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = (held >>> bits) & 0xff;
  }
  return bytes;
}

/** A WARC 1.1 date of wall-clock milliseconds: `2026-01-31T23:59:59.123Z`. */
export function warcDate(ms: number): string {
  if (ms !== lastMs) {
    lastDate = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastDate;
}
/** All records of an exchange and its index line have one date, and to write it out takes 3 us. */
let lastMs = 0;
let lastDate = new Date(0).toISOString();

const percent = (byte: number): string => `%${byte < 16 ? '0' : ''}${byte.toString(16).toUpperCase()}`;

/** A header value that stays on its line: control characters (CR and LF among them) become %XX, the ends are trimmed.
 * Other characters stay; the file is UTF-8. */
export function escapeValue(value: string): string {
  return value.replace(/[\x00-\x1f\x7f]/g, (c) => percent(c.charCodeAt(0))).trim();
}

/** A URI that is one token: every byte of its UTF-8 form outside `!` to `~` becomes %XX. A URL that the WHATWG parser
 * has serialised is left as it is. */
export function escapeUri(uri: string): string {
  if (!/[^\x21-\x7e]/.test(uri)) return uri;
  let text = '';
  for (const byte of Buffer.from(uri)) text += byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : percent(byte);
  return text;
}

/** Fills the array with random bytes. */
export type RandomFill = (target: Uint8Array) => void;
export const systemRandom: RandomFill = (target) => {
  randomFillSync(target);
};

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Record ids: version 4 UUIDs as `urn:uuid:...`. Random bytes are drawn for 64 at a time. */
export class RecordIds {
  readonly #fill: RandomFill;
  readonly #pool = new Uint8Array(1024);
  #at = 1024;

  constructor(fill: RandomFill = systemRandom) {
    this.#fill = fill;
  }

  next(): string {
    if (this.#at === this.#pool.length) {
      this.#fill(this.#pool);
      this.#at = 0;
    }
    const bytes = this.#pool.subarray(this.#at, this.#at + 16);
    this.#at += 16;
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let text = 'urn:uuid:';
    for (let i = 0; i < 16; i++) {
      if (i === 4 || i === 6 || i === 8 || i === 10) text += '-';
      text += HEX[bytes[i]];
    }
    return text;
  }
}
