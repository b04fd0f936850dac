/** The figures of a crawl in words. */
import type { CeilingSummary, CrawlProgress, CrawlSummary, SeenSummary } from '../crawl-options.js';
import { OUTCOMES, type OutcomeCode } from '../errors.js';
import { counted, formatCount, formatDuration, formatSize } from '../units.js';
import { refusedWords } from './refused-words.js';
import { cleanLine } from './terminal.js';

/** One line while a crawl runs. */
export function progressLine(now: CrawlProgress): string {
  if (now.share !== undefined) return `starting: ${Math.floor(now.share * 100)}% of what is known is read`;
  if (now.seeds !== undefined) return `starting: ${counted(now.seeds, 'seed')} are read`;
  const state =
    now.state === 'waiting' && now.nextIn !== undefined
      ? `next in ${formatDuration(wholeSeconds(now.nextIn))}`
      : now.state;
  return [
    formatDuration(wholeSeconds(now.seconds * 1000)),
    counted(now.pages, 'page'),
    ...(now.revisits ? [counted(now.revisits, 'revisit')] : []),
    `${now.pagesPerSecond.toFixed(1)}/s`,
    formatSize(now.bytes),
    counted(now.hosts, 'host'),
    `${formatCount(now.pending)} pending`,
    `${formatCount(now.inFlight)} open`,
    state,
  ].join(' · ');
}

/** Seconds as a person would say them: `1.7s`, `12m30s`. */
const timeWords = (seconds: number): string =>
  seconds < 60 ? `${seconds.toFixed(1)}s` : formatDuration(wholeSeconds(seconds * 1000));

/** What happened, for a person: totals of the crawl and the pace of this run, then one line for each figure that is not zero.
 * @param dir null if nothing was kept */
export function summaryText(summary: CrawlSummary, dir: string | null): string {
  const rows: (readonly [string, number, string])[] = [
    ['duplicates', summary.duplicates, ''],
    ['near-duplicates', summary.nearDuplicates, ''],
    ['mirrors', summary.mirrors.length, named(summary.mirrors.map(mirrorWords))],
    ['suspected traps', summary.suspectedTraps.length, named(summary.suspectedTraps.map(({ host }) => host))],
    ['revisits', summary.revisits, revisitWords(summary)],
    ['robots forbade', summary.robotsDenied, summary.robotsDenied === 1 ? 'URL' : 'URLs'],
    ['dead letters', summary.deadLetters, `${summary.deadLetters === 1 ? 'URL' : 'URLs'} that failed for good`],
    ['still pending', summary.pending, waitingWords(summary)],
    ['refused', total(summary.rejected), `links: ${breakdown(summary.rejected, refusedWords)}`],
    ['removed', total(summary.removed), removedWords(summary.removed)],
    ['failures', total(summary.errors), 'requests and look-ups that brought no page, and why (docs/errors.md):'],
    ['budget', budgetBound(summary), 'links and URLs that budgets of hosts held back (--budget)'],
    ['Bloom filter', summary.seen?.inserted ?? 0, summary.seen === null ? '' : seenWords(summary.seen)],
    [
      'ceiling',
      summary.ceiling.bound > 0 ? summary.ceiling.backQueues : 0,
      ceilingWords(summary.ceiling, summary.pending > 0, summary.pages),
    ],
  ];
  const { pages, hosts, requests, bytes, pagesThisRun, seconds, pagesPerSecond } = summary;
  const run = `${counted(pagesThisRun, 'page')} in ${timeWords(seconds)} (${pagesPerSecond.toFixed(1)} pages/s)`;
  return [
    `The crawl so far: ${counted(pages, 'page')} of ${counted(hosts, 'host')}, ${counted(requests, 'request')}, ${formatSize(bytes)}.`,
    `This run: ${run}.`,
    ...rows
      .filter(([, figure]) => figure > 0)
      .flatMap(([name, figure, words]) => [
        `  ${name.padEnd(16)} ${formatCount(figure).padStart(10)}  ${words}`.trimEnd(),
        ...(name === 'failures' ? failureLines(summary.errors).map((line) => `    ${line}`) : []),
      ]),
    dir === null ? 'Nothing was asked for, so nothing is kept.' : `Kept in ${cleanLine(dir)}.`,
  ].join('\n');
}

/** A line for each code, most frequent first: how often, and what it means. */
export const failureLines = (errors: CrawlSummary['errors']): string[] =>
  byFigure(errors).map(([code, figure]) => `${code.padEnd(16)} ${formatCount(figure).padStart(8)}  ${OUTCOMES[code as OutcomeCode].words}`); // biome-ignore format: short

/** How full the Bloom filter is, and what that costs. */
export function seenWords({ design, fill, falsePositives, overfull }: SeenSummary): string {
  const alert = overfull ? 'OVERFULL: ' : '';
  const skipped = `${(100 * falsePositives).toPrecision(2)}% of new URLs are skipped`;
  return `${alert}URLs in it; made for ${formatCount(design)}, ${(100 * fill).toFixed(1)}% full, ${skipped}`;
}

function revisitWords({ notModified, changed, freshness }: CrawlSummary): string {
  const fresh = freshness === null ? '' : `; ${(100 * freshness).toFixed(1)}% of the pages are believed fresh`;
  return `${formatCount(changed)} found a change, ${formatCount(notModified)} were answered by 304${fresh}`;
}

