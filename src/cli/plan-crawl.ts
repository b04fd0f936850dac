/** What a crawl in a directory needs to finish, in words. */
import { readdirSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Remaining, remaining } from '../corpus/remaining.js';
import type { HostWait } from '../corpus/waiting.js';
import type { CrawlDirectory } from '../embedded/directory.js';
import type { StoreReader } from '../engines/ports.js';
import { counted, formatSize } from '../units.js';
import type { Inputs } from './plan-inputs.js';
import { amount, long } from './plan-numbers.js';
import type { Warning } from './plan-words.js';
import { cleanLine } from './terminal.js';

export interface CrawlPlan {
  remaining: Omit<Remaining, 'hosts'> & { hosts: number; slowest: Remaining['hosts'] };
  /** What the pages to come take, s: the host that takes longest alone, and all of them by `back-queues` at once. */
  seconds: { slowestHost: number; all: number | null };
  /** Bytes of the directory now, those to come (null if nothing bounds them), and free. */
  disk: { used: number; toCome: number | null; free: number };
  warnings: Warning[];
}

/** Hosts that are named. */
const NAMED = 5;
const DAY = 86_400;
/** Pages from which a host is a large one. */
const LARGE = 1_000;

/** @param now wall ms */
export function planCrawl(reader: StoreReader, paths: CrawlDirectory, inputs: Inputs, now: number): CrawlPlan {
  const { hosts, ...left } = remaining(reader, inputs.delay / 1000, now);
  const growth =
    left.pagesToCome === null
      ? null
      : left.pagesToCome === 0
        ? 1
        : left.pagesToCome / (left.pending - blocked(left.waiting));
  const slowestHost = hosts[0]?.seconds ?? 0;
  const together = hosts.reduce((sum, { seconds }) => sum + seconds, 0) / inputs['back-queues'];
  const used = usedBytes(paths.root);
  const { bavail, bsize } = statfsSync(paths.root);
  const disk = {
    used,
    toCome: left.pagesToCome === null || left.pages === 0 ? null : (used / left.pages) * left.pagesToCome,
    free: bavail * bsize,
  };
  const seconds = { slowestHost, all: growth === null ? null : growth * Math.max(slowestHost, together) };
  const plan = { remaining: { ...left, hosts: hosts.length, slowest: hosts.slice(0, NAMED) }, seconds, disk };
  return { ...plan, warnings: warningsOf(plan, together) };
}

function usedBytes(root: string): number {
  let bytes = 0;
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    // a running crawl renames its files
    bytes += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}

function warningsOf({ remaining: left, seconds, disk }: Omit<CrawlPlan, 'warnings'>, together: number): Warning[] {
  const warnings: Warning[] = [];
  const [first] = left.slowest;
  if (first !== undefined && first.pending >= LARGE && seconds.slowestHost > DAY) {
    const says =
      `${cleanLine(first.host)} alone takes ${long(first.seconds)} (${counted(first.pending, 'URL')}, one each ${long(first.period)}), and no machine makes that ` +
      'shorter. Ask its owner for a sitemap with dates, a feed, or an export.';
    warnings.push({ code: 'huge-host', says });
  }
  const rest = left.slowest[1]?.seconds ?? together;
  if (first !== undefined && first.pending >= LARGE && rest < seconds.slowestHost / 10 && left.hosts > 1) {
    const says = `Most of the time only ${cleanLine(first.host)} has pages left: the other ${counted(left.hosts - 1, 'host is', 'hosts are')} done in ${long(rest)}.`;
    warnings.push({ code: 'few-hosts', says });
  }
  if (disk.toCome !== null && disk.toCome > disk.free) {
    warnings.push({
      code: 'disk',
      says: `${formatSize(disk.toCome)} will be written, and ${formatSize(disk.free)} are free.`,
    });
  }
  return warnings;
}

/** Pending URLs that nothing but a word of the operator's lets be fetched. */
const blocked = (waiting: Remaining['waiting']): number => waiting.blocked?.urls ?? 0;

const WAITS: Readonly<Record<HostWait, string>> = {
  blocked: 'blocked (they are not in what follows)',
  offline: 'offline',
  throttled: 'asleep after answers of 429 or 503',
  robots: 'without a robots.txt that can be read',
};

export function crawlPlanText({ remaining: left, seconds, disk }: CrawlPlan): string {
  const { pages, pending, waiting, hosts, slowest, novelty, pagesToCome, revisits, pagesPerSecond, lastRequest } = left;
  const last = lastRequest === null ? 'nothing was asked yet' : `last request ${new Date(lastRequest).toISOString()}`;
  const there = `${counted(pages, 'page is', 'pages are')} there`;
  const lines = [`${there}, ${counted(pending, 'URL is', 'URLs are')} pending on ${counted(hosts, 'host')}; ${last}.`];
  for (const [wait, { urls, hosts: n }] of Object.entries(waiting)) {
    lines.push(
      `  ${counted(urls, 'of them waits', 'of them wait')}, since ${counted(n, 'host is', 'hosts are')} ${WAITS[wait as HostWait]}.`,
    );
  }
  for (const { host, pending: n, period, seconds: s } of slowest) {
    lines.push(
      `  ${cleanLine(host).padEnd(30)} ${counted(n, 'URL').padStart(12)}, one each ${long(period)}: ${long(s)}`,
    );
  }
  if (pending > blocked(waiting)) {
    lines.push(
      `Lately each page brings ${amount(novelty)} new ${novelty === 1 ? 'URL' : 'URLs'}${pagesPerSecond > 0 ? `, at ${amount(pagesPerSecond)} pages/s` : ''}.`,
    );
    lines.push(
      pagesToCome === null
        ? 'That is one or more: it finds work faster than it does it, and ends by its budgets, limits, or --max-pages.'
        : `If that stays so, ${counted(pagesToCome, 'page is', 'pages are')} to come, and take ${long(seconds.all!)} and ${disk.toCome === null ? 'an unknown amount' : formatSize(disk.toCome)} of disk.`,
    );
  } else {
    lines.push(pending > 0 ? 'Nothing else is left to fetch.' : 'Nothing is left to fetch.');
  }
  if (revisits > 0) lines.push(`${counted(revisits, 'page has', 'pages have')} a next visit planned.`);
  lines.push(`The directory holds ${formatSize(disk.used)}; ${formatSize(disk.free)} are free.`);
  return lines.join('\n');
}
