/** What only the open crawl can say of its end: when the next URL is due, which hosts ask for that, and which addresses were
 * refused. */
import type { CrawlUi } from '../crawl-options.js';
import type { OpenedCrawl } from '../embedded/open.js';
import { formatDuration } from '../units.js';
import { named } from './summary.js';

export type End = Parameters<NonNullable<CrawlUi['ended']>>[0];

/** Why it ended, before the figures. */
const ENDS: Readonly<Record<End, string>> = {
  done: 'Nothing is left to fetch.\n',
  waiting: 'What is left waits for longer than --patience; the same command goes on with it.\n',
  'max-pages': 'The limit of --max-pages is reached.\n',
  'max-duration': 'The time of --max-duration is over.\n',
  stopped: '',
};

/** Hosts that are named. */
const MOST = 3;

/** @param opened null where only the end is known
 * @param patience ms */
export function endWords(end: End, opened: OpenedCrawl | null, patience: number): string {
  if (end !== 'waiting' || opened === null) return ENDS[end];
  const { frontier, crawl } = opened;
  const now = crawl.now();
  const due = (at: number): string => `due at ${new Date(at).toISOString()} (in ${formatDuration(seconds(at - now))})`;
  const { urls, revisits } = frontier;
  if (urls.inState[0] + urls.inState[1] - revisits.overdue <= 0) return ENDS.done;
  const hosts = slowHosts(opened, now + patience);
  const lines = hosts.slice(0, MOST).map(({ name, asks, why, at }) => {
    const enough = formatDuration(Math.ceil((Math.max(asks, at - now) + 1_000) / 60_000) * 60_000);
    return `  ${name} asks for ${formatDuration(seconds(asks))} between requests (${why}) and is ${due(at)}; --patience ${enough} would wait for it.`;
  });
  if (hosts.length > MOST) lines.push(`  and ${hosts.length - MOST} more hosts`);
  const what = `What is left waits for longer than --patience ${formatDuration(patience)}: the next is ${due(crawl.nextAt)}.`;
  return `${[`${what} The same command goes on with it.`, ...lines].join('\n')}\n`;
}

const seconds = (ms: number): number => Math.max(1_000, Math.ceil(ms / 1000) * 1000);

interface SlowHost {
  readonly name: string;
  /** ms between two requests. */
  readonly asks: number;
  readonly why: string;
  /** Wall ms. */
  readonly at: number;
}

/** Hosts with URLs that ask for pauses themselves and are due after a moment, the soonest first. */
function slowHosts({ frontier: { hosts } }: OpenedCrawl, after: number): SlowHost[] {
  const slow: SlowHost[] = [];
  for (let host = 0; host < hosts.size; host++) {
    const at = Math.max(hosts.nextAt[host], hosts.restUntil[host]);
    const crawlDelay = hosts.crawlDelay[host];
    if (at <= after || hosts.restUntil[host] > hosts.nextAt[host]) continue;
    if (crawlDelay === 0 && hosts.penalty[host] === 0) continue;
    const why = crawlDelay >= hosts.owed[host] ? 'Crawl-delay' : 'Retry-After, or answers of 429 and 503';
    slow.push({ name: hosts.names[host], asks: hosts.owed[host], why, at });
  }
  return slow.sort((a, b) => a.at - b.at);
}

/** Hosts whose address is not public, by the operator's own word: literals and pins. No server is asked. */
export function closedHosts({ frontier, resolver, land }: OpenedCrawl): string[] {
  const closed: string[] = [];
  for (const name of frontier.hosts.names) {
    const answer = resolver.withoutDns(name);
    const address = answer?.addresses.find((one) => land.guard.checkAddress(one, { named: true }) !== null);
    if (answer === null || address === undefined) continue;
    closed.push(answer.source === 'literal' ? address : `${name} is ${address}`);
    if (closed.length > MOST) break;
  }
  return closed;
}

/** How addresses that are not public may be reached.
 * @param closed as {@link closedHosts} says
 * @param open the ranges of `--allow-private` */
export function openingHint(closed: readonly string[], open: readonly string[]): string {
  const which = closed.length > 0 ? `: ${named(closed)}.` : '.';
  const given = open.length > 0 ? ` Open are only ${named(open)}.` : '';
  return `${which}${given} If it is yours, open its range: --allow-private CIDR, such as 127.0.0.0/8.`;
}
