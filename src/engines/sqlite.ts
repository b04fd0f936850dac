/**
 * The embedded store: one SQLite file that only grows (DESIGN 8). Why it is as it is: docs/decisions/003-append-only-store.md.
 */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Batch } from '../changes.js';
import { formatSize } from '../units.js';
import { checkRows, cleanText, placeOf, TABLE_NAMES } from './batch-rules.js';
import { type Database, explain, isBusy, openDatabase, SQLITE, type Statement, sqliteCode } from './database.js';
import type { UrlText, VisitReference } from './ports.js';
import { BatchError, type Store, type Stored, type TableName, type Tables } from './ports.js';
import { noCrawlAt } from './sqlite-reader.js';
import {
  LAST_BATCH,
  Lookups,
  readLastBatch,
  readState,
  type StoredState,
  stateInTransaction,
  TableScanner,
} from './sqlite-reads.js';
import { checkSchema, createSchema, migrate } from './sqlite-schema.js';
import { type Checkpoint, SecondThread } from './sqlite-second-thread.js';
import { TableWriter } from './sqlite-writer.js';

export { openSqliteReader } from './sqlite-reader.js';

export interface SqliteStoreOptions {
  /** Make the file if it is not there. */
  create: boolean;
  /** Where look-ups by id and checkpoints run: on a thread of their own, or on the calling one. The default is the
   * thread, but `calling` when this file runs as TypeScript source, where there is no built file to start. */
  reads?: 'thread' | 'calling';
  /** How long, in ms, a locked file is retried before the error names it. */
  patience?: number;
  /** Hears a sentence for the user when something outside slows the store (a viewer that holds the log). */
  warn?: (sentence: string) => void;
}

/** Commits between two checkpoints that the second thread makes: about 2 MB of log. */
const CHECKPOINT_EVERY = 8;
/** Pages of log (64 MiB) from which the writer itself makes a checkpoint, and names who keeps it from ending. */
const OVERGROWN = 16_384;
const PAGE = 4096;
/** Default of `patience`, in ms. */
const PATIENCE = 10_000;
/** How long closing waits for other connections to go, in ms. The package for Node 20 closes the second thread's only
 * when that thread has ended. */
const CLOSING = 500;
/** Waits between attempts on a locked file, in ms. */
const BUSY_FIRST = 5;
const BUSY_MOST = 250;

/**
 * Opens the store for writing. The caller holds the lock of the directory (lock.ts): a second writer would be
 * fenced by its epoch, not kept out.
 * @throws UserError if the file is missing (without `create`), is not a store, is of a newer version, or cannot be
 * written.
 */
