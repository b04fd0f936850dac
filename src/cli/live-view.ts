/** The few lines that show a running crawl on a terminal. Pure: figures in, lines out, none wider than the terminal. */
import type { CrawlProgress } from '../crawl-options.js';
import type { LiveFigures, LivePage } from '../embedded/live.js';
import { counted, formatCount, formatDuration, formatSize } from '../units.js';
import { cleanLine } from './terminal.js';
import { fitParts, shorten, shortenMiddle, width } from './text-columns.js';

/** What the lines may look like. */
export interface Look {
  readonly columns: number;
  readonly rows: number;
  /** The terminal shows more than ASCII. */
  readonly unicode: boolean;
}

/** Below these there is only the progress line. */
export const LEAST_COLUMNS = 40;
export const LEAST_ROWS = 12;
/** Codes that are named. */
const NAMED = 4;
const LABEL = 10;
/** Free at the right: the terminal writes ^C there, which must not begin a line of its own. */
const MARGIN = 3;

/** @param dir of the crawl
 * @param rates pages per second of the last seconds, oldest first */
export function liveLines(
  dir: string,
  now: CrawlProgress,
  live: LiveFigures,
  rates: readonly number[],
  { columns, unicode }: Look,
): string[] {
  const { hosts, urls, duplicates, errors, robotsDenied, deadLetters } = live;
  const dot = unicode ? ' \u00b7 ' : ', ';
  const room = columns - MARGIN;
  const row = (label: string, parts: readonly string[]): string =>
    `${label.padEnd(LABEL)}${fitParts(parts.map(cleanLine), dot, room - LABEL)}`;
  const count = (figure: number, words: string): string[] => (figure > 0 ? [`${formatCount(figure)} ${words}`] : []);
  const repeats = [
    ...[...count(duplicates.exact, 'exact'), ...count(duplicates.near, 'near')],
    ...[...count(robotsDenied, 'forbidden by robots'), ...count(deadLetters, 'given up')],
  ];
  const codes = errors.slice(0, NAMED).map(([code, n]) => `${code} ${formatCount(n)}`);
  const lines = [
    heading(dir, now, columns, dot),
    row('pages', [formatCount(now.pages), ...revisits(now), rate(now, rates, unicode), formatSize(now.bytes)]),
    row('hosts', [
      `${formatCount(hosts.known)} known`,
      `${formatCount(hosts.active)} active`,
      `${formatCount(hosts.waiting)} in their delay`,
      ...count(hosts.queued, 'queued'),
    ]),
    row('URLs', [`${formatCount(urls.pending)} pending of ${formatCount(urls.known)}`]),
    row('repeats', repeats.length > 0 ? repeats : ['none']),
    row('failures', codes.length > 0 ? [...codes, ...(errors.length > NAMED ? ['...'] : [])] : ['none']),
    ...pageLines(live.recent, room),
  ];
  return lines.map((line) => shorten(cleanLine(line), room));
}

/** Where, what it does, and for how long: the last two at the right. */
function heading(dir: string, now: CrawlProgress, columns: number, dot: string): string {
  const state =
    now.state === 'waiting' && now.nextIn !== undefined
      ? `next in ${formatDuration(wholeSeconds(now.nextIn))}`
      : now.state;
  const right = `${state}${dot}${now.seconds < 0.5 ? '0s' : formatDuration(wholeSeconds(now.seconds * 1000))}`;
  const left = shorten(cleanLine(dir), Math.max(8, columns - MARGIN - right.length - 2));
  return `${left}${' '.repeat(Math.max(1, columns - MARGIN - width(left) - right.length))}${right}`;
}

const revisits = ({ revisits = 0 }: CrawlProgress): string[] => (revisits > 0 ? [counted(revisits, 'revisit')] : []);

function rate(now: CrawlProgress, rates: readonly number[], unicode: boolean): string {
  const figure = `${now.pagesPerSecond.toFixed(1)}/s`;
  return unicode && rates.length > 1 ? `${figure} ${sparkline(rates)}` : figure;
}

const BARS = '\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588';

/** Each figure as a bar, the largest as the highest. */
export function sparkline(figures: readonly number[]): string {
  const most = Math.max(...figures, Number.MIN_VALUE);
  return figures.map((figure) => BARS[Math.min(BARS.length - 1, Math.floor((figure / most) * BARS.length))]).join('');
}

/** Where all pages are of one origin and not all of them have room, it is left away; what is still too long is cut in its middle. */
function pageLines(pages: readonly LivePage[], room: number): string[] {
  const places = pages.map(({ url }) => cleanLine(url));
  const heads = pages.map(pageHead);
  const space = Math.max(0, room - Math.max(0, ...heads.map(width)));
  const origin = /^https?:\/\/[^/]+(?=\/)/.exec(places[0] ?? '')?.[0];
  const isOne = origin !== undefined && places.every((url) => url.startsWith(`${origin}/`));
  const short =
    isOne && places.some((url) => width(url) > space) ? places.map((url) => url.slice(origin.length)) : places;
  return heads.map((head, i) => head + shortenMiddle(short[i], space));
}

function pageHead({ status, code, bytes, repeats }: LivePage): string {
  const answer = cleanLine(`${status > 0 ? status : '-'} ${code}${repeats ? ' (copy)' : ''}`);
  return `  ${answer.padEnd(22)} ${formatSize(bytes).padStart(8)}  `;
}

const wholeSeconds = (ms: number) => Math.round(ms / 1000) * 1000;
