/**
 * The normal form of a URL, and the form that is fetched (DESIGN section 5; `docs/urls.md`).
 *
 * The WHATWG URL Standard decides what a URL is. On top of it the normal form drops what does not tell pages apart;
 * it is only ever compared and hashed. What is requested keeps its own slash and its own order.
 */

import { parseUrl } from '../parse-url.js';
import { FOREIGN } from './characters.js';
import type { KeyOptions } from './options.js';
import { ParameterRules } from './parameters.js';
import { normalizePercent } from './percent.js';
import { PERCENTS, SEMICOLONS, scanPath } from './scan.js';

export interface NormalUrl {
  /** The normal form. Two URLs with the same one are the same page. ASCII. */
  readonly url: string;
  /** What is requested: as the WHATWG parser serialises it, without fragment, credentials and removed parameters. */
  readonly fetch: string;
  /** Host name, lower case, no trailing dot, no port; IPv6 in brackets. */
  readonly host: string;
  /** `scheme://host[:port]`, the unit of robots.txt. */
  readonly origin: string;
  /** Names of the removed parameters as the options write them (`utm_*`, `;jsessionid`), one entry per removal. */
  readonly removed: readonly string[];
}

/** Why something is not a URL that we crawl. `syntax`: the WHATWG parser refuses it. `scheme`: not http or https.
 * `host`: a name with an empty last label (`a.com..`), which no DNS can hold. `length`: over {@link LONGEST_INPUT}
 * or {@link LONGEST_URL}. */
export type RefusalReason = 'syntax' | 'scheme' | 'host' | 'length';

export interface UrlRefusal {
  readonly url: null;
  readonly reason: RefusalReason;
  /** The WHATWG serialisation, where there is one. */
  readonly href?: string;
}

/** Code units of a link that are looked at at all. Generous: fragments can be long and are dropped. */
export const LONGEST_INPUT = 65_536;
/** Characters of a resolved URL. Well over the trap guard's 1,000, so that the guard's own counter tells the story;
 * it bounds the work that a page with a huge base and a million tiny links can cause. */
export const LONGEST_URL = 4_096;

/** Everything of a URL before its path, parsed once. */
export interface Site {
  readonly host: string;
  readonly origin: string;
  /** The origin as it is requested: a trailing dot of the host stays. */
  readonly fetchOrigin: string;
}

/** Authorities that are remembered; a page names few. */
const AUTHORITIES = 4_096;

/** An authority as links spell it. */
export interface Authority {
  readonly scheme: string;
  readonly text: string;
  /** `scheme//text` */
  readonly prefix: string;
  /** Null when only a whole parse can tell what is wrong with it. */
  readonly site: Site | null;
}
const NOTHING: readonly string[] = Object.freeze([]);

/** The rules of the normal form, apart from how a link is resolved. Used by {@link LinkResolver}. */
export class NormalForm {
  private readonly rules: ParameterRules;
  /** Those met last, by their hashes: a look-up makes no string, and needs none that was hashed before. */
  private readonly authorities = new Array<Authority | undefined>(AUTHORITIES).fill(undefined);

  constructor(options: KeyOptions) {
    this.rules = new ParameterRules(options);
  }

  /** The authority from `start` to `end` of a link.
   * @param scheme with its colon
   * @param hash of these characters */
  authorityIn(link: string, start: number, end: number, hash: number, scheme: string): Authority {
    const at = hash & (AUTHORITIES - 1);
    const known = this.authorities[at];
    if (
      known !== undefined &&
      known.text.length === end - start &&
      known.scheme === scheme &&
      link.startsWith(known.text, start)
    ) {
      return known;
    }
    // a string of its own: a slice would keep the whole link alive, which may have 64 KB
    const text = Buffer.from(link.slice(start, end), 'latin1').latin1Slice();
    const prefix = `${scheme}//${text}`;
    const met = { scheme, text, prefix, site: siteOf(parseUrl(prefix)) };
    this.authorities[at] = met;
    return met;
  }

