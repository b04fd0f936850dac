/** The answer of one URL, out of the archive. */
import type { VisitRow } from '../changes.js';
import type { Stored, StoreReader } from '../engines/ports.js';
import { type ArchivedBody, type ArchiveReader, bodyOf } from './archive-reader.js';
import { BODY_CAPS } from './bodies.js';
import { rows } from './states.js';

export interface StoredAnswer extends ArchivedBody {
  readonly visit: Stored<VisitRow>;
}

/**
 * The last answer of a URL that was archived, whatever its status. One that brought what was archived before, of this
 * URL or another, has the body of that.
 * @param url id
 * @throws UserError if the archive is damaged
 */
export async function storedAnswer(
  reader: StoreReader,
  archive: ArchiveReader,
  url: number,
): Promise<StoredAnswer | null> {
  let visit: Stored<VisitRow> | null = null;
  for (const row of rows(reader, 'visits')) if (row.url === url && row.record !== null) visit = row;
  if (visit === null) return null;
  const record = archive.record(visit.record!);
  const answer = await bodyOf(record, BODY_CAPS);
  if (answer === null) return null;
  if (record.type === 'response') return { ...answer, visit };
  // a revisit record: head and no body, which lies where this content came first
  for (const { record: pointer, contentHash } of rows(reader, 'visits')) {
    if (pointer === null || contentHash === null || visit.contentHash === null) continue;
    if (Buffer.compare(contentHash, visit.contentHash) !== 0) continue;
    const first = await archive.body(pointer, BODY_CAPS);
    if (first !== null) return { ...first, http: answer.http, visit };
  }
  return { ...answer, visit };
}
