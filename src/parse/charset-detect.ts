/**
 * A guess at the encoding of a page that declares none: cheap tests on the bytes, no language models.
 */
import { isUtf8 } from 'node:buffer';

/** Bytes that are looked at: non-ASCII text shows within them. */
const SAMPLE = 64 * 1024;

/** The encoding's name, or null when nothing speaks for one. */
export function detectEncoding(body: Buffer): string | null {
  const sample = body.subarray(0, SAMPLE);
  const wide = utf16WithoutMark(sample);
  if (wide !== null) return wide;
  let high = 0;
  for (const byte of sample) if (byte >= 0x80) high++;
  if (high === 0) return sample.includes('\x1b$', 0, 'latin1') ? 'iso-2022-jp' : null;
  if (isUtf8(trimPartial(sample))) return 'utf-8';
  if (body.length > SAMPLE && mostlyUtf8(sample)) return 'utf-8';
  return multiByte(sample, high) ?? singleByte(sample, high);
}

/** Every other byte of ASCII in UTF-16 is zero. */
function utf16WithoutMark(sample: Buffer): string | null {
  const length = Math.min(sample.length, 1024) & ~1;
  if (length < 4) return null;
  let even = 0;
  let odd = 0;
  for (let i = 0; i < length; i += 2) {
    if (sample[i] === 0) even++;
    if (sample[i + 1] === 0) odd++;
  }
  if (even > length * 0.35 && odd < length * 0.05) return 'utf-16be';
  if (odd > length * 0.35 && even < length * 0.05) return 'utf-16le';
  return null;
}

/** A sample may end inside a character: cut it before. */
function trimPartial(sample: Buffer): Buffer {
  let end = sample.length;
  for (let i = 0; i < 3 && end > 0 && sample[end - 1] >= 0x80; i++) end--;
  return sample.length === SAMPLE ? sample.subarray(0, end) : sample;
}

/** Well-formed sequences against broken ones: one stray byte does not make a page windows-1252. */
function mostlyUtf8(sample: Buffer): boolean {
  let good = 0;
  let bad = 0;
  for (let i = 0; i < sample.length; i++) {
    const c = sample[i];
    if (c < 0x80) continue;
    const more = c >= 0xc2 && c < 0xe0 ? 1 : c >= 0xe0 && c < 0xf0 ? 2 : c >= 0xf0 && c < 0xf5 ? 3 : 0;
    let k = 1;
    while (k <= more && (sample[i + k] & 0xc0) === 0x80) k++;
    if (more > 0 && k > more) {
      good++;
      i += more;
    } else bad++;
  }
  return good > 20 * bad;
}

/** A family of two-byte encodings: which bytes may lead and trail, and which pairs its commonest letters are. */
interface TwoByte {
  readonly name: string;
  lead(c: number): boolean;
  trail(c: number): boolean;
  /** Does this pair occur all the time in the encoding's language? */
  common(lead: number, trail: number): boolean;
}

const between = (c: number, low: number, high: number): boolean => c >= low && c <= high;

const TWO_BYTE: readonly TwoByte[] = [
  {
    name: 'shift_jis',
    lead: (c) => between(c, 0x81, 0x9f) || between(c, 0xe0, 0xfc),
    trail: (c) => between(c, 0x40, 0xfc) && c !== 0x7f,
    common: (lead, trail) =>
      (lead === 0x82 && trail >= 0x9f && trail <= 0xf1) || (lead === 0x83 && trail >= 0x40 && trail <= 0x96),
  },
  {
    name: 'euc-jp',
    lead: (c) => between(c, 0xa1, 0xfe) || c === 0x8e,
    trail: (c) => between(c, 0xa1, 0xfe),
    common: (lead) => lead === 0xa4 || lead === 0xa5,
  },
  {
    name: 'euc-kr',
    lead: (c) => between(c, 0x81, 0xfe),
    trail: (c) => between(c, 0x41, 0x5a) || between(c, 0x61, 0x7a) || between(c, 0x81, 0xfe),
    common: (lead, trail) => lead >= 0xb0 && lead <= 0xc8 && trail >= 0xa1,
  },
  {
    name: 'gbk',
    lead: (c) => between(c, 0x81, 0xfe),
    trail: (c) => between(c, 0x40, 0xfe) && c !== 0x7f,
    // level 1 hanzi, ordered by sound; "de", "yi", "shi" and punctuation weigh most
    common: (lead, trail) => lead >= 0xb0 && lead <= 0xd7 && trail >= 0xa1,
  },
  {
    name: 'big5',
    lead: (c) => between(c, 0x81, 0xfe),
    trail: (c) => between(c, 0x40, 0x7e) || between(c, 0xa1, 0xfe),
    common: (lead) => lead >= 0xa4 && lead <= 0xc6,
  },
];

/** The two-byte encoding whose pairs fit: hardly an error, and mostly pairs that are common in it. */
function multiByte(sample: Buffer, high: number): string | null {
  let best: string | null = null;
  let bestShare = 0.5;
  for (const encoding of TWO_BYTE) {
    let pairs = 0;
    let errors = 0;
    let common = 0;
    let lowTrails = 0;
    for (let i = 0; i < sample.length; i++) {
      const c = sample[i];
      if (c < 0x80) continue;
      const next = sample[i + 1];
      if (encoding.name === 'shift_jis' && between(c, 0xa1, 0xdf)) {
        pairs += 0.5; // half-width katakana: legal, rare
        continue;
      }
      if (!encoding.lead(c) || next === undefined || !encoding.trail(next)) {
        errors++;
        continue;
      }
      pairs++;
      if (next < 0x80) lowTrails++;
      if (encoding.common(c, next)) common++;
      i++;
    }
    if (pairs < 8 || errors > pairs * 0.02) continue;
    if (lowTrails === 0 && encoding.name === 'big5') continue;
    const share = common / pairs + (encoding.name === 'euc-kr' || encoding.name === 'gbk' ? 0 : 0.05);
    if (share > bestShare) {
      best = encoding.name;
      bestShare = share;
    }
  }
  return best === 'euc-kr' && !isKorean(sample, high) ? 'gbk' : best;
}

