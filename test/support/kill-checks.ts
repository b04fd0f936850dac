/**
 * What a kill test demands of the whole of a crawl that was killed again and again: judged from the server's log, the
 * generator's list of pages and the crawl's own export, never from the crawl's own words about itself.
 */
import { gaps, type LoggedRequest } from '../../src/sim/server-log.js';

/** One SIGKILL, on the monotonic clock of the server's log. */
export interface Kill {
  readonly moment: string;
  /** The moment was met, not just waited for. */
  readonly met: boolean;
  /** When the signal was sent, and when the process was gone. */
  readonly sent: number;
  readonly gone: number;
  /** For how much of twice {@link GRACE_MS} before it one of its threads was ready to run and had no core, ms. */
  readonly starved: number;
}

/** What had ended this long before a kill need not be durable yet (a batch is 200 ms, DESIGN section 8). */
export const GRACE_MS = 500;

export interface KillEvidence {
  readonly log: readonly LoggedRequest[];
  readonly kills: readonly Kill[];
  /** Normal URLs that must be held. */
  readonly reachable: readonly string[];
  /** URLs of the crawl's export, one for each line. */
  readonly exported: readonly string[];
  /** Of the crawl, in ms. */
  readonly delay: number;
}

/** Every broken promise, as a sentence; empty if all were kept. At most a few examples of each kind. */
export function brokenPromises(evidence: KillEvidence): string[] {
  return [
    ...indexProblems(evidence.reachable, evidence.exported),
    ...repeatProblems(evidence.log, evidence.kills),
    ...gapProblems(evidence.log, evidence.delay),
    ...sentences(
      evidence.log.filter((request) => request.kind === 'forbidden'),
      (request) => `robots forbid ${urlOf(request)}, and it was asked for`,
    ),
  ];
}

const EXAMPLES = 5;

function sentences<T>(items: readonly T[], say: (item: T) => string): string[] {
  const said = items.slice(0, EXAMPLES).map(say);
  return items.length > EXAMPLES ? [...said, `... and ${items.length - EXAMPLES} more like the last`] : said;
}

/** Every reachable page exactly once, and nothing else. */
export function indexProblems(reachable: readonly string[], exported: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const url of exported) counts.set(normal(url), (counts.get(normal(url)) ?? 0) + 1);
  const wanted = new Set(reachable);
  return [
    ...sentences(
      [...wanted].filter((url) => !counts.has(url)),
      (url) => `lost: ${url} is reachable and not in the index`,
    ),
    ...sentences(
      [...counts].filter(([, count]) => count > 1),
      ([url, count]) => `${url} is in the index ${count} times`,
    ),
    ...sentences(
      [...counts.keys()].filter((url) => !wanted.has(url)),
      (url) => `${url} is in the index and not a page`,
    ),
  ];
}

/** A fetched URL as the generator spells it: without a trailing slash on a path that is not the root. */
function normal(url: string): string {
  if (!URL.canParse(url)) return url;
  const { origin, pathname, search } = new URL(url);
  return origin + (pathname === '/' ? '/' : pathname.replace(/\/$/, '')) + search;
}

/** A request may come again only if it was open, or had ended less than {@link GRACE_MS} before, at a kill; the time in
 * which the machine gave the crawler no core is not counted. */
export function repeatProblems(log: readonly LoggedRequest[], kills: readonly Kill[]): string[] {
  const last = new Map<string, LoggedRequest>();
  const excused = ({ arrived, ended }: LoggedRequest) =>
    kills.some((kill) => arrived <= kill.gone && !(ended < kill.sent - GRACE_MS - kill.starved));
  const repeats: LoggedRequest[] = [];
  for (const request of [...log].sort((a, b) => a.arrived - b.arrived)) {
    const url = urlOf(request);
    const before = last.get(url);
    if (before !== undefined && !excused(before)) repeats.push(before);
    last.set(url, request);
  }
  return sentences(repeats, (request) => {
    const next = kills.findIndex((kill) => kill.sent > request.ended);
    if (next < 0) return `${urlOf(request)} was fetched again although it had ended after the last kill`;
    const before = Math.round(kills[next]!.sent - request.ended);
    return `${urlOf(request)} was fetched again although it had ended ${before} ms before kill ${next + 1} (${kills[next]!.moment})`;
  });
}

/** The delay on every host and every address, and never two requests at once. */
export function gapProblems(log: readonly LoggedRequest[], delay: number): string[] {
  return (['host', 'address'] as const).flatMap((by) => {
    const reports = gaps(log, by);
    return [
      ...sentences(
        reports.filter((report) => report.smallestGap !== null && report.smallestGap < delay),
        ({ key, smallestGap, after }) =>
          `${by} ${key} was asked for ${after} ${smallestGap!.toFixed(1)} ms after its last answer; the delay is ${delay} ms`,
      ),
      ...sentences(
        reports.filter((report) => report.mostAtOnce > 1),
        ({ key, mostAtOnce }) => `${by} ${key} had ${mostAtOnce} requests at once`,
      ),
    ];
  });
}

function urlOf({ host, target }: LoggedRequest): string {
  return `${host}${target}`;
}
