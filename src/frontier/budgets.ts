/**
 * Budgets: URLs admitted and URLs fetched per host in one period (DESIGN 4; seeds A and C: 10,000 a month). They bound
 * traps and keep the crawl diverse. Periods follow one another without a gap from when the host was met, so that a
 * restart, which reads that time and those of the requests, finds the same ones.
 */
import type { HostFacts } from './host-facts.js';
import { NONE } from './url-table.js';

function roll(hosts: HostFacts, host: number, now: number): void {
  const { budgetPeriod } = hosts;
  const periods = Math.floor((now - hosts.windowStart[host]) / budgetPeriod);
  if (periods < 1) return;
  hosts.windowStart[host] += periods * budgetPeriod;
  hosts.admitted[host] = 0;
  hosts.fetched[host] = 0;
}

/** May one more URL of the host become known? */
export function mayAdmit(hosts: HostFacts, host: number, now: number): boolean {
  roll(hosts, host, now);
  return hosts.budget[host] === NONE || hosts.admitted[host] < hosts.budget[host];
}

/** When the next URL of the host may be fetched as far as its budget goes: 0 is now, else ms. */
export function fetchAllowedAt(hosts: HostFacts, host: number, now: number): number {
  roll(hosts, host, now);
  if (hosts.budget[host] === NONE || hosts.fetched[host] < hosts.budget[host]) return 0;
  return hosts.windowStart[host] + hosts.budgetPeriod;
}
