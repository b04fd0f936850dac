/**
 * Where the control socket of a crawl lies: `control.sock` in its directory. The name that the system takes for a socket
 * is short (104 bytes on macOS and the BSDs, 108 on Linux, with a final zero), and what is longer is cut without a word
 * by some; so in a directory with a long name `control.sock` is a link to a socket in a directory for temporary files.
 */
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';

const NAME = 'control.sock';
/** Bytes of the longest name that every system takes. */
const LONGEST = 103;
/** What the directories of sockets are called that lie elsewhere. */
const ELSEWHERE = /^saunter-control-\w{6}$/;

/** Folders of crawls that were killed before their socket was published. */
const UNFINISHED = /^\.control-\w{6}$/;

/** The name by which the system takes a socket at `path`: as it is, or from the working folder; null if both are too
 * long. */
export function socketName(path: string): string | null {
  const names = [resolve(path), relative('.', path)].filter((name) => Buffer.byteLength(name) <= LONGEST);
  return names.sort((a, b) => a.length - b.length)[0] ?? null;
}

/** The name by which the control socket of a crawl can be reached (it need not be there). */
export function controlSocket(dir: string): string | null {
  const path = join(dir, NAME);
  return socketName(linkTarget(path) ?? path);
}

/** A place where a socket can be bound unseen. */
export interface SocketPlace {
  /** Name to bind. */
  readonly name: string;
  /** Puts the bound socket where it is found, closed to other users, in the place of what a killed crawl left. */
  publish(): void;
  /** Removes what {@link publish} put there, and the place. */
  remove(): void;
}

/**
 * Prepares the control socket of a crawl whose directory is locked by us: whatever is at its path is stale. It is bound
 * in a folder that nobody else can enter, so that at no moment another user could connect.
 */
export function prepareSocket(dir: string): SocketPlace {
  const path = join(dir, NAME);
  for (const left of readdirSync(dir)) if (UNFINISHED.test(left)) rmSync(join(dir, left), { recursive: true });
  const near = mkdtempSync(join(dir, '.control-'));
  const name = socketName(join(near, 's'));
  if (name !== null) {
    return {
      name,
      publish: () => {
        chmodSync(join(near, 's'), 0o600);
        removeStale(path);
        renameSync(join(near, 's'), path);
        rmdirSync(near);
      },
      remove: () => {
        rmSync(path, { force: true });
        rmSync(near, { recursive: true, force: true });
      },
    };
  }
  rmdirSync(near);
  return elsewhere(path);
}

function elsewhere(path: string): SocketPlace {
  const base = Buffer.byteLength(join(tmpdir(), 'saunter-control-123456', 's')) <= LONGEST ? tmpdir() : '/tmp';
  const far = mkdtempSync(join(base, 'saunter-control-'));
  const socket = join(far, 's');
  return {
    name: socket,
    publish: () => {
      chmodSync(socket, 0o600);
      removeStale(path);
      symlinkSync(socket, `${path}.new`);
      renameSync(`${path}.new`, path);
    },
    remove: () => {
      rmSync(path, { force: true });
      rmSync(far, { recursive: true, force: true });
    },
  };
}

/** What a killed crawl left: a socket nobody listens on, or a link with the folder it leads to. */
function removeStale(path: string): void {
  rmSync(`${path}.new`, { force: true });
  const target = linkTarget(path);
  if (target !== null && ELSEWHERE.test(basename(dirname(target)))) removeOwn(dirname(target));
  rmSync(path, { force: true });
}

/** Removes a folder of ours with its socket; one of another user, or with other things in it, stays. */
function removeOwn(folder: string): void {
  try {
    unlinkSync(join(folder, 's'));
  } catch {
    // already gone, or not ours to remove
  }
  try {
    rmdirSync(folder);
  } catch {
    // the same
  }
}

function linkTarget(path: string): string | null {
  try {
    return lstatSync(path).isSymbolicLink() ? resolve(dirname(path), readlinkSync(path)) : null;
  } catch {
    return null; // nothing is there
  }
}
