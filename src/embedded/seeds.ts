/** Seeds into a crawl: normalised, screened, and checked for what a crawl beyond this machine needs. */
import type { CrawlOptions } from '../crawl-options.js';
import { UserError } from '../errors.js';
import { inCidr, parseCidr, parseIp } from '../fetch/ip.js';
import { checkReach } from '../load-config.js';
import type { NormalUrl } from '../url/normalize.js';
import type { OpenedCrawl } from './open.js';

const LOOPBACK = ['127.0.0.0/8', '::1/128'].map((range) => parseCidr(range)!);

export function isLoopback(address: string): boolean {
  const bytes = parseIp(address);
  return bytes !== null && LOOPBACK.some((range) => inCidr(range, bytes));
}

/** Admits the seeds (and the sitemaps of `--sitemap`) that are not known yet. */
export async function plantSeeds(opened: OpenedCrawl, options: CrawlOptions): Promise<void> {
  const { seeds, admission, isNew } = opened;
  await checkSeedReach(opened, options, seeds);
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

/** `port` if the URL's port is not fetched from. */
export function guardPort(guard: OpenedCrawl['guard'], { origin }: NormalUrl): string | null {
  const port = /:(\d+)$/.exec(origin)?.[1];
  return port !== undefined && guard.checkPort(Number(port)) !== null ? 'port' : null;
}

/** A crawl that leaves this machine needs a contact and a delay: told before anything is fetched. */
async function checkSeedReach(
  opened: OpenedCrawl,
  { config }: CrawlOptions,
  seeds: readonly NormalUrl[],
): Promise<void> {
  if (config.contact !== null && config.delay > 0) return;
  for (const { host } of seeds) {
    const answer = await opened.resolver.resolve(host);
    const isHere = 'code' in answer || answer.addresses.every(isLoopback);
    checkReach(config, isHere ? null : host);
  }
}
