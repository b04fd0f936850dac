/** Reading a store, beside a running crawl or after any kind of stop, without changing a byte of it. */
import { existsSync } from 'node:fs';
import { UserError } from '../errors.js';
import { type Database, explain, openDatabase } from './database.js';
import type { Stored, StoreReader, TableName, Tables } from './ports.js';
import { readState, type StoredState, TableScanner } from './sqlite-reads.js';
import { checkSchema } from './sqlite-schema.js';

/** How long a read may block while another process recovers or resets the log, in ms. */
const BUSY = 5_000;

export const noCrawlAt = (path: string): UserError =>
  new UserError(`There is no crawl here: ${path} does not exist. Name the directory of a crawl with --dir.`);

/**
 * Opens a store read-only. All tables are seen as of the moment of opening: one prefix of the commits.
 *
 * Works beside a writer, and after `kill -9` (the log is read as it stands). Read permission is enough: a cleanly closed
 * store is one file, and a killed crawl leaves log (`-wal`) and index (`-shm`). Only a copy that has a log but no index
 * needs write permission on its directory once.
 * @throws UserError if there is no store, it is not one, or it cannot be read.
 */
export function openSqliteReader(path: string): StoreReader {
  if (!existsSync(path)) throw noCrawlAt(path);
  rollBack(path);
  let db: Database | undefined;
  try {
    db = openDatabase(path, { readOnly: true, timeout: BUSY });
    const found = checkSchema(db, path);
    if (found === 'older') {
      throw new UserError(
        `${path} was written by an older Saunter: run "saunter crawl --dir DIR" once, which brings it up to date.`,
      );
    }
    if (found === 'empty') {
      throw new UserError(`${path} is empty: its crawl was stopped before it stored anything. Run it again.`);
    }
    return new SqliteReader(db, path, readState(db));
  } catch (error) {
    db?.close();
    throw explain(error, path, 'read');
  }
}

/** A crawl that was killed in the moment in which it turns its log on or off leaves a rollback journal, which no read-only
 * connection may apply: one that may write does it, if nobody else is at work. Without the permission to write, the
 * read that follows says what is wrong. */
function rollBack(path: string): void {
  if (!existsSync(`${path}-journal`)) return;
  let db: Database | undefined;
  try {
    db = openDatabase(path, { timeout: BUSY });
    db.exec('SELECT count(*) FROM sqlite_schema');
  } catch {
    // the reader meets the same obstacle, and names it
  } finally {
    db?.close();
  }
}

class SqliteReader implements StoreReader {
  readonly #db: Database;
  readonly #path: string;
  readonly #state: StoredState;
  readonly #scanner: TableScanner;

  constructor(db: Database, path: string, state: StoredState) {
    this.#db = db;
    this.#path = path;
    this.#state = state;
    this.#scanner = new TableScanner(db);
  }

  meta(key: string): string | null {
    return this.#state.meta.get(key) ?? null;
  }

  count(table: TableName): number {
    return this.#state.counts[table];
  }

  *scan<T extends TableName>(table: T, from = 0): Generator<Stored<Tables[T]>[]> {
    try {
      yield* this.#scanner.scan(table, from, this.#state.counts[table]);
    } catch (error) {
      throw explain(error, this.#path, 'read');
    }
  }

  at<T extends TableName>(table: T, places: readonly number[]): Stored<Tables[T]>[] {
    try {
      return this.#scanner.at(table, places, this.#state.counts[table]);
    } catch (error) {
      throw explain(error, this.#path, 'read');
    }
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }
}
