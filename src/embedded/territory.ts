/** What a crawl may touch: normal forms and keys, scope, trap guards, the address guard, and the seeds that draw it. */
import type { CrawlOptions } from '../crawl-options.js';
import { type AddressGuard, createGuard, refusedPort } from '../fetch/address-guard.js';
import { UrlKeyer } from '../url/key.js';
import { createNormalizer, type NormalUrl, type UrlRefusal } from '../url/normalize.js';
import { compileScope, type Scope, type ScopeRule, scopeFor } from '../url/scope.js';
import { screen } from '../url/screen.js';
import { TrapGuards } from '../url/traps.js';
import { type Blocklist, readBlocklists } from './blocklist.js';
import type { Identity } from './identity.js';
import { keyOptions, trapLimits } from './parts.js';

export interface Territory {
  /** All seeds so far, and the sitemaps of `--sitemap`. */
  seeds: NormalUrl[];
  /** Those of this run. */
  given: NormalUrl[];
  sitemaps: NormalUrl[];
  scope: Scope;
  /** As it was before seeds widened it: what page workers start from, with `scope.rules`. */
  rules: { rules: ScopeRule[]; fallback: 'accept' | 'reject' };
  guard: AddressGuard;
  traps: TrapGuards;
  /** Hosts of which nothing is fetched, from files; null without any. */
  isListed: Blocklist | null;
  normalize(url: string, base?: string): NormalUrl | UrlRefusal;
  keyOf(normal: string): [keyHi: number, keyLo: number];
  /** Name of what refuses a URL, or null: scope, shape, port. */
  refuses(url: NormalUrl): string | null;
}

export function survey(options: CrawlOptions, who: Identity): Territory {
  const { config } = options;
  const normalizer = createNormalizer(keyOptions(config));
  const given = (urls: readonly string[]): NormalUrl[] =>
    urls.map((url) => normalizer.normalize(url)).filter((url): url is NormalUrl => url.url !== null);
  const byNormalForm = new Map<string, NormalUrl>();
  for (const seed of given([...who.seeds, ...options.seeds])) {
    if (!byNormalForm.has(seed.url)) byNormalForm.set(seed.url, seed); // the first spelling is the one that is fetched
  }
  const seeds = [...byNormalForm.values()];
  const rules = scopeFor({ scope: config.scope, seeds, include: config.include, exclude: config.exclude });
  const scope = compileScope(rules.rules, rules.fallback);
  for (const url of given(who.widened)) scope.extend(url);
  const keyer = new UrlKeyer(who.secret);
  const guard = createGuard({ allowPrivate: config.allowPrivate });
  const traps = new TrapGuards(who.secret, trapLimits(config));
  return {
    seeds,
    given: [...new Set(given(options.seeds).map(({ url }) => byNormalForm.get(url)!))],
    sitemaps: given(config.sitemap),
    scope,
    rules,
    guard,
    traps,
    isListed: readBlocklists(config.blocklist),
    normalize: (url, base) => normalizer.normalize(url, base),
    keyOf: (normal) => {
      keyer.hash(normal);
      return [keyer.hi, keyer.lo];
    },
    refuses: (url) => screen(url, scope, traps) ?? refusedPort(url.origin),
  };
}

/** Counts the query of a URL that is about to become known; true if its path has too many. */
export function tooManyQueries(traps: TrapGuards, fetchForm: string): boolean {
  const url = { url: fetchForm };
  if (traps.queriesOf(url) >= traps.limits.queries) return true;
  traps.count(url);
  return false;
}
