/** Seeds into a crawl: normalised, screened, and checked for what a crawl beyond this machine needs. */
import type { CrawlOptions } from '../crawl-options.js';
import { UserError } from '../errors.js';
import type { NormalUrl } from '../url/normalize.js';
import type { OpenedCrawl } from './open.js';
import { checkSeedReach, guardPort } from './reach.js';

/** Admits the seeds (and the sitemaps of `--sitemap`) that are not known yet. */
export async function plantSeeds(opened: OpenedCrawl, options: CrawlOptions): Promise<void> {
  const { seeds, admission, isNew } = opened;
  await checkSeedReach(opened.resolver, options, seeds);
  const now = opened.crawl.now();
  const changes = opened.batches.open;
  const fresh = seeds.filter((seed) => admission.find(...opened.keyOf(seed.url)) < 0);
  if (!isNew && fresh.length > 0 && !options.add) {
    throw new UserError(
      `${options.dir} holds a crawl with other seeds (${fresh[0].fetch} is not one of them): give --add to let new ` +
        'seeds join it, or another --dir.',
      2,
    );
  }
  for (const [kind, urls] of [
    ['page', seeds],
    ['sitemap', opened.sitemaps],
  ] as const) {
    for (const seed of urls) plant(opened, seed, kind, now, changes);
  }
}

function plant(
  { admission, guard, traps, keyOf }: OpenedCrawl,
  seed: NormalUrl,
  kind: 'page' | 'sitemap',
  now: number,
  changes: OpenedCrawl['batches']['open'],
): void {
  const refusal = traps.check(seed, 0) ?? guardPort(guard, seed);
  if (refusal !== null) {
    admission.refusals.count(refusal);
    return;
  }
  const [keyHi, keyLo] = keyOf(seed.url);
  const place = { depth: 0, hops: 0, via: -1, level: kind === 'page' ? 0 : 1, priority: null, seed: true };
  admission.admit({ keyHi, keyLo, url: seed.fetch, kind, ...place }, false, now, changes);
}
