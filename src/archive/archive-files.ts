/**
 * The file operations that segments are made of, as an interface, so that tests can fill the disk, break it or cut the
 * power; and the error that a failed one becomes.
 */
import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writevSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { UserError } from '../errors.js';

/** Calls throw what `node:fs` throws. All block but for `syncPath`: segments are written by page workers, and one write
 * of 256 KiB into the page cache takes some 30 us. */
export interface ArchiveFiles {
  /** Creates a file for writing; fails with EEXIST if there is one. */
  create(path: string): number;
  /** Opens an existing file for writing. */
  edit(path: string): number;
  /** Writes at a position; returns the bytes written, which may be fewer than asked. */
  write(fd: number, parts: readonly Buffer[], position: number): number;
  truncate(fd: number, length: number): void;
  sync(fd: number): void;
  close(fd: number): void;
  rename(from: string, to: string): void;
  remove(path: string): void;
  /** Bytes, or null if there is no such file. */
  size(path: string): number | null;
  list(dir: string): string[];
  /** Makes creations, renames and removals in a directory durable. */
  syncDirectory(dir: string): void;
  /** Makes the bytes of a file durable, off the calling thread. False if there is no such file. */
  syncPath(path: string): Promise<boolean>;
}

export const diskFiles: ArchiveFiles = {
  create: (path) => openSync(path, 'wx', 0o644),
  edit: (path) => openSync(path, 'r+'),
  write: (fd, parts, position) => writevSync(fd, parts as Buffer[], position),
  truncate: ftruncateSync,
  sync: fdatasyncSync,
  close: closeSync,
  rename: renameSync,
  remove: (path) => rmSync(path, { force: true }),
  size: (path) => statSync(path, { throwIfNoEntry: false })?.size ?? null,
  list: (dir) => readdirSync(dir),
  syncDirectory(dir) {
    const fd = openSync(dir, 'r');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  },
  async syncPath(path) {
    const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (file === null) return false;
    try {
      await file.datasync();
    } finally {
      await file.close();
    }
    return true;
  },
};

/** The archive cannot be written, or is not what the store says it is. `code` is the system's (ENOSPC, EIO, ...), or
 * EARCHIVE for what we found ourselves. */
export class ArchiveError extends UserError {
  readonly code: string;
  constructor(message: string, code: string, options?: ErrorOptions) {
    super(message, 1, options);
    this.code = code;
  }
}

const WORDS: Record<string, string> = {
  ENOSPC: 'no space is left on the disk; free some, then run the same command again to go on',
  EDQUOT: 'the disk quota is used up; free some space, then run the same command again to go on',
  EIO: 'the disk reported an error; check the disk before the crawl goes on',
  EROFS: 'the file system is read-only',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  ENOTDIR: 'a part of the path is a file, not a directory',
  EEXIST: 'a file of that name is in the way',
  EMFILE: 'too many files are open; raise the limit (ulimit -n)',
};

/** The error of a failed operation, in words: `cannot <what> <path>: <why>`. */
export function archiveError(what: string, path: string, cause: unknown): ArchiveError {
  if (cause instanceof ArchiveError) return cause;
  const { code = 'EARCHIVE', message } = cause as NodeJS.ErrnoException;
  return new ArchiveError(`cannot ${what} ${path}: ${WORDS[code] ?? message}`, code, { cause });
}
