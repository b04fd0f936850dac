/**
 * Seeds into a crawl: screened for their shape and their port, then admitted. A long list is admitted and committed a few
 * thousand at a time; a crawl that is killed on the way goes on with the same command, and what is known by then is no news.
 */
import type { HostEventRow } from '../changes.js';
import { rows } from '../corpus/states.js';
import type { CrawlOptions, CrawlUi } from '../crawl-options.js';
import { metaOf } from '../store-meta.js';
import type { NormalUrl } from '../url/normalize.js';
import type { SeedPlace } from '../url/scope.js';
import type { OpenedCrawl } from './open.js';
import { checkSeeds, hasteWords } from './reach.js';
import { NOT_BEGUN } from './restore.js';
import type { SeedReader } from './seed-reader.js';

/** What became of a seed: `known` is also one that was given up and is tried again. */
export type Planted = { outcome: 'admitted' | 'known' } | { outcome: 'refused'; reason: string };

/** Lists of seeds that were admitted whole, by their digests; the last so many are remembered. */
const LISTS = 'seeds.lists';
const MOST_LISTS = 32;

/** Admits the seeds (and the sitemaps of `--sitemap`) that are not known yet. A long list is durable when this resolves,
 * unless it was interrupted.
 * @throws UserError for a seed that may not join; those before it have joined */
export async function plantSeeds(opened: OpenedCrawl, options: CrawlOptions, ui: CrawlUi): Promise<void> {
  const { land, seeds, batches } = opened;
  const first = land.given(seeds.first);
  const haste = hasteWords(opened.resolver, options, first.map(({ host }) => host)); // biome-ignore format: short
  if (haste !== null) ui.say(haste);
  const refused = plantAll(opened, first);
  if (!seeds.isShort && !(await plantRest(opened, options, ui, refused))) return;
  for (const seed of land.sitemaps) plant(opened, seed, 'sitemap', []);
  if (!seeds.isShort) await batches.flush();
}

/** False if it was interrupted. */
async function plantRest(
  opened: OpenedCrawl,
  options: CrawlOptions,
  ui: CrawlUi,
  refusedBefore: number,
): Promise<boolean> {
  const { land, seeds, batches, store } = opened;
  const digest = await seeds.digest();
  const lists = metaOf<string[]>(store, LISTS, []);
  if (digest !== null && lists.includes(digest)) {
    await seeds.close();
    return true;
  }
  const began = performance.now();
  batches.open.meta.push(['seeds.unread', '1']);
  let refused = refusedBefore;
  for (let count = seeds.first.length; ; ) {
    await batches.flush();
    const chunk = await nextUnlessStopped(seeds, options.signal);
    if (chunk === null) {
      ui.say('Not all seeds were read: the same command goes on with them.');
      void seeds.close().catch(() => {}); // not waited for: its source may never give what it was asked for
      return false;
    }
    if (chunk.length === 0) break;
    const given = land.given(chunk);
    await checkSeeds(opened, options, given);
    refused += plantAll(opened, given);
    count += chunk.length;
    ui.progress({ ...NOT_BEGUN, hosts: opened.frontier.hosts.size, seeds: count, seconds: secondsSince(began) });
  }
  batches.open.meta.push(['seeds.unread', '']);
  // one that was refused may be welcome to a later run, which has other options
  const isWhole = digest !== null && refused === 0;
  if (isWhole) batches.open.meta.push([LISTS, JSON.stringify([...lists, digest].slice(-MOST_LISTS))]);
  return true;
}

/** The next seeds; null if the crawl is to stop, also while they are waited for: standard input may stay open. */
function nextUnlessStopped(seeds: SeedReader, signal: AbortSignal): Promise<string[] | null> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(null);
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    seeds
      .next()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop));
  });
}

const secondsSince = (began: number): number => (performance.now() - began) / 1000;

/** Returns how many were refused. */
function plantAll(opened: OpenedCrawl, seeds: readonly NormalUrl[]): number {
  const widening: SeedPlace[] = [];
  const { hostEvents } = opened.batches.open;
  const before = hostEvents.length;
  let refused = 0;
  for (const seed of seeds) if (plant(opened, seed, 'page', widening).outcome === 'refused') refused++;
  opened.widened(widening);
  reviveNamed(opened, hostEvents.slice(before));
  return refused;
}

/** Hosts that are named only now had an address that no link leads to. Links to them were given up for that; what a seed's
 * host may be in is open to them too. */
export function reviveNamed(
  { frontier, land, store, crawl, batches }: OpenedCrawl,
  events: readonly HostEventRow[],
): void {
  if (!land.hasOpenings) return;
  const named = new Set(events.filter(({ kind }) => kind === 'named').map(({ host }) => host));
  if (named.size === 0) return;
  const refused = new Set<number>();
  for (const { url, dead, code } of rows(store, 'dead')) {
    if (dead && code === 'guard.address' && named.has(frontier.urls.hostOf(url))) refused.add(url);
  }
  for (const url of refused) if (!frontier.letters.has(url)) frontier.revive(url, crawl.now(), batches.open);
}

/** Admits one seed, at a priority level of its own if one is given.
 * @param widening seeds that widen the scope, to which this one is added if it does: page workers are to be told */
export function plant(
  { admission, frontier, land, crawl, batches }: OpenedCrawl,
  seed: NormalUrl,
  kind: 'page' | 'sitemap',
  widening: SeedPlace[],
  level = kind === 'page' ? 0 : 1,
): Planted {
  // seeds are in scope by what they are; the shape guards and the port policy hold for them too
  const refusal = land.refusesSeed(seed);
  if (refusal !== null) {
    admission.refusals.count(refusal);
    return { outcome: 'refused', reason: refusal };
  }
  admission.removals.each(seed.removed);
  const [keyHi, keyLo] = land.keyOf(seed.url);
  const place = { depth: 0, hops: 0, via: -1, level, priority: null, seed: true };
  const now = crawl.now();
  const known = frontier.urls.size;
  const url = admission.admit({ keyHi, keyLo, url: seed.fetch, kind, ...place }, false, now, batches.open);
  if (url < 0) return { outcome: 'refused', reason: 'hosts' };
  const isNew = url >= known;
  // who gives a seed again wants it tried again
  if (!isNew) frontier.revive(url, now, batches.open);
  if (kind === 'page') {
    const isWider = land.scope.extend(seed) !== null;
    if (isWider) widening.push(seed);
    if (isNew || isWider) batches.open.seeds.push({ url });
  }
  return { outcome: isNew ? 'admitted' : 'known' };
}
