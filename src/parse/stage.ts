/**
 * The parse stage: from a body to what the crawl keeps of it. The same for a page that was just fetched and for one that
 * is read again from the archive.
 */
import { simhash, simhashHex } from '../dedupe/simhash.js';
import { type DocumentInput, type DocumentReading, isReadAtOnce, PARSER_VERSION } from './documents.js';
import { detectLanguage } from './language.js';
import { sniffType } from './sniff.js';

/** Headers of an answer, by name without case. */
export interface Headers {
  get(name: string): string | null | undefined;
  all(name: string): readonly string[];
}

/** What the rows keep of a reading. */
export interface ParsedFacts {
  charset: string;
  language: string;
  title: string;
  simhash: string | null;
  index: boolean;
  links: number;
  aiPreferences: string | null;
  /** 0 where reading failed: it is tried again. */
  parser: number;
  fields: string | null;
}

const MAX_TITLE = 1_000;
const MAX_PREFERENCES = 20;
const MAX_PREFERENCE = 200;
/** Headers that state preferences about AI: IETF aipref, contentsignals.org, the TDM reservation protocol. */
const AI_HEADERS = ['content-usage', 'content-signal', 'tdm-reservation', 'tdm-policy'];

/** The computed type of a body, and all that its reader needs. */
export function documentOf(
  body: Uint8Array,
  url: string,
  headers: Headers,
  agent: string,
): { mediaType: string; input: DocumentInput } {
  const contentType = headers.get('content-type') ?? null;
  const nosniff = /^\s*nosniff\s*$/i.test(headers.get('x-content-type-options') ?? '');
  const mediaType = sniffType(contentType, body, nosniff);
  return { mediaType, input: { body, url, contentType, xRobotsTag: headers.all('x-robots-tag'), agent } };
}

/** Types that are read apart from the page worker: PDF, and those with a handler of the user's. */
export class HeavyTypes {
  readonly #types: ReadonlySet<string>;

  constructor(handlers: Iterable<string>) {
    this.#types = new Set(['application/pdf', ...handlers]);
  }

  has(mediaType: string): boolean {
    return this.#types.has(mediaType);
  }

  /** Media types whose bodies are wanted, before a byte of them came ('' is a missing one); the others are recorded
   * without. */
  accepts(mediaType: string): boolean {
    return UNTYPED.has(mediaType) || this.has(mediaType) || isReadAtOnce(mediaType);
  }
}

/** What is read to see what it is. */
const UNTYPED: ReadonlySet<string> = new Set(['', 'unknown/unknown', 'application/unknown', '*/*']);

/** What the rows keep of a reading.
 * @param failure why there is none, if there should have been
 * @param shingles the least of a text that gets a fingerprint (`simhash.shingles`) */
export function factsOf(
  reading: DocumentReading | null,
  headers: Headers,
  failure: string | null,
  shingles: number,
): ParsedFacts {
  if (reading === null) {
    const fields = failure === null ? null : JSON.stringify({ error: failure.slice(0, MAX_TITLE) });
    const parser = failure === null ? PARSER_VERSION : 0;
    return { ...NOTHING, aiPreferences: preferencesOf([], headers), parser, fields };
  }
  const print = simhash(reading.text, shingles);
  return {
    charset: reading.charset,
    language: detectLanguage(reading.text, reading.language),
    title: reading.title.slice(0, MAX_TITLE),
    simhash: print === null ? null : simhashHex(print),
    index: reading.robots.index,
    links: reading.links.hrefs.length,
    aiPreferences: preferencesOf(reading.aiPreferences, headers),
    parser: PARSER_VERSION,
    fields: reading.fields === null ? null : JSON.stringify(reading.fields),
  };
}

const NOTHING = { charset: '', language: '', title: '', simhash: null, index: true, links: 0 };

/** Those of the page, and those of its headers as `name: value` (`tdm-reservation=1`, as a page would state it). */
function preferencesOf(stated: readonly string[], headers: Headers): string | null {
  const all = [...stated];
  for (const name of AI_HEADERS) {
    for (const value of headers.all(name)) {
      const kept = value.trim().slice(0, MAX_PREFERENCE);
      all.push(name.startsWith('tdm') ? `${name}=${kept}` : `${name}: ${kept}`);
    }
  }
  return all.length === 0 ? null : JSON.stringify([...new Set(all)].slice(0, MAX_PREFERENCES));
}
