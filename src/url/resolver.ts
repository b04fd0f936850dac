/**
 * The links of one page, fast: `new URL` is asked only where a link needs it.
 *
 * A page has 120 links, and `new URL` alone costs 0.5 us each and then makes us scan its answer. Most links are made
 * of characters that the WHATWG parser leaves alone, start like one of five shapes, and name an authority that was met
 * before; those are concatenated. Everything else takes {@link NormalForm.parse}, and `test/url/resolver.test.ts`
 * holds the two ways against each other.
 */

import { parseUrl } from '../parse-url.js';
import { AUTHORITY_CLASS, FOREIGN, HASH, QUESTION, SLASH, URL_CLASS } from './characters.js';
import {
  LONGEST_INPUT,
  LONGEST_URL,
  type NormalForm,
  type NormalUrl,
  type Site,
  siteOf,
  type UrlRefusal,
} from './normal-form.js';
import { PERCENTS, SEMICOLONS, scanEnd, scanPath, scanQuery } from './scan.js';

const COLON = 0x3a;
const DOT = 0x2e;

export class LinkResolver {
  private readonly form: NormalForm;
  private readonly base: string | undefined;
  private readonly encode: ((href: string) => string) | undefined;
  /** The base, taken apart; null when there is none, or none that a link could be appended to. */
  private readonly site: Site | null = null;
  private readonly scheme: string = '';
  private readonly path: string = '';
  private readonly directory: string = '';
  /** Flags of the path: those of any directory of it are among them. */
  private readonly pathFlags: number = 0;
  /** The base itself, which every `#top` names. */
  private self: NormalUrl | UrlRefusal | undefined;
  private lastPrefix = '\0';
  private lastSite: Site | null = null;

  constructor(form: NormalForm, base: string | undefined, encode?: (href: string) => string) {
    this.form = form;
    this.encode = encode;
    const parsed = base === undefined || base.length > LONGEST_URL ? null : parseUrl(base);
    this.base = parsed?.href;
    if (parsed === null || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) return;
    this.scheme = parsed.protocol;
    this.site = siteOf(parsed);
    this.path = parsed.pathname;
    this.directory = this.path.slice(0, this.path.lastIndexOf('/') + 1);
    const flags = scanPath(this.path, 0);
    this.pathFlags = flags === FOREIGN ? PERCENTS | SEMICOLONS : flags;
  }

  resolve(link: string): NormalUrl | UrlRefusal {
    if (link.length > LONGEST_INPUT) return { url: null, reason: 'length' };
    const href = this.encode === undefined ? link : this.encode(link);
    return this.cheap(href) ?? this.form.parse(href, this.base);
  }

  /** The link resolved without a parse, or null when it takes one. */
  private cheap(href: string): NormalUrl | UrlRefusal | null {
    if (href === '') return this.itself();
    switch (href.charCodeAt(0)) {
      case 0x68: // h
        return this.absolute(href) ?? this.relative(href);
      case 0x2f: // /
        return href.charCodeAt(1) === 0x2f ? this.schemeRelative(href) : this.rooted(href);
      case 0x3f: // ?
        return this.queryAlone(href);
      case 0x23: // #
        return this.itself();
      default:
        return this.relative(href);
    }
  }

  private itself(): NormalUrl | UrlRefusal | null {
    if (this.site === null) return null;
    this.self ??= this.form.parse('#', this.base);
    return this.self;
  }

  private absolute(href: string): NormalUrl | null {
    // The link of the same site as the last absolute one needs no look-up.
    const last = this.lastPrefix.length;
    if (href.startsWith(this.lastPrefix) && (last === href.length || href.charCodeAt(last) === 0x2f)) {
      return this.lastSite === null ? null : this.onSite(this.lastSite, href, last);
    }
    const start = href.startsWith('https://') ? 8 : href.startsWith('http://') ? 7 : 0;
    if (start === 0) return null;
    const end = authorityEnd(href, start);
    if (end < 0) return null;
    const authority = this.form.authorityIn(href, start, end, authorityHash, start === 8 ? 'https:' : 'http:');
    this.lastPrefix = authority.prefix;
    this.lastSite = authority.site;
    return this.lastSite === null ? null : this.onSite(this.lastSite, href, end);
  }

