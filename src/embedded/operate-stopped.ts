/** The operator's words to a crawl that does not run: rows appended to its store, under its lock. The next run finds
 * them and does what they say. */
import { existsSync } from 'node:fs';
import { type Changes, countChanges, noChanges } from '../changes.js';
import { loadConfig } from '../config/load-config.js';
import { readDropped, readStates, rows, STATES } from '../corpus/states.js';
import { lockDirectory } from '../engines/lock.js';
import type { Store } from '../engines/ports.js';
import { openSqliteStore } from '../engines/sqlite.js';
import { systemClock } from '../engines/system.js';
import { domainOf } from '../url/domain.js';
import { crawlDirectory } from './directory.js';
import { noCrawl } from './look.js';
import {
  blockEnd,
  type LetterRequest,
  nearHost,
  notKnown,
  notMet,
  type OperatorAnswer,
  type OperatorRequest,
} from './operate.js';
import { sameKey } from './url-state.js';

/** Rows of one commit. */
const BATCH = 10_000;
const DEAD = STATES.indexOf('dead');

/**
 * Does what is asked in the directory of a stopped crawl; durable when it resolves.
 * @throws DirectoryInUse if it runs; UserError if there is none, or if it does not know what is named
 */
export async function operateStopped(dir: string, request: OperatorRequest): Promise<OperatorAnswer> {
  const paths = crawlDirectory(dir);
  if (!existsSync(paths.store)) throw noCrawl(dir);
  const now = Math.round(systemClock.wall());
  const lock = lockDirectory(dir, now, 'operator');
  try {
    const store = openSqliteStore(paths.store, { create: false });
    try {
      const writer = new Writer(store, await store.beginEpoch());
      const answer = await decide(store, writer, request, now);
      await writer.flush();
      return answer;
    } finally {
      store.close();
    }
  } finally {
    lock.release();
  }
}

/** Collects rows and commits them in pieces. */
class Writer {
  readonly #store: Store;
  readonly #epoch: number;
  #sequence = 0;
  changes: Changes = noChanges();

  constructor(store: Store, epoch: number) {
    this.#store = store;
    this.#epoch = epoch;
  }

  async room(): Promise<void> {
    if (countChanges(this.changes) >= BATCH) await this.flush();
  }

  async flush(): Promise<void> {
    if (countChanges(this.changes) === 0) return;
    const { changes } = this;
    this.changes = noChanges();
    await this.#store.commit({ epoch: this.#epoch, sequence: ++this.#sequence, changes });
  }
}

async function decide(store: Store, writer: Writer, request: OperatorRequest, at: number): Promise<OperatorAnswer> {
  if (request.verb !== 'block' && request.verb !== 'unblock') return letters(store, writer, request, at);
  const { host: name } = request;
  const found = hostId(store, name);
  const isBlock = request.verb === 'block';
  if (found < 0 && !isBlock) throw notMet(name);
  const host = found < 0 ? meet(store, writer, name, at) : found;
  const before = blockedUntil(store, host, at);
  const until = isBlock ? blockEnd(request.for, at) : null;
  const changed = before !== until;
  if (changed) {
    const kind = isBlock ? 'blocked' : 'unblocked';
    const words = isBlock ? request.reason : '';
    writer.changes.hostEvents.push({ host, at, kind, until: until ?? 0, value: 0, words });
  }
  const { known, pending } = urlsOf(store, host);
  const answer = { subject: name, changed: changed ? 1 : 0, pending, until: until || null };
  if (!isBlock || known > 0 || wasAsked(store, host)) return answer;
  const names = Array.from(rows(store, 'hosts'), (row) => row.name);
  return { ...answer, met: false, near: nearHost(name, names) };
}

function hostId(store: Store, name: string): number {
  for (const row of rows(store, 'hosts')) if (row.name === name) return row.id;
  return -1;
}

/** A host that is blocked before it is met. */
function meet(store: Store, { changes }: Writer, name: string, at: number): number {
  const id = store.count('hosts');
  const { budget } = loadConfig();
  const limit = budget === Number.POSITIVE_INFINITY ? null : budget;
  changes.hosts.push({ id, name, domain: domainOf(name), named: false, budget: limit, at });
  return id;
}

/** When the block of a host ends by itself: wall ms, 0 for never, null if it is not blocked (any more). */
function blockedUntil(store: Store, host: number, now: number): number | null {
  let until: number | null = null;
  for (const event of rows(store, 'hostEvents')) {
    if (event.host !== host) continue;
    if (event.kind === 'blocked') until = event.until;
    if (event.kind === 'unblocked') until = null;
  }
  return until !== null && until > 0 && until <= now ? null : until;
}

function urlsOf(store: Store, host: number): { known: number; pending: number } {
  const { states } = readStates(store);
  let known = 0;
  let pending = 0;
  for (const row of rows(store, 'urls')) {
    if (row.host !== host) continue;
    known++;
    if (states[row.id] === 0) pending++;
  }
  return { known, pending };
}

function wasAsked(store: Store, host: number): boolean {
  for (const request of rows(store, 'requests')) if (request.host === host) return true;
  return false;
}

async function letters(store: Store, writer: Writer, request: LetterRequest, at: number): Promise<OperatorAnswer> {
  const isWanted = wanted(store, request);
  const { states } = readStates(store);
  const dropped = readDropped(store);
  const givenUp = hostsGivenUp(store);
  const { verb } = request;
  let changed = 0;
  let isKnown = request.url === undefined;
  for (const row of rows(store, 'urls')) {
    if (!isWanted(row)) continue;
    isKnown = true;
    // who names a URL wants it tried again, whether its letter was dropped or not
    const isNamed = verb === 'retry' && request.url !== undefined;
    if (states[row.id] !== DEAD || (!isNamed && dropped.has(row.id) !== (verb === 'restore'))) continue;
    changed++;
    const letter = ({ retry: undefined, drop: 'dropped', restore: 'restored' } as const)[verb];
    const step = letter === undefined ? { dead: false } : { dead: true, letter };
    writer.changes.dead.push({ url: row.id, at, code: 'lease.returned', history: [], ...step });
    if (verb === 'retry' && givenUp.delete(row.host)) {
      const event = { host: row.host, at, kind: 'online', until: 0, value: 0, words: 'tried again' } as const;
      writer.changes.hostEvents.push(event);
    }
    await writer.room();
  }
  if (!isKnown) throw notKnown(request.url ?? '');
  return { subject: request.url ?? request.host ?? '', changed, pending: 0 };
}

interface UrlKey {
  host: number;
  keyHi: number;
  keyLo: number;
}

/** Which URL rows a request is about. */
function wanted(store: Store, { url, host }: { url?: string; host?: string }): (row: UrlKey) => boolean {
  if (url !== undefined) {
    const isSame = sameKey(store, url);
    if (isSame === null) throw notKnown(url);
    return isSame;
  }
  if (host === undefined) return () => true;
  const id = hostId(store, host);
  if (id < 0) throw notMet(host);
  return (row) => row.host === id;
}

/** Hosts whose queue died, since they could not be reached: their ladder begins again. */
function hostsGivenUp(store: Store): Set<number> {
  const hosts = new Set<number>();
  for (const { host, kind } of rows(store, 'hostEvents')) {
    if (kind === 'dropped') hosts.add(host);
    else if (kind === 'online' || kind === 'recovered') hosts.delete(host);
  }
  return hosts;
}
