/**
 * Segments from the outside: made durable before a commit names them, cut and closed after a crash.
 *
 * What is committed is a prefix of a segment (rows are committed in the order of appending), so one number per segment
 * says it all: the end of its last committed record.
 */
import { join } from 'node:path';
import type { Archive, RecoveredSegment } from '../engines/ports.js';
import { ArchiveError, type ArchiveFiles, archiveError, diskFiles } from './archive-files.js';
import { OPEN_SUFFIX, segmentKind } from './segments.js';

/**
 * Makes all bytes written to these segments so far durable, wherever each stands in its life. Rejects with
 * {@link ArchiveError}: then nothing may be committed that names them, and the call must not be repeated in the hope of
 * a better answer (after a failed sync the kernel may call lost pages clean); the process stops and recovery cuts.
 */
export async function syncSegments(dir: string, names: readonly string[], files = diskFiles): Promise<void> {
  await Promise.all(
    names.map(async (name) => {
      const path = join(dir, name);
      try {
        // The open name first: a segment that has lost it is closed by now, never the other way round.
        if (await files.syncPath(path + OPEN_SUFFIX)) return;
        if (await files.syncPath(path)) return;
      } catch (cause) {
        throw archiveError('sync', path, cause);
      }
      throw missing(path);
    }),
  );
}

/**
 * Leaves segment `name` closed and holding exactly its first `committed` bytes, whatever a crash left: open, closed
 * with a tail that no row names, or repaired before. A segment without a committed byte is removed. Idempotent.
 * Throws {@link ArchiveError} if committed bytes are missing; then the files are left as they are.
 *
 * @returns what was done, or null if the segment was in order.
 */
export function repairSegment(
  dir: string,
  name: string,
  committed: number,
  files: ArchiveFiles = diskFiles,
): RecoveredSegment | null {
  const closedPath = join(dir, name);
  const openPath = closedPath + OPEN_SUFFIX;
  const openSize = files.size(openPath);
  const closedSize = files.size(closedPath);
  if (openSize !== null && closedSize !== null) {
    throw new ArchiveError(`${name} is both open and closed in ${dir}: two crawls have written it`, 'EARCHIVE');
  }
  const size = openSize ?? closedSize;
  if (size === null && committed === 0) return null;
  if (size === null) throw missing(closedPath);
  if (openSize === null && size === committed) return null;
  if (size < committed) {
    const lost = `${size} bytes are there, ${committed} were committed`;
    throw new ArchiveError(`${closedPath} is too short: ${lost}. Run "saunter verify" to see what is lost`, 'EARCHIVE');
  }
  const path = openSize === null ? closedPath : openPath;
  try {
    if (committed === 0) files.remove(path);
    else cutAndClose(files, path, closedPath, size, committed);
    files.syncDirectory(dir);
  } catch (cause) {
    throw archiveError('repair', path, cause);
  }
  return { name, length: committed, cut: size - committed };
}

function cutAndClose(files: ArchiveFiles, path: string, closedPath: string, size: number, committed: number): void {
  const fd = files.edit(path);
  try {
    if (size > committed) files.truncate(fd, committed);
    files.sync(fd);
  } finally {
    files.close(fd);
  }
  if (path !== closedPath) files.rename(path, closedPath);
}

const missing = (path: string): ArchiveError =>
  new ArchiveError(`${path} is missing. Run "saunter verify" to see what is lost`, 'EARCHIVE');

export interface SegmentDirectories {
  warc: string;
  text: string;
  /** Segments whose name begins with this are this crawl's own: a closed one that no row names is removed. Others (a
   * WARC that somebody put there) are left alone. */
  prefix: string;
  files?: ArchiveFiles;
}

/** The archive of one crawl on the local disk: see the port for what it promises. */
export class SegmentArchive implements Archive {
  readonly #where: SegmentDirectories;
  readonly #files: ArchiveFiles;

  constructor(where: SegmentDirectories) {
    this.#where = where;
    this.#files = where.files ?? diskFiles;
  }

  async sync(names: readonly string[]): Promise<void> {
    const byKind = { warc: [] as string[], text: [] as string[] };
    for (const name of names) byKind[segmentKind(name)].push(name);
    await Promise.all([
      syncSegments(this.#where.warc, byKind.warc, this.#files),
      syncSegments(this.#where.text, byKind.text, this.#files),
    ]);
  }

  async recover(committed: ReadonlyMap<string, number>): Promise<RecoveredSegment[]> {
    const names = { warc: new Set<string>(), text: new Set<string>() };
    for (const name of committed.keys()) names[segmentKind(name)].add(name);
    const recovered: RecoveredSegment[] = [];
    for (const kind of ['warc', 'text'] as const) {
      const dir = this.#where[kind];
      for (const file of this.#files.list(dir)) {
        const open = file.endsWith(OPEN_SUFFIX);
        const name = open ? file.slice(0, -OPEN_SUFFIX.length) : file;
        if (open || (name.startsWith(this.#where.prefix) && name.endsWith('.warc.gz'))) names[kind].add(name);
      }
      for (const name of names[kind]) {
        const done = repairSegment(dir, name, committed.get(name) ?? 0, this.#files);
        if (done) recovered.push(done);
      }
    }
    return recovered;
  }
}
