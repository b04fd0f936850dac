/** Which pending URLs wait for more than their turn, from the rows alone: those of hosts that are blocked, offline or
 * asleep, and those whose robots.txt cannot be read. */
import type { HostEventKind } from '../changes.js';
import type { StoreReader } from '../engines/ports.js';
import { type RobotsState, robotsVerdict } from '../fetch/robots-ladder.js';
import { originOf } from './origin.js';
import { rows, STATES } from './states.js';

export interface WaitingHosts {
  readonly hosts: number;
  readonly urls: number;
  /** Wall ms at which the first of these hosts is asked again; null where nothing says. */
  next: number | null;
}

export type HostWait = 'blocked' | 'offline' | 'throttled' | 'robots';

/** Why a host is not asked for pages. */
export interface Rest {
  readonly wait: HostWait;
  /** Wall ms; of until: 0 until somebody ends it. */
  readonly since: number;
  readonly until: number;
  /** What was said about it. */
  readonly words: string;
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
  const silent = silentOrigins(reader);
  /** By host, since only some of its origins may be silent. */
  const urls = new Map<number, { rest: Rest; count: number }>();
  for (const { id, host, url } of resting.size + silent.size > 0 ? rows(reader, 'urls') : []) {
    if (id >= states.length || states[id] !== pending) continue;
    const rest = resting.get(host) ?? silent.get(originOf(url));
    if (rest === undefined) continue;
    const count = urls.get(host)?.count ?? 0;
    urls.set(host, { rest, count: count + 1 });
  }
  const waiting: Partial<Record<HostWait, WaitingHosts>> = {};
  for (const {
    rest: { wait, until },
    count,
  } of urls.values()) {
    const before = waiting[wait] ?? { hosts: 0, urls: 0, next: null };
    const next = until === 0 ? before.next : Math.min(until, before.next ?? until);
    waiting[wait] = { hosts: before.hosts + 1, urls: before.urls + count, next };
  }
  return waiting;
}

/** Origins whose robots.txt cannot be read, and forbids all for that. When it is asked for again only the running crawl knows. */
export function silentOrigins(reader: StoreReader): Map<string, Rest & { readonly host: number }> {
  const states = new Map<string, { state: RobotsState; host: number; at: number; code: string }>();
  for (const { origin, host, at, code, status, body } of rows(reader, 'robots')) {
    const answer = { code, status, body: body ?? undefined, redirects: 0 };
    states.set(origin, { state: robotsVerdict(answer, states.get(origin)?.state ?? null, at), host, at, code });
  }
  const silent = new Map<string, Rest & { readonly host: number }>();
  for (const [origin, { state, host, at, code }] of states) {
    if (state.verdict !== 'deny-all') continue;
    silent.set(origin, { wait: 'robots', host, since: state.failingSince ?? at, until: 0, words: code });
  }
  return silent;
}

/** Hosts that have URLs, or were asked for something: one that was blocked before it was met is none of them. */
export function hostsMet(reader: StoreReader): number {
  const strangers = new Set<number>();
  for (const { host, kind } of rows(reader, 'hostEvents')) if (kind === 'blocked') strangers.add(host);
  for (const table of ['requests', 'urls'] as const) {
    if (strangers.size === 0) break;
    for (const { host } of rows(reader, table)) strangers.delete(host);
  }
  return reader.count('hosts') - strangers.size;
}

/** Hosts that are blocked, offline or asleep at a moment. */
export function restingHosts(reader: StoreReader, now: number): Map<number, Rest> {
  const blocked = new Map<number, Rest>();
  const resting = new Map<number, Rest>();
  for (const { host, kind, until, at: since, words } of rows(reader, 'hostEvents')) {
    if (kind === 'blocked') blocked.set(host, { wait: 'blocked', until, since, words });
    else if (kind === 'unblocked') blocked.delete(host);
    else if (kind === 'online' || kind === 'recovered' || kind === 'dropped') resting.delete(host);
    const wait = RESTS[kind];
    if (wait !== undefined) resting.set(host, { wait, until, since, words });
  }
  const all = new Map([...resting, ...blocked]);
  for (const [host, { until }] of all) if (until > 0 && until <= now) all.delete(host);
  return all;
}
