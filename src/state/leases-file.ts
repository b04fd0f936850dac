/**
 * `leases.open`: which leases are out, for the start after an unclean stop (DESIGN 4, Clocks). A log of lines in the
 * page cache: it survives `kill -9`; after a power cut an older state of it may be found, which is why an unclean stop
 * makes all hosts wait, not only those listed here.
 *
 *     saunter leases 1
 *     + <url> <host> <kind> <wall ms>     granted
 *     - <url> <host> <kind> <wall ms>     settled: what became of it is committed
 *     clean <wall ms>                     stopped with nothing out; always the last line
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { archiveError, diskFiles } from '../archive/archive-files.js';
import type { RequestKind } from '../changes.js';
import type { Lease } from '../frontier/lease.js';

export interface OpenLease {
  /** Id of the known URL, -1 for robots. */
  url: number;
  host: number;
  kind: RequestKind;
  /** Wall time at which it was granted, ms. With the rest it names the lease. */
  at: number;
}

/** What the file says of a lease. */
export const entryOf = ({ url, host, kind, granted }: Lease): OpenLease => ({
  url,
  host,
  kind,
  at: Math.trunc(granted),
});

export interface OpenLeases {
  /** In the order they were granted. */
  leases: OpenLease[];
  /** The last stop was clean: nothing was out. */
  clean: boolean;
  /** Wall time of that stop; null if it was not clean. */
  stoppedAt: number | null;
}

const NAME = 'leases.open';
const HEADER = 'saunter leases 1\n';
/** Bytes from which the file is rewritten, if no more than half of it is about leases that are out. */
const COMPACT = 2 ** 20;

const lineOf = (lease: OpenLease): string => `${lease.url} ${lease.host} ${lease.kind} ${Math.trunc(lease.at)}\n`;

/** Reads what the last run left. Without a file the stop was not clean. A torn or foreign line is ignored: it was never
 * acted on. Throws UserError if the file is there and cannot be read. */
export function readOpenLeases(dir: string): OpenLeases {
  const path = join(dir, NAME);
  let text: string;
  try {
    text = readFileSync(path, 'latin1');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return { leases: [], clean: false, stoppedAt: null };
    throw archiveError('read', path, cause);
  }
  const open = new Map<string, OpenLease>();
  let stoppedAt: number | null = null;
  for (let start = 0, end = text.indexOf('\n'); end !== -1; start = end + 1, end = text.indexOf('\n', start)) {
    const line = text.slice(start, end);
    const [, mark, rest] = /^([+-]) (.*)$/.exec(line) ?? [];
    const lease = rest === undefined ? null : parseLease(rest);
    if (lease !== null && mark === '+') open.set(rest, lease);
    else if (lease !== null) open.delete(rest);
    stoppedAt = /^clean \d{1,15}$/.test(line) ? Number(line.slice(6)) : null;
  }
  return { leases: [...open.values()], clean: stoppedAt !== null && open.size === 0, stoppedAt };
}

function parseLease(text: string): OpenLease | null {
  const match = /^(-1|\d{1,15}) (\d{1,15}) (page|sitemap|robots) (\d{1,15})$/.exec(text);
  if (match === null) return null;
  return { url: Number(match[1]), host: Number(match[2]), kind: match[3] as RequestKind, at: Number(match[4]) };
}

/**
 * Writes the file. From the moment it is opened the next start is an unclean one, until {@link LeasesFile.stop}. Leases
 * that the last run left out stay listed until they are settled: a second crash before that is charged again, not
 * forgotten. Every method throws UserError if the disk refuses.
 */
export class LeasesFile {
  readonly #dir: string;
  readonly #path: string;
  #fd = -1;
  #size = 0;
  /** Lines of the leases that are out. */
  readonly #open: Set<string>;
  #openBytes = 0;
  /** A write broke off: the next begins a line of its own. */
  #torn = false;

  /** `carried`: what {@link readOpenLeases} gave. */
  constructor(dir: string, carried: readonly OpenLease[]) {
    this.#dir = dir;
    this.#path = join(dir, NAME);
    this.#open = new Set(carried.map(lineOf));
    for (const line of this.#open) this.#openBytes += line.length + 2;
    // Durable: the mark of a clean stop must not come back after a power cut.
    this.#fd = this.#replace(this.#live(), true);
  }

  /** Before the leases go to a worker; one write. */
  granted(leases: readonly OpenLease[]): void {
    let text = '';
    for (const lease of leases) {
      const line = lineOf(lease);
      text += `+ ${line}`;
      if (this.#open.has(line)) continue;
      this.#open.add(line);
      this.#openBytes += line.length + 2;
    }
    this.#append(text);
  }

  /** When what became of the leases is committed, or they came back unused; one write. */
  settled(leases: readonly OpenLease[]): void {
    let text = '';
    for (const lease of leases) {
      const line = lineOf(lease);
      text += `- ${line}`;
      if (this.#open.delete(line)) this.#openBytes -= line.length + 2;
    }
    this.#append(text);
  }

  /** Leases that are out. */
  get size(): number {
    return this.#open.size;
  }

  /** A clean stop, after everything is committed: the file is emptied and marked. Nothing can be written afterwards. A
   * lease that is still out stays listed, and the stop will not count as clean. */
  stop(wall: number): void {
    closeSync(this.#replace(`${this.#live()}clean ${Math.trunc(wall)}\n`, true));
    this.#fd = -1;
  }

  /** Closes the file as it is: the next start finds an unclean stop. */
  close(): void {
    if (this.#fd !== -1) closeSync(this.#fd);
    this.#fd = -1;
  }

  #live(): string {
    let text = HEADER;
    for (const line of this.#open) text += `+ ${line}`;
    return text;
  }

  #append(text: string): void {
    if (text === '') return;
    const bytes = Buffer.from(this.#torn ? `\n${text}` : text, 'latin1');
    try {
      this.#torn = true;
      writeAll(this.#fd, bytes);
      this.#torn = false;
    } catch (cause) {
      throw archiveError('write', this.#path, cause);
    }
    this.#size += bytes.length;
    if (this.#size > COMPACT && this.#openBytes * 2 <= this.#size) this.#fd = this.#replace(this.#live(), false);
  }

  /** Puts a new file in the place of the old one, by name, and returns its descriptor; the old one is closed. */
  #replace(text: string, durable: boolean): number {
    const temporary = `${this.#path}.new`;
    let fd = -1;
    try {
      fd = openSync(temporary, 'w', 0o644);
      writeAll(fd, Buffer.from(text, 'latin1'));
      if (durable) fsyncSync(fd);
      renameSync(temporary, this.#path);
      if (durable) diskFiles.syncDirectory(this.#dir);
    } catch (cause) {
      if (fd !== -1) closeSync(fd);
      rmSync(temporary, { force: true });
      throw archiveError('write', this.#path, cause);
    }
    this.close();
    this.#size = text.length;
    this.#torn = false;
    return fd;
  }
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}
