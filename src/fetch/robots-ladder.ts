/**
 * What the answer to a request for robots.txt means: the table of RFC 9309, section 2.3.1, and DESIGN section 6.
 *
 * | answer | verdict |
 * | --- | --- |
 * | 2xx, whole | its rules, for 24 h |
 * | 3xx beyond 5, 4xx other than 429 | allow all, for 24 h |
 * | anything else | disallow all and ask again after 5 min, doubling to 24 h; meanwhile a last good copy younger than 30 days keeps ruling |
 *
 * Whatever is not in the table disallows: a new outcome code, an odd status, a fault of our own. Pure: the clock is an
 * argument and the state is data. Everything in it is a number, a string or a boolean, so it is its own record in the
 * store; the body of the copy is kept elsewhere and comes back through {@link rulesOf}.
 */
import type { OutcomeCode } from '../errors.js';
import { parseRobots, type RobotsRules } from './robots.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** The times of the ladder in milliseconds. Configurable for tests that shorten them; they say so. */
export interface RobotsTimes {
  /** How long rules, or their absence, hold. */
  readonly fresh: number;
  readonly firstRetry: number;
  readonly maxRetry: number;
  /** How old a copy may be that rules in place of an answer. */
  readonly maxCopyAge: number;
  /** How long a host may accept connections without ever answering. */
  readonly dropAfter: number;
}

export const ROBOTS_TIMES: RobotsTimes = {
  fresh: DAY,
  firstRetry: 5 * MINUTE,
  maxRetry: DAY,
  maxCopyAge: 30 * DAY,
  dropAfter: 30 * DAY,
};

/** Redirects that are followed for one robots.txt. */
export const ROBOTS_MAX_REDIRECTS = 5;

/** How a request for robots.txt ended, after its redirects. */
export interface RobotsAnswer {
  readonly code: OutcomeCode;
  /** HTTP status of the last response; 0 where none came. */
  readonly status: number;
  readonly body?: Uint8Array;
  /** Why the body is not all there: `length` is our own cap, after which a file counts as whole (section 2.5). */
  readonly truncated?: 'length' | 'time' | 'disconnect' | 'unspecified' | null;
  /** Redirects followed. */
  readonly redirects: number;
  /** Retry-After in milliseconds, if the server gave one. */
  readonly retryAfterMs?: number | null;
}

export interface RobotsState {
  readonly verdict: 'rules' | 'allow-all' | 'deny-all';
  /** When the rules or the permission in force were fetched, milliseconds since the epoch; null with `deny-all`. */
  readonly fetchedAt: number | null;
  /** When the last good copy was fetched, whether it is in force or not; null if there is none. Whoever keeps bodies
   * keeps this one. */
  readonly copyAt: number | null;
  /** True if the body that came with this answer is the new copy, to be kept. */
  readonly copyIsNew: boolean;
  /** From then on the verdict must not be used without asking again. */
  readonly expiresAt: number;
  /** The earliest time to ask again. */
  readonly retryAt: number;
  /** Failures in a row. */
  readonly failures: number;
  /** Time of the first of them; null with none. */
  readonly failingSince: number | null;
  /** The host accepts connections and has not answered for 30 days: give it up. */
  readonly dropHost: boolean;
}

/** What one answer amounts to. `own-fault` says nothing about the host. */
type Reading = 'rules' | 'allow-all' | 'not-modified' | 'silent' | 'unreachable' | 'own-fault';

/** The state after `answer`. Never throws, and never allows where the table does not say so. */
export function robotsVerdict(
  answer: RobotsAnswer,
  previous: RobotsState | null,
  now: number,
  times: RobotsTimes = ROBOTS_TIMES,
): RobotsState {
  const reading = read(answer, previous);
  if (reading === 'rules') return good('rules', now, now, true, times);
  if (reading === 'not-modified') return good('rules', now, now, false, times);
  // A file that was taken away is no copy to come back to.
  if (reading === 'allow-all') return good('allow-all', now, null, false, times);
  return failed(reading, answer, previous, now, times);
}

