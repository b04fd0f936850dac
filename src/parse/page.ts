/**
 * A page in one pass: encoding, directives, links, whole and main text.
 *
 * Pure: the same bytes give the same answer, nothing is read or written elsewhere, and no input throws.
 */
import './buffer-slices.js';
import { type CharsetSource, sniffCharset, toUtf8 } from './charset.js';
import { HeadCollector } from './head.js';
import { LinkFlag, type LinkList } from './links.js';
import { chooseBlocks, joinBlocks } from './main-text.js';
import { toMarkdown } from './markdown.js';
import type { PageMetadata } from './metadata.js';
import { applyRobotsTag, type PageRobots } from './robots-meta.js';
import { PageScan } from './scan.js';
import { wholeBlocks } from './whole-text.js';

export interface PageInput {
  /** The body, content codings removed. */
  body: Uint8Array;
  /** Where it came from after redirects: the base of its links unless it names another. */
  url: string;
  /** The Content-Type header. */
  contentType?: string;
  /** X-Robots-Tag headers, one entry each. */
  xRobotsTag?: readonly string[];
  /** Our product token, for directives meant for us alone. */
  agent?: string;
  limits?: {
    /** Links kept; default 10,000. */
    links?: number;
  };
}

export interface PageOptions {
  /** Keep the text of each link (default false). */
  anchorText?: boolean;
  /** Choose the main text (default true). */
  mainText?: boolean;
  /** Keep all text beside the main text, too (default true); where there is no main text it is kept in any case. */
  text?: boolean;
  /** Also write the main text as Markdown (default false); `whole`: all text but navigation, header, footer and asides. */
  markdown?: boolean | 'whole';
  /** Also read Open Graph and JSON-LD (default false). */
  metadata?: boolean;
}

export interface ParsedPage {
  /** Encoding Standard name in lower case. */
  charset: string;
  charsetSource: CharsetSource;
  /** Text of the first `title`, white space collapsed; empty without one. */
  title: string;
  /** Absolute, or null: the first `link rel=canonical` that is a URL. */
  canonical: string | null;
  /** Against what links are resolved: the first valid `base href`, else the page's URL as given. */
  base: string;
  /** `lang` of the root, or null. As written. */
  language: string | null;
  /** Meta refresh to another URL, in seconds; `url` absolute, null if it is not http(s). A plain reload is null. */
  refresh: { delay: number; url: string | null } | null;
  robots: PageRobots;
  links: LinkList;
  /** All text that is not script, style or form value: a line per block, a tab between cells. */
  text: string;
  /** What a reader came for, or an empty string. */
  mainText: string;
  /** The main text with headings, lists, links, quotes, code and tables, when asked for. Link targets are as written. */
  markdown?: string;
  /** Title, author and dates that the page declares, when asked for. */
  metadata?: PageMetadata;
  /** AI opt-outs the page states: `noai`, `noimageai`, `tdm-reservation=1`, `tdm-policy=URL`. */
  aiPreferences: string[];
}

const DEFAULT_LINK_LIMIT = 10_000;

/** One for all pages: nothing here waits, so no two are read at once. */
const scan = new PageScan();

/** Parses a page. Never throws; time and memory are linear in the body. */
export function parsePage(input: PageInput, options: PageOptions = {}): ParsedPage {
  const body = Buffer.from(input.body.buffer, input.body.byteOffset, input.body.byteLength);
  const { charset, source, bomLength } = sniffCharset(body, input.contentType);
  const utf8 = toUtf8(body.subarray(bomLength), charset);
  const head = new HeadCollector(input.url, input.agent, options.metadata === true);
  scan.read(
    utf8,
    head,
    input.limits?.links ?? DEFAULT_LINK_LIMIT,
    options.anchorText === true || Boolean(options.markdown),
  );
  for (const header of input.xRobotsTag ?? []) applyRobotsTag(head.robots, header, input.agent, head.aiPreferences);
  const { text } = scan;
  const links = scan.links.finish();
  if (scan.anchorRanges !== null && options.anchorText) links.texts = anchorTexts(scan, scan.anchorRanges);
  const chosen =
    options.mainText === false && !options.markdown ? null : chooseBlocks(scan.elements, text, scan.title ?? '');
  const page: ParsedPage = {
    charset,
    charsetSource: source,
    title: scan.title ?? '',
    canonical: head.resolve(head.canonical),
    base: head.base,
    language: scan.language || head.language,
    refresh: head.refresh === null ? null : { delay: head.refresh.delay, url: head.resolve(head.refresh.url) },
    robots: head.robots,
    links,
    text: '',
    mainText: chosen === null ? '' : joinBlocks(text, chosen),
    aiPreferences: head.aiPreferences,
  };
  if (options.text !== false || page.mainText === '') page.text = text.slice(0, text.length);
  if (options.metadata) page.metadata = head.finishMetadata();
  if (options.markdown && chosen !== null) {
    page.markdown = toMarkdown(scan, links.hrefs, options.markdown === 'whole' ? wholeBlocks(scan) : chosen);
  }
  scan.tokens.end();
  text.release();
  return page;
}

/** Text of each anchor with line breaks as blanks; empty for links that are no anchors. */
function anchorTexts(scan: PageScan, ranges: readonly number[]): string[] {
  const texts: string[] = [];
  for (let i = 0; i < ranges.length; i += 2) {
    const end = Math.min(Math.max(ranges[i], ranges[i + 1]), ranges[i] + 4096);
    texts.push(scan.text.slice(ranges[i], end).replace(/\s+/g, ' ').trim());
  }
  return texts;
}

export { LinkFlag };
