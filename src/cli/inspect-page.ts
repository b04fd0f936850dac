/** `inspect page`, `sitemap`, `charset`, `type`: how bytes of the web are read. */
import { existsSync } from 'node:fs';
import { simhash, simhashHex } from '../dedupe/simhash.js';
import { sniffCharset } from '../parse/charset.js';
import { LinkFlag } from '../parse/links.js';
import { charsetParameter, parseMimeType, serializeMimeType } from '../parse/mime-type.js';
import { type ParsedPage, parsePage } from '../parse/page.js';
import { parseSitemap, type Sitemap } from '../parse/sitemap.js';
import { parseUrl } from '../parse-url.js';
import { queryEncoder } from '../url/query-charset.js';
import {
  bytesOf,
  type Case,
  headersOf,
  type InspectKind,
  optional,
  type Row,
  required,
  WrongCase,
} from './inspect-case.js';
import { AGENT } from './inspect-robots.js';

/** Links, entries and characters of text that are shown for reading. */
const SHOWN_LINKS = 20;
const SHOWN_TEXT = 600;

export const pageKind: InspectKind = {
  subject: 'file',
  reads: ['file', 'html', 'html_b64', 'url', 'contentType', 'headers', 'agent'],
  answer: answerPage,
  explain: explainPage,
};

export const sitemapKind: InspectKind = {
  subject: 'file',
  reads: ['file', 'content', 'content_b64', 'url', 'contentType'],
  answer: (input) => {
    const { kind, urls, sitemaps } = readSitemap(input);
    return { kind, urls, sitemaps };
  },
  explain: explainSitemap,
};

export const charsetKind: InspectKind = {
  subject: 'file',
  reads: ['file', 'html', 'html_b64', 'contentType'],
  answer: (input) => {
    const { charset, source } = sniffCharset(bytesOf(input, 'html'), optional(input, 'contentType'));
    return { charset, source };
  },
  explain: (input) => {
    const { charset, source } = sniffCharset(bytesOf(input, 'html'), optional(input, 'contentType'));
    return [
      ['charset', charset],
      ['why', SOURCES[source]],
    ];
  },
};

export const typeKind: InspectKind = {
  subject: 'contentType',
  reads: ['contentType'],
  answer: answerType,
  explain: (input) => {
    const { type, charset } = answerType(input);
    const given = required(input, 'contentType');
    if (type === null && existsSync(given))
      throw new WrongCase('type', 'it is a file, and here the value of a Content-Type header is read, such as text/html; saunter inspect charset reads files'); // biome-ignore format: one sentence
    return [
      ['type', type ?? 'not a media type: as if there were no Content-Type'],
      ['charset', charset ?? 'none'],
    ];
  },
};

const SOURCES: Readonly<Record<ReturnType<typeof sniffCharset>['source'], string>> = {
  bom: 'because of a byte order mark',
  header: 'because of the Content-Type header',
  meta: 'because of a meta element, or the encoding of an XML declaration',
  detected: 'because of the bytes, which fit no other encoding as well',
  default: 'which is the default: nothing names one',
};

function read(input: Case): ParsedPage {
  const headers = headersOf(input.headers);
  return parsePage(
    {
      body: bytesOf(input, 'html'),
      url: required(input, 'url'),
      contentType: optional(input, 'contentType') ?? headers.find(([name]) => name === 'content-type')?.[1],
      xRobotsTag: headers.filter(([name]) => name === 'x-robots-tag').map(([, value]) => value),
      agent: optional(input, 'agent') ?? AGENT,
    },
    { anchorText: true },
  );
}

function answerPage(input: Case): Record<string, unknown> {
  const page = read(input);
  const { charset, title, canonical, base, language, refresh, robots, text, mainText } = page;
  const { index, follow } = robots;
  const print = simhash(mainText || text);
  const [links, fingerprint] = [linksOf(page), print && simhashHex(print)];
  const head = { charset, title, canonical, base, language, refresh, robots: { index, follow } };
  return { ...head, links, text, mainText, simhash: fingerprint };
}

