/** One look at a path, query and fragment: would the WHATWG parser change anything, and where do the parts end? */
import { APOSTROPHE, ENCODED, FOREIGN, HASH, PERCENT, QUESTION, SEMICOLON, SLASH, URL_CLASS } from './characters.js';

/** Flags of a scan: percent normalisation has something to do; the path has parameters. */
export const PERCENTS = 1;
export const SEMICOLONS = 2;

const DOT = 0x2e;

/** Where the last scan ended: at the `#` or at the end of the text. */
export let scanEnd = 0;
/** Where the last scan met the first `?`, or -1. (Two results beside the flags, without an object for each link.) */
export let scanQuery = -1;

/**
 * Scans a path, query and fragment from `start`. Returns {@link PERCENTS} and {@link SEMICOLONS}, or `FOREIGN` when the
 * WHATWG parser might change something. Leaves its other results in {@link scanEnd} and {@link scanQuery}.
 *
 * @param segmentStart whether a path segment starts at `start`, as it does in a relative link
 */
export function scanPath(text: string, start: number, segmentStart = false): number {
  let flags = 0;
  let atSegment = segmentStart;
  scanQuery = -1;
  let i = start;
  for (; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) return FOREIGN;
    if (atSegment) {
      // A dot segment: `.`, `..` and their spellings with %2e. `.well-known` is none.
      if (code === DOT && isDotSegment(text, i)) return FOREIGN;
      atSegment = false;
    }
    const kind = URL_CLASS[code];
    if (kind === 0) continue;
    if (kind === SLASH) {
      atSegment = scanQuery < 0;
    } else if (kind === QUESTION) {
      if (scanQuery < 0) scanQuery = i;
    } else if (kind === HASH) {
      break;
    } else if (kind === PERCENT) {
      flags |= PERCENTS;
      if (scanQuery < 0 && text.charCodeAt(i + 1) === 0x32 && (text.charCodeAt(i + 2) | 32) === 0x65) return FOREIGN;
    } else if (kind === SEMICOLON) {
      if (scanQuery < 0) flags |= SEMICOLONS;
    } else if (kind === ENCODED) {
      flags |= PERCENTS;
    } else if (kind !== APOSTROPHE || scanQuery >= 0) {
      return FOREIGN;
    }
  }
  scanEnd = i;
  return flags;
}

/** `text` has a dot at `at`, where a segment starts. */
function isDotSegment(text: string, at: number): boolean {
  const next = at + 1 < text.length ? text.charCodeAt(at + 1) : 0x2f;
  // Anything but a name character right after the dot is left to the parser.
  return next === DOT || next > 127 || URL_CLASS[next] !== 0;
}
