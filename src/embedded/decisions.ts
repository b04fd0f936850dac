/** The parts of a crawl that decide: everything in memory, nothing that does I/O. */
import { Admission } from '../admit/admission.js';
import { Duplicates } from '../admit/duplicates.js';
import { RobotsDesk } from '../admit/robots-desk.js';
import { Settlement } from '../admit/settle.js';
import type { CrawlOptions, FetchHook } from '../crawl-options.js';
import type { BloomSeen, SeenFilter } from '../dedupe/bloom-seen.js';
import type { SeenTable } from '../dedupe/seen.js';
import type { Random } from '../engines/ports.js';
import { systemClock } from '../engines/system.js';
import { UserError } from '../errors.js';
import { portOf } from '../fetch/address-guard.js';
import { addressByPins, parsePin } from '../fetch/pins.js';
import { Frontier } from '../frontier/frontier.js';
import type { FrontierOptions } from '../frontier/lease.js';
import type { Score } from '../frontier/score.js';
import { Tally } from '../state/tally.js';
import { TextCache } from '../state/text-cache.js';
import { keyHex } from '../url/key.js';
import type { NormalUrl } from '../url/normalize.js';
import { memoryGauge } from './memory-gauge.js';
import { budgets, frontierOptions, keptPages, productToken, repeatRules, robotsLimits } from './parts.js';
import { seenFilter } from './seen-filter.js';
import { type Territory, tooManyQueries } from './territory.js';

/** Partitions of a crawl (DESIGN 9): one node owns them all here. */
export const PARTITIONS = 256;
/** Texts of URLs kept in memory; some 250 bytes each. */
const TEXTS = 100_000;

export interface Decisions {
  frontier: Frontier;
  seen: SeenTable | BloomSeen;
  duplicates: Duplicates;
  admission: Admission;
  robots: RobotsDesk;
  settlement: Settlement;
  tally: Tally;
  texts: TextCache;
}

/** @param visits that the crawl holds already
 * @param onSeedMoved told where a seed led that redirects out of scope */
export function decisions(
  options: CrawlOptions,
  land: Territory,
  score: Score,
  random: Random,
  visits: number,
  onSeedMoved: (to: NormalUrl) => void,
): Decisions {
  const { config } = options;
  const refuses = options.fetch && refusal(options.fetch, (host) => frontier.hosts.names[host]);
  const hooks = { ...(refuses && { refuses }), ...(land.own.length > 0 && { isOwn: ownership(land) }) };
  const frontier: Frontier = new Frontier({ ...frontierOptions(config), ...hooks }, random);
  const seen = seenFilter(config);
  const texts = new TextCache(TEXTS);
  const isInside = (address: string): boolean => land.guard.isOpened(address);
  const admission = admissionOf(options, land, score, frontier, seen, texts);
  const duplicates = new Duplicates(keptPages(config, visits), frontier, admission, {
    ...repeatRules(config),
    probe: (origin) => probe(origin, land),
  });
  const robots = new RobotsDesk(frontier, admission, {
    agent: productToken(options.userAgent),
    ...robotsLimits(config),
    sitemap: (line, origin) => sitemap(line, origin, land, admission),
    isInside,
  });
  const settlement = new Settlement({
    ...{ frontier, admission, duplicates, robots },
    ids: { requests: 0, visits: 0 },
    options: { sameRedirects: config['redirect.same'], isInside, onSeedMoved },
  });
  return { frontier, seen, duplicates, admission, robots, settlement, tally: new Tally(), texts };
}

/** The user's word on requests, as the frontier asks for it. */
function refusal(fetch: FetchHook, nameOf: (host: number) => string): NonNullable<FrontierOptions['refuses']> {
  return (host, { target, kind, depth, last }) => {
    if (kind === 'robots') return false;
    const answer: unknown = fetch({ url: target, host: nameOf(host), kind, depth, revisit: last !== null });
    if (answer instanceof Promise) {
      answer.catch(() => {}); // it is refused as it is
      throw new UserError('The fetch hook gave a promise, and a request does not wait: give true or false.');
    }
    return answer === false;
  };
}

/** Whether requests to an origin would come to a socket of ours, as the frontier asks for it. */
const ownership =
  ({ guard }: Territory): NonNullable<FrontierOptions['isOwn']> =>
  (host, address, origin) =>
    guard.checkSocket(host, address, portOf(origin)) !== null;

function admissionOf(
  options: CrawlOptions,
  { traps, isListed }: Territory,
  score: Score,
  frontier: Frontier,
  seen: SeenFilter,
  texts: TextCache,
): Admission {
  const { config } = options;
  const pins = config.resolve.map(parsePin);
  const limits = {
    maxDepth: config.depth,
    maxHops: config['redirect.chain'],
    hostsPerDomain: config['domain.hosts'],
    partitions: PARTITIONS,
    isListed,
    budget: budgets(options),
    score,
    tooManyQueries: (url: string) => tooManyQueries(traps, url),
    refusedFrom: memoryGauge(config, systemClock.monotonic),
    onText: texts.put.bind(texts),
  };
  return new Admission(frontier, seen, limits, (host) => addressByPins(pins, host) !== null);
}

/** A URL that no site has: nobody without the crawl's secret can tell it from others. */
function probe(origin: string, land: Territory): { keyHi: number; keyLo: number; url: string } | null {
  const token = keyHex(...land.keyOf(`probe ${origin}`));
  const url = land.normalize(`/${token}.html`, `${origin}/`);
  if (url.url === null || land.refuses(url) !== null) return null;
  const [keyHi, keyLo] = land.keyOf(url.url);
  return { keyHi, keyLo, url: url.fetch };
}

/** A Sitemap line of robots.txt, unless something refuses it. */
function sitemap(
  line: string,
  origin: string,
  land: Territory,
  admission: Admission,
): { keyHi: number; keyLo: number; url: string } | null {
  const url = land.normalize(line, `${origin}/`);
  const reason = url.url === null ? url.reason : land.refusesSitemap(url);
  if (url.url === null || reason !== null) {
    admission.refusals.count(reason!);
    return null;
  }
  admission.removals.each(url.removed);
  const [keyHi, keyLo] = land.keyOf(url.url);
  return { keyHi, keyLo, url: url.fetch };
}
