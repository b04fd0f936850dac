/**
 * Rebuild: from the store's rows to the memory of a crawl that goes on, by one sequential scan (DESIGN 8). Of a URL's
 * state changes the last one counts. Clocks: after a clean stop a host owes what is left of its delay; after an unclean
 * one its full delay, spread by jitter, and at least `uncleanOwe` if a lease of it was out (DESIGN 4, Clocks).
 */
import type {
  Changes,
  DeniedRow,
  HostEventRow,
  HostRow,
  ReparsedRow,
  RequestRow,
  RobotsRow,
  SegmentRow,
  UrlRow,
  VisitRow,
} from '../changes.js';
import type { ContentTable } from '../dedupe/content.js';
import type { SeenTable } from '../dedupe/seen.js';
import type { Random, StoreReader } from '../engines/ports.js';
import { OUTCOMES, UserError } from '../errors.js';
import { fetchAllowedAt } from '../frontier/budgets.js';
import type { Frontier } from '../frontier/frontier.js';
import { HostState, WAIT_REASONS } from '../frontier/host-table.js';
import { UrlState } from '../frontier/url-table.js';
import { CommittedSegments } from './committed-segments.js';
import type { OpenLease } from './leases-file.js';
import { mergeTables } from './merge.js';
import type { Tally } from './tally.js';

/** How the last run ended. */
export interface LastStop {
  clean: boolean;
  leases: readonly OpenLease[];
}

export interface RebuildParts {
  frontier: Frontier;
  seen: SeenTable;
  content: ContentTable;
  tally: Tally;
  random: Random;
  /** Floor of host and address gaps, and what a host owes at least whose lease was lost, ms. */
  delay: number;
  uncleanOwe: number;
  onRobots: (row: RobotsRow) => void;
  onSegment: (row: SegmentRow) => void;
}

export interface Rebuilt {
  /** Next free ids. */
  requests: number;
  visits: number;
  committed: CommittedSegments;
}

/** Reads everything. `now` is wall ms; rows about lost leases go to `changes`. */
export function rebuild(
  reader: StoreReader,
  parts: RebuildParts,
  stop: LastStop,
  now: number,
  changes: Changes,
): Rebuilt {
  const scan = new Scan(parts, now);
  mergeTables(reader, {
    hosts: (row) => scan.host(row),
    urls: (row) => scan.url(row),
    segments: (row) => scan.segment(row),
    denied: (row) => scan.denied(row),
    dead: (row) => scan.dead(row),
    requests: (row) => scan.request(row),
    visits: (row) => scan.visit(row),
    reparsed: (row) => scan.reparsed(row),
    robots: (row) => parts.onRobots({ ...row, at: Math.min(row.at, now) }),
    hostEvents: (row) => scan.event(row),
  });
  if (!stop.clean) for (const lease of stop.leases) scan.lost(lease, changes);
  scan.clocks(uncleanStart(reader, stop, now, changes));
  const { frontier } = parts;
  frontier.restored((url) => frontier.retries.dueAfter(frontier.urls.attempts(url), scan.lastFailure(url)), now);
  return { requests: scan.requests, visits: scan.visits, committed: scan.committed };
}

/** The last start that found an unclean stop is kept: a clean stop soon after it does not pay its debts. */
function uncleanStart(reader: StoreReader, stop: LastStop, now: number, changes: Changes): number {
  if (stop.clean) return Math.min(Number(reader.meta('start.unclean') ?? Number.NEGATIVE_INFINITY), now);
  changes.meta.push(['start.unclean', String(Math.round(now))]);
  return now;
}

class Scan {
  readonly #parts: RebuildParts;
  /** A row that claims to be of a later time was written by a clock that has been set back since: it counts as now, so
   * nothing waits for longer than it did when the row was written. */
  readonly #now: number;
  readonly #metAt: number[] = [];
  readonly #lastFailures = new Map<number, number>();
  readonly committed = new CommittedSegments();
  requests = 0;
  visits = 0;

  constructor(parts: RebuildParts, now: number) {
    this.#parts = parts;
    this.#now = now;
  }

  host(row: HostRow): void {
    const id = this.#parts.frontier.addHost(row.name, row.domain, row.budget, row.named, this.#past(row.at));
    if (id !== row.id) throw damaged(`host ${row.id}`);
    this.#metAt.push(row.at);
  }

