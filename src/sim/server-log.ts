/**
 * What the synthetic server saw: every request on its own monotonic clock, and what follows from that about
 * politeness. This is the witness of the demo and of the kill tests, so it shares no code with the crawler.
 */
import type { AnswerKind } from './web.js';

/**
 * One request. Times are milliseconds of the machine's monotonic clock ({@link monotonicNow}): on Linux one clock for
 * all processes, so that a harness may compare them with its own.
 */
export interface LoggedRequest {
  host: string;
  address: string;
  target: string;
  kind: AnswerKind;
  /** When the first byte of the request was read. */
  arrived: number;
  /** When the last byte of the answer was handed over, or the connection was lost; NaN while in flight. */
  ended: number;
  /** 0 if the connection was lost before the answer. */
  status: number;
  /** Of the body as sent. */
  bytes: number;
}

/** Milliseconds of CLOCK_MONOTONIC (via `process.hrtime`). */
export function monotonicNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** How one host or one address was treated. */
export interface GapReport {
  readonly key: string;
  readonly requests: number;
  /** Milliseconds between the end of one request and the start of the next, at the least; null with fewer than two
   * requests. Negative where requests overlapped. */
  readonly smallestGap: number | null;
  /** The target that came too soon: the second of the two that {@link smallestGap} lies between. */
  readonly after: string | null;
  readonly mostAtOnce: number;
}

/** Gap reports by `host` or `address`, in order of the key's first request. A request still in flight ends at `now`.
 * @param log in any order */
export function gaps(log: readonly LoggedRequest[], by: 'host' | 'address', now = monotonicNow()): GapReport[] {
  const groups = new Map<string, LoggedRequest[]>();
  for (const request of [...log].sort((a, b) => a.arrived - b.arrived)) {
    const group = groups.get(request[by]);
    if (group === undefined) groups.set(request[by], [request]);
    else group.push(request);
  }
  return [...groups].map(([key, requests]) => gapReport(key, requests, now));
}

function gapReport(key: string, requests: readonly LoggedRequest[], now: number): GapReport {
  let smallestGap = Number.POSITIVE_INFINITY;
  let after: string | null = null;
  let mostAtOnce = 0;
  let lastEnd = Number.NEGATIVE_INFINITY;
  let open: number[] = [];
  for (const { arrived, ended, target } of requests) {
    const end = Number.isNaN(ended) ? Math.max(now, arrived) : ended;
    if (arrived - lastEnd < smallestGap) {
      smallestGap = arrived - lastEnd;
      after = target;
    }
    lastEnd = Math.max(lastEnd, end);
    open = open.filter((other) => other > arrived);
    open.push(end);
    mostAtOnce = Math.max(mostAtOnce, open.length);
  }
  const none = requests.length < 2;
  return {
    key,
    requests: requests.length,
    smallestGap: none ? null : smallestGap,
    after: none ? null : after,
    mostAtOnce,
  };
}

/** The log in one object, for reports; plain JSON. */
export interface ServerLogSummary {
  readonly requests: number;
  readonly bytes: number;
  readonly kinds: Readonly<Partial<Record<AnswerKind, number>>>;
  readonly statuses: Readonly<Record<string, number>>;
  /** Different URLs that were answered with a page. */
  readonly distinctPages: number;
  /** The host, and the address, with the smallest gap; null if nothing was asked twice. */
  readonly tightestHost: GapReport | null;
  readonly tightestAddress: GapReport | null;
  readonly mostAtOncePerHost: number;
  readonly mostAtOncePerAddress: number;
  readonly hosts: readonly GapReport[];
}

/** Sums a log up. `now` as in {@link gaps}. */
export function summarizeLog(log: readonly LoggedRequest[], now = monotonicNow()): ServerLogSummary {
  const kinds: Partial<Record<AnswerKind, number>> = {};
  const statuses: Record<string, number> = {};
  const pages = new Set<string>();
  let bytes = 0;
  for (const request of log) {
    kinds[request.kind] = (kinds[request.kind] ?? 0) + 1;
    statuses[request.status] = (statuses[request.status] ?? 0) + 1;
    bytes += request.bytes;
    if (request.kind === 'page' && request.status === 200) pages.add(request.host + request.target);
  }
  const hosts = gaps(log, 'host', now);
  const addresses = gaps(log, 'address', now);
  return {
    requests: log.length,
    bytes,
    kinds,
    statuses,
    distinctPages: pages.size,
    tightestHost: tightest(hosts),
    tightestAddress: tightest(addresses),
    mostAtOncePerHost: Math.max(0, ...hosts.map((report) => report.mostAtOnce)),
    mostAtOncePerAddress: Math.max(0, ...addresses.map((report) => report.mostAtOnce)),
    hosts,
  };
}

function tightest(reports: readonly GapReport[]): GapReport | null {
  let best: GapReport | null = null;
  for (const report of reports) {
    if (report.smallestGap === null) continue;
    if (best === null || report.smallestGap < best.smallestGap!) best = report;
  }
  return best;
}