function explainPage(input: Case): Row[] {
  const page = read(input);
  const { robots, refresh, text, mainText } = page;
  const links = linksOf(page);
  const print = simhash(mainText || text);
  const rows: Row[] = [
    ['title', page.title || 'none'],
    ['charset', `${page.charset}, ${SOURCES[page.charsetSource]}`],
    ['language', page.language ?? 'not declared'],
    ['canonical', page.canonical ?? 'not declared'],
    ['base', page.base],
    ['robots', `${robots.index ? 'may' : 'must not'} be exported; links ${robots.follow ? 'are' : 'are not'} followed`],
  ];
  if (refresh !== null) rows.push(['refresh', `after ${refresh.delay} s to ${refresh.url ?? 'no http(s) URL'}`]);
  rows.push(['links', String(links.length)]);
  for (const { url, rel } of links.slice(0, SHOWN_LINKS)) rows.push(['', [url, ...rel].join('  ')]);
  if (links.length > SHOWN_LINKS) rows.push(['', `and ${links.length - SHOWN_LINKS} more: --json shows all`]);
  rows.push(['simhash', print ? simhashHex(print) : 'none: the text is too short']);
  rows.push(['text', `${text.length} characters, ${mainText.length} of them main text${mainText ? ':' : ''}`]);
  if (mainText) rows.push(['', mainText.slice(0, SHOWN_TEXT) + (mainText.length > SHOWN_TEXT ? ' ...' : '')]);
  return rows;
}

/** Links of anchors that are http(s) URLs, without fragments, in order and with repetitions. */
function linksOf({ links, base, charset }: ParsedPage): { url: string; text: string; rel: string[] }[] {
  const encode = queryEncoder(charset);
  const found: { url: string; text: string; rel: string[] }[] = [];
  for (const [i, href] of links.hrefs.entries()) {
    if ((links.flags[i] & LinkFlag.anchor) === 0) continue;
    const encoded = encode ? encode(href) : href;
    const url = parseUrl(encoded, base);
    if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) continue;
    url.hash = '';
    found.push({ url: url.href, text: links.texts?.[i] ?? '', rel: relOf(links.flags[i]) });
  }
  return found;
}

/** Those `rel` tokens that decide whether a link is followed. */
function relOf(flags: number): string[] {
  return (['nofollow', 'ugc', 'sponsored'] as const).filter((token) => (flags & LinkFlag[token]) !== 0);
}

function readSitemap(input: Case): Sitemap {
  // without its own place, only the absolute locations in it can be read
  const options = { url: optional(input, 'url') ?? '', contentType: optional(input, 'contentType') };
  return parseSitemap(bytesOf(input, 'content'), options);
}

const SITEMAP_KINDS: Readonly<Record<Sitemap['kind'], string>> = {
  urlset: 'a sitemap',
  index: 'a sitemap index',
  text: 'a list of URLs',
  rss: 'an RSS feed',
  atom: 'an Atom feed',
  unknown: 'no sitemap',
};

function explainSitemap(input: Case): Row[] {
  const { kind, urls, sitemaps, truncated } = readSitemap(input);
  const rows: Row[] = [['kind', SITEMAP_KINDS[kind]]];
  const say = (label: string, entries: readonly string[]): void => {
    if (entries.length === 0) return;
    rows.push([label, String(entries.length)]);
    for (const entry of entries.slice(0, SHOWN_LINKS)) rows.push(['', entry]);
    if (entries.length > SHOWN_LINKS) rows.push(['', `and ${entries.length - SHOWN_LINKS} more: --json shows all`]);
  };
  const entries = urls.map(({ url, lastmod, priority, changefreq }) =>
    [url, lastmod && `of ${lastmod}`, priority !== undefined && `priority ${priority}`, changefreq]
      .filter(Boolean)
      .join('  '),
  );
  say('pages', entries);
  say('sitemaps', sitemaps);
  if (truncated) rows.push(['cut', 'it is larger than a sitemap may be: entries are missing']);
  return rows;
}

function answerType(input: Case): { type: string | null; charset: string | null } {
  const header = required(input, 'contentType');
  const type = parseMimeType(header);
  return { type: type && serializeMimeType(type), charset: charsetParameter(header) };
}
