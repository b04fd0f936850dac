/** Of the pending URLs of hosts that are not at rest, those that wait for longer than a moment, from the rows alone. */
import type { StoreReader } from '../engines/ports.js';
import { rows, STATES, type UrlStates } from './states.js';
import { restingHosts, type WaitingHosts } from './waiting.js';

/** `retry`: URLs that failed, and are tried again later; `delay`: URLs of hosts that ask for a long pause. */
export type TurnWait = 'retry' | 'delay';

/** A delay that is over sooner is nothing to tell of, ms. */
const LONG = 30_000;
const PENDING = STATES.indexOf('pending');

/** @param now wall ms */
export function waitingTurns(
  reader: StoreReader,
  { states, attempts }: UrlStates,
  now: number,
): Partial<Record<TurnWait, WaitingHosts>> {
  if (!states.includes(PENDING)) return {};
  const next = nextTurns(reader);
  const resting = restingHosts(reader, now);
  const hosts = { retry: new Map<number, number>(), delay: new Map<number, number>() };
  for (const { id, host } of rows(reader, 'urls')) {
    if (id >= states.length || states[id] !== PENDING || resting.has(host)) continue;
    const wait = attempts[id] > 0 ? 'retry' : (next.get(host) ?? 0) > now + LONG ? 'delay' : null;
    if (wait !== null) hosts[wait].set(host, (hosts[wait].get(host) ?? 0) + 1);
  }
  const waiting: Partial<Record<TurnWait, WaitingHosts>> = {};
  for (const [wait, counts] of Object.entries(hosts) as [TurnWait, Map<number, number>][]) {
    if (counts.size === 0) continue;
    const urls = [...counts.values()].reduce((sum, count) => sum + count, 0);
    // when a URL is tried again only the running crawl knows
    const first = wait === 'retry' ? null : earliest(counts.keys(), next);
    waiting[wait] = { hosts: counts.size, urls, next: first };
  }
  return waiting;
}

function earliest(hosts: Iterable<number>, next: ReadonlyMap<number, number>): number {
  let first = Number.POSITIVE_INFINITY;
  for (const host of hosts) first = Math.min(first, next.get(host) ?? first);
  return first;
}

/** When each host that was asked may be asked again, wall ms. */
function nextTurns(reader: StoreReader): Map<number, number> {
  const next = new Map<number, number>();
  for (const { host, ended, delay } of rows(reader, 'requests')) {
    const at = ended + delay;
    if (at > (next.get(host) ?? 0)) next.set(host, at);
  }
  return next;
}
