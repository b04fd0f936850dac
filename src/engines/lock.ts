/**
 * One crawl to a directory. The lock is SQLite's exclusive lock on the file `lock`: a POSIX lock, which the system drops
 * with the process however it dies, so a stale one cannot exist, and taking it is atomic. (Node has no flock; a file
 * with a process id cannot be made free of races; a listening socket leaves a file behind and is not seen from another
 * container on the same volume.) What the file holds, the owner's id and the time, is for the error only.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UserError } from '../errors.js';
import { type Database, explain, isBusy, openDatabase } from './database.js';

/** Two that start at once get in each other's way for a moment: how long each tries, in ms. */
const PATIENCE = 500;

/** The connections are the locks: one that nobody refers to would be collected, and closed. */
const HELD = new Set<Database>();

/** Who has a directory: the crawl of a command, which hears what an operator says; that of a program, which does not; work on
 * a crawl that stands still; or an operator's command, which is over in a moment. */
export type Holder = (typeof HOLDERS)[number];
const HOLDERS = ['crawl', 'program', 'import', 'reparse', 'operator'] as const;

/** Another process has the directory. */
export class DirectoryInUse extends UserError {
  /** Null if it cannot be told. */
  readonly holder: Holder | null;
  constructor(message: string, holder: Holder | null) {
    super(message);
    this.holder = holder;
  }
}

export interface DirectoryLock {
  /** Idempotent. Not needed before the end of the process. */
  release(): void;
}

/**
 * Takes the directory for this process.
 * @param now wall time, ms.
 * @param holder told to those who find it taken
 * @throws DirectoryInUse if another crawl has it: «directory X is in use by process P since T».
 */
export function lockDirectory(dir: string, now: number, holder: Holder = 'crawl'): DirectoryLock {
  const path = join(dir, 'lock');
  let db: Database | undefined;
  try {
    db = openDatabase(path, { timeout: PATIENCE });
    hold(db, process.pid, now, holder);
  } catch (error) {
    const told = isBusy(error) ? inUse(dir, path) : explain(error, path, 'open');
    db?.close();
    throw told;
  }
  const held = db;
  HELD.add(held);
  return {
    release: () => {
      if (HELD.delete(held)) held.close();
    },
  };
}

/** Who has a directory at this moment. */
export interface Owner {
  /** Null if it cannot be told. */
  readonly pid: number | null;
  readonly since: string | null;
  readonly holder: Holder | null;
}

/** Who has the directory; null if nobody has. It is not taken. */
export function ownerOf(dir: string): Owner | null {
  const path = join(dir, 'lock');
  if (!existsSync(path)) return null;
  let db: Database | undefined;
  try {
    db = openDatabase(path, { readOnly: true, timeout: 0 });
    db.prepare('PRAGMA user_version').get();
    return null;
  } catch (error) {
    return isBusy(error) ? (readOwner(path) ?? { pid: null, since: null, holder: null }) : null;
  } finally {
    db?.close();
  }
}

/** Above the number of any process. */
const PIDS = 2 ** 27;

/** Takes the lock and keeps it after the transaction. Owner and time lie in two fields of the file's header that
 * applications may use: with no other content, the file is one page, written at once. */
function hold(db: Database, pid: number, now: number, holder: Holder): void {
  // what it is stands above the number of the process, which no system lets grow so large
  const owner = pid < PIDS ? HOLDERS.indexOf(holder) * PIDS + pid : pid;
  db.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY;
    BEGIN EXCLUSIVE;
    PRAGMA user_version = ${owner}; PRAGMA application_id = ${Math.floor(now / 1000) | 0};
    COMMIT;`);
}

function inUse(dir: string, path: string): DirectoryInUse {
  const owner = readOwner(path);
  const by = owner === null ? 'another process' : `process ${owner.pid} since ${owner.since}`;
  const kill = owner === null ? '' : ` (kill ${owner.pid})`;
  return new DirectoryInUse(
    `directory ${dir} is in use by ${by}: wait for that crawl to end, or stop it${kill}`,
    owner?.holder ?? null,
  );
}

/** Reads past the lock. Through SQLite, never through `node:fs`: when a process closes any descriptor of a file, the
 * system drops all locks that it holds on it, and the owner may be another thread of this process. */
function readOwner(path: string): { pid: number; since: string; holder: Holder | null } | null {
  let db: Database | undefined;
  try {
    const url = pathToFileURL(resolve(path));
    url.searchParams.set('immutable', '1');
    db = openDatabase(url, { readOnly: true });
    const { user_version: owner } = db.prepare('PRAGMA user_version').get() as { user_version: number };
    const { application_id: since } = db.prepare('PRAGMA application_id').get() as { application_id: number };
    if (owner <= 0) return null;
    const holder = HOLDERS[Math.floor(owner / PIDS)] ?? null;
    return {
      pid: holder === null ? owner : owner % PIDS,
      holder,
      since: new Date((since >>> 0) * 1000).toISOString().replace('.000Z', 'Z'),
    };
  } catch {
    return null; // the owner is writing it
  } finally {
    db?.close();
  }
}
