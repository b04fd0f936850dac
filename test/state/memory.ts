/** The memory of a crawl in tests of its restart: made empty, rebuilt, and compared. */
import { type Changes, noChanges } from '../../src/changes.js';
import { SeenTable } from '../../src/dedupe/seen.js';
import type { Stored, StoreReader, TableName, Tables } from '../../src/engines/ports.js';
import { seededRandom } from '../../src/engines/system.js';
import { Frontier } from '../../src/frontier/frontier.js';
import { DENIED_LIST } from '../../src/frontier/host-table.js';
import type { FrontierOptions } from '../../src/frontier/lease.js';
import { NONE } from '../../src/frontier/url-table.js';
import { loadCheckpoint } from '../../src/state/checkpoint-load.js';
import { CommittedSegments } from '../../src/state/committed-segments.js';
import { emptyProjection, type LastStop, type Rebuilt, rebuild } from '../../src/state/rebuild.js';
import { Tally } from '../../src/state/tally.js';

export const IDENTITY = { crawl: 'c0ffee', schema: '1', options: '[]' };

export class Memory {
  readonly frontier: Frontier;
  readonly seen = new SeenTable();
  /** What was said of visits, bodies read again and events, and whether the host was known then. */
  readonly told: string[] = [];
  readonly tally = new Tally();
  readonly committed = new CommittedSegments();
  readonly robots: string[] = [];
  rebuilt: Rebuilt | null = null;
  /** Why a checkpoint was not used; null if it was, or there is none. */
  reason: string | null = null;

  constructor(options: FrontierOptions) {
    this.frontier = new Frontier(options, seededRandom(7));
  }

  /** Starts from the rows, and from the checkpoint at `path` if there is one. */
  start(reader: StoreReader, stop: LastStop, now: number, path: string | null = null): this {
    const { frontier, seen, tally, committed, told } = this;
    const projection = emptyProjection(frontier);
    const filled = { seen, tally, committed, urls: frontier.urls, projection };
    const loaded = path === null ? { reason: null } : loadCheckpoint(path, reader, IDENTITY, filled);
    if ('reason' in loaded) this.reason = loaded.reason;
    this.rebuilt = rebuild(
      reader,
      {
        ...{ frontier, seen, tally, committed, random: seededRandom(9), delay: 1000, uncleanOwe: 10_000 },
        onRobots: ({ origin, host, failures, at }) => {
          const verdict = { verdict: 'allow', rules: null, until: at + 1000 } as const;
          frontier.restoreRobots(frontier.robots.of(origin, host), verdict, failures * 1000);
        },
        onVisit: ({ id, url }) => void told.push(`visit ${id} on host ${frontier.urls.hostOf(url)}`),
        onReparsed: ({ id }) => void told.push(`reparsed ${id}`),
        onHostEvent: ({ host, kind }) => void told.push(`${kind} ${frontier.hosts.names[host]}`),
        onSegment: ({ name }) => this.robots.push(name),
      },
      stop,
      now,
      noChanges(),
      'from' in loaded ? loaded : undefined,
    );
    return this;
  }

  /** All of it that decides anything, in words and numbers. */
  picture(): unknown {
    const { frontier, seen, tally, committed, told } = this;
    const { hosts, urls, addresses, retries, revisits } = frontier;
    const keys: string[] = [];
    seen.forEach((hi, lo, id) => void keys.push(`${hi} ${lo} ${id}`));
    const ids = Array.from({ length: urls.size }, (_, id) => id);
    const list = (host: number, level: number): number[] => {
      const found: number[] = [];
      for (let url = hosts.head(host, level); url !== NONE; url = urls.link(url)) found.push(url);
      return found;
    };
    return {
      urls: ids.map((id) => [
        ...[urls.hostOf(id), urls.state(id), urls.level(id), urls.attempts(id), retries.forget(id)],
        ...[revisits.due(id), revisits.lastVisit(id)],
      ]),
      revisits: [revisits.overdue, revisits.time, revisits.freshness(0)],
      inState: [...urls.inState],
      hosts: hosts.names.map((name, host) => [
        ...[name, hosts.state[host], hosts.reason[host], hosts.nextAt[host], hosts.owed[host], hosts.restUntil[host]],
        ...[hosts.crawlDelay[host], hosts.penalty[host], hosts.throttles[host], hosts.sleeps[host]],
        ...[hosts.failures[host], hosts.offline[host], hosts.admitted[host], hosts.fetched[host], hosts.demoted[host]],
        ...[hosts.windowStart[host], hosts.budget[host], hosts.named[host], hosts.queued[host], hosts.levels[host]],
        Array.from({ length: DENIED_LIST + 1 }, (_, level) => list(host, level)),
      ]),
      addresses: addresses.names.map((name, id) => `${name} ${addresses.nextAt(id)}`).sort(),
      waiting: [retries.size, retries.time],
      front: [...frontier.front.lengths],
      tally: JSON.stringify({ ...tally, errors: Object.entries(tally.errors).sort() }),
      committed: [...committed.lengths()].sort(),
      next: [this.rebuilt!.requests, this.rebuilt!.visits],
      keys: keys.sort(),
      told,
      robots: this.robots,
    };
  }
}

const TABLES = [
  ...([
    'hosts',
    'urls',
    'requests',
    'visits',
    'reparsed',
    'robots',
    'hostEvents',
    'denied',
    'dead',
    'segments',
  ] as const),
];

const rowsOf = <T extends TableName>(reader: StoreReader, table: T): Stored<Tables[T]>[] =>
  [...reader.scan(table)].flat();

/** A store as it was after some batch. */
export function prefixOf(reader: StoreReader, batch: number): StoreReader {
  const until = <T extends TableName>(table: T) => rowsOf(reader, table).filter((row) => row.batch <= batch);
  return {
    meta: (key) => reader.meta(key),
    *scan(table, from = 0) {
      yield until(table).slice(from);
    },
    *keptVisits(to) {
      yield until('visits').slice(0, to);
    },
    at: (table, places) => reader.at(table, places),
    count: (table) => until(table).length,
    close: () => {},
  };
}

/** The rows of one batch. */
export function changesOf(reader: StoreReader, batch: number): Changes {
  const changes = noChanges() as unknown as Record<TableName, unknown[]>;
  for (const table of TABLES) changes[table] = rowsOf(reader, table).filter((row) => row.batch === batch);
  return changes as unknown as Changes;
}

/** The number of the last batch that wrote a row. */
export const lastBatch = (reader: StoreReader): number =>
  Math.max(0, ...TABLES.map((table) => rowsOf(reader, table).at(-1)?.batch ?? 0));
