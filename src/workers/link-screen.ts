/** From what a page says to packed links: resolved, normalised, screened for scope and shape, keyed. */
import { refusedPort } from '../fetch/address-guard.js';
import type { RedirectTarget } from '../frontier/report.js';
import type { LinkList } from '../parse/links.js';
import { LinkFlag as Rel } from '../parse/links.js';
import type { Sitemap } from '../parse/sitemap.js';
import { domainOf } from '../url/domain.js';
import { UrlKeyer } from '../url/key.js';
import { createNormalizer, type Normalizer } from '../url/normalize.js';
import { LinkFlag, LinkPacker } from '../url/packed-links.js';
import { compileScope, type Scope, type SeedPlace } from '../url/scope.js';
import { screen } from '../url/screen.js';
import { TrapGuards } from '../url/traps.js';
import type { WorkerSettings } from './messages.js';

/** `nofollow`, `ugc` and `sponsored` links are not followed (DESIGN 6). */
const UNWANTED = Rel.nofollow | Rel.ugc | Rel.sponsored;
const FOLLOWED = Rel.anchor | Rel.area | Rel.frame | Rel.canonical | Rel.alternate | Rel.next | Rel.prev | Rel.refresh;

/** What became of the links of one page. */
export interface Screened {
  from: number;
  to: number;
  refused: Record<string, number> | null;
  /** Of the others: parameters that were removed, by the names that the options give them. */
  removed: Record<string, number> | null;
}

export class LinkScreen {
  readonly packer = new LinkPacker();
  readonly #normalizer: Normalizer;
  readonly #keyer: UrlKeyer;
  readonly #scope: Scope;
  readonly #traps: TrapGuards;
  #refused: Record<string, number> | null = null;
  #removed: Record<string, number> | null = null;

  constructor(settings: Pick<WorkerSettings, 'keyOptions' | 'secret' | 'scope' | 'traps'>) {
    this.#normalizer = createNormalizer(settings.keyOptions);
    this.#keyer = new UrlKeyer(settings.secret);
    this.#scope = compileScope(settings.scope.rules, settings.scope.fallback, settings.secret);
    this.#traps = new TrapGuards(settings.secret, settings.traps);
  }

  /** What these seeds stand for, or where a seed led, is in scope from now on. */
  widen(seeds: readonly SeedPlace[]): void {
    for (const seed of seeds) this.#scope.extend(seed);
  }

  /** The links of a page. @param base what they are resolved against */
  page(links: LinkList, base: string, charset: string): Screened {
    const from = this.#begin();
    const resolver = this.#normalizer.resolver(base, charset);
    for (let i = 0; i < links.hrefs.length; i++) {
      const flags = links.flags[i];
      if (flags & UNWANTED) this.#refuse('nofollow');
      else if (flags & FOLLOWED && !(flags & Rel.feed)) this.#add(resolver.resolve(links.hrefs[i]), 0, null);
    }
    return this.#end(from);
  }

  /** The entries of a sitemap: only of its own site (sitemaps.org, "Sitemap file location"). */
  sitemap(sitemap: Sitemap, url: string): Screened {
    const from = this.#begin();
    const resolver = this.#normalizer.resolver(url);
    const own = this.#normalizer.normalize(url);
    const site = own.url === null ? '' : domainOf(own.host);
    const add = (href: string, flags: number, priority: number | null): void => {
      const entry = resolver.resolve(href);
      if (entry.url !== null && domainOf(entry.host) !== site) this.#refuse('sitemap-host');
      else this.#add(entry, flags, priority);
    };
    for (const entry of sitemap.urls) add(entry.url, 0, entry.priority ?? null);
    for (const child of sitemap.sitemaps) add(child, LinkFlag.sitemap, null);
    return this.#end(from);
  }

  /** The target of a redirect, or null if it is no http(s) URL. */
  redirect(location: string, base: string, setCookies: readonly string[]): RedirectTarget | null {
    const to = this.#normalizer.normalize(location, base);
    if (to.url === null) return null;
    this.#keyer.hash(to.url);
    return {
      keyHi: this.#keyer.hi,
      keyLo: this.#keyer.lo,
      to,
      inScope: this.#scope.verdict(to).accept,
      trap: this.#traps.check(to, 0) ?? refusedPort(to.origin),
      cookie: to.fetch === base ? cookieOf(setCookies) : null,
    };
  }

  #begin(): number {
    this.#refused = this.#removed = null;
    return this.packer.count;
  }

  #end(from: number): Screened {
    return { from, to: this.packer.count, refused: this.#refused, removed: this.#removed };
  }

  #add(url: ReturnType<Normalizer['normalize']>, flags: number, priority: number | null): void {
    if (url.url === null) {
      this.#refuse(url.reason);
      return;
    }
    const reason = screen(url, this.#scope, this.#traps, (flags & LinkFlag.sitemap) !== 0) ?? refusedPort(url.origin);
    if (reason !== null) {
      this.#refuse(reason);
      return;
    }
    if (url.removed.length > 0) this.#remove(url.removed);
    this.#keyer.hash(url.url);
    const { hi, lo, bytes } = this.#keyer;
    // most URLs are requested in their normal form, which has just been hashed
    if (url.fetch === url.url && flags === 0 && priority === null) this.packer.addBytes(hi, lo, bytes, url.url.length);
    else this.packer.add(hi, lo, url.fetch, flags, priority);
  }

  #remove(names: readonly string[]): void {
    this.#removed ??= Object.create(null) as Record<string, number>;
    for (const name of names) this.#removed[name] = (this.#removed[name] ?? 0) + 1;
  }

  #refuse(reason: string): void {
    this.#refused ??= Object.create(null) as Record<string, number>;
    this.#refused[reason] = (this.#refused[reason] ?? 0) + 1;
  }
}

const MAX_COOKIE = 4096;

/** The Cookie header that answers these Set-Cookie headers, or null. */
function cookieOf(setCookies: readonly string[]): string | null {
  const pairs = setCookies.map((line) => line.split(';', 1)[0].trim()).filter((pair) => pair.includes('='));
  const cookie = pairs.join('; ');
  return cookie === '' || cookie.length > MAX_COOKIE ? null : cookie;
}
