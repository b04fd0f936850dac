/**
 * Sitemaps and feeds: the URLs they name (sitemaps.org protocol, RSS 0.9 to 2.0, RFC 4287).
 *
 * A scanner for the dozen elements that matter, not an XML parser: broken files, which are many, are read as far as they
 * go, and names of other namespaces (`image:loc`) are passed over. Linear in the input.
 */
import { gunzipSync, constants as zlib } from 'node:zlib';
import { decodeXML } from 'entities/decode';
import './buffer-slices.js';
import { parseUrl } from '../parse-url.js';
import { sniffCharset, toUtf8 } from './charset.js';

export interface SitemapUrl {
  url: string;
  /** As written: W3C datetime, or the date of a feed. */
  lastmod?: string;
  /** 0 to 1. */
  priority?: number;
  /** Lower case: always, hourly, daily, weekly, monthly, yearly, never. */
  changefreq?: string;
}

export interface Sitemap {
  kind: 'urlset' | 'index' | 'text' | 'rss' | 'atom' | 'unknown';
  urls: SitemapUrl[];
  /** Locations of further sitemaps, of an index. */
  sitemaps: string[];
  /** True if a cap was reached: entries are missing. */
  truncated: boolean;
}

/** The protocol's caps: 50,000 entries and 50 MB uncompressed. */
const MAX_ENTRIES = 50_000;
const MAX_BYTES = 50 * 1024 * 1024;
const MAX_URL = 8192;
const MAX_FIELD = 16 * 1024;

/** Reads a sitemap or feed. `url` is its own location: relative ones in it are resolved against it. Gzip is undone, twice at
 * most (a `.gz` file that was also sent compressed). Never throws: what is no sitemap has kind `unknown`. */
export function parseSitemap(body: Uint8Array, options: { url: string; contentType?: string }): Sitemap {
  const result: Sitemap = { kind: 'unknown', urls: [], sitemaps: [], truncated: false };
  let bytes: Buffer = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  for (let layer = 0; layer < 2 && bytes[0] === 0x1f && bytes[1] === 0x8b; layer++) {
    const unzipped = gunzip(bytes);
    if (unzipped === null) return { ...result, truncated: true };
    bytes = unzipped;
  }
  if (bytes.length > MAX_BYTES) {
    bytes = bytes.subarray(0, MAX_BYTES);
    result.truncated = true;
  }
  const { charset, source, bomLength } = sniffCharset(bytes, options.contentType);
  const known = source === 'default' ? 'utf-8' : charset;
  const text = toUtf8(bytes.subarray(bomLength), known);
  const sink = new EntrySink(result, options.url);
  if (firstByte(text) === 0x3c) new SitemapScanner(text, sink).run();
  else readLines(text, sink, result.truncated);
  return result;
}

function gunzip(bytes: Buffer): Buffer | null {
  try {
    // sync flush: a file that was cut short is read as far as it goes
    return gunzipSync(bytes, { maxOutputLength: MAX_BYTES + 1024, finishFlush: zlib.Z_SYNC_FLUSH });
  } catch {
    return null;
  }
}

function firstByte(text: Buffer): number {
  let p = 0;
  while (p < text.length && text[p] <= 0x20) p++;
  return text[p] ?? 0;
}

/** One URL a line. Lines that are none are passed over.
 * @param isCut the last line may be half a one */
