/**
 * Percent-encoding in the normal form (RFC 3986, section 6.2.2; DESIGN section 5): unreserved characters are decoded,
 * hexadecimal digits are upper-case, and what RFC 3986 does not allow raw is encoded, a stray `%` included. Reserved
 * characters stay as they came: `%2F` and `/` are different data.
 *
 * Encoding the stray `%` is what makes the form idempotent: `%%341` would otherwise become `%41`, and that `A`.
 */
import { HEX_VALUE, IS_KEPT, IS_UNRESERVED } from './characters.js';

const PERCENT = 0x25;
const HEX = '0123456789ABCDEF';

/** The octet that the triplet at `at` stands for, or -1 when the `%` there is a stray one. */
export function octetAt(text: string, at: number): number {
  if (at + 2 >= text.length) return -1;
  const high = text.charCodeAt(at + 1);
  const low = text.charCodeAt(at + 2);
  if (high > 127 || low > 127) return -1;
  const octet = (HEX_VALUE[high] << 4) | HEX_VALUE[low];
  return HEX_VALUE[high] > 15 || HEX_VALUE[low] > 15 ? -1 : octet;
}

/** `text` is a path and query as the WHATWG parser serialises it (ASCII). Returns the same string when nothing changes. */
export function normalizePercent(text: string): string {
  let out = '';
  let copied = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (IS_KEPT[code] === 1) continue;
    let width = 1;
    let spelling: string;
    const octet = code === PERCENT ? octetAt(text, i) : -1;
    if (octet >= 0) {
      width = 3;
      const canonical = octet < 128 && IS_UNRESERVED[octet] === 1 ? String.fromCharCode(octet) : triplet(octet);
      // Most triplets are already as they should be: nothing to copy.
      if (canonical.length === 3 && text.startsWith(canonical, i)) {
        i += 2;
        continue;
      }
      spelling = canonical;
    } else {
      spelling = triplet(code);
    }
    out += text.slice(copied, i) + spelling;
    i += width - 1;
    copied = i + 1;
  }
  return copied === 0 ? text : out + text.slice(copied);
}

function triplet(octet: number): string {
  return `%${HEX[octet >> 4]}${HEX[octet & 15]}`;
}
