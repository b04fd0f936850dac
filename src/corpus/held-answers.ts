/** The answers that a crawl holds and that lead elsewhere: what is read again when links are to be judged anew. */
import type { RecordPointer, VisitRow } from '../changes.js';
import type { StoreReader } from '../engines/ports.js';
import { readInForce } from './in-force.js';

/** One answer with links in it. */
export interface HeldAnswer {
  /** Id of the URL, its depth, and the exact URL that answered. */
  url: number;
  depth: number;
  target: string;
  kind: 'page' | 'sitemap' | 'redirect';
  record: RecordPointer;
  /** The address it came from; empty for what was imported. */
  address: string;
  /** Level of its links; null: each at its own. */
  level: number | null;
}

/** Pages in force, sitemaps and redirects, a chunk at a time.
 * @param levelOf what becomes of the links of a page that repeats another; `drop`: they are left out, as they were when
 *   it came */
export function* heldAnswers(
  reader: StoreReader,
  levelOf: (visit: VisitRow) => number | null | 'drop',
): Generator<HeldAnswer[]> {
  const force = readInForce(reader);
  for (const chunk of reader.scan('visits')) {
    const wanted = chunk.filter((visit) => {
      const { id, url, kind, code, record } = visit;
      if (record === null || levelOf(visit) === 'drop') return false;
      return code === 'redirect' || (code === 'ok' && (kind === 'sitemap' || force.visits[url] === id));
    });
    if (wanted.length === 0) continue;
    const urls = reader.at('urls', wanted.map(({ url }) => url)); // biome-ignore format: short
    const made = reader.at(
      'requests',
      wanted.map(({ request }) => request).filter((id) => id >= 0),
    );
    const addresses = new Map(made.map(({ id, address }) => [id, address]));
    yield wanted.map((visit, i) => ({
      ...{ url: visit.url, depth: urls[i].depth, target: visit.finalUrl ?? urls[i].url, record: visit.record! },
      kind: visit.code === 'redirect' ? 'redirect' : visit.kind,
      address: addresses.get(visit.request) ?? '',
      level: levelOf(visit) as number | null,
    }));
  }
}
