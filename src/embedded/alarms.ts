/** What a person ought to know without looking for it, in words, from the figures of the moment. */
import { formatCount, formatSize } from '../units.js';
import type { CrawlStats } from './figures.js';

export const ALARMS = [
  'duplicates',
  'failing',
  'failing-host',
  'throttled',
  'bloom',
  'disk',
  'memory',
  'discovery',
  'dead-letters',
  'ceiling',
] as const;

export interface Alarm {
  id: (typeof ALARMS)[number];
  severity: 'warning' | 'serious';
  words: string;
}

/** Requests of the last minute that make a share mean something. */
const ENOUGH = 50;
const DUPLICATES = 0.5;
const FAILING = 0.5;
const THROTTLED = 0.2;
/** Free disk below which the end is near: bytes, and a share of the whole. */
const DISK_SERIOUS = 1e9;
const DISK_WARNING = 0.05;
const MEMORY = 0.85;
/** Of the URLs that a Bloom filter was made for. */
const BLOOM = 0.8;
/** URLs found for each page fetched, with so many waiting already, that no crawl comes to an end of. */
const DISCOVERY = 10;
const MANY_WAITING = 1_000_000;
/** Dead letters, and their share of the URLs that were settled, from which somebody ought to look at them. */
const DEAD = 100;
const DEAD_SHARE = 0.2;

const percent = (share: number): string => `${Math.round(share * 100)}%`;

/** A host most of whose last requests failed. */
export interface SickHost {
  host: string;
  requests: number;
  failed: number;
}

/** @param requests requests of the last minute
 * @param sick the host that fails most, if one does */
export function alarmsOf(stats: CrawlStats, requests: number, sick: SickHost | null): Alarm[] {
  const alarms: Alarm[] = [];
  const add = (id: Alarm['id'], severity: Alarm['severity'], words: string): void => {
    alarms.push({ id, severity, words });
  };
  const { outcomes, duplicates, disk, memory, backQueues, hosts, growth, seen } = stats;
  const isUs = requests >= ENOUGH && outcomes.failed > FAILING;
  if (sick !== null && !isUs) {
    add(
      'failing-host',
      'warning',
      `${sick.failed} of the last ${sick.requests} requests to ${sick.host} failed, and others do not: that is them.`,
    );
  }
  if (requests >= ENOUGH) {
    if (isUs) {
      add(
        'failing',
        'serious',
        `${percent(outcomes.failed)} of the requests of the last minute failed: with many hosts at once that is us (network, DNS, a firewall), not them.`,
      );
    }
    if (outcomes.throttled > THROTTLED) {
      const share = percent(outcomes.throttled);
      add(
        'throttled',
        'warning',
        `${share} of the requests of the last minute were told to slow down (429 or 503): raise --delay.`,
      );
    }
    if (duplicates.share > DUPLICATES) {
      const share = percent(duplicates.share);
      add(
        'duplicates',
        'warning',
        `${share} of the pages of the last minute repeat others: a trap, or mirrors? saunter status names those that are suspected.`,
      );
    }
  }
  if (seen !== null && seen.inserted > seen.design * BLOOM) {
    const skipped = `${(100 * seen.falsePositives).toPrecision(2)}% of new URLs are taken for known ones`;
    add(
      'bloom',
      seen.overfull ? 'serious' : 'warning',
      `The Bloom filter holds ${percent(seen.inserted / seen.design)} of the ${formatCount(seen.design)} URLs that it was made for, and ${skipped}: it is built anew when it is full; give the next run a larger seen.bloomKeys.`,
    );
  }
  if (disk.total > 0 && disk.free < DISK_SERIOUS) {
    add('disk', 'serious', `The disk has ${formatSize(disk.free)} left: the crawl stops cleanly when it is full.`);
  } else if (disk.total > 0 && disk.free < disk.total * DISK_WARNING) {
    add('disk', 'warning', `The disk is ${percent(1 - disk.free / disk.total)} full.`);
  }
  if (memory.rss > memory.machine * MEMORY) {
    add('memory', 'serious', `The crawl holds ${percent(memory.rss / memory.machine)} of the machine's memory.`);
  }
  if (
    growth.known > DISCOVERY * stats.pagesPerSecond &&
    stats.pagesPerSecond > 0 &&
    stats.urls.pending > MANY_WAITING
  ) {
    add(
      'discovery',
      'warning',
      `URLs are found ${Math.round(growth.known / stats.pagesPerSecond)} times as fast as pages are fetched, and ${formatCount(stats.urls.pending)} wait: narrow the scope, or lower --max-depth or --budget.`,
    );
  }
  const { dead, done } = stats.urls;
  if (dead >= DEAD && dead > DEAD_SHARE * (dead + done)) {
    add(
      'dead-letters',
      'warning',
      `${formatCount(dead)} URLs, ${percent(dead / (dead + done))} of those that were tried, failed for good: saunter list dead says why, saunter retry takes them back.`,
    );
  }
  if (backQueues.binds && backQueues.held >= backQueues.most) {
    add(
      'ceiling',
      'warning',
      `Only ${backQueues.most} hosts can be in play at once, and ${hosts.queued} more have work: raise frontier.backQueuesMax.`,
    );
  }
  return alarms;
}