  /** The whole way: what the cheap path of {@link LinkResolver} must agree with. */
  parse(input: string, base: string | undefined): NormalUrl | UrlRefusal {
    const url = parseUrl(input, base);
    if (url === null) return { url: null, reason: 'syntax' };
    const site = describeSite(url);
    const href = url.href;
    if (typeof site === 'string') return { url: null, reason: site, href };
    // In a serialised http(s) URL the path starts at the third slash, and the first `#` starts the fragment.
    const start = href.indexOf('/', href.indexOf('//') + 2);
    const hash = href.indexOf('#', start);
    const rest = hash < 0 ? href.slice(start) : href.slice(start, hash);
    if (site.fetchOrigin.length + rest.length > LONGEST_URL) return { url: null, reason: 'length', href };
    const flags = scanPath(rest, 0);
    // FOREIGN: characters that the parser leaves raw in a query (`{`, `^`) and the normal form encodes.
    return this.finish(site, rest, rest.indexOf('?'), flags === FOREIGN ? PERCENTS | SEMICOLONS : flags);
  }

  /**
   * @param rest path and query as the WHATWG parser serialises them
   * @param queryAt index of the first `?` in `rest`, or -1
   * @param flags which of {@link PERCENTS} and {@link SEMICOLONS} may occur
   */
  finish(site: Site, rest: string, queryAt: number, flags: number): NormalUrl {
    if ((flags & SEMICOLONS) !== 0) {
      const path = queryAt < 0 ? rest : rest.slice(0, queryAt);
      this.rules.path(path);
      if (this.rules.removed.length > 0)
        return this.withoutPathParameters(site, queryAt < 0 ? '' : rest.slice(queryAt));
    }
    const normal = (flags & PERCENTS) !== 0 ? normalizePercent(rest) : rest;
    if (queryAt < 0) {
      const url = site.origin + trimSlash(normal);
      const fetch =
        site.origin === site.fetchOrigin && url.length === site.origin.length + rest.length && normal === rest;
      return {
        url,
        fetch: fetch ? url : site.fetchOrigin + rest,
        host: site.host,
        origin: site.origin,
        removed: NOTHING,
      };
    }
    const normalQueryAt = normal === rest ? queryAt : normal.indexOf('?');
    const rules = this.rules;
    rules.query(rest.slice(queryAt + 1), normal.slice(normalQueryAt + 1));
    const path = trimSlash(normal.slice(0, normalQueryAt));
    let fetch = site.fetchOrigin + rest;
    if (rules.removed.length > 0) {
      const bare = site.fetchOrigin + rest.slice(0, queryAt);
      fetch = rules.raw === '' ? bare : `${bare}?${rules.raw}`;
    }
    let url = fetch;
    if (normal !== rest || rules.changed || path.length !== queryAt || site.origin !== site.fetchOrigin) {
      url = rules.normal === '' ? site.origin + path : `${site.origin}${path}?${rules.normal}`;
    }
    return { url, fetch, host: site.host, origin: site.origin, removed: rules.removed };
  }

  /** `/a/..;jsessionid=X/b` has a dot segment only once the session is gone, so the path is parsed again. Removal
   * never makes another parameter, so this happens once. */
  private withoutPathParameters(site: Site, query: string): NormalUrl {
    const removed = this.rules.removed;
    const path = parseUrl(site.fetchOrigin + this.rules.raw)!.pathname;
    const url = this.finish(site, path + query, query === '' ? -1 : path.length, PERCENTS);
    return { ...url, removed: [...removed, ...url.removed] };
  }
}

/** One trailing slash says nothing about a page. Several are another path (`/a//`): trimming one of them would give
 * a form that is not its own normal form, and trimming all would join what servers keep apart. */
function trimSlash(path: string): string {
  const last = path.length - 1;
  return last > 0 && path.charCodeAt(last) === 0x2f && path.charCodeAt(last - 1) !== 0x2f ? path.slice(0, last) : path;
}

/** The site of a URL without credentials, or null if it has none that we crawl. */
export function siteOf(url: URL | null): Site | null {
  const found = url === null ? 'syntax' : describeSite(url);
  return typeof found === 'string' ? null : found;
}

function describeSite(url: URL): Site | RefusalReason {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'scheme';
  const fetchOrigin = `${url.protocol}//${url.host}`;
  const host = url.hostname;
  if (!host.endsWith('.')) return { host, origin: fetchOrigin, fetchOrigin };
  // A root dot makes the same name. Before a second one is an empty label: `1.1..` is not a name, nor an address.
  const name = host.slice(0, -1);
  if (name === '' || name.endsWith('.')) return 'host';
  const port = url.port === '' ? '' : `:${url.port}`;
  return { host: name, origin: `${url.protocol}//${name}${port}`, fetchOrigin };
}
