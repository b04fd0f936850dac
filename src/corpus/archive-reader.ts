/** Records and bodies of a crawl's archive by their pointers, also while it is written. Blocks for the disk. */

import { type HttpMessage, splitHttp } from '../archive/http-message.js';
import { readRecordAt } from '../archive/warc-reader.js';
import { WarcFormatError, type WarcRecord } from '../archive/warc-record.js';
import type { RecordPointer } from '../changes.js';
import { UserError } from '../errors.js';
import { type DecodeCaps, decode } from '../fetch/decode.js';
import { renamedSegment } from './segment-paths.js';

export interface ArchivedBody {
  http: HttpMessage;
  /** Content codings undone, as far as they go. */
  body: Buffer;
}

export class ArchiveReader {
  readonly #paths: Map<number, string>;

  /** @param paths of the segments by id, see `segmentPaths` */
  constructor(paths: Map<number, string>) {
    this.#paths = paths;
  }

  /** @throws UserError if it is not there, or is damaged */
  record({ segment, offset, length }: RecordPointer): WarcRecord {
    const path = this.#paths.get(segment);
    if (path === undefined) throw new UserError(`segment ${segment} of the archive is not known; run "saunter verify"`);
    try {
      return readRecordAt(path, offset, length);
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
      return readRecordAt(other, offset, length);
    }
  }

  /** The body that a response record holds; null for a record without one (a revisit, a request). */
  async body(pointer: RecordPointer, caps: DecodeCaps): Promise<ArchivedBody | null> {
    const record = this.record(pointer);
    return record.type === 'response' ? bodyOf(record, caps) : null;
  }
}

/** The body of a response record of any tool: transfer and content codings undone. Null if it holds no HTTP message. */
export async function bodyOf(record: WarcRecord, caps: DecodeCaps): Promise<ArchivedBody | null> {
  const http = splitHttp(record, { dechunk: true });
  if (http === null) return null;
  const codings = http.headers
    .all('Content-Encoding')
    .flatMap((value) => value.toLowerCase().split(','))
    .map((name) => name.trim());
  const { body } = await decode(http.payload, codings, caps);
  return { http, body };
}
