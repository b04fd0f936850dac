/** The pages of a crawl directory with their bodies, out of the archive, for programs. */
import type { VisitRow } from '../changes.js';
import { ArchiveReader } from '../corpus/archive-reader.js';
import { BODY_CAPS } from '../corpus/bodies.js';
import { readInForce } from '../corpus/in-force.js';
import { segmentPaths } from '../corpus/segment-paths.js';
import type { StoreReader } from '../engines/ports.js';
import { lookInto } from './look.js';

/** A page as it came. */
export interface ArchivedPage {
  url: string;
  /** Where another spelling of it answered; else the same. The base of its links. */
  finalUrl: string;
  /** As sent; empty if it was not. */
  contentType: string;
  /** Transfer and content codings undone. */
  body: Uint8Array;
}

/**
 * Reads every page that the crawl in `dir` holds, also those that ask not to be indexed and those that repeat another, in
 * the order in which they were fetched; also while it runs. Memory: 4 bytes a known URL, and one body.
 *
 * @param visit called with each page, one at a time; what it throws ends the reading
 * @returns how many pages there were
 * @throws UserError if `dir` holds no crawl, or the archive is damaged
 */
export function readArchived(dir: string, visit: (page: ArchivedPage) => void | Promise<void>): Promise<number> {
  return lookInto(dir, async (reader, folders) => {
    const archive = new ArchiveReader(segmentPaths(reader, folders), true);
    const { visits } = readInForce(reader);
    let pages = 0;
    try {
      for (const chunk of reader.scan('visits')) {
        for (const row of chunk.filter(({ id, url }) => visits[url] === id)) {
          const body = await bodyOf(reader, archive, visits, row);
          if (body === null) continue;
          const [{ url }] = reader.at('urls', [row.url]);
          await visit({ url, finalUrl: row.finalUrl ?? url, contentType: row.contentType, body });
          pages++;
        }
      }
    } finally {
      archive.close();
    }
    return pages;
  });
}

/** The body of a page; one that came byte for byte before lies where it came first. Null if nothing was kept of it. */
async function bodyOf(
  reader: StoreReader,
  archive: ArchiveReader,
  visits: Int32Array,
  { record, duplicateOf }: VisitRow,
): Promise<Uint8Array | null> {
  if (record === null) return null;
  const own = await archive.body(record, BODY_CAPS);
  if (own !== null) return own.body;
  const first = duplicateOf < 0 ? -1 : visits[duplicateOf];
  const other = first < 0 ? null : reader.at('visits', [first])[0].record;
  return other === null ? null : ((await archive.body(other, BODY_CAPS))?.body ?? null);
}
