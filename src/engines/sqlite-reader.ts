/** Reading a store, beside a running crawl or after any kind of stop, without changing a byte of it. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UserError } from '../errors.js';
import { type Database, explain, openDatabase, SQLITE, sqliteCode } from './database.js';
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
 * Works beside a writer, and after `kill -9` (the log is read as it stands). Needs read permission on the file, and
 * write permission on the directory only where the log's index (`-shm`) has to be made; a store that was closed
 * cleanly (no `-wal` file) is also read from a read-only directory, by Node 22.15 and later and by Node 20.
 * @throws UserError if there is no store, it is not one, or it cannot be read.
 */
export function openSqliteReader(path: string): StoreReader {
  if (!existsSync(path)) throw noCrawlAt(path);
  try {
    return openAs(path, path);
  } catch (error) {
    const code = sqliteCode(error);
    const denied = code === SQLITE.CANTOPEN || code === SQLITE.READONLY;
    if (!denied || existsSync(`${path}-wal`)) throw explain(error, path, 'read');
  }
  // Nobody writes and no log exists, but its index cannot be made here: read the file alone.
  try {
    const url = pathToFileURL(resolve(path));
    url.searchParams.set('immutable', '1');
    return openAs(path, url);
  } catch (error) {
    throw explain(error, path, 'read');
  }
}

function openAs(path: string, location: string | URL): SqliteReader {
  const db = openDatabase(location, { readOnly: true, timeout: BUSY });
  try {
    if (checkSchema(db, path) === 'empty') {
      throw new UserError(`${path} is empty: its crawl was stopped before it stored anything. Run it again.`);
    }
    return new SqliteReader(db, path, readState(db));
  } catch (error) {
    db.close();
    throw error;
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

  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }
}
