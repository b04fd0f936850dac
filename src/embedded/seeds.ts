/** Seeds into a crawl: screened for their shape and their port, then admitted. */
import { refusedPort } from '../fetch/address-guard.js';
import type { NormalUrl } from '../url/normalize.js';
import type { OpenedCrawl } from './open.js';

/** What became of a seed: `known` is also one that was given up and is tried again. */
export type Planted = { outcome: 'admitted' | 'known' } | { outcome: 'refused'; reason: string };

/** Admits the seeds (and the sitemaps of `--sitemap`) that are not known yet. */
export function plantSeeds(opened: OpenedCrawl): void {
  const { land } = opened;
  for (const seed of land.given) plant(opened, seed, 'page');
  for (const seed of land.sitemaps) plant(opened, seed, 'sitemap');
}

/** Admits one seed, at a priority level of its own if one is given. */
export function plant(
  { admission, frontier, land, crawl, batches }: OpenedCrawl,
  seed: NormalUrl,
  kind: 'page' | 'sitemap',
  level = kind === 'page' ? 0 : 1,
): Planted {
  // seeds are in scope by what they are; the shape guards and the port policy hold for them too
  const refusal = land.traps.check(seed, 0) ?? refusedPort(seed.origin);
  if (refusal !== null) {
    admission.refusals.count(refusal);
    return { outcome: 'refused', reason: refusal };
  }
  const [keyHi, keyLo] = land.keyOf(seed.url);
  const place = { depth: 0, hops: 0, via: -1, level, priority: null, seed: true };
  const now = crawl.now();
  const known = frontier.urls.size;
  const url = admission.admit({ keyHi, keyLo, url: seed.fetch, kind, ...place }, false, now, batches.open);
  if (url < 0) return { outcome: 'refused', reason: 'hosts' };
  // who gives a seed again wants it tried again
  frontier.revive(url, now, batches.open);
  return { outcome: url >= known ? 'admitted' : 'known' };
}
