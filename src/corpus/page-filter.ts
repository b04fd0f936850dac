/** Which pages an export holds. */
import type { VisitRow } from '../changes.js';
import { classOfAstral, IDEOGRAPH, LETTER, SURROGATE, wordClasses } from '../dedupe/words.js';
import type { StoreReader } from '../engines/ports.js';
import { rows } from './states.js';

export interface PageFilter {
  /** Language tags: `en` takes `en-GB` too. Empty: all, also pages that state none. */
  languages: readonly string[];
  /** Words of text at least. A duplicate has no text of its own. */
  minWords: number;
  /** Pages whose content another page has. */
  duplicates: 'keep' | 'drop';
  /** Pages that ask robots not to index them. */
  noindex: 'keep' | 'drop';
  /** Pages that object to the use of their text by AI: all pages, those that do not object, those that state anything. */
  aiPreference: 'keep' | 'drop' | 'only';
  /** Host names; `*.example.org` takes every host below it. Empty: all. */
  hosts: readonly string[];
  /** The same for hosts whose pages are left out. */
  notHosts: readonly string[];
  /** ms since 1970: fetched at or after it; last seen to change at or after it. Null: no limit. */
  since: number | null;
  changedSince: number | null;
}

export const EVERY_PAGE: PageFilter = {
  languages: [],
  minWords: 0,
  duplicates: 'keep',
  noindex: 'drop',
  aiPreference: 'keep',
  hosts: [],
  notHosts: [],
  since: null,
  changedSince: null,
};

/** What can be said from the visit alone. `changedAt`: ms, or null if nobody asks. */
export function passes(filter: PageFilter, visit: VisitRow, changedAt: number | null): boolean {
  if (filter.noindex === 'drop' && !visit.index) return false;
  if (filter.duplicates === 'drop' && visit.duplicateOf >= 0) return false;
  if (filter.since !== null && visit.at < filter.since) return false;
  if (filter.changedSince !== null && (changedAt ?? 0) < filter.changedSince) return false;
  return filter.languages.length === 0 || filter.languages.some((tag) => speaks(visit.language, tag));
}

/** What can be said from all preferences about AI that hold for a page. */
export function passesStated({ aiPreference }: PageFilter, stated: readonly string[]): boolean {
  if (aiPreference === 'keep') return true;
  return aiPreference === 'only' ? stated.length > 0 : !stated.some(objects);
}

/** RFC 4647, 3.3.1: a range takes what begins with it, in whole subtags, without regard to case. */
function speaks(language: string, range: string): boolean {
  const [tag, wanted] = [language.toLowerCase().replaceAll('_', '-'), range.toLowerCase()];
  return tag === wanted || tag.startsWith(`${wanted}-`);
}

/** The preferences that a visit's row holds. */
export function preferences(json: string | null): string[] {
  return json === null ? [] : (JSON.parse(json) as string[]);
}

/** `noai`, a reservation of text and data mining, or a `Content-Usage` or `Content-Signal` that says no to training or to
 * AI input. `noimageai` speaks of images, which are not exported. */
const objects = (preference: string): boolean =>
  preference === 'noai' ||
  preference === 'tdm-reservation=1' ||
  /^content-(?:usage|signal):(?:.*[\s,;])?(?:train-ai|train-genai|ai-train|ai-input)\s*=\s*n(?:o)?(?:[\s,;]|$)/i.test(
    preference,
  );

/** One byte by host id: 1 for those that are wanted; null if all are. */
export function wantedHosts(reader: StoreReader, { hosts, notHosts }: PageFilter): Uint8Array | null {
  if (hosts.length === 0 && notHosts.length === 0) return null;
  const [isNamed, isLeftOut] = [namesHost(hosts), namesHost(notHosts)];
  const wanted = new Uint8Array(reader.count('hosts'));
  for (const { id, name } of rows(reader, 'hosts')) {
    if (id < wanted.length && (hosts.length === 0 || isNamed(name)) && !isLeftOut(name)) wanted[id] = 1;
  }
  return wanted;
}

/** Tells whether a host name is one of these: `*.example.org` stands for every host below it. */
export function namesHost(patterns: readonly string[]): (name: string) => boolean {
  const exact = new Set(patterns.map((pattern) => pattern.toLowerCase()));
  const below = [...exact].filter((pattern) => pattern.startsWith('*.')).map((pattern) => pattern.slice(1));
  return (name) => exact.has(name) || below.some((end) => name.endsWith(end));
}

/** True if a text has that many words, by the definition of the fingerprint (`dedupe/words.ts`). */
export function hasWords(text: string, least: number): boolean {
  const classes = wordClasses();
  let words = 0;
  let inside = false;
  for (let i = 0; i < text.length && words < least; i++) {
    let kind = classes[text.charCodeAt(i)];
    if (kind === SURROGATE) {
      kind = classOfAstral(text.codePointAt(i)!);
      i++;
    }
    if (kind === IDEOGRAPH || (kind === LETTER && !inside)) words++;
    inside = kind === LETTER;
  }
  return words >= least;
}