  url(row: UrlRow): void {
    const id = this.#parts.frontier.restore(row.host, row.level);
    const known = this.#parts.seen.insert(row.keyHi, row.keyLo, id);
    if (id !== row.id || known >= 0) throw damaged(`URL ${row.id} (${row.url})`);
  }

  segment(row: SegmentRow): void {
    this.committed.segment(row);
    this.#parts.onSegment(row);
  }

  request(row: RequestRow): void {
    const { hosts, urls, addresses, retries } = this.#parts.frontier;
    this.requests = row.id + 1;
    this.#parts.tally.add({ requests: [row], visits: [], denied: [], dead: [] });
    this.committed.record(row.record);
    const ended = this.#past(row.ended);
    hosts.nextAt[row.host] = Math.max(hosts.nextAt[row.host], ended + row.delay);
    hosts.owed[row.host] = row.delay;
    if (row.address !== '') addresses.owe(addresses.intern(row.address), ended + row.addressDelay);
    this.#countEffect(row);
    if (row.url < 0) return;
    fetchAllowedAt(hosts, row.host, this.#past(row.started)); // begins a new budget period if one is due
    hosts.fetched[row.host]++;
    const effect = OUTCOMES[row.code].url;
    if (effect !== 'retry' && effect !== 'dead') return;
    urls.setAttempts(row.url, urls.attempts(row.url) + 1);
    retries.remember(row.url, { at: row.ended, code: row.code, status: row.status });
    this.#lastFailures.set(row.url, ended);
  }

  /** The host's throttles and failures in a row; penalties, sleeps and offline times are told by events. */
  #countEffect({ host, code }: RequestRow): void {
    const { hosts } = this.#parts.frontier;
    switch (OUTCOMES[code].host) {
      case 'backoff':
        hosts.throttles[host]++;
        break;
      case 'unreachable':
      case 'nxdomain':
        hosts.failures[host]++;
        break;
      case 'success':
        hosts.throttles[host] = 0;
        hosts.failures[host] = 0;
        break;
      case 'none':
        break;
    }
  }

  visit(row: VisitRow): void {
    const { urls } = this.#parts.frontier;
    this.visits = row.id + 1;
    this.#parts.tally.add({ requests: [], visits: [row], denied: [], dead: [] });
    this.committed.visit(row);
    if (row.contentHash !== null && row.code === 'ok') this.#parts.content.keep(row.contentHash, row.id, row.url);
    this.#settle(row.url, UrlState.done);
    urls.setAttempts(row.url, 0);
  }

  /** Its text lies in a segment of its own, which is to be kept. */
  reparsed({ text }: ReparsedRow): void {
    this.committed.record(text);
  }

  denied(row: DeniedRow): void {
    this.#parts.tally.add({ requests: [], visits: [], denied: [row], dead: [] });
    this.#parts.frontier.urls.setState(row.url, row.denied ? UrlState.denied : UrlState.pending);
  }

  dead(row: Changes['dead'][number]): void {
    this.#parts.tally.add({ requests: [], visits: [], denied: [], dead: [row] });
    this.#settle(row.url, row.dead ? UrlState.dead : UrlState.pending);
    if (!row.dead) this.#parts.frontier.urls.setAttempts(row.url, 0);
  }

  event(row: HostEventRow): void {
    const { hosts } = this.#parts.frontier;
    const { host, value } = row;
    const until = row.until - row.at + this.#past(row.at);
    if (row.kind === 'throttled' || row.kind === 'recovered') hosts.penalty[host] = value;
    if (row.kind === 'throttled') hosts.nextAt[host] = Math.max(hosts.nextAt[host], until);
    if (row.kind === 'recovered') {
      hosts.sleeps[host] = 0;
      hosts.offline[host] = 0;
    }
    if (row.kind === 'blocked') hosts.state[host] = HostState.off;
    if (row.kind === 'unblocked') hosts.state[host] = HostState.idle;
    if (row.kind === 'demoted') hosts.demoted[host] = 1;
    if (row.kind === 'online') hosts.offline[host] = 0;
    if (row.kind === 'asleep') hosts.throttles[host] = 0;
    if (row.kind === 'offline') hosts.failures[host] = 0;
    if (row.kind === 'asleep' || row.kind === 'offline') {
      hosts.restUntil[host] = until;
      hosts[row.kind === 'asleep' ? 'sleeps' : 'offline'][host] = value;
      hosts.reason[host] = WAIT_REASONS.indexOf(row.kind === 'asleep' ? 'throttled' : 'offline');
    }
  }

