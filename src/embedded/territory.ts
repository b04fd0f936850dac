/** What a crawl may touch: normal forms and keys, scope, trap guards, the address guard, and the seeds that draw it. */

import type { UrlRow } from '../changes.js';
import { keyOptions } from '../corpus/normal-forms.js';
import type { CrawlOptions } from '../crawl-options.js';
import { UserError } from '../errors.js';
import { type AddressGuard, createGuard, refusedPort } from '../fetch/address-guard.js';
import type { OwnSocket } from '../fetch/own-sockets.js';
import { UrlKeyer } from '../url/key.js';
import { createNormalizer, type NormalUrl, type UrlRefusal } from '../url/normalize.js';
import { ownScopeRules } from '../url/own-rules.js';
import { compileScope, type Scope, ScopeError, scopeFor } from '../url/scope.js';
import { screen } from '../url/screen.js';
import { TrapGuards } from '../url/traps.js';
import { type Blocklist, readBlocklists } from './blocklist.js';
import type { Identity } from './identity.js';
import { trapLimits } from './parts.js';

export interface Territory {
  /** Those of `--sitemap`. */
  sitemaps: NormalUrl[];
  scope: Scope;
  /** What a URL gets that no rule of the scope decides on. */
  fallback: 'accept' | 'reject';
  guard: AddressGuard;
  /** Sockets of ours, that nothing leads to: the guard knows them. */
  own: readonly OwnSocket[];
  /** A range was opened with `--allow-private`. */
  hasOpenings: boolean;
  traps: TrapGuards;
  /** Hosts of which nothing is fetched, from files; null without any. */
  isListed: Blocklist | null;
  normalize(url: string, base?: string): NormalUrl | UrlRefusal;
  /** Those that have a normal form. */
  given(urls: readonly string[]): NormalUrl[];
  keyOf(normal: string): [keyHi: number, keyLo: number];
  /** Name of what refuses a URL, or null: scope, shape, port. */
  refuses(url: NormalUrl): string | null;
  refusesSitemap(url: NormalUrl): string | null;
  /** The same of a seed, which is in scope by what it is. */
  refusesSeed(seed: NormalUrl): string | null;
}

/** @param own sockets of ours, that nothing leads to */
export function survey(options: CrawlOptions, who: Identity, own: readonly OwnSocket[]): Territory {
  const { config } = options;
  const normalizer = createNormalizer(keyOptions(config));
  const given = (urls: readonly string[]): NormalUrl[] =>
    urls.map((url) => normalizer.normalize(url)).filter((url): url is NormalUrl => url.url !== null);
  // seeds draw it as they are admitted, or read from their rows
  const { rules, fallback } = scopeFor({
    scope: config.scope,
    seeds: [],
    own: ownScopeRules(config.rules),
    include: config.include,
    exclude: config.exclude,
  });
  const scope = compiled(rules, fallback, who.secret);
  for (const url of given([...who.seeds, ...who.widened])) scope.extend(url);
  const keyer = new UrlKeyer(who.secret);
  const guard = createGuard({ allowPrivate: config.allowPrivate, refuse: own });
  const traps = new TrapGuards(who.secret, trapLimits(config));
  return {
    sitemaps: given(config.sitemap),
    scope,
    fallback,
    ...{ guard, own, hasOpenings: config.allowPrivate.length > 0 },
    traps,
    isListed: readBlocklists(config.blocklist),
    given,
    normalize: (url, base) => normalizer.normalize(url, base),
    keyOf: (normal) => {
      keyer.hash(normal);
      return [keyer.hi, keyer.lo];
    },
    refusesSeed: (seed) => traps.check(seed, 0) ?? refusedPort(seed.origin),
    refuses: (url) => screen(url, scope, traps) ?? refusedPort(url.origin),
    refusesSitemap: (url) => screen(url, scope, traps, true) ?? refusedPort(url.origin),
  };
}

/** Counts the query of a URL that an earlier run admitted. Those of seeds were not counted. */
export function countQuery(traps: TrapGuards, { url, depth }: Pick<UrlRow, 'url' | 'depth'>): void {
  if (depth > 0) traps.count({ url });
}

/** @throws UserError (usage) for a rule that cannot be used */
function compiled(...of: Parameters<typeof compileScope>): Scope {
  try {
    return compileScope(...of);
  } catch (error) {
    if (!(error instanceof ScopeError)) throw error;
    throw new UserError(`A rule of the configuration cannot be used: ${error.message}.`, 2, { cause: error });
  }
}

/** Counts the query of a URL that is about to become known; true if its path has too many. */
export function tooManyQueries(traps: TrapGuards, fetchForm: string): boolean {
  const url = { url: fetchForm };
  if (traps.queriesOf(url) >= traps.limits.queries) return true;
  traps.count(url);
  return false;
}
