/**
 * Rebuild: from the store's rows to the memory of a crawl that goes on, by one sequential scan (DESIGN 8). Of a URL's
 * state changes the last one counts. Clocks: after a clean stop a host owes what is left of its delay; after an unclean
 * one its full delay, spread by jitter, and at least `uncleanOwe` if a lease of it was out (DESIGN 4, Clocks).
 */
import type {
  Changes,
  DeadRow,
  DeniedRow,
  HostEventRow,
  ReparsedRow,
  RequestRow,
  RobotsRow,
  SegmentRow,
  UrlRow,
  VisitRow,
} from '../changes.js';
import type { SeenFilter } from '../dedupe/bloom-seen.js';
import type { Random, Stored, StoreReader, TableName, Tables } from '../engines/ports.js';
import { UserError } from '../errors.js';
import type { Frontier } from '../frontier/frontier.js';
import { WAIT_REASONS } from '../frontier/host-table.js';
import { UrlState } from '../frontier/url-table.js';
import type { Told } from './checkpoint-part.js';
import { CommittedSegments } from './committed-segments.js';
import type { OpenLease } from './leases-file.js';
import { mergeTables, type Places, type Scans } from './merge.js';
import { Projection } from './projection.js';
import type { Tally } from './tally.js';

/** How the last run ended. */
export interface LastStop {
  clean: boolean;
  leases: readonly OpenLease[];
}

export interface RebuildParts {
  frontier: Frontier;
  seen: SeenFilter;
  /** One URL may have two rows: a Bloom filter could not say that it was known. */
  mayRepeat?: boolean;
  tally: Tally;
  /** What a checkpoint says of the segments; nothing without one. */
  committed?: CommittedSegments;
  random: Random;
  /** Floor of host and address gaps, and what a host owes at least whose lease was lost, ms. */
  delay: number;
  uncleanOwe: number;
  /** Hosts and URLs are known, and nothing waits in any queue yet: the place for what this run decides anew. */
  onKnown?: () => void;
  /** What a checkpoint says of robots.txt files is due: the rows after it follow. */
  onRobotsTold?: () => void;
  /** @param isAhead the row is of a later time than now, and its time is bounded by it */
  onRobots: (row: RobotsRow, isAhead: boolean) => void;
  onSegment: (row: SegmentRow) => void;
  onUrl?: (row: UrlRow) => void;
  onVisit: (row: VisitRow) => void;
  onReparsed: (row: ReparsedRow) => void;
  onHostEvent: (row: HostEventRow) => void;
}

export interface Rebuilt {
  /** Next free ids. */
  requests: number;
  visits: number;
  committed: CommittedSegments;
  /** Of all rows, and how many of them were read for it. */
  projection: Projection;
  rows: number;
}

/** What is known before the scan: the projection of the first rows of each table. */
export interface Known {
  projection: Projection;
  from: Places;
  /** Rows whose `onUrl`, `onVisit` and `onRobots` are not called: what they say is known. */
  told?: Told;
}

/** Reads everything, or what came after a checkpoint. `now` is wall ms; rows about lost leases go to `changes`.
 * @param known what a checkpoint knows already; its projection is brought up to date
 * @throws UserError if the rows do not fit each other */
export function rebuild(
  reader: StoreReader,
  parts: RebuildParts,
  stop: LastStop,
  now: number,
  changes: Changes,
  known: Known = { projection: emptyProjection(parts.frontier), from: {} },
  onProgress: (done: number, total: number) => void = () => {},
): Rebuilt {
  const { projection } = known;
  const scan = new Scan(parts, now, known);
  const { from, told = {} } = known;
  scan.names(reader);
  mergeTables(
    counted(reader, from, onProgress),
    {
      hosts: (row) => projection.host(row),
      urls: (row) => scan.url(row, row.id >= (told.urls ?? 0)),
      denied: (row) => scan.denied(row),
      dead: (row) => scan.dead(row),
      requests: (row) => scan.request(row),
      visits: (row) => scan.visit(row, row.id >= (told.visits ?? 0)),
      reparsed: (row) => scan.reparsed(row),
      hostEvents: (row) => {
        projection.event(row);
        parts.onHostEvent(row);
      },
    },
    from,
  );
  projection.hand(parts.frontier, now);
  const { hosts, urls } = parts.frontier;
  each(reader, 'seeds', ({ url }) => {
    hosts.seed[urls.hostOf(url)] = 1;
  });
  parts.onKnown?.();
  parts.onRobotsTold?.();
  each(reader, 'robots', (row) => parts.onRobots({ ...row, at: Math.min(row.at, now) }, row.at > now), told.robots);
  if (!stop.clean) for (const lease of stop.leases) scan.lost(lease, reader, changes);
  scan.clocks(uncleanStart(reader, stop, now, changes));
  parts.frontier.restored((url) => scan.dueAt(url), now);
  const { committed } = scan;
  return { requests: scan.requests, visits: reader.count('visits'), committed, projection, rows: scan.rows };
}

/** Of no rows yet. */
export const emptyProjection = ({ hosts, revisits }: Frontier): Projection =>
  new Projection(hosts.budgetPeriod, revisits.planner);

/** Tells how far the scan is, chunk by chunk. */
function counted(reader: StoreReader, from: Places, onProgress: (done: number, total: number) => void): Scans {
  const tables = ['urls', 'requests', 'visits'] as const;
  const total = tables.reduce((sum, table) => sum + reader.count(table) - (from[table] ?? 0), 0);
  let done = 0;
  return {
    *scan(table, first) {
      for (const chunk of reader.scan(table, first)) {
        yield chunk;
        if (!(tables as readonly string[]).includes(table)) continue;
        done += chunk.length;
        onProgress(done, total);
      }
    },
  };
}

