/** The memory of a crawl in tests of its restart: made empty, rebuilt, and compared. */
import { Duplicates } from '../../src/admit/duplicates.js';
import { RobotsDesk } from '../../src/admit/robots-desk.js';
import { type Changes, noChanges, type VisitRow } from '../../src/changes.js';
import { KeptPages, printOf } from '../../src/dedupe/kept-pages.js';
import { SeenTable } from '../../src/dedupe/seen.js';
import type { Stored, StoreReader, TableName, Tables } from '../../src/engines/ports.js';
import { seededRandom } from '../../src/engines/system.js';
import { ROBOTS_TIMES } from '../../src/fetch/robots-ladder.js';
import { Frontier } from '../../src/frontier/frontier.js';
import { DENIED_LIST } from '../../src/frontier/host-table.js';
import type { FrontierOptions } from '../../src/frontier/lease.js';
import { NONE } from '../../src/frontier/url-table.js';
import { KeptPart } from '../../src/state/checkpoint-kept.js';
import { loadCheckpoint } from '../../src/state/checkpoint-load.js';
import type { CheckpointPart } from '../../src/state/checkpoint-part.js';
import { RobotsPart } from '../../src/state/checkpoint-robots.js';
import { CommittedSegments } from '../../src/state/committed-segments.js';
import { emptyProjection, type LastStop, type Rebuilt, rebuild } from '../../src/state/rebuild.js';
import { Tally } from '../../src/state/tally.js';

export const IDENTITY = { crawl: 'c0ffee', schema: '1', options: '[]' };

export class Memory {
  readonly frontier: Frontier;
  readonly seen = new SeenTable();
  readonly duplicates: Duplicates;
  readonly desk: RobotsDesk;
  parts: CheckpointPart[] = [];
  /** Visits so far, those of open batches included. */
  settled = 0;
  readonly tally = new Tally();
  readonly committed = new CommittedSegments();
  readonly segments: string[] = [];
  rebuilt: Rebuilt | null = null;
  /** Why a checkpoint was not used; null if it was, or there is none. */
  reason: string | null = null;

  constructor(options: FrontierOptions) {
    this.frontier = new Frontier(options, seededRandom(7));
    const limits = { ratio: 0.5, window: 4 };
    const rules = { exact: 'drop', near: 'demote', limits, probe: () => null } as const;
    this.duplicates = new Duplicates(new KeptPages(), this.frontier, null as never, rules);
    this.desk = new RobotsDesk(this.frontier, null as never, {
      ...{ agent: 'Saunter', times: ROBOTS_TIMES, crawlDelayCap: 3_600_000, memory: 1e6 },
      ...{ sitemap: () => null, isInside: () => false },
    });
  }

  /** Starts from the rows, and from the checkpoint at `path` if there is one. */
  start(reader: StoreReader, stop: LastStop, now: number, path: string | null = null): this {
    const { frontier, seen, tally, committed, duplicates, desk } = this;
    const projection = emptyProjection(frontier);
    duplicates.kept.near.defer();
    const verdicts = new RobotsPart(desk, now);
    this.parts = [new KeptPart(duplicates, () => this.settled), verdicts];
    const filled = { seen, tally, committed, urls: frontier.urls, projection, parts: this.parts };
    const loaded = path === null ? { reason: null } : loadCheckpoint(path, reader, IDENTITY, filled);
    if ('reason' in loaded) this.reason = loaded.reason;
    this.rebuilt = rebuild(
      reader,
      {
        ...{ frontier, seen, tally, committed, random: seededRandom(9), delay: 1000, uncleanOwe: 10_000 },
        onRobotsTold: () => verdicts.tell(),
        onRobots: (row, isAhead) => {
          if (isAhead) verdicts.ahead();
          desk.restore(frontier.robots.of(row.origin, row.host), row);
        },
        onVisit: (row) => duplicates.restore(row),
        onReparsed: ({ visit, simhash }) => duplicates.kept.reread(visit, simhash),
        onHostEvent: (row) => duplicates.restoreEvent(row),
        onSegment: ({ name }) => this.segments.push(name),
      },
      stop,
      now,
      noChanges(),
      'from' in loaded ? loaded : undefined,
    );
    this.#reader = reader;
    this.settled = this.rebuilt.visits;
    return this;
  }

  #reader: StoreReader | null = null;

