/**
 * The content-type registry: who reads which type, and what every reader gives. Types that are cheap to read are read
 * where they are fetched; PDF and what a user registered is read apart, where its crash or hang costs one page.
 */
import './buffer-slices.js';
import { decode, sniffCharset } from './charset.js';
import { readFeed, xmlRoot } from './feed.js';
import { readJson } from './json-text.js';
import { LinkCollector, LinkFlag, type LinkList } from './links.js';
import { parsePage } from './page.js';
import { applyRobotsTag, defaultRobots, type PageRobots } from './robots-meta.js';
import { parseSitemap } from './sitemap.js';
import { isXml } from './sniff.js';

/**
 * Version of everything that makes text, links and fields out of bytes. It goes up when the same bytes give another
 * answer: `saunter reparse` reads those pages again that an older version read.
 */
export const PARSER_VERSION = 2;

/** A body that is to be read. */
export interface DocumentInput {
  /** Content codings undone. */
  body: Uint8Array;
  /** Where it came from: the base of its links unless it names another. */
  url: string;
  /** The Content-Type header as it came; null without one. */
  contentType: string | null;
  /** X-Robots-Tag headers, one entry each. */
  xRobotsTag: readonly string[];
  /** Our product token, for directives meant for us alone. */
  agent: string;
}

/** What was read. */
export interface DocumentReading {
  charset: string;
  language: string;
  title: string;
  /** What a reader came for; all text where that cannot be told. */
  text: string;
  links: LinkList;
  /** Against what links are resolved. */
  base: string;
  robots: Pick<PageRobots, 'index' | 'follow'>;
  aiPreferences: string[];
  /** What a handler said beside these. */
  fields: Record<string, string> | null;
}

/** What a handler gets. */
export interface HandledDocument {
  readonly bytes: Uint8Array;
  readonly url: string;
  /** The Content-Type header as it came; empty without one. */
  readonly contentType: string;
}

/** What a handler gives. Links may be relative to the URL. */
export interface HandlerAnswer {
  readonly text?: string;
  readonly title?: string;
  readonly language?: string;
  readonly links?: readonly string[];
  readonly fields?: Readonly<Record<string, string | number | boolean>>;
}

/** What a handler in another thread gave, or why it gave nothing. */
export type DocumentAnswer = { answer: HandlerAnswer } | { failure: string };

/** Reads documents of one type. It may throw, or never return: both cost the page at hand. */
export type DocumentHandler = (document: HandledDocument) => HandlerAnswer | Promise<HandlerAnswer>;

const MIB = 1024 * 1024;
const MAX_TEXT = 20 * MIB;
const MAX_LINKS = 10_000;
const MAX_LINK = 8192;
const MAX_FIELDS = 100;
const MAX_FIELD = 10_000;

/** Handlers by media type. */
export class DocumentRegistry {
  readonly #handlers = new Map<string, DocumentHandler>();

  /** @param mediaType `type/subtype`, without parameters; a later handler of a type takes the place of an earlier one */
  handle(mediaType: string, handler: DocumentHandler): this {
    this.#handlers.set(mediaType.toLowerCase(), handler);
    return this;
  }

  has(mediaType: string): boolean {
    return this.#handlers.has(mediaType);
  }

  /** What the handler of that type makes of a document. Rejects with what the handler throws, or if there is none. */
  async read(mediaType: string, document: HandledDocument): Promise<HandlerAnswer> {
    const handler = this.#handlers.get(mediaType);
    if (handler === undefined) throw new Error(`nobody handles ${mediaType}`);
    return handled(await handler(document));
  }
}

/** A handler's answer with everything in its bounds; what is of the wrong kind is left out. */
export function handled(answer: unknown): HandlerAnswer {
  const { text, title, language, links, fields } = (answer ?? {}) as Record<string, unknown>;
  const kept: [string, string][] = [];
  for (const [name, value] of Object.entries(typeof fields === 'object' ? (fields ?? {}) : {}).slice(0, MAX_FIELDS)) {
    if (['string', 'number', 'boolean'].includes(typeof value)) kept.push([name, String(value).slice(0, MAX_FIELD)]);
  }
  return {
    text: typeof text === 'string' ? text.slice(0, MAX_TEXT) : '',
    title: typeof title === 'string' ? title : '',
    language: typeof language === 'string' ? language : '',
    links: Array.isArray(links) ? links.slice(0, MAX_LINKS).filter(isLink) : [],
    ...(kept.length > 0 && { fields: Object.fromEntries(kept) }),
  };
}

const isLink = (link: unknown): link is string => typeof link === 'string' && link.length <= MAX_LINK;

/** A handler's answer as a reading. */
export function readingOf(answer: HandlerAnswer, input: DocumentInput): DocumentReading {
  const { text = '', title = '', language = '', links = [], fields } = handled(answer);
  return {
    ...blank(input),
    ...{ charset: '', language, title: title.replace(/\s+/g, ' ').trim(), text, links: linksOf(links) },
    fields: fields === undefined ? null : (fields as Record<string, string>),
  };
}

