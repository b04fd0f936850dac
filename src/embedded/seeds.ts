/** Seeds into a crawl: normalised, screened, and checked for what a crawl beyond this machine needs. */
import type { CrawlOptions } from '../crawl-options.js';
import { UserError } from '../errors.js';
import { refusedPort } from '../fetch/address-guard.js';
import type { NormalUrl } from '../url/normalize.js';
import type { OpenedCrawl } from './open.js';
import { checkSeedReach } from './reach.js';

/** Admits the seeds (and the sitemaps of `--sitemap`) that are not known yet. */
export async function plantSeeds(opened: OpenedCrawl, options: CrawlOptions): Promise<void> {
  const { admission, isNew, land } = opened;
  await checkSeedReach(opened.resolver, options, land.seeds);
  const fresh = land.seeds.filter((seed) => admission.find(...land.keyOf(seed.url)) < 0);
  if (!isNew && fresh.length > 0 && !options.add) {
    throw new UserError(
      `${options.dir} holds a crawl with other seeds (${fresh[0].fetch} is not one of them): give --add to let new ` +
        'seeds join it, or another --dir.',
      2,
    );
  }
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