  /** What is known of pages and of robots.txt files. */
  #told(): unknown {
    const { frontier, duplicates, desk } = this;
    const { kept, hosts } = duplicates;
    while (!kept.near.load());
    const visits = rowsOf(this.#reader!, 'visits').map((visit) => {
      const { id, url, contentHash, simhash } = visit;
      const print = printOf(simhash);
      return [
        ...[kept.content.hasPage(url), kept.content.holds(id), contentHash && kept.content.visitOf(contentHash)],
        print && kept.near.find(print.hi, print.lo, -1),
        kept.errors.isError(frontier.urls.hostOf(url), print, contentHash),
      ];
    });
    return {
      visits,
      hosts: frontier.hosts.names.map((_, host) => [
        ...[hosts.pages(host), hosts.duplicates(host), hosts.isSuspect(host), hosts.isRising(host)],
        ...[hosts.mirrorOf(host), kept.errors.isKnown(host), duplicates.probes.get(host)],
      ]),
      repeats: [...hosts.repeats()].sort(([a], [b]) => a - b),
      robots: [...desk.facts()].sort((a, b) => (a.origin < b.origin ? -1 : 1)),
      origins: frontier.robots.origins
        .map(({ name, host, state, crawlDelay }) => `${name} ${host} ${state?.verdict} ${state?.until} ${crawlDelay}`)
        .sort(),
    };
  }

  /** All of it that decides anything, in words and numbers. */
  picture(): unknown {
    const { frontier, seen, tally, committed } = this;
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
        hosts.seed[host],
        Array.from({ length: DENIED_LIST + 1 }, (_, level) => list(host, level)),
      ]),
      addresses: addresses.names.map((name, id) => `${name} ${addresses.nextAt(id)}`).sort(),
      waiting: [retries.size, retries.time],
      front: [...frontier.front.lengths],
      tally: JSON.stringify({ ...tally, errors: Object.entries(tally.errors).sort() }),
      committed: [...committed.lengths()].sort(),
      next: [this.rebuilt!.requests, this.rebuilt!.visits],
      keys: keys.sort(),
      told: this.#told(),
      segments: this.segments,
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
    'seeds',
  ] as const),
];

const rowsOf = <T extends TableName>(reader: StoreReader, table: T): Stored<Tables[T]>[] =>
  [...reader.scan(table)].flat();

/** The same crawl, of which pages have contents and fingerprints, few enough that they often repeat each other. */
export function withContents(store: StoreReader, seed: number): StoreReader {
  const random = seededRandom(seed);
  const kept = new KeptPages();
  const draw = (most: number): number => Math.floor(random.next() * most);
  const hosts = rowsOf(store, 'urls').map(({ host }) => host);
  const visits = rowsOf(store, 'visits').map((row): Stored<VisitRow> => {
    const content = draw(12);
    const contentHash = draw(12) === 0 ? null : new Uint8Array(32).fill(content);
    const simhash = draw(8) === 0 ? null : `${(7 * content).toString(16).padStart(15, '0')}${draw(4)}`;
    const visit = { ...row, contentHash, simhash };
    const print = printOf(simhash);
    if (row.code !== 'ok' || row.kind !== 'page' || contentHash === null) {
      kept.settled(visit, hosts[row.url]);
      return visit;
    }
    const holder = kept.content.visitOf(contentHash);
    const exact = holder < 0 ? -1 : kept.content.urlOf(holder);
    const near = exact >= 0 || print === null ? -1 : kept.near.find(print.hi, print.lo, row.url);
    const told = exact === row.url ? visit : { ...visit, duplicateOf: Math.max(exact, near), near: near >= 0 };
    kept.settled(told, hosts[row.url]);
    return told;
  });
  return {
    ...prefixOf(store, lastBatch(store)),
    *scan<T extends TableName>(table: T, from = 0) {
      yield (table === 'visits' ? visits : rowsOf(store, table)).slice(from) as Stored<Tables[T]>[];
    },
    at: (table, places) => (table === 'visits' ? (places.map((at) => visits[at]) as never) : store.at(table, places)),
  };
}

/** A store as it was after some batch. */
export function prefixOf(reader: StoreReader, batch: number): StoreReader {
  const until = <T extends TableName>(table: T) => rowsOf(reader, table).filter((row) => row.batch <= batch);
  return {
    meta: (key) => reader.meta(key),
    *scan(table, from = 0) {
      yield until(table).slice(from);
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
