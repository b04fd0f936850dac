/**
 * The CDXJ index of the archive, `warc/index.cdxj`: a line per response and revisit record, which replay tools search.
 *
 * Lines are appended as the rows are committed. After a crash the file is cut at its committed length, or, where it is
 * shorter, written anew from the rows. When a crawl ends the lines are sorted, for replay tools look keys up by
 * bisection; sorting keeps the length, so a resumed crawl goes on behind them.
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { archiveError } from './archive-files.js';
import { syncDirectory } from './line-sort.js';
import { surtKey } from './surt.js';
import { sha1Label, warcDate } from './warc-fields.js';

export interface CdxjEntry {
  /** The URL that was requested, as in the record. */
  url: string;
  /** Wall clock of the record, ms. */
  date: number;
  status: number;
  /** Content-Type of the answer; parameters are dropped. */
  contentType: string;
  revisit: boolean;
  /** SHA-1 of the payload, 20 bytes, or null. */
  payloadDigest: Uint8Array | null;
  offset: number;
  length: number;
  /** Name of the segment, without `.open`. */
  segment: string;
}

/** `key timestamp {json}` with LF. ASCII only, so that sorting strings is sorting bytes. */
export function cdxjLine(entry: CdxjEntry): string {
  const timestamp = warcDate(entry.date).slice(0, 19).replace(/\D/g, '');
  const fields = {
    url: entry.url,
    mime: entry.revisit ? 'warc/revisit' : mediaType(entry.contentType),
    status: String(entry.status),
    ...(entry.payloadDigest && { digest: sha1Label(entry.payloadDigest) }),
    length: String(entry.length),
    offset: String(entry.offset),
    filename: entry.segment,
  };
  return `${surtKey(entry.url)} ${timestamp} ${asciiJson(fields)}\n`;
}

const mediaType = (contentType: string): string => {
  const type = contentType.split(';', 1)[0].trim().toLowerCase();
  return /^[\x21-\x7e]{1,127}$/.test(type) ? type : 'unk';
};

const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[\x7f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Appends to the index. One writer at a time; calls one after another. */
export class CdxjWriter {
  readonly #path: string;
  readonly #file: FileHandle;
  #length: number;

  private constructor(path: string, file: FileHandle, length: number) {
    this.#path = path;
    this.#file = file;
    this.#length = length;
  }

  /**
   * Opens the index at its committed length and cuts what is behind it. If the file is shorter than that (the commit
   * does not wait for the index to be on the disk), it is written anew from `lines`, all lines that are committed.
   *
   * @param committed bytes, 0 for a new crawl.
   * @throws ArchiveError
   */
  static async open(path: string, committed: number, lines: () => Iterable<string> | AsyncIterable<string>) {
    const size = (await stat(path).catch(() => null))?.size ?? 0;
    try {
      if (size < committed) await rebuildCdxj(path, lines());
      const file = await open(path, 'a');
      try {
        if (size > committed) await file.truncate(committed);
        return new CdxjWriter(path, file, (await file.stat()).size);
      } catch (cause) {
        await file.close().catch(() => {});
        throw cause;
      }
    } catch (cause) {
      throw archiveError('open', path, cause);
    }
  }

  /** Bytes of the index with everything appended: what the next commit may call committed. */
  get length(): number {
    return this.#length;
  }

  /** Appends lines in their order, in one write. Rejects with {@link ArchiveError}; what came into the file of them is
   * behind its committed length. */
  async append(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    const bytes = Buffer.from(lines.join(''), 'latin1');
    try {
      await this.#file.appendFile(bytes);
    } catch (cause) {
      throw archiveError('write', this.#path, cause);
    }
    this.#length += bytes.length;
  }

  async sync(): Promise<void> {
    await this.#file.datasync();
  }

  async close(): Promise<void> {
    await this.#file.datasync();
    await this.#file.close();
  }
}

/** Writes the index anew, all or nothing. */
export async function rebuildCdxj(path: string, lines: Iterable<string> | AsyncIterable<string>): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  const file = await open(temporary, 'wx');
  try {
    let batch: string[] = [];
    for await (const line of lines) {
      if (batch.push(line) < 1000) continue;
      await file.appendFile(batch.join(''), 'latin1');
      batch = [];
    }
    await file.appendFile(batch.join(''), 'latin1');
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  await syncDirectory(dirname(path));
}
