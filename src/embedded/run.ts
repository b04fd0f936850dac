/** Runs one crawl on this machine: embedded store, segments on the local disk, page workers as threads. */
import { rows } from '../corpus/states.js';
import type { CrawlEnd } from '../crawl.js';
import type { CrawlOptions, CrawlProgress, CrawlSummary, CrawlUi } from '../crawl-options.js';
import { systemClock } from '../engines/system.js';
import { ceilingSummary } from './ceiling.js';
import { type OpenedCrawl, openCrawl, PAGE_THREAD } from './open.js';
import { readmit } from './readmit.js';
import { plantSeeds } from './seeds.js';
import { seenSummary } from './seen-filter.js';

/** ms between two progress lines. */
const PROGRESS = 250;
/** Seconds over which the rate of the progress line is taken. */
const RATE_WINDOW = 5;

/** Stands beside a crawl while it runs, such as the control socket. */
export type Attendant = (opened: OpenedCrawl) => Promise<{ close(): Promise<void> }>;

/** Crawls until nothing is left, a limit is reached, or `options.signal` is aborted.
 * @param script what page workers are started from; only tests have another
 * @param attend called when the crawl is open; what it gives is closed after the last commit
 * @throws UserError for whatever the user can mend */
export async function runCrawl(
  options: CrawlOptions,
  ui: CrawlUi,
  script = PAGE_THREAD,
  attend: Attendant = async () => ({ close: async () => {} }),
): Promise<CrawlSummary> {
  const started = systemClock.monotonic();
  const opened = await openCrawl(options, ui, script);
  let end: CrawlEnd = 'stopped';
  let hasBegun = false;
  let asked = true;
  try {
    await plantSeeds(opened, options, ui);
    await readmit(opened, options, ui);
    const onAbort = (): void => opened.crawl.stop();
    options.signal.addEventListener('abort', onAbort, { once: true });
    if (options.signal.aborted) onAbort();
    const recent: { at: number; pages: number }[] = [];
    const pagesBefore = opened.tally.pages;
    const attendant = await attend(opened);
    hasBegun = true;
    const progress = setInterval(() => ui.progress(figures(opened, started, recent)), PROGRESS);
    progress.unref(); // a program that forgets its iteration is not kept alive for it
    let seconds = 0;
    try {
      end = await opened.crawl.run();
      seconds = (systemClock.monotonic() - started) / 1000; // an attendant may take its time to close
      ui.ended?.(end);
    } finally {
      await attendant.close();
      clearInterval(progress);
      options.signal.removeEventListener('abort', onAbort);
    }
    const told = summary(opened, seconds, opened.tally.pages - pagesBefore);
    asked = hasAsked(told, opened);
    return told;
  } finally {
    await (!hasBegun ? opened.abandon() : asked ? opened.close(end !== 'stopped') : opened.discard());
  }
}

/** False for a crawl all of whose seeds were refused: no request was made, none is to come, and nobody blocked a host. */
function hasAsked({ requests, pending, robotsDenied }: CrawlSummary, { store }: OpenedCrawl): boolean {
  if (requests + pending + robotsDenied > 0) return true;
  for (const { kind } of rows(store, 'hostEvents')) if (kind === 'blocked') return true;
  return false;
}

/** The figures of the moment; `recent` remembers those of the last seconds. */
function figures(
  { tally, frontier, crawl }: OpenedCrawl,
  started: number,
  recent: { at: number; pages: number }[],
): CrawlProgress {
  const now = systemClock.monotonic();
  recent.push({ at: now, pages: tally.pages });
  while (recent.length > 2 && now - recent[0].at > RATE_WINDOW * 1000) recent.shift();
  const span = (now - recent[0].at) / 1000;
  const nextIn = crawl.nextAt - crawl.now();
  const isWaiting = frontier.underWay === 0 && nextIn > 1000 && nextIn < Number.POSITIVE_INFINITY;
  return {
    state: crawl.isStopping ? 'stopping' : isWaiting ? 'waiting' : 'crawling',
    pages: tally.pages,
    revisits: tally.revisits,
    bytes: tally.bytes,
    hosts: frontier.hostsMet,
    pending: frontier.urls.inState[0] - frontier.revisits.overdue,
    inFlight: frontier.leases.size,
    seconds: (now - started) / 1000,
    pagesPerSecond: span > 0 ? (tally.pages - recent[0].pages) / span : 0,
    ...(isWaiting && { nextIn }),
  };
}

/** Hosts that the summary names of a kind. */
const NAMED = 100;

function summary(
  { tally, frontier, admission, duplicates, crawl, seen }: OpenedCrawl,
  seconds: number,
  pages: number,
): CrawlSummary {
  const waiting = frontier.waiting(crawl.now());
  const freshness = frontier.revisits.freshness(crawl.now());
  return {
    pages: tally.pages,
    requests: tally.requests,
    bytes: tally.bytes,
    duplicates: tally.duplicates,
    nearDuplicates: tally.nearDuplicates,
    hosts: frontier.hostsMet,
    known: frontier.urls.size,
    pending: frontier.urls.inState[0] + frontier.urls.inState[1] - frontier.revisits.overdue,
    waiting: Object.fromEntries(
      Object.entries(waiting).map(([reason, { urls, next }]) => [
        reason,
        { urls, next: next === null ? null : Math.round(next) },
      ]),
    ),
    deadLetters: tally.deadLetters - frontier.letters.size,
    robotsDenied: tally.robotsDenied,
    rejected: { ...admission.refusals.counts },
    errors: { ...tally.errors, ...crawl.unresolved },
    seconds: Math.round(seconds * 1000) / 1000,
    pagesPerSecond: seconds > 0 ? Math.round((pages / seconds) * 100) / 100 : 0,
    pagesThisRun: pages,
    revisits: tally.revisits,
    notModified: tally.notModified,
    changed: tally.changed,
    freshness: freshness === null ? null : Math.round(freshness * 10_000) / 10_000,
    ceiling: ceilingSummary(frontier.ceiling),
    seen: seenSummary(seen),
    ...duplicates.report(NAMED),
    removed: { ...admission.removals.counts },
  };
}