// -- the types that are read where they are fetched -----------------------------------------------------------------------

type Reader = (input: DocumentInput) => DocumentReading | null;

/** Types of text that nobody reads. */
const CODE = /^text\/(?:css|javascript|ecmascript|jscript|livescript|x-(?:java|ecma)script)$/;
const JSON_TYPE = /^(?:application|text)\/json$|\+json$/;

export const isHtml = (mediaType: string): boolean =>
  mediaType === 'text/html' || mediaType === 'application/xhtml+xml';

/** Who reads a type at once, or null. */
function readerOf(mediaType: string): Reader | null {
  if (isHtml(mediaType)) return readHtml;
  if (isXml(mediaType)) return readXml;
  if (JSON_TYPE.test(mediaType)) return readJsonDocument;
  return mediaType.startsWith('text/') && !CODE.test(mediaType) ? readPlain : null;
}

export const isReadAtOnce = (mediaType: string): boolean => readerOf(mediaType) !== null;

/** Reads a document of a computed type (`sniffType`); null if nobody reads that type. Never throws. */
export function readDocument(mediaType: string, input: DocumentInput): DocumentReading | null {
  return readerOf(mediaType)?.(input) ?? null;
}

function readHtml(input: DocumentInput): DocumentReading {
  const { body, url, xRobotsTag, agent } = input;
  const page = parsePage({ body, url, contentType: input.contentType ?? '', xRobotsTag, agent }, { text: false });
  const { charset, language, title, links, base, robots, aiPreferences } = page;
  const text = page.mainText === '' ? page.text : page.mainText;
  return { charset, language: language ?? '', title, text, links, base, robots, aiPreferences, fields: null };
}

/** Feeds and sitemaps; XHTML that calls itself XML. Other XML is not text. */
function readXml(input: DocumentInput): DocumentReading | null {
  const { charset, text: source } = textOf(input, 'utf-8');
  switch (xmlRoot(source)) {
    case 'html':
      return readHtml(input);
    case 'rss':
    case 'rdf':
    case 'feed':
      return readFeedDocument(input, charset, source);
    case 'urlset':
    case 'sitemapindex':
      return { ...blank(input), charset, links: entryLinks(input) };
    default:
      return null;
  }
}

function readFeedDocument(input: DocumentInput, charset: string, source: string): DocumentReading {
  const { title, language, entries } = readFeed(source, plainText);
  const lines = entries.flatMap((entry) => [entry.title, entry.summary]).filter((line) => line !== '');
  const text = [title, ...lines].filter((line) => line !== '').join('\n');
  return { ...blank(input), charset, language, title, text, links: entryLinks(input) };
}

function entryLinks({ body, url, contentType }: DocumentInput): LinkList {
  const { urls, sitemaps } = parseSitemap(body, { url, contentType: contentType ?? undefined });
  return linksOf([...urls.map((entry) => entry.url), ...sitemaps]);
}

/** Text that may be HTML, as feeds have it, without its markup. */
function plainText(text: string): string {
  const trimmed = text.trim();
  if (!/[<&]/.test(trimmed)) return trimmed.replace(/[ \t]+/g, ' ');
  return parsePage(
    { body: Buffer.from(trimmed), url: '', contentType: 'text/html; charset=utf-8' },
    { mainText: false },
  ).text;
}

function readJsonDocument(input: DocumentInput): DocumentReading {
  const { charset, text: source } = textOf(input, 'utf-8');
  return { ...blank(input), charset, ...readJson(source) };
}

function readPlain(input: DocumentInput): DocumentReading {
  const { charset, text } = textOf(input, null);
  return { ...blank(input), charset, text };
}

/** @param unless the encoding of a type that has a default of its own */
function textOf({ body, contentType }: DocumentInput, unless: string | null): { charset: string; text: string } {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const { charset, source, bomLength } = sniffCharset(bytes, contentType ?? undefined);
  const known = unless !== null && source !== 'bom' && source !== 'header' && source !== 'meta' ? unless : charset;
  const rest = bytes.subarray(bomLength);
  return { charset: known, text: known === 'utf-8' ? rest.toString('utf8') : decode(rest, known) };
}

function blank({ url, xRobotsTag, agent }: DocumentInput): DocumentReading {
  const robots = defaultRobots();
  const aiPreferences: string[] = [];
  for (const header of xRobotsTag) applyRobotsTag(robots, header, agent, aiPreferences);
  const nothing = { charset: '', language: '', title: '', text: '', fields: null };
  return { ...nothing, links: linksOf([]), base: url, robots, aiPreferences };
}

function linksOf(hrefs: readonly string[]): LinkList {
  const links = new LinkCollector(MAX_LINKS);
  for (const href of hrefs) links.add(href, LinkFlag.anchor);
  return links.finish();
}
