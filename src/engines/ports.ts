/**
 * The ports: what the crawler needs from the world, each with what it promises and what it leaves out. One conformance
 * suite (test/engines) runs on every engine. The cluster's ports (LinkExchange, ParseQueue, Leases, Gate) join this
 * file together with their first engine.
 */
import type {
  Batch,
  DeadRow,
  DeniedRow,
  HostEventRow,
  HostRow,
  ReparsedRow,
  RequestRow,
  RobotsRow,
  SeedRow,
  SegmentRow,
  UrlRow,
  VisitRow,
} from '../changes.js';
import type { OutcomeCode } from '../errors.js';

/** The tables of a store, by name, with the rows they give back. `batch` says which commit wrote the row, so that
 * tables can be merged in the order of events. */
export interface Tables {
  hosts: HostRow;
  urls: UrlRow;
  requests: RequestRow;
  visits: VisitRow;
  reparsed: ReparsedRow;
  robots: RobotsRow;
  hostEvents: HostEventRow;
  denied: DeniedRow;
  dead: DeadRow;
  segments: SegmentRow;
  seeds: SeedRow;
}
export type TableName = keyof Tables;
export type Stored<Row> = Row & { batch: number };

/**
 * Reads of what is committed.
 *
 * Promises: `scan` yields each committed row once, in insertion order, in chunks, in bounded memory, up to the rows that
 * were committed when it began; `at` gives rows by their place in that order. Beside a writer, all tables and `meta` are seen as of the moment the reader was opened:
 * a prefix of the commits that is whole batches. Leaves out: any look-up by content, any ordering other than insertion,
 * and what is in batches that are not committed.
 */
export interface StoreReader {
  /** Small facts: crawl id, secret, schema, frozen options. `null` if the key was never set. */
  meta(key: string): string | null;
  /** Rows of one table from the `from`-th on (0 is the first); chunks of at most a few thousand rows. */
  scan<T extends TableName>(table: T, from?: number): Iterable<Stored<Tables[T]>[]>;
  /** The rows at these places (for rows with an id: their ids), in the order asked; about 5 us each when the places
   * ascend. A place that is not committed is a RangeError. */
  at<T extends TableName>(table: T, places: readonly number[]): Stored<Tables[T]>[];
  /** Number of rows. */
  count(table: TableName): number;
  close(): void;
}

/** What a lease needs to know about a URL, apart from what memory holds. */
export interface UrlText {
  id: number;
  url: string;
  kind: 'page' | 'sitemap';
  depth: number;
  hops: number;
  /** The visit that was named; null for a URL that is visited for the first time. */
  last: LastVisit | null;
}

/** What a revisit has to know of the visit before it, and of the one whose body is in force (`bodyOf`): the same,
 * unless that was a 304. */
export interface LastVisit {
  visit: number;
  at: number;
  nextVisit: number | null;
  history: string | null;
  /** It found a page: a body, or a 304. */
  found: boolean;
  /** Id of the URL whose page the body in force repeats, exactly or nearly, or -1. */
  duplicateOf: number;
  /** Its validators. */
  etag: string | null;
  lastModified: string | null;
  body: {
    visit: number;
    at: number;
    /** The exact URL that answered. */
    target: string;
    contentHash: Uint8Array | null;
    payloadDigest: Uint8Array | null;
    simhash: string | null;
  };
}

/**
 * The durable record of a crawl.
 *
 * Promises: `commit` is atomic and durable when it resolves; sequences of an epoch are 1, 2, 3 ...; a batch with the
 * (epoch, sequence) of the last commit is answered `already` and changes nothing; one of an older epoch rejects with
 * {@link FencedError}; one that skips a sequence, breaks the density of ids or refers to rows that do not exist rejects
 * with {@link BatchError}; after any rejection the same batch can be sent again. Text is kept but for U+0000 and lone
 * surrogates, which become U+FFFD. Leaves out: queries on the hot path (all random access is in memory but for the two
 * look-ups by id below), updates and deletes, retries (the caller repeats the same batch).
 */
export interface Store extends StoreReader {
  /** The (epoch, sequence) of the last commit; [epoch, 0] before the first of an epoch, [0, 0] in a new store. */
  lastBatch(): [epoch: number, sequence: number];
  /** Begins a new epoch, durable when it resolves: older writers are fenced off. Returns the epoch. */
  beginEpoch(): Promise<number>;
  commit(batch: Batch): Promise<'committed' | 'already'>;
  /** Committed URL rows by id with the validators of the named visits (`visits[i]` = id of the last visit of `urls[i]`,
   * or -1). Order as asked. An id that is not committed is an error. */
  readUrls(urls: readonly number[], visits: readonly number[]): Promise<UrlText[]>;
  /** Committed visits by id, with the URL's text: what a revisit record refers to. */
  readVisits(visits: readonly number[]): Promise<VisitReference[]>;
  /** The bodies of committed rows of `robots` by their places, null where a row has none. Order as asked. */
  readRobots(places: readonly number[]): Promise<(Uint8Array | null)[]>;
}

export interface VisitReference {
  visit: number;
  /** Id of the URL, and the exact URL that answered. */
  url: number;
  target: string;
  at: number;
  payloadDigest: Uint8Array | null;
  contentHash: Uint8Array | null;
}

/** A batch came from an owner that was replaced: its memory is to be dropped. */
export class FencedError extends Error {
  override readonly name = 'FencedError';
}

/** A batch breaks the contract (a fault of its sender): nothing of it was kept. */
export class BatchError extends Error {
  override readonly name = 'BatchError';
}

/**
 * The archive of segments, as the main thread sees it (page workers append to segments of their own).
 *
 * Promises: after `sync(names)` all bytes appended to these segments before the call survive a power cut;
 * `recover` leaves a segment closed, holding exactly its committed bytes, whatever the crash left; both are
 * idempotent. Leaves out: which bytes are committed (the store knows), and any index.
 */
export interface Archive {
  sync(names: readonly string[]): Promise<void>;
  /** Cuts and closes what an unclean stop left open. `committed` maps a segment's name to its committed bytes; open
   * segments that it does not name hold nothing committed and are removed. */
  recover(committed: ReadonlyMap<string, number>): Promise<RecoveredSegment[]>;
}

export interface RecoveredSegment {
  name: string;
  length: number;
  /** Bytes that were cut off. */
  cut: number;
}

/** Time. `monotonic` never goes back and is shared by all threads of the process; `wall` is what goes on disk. Both in
 * ms. Leaves out: timers (the loop's only). */
export interface Clock {
  monotonic(): number;
  wall(): number;
}

/** Randomness. Uniform in [0, 1). Not for secrets. */
export interface Random {
  next(): number;
}

export type ResolveAnswer =
  | { addresses: readonly string[]; ttlMs: number; stale: boolean }
  | {
      code: Extract<OutcomeCode, 'dns.nxdomain' | 'dns.timeout' | 'dns.failed'>;
      /** Until then the same is answered without a look-up. */
      ttlMs: number;
      /** The word of one resolver alone: there is no second one to ask. */
      alone: boolean;
    };

/**
 * Host names to addresses.
 *
 * Promises: never rejects, answers within its timeout, caches by TTL, bounds its concurrency. Leaves out: the address
 * guard (the caller applies it to each answer) and the choice among addresses.
 */
export interface Resolver {
  resolve(host: string): Promise<ResolveAnswer>;
}