  /** A lease that the last run never settled: its request may have been made. The URL is charged an attempt. */
  lost(lease: OpenLease, changes: Changes): void {
    const { frontier, uncleanOwe, delay } = this.#parts;
    if (lease.host >= frontier.hosts.size) return; // its row was never committed
    const url = lease.url < frontier.urls.size ? lease.url : -1; // nor was that of the URL: the host owes all the same
    if (url >= 0 && frontier.urls.state(url) !== UrlState.pending) return; // settled after all
    const code = 'lease.lost';
    const ended = Math.round(this.#now);
    const owed = Math.max(uncleanOwe, delay);
    const row: RequestRow = {
      id: this.requests,
      url,
      host: lease.host,
      address: '',
      kind: lease.kind,
      target: '',
      started: Math.min(lease.at, ended),
      ended,
      status: 0,
      code,
      bytes: 0,
      delay: owed,
      addressDelay: 0,
      record: null,
    };
    changes.requests.push(row);
    this.requests++;
    frontier.hosts.restUntil[lease.host] = Math.max(frontier.hosts.restUntil[lease.host], ended + owed);
    frontier.hosts.reason[lease.host] = WAIT_REASONS.indexOf('delay');
    if (url < 0) return;
    frontier.hosts.fetched[lease.host]++;
    const attempts = frontier.urls.attempts(url) + 1;
    frontier.urls.setAttempts(url, attempts);
    frontier.retries.remember(url, { at: ended, code, status: 0 });
    if (attempts <= MAX_LOST_ATTEMPTS) return;
    changes.dead.push({ url, at: ended, dead: true, code, history: frontier.retries.forget(url) });
    frontier.urls.setState(url, UrlState.dead);
  }

  lastFailure(url: number): number {
    return this.#lastFailures.get(url) ?? 0;
  }

  /** What hosts and addresses owe now that time has passed.
   * @param unclean when the last start was that found an unclean stop: this one, an earlier one, or never (-Infinity) */
  clocks(unclean: number): void {
    const { frontier, delay, uncleanOwe, random } = this.#parts;
    const { hosts, addresses } = frontier;
    const now = this.#now;
    for (let host = 0; host < hosts.size; host++) {
      // the row of a robots.txt was written before its Crawl-delay was read
      const floor = hosts.nextAt[host] - hosts.owed[host] + hosts.crawlDelay[host];
      const full = Math.max(delay, hosts.crawlDelay[host], hosts.penalty[host]);
      // met again after a crash, perhaps: like those that are new now
      const wasNew = this.#metAt[host] > unclean - uncleanOwe;
      const owed = Math.max(full * (1 + random.next()), wasNew ? uncleanOwe : 0);
      const nextAt = Math.max(hosts.nextAt[host], floor, unclean + owed);
      hosts.nextAt[host] = nextAt > now ? nextAt : 0;
    }
    for (let address = 0; address < addresses.size; address++) {
      addresses.reset(address, Math.max(addresses.nextAt(address), unclean + delay, now));
    }
    // what was not committed is not known any more: hosts and addresses that are new now may have been asked before
    frontier.newcomersWait(Math.max(unclean + Math.max(uncleanOwe, delay), 0), Math.max(unclean + delay, 0));
  }

  #past(at: number): number {
    return Math.min(at, this.#now);
  }

  #settle(url: number, state: UrlState): void {
    this.#parts.frontier.urls.setState(url, state);
    this.#parts.frontier.retries.forget(url);
    this.#lastFailures.delete(url);
  }
}

/** As many lost leases of one URL in a row as the ladder has steps: it may be what kills us. */
const MAX_LOST_ATTEMPTS = 4;

const damaged = (what: string): UserError =>
  new UserError(
    `the store is damaged: ${what} does not fit the rows before it; run "saunter verify", or go back to a backup`,
  );
