/**
 * The SQLite library and what its errors mean. `node:sqlite` where Node carries one with all we need (22.16 and later:
 * rows as arrays, databases by URL), else `@photostructure/sqlite`: the same interface with prebuilt binaries. One process uses
 * one of them only: two copies of SQLite on one file would drop each other's POSIX locks.
 */
import { createRequire } from 'node:module';
import { UserError } from '../errors.js';

export type SqlValue = number | string | Uint8Array | null;

export interface Statement {
  run(...parameters: SqlValue[]): unknown;
  get(...parameters: SqlValue[]): unknown;
  all(...parameters: SqlValue[]): unknown[];
  setReturnArrays(arrays: boolean): void;
}

export interface Database {
  readonly isOpen: boolean;
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

interface Library {
  DatabaseSync: new (path: string | URL, options: { readOnly?: boolean; timeout?: number }) => Database;
  StatementSync: { prototype: Partial<Statement> };
}

let library: Library | undefined;

function loadLibrary(): Library {
  const builtin = withoutWarnings(() => process.getBuiltinModule?.('node:sqlite' as 'node:fs') as unknown) as
    | Library
    | undefined;
  if (builtin?.StatementSync.prototype.setReturnArrays !== undefined) return builtin;
  return createRequire(import.meta.url)('@photostructure/sqlite') as Library;
}

/** Node warns that its SQLite may still change: a matter for our tests, not for the user's terminal. */
function withoutWarnings<T>(load: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Opens a connection. `timeout`: ms that SQLite itself may block for a lock. Throws the library's error: give it to
 * {@link explain}. Keep the connection reachable for as long as its statements: a collected one is closed. */
export function openDatabase(path: string | URL, options: { readOnly?: boolean; timeout?: number } = {}): Database {
  library ??= loadLibrary();
  return new library.DatabaseSync(path, options);
}

/** Primary result codes, https://sqlite.org/rescode.html. */
export const SQLITE = {
  BUSY: 5,
  LOCKED: 6,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  CONSTRAINT: 19,
  MISMATCH: 20,
  NOTADB: 26,
} as const;

/** The primary result code of an error of the library; 0 for any other error. */
export function sqliteCode(error: unknown): number {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === 'number' ? code & 0xff : 0;
}

export const isBusy = (error: unknown): boolean => {
  const code = sqliteCode(error);
  return code === SQLITE.BUSY || code === SQLITE.LOCKED;
};

/** Turns an error of the library into one that a user can act on: what happened, to which file, what to do. Errors of
 * another kind come back as they are. */
export function explain(error: unknown, path: string, doing: 'open' | 'read' | 'write'): unknown {
  const words = describe(sqliteCode(error), path, doing);
  if (words === null) return error;
  const detail = `${(error as Error).message} (SQLite ${(error as { errcode: number }).errcode})`;
  return new UserError(`${words} [${detail}]`, 1, { cause: error });
}

function describe(code: number, path: string, doing: string): string | null {
  switch (code) {
    case SQLITE.FULL:
      return `The disk is full: ${path} could not be written. Free some space and run the same command again; nothing that was committed is lost.`;
    case SQLITE.READONLY:
      return `${path} is read-only for this user. Check the permissions of the file and of its directory, and that the file system is not mounted read-only.`;
    case SQLITE.CANTOPEN:
      return doing === 'read'
        ? `${path} could not be read. Check that the file exists and that you may read it and write its directory (a database with a write-ahead log needs that once).`
        : `${path} could not be opened. Check that its directory exists and that you may write there.`;
    case SQLITE.IOERR:
      return `The disk failed under ${path} (could not ${doing} it). Check the disk and its free space, then run the same command again; nothing that was committed is lost.`;
    case SQLITE.CORRUPT:
      return `${path} is damaged. Keep a copy, then try «sqlite3 ${path} .recover», or crawl into a new directory.`;
    case SQLITE.NOTADB:
      return `${path} is not a Saunter store (not even an SQLite file). Name another directory.`;
    case SQLITE.BUSY:
    case SQLITE.LOCKED:
      return `${path} is locked by another program, perhaps a database viewer with a write open. Close it and run the same command again.`;
    default:
      return null;
  }
}
