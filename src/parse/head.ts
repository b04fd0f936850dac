/** What `meta`, `link` and `base` say about a page, wherever on it they stand. */

import { parseUrl } from '../parse-url.js';
import { Attr } from './elements.js';
import { LinkFlag, relFlags } from './links.js';
import { addJsonLd, addMeta, MAX_SCRIPT_BYTES, MAX_SCRIPTS, type PageMetadata } from './metadata.js';
import { parseRefresh, type Refresh } from './refresh.js';
import { applyDirectives, defaultRobots, type PageRobots } from './robots-meta.js';
import type { HeadVisitor, PageScan } from './scan.js';

/** Kinds of `link` that are kept. */
const KEPT = LinkFlag.canonical | LinkFlag.alternate | LinkFlag.next | LinkFlag.prev | LinkFlag.amphtml;

export class HeadCollector implements HeadVisitor {
  readonly robots: PageRobots = defaultRobots();
  readonly aiPreferences: string[] = [];
  /** First canonical as written. */
  canonical: string | null = null;
  /** First refresh that goes elsewhere: a page that reloads itself has none. */
  refresh: Refresh | null = null;
  /** `content-language` of a meta. */
  language: string | null = null;
  base: string;
  /** What `meta` and JSON-LD declare, if it is wanted. */
  readonly metadata: PageMetadata | null;
  readonly #scripts: string[] = [];
  readonly #agent: string | undefined;
  #hasBase = false;

  constructor(url: string, agent: string | undefined, wantsMetadata: boolean) {
    this.base = url;
    this.metadata = wantsMetadata ? {} : null;
    this.#agent = agent?.toLowerCase();
  }

  /** `href` against the base, or null if it is no http(s) URL. */
  resolve(href: string | null): string | null {
    if (href === null) return null;
    const url = parseAgainst(href, this.base);
    return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
  }

  /** The first `base` that has an `href` is the base, if it is a URL; `data:` and `javascript:` are none (4.2.3). */
  baseTag(scan: PageScan): void {
    if (this.#hasBase || scan.noscript) return;
    const href = scan.attribute(Attr.href);
    if (href === null) return;
    const url = parseAgainst(href, this.base);
    if (url === null || url.protocol === 'data:' || url.protocol === 'javascript:') return;
    this.#hasBase = true;
    this.base = url.href;
  }

  link(scan: PageScan): void {
    const rel = scan.attribute(Attr.rel);
    if (rel === null) return;
    const flags = relFlags(rel);
    if ((flags & KEPT) === 0) return;
    const href = scan.attribute(Attr.href);
    if (href === null) return;
    const type = flags & LinkFlag.alternate ? scan.attribute(Attr.type) : null;
    const isFeed = type !== null && /^application\/(?:rss|atom)\+xml\b/i.test(type);
    const index = scan.addLink(href, isFeed ? flags | LinkFlag.feed : flags);
    if (flags & LinkFlag.canonical && href.trim() !== '') this.canonical ??= href;
    const hreflang = scan.attribute(Attr.hreflang);
    if (index >= 0 && hreflang !== null) scan.links.hreflangs.set(index, hreflang);
  }

  meta(scan: PageScan): void {
    const content = scan.attribute(Attr.content);
    if (content === null) return;
    const pragma = scan.attribute(Attr['http-equiv'])?.toLowerCase();
    if (pragma === 'refresh') {
      if (this.refresh === null && !scan.noscript) this.#setRefresh(scan, content);
    } else if (pragma === 'content-language') this.language ??= content.trim() || null;
    const name = scan.attribute(Attr.name)?.trim().toLowerCase();
    if (this.metadata !== null) this.#addMetadata(this.metadata, scan, name, content);
    if (name === undefined) return;
    if (name === 'robots' || (this.#agent !== undefined && name === this.#agent)) {
      applyDirectives(this.robots, content, this.aiPreferences);
    } else if (name === 'tdm-reservation' || name === 'tdm-policy') {
      this.aiPreferences.push(`${name}=${content.trim().slice(0, 1000)}`);
    }
  }

  #addMetadata(metadata: PageMetadata, scan: PageScan, name: string | undefined, content: string): void {
    const key = scan.attribute(Attr.property) ?? name ?? scan.attribute(Attr.itemprop);
    if (key !== null && key !== undefined) addMeta(metadata, key.trim().toLowerCase(), content);
  }

  jsonLd(scan: PageScan, start: number, end: number): void {
    if (this.metadata === null || this.#scripts.length >= MAX_SCRIPTS || end - start > MAX_SCRIPT_BYTES) return;
    this.#scripts.push(scan.tokens.bytes.utf8Slice(start, end));
  }

  /** The metadata of the whole page: `meta` first, JSON-LD where it is silent. */
  finishMetadata(): PageMetadata | undefined {
    if (this.metadata === null) return undefined;
    for (const script of this.#scripts) addJsonLd(this.metadata, script);
    return this.metadata;
  }

  #setRefresh(scan: PageScan, content: string): void {
    const refresh = parseRefresh(content);
    if (refresh === null || refresh.url === null) return;
    this.refresh = refresh;
    scan.addLink(refresh.url, LinkFlag.refresh);
  }
}

/** `href` against `base`, or by itself if the base is no URL; null if it is none. */
function parseAgainst(href: string, base: string): URL | null {
  return parseUrl(href, base) ?? parseUrl(href);
}