/** The rules in force: compiles `body` (the copy, from wherever it is kept) where the verdict is `rules`. A copy that
 * was lost disallows all. */
export function rulesOf(state: RobotsState, body: Uint8Array | null, agent: string): RobotsRules {
  if (state.verdict === 'allow-all') return ALLOW_ALL;
  return state.verdict === 'rules' && body ? parseRobots(body, agent) : DENY_ALL;
}

export const ALLOW_ALL: RobotsRules = parseRobots('', '*');
export const DENY_ALL: RobotsRules = parseRobots('User-agent: *\nDisallow: /', '*');

function read(answer: RobotsAnswer, previous: RobotsState | null): Reading {
  const { code, status } = answer;
  switch (code) {
    case 'ok': {
      const whole = !answer.truncated || answer.truncated === 'length';
      // Nobody asked for a part, so 206 is no whole file.
      return status >= 200 && status < 300 && status !== 206 && whole && answer.body ? 'rules' : 'silent';
    }
    case 'not-modified':
      return previous?.copyAt != null ? 'not-modified' : 'silent';
    case 'redirect':
    case 'redirect.same':
    case 'redirect.chain':
      return code === 'redirect.chain' || answer.redirects > ROBOTS_MAX_REDIRECTS ? 'allow-all' : 'silent';
    case 'http.gone':
    case 'http.client':
      return status >= 400 && status < 500 && status !== 429 ? 'allow-all' : 'silent';
    case 'dns.nxdomain':
    case 'dns.timeout':
    case 'dns.failed':
    case 'connect.refused':
    case 'connect.timeout':
    case 'connect.failed':
    case 'guard.address':
    case 'guard.family':
    case 'guard.port':
    case 'guard.own':
      // behind a redirect it is another host that cannot be reached; this one answers, and says nothing of use
      return answer.redirects > 0 ? 'silent' : 'unreachable';
    case 'worker.crash':
    case 'worker.hang':
    case 'worker.crash-alone':
    case 'worker.hang-alone':
    case 'lease.lost':
    case 'lease.returned':
      return 'own-fault';
    default:
      return 'silent';
  }
}

function good(
  verdict: 'rules' | 'allow-all',
  now: number,
  copyAt: number | null,
  copyIsNew: boolean,
  times: RobotsTimes,
): RobotsState {
  const expiresAt = now + times.fresh;
  return {
    verdict,
    fetchedAt: now,
    copyAt,
    copyIsNew,
    expiresAt,
    retryAt: expiresAt,
    failures: 0,
    failingSince: null,
    dropHost: false,
  };
}

function failed(
  reading: 'silent' | 'unreachable' | 'own-fault',
  answer: RobotsAnswer,
  previous: RobotsState | null,
  now: number,
  times: RobotsTimes,
): RobotsState {
  const counts = reading !== 'own-fault';
  const failures = (previous?.failures ?? 0) + (counts ? 1 : 0);
  const failingSince = previous?.failingSince ?? (counts ? now : null);
  const copyAt = previous?.copyAt ?? null;
  const copyUntil = copyAt === null ? Number.NEGATIVE_INFINITY : copyAt + times.maxCopyAge;
  const copyRules = now < copyUntil;
  const wait = Math.max(ladder(failures, times), Math.min(answer.retryAfterMs ?? 0, times.maxRetry));
  // The copy's last day may end before the ladder's next step: then it is time to ask, not to go on without.
  const retryAt = copyRules ? Math.min(now + wait, copyUntil) : now + wait;
  return {
    verdict: copyRules ? 'rules' : 'deny-all',
    fetchedAt: copyRules ? copyAt : null,
    copyAt,
    copyIsNew: false,
    expiresAt: retryAt,
    retryAt,
    failures,
    failingSince,
    dropHost: reading === 'silent' && failingSince !== null && now - failingSince >= times.dropAfter,
  };
}

/** 5 min, 10, 20 ... 24 h. */
function ladder(failures: number, times: RobotsTimes): number {
  const doublings = Math.min(Math.max(failures - 1, 0), 40);
  return Math.min(times.firstRetry * 2 ** doublings, times.maxRetry);
}