export function openSqliteStore(path: string, options: SqliteStoreOptions): SqliteStore {
  if (!options.create && !existsSync(path)) throw noCrawlAt(path);
  let db: Database | undefined;
  try {
    db = openDatabase(path, { timeout: options.patience ?? PATIENCE });
    // The kind of file first: a database of another program must not be turned to WAL.
    const found = checkSchema(db, path);
    if (found === 'empty' && !options.create) throw noCrawlAt(path);
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${OVERGROWN * PAGE}`);
    if (found === 'empty') createSchema(db);
    if (found === 'older') migrate(db);
    // From here on a locked file is waited for asynchronously.
    db.exec('PRAGMA busy_timeout = 0');
    return new SqliteStore(db, path, options);
  } catch (error) {
    db?.close();
    throw explain(error, path, 'open');
  }
}

export class SqliteStore implements Store {
  readonly #db: Database;
  readonly #path: string;
  readonly #options: SqliteStoreOptions;
  readonly #scanner: TableScanner;
  readonly #writer: TableWriter;
  readonly #lastBatch: Statement;
  readonly #setLastBatch: Statement;
  readonly #setMeta: Statement;
  /** Null on the calling thread. */
  readonly #thread: SecondThread | null;
  #lookups: Lookups | null = null;
  /** What is committed. Null after a failure, whose outcome only the file knows. */
  #state: StoredState | null;
  /** The last of the writes, which run one after another. */
  #tail: Promise<unknown> = Promise.resolve();
  #sinceCheckpoint = 0;
  #checkpointing = false;
  #warned = false;

  constructor(db: Database, path: string, options: SqliteStoreOptions) {
    this.#db = db;
    this.#path = path;
    this.#options = options;
    this.#scanner = new TableScanner(db);
    this.#writer = new TableWriter(db);
    this.#lastBatch = db.prepare(LAST_BATCH);
    this.#setLastBatch = db.prepare('UPDATE last_batch SET epoch = ?, sequence = ?, batch = ?');
    this.#setMeta = db.prepare('INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value');
    const reads = options.reads ?? (import.meta.url.endsWith('.ts') ? 'calling' : 'thread');
    this.#thread = reads === 'thread' ? new SecondThread(path) : null;
    if (this.#thread !== null) db.exec('PRAGMA wal_autocheckpoint = 0');
    this.#state = readState(db);
  }

  meta(key: string): string | null {
    return this.#committed().meta.get(key) ?? null;
  }

  count(table: TableName): number {
    return this.#committed().counts[table];
  }

  *scan<T extends TableName>(table: T, from = 0): Generator<Stored<Tables[T]>[]> {
    try {
      yield* this.#scanner.scan(table, from, this.count(table));
    } catch (error) {
      throw explain(error, this.#path, 'read');
    }
  }

  at<T extends TableName>(table: T, places: readonly number[]): Stored<Tables[T]>[] {
    try {
      return this.#scanner.at(table, places, this.count(table));
    } catch (error) {
      throw explain(error, this.#path, 'read');
    }
  }

  lastBatch(): [epoch: number, sequence: number] {
    const { epoch, sequence } = this.#committed();
    return [epoch, sequence];
  }

  beginEpoch(): Promise<number> {
    return this.#write(() =>
      this.#transaction((state) => {
        const next = { ...state, epoch: state.epoch + 1, sequence: 0 };
        this.#setLastBatch.run(next.epoch, next.sequence, next.batch);
        return { next, result: next.epoch };
      }),
    );
  }

  async commit(batch: Batch): Promise<'committed' | 'already'> {
    const result = await this.#write(() => this.commitNow(batch));
    this.#checkpointSoon();
    return result;
  }

  /** One attempt to commit, on the calling thread; a locked file throws SQLite's error at once. */
  commitNow(batch: Batch): 'committed' | 'already' {
    return this.#transaction((state) => {
      if (placeOf(batch, [state.epoch, state.sequence]) === 'already') return { next: state, result: 'already' };
      const number = state.batch + 1;
      const counts = checkRows(batch.changes, state.counts);
      for (const table of TABLE_NAMES) this.#writer.append(table, batch.changes[table], state.counts[table], number);
      const meta = this.#writeMeta(state.meta, batch.changes.meta);
      const { epoch, sequence } = batch;
      this.#setLastBatch.run(epoch, sequence, number);
      return { next: { epoch, sequence, batch: number, counts, meta }, result: 'committed' };
    });
  }

  async readUrls(urls: readonly number[], visits: readonly number[]): Promise<UrlText[]> {
    if (urls.length !== visits.length) throw new RangeError('readUrls needs one visit for each URL');
    return this.#thread?.urls(urls, visits) ?? this.#ownLookups().urls(urls, visits);
  }

  async readVisits(visits: readonly number[]): Promise<VisitReference[]> {
    return this.#thread?.visits(visits) ?? this.#ownLookups().visits(visits);
  }

  async readRobots(places: readonly number[]): Promise<(Uint8Array | null)[]> {
    return this.#thread?.robots(places) ?? this.#ownLookups().robots(places);
  }

  /** Leaves one file without a log, which can be read from a read-only directory; if another program has it open, a
   * file and an empty log. Idempotent. */
  close(): void {
    this.#thread?.close();
    if (!this.#db.isOpen) return;
    if (!this.#leaveOneFile()) this.#emptyLog();
    this.#db.close();
  }

  /** SQLite asks for the lock that this takes once only, whatever its busy timeout. */
  #leaveOneFile(): boolean {
    const pause = new Int32Array(new SharedArrayBuffer(4));
    const patience = Math.min(CLOSING, this.#options.patience ?? PATIENCE);
    for (let waited = 0; ; waited += BUSY_FIRST) {
      try {
        this.#db.exec('PRAGMA journal_mode = DELETE');
        return true;
      } catch (error) {
        if (!isBusy(error) || waited >= patience) return false;
      }
      Atomics.wait(pause, 0, 0, BUSY_FIRST);
    }
  }

  #emptyLog(): void {
    try {
      this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // The log stays, and is as good as the file: every commit in it is durable.
    }
  }

  #ownLookups(): Lookups {
    this.#lookups ??= new Lookups(this.#db);
    return this.#lookups;
  }

  #committed(): StoredState {
    this.#state ??= readState(this.#db);
    return this.#state;
  }

  #writeMeta(before: Map<string, string>, changes: Batch['changes']['meta']): Map<string, string> {
    if (changes.length === 0) return before;
    const after = new Map(before);
    for (const [key, value] of changes) {
      const clean = cleanText(value);
      this.#setMeta.run(key, clean);
      after.set(key, clean);
    }
    return after;
  }

  /** Runs `body` in a write transaction on the committed state; `next` becomes the state once it is durable. After an
   * error nothing of it is kept, or (an error of the commit itself) only the file knows: both are read back before the
   * next use, so the same batch can be sent again. */
  #transaction<R>(body: (state: StoredState) => { next: StoredState; result: R }): R {
    try {
      this.#db.exec('BEGIN IMMEDIATE');
      const { epoch, sequence } = readLastBatch(this.#lastBatch);
      let state = this.#state;
      // Another writer began a newer epoch, or our last write failed.
      if (state === null || state.epoch !== epoch || state.sequence !== sequence) state = stateInTransaction(this.#db);
      const { next, result } = body(state);
      this.#db.exec('COMMIT');
      this.#state = next;
      return result;
    } catch (error) {
      this.#state = null;
      this.#rollBack();
      throw isBusy(error) ? error : this.#named(error);
    }
  }

  /** SQLite has already rolled back after some errors (a full disk), and says so by an error of its own. */
  #rollBack(): void {
    try {
      this.#db.exec('ROLLBACK');
    } catch {
      // No transaction was open.
    }
  }

  #named(error: unknown): unknown {
    const code = sqliteCode(error);
    const unfit = code === SQLITE.CONSTRAINT || code === SQLITE.MISMATCH || isTypeError(error);
    return unfit ? new BatchError((error as Error).message, { cause: error }) : explain(error, this.#path, 'write');
  }

  /** One write after another; a locked file is tried again until the patience ends. */
  #write<R>(attempt: () => R): Promise<R> {
    const result = this.#tail.then(() => this.#untilFree(attempt));
    this.#tail = result.catch(() => {});
    return result;
  }

  async #untilFree<R>(attempt: () => R): Promise<R> {
    const patience = this.#options.patience ?? PATIENCE;
    let waited = 0;
    for (let wait = BUSY_FIRST; ; wait = Math.min(2 * wait, BUSY_MOST)) {
      try {
        return attempt();
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (waited >= patience) throw explain(error, this.#path, 'write');
      }
      await sleep(wait);
      waited += wait;
    }
  }

  #checkpointSoon(): void {
    this.#sinceCheckpoint++;
    if (this.#thread === null || this.#checkpointing || this.#sinceCheckpoint < CHECKPOINT_EVERY) return;
    this.#sinceCheckpoint = 0;
    this.#checkpointing = true;
    this.#thread.checkpoint().then(
      (result) => this.#checkpointed(result),
      (error: Error) => {
        this.#checkpointing = false;
        if (this.#db.isOpen) this.#options.warn?.(error.message);
      },
    );
  }

  /** The log is used again from its start when a commit finds all of it in the file. Commits that come without a pause
   * never let the second thread catch up: then the writer does it, once for every 64 MiB. */
  #checkpointed({ log }: Checkpoint): void {
    this.#checkpointing = false;
    if (log < OVERGROWN || !this.#db.isOpen) {
      this.#warned = false;
      return;
    }
    const own = this.#db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() as Checkpoint;
    if (own.checkpointed === own.log || this.#warned) return;
    this.#warned = true;
    this.#options.warn?.(
      `${this.#path}-wal has grown to ${formatSize(own.log * PAGE)} because another program keeps a read of the database open. Close that program (a database viewer?): the file stops growing at the next commit.`,
    );
  }
}

/** A field of the wrong kind: undefined in a column, null in a text. */
const isTypeError = (error: unknown): boolean =>
  error instanceof TypeError || (error as { code?: string }).code === 'ERR_INVALID_ARG_TYPE';