  private schemeRelative(href: string): NormalUrl | null {
    if (this.site === null) return null;
    const end = authorityEnd(href, 2);
    const site = end < 0 ? null : this.form.authorityIn(href, 2, end, authorityHash, this.scheme).site;
    return site === null ? null : this.onSite(site, href, end);
  }

  private rooted(href: string): NormalUrl | null {
    return this.site === null ? null : this.onSite(this.site, href, 0);
  }

  /** `href` goes on with a path, a query or nothing from `start`. */
  private onSite(site: Site, href: string, start: number): NormalUrl | null {
    const slash = href.charCodeAt(start) === 0x2f;
    const flags = scanPath(href, start);
    if (flags === FOREIGN || scanEnd - start + site.fetchOrigin.length >= LONGEST_URL) return null;
    const rest = start === 0 && scanEnd === href.length ? href : href.slice(start, scanEnd);
    const queryAt = scanQuery < 0 ? -1 : scanQuery - start;
    if (slash) return this.form.finish(site, rest, queryAt, flags);
    return this.form.finish(site, `/${rest}`, queryAt < 0 ? -1 : queryAt + 1, flags);
  }

  /** A query alone: the path is the base's. */
  private queryAlone(href: string): NormalUrl | null {
    const flags = this.site === null ? FOREIGN : scanPath(href, 0);
    if (this.site === null || flags === FOREIGN || !this.fits(this.path.length + scanEnd)) return null;
    return this.form.finish(this.site, this.path + href.slice(0, scanEnd), this.path.length, flags | this.pathFlags);
  }

  private fits(length: number): boolean {
    return this.site !== null && this.site.fetchOrigin.length + length <= LONGEST_URL;
  }

  /** A path without a leading slash: appended to the base's directory, `./` and `../` taken off first. */
  private relative(href: string): NormalUrl | null {
    if (this.site === null || startsLikeScheme(href)) return null;
    let start = 0;
    let directory = this.directory;
    while (href.charCodeAt(start) === DOT) {
      if (href.charCodeAt(start + 1) === 0x2f) {
        start += 2;
      } else if (href.startsWith('../', start)) {
        start += 3;
        // The root is its own parent.
        if (directory.length > 1) directory = directory.slice(0, directory.lastIndexOf('/', directory.length - 2) + 1);
      } else break;
    }
    const flags = scanPath(href, start, true);
    if (flags === FOREIGN || !this.fits(scanEnd - start + directory.length)) return null;
    const rest = directory + href.slice(start, scanEnd);
    const queryAt = scanQuery < 0 ? -1 : scanQuery - start + directory.length;
    return this.form.finish(this.site, rest, queryAt, flags | this.pathFlags);
  }
}

/** Characters of an authority that is remembered: those of the longest name and a port. */
const LONGEST_AUTHORITY = 260;

/** The hash of the characters that the last {@link authorityEnd} went over. */
let authorityHash = 0;

/** Where the authority that starts at `start` ends, or -1 when it is anything but a lower-case name and a port, or longer than
 * any that DNS can hold. */
function authorityEnd(href: string, start: number): number {
  let i = start;
  let hash = 0;
  for (; i < href.length; i++) {
    const code = href.charCodeAt(i);
    if (code > 127 || i - start >= LONGEST_AUTHORITY) return -1;
    if (AUTHORITY_CLASS[code] === 1) {
      hash = (Math.imul(hash, 31) + code) | 0;
      continue;
    }
    authorityHash = hash;
    return i > start && (code === 0x2f || code === 0x3f || code === 0x23) ? i : -1;
  }
  authorityHash = hash;
  return i > start ? i : -1;
}

/** Is there a colon in the first segment? `mailto:x` is another scheme, and `a:b` is left to the parser too. */
function startsLikeScheme(href: string): boolean {
  for (let i = 0; i < href.length; i++) {
    const code = href.charCodeAt(i);
    if (code === COLON) return true;
    if (code > 127) return true;
    const kind = URL_CLASS[code];
    if (kind === SLASH || kind === QUESTION || kind === HASH) return false;
  }
  return false;
}
