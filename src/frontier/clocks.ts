/**
 * The politeness clock of a host: what it is owed after a request (DESIGN 4, Delay). Clocks live in the host table, not
 * in the back queues: a recycled slot still owes its full delay.
 */
import { OUTCOMES, type OutcomeCode } from '../errors.js';
import type { HostTable } from './host-table.js';

export interface DelayRules {
  /** Floor of host and address gaps, ms (`--delay`). */
  delay: number;
  /** The delay is at least this many times the fetch time ... */
  fetchFactor: number;
  /** ... but no more than this for that reason alone, ms. */
  fetchCap: number;
  /** The penalty of 429 and 503 without Retry-After doubles up to this, ms. */
  penaltyCap: number;
  /** Retry-After is obeyed up to this, ms. */
  retryAfterCap: number;
  /** 429 or 503 in a row that put the host to sleep, and the ladder of sleeps, ms. */
  throttlesBeforeSleep: number;
  sleeps: readonly number[];
  /** Failures in a row that put the host offline (unreachable; NXDOMAIN), and the ladder, ms. After its last step the
   * host's queue dies. */
  failuresBeforeOffline: number;
  nxdomainsBeforeOffline: number;
  offline: readonly number[];
}

/** What a request did to its host. */
export interface HostVerdict {
  /** ms owed after the end of the request. */
  delay: number;
  /** The host rests until `ended + rest`, 0 for no rest. */
  rest: number;
  /** It rests since it throttled us too often, or since it cannot be reached. */
  why: 'none' | 'asleep' | 'offline' | 'dropped';
  /** It asked us to slow down (and perhaps was put to sleep for that). */
  throttled: boolean;
  /** A penalty or an offline time ended with this request. */
  recovered: boolean;
}

/** Applies the host effect of an outcome to the host's counters and says what the host is owed.
 * @param fetchMs how long the request took */
export function charge(
  hosts: HostTable,
  host: number,
  code: OutcomeCode,
  fetchMs: number,
  retryAfterMs: number | null,
  rules: DelayRules,
): HostVerdict {
  const verdict: HostVerdict = { delay: 0, rest: 0, why: 'none', throttled: false, recovered: false };
  switch (OUTCOMES[code].host) {
    case 'backoff':
      throttle(hosts, host, retryAfterMs, rules, verdict);
      break;
    case 'unreachable':
      unreachable(hosts, host, rules.failuresBeforeOffline, rules, verdict);
      break;
    case 'nxdomain':
      unreachable(hosts, host, rules.nxdomainsBeforeOffline, rules, verdict);
      break;
    case 'success':
      verdict.recovered = recover(hosts, host, rules);
      break;
    case 'none':
      break;
  }
  const slow = Math.min(rules.fetchFactor * fetchMs, rules.fetchCap);
  verdict.delay = Math.max(rules.delay, hosts.crawlDelay[host], slow, hosts.penalty[host]);
  if (verdict.throttled && retryAfterMs !== null)
    verdict.delay = Math.max(verdict.delay, Math.min(retryAfterMs, rules.retryAfterCap));
  return verdict;
}

function throttle(
  hosts: HostTable,
  host: number,
  retryAfterMs: number | null,
  rules: DelayRules,
  v: HostVerdict,
): void {
  v.throttled = true;
  // doubled the first time even when Retry-After names a time: a host that throttles is visited more slowly afterwards; what it owed
  // last counts, or a slow host that refuses quickly would be asked sooner than before
  const doubled = 2 * Math.max(hosts.penalty[host], rules.delay, hosts.crawlDelay[host], hosts.owed[host]);
  if (retryAfterMs === null || hosts.penalty[host] === 0) hosts.penalty[host] = Math.min(doubled, rules.penaltyCap);
  if (++hosts.throttles[host] < rules.throttlesBeforeSleep) return;
  hosts.throttles[host] = 0;
  v.why = 'asleep';
  v.rest = rules.sleeps[Math.min(hosts.sleeps[host], rules.sleeps.length - 1)];
  if (hosts.sleeps[host] < rules.sleeps.length) hosts.sleeps[host]++;
}

function unreachable(hosts: HostTable, host: number, limit: number, rules: DelayRules, v: HostVerdict): void {
  // a host that was offline gets one attempt when it wakes, not a new series
  if (++hosts.failures[host] < limit && hosts.offline[host] === 0) return;
  hosts.failures[host] = 0;
  const step = hosts.offline[host];
  if (step >= rules.offline.length) {
    v.why = 'dropped';
    return;
  }
  hosts.offline[host]++;
  v.why = 'offline';
  v.rest = rules.offline[step];
}

function recover(hosts: HostTable, host: number, rules: DelayRules): boolean {
  const suffered = hosts.penalty[host] > 0 || hosts.offline[host] > 0 || hosts.sleeps[host] > 0;
  hosts.throttles[host] = 0;
  hosts.sleeps[host] = 0;
  hosts.failures[host] = 0;
  hosts.offline[host] = 0;
  const half = Math.floor(hosts.penalty[host] / 2);
  hosts.penalty[host] = half > Math.max(rules.delay, hosts.crawlDelay[host]) ? half : 0;
  return suffered;
}
