/** Which pending URLs wait for more than their turn, from the rows alone: those of hosts that are blocked, offline or
 * asleep. */
import type { HostEventKind } from '../changes.js';
import type { StoreReader } from '../engines/ports.js';
import { rows, STATES } from './states.js';

export interface WaitingHosts {
  readonly hosts: number;
  readonly urls: number;
  /** Wall ms at which the first of these hosts is asked again; null where nothing says. */
  next: number | null;
}

export type HostWait = 'blocked' | 'offline' | 'throttled';

interface Rest {
  readonly wait: HostWait;
  /** 0: until somebody ends it. */
  readonly until: number;
}

/** Events that put a host to rest, and why it then waits; others (`recovered`, `unblocked`, ...) end what they are about. */
const RESTS: Readonly<Partial<Record<HostEventKind, HostWait>>> = { offline: 'offline', asleep: 'throttled' };

/**
 * @param states of every URL, as `readStates` gives them
 * @param now wall ms
 */
export function waitingHosts(
  reader: StoreReader,
  states: Uint8Array,
  now: number,
): Partial<Record<HostWait, WaitingHosts>> {
  const pending = STATES.indexOf('pending');
  const resting = restingHosts(reader, now);
  const urls = new Map<number, number>();
  if (resting.size > 0) {
    for (const { id, host } of rows(reader, 'urls')) {
      if (states[id] === pending && resting.has(host)) urls.set(host, (urls.get(host) ?? 0) + 1);
    }
  }
  const waiting: Partial<Record<HostWait, WaitingHosts>> = {};
  for (const [host, count] of urls) {
    const { wait, until } = resting.get(host)!;
    const before = waiting[wait] ?? { hosts: 0, urls: 0, next: null };
    const next = until === 0 ? before.next : Math.min(until, before.next ?? until);
    waiting[wait] = { hosts: before.hosts + 1, urls: before.urls + count, next };
  }
  return waiting;
}

function restingHosts(reader: StoreReader, now: number): Map<number, Rest> {
  const blocked = new Map<number, Rest>();
  const resting = new Map<number, Rest>();
  for (const { host, kind, until } of rows(reader, 'hostEvents')) {
    if (kind === 'blocked') blocked.set(host, { wait: 'blocked', until });
    else if (kind === 'unblocked') blocked.delete(host);
    else if (kind === 'online' || kind === 'recovered' || kind === 'dropped') resting.delete(host);
    const wait = RESTS[kind];
    if (wait !== undefined) resting.set(host, { wait, until });
  }
  const all = new Map([...resting, ...blocked]);
  for (const [host, { until }] of all) if (until > 0 && until <= now) all.delete(host);
  return all;
}
