/** Seeds into a crawl: normalised, screened, and checked for what a crawl beyond this machine needs. */
import type { CrawlOptions } from '../crawl-options.js';
import type { Resolver } from '../engines/ports.js';
import { UserError } from '../errors.js';
import { refusedPort } from '../fetch/address-guard.js';
import type { NormalUrl } from '../url/normalize.js';
import type { Identity } from './identity.js';
import type { OpenedCrawl } from './open.js';
import { checkSeedReach } from './reach.js';
import type { Territory } from './territory.js';

/** Asked before anything is begun.
 * @throws UserError (usage) for seeds that may not join this crawl, or that it may not reach */
export async function checkSeeds(
  who: Identity,
  land: Territory,
  resolver: Resolver,
  options: CrawlOptions,
): Promise<void> {
  const stranger = land.seeds[who.seeds.length]; // those of earlier runs come first
  if (!who.isNew && stranger !== undefined && !options.add) {
    throw new UserError(
      `${options.dir} holds a crawl with other seeds (${stranger.fetch} is not one of them): give --add to let new ` +
        'seeds join it, or another --dir.',
      2,
    );
  }
  await checkSeedReach(resolver, options, land.seeds);
}

/** Admits the seeds (and the sitemaps of `--sitemap`) that are not known yet. */
export function plantSeeds(opened: OpenedCrawl): void {
  const { land } = opened;
  for (const seed of land.seeds) plant(opened, seed, 'page');
  for (const seed of land.sitemaps) plant(opened, seed, 'sitemap');
}

function plant({ admission, land, crawl, batches }: OpenedCrawl, seed: NormalUrl, kind: 'page' | 'sitemap'): void {
  // seeds are in scope by what they are; the shape guards and the port policy hold for them too
  const refusal = land.traps.check(seed, 0) ?? refusedPort(seed.origin);
  if (refusal !== null) {
    admission.refusals.count(refusal);
    return;
  }
  const [keyHi, keyLo] = land.keyOf(seed.url);
  const place = { depth: 0, hops: 0, via: -1, level: kind === 'page' ? 0 : 1, priority: null, seed: true };
  admission.admit({ keyHi, keyLo, url: seed.fetch, kind, ...place }, false, crawl.now(), batches.open);
}