/** Korean and Chinese share lead bytes. Korean puts blanks between words; Chinese uses all of level 1, past 0xC8. */
function isKorean(sample: Buffer, high: number): boolean {
  let late = 0;
  for (let i = 0; i < sample.length - 1; i++) {
    if (sample[i] < 0x80) continue;
    if (sample[i] > 0xc8) late++;
    i++;
  }
  return late < high * 0.06;
}

/** Languages by where their letters stand among the high bytes. */
function singleByte(sample: Buffer, high: number): string | null {
  const counts = new Uint32Array(256);
  let runs = 0; // pairs of high bytes: whole words of them mean a script of its own, not accents
  for (let i = 0; i < sample.length; i++) {
    counts[sample[i]]++;
    if (sample[i] >= 0x80 && i > 0 && sample[i - 1] >= 0x80) runs++;
  }
  const sum = (bytes: Iterable<number>): number => {
    let total = 0;
    for (const byte of bytes) total += counts[byte];
    return total;
  };
  if (runs > high * 0.4) return otherScript(counts, high, sum);
  // Central European letters that Western pages never use, in the places of either code page
  const cp1250 = sum([0x9c, 0xb9, 0xb3, 0xea, 0xe6, 0x9f, 0xbf, 0x9a, 0x9e, 0xf8, 0xec, 0xf9]);
  const western = sum([0xe9, 0xe8, 0xe0, 0xe4, 0xfc, 0xf1, 0xe7, 0xdf, 0xe2, 0xee, 0xe5]);
  const turkish = sum([0xfd, 0xfe, 0xf0]);
  if (turkish > high * 0.3 && sum([0xfd, 0xfe]) > 0 && counts[0xfc] + counts[0xe7] > 0) return 'windows-1254';
  if (cp1250 > high * 0.35 && cp1250 > western) {
    return sum([0x9c, 0x9a, 0x9e, 0x8c, 0x8a, 0x8e]) > 0
      ? 'windows-1250'
      : sum([0xb6, 0xb1, 0xa9, 0xae]) > 0
        ? 'iso-8859-2'
        : 'windows-1250';
  }
  return null;
}

function range(low: number, high: number): number[] {
  return Array.from({ length: high - low + 1 }, (_, i) => low + i);
}

function otherScript(counts: Uint32Array, high: number, sum: (bytes: Iterable<number>) => number): string | null {
  // Cyrillic: lower case fills E0-FF in windows-1251, C0-DF in KOI8-R, D0-EF in ISO 8859-5, A0-AF and E0-EF in IBM866
  const upper = sum(range(0xe0, 0xff));
  const lower = sum(range(0xc0, 0xdf));
  const thai = sum(range(0xa1, 0xda)) + sum(range(0xe0, 0xee));
  if (
    sum(range(0xe0, 0xee)) > high * 0.1 &&
    counts[0xd2] + counts[0xd1] + counts[0xd5] > high * 0.1 &&
    thai > high * 0.95
  ) {
    return 'windows-874';
  }
  const greek = sum([0xe1, 0xe5, 0xef, 0xf4, 0xf3, 0xe9, 0xf2]); // alpha, epsilon, omicron, tau, sigma, iota, final sigma
  const hebrew = sum(range(0xe0, 0xfa));
  const arabicTwins = sum([0xc7, 0xe1]); // alef, lam
  if (arabicTwins > high * 0.18 && lower > high * 0.25 && sum([0xee, 0xe8, 0xe0]) < high * 0.2) return 'windows-1256';
  if (hebrew > high * 0.97 && sum(range(0xfb, 0xff)) === 0 && sum([0xe9, 0xe5, 0xe0, 0xe4]) > high * 0.25)
    return 'windows-1255';
  if (
    greek > high * 0.4 &&
    sum([0xdc, 0xdd, 0xde, 0xdf, 0xfc, 0xfd, 0xfe]) > high * 0.05 &&
    counts[0xff] < high * 0.005
  ) {
    return counts[0xb6] > counts[0xa2] && counts[0xa2] === 0 ? 'iso-8859-7' : 'windows-1253';
  }
  if (lower > upper && sum([0xcf, 0xc1, 0xc5, 0xc9, 0xce, 0xd4]) > high * 0.3) return 'koi8-r';
  if (
    sum(range(0xd0, 0xef)) > high * 0.8 &&
    sum(range(0xf0, 0xff)) < high * 0.05 &&
    counts[0xde] + counts[0xd0] > high * 0.1
  ) {
    return 'iso-8859-5';
  }
  if (sum(range(0xa0, 0xaf)) + sum(range(0xe0, 0xef)) > high * 0.75 && sum(range(0xa0, 0xaf)) > high * 0.3)
    return 'ibm866';
  if (upper > high * 0.5) return 'windows-1251';
  return null;
}