function readLines(text: Buffer, sink: EntrySink, isCut: boolean): void {
  for (let start = 0; start < text.length && !sink.full; ) {
    let end = text.indexOf(0x0a, start);
    if (end < 0 && isCut) return;
    if (end < 0) end = text.length;
    const line = text.utf8Slice(start, Math.min(end, start + MAX_URL)).trim();
    if (/^https?:\/\//i.test(line)) sink.add('text', line, {});
    else if (/^www\.[^\s/]+\.[^\s]+$/i.test(line)) sink.add('text', `http://${line}`, {});
    start = end + 1;
  }
}

interface Fields {
  loc?: string;
  lastmod?: string;
  priority?: string;
  changefreq?: string;
  /** A feed's second choice. */
  guid?: string;
  published?: string;
}

class EntrySink {
  readonly #result: Sitemap;
  readonly #base: string;

  constructor(result: Sitemap, base: string) {
    this.#result = result;
    this.#base = base;
  }

  get full(): boolean {
    return this.#result.truncated && this.#count >= MAX_ENTRIES;
  }
  get #count(): number {
    return this.#result.urls.length + this.#result.sitemaps.length;
  }

  setKind(kind: Sitemap['kind']): void {
    if (this.#result.kind === 'unknown') this.#result.kind = kind;
  }

  add(kind: Sitemap['kind'], location: string, fields: Fields): void {
    if (this.#count >= MAX_ENTRIES) {
      this.#result.truncated = true;
      return;
    }
    const url = this.#resolve(location);
    if (url === null) return;
    this.setKind(kind);
    if (kind === 'index') {
      this.#result.sitemaps.push(url);
      return;
    }
    const entry: SitemapUrl = { url };
    const lastmod = fields.lastmod ?? fields.published;
    if (lastmod) entry.lastmod = lastmod;
    const priority = fields.priority ? Number(fields.priority) : Number.NaN;
    if (priority >= 0 && priority <= 1) entry.priority = priority;
    const changefreq = fields.changefreq?.toLowerCase();
    if (changefreq && /^(?:always|hourly|daily|weekly|monthly|yearly|never)$/.test(changefreq))
      entry.changefreq = changefreq;
    this.#result.urls.push(entry);
  }

  /** Absolute http(s) URL without a fragment; its spelling is otherwise left alone. */
  #resolve(location: string): string | null {
    const hash = location.indexOf('#');
    const href = (hash < 0 ? location : location.slice(0, hash)).trim();
    if (href === '' || href.length > MAX_URL) return null;
    if (/^https?:\/\/[^\s/]/i.test(href)) return href;
    const url = parseUrl(href, this.#base);
    return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.href : null;
  }
}

/** Elements that hold one entry, and what kind of file has them. */
const CONTAINERS: Readonly<Record<string, Sitemap['kind']>> = {
  url: 'urlset',
  sitemap: 'index',
  item: 'rss',
  entry: 'atom',
};
const ROOTS: Readonly<Record<string, Sitemap['kind']>> = {
  urlset: 'urlset',
  sitemapindex: 'index',
  rss: 'rss',
  rdf: 'rss',
  feed: 'atom',
};
/** Which element of an entry is which field, by kind of file. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, keyof Fields>>>> = {
  urlset: { loc: 'loc', lastmod: 'lastmod', priority: 'priority', changefreq: 'changefreq' },
  index: { loc: 'loc', lastmod: 'lastmod' },
  rss: { link: 'loc', guid: 'guid', pubdate: 'lastmod' },
  atom: { updated: 'lastmod', published: 'published' },
};

class SitemapScanner {
  readonly #text: Buffer;
  readonly #sink: EntrySink;
  /** Prefix of the root (`sm:` of `sm:urlset`), which the file's own elements share. */
  #prefix = '';
  #container: string | null = null;
  #fields: Fields = {};
  #field: keyof Fields | null = null;
  #value = '';

  constructor(text: Buffer, sink: EntrySink) {
    this.#text = text;
    this.#sink = sink;
  }

  run(): void {
    const text = this.#text;
    const end = text.length;
    for (let p = 0; p < end && !this.#sink.full; ) {
      const lt = text.indexOf(0x3c, p);
      const stop = lt < 0 ? end : lt;
      if (this.#field !== null && stop > p) this.#append(decodeXML(text.utf8Slice(p, Math.min(stop, p + MAX_FIELD))));
      if (lt < 0) break;
      p = this.#markup(lt);
    }
    this.#dropField(); // the file was cut off inside of it, and half an address leads nowhere
    this.#endEntry();
  }

  #append(text: string): void {
    if (this.#value.length < MAX_FIELD) this.#value += text;
  }

  /** Handles the markup at `lt` and returns where it ends. */
  #markup(lt: number): number {
    const text = this.#text;
    const next = text[lt + 1];
    if (next === 0x21) {
      if (text.subarray(lt, lt + 9).latin1Slice() === '<![CDATA[') {
        const close = indexAfter(text, ']]>', lt + 9);
        if (this.#field !== null) {
          this.#append(
            text.utf8Slice(
              lt + 9,
              Math.min(close - (close < text.length || endsWithCdata(text) ? 3 : 0), lt + 9 + MAX_FIELD),
            ),
          );
        }
        return close;
      }
      return text[lt + 2] === 0x2d && text[lt + 3] === 0x2d
        ? indexAfter(text, '-->', lt + 4)
        : indexAfter(text, '>', lt);
    }
    if (next === 0x3f) return indexAfter(text, '?>', lt);
    const gt = text.indexOf(0x3e, lt);
    const end = gt < 0 ? text.length : gt + 1;
    this.#endField();
    if (next === 0x2f) this.#endTag(this.#localName(lt + 2));
    else this.#startTag(lt, end);
    return end;
  }

  /** The name at `at` in lower case, without the root's prefix; names with another prefix keep it. */
  #localName(at: number): string {
    const text = this.#text;
    let p = at;
    const stop = Math.min(text.length, at + 64);
    while (p < stop && text[p] > 0x20 && text[p] !== 0x3e && text[p] !== 0x2f) p++;
    const name = text.latin1Slice(at, p).toLowerCase();
    return this.#prefix !== '' && name.startsWith(this.#prefix) ? name.slice(this.#prefix.length) : name;
  }

  #startTag(lt: number, end: number): void {
    let name = this.#localName(lt + 1);
    const colon = name.indexOf(':');
    if (colon > 0 && Object.hasOwn(ROOTS, name.slice(colon + 1))) {
      const root = name.slice(colon + 1);
      // RSS 1.0 is the exception: rdf:RDF holds plain items
      if (root !== 'rdf') this.#prefix = name.slice(0, colon + 1);
      name = root;
    }
    if (Object.hasOwn(ROOTS, name)) this.#sink.setKind(ROOTS[name]);
    else if (Object.hasOwn(CONTAINERS, name)) {
      this.#endEntry();
      this.#container = name;
    } else if (this.#container !== null) {
      const kind = CONTAINERS[this.#container];
      if (kind === 'atom' && name === 'link') this.#atomLink(this.#text.utf8Slice(lt, Math.min(end, lt + MAX_FIELD)));
      else if (this.#text[end - 2] !== 0x2f && Object.hasOwn(FIELDS[kind], name)) this.#field = FIELDS[kind][name];
      if (name === 'guid' && /ispermalink\s*=\s*["']false/i.test(this.#text.latin1Slice(lt, Math.min(end, lt + 200)))) {
        this.#field = null;
      }
    }
  }

  /** The link of an entry to its page: `rel=alternate`, or no `rel`; the first such. */
  #atomLink(tag: string): void {
    const href = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(tag);
    const rel = /\srel\s*=\s*["']([^"']*)/i.exec(tag);
    if (href === null || (rel !== null && rel[1].trim().toLowerCase() !== 'alternate')) return;
    this.#fields.loc ??= decodeXML(href[1] ?? href[2]);
  }

  #endField(): void {
    if (this.#field === null) return;
    const value = this.#value.trim();
    if (value !== '') this.#fields[this.#field] ??= value;
    this.#dropField();
  }

  #dropField(): void {
    this.#field = null;
    this.#value = '';
  }

  #endTag(name: string): void {
    if (name === this.#container) this.#endEntry();
  }

  #endEntry(): void {
    this.#endField();
    if (this.#container !== null) {
      const location = this.#fields.loc ?? this.#fields.guid;
      if (location !== undefined) this.#sink.add(CONTAINERS[this.#container], location, this.#fields);
    }
    this.#container = null;
    this.#fields = {};
  }
}

function endsWithCdata(text: Buffer): boolean {
  return text.subarray(Math.max(0, text.length - 3)).latin1Slice() === ']]>';
}

/** Where `what` ends at or after `from`, or the end of the text. */
function indexAfter(text: Buffer, what: string, from: number): number {
  const at = text.indexOf(what, from, 'latin1');
  return at < 0 ? text.length : at + what.length;
}
