/** The figures of a running crawl, as its API, its dashboard and its metrics give them: one snapshot of plain data. */
import { statfsSync } from 'node:fs';
import { totalmem } from 'node:os';
import type { SeenSummary } from '../crawl-options.js';
import { ceilingSummary } from './ceiling.js';
import type { OpenedCrawl } from './open.js';
import { seenSummary } from './seen-filter.js';
import { Sparing } from './sparing.js';
import type { Sample, Watch } from './watch.js';

/** Times are wall ms since 1970, sizes bytes; what is counted is of the whole crawl unless it says `run`. */
export interface CrawlStats {
  at: number;
  state: 'running' | 'paused' | 'stopping';
  /** When this run began. */
  startedAt: number;
  pages: number;
  /** Over the last minute. */
  pagesPerSecond: number;
  requests: number;
  bytes: number;
  inFlight: number;
  urls: { known: number; pending: number; leased: number; denied: number; done: number; dead: number };
  /** URLs in the queues of their hosts, by level (0 is best). */
  pendingByLevel: number[];
  /** URLs that became known, and that were waiting, per second over the last minute. */
  growth: { known: number; pending: number };
  hosts: {
    known: number;
    inPlay: number;
    queued: number;
    /** Hosts in the front queues, by level. */
    levels: number[];
  };
  /** Pending URLs by why they wait, and when the first falls due. */
  waiting: Record<string, { urls: number; next: number | null }>;
  duplicates: {
    exact: number;
    near: number;
    /** Of the pages of the last minute. */
    share: number;
  };
  deadLetters: number;
  robotsDenied: number;
  rejected: Record<string, number>;
  /** Parameters that the normal form removed from links, by the names that the options give them. */
  removed: Record<string, number>;
  /** Requests of the whole crawl that ended badly, by code. */
  errors: Record<string, number>;
  /** Requests of this run by HTTP status; 0 is no answer. */
  statuses: Record<string, number>;
  /** Shares of the requests of the last minute. */
  outcomes: { good: number; throttled: number; failed: number };
  caches: { dns: { hosts: number; pending: number; hits: number; misses: number }; robots: { origins: number } };
  memory: { rss: number; heap: number; bodies: number; machine: number };
  disk: { free: number; total: number };
  backQueues: {
    held: number;
    count: number;
    most: number;
    /** Pages per second that so many back queues allow at the period measured; null before there is one. */
    ceiling: number | null;
    /** The ceiling is what holds the crawl back. */
    binds: boolean;
  };
  /** How full the Bloom filter of URLs is; null where keys are exact. */
  seen: SeenSummary | null;
  /** Of this run: lines that its log lost, spans of its traces that were sent, and that were dropped. */
  told: { linesLost: number; spansSent: number; spansDropped: number };
  /** Visits to pages that were there before; `freshness` is the share of pages believed to be as they are held. */
  revisits: { fetched: number; notModified: number; changed: number; freshness: number | null };
}

export const stateOf = ({ isStopping, isPaused }: OpenedCrawl['crawl']): CrawlStats['state'] =>
  isStopping ? 'stopping' : isPaused ? 'paused' : 'running';

/** URLs beyond which nobody walks over all of them while a crawl runs: 50 ms. */
const MOST_URLS = 5_000_000;

/** The figures that take a walk. */
export class Walks {
  readonly waiting = new Sparing<CrawlStats['waiting']>({});
  readonly freshness = new Sparing<number | null>(null);
}

/** @param startedAt wall ms */
export function crawlStats(opened: OpenedCrawl, watch: Watch, startedAt: number, walks: Walks): CrawlStats {
  const { crawl, frontier, tally, admission, resolver, paths } = opened;
  const now = crawl.now();
  const [pending, leased, denied, done, dead] = frontier.urls.inState;
  const last = watch.lately();
  const ceiling = ceilingSummary(frontier.ceiling);
  const perSecond = (n: number): number => (last.seconds > 0 ? n / last.seconds : 0);
  const dns = resolver.stats;
  const { rss, heapUsed } = process.memoryUsage();
  return {
    at: now,
    state: stateOf(crawl),
    startedAt,
    pages: tally.pages,
    pagesPerSecond: perSecond(last.pages),
    requests: tally.requests,
    bytes: tally.bytes,
    inFlight: frontier.leases.size,
    urls: { known: frontier.urls.size, pending, leased, denied, done, dead },
    pendingByLevel: frontier.pendingByLevel,
    growth: { known: perSecond(last.known), pending: perSecond(last.pending) },
    hosts: {
      known: frontier.hostsMet,
      inPlay: frontier.back.held,
      queued: frontier.front.size,
      levels: [...frontier.front.lengths],
    },
    waiting: walks.waiting.get(() => frontier.waiting(now)),
    duplicates: { exact: tally.duplicates, near: tally.nearDuplicates, share: shareOf(last.repeated, last.read) },
    deadLetters: tally.deadLetters - frontier.letters.size,
    robotsDenied: tally.robotsDenied,
    rejected: { ...admission.refusals.counts },
    removed: { ...admission.removals.counts },
    errors: { ...tally.errors, ...crawl.unresolved },
    statuses: Object.fromEntries([...watch.statuses].sort(([a], [b]) => a - b)),
    outcomes: outcomes(last),
    caches: {
      dns: { hosts: dns.cached, pending: dns.pending, hits: dns.hits, misses: dns.misses },
      robots: { origins: frontier.robots.origins.length },
    },
    memory: { rss, heap: heapUsed, bodies: opened.bodies(), machine: totalmem() },
    disk: diskOf(paths.root),
    backQueues: {
      ...{ held: frontier.back.held, count: frontier.back.ceiling, most: frontier.back.most },
      ...{ ceiling: ceiling.pagesPerSecond, binds: ceiling.binds },
    },
    seen: seenSummary(opened.seen),
    told: { ...opened.told },
    revisits: {
      ...{ fetched: tally.revisits, notModified: tally.notModified, changed: tally.changed },
      freshness: walks.freshness.get(() => frontier.revisits.freshness(now), frontier.urls.size > MOST_URLS),
    },
  };
}

/** The figures that are noted every few seconds. */
export function sampleOf({
  crawl,
  frontier,
  tally,
}: OpenedCrawl): Pick<Sample, 'at' | 'pages' | 'requests' | 'known' | 'pending'> {
  const { pages, requests } = tally;
  return { at: crawl.now(), pages, requests, known: frontier.urls.size, pending: frontier.urls.inState[0] };
}

const shareOf = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);

function outcomes({ good, throttled, failed }: Pick<Sample, 'good' | 'throttled' | 'failed'>): CrawlStats['outcomes'] {
  const all = good + throttled + failed;
  return { good: shareOf(good, all), throttled: shareOf(throttled, all), failed: shareOf(failed, all) };
}

function diskOf(dir: string): CrawlStats['disk'] {
  try {
    const { bavail, blocks, bsize } = statfsSync(dir);
    return { free: bavail * bsize, total: blocks * bsize };
  } catch {
    return { free: 0, total: 0 }; // a file system that does not say
  }
}
