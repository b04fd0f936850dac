/** Records and bodies of a crawl's archive by their pointers, also while it is written. Blocks for the disk. */

import { closeSync, openSync } from 'node:fs';
import { type HttpMessage, splitHttp } from '../archive/http-message.js';
import { isBlockOf, readRecordAt, readRecordIn } from '../archive/warc-reader.js';
import { WarcFormatError, type WarcRecord } from '../archive/warc-record.js';
import type { RecordPointer } from '../changes.js';
import { UserError } from '../errors.js';
import { type DecodeCaps, decode } from '../fetch/decode.js';
import { isTextual } from '../fetch/http-entity.js';
import { mediaTypeIn } from '../fetch/http-headers.js';
import { renamedSegment } from './segment-paths.js';

export interface ArchivedBody {
  http: HttpMessage;
  /** Content codings undone, as far as they go. */
  body: Buffer;
  /** It is longer than the caps allow, and this is its beginning. */
  isCut: boolean;
}

/** Files that a reader keeps open. */
const KEPT_OPEN = 16;

export class ArchiveReader {
  readonly #paths: Map<number, string>;
  /** Open files by path, the one used last at the end; null if none is kept open. */
  readonly #files: Map<string, number> | null;

  /** @param paths of the segments by id, see `segmentPaths`
   * @param keepsOpen files stay open between records, which saves a thirtieth of reading a page again; then `close` is due */
  constructor(paths: Map<number, string>, keepsOpen = false) {
    this.#paths = paths;
    this.#files = keepsOpen ? new Map() : null;
  }

  close(): void {
    for (const fd of this.#files?.values() ?? []) closeSync(fd);
    this.#files?.clear();
  }

  #read(path: string, offset: number, length: number): WarcRecord {
    return this.#files === null
      ? readRecordAt(path, offset, length)
      : readRecordIn(this.#fd(path, this.#files), path, offset, length);
  }

  #fd(path: string, files: Map<string, number>): number {
    const fd = files.get(path) ?? openSync(path, 'r');
    files.delete(path);
    files.set(path, fd);
    if (files.size > KEPT_OPEN) {
      const [oldest, unused] = files.entries().next().value!;
      files.delete(oldest);
      closeSync(unused);
    }
    return fd;
  }

  /** @throws UserError if it is not there, or is damaged */
  record({ segment, offset, length }: RecordPointer): WarcRecord {
    const path = this.#paths.get(segment);
    if (path === undefined) throw new UserError(`segment ${segment} of the archive is not known; run "saunter verify"`);
    try {
      return this.#read(path, offset, length);
    } catch (error) {
      if (error instanceof WarcFormatError) {
        throw new UserError(`the archive is damaged: ${error.message}; "saunter verify" says what else is`, 1, {
          cause: error,
        });
      }
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      // it was closed, and so renamed, since we looked
      const other = renamedSegment(path);
      if (other === null) throw new UserError(`${path} is missing: a file of the archive was moved or removed`);
      this.#paths.set(segment, other);
      return this.#read(other, offset, length);
    }
  }

  /** Is this the text that the record holds? */
  holds(pointer: RecordPointer, text: Buffer): boolean {
    const fd = this.#files?.get(this.#paths.get(pointer.segment) ?? '');
    if (fd !== undefined && isBlockOf(fd, pointer.offset, pointer.length, text)) return true;
    return this.record(pointer).block.equals(text);
  }

  /** The body that a response record holds; null for a record without one (a revisit, a request). */
  async body(pointer: RecordPointer, caps: DecodeCaps): Promise<ArchivedBody | null> {
    const record = this.record(pointer);
    return record.type === 'response' ? bodyOf(record, caps) : null;
  }
}

/** The body of a response record of any tool: transfer and content codings undone, as when it came (`readEntity`). Null if it holds no HTTP message. */
export async function bodyOf(record: WarcRecord, caps: DecodeCaps): Promise<ArchivedBody | null> {
  const http = splitHttp(record, { dechunk: true });
  if (http === null) return null;
  const codings = http.headers
    .all('Content-Encoding')
    .flatMap((value) => value.toLowerCase().split(','))
    .map((name) => name.trim());
  const mediaType = mediaTypeIn(http.headers.all('Content-Type').at(-1) ?? null);
  const { body, cut } = await decode(http.payload, codings, caps, isTextual(mediaType));
  return { http, body, isCut: cut };
}
