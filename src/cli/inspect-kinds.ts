/** What `inspect` can be asked about (DESIGN 11): one function for each kind, from one case to its answer. Pure but for
 * files that a case names. Keys are hashed under a zero secret, so that answers can be compared. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { simhash, simhashHex } from '../dedupe/simhash.js';
import { parseRobots } from '../fetch/robots.js';
import { sniffCharset } from '../parse/charset.js';
import { LinkFlag } from '../parse/links.js';
import { charsetParameter, parseMimeType, serializeMimeType } from '../parse/mime-type.js';
import { parsePage } from '../parse/page.js';
import { parseSitemap } from '../parse/sitemap.js';
import { UrlKeyer } from '../url/key.js';
import { normalizeUrl } from '../url/normalize.js';
import { queryEncoder } from '../url/query-charset.js';

/** One case, as its JSON says it. */
export type Case = Readonly<Record<string, unknown>>;

interface Kind {
  /** The fields that it reads; all others are copied to the answer. */
  readonly reads: readonly string[];
  answer(input: Case): Record<string, unknown>;
}

/** Decompressed bytes of a file that are looked at. */
const LARGEST_BYTES = 256 * 1024 * 1024;
/** The product token that rules and directives are read for, unless a case names another. */
const AGENT = 'Saunter';

const keyer = new UrlKeyer(new Uint8Array(16));

export const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['url', { reads: ['input', 'base'], answer: inspectUrl }],
  ['robots', { reads: ['robots', 'robots_b64', 'file', 'agent', 'url'], answer: inspectRobots }],
  ['page', { reads: ['file', 'html', 'html_b64', 'url', 'contentType', 'headers', 'agent'], answer: inspectPage }],
  ['sitemap', { reads: ['file', 'content', 'content_b64', 'url', 'contentType'], answer: inspectSitemap }],
  ['charset', { reads: ['file', 'html', 'html_b64', 'contentType'], answer: inspectCharset }],
  ['type', { reads: ['contentType'], answer: inspectType }],
]);

function inspectUrl(input: Case): Record<string, unknown> {
  const text = required(input, 'input');
  const base = optional(input, 'base');
  const normal = normalizeUrl(text, base);
  if (normal.url === null) return { ...normal };
  const { url, fetch, host } = normal;
  return { url, fetch, href: new URL(text, base).href, key: keyer.hex(url), host };
}

function inspectRobots(input: Case): Record<string, unknown> {
  const rules = parseRobots(bytesOf(input, 'robots'), optional(input, 'agent') ?? AGENT);
  const { allowed, rule } = rules.match(optional(input, 'url') ?? '');
  return { allowed, rule, crawlDelay: rules.crawlDelayMs, sitemaps: rules.sitemaps };
}

function inspectPage(input: Case): Record<string, unknown> {
  const headers = headersOf(input.headers);
  const page = parsePage(
    {
      body: bytesOf(input, 'html'),
      url: required(input, 'url'),
      contentType: optional(input, 'contentType') ?? headers.find(([name]) => name === 'content-type')?.[1],
      xRobotsTag: headers.filter(([name]) => name === 'x-robots-tag').map(([, value]) => value),
      agent: optional(input, 'agent') ?? AGENT,
    },
    { anchorText: true },
  );
  const { charset, title, canonical, base, language, refresh, robots, text, mainText } = page;
  const print = simhash(mainText || text);
  return {
    charset,
    title,
    canonical,
    base,
    language,
    refresh,
    robots: { index: robots.index, follow: robots.follow },
    links: linksOf(page),
    text,
    mainText,
    simhash: print && simhashHex(print),
  };
}

/** Links of anchors that are http(s) URLs, without fragments, in order and with repetitions. */
function linksOf({
  links,
  base,
  charset,
}: ReturnType<typeof parsePage>): { url: string; text: string; rel: string[] }[] {
  const encode = queryEncoder(charset);
  const found: { url: string; text: string; rel: string[] }[] = [];
  for (const [i, href] of links.hrefs.entries()) {
    if ((links.flags[i] & LinkFlag.anchor) === 0) continue;
    const encoded = encode ? encode(href) : href;
    if (!URL.canParse(encoded, base)) continue;
    const url = new URL(encoded, base);
    if (url.protocol !== 'http:' && url.protocol !== 'https:') continue;
    url.hash = '';
    found.push({ url: url.href, text: links.texts?.[i] ?? '', rel: relOf(links.flags[i]) });
  }
  return found;
}

/** Those `rel` tokens that decide whether a link is followed. */
function relOf(flags: number): string[] {
  return (['nofollow', 'ugc', 'sponsored'] as const).filter((token) => (flags & LinkFlag[token]) !== 0);
}

function inspectSitemap(input: Case): Record<string, unknown> {
  const options = { url: required(input, 'url'), contentType: optional(input, 'contentType') };
  const { kind, urls, sitemaps } = parseSitemap(bytesOf(input, 'content'), options);
  return { kind, urls, sitemaps };
}

function inspectCharset(input: Case): Record<string, unknown> {
  const { charset, source } = sniffCharset(bytesOf(input, 'html'), optional(input, 'contentType'));
  return { charset, source };
}

function inspectType(input: Case): Record<string, unknown> {
  const header = required(input, 'contentType');
  const type = parseMimeType(header);
  return { type: type && serializeMimeType(type), charset: charsetParameter(header) };
}

/** The bytes of a case: a file, or inline as text (`html`) or base64 (`html_b64`). Files are gunzipped by magic. */
function bytesOf(input: Case, inline: string): Buffer {
  const text = optional(input, inline);
  if (text !== undefined) return Buffer.from(text, 'utf8');
  const base64 = optional(input, `${inline}_b64`);
  if (base64 !== undefined) return Buffer.from(base64, 'base64');
  const bytes = readFileSync(required(input, 'file', `file, ${inline} or ${inline}_b64`));
  const zipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return zipped ? gunzipSync(bytes, { maxOutputLength: LARGEST_BYTES }) : bytes;
}

/** Headers as an object or as a list of pairs; names in lower case. */
function headersOf(headers: unknown): [name: string, value: string][] {
  if (headers === undefined || headers === null) return [];
  const pairs = Array.isArray(headers) ? headers : Object.entries(headers);
  return pairs.flatMap((pair) => {
    if (!Array.isArray(pair)) throw new TypeError('headers must be an object or a list of pairs');
    const values: unknown[] = Array.isArray(pair[1]) ? pair[1] : [pair[1]];
    return values.map((value): [string, string] => [String(pair[0]).toLowerCase(), String(value)]);
  });
}

function optional(input: Case, field: string): string | undefined {
  const value = input[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new TypeError(`${field} must be a string`);
  return value;
}

function required(input: Case, field: string, called = field): string {
  const value = optional(input, field);
  if (value === undefined) throw new TypeError(`${called} is missing`);
  return value;
}