function each<T extends TableName>(
  reader: StoreReader,
  table: T,
  visit: (row: Stored<Tables[T]>) => void,
  from = 0,
): void {
  for (const chunk of reader.scan(table, from)) for (const row of chunk) visit(row);
}

/** The last start that found an unclean stop is kept: a clean stop soon after it does not pay its debts. */
function uncleanStart(reader: StoreReader, stop: LastStop, now: number, changes: Changes): number {
  if (stop.clean) return Math.min(Number(reader.meta('start.unclean') ?? Number.NEGATIVE_INFINITY), now);
  changes.meta.push(['start.unclean', String(Math.round(now))]);
  return now;
}

class Scan {
  readonly #parts: RebuildParts;
  readonly #now: number;
  readonly #projection: Projection;
  readonly committed: CommittedSegments;
  requests = 0;
  /** Rows of URLs, requests and visits that were read. */
  rows = 0;

  constructor(parts: RebuildParts, now: number, { projection }: Known) {
    this.#parts = parts;
    this.#now = now;
    this.#projection = projection;
    this.committed = parts.committed ?? new CommittedSegments();
  }

  /** What is small and is read whole: hosts by name, segments. */
  names(reader: StoreReader): void {
    const { frontier, onSegment } = this.#parts;
    this.requests = reader.count('requests');
    each(reader, 'hosts', (row) => {
      const id = frontier.addHost(row.name, row.domain, row.budget, row.named, Math.min(row.at, this.#now));
      if (id !== row.id) throw damaged(`host ${row.id}`);
    });
    each(reader, 'segments', (row) => {
      this.committed.segment(row);
      onSegment(row);
    });
  }

  url(row: UrlRow, isNews: boolean): void {
    this.rows++;
    if (isNews) this.#parts.onUrl?.(row);
    const id = this.#projection.urls.size;
    const known = this.#parts.seen.insert(row.keyHi, row.keyLo, id);
    // a checkpoint may have the key already: it was written while later rows were committed
    const isOther = known >= 0 && known !== id && this.#parts.mayRepeat !== true;
    if (id !== row.id || isOther) throw damaged(`URL ${row.id} (${row.url})`);
    this.#parts.frontier.urls.setHost(id, row.host);
    this.#projection.url(row);
  }

  request(row: RequestRow): void {
    this.rows++;
    this.#parts.tally.add({ requests: [row], visits: [], denied: [], dead: [] });
    this.committed.record(row.record);
    this.#projection.request(row);
  }

  visit(row: VisitRow, isNews: boolean): void {
    if (isNews) this.#parts.onVisit(row);
    this.rows++;
    this.#parts.tally.add({ requests: [], visits: [row], denied: [], dead: [] });
    this.committed.visit(row);
    this.#projection.visit(row);
  }

  /** Its text lies in a segment of its own, which is to be kept. */
  reparsed(row: ReparsedRow): void {
    this.#parts.onReparsed(row);
    this.committed.record(row.text);
  }

  denied(row: DeniedRow): void {
    this.#parts.tally.add({ requests: [], visits: [], denied: [row], dead: [] });
    this.#projection.denied(row);
  }

  dead(row: DeadRow): void {
    this.#parts.tally.add({ requests: [], visits: [], denied: [], dead: [row] });
    this.#projection.dead(row);
  }

  /** A lease that the last run never settled: its request may have been made. The URL is charged an attempt. */
  lost(lease: OpenLease, reader: StoreReader, changes: Changes): void {
    const { frontier, uncleanOwe, delay } = this.#parts;
    if (lease.host >= frontier.hosts.size) return; // its row was never committed
    const url = lease.url < frontier.urls.size ? lease.url : -1; // nor was that of the URL: the host owes all the same
    if (url >= 0 && !this.#isOut(url, lease.at, reader)) return; // settled after all
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
    // It may be what kills us: after as many lost leases as failures it is given up.
    if (attempts < frontier.retries.attempts) return;
    changes.dead.push({ url, at: ended, dead: true, code, history: frontier.retries.forget(url) });
    frontier.revisits.forget(url);
    frontier.urls.setState(url, UrlState.dead);
  }

  /** Is a lease that was granted at `at` still without an end? Then its URL is pending, or a page that was visited last
   * before the lease: it is pending now. */
  #isOut(url: number, at: number, reader: StoreReader): boolean {
    const { urls, revisits } = this.#parts.frontier;
    if (urls.state(url) !== UrlState.done) return urls.state(url) === UrlState.pending;
    if (!revisits.isRevisit(url)) return false;
    const [{ request }] = reader.at('visits', [revisits.lastVisit(url)]);
    const ended = request < 0 ? Number.NEGATIVE_INFINITY : reader.at('requests', [request])[0].ended;
    // one that ends later than now is of a clock that was set back since: before a lease of the new clock
    const isOut = ended < at || (ended > this.#now && at <= this.#now);
    if (isOut) revisits.take(url);
    return isOut;
  }

  /** When a URL that failed may be tried again, ms; 0 for at once. */
  dueAt(url: number): number {
    const { urls, retries } = this.#parts.frontier;
    if (urls.attempts(url) === 0) return 0; // most
    return retries.dueAfter(urls.attempts(url), this.#projection.lastFailure(url, this.#now));
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
      const wasNew = this.#projection.metAt[host] > unclean - uncleanOwe;
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
}

const damaged = (what: string): UserError =>
  new UserError(
    `the store is damaged: ${what} does not fit the rows before it; run "saunter verify", or go back to a backup`,
  );