/** Links that were refused, and URLs that wait, since a budget is spent. */
const budgetBound = ({ rejected, waiting }: CrawlSummary): number =>
  (rejected.budget ?? 0) + (waiting.budget?.urls ?? 0);

/** What limits the speed, and what could be done about it; follows the number of back queues.
 * @param isGoingOn there is something left to be made faster
 * @param pages that were fetched: without one nothing is known of the speed */
export function ceilingWords(
  { period, pagesPerSecond, binds, bound }: CeilingSummary,
  isGoingOn: boolean,
  pages: number,
): string {
  const inPlay = 'hosts can be in play at once';
  if (period === null || pages === 0) return `${inPlay}; no page was fetched yet`;
  if (bound === 0 && !binds) {
    const enough = `${inPlay}, which was enough: only their delays limit the speed, a page of each in ${period} s`;
    return isGoingOn ? `${enough}; more hosts make it faster` : enough;
  }
  const rate = pagesPerSecond === null ? '' : `, ${pagesPerSecond} pages/s with a page of each in ${period} s`;
  const held = bound > 0 ? `was so for ${formatDuration(wholeSeconds(bound * 1000))}${binds ? ' and is so now' : ''}` : 'is so now'; // biome-ignore format: short
  return `${inPlay}, too few for those with work${rate}: it ${held}; raise frontier.backQueuesMax`;
}

/** `a.test of b.test (11 of 12 pages)`; the links of an exact copy are not followed, so one page may be all there is to go by. */
export const mirrorWords = ({ host, of, copies, pages }: CrawlSummary['mirrors'][number]): string =>
  `${host} of ${of} (${pages === 1 ? 'by the one page fetched' : `${formatCount(copies)} of ${counted(pages, 'page')}`})`;

const MOST_NAMED = 3;

/** The first of some names. */
export const named = (names: readonly string[]): string =>
  [...names.slice(0, MOST_NAMED).map(cleanLine), ...(names.length > MOST_NAMED ? ['...'] : [])].join(', ');

/** What may be done about it. */
const HINTS: Readonly<Record<string, string>> = {
  port: ' Pages live at 80, 443 and most ports from 1024 on; what else listens is no web server.',
};

/** Why a crawl has not a single page, in one sentence.
 * @param opening what may be done about addresses that are not public */
export function reasonForNothing(summary: CrawlSummary, opening: string): string {
  const hint = (of: string): string => (of === 'guard.address' ? opening : `.${HINTS[of] ?? ''}`);
  const [code] = byFigure(summary.errors)[0] ?? [];
  if (code !== undefined)
    return `No page was fetched: what was tried ${OUTCOMES[code as OutcomeCode].words} (${code})${hint(code)}`;
  if (summary.robotsDenied > 0) return 'No page was fetched: robots.txt forbids every URL that is known.';
  const [reason] = byFigure(summary.rejected)[0] ?? [];
  if (summary.known === 0 && reason !== undefined) return `No page was fetched: every seed was refused: ${breakdown(summary.rejected, refusedWords)}${hint(reason)}`; // biome-ignore format: one sentence
  if (allBlocked(summary)) return `No page was fetched: ${BLOCKED}`;
  if (summary.pending > 0) {
    return `No page was fetched: ${counted(summary.pending, 'URL still waits', 'URLs still wait')}${waitingClause(summary)}; the same command goes on.`;
  }
  return 'No page was fetched.';
}

/** What is left is there because somebody said so. */
export const allBlocked = ({ pending, waiting }: CrawlSummary): boolean =>
  pending > 0 && waiting.blocked !== undefined && Object.keys(waiting).length === 1;

export const BLOCKED = 'All that is left is on blocked hosts; saunter unblock HOST lets it be fetched.';

function waitingClause(summary: CrawlSummary): string {
  const words = waitingWords(summary);
  return words === '' ? '' : ` (${words})`;
}

function waitingWords(summary: CrawlSummary): string {
  return breakdown(Object.fromEntries(Object.entries(summary.waiting).map(([reason, { urls }]) => [reason, urls])));
}

const LONGEST_BREAKDOWN = 6;

/** `parameters from links: utm_* 12, ref 3`. */
export const removedWords = (removed: CrawlSummary['removed']): string =>
  `parameters from links: ${breakdown(removed)}`;

/** `delay 12, budget 3`, largest first. */
function breakdown(
  figures: Readonly<Record<string, number | undefined>>,
  inWords = (name: string, figure: string) => `${name} ${figure}`,
): string {
  const rows = byFigure(figures);
  const shown = rows.slice(0, LONGEST_BREAKDOWN).map(([name, figure]) => inWords(cleanLine(name), formatCount(figure)));
  return [...shown, ...(rows.length > LONGEST_BREAKDOWN ? ['...'] : [])].join(', ');
}

function byFigure(figures: Readonly<Record<string, number | undefined>>): [string, number][] {
  return Object.entries(figures)
    .map(([name, figure]): [string, number] => [name, figure ?? 0])
    .filter(([, figure]) => figure > 0)
    .sort(([, a], [, b]) => b - a);
}

export function total(figures: Readonly<Record<string, number | undefined>>): number {
  return Object.values(figures).reduce((sum: number, figure) => sum + (figure ?? 0), 0);
}

const wholeSeconds = (ms: number) => Math.round(ms / 1000) * 1000;
