/** The pages of a crawl as one stream of flat objects: what every export format writes (DESIGN 11, JSONL fields). */
import type { RecordPointer, VisitRow } from '../changes.js';
import type { Stored, StoreReader } from '../engines/ports.js';
import type { ArchiveReader } from './archive-reader.js';
import { type InForce, inForce, readInForce } from './in-force.js';
import {
  EVERY_PAGE,
  hasWords,
  type PageFilter,
  passes,
  passesStated,
  preferences,
  wantedHosts,
} from './page-filter.js';
import { RobotsPreferences } from './robots-preferences.js';

export interface ExportedPage {
  url: string;
  finalUrl: string;
  /** ISO 8601, UTC. */
  fetchedAt: string;
  status: number;
  contentType: string;
  charset: string;
  language: string;
  title: string;
  text: string;
  /** SHA-256 of the decoded body, hex; null without a body. */
  contentHash: string | null;
  /** 16 hex digits, or null. */
  simhash: string | null;
  depth: number;
  /** URL of the page that this one repeats, or null. */
  duplicateOf: string | null;
  aiPreferences: string[];
  /** What a handler of its content type said beside text and links; only where one did. */
  fields?: Record<string, string>;
}

/** A page with what leads back to the archive. */
export interface CorpusPage {
  page: ExportedPage;
  /** The response, null if none was archived. */
  record: RecordPointer | null;
  /** Id of the response record that the text was taken from (`urn:uuid:...`); null without a text. */
  refersTo: string | null;
}

/** Visits read, of how many. */
export type OnVisits = (done: number, total: number) => void;

/**
 * One page for each URL that has one (`in-force.ts`), in the order in which they were fetched. Memory is 4 bytes a known
 * URL and a chunk of rows, however many pages there are.
 * @param agent the product token that the crawl obeys robots.txt under: preferences about AI may be stated for it there
 */
export function* corpusPages(
  reader: StoreReader,
  archive: ArchiveReader,
  filter: PageFilter = EVERY_PAGE,
  onVisits: OnVisits = () => {},
  agent = '*',
): Generator<CorpusPage> {
  const force = readInForce(reader, { changes: filter.changedSince !== null });
  const hosts = wantedHosts(reader, filter);
  const robots = new RobotsPreferences(reader, agent);
  const total = reader.count('visits');
  for (const chunk of reader.scan('visits')) {
    const current = chunk.filter(({ id, url }) => force.visits[url] === id);
    const wanted = inForce(reader, current, force).filter((visit) =>
      passes(filter, visit, changedAt(force, visit.url)),
    );
    yield* pagesOf(reader, archive, wanted, filter, hosts, robots);
    onVisits((chunk.at(-1)?.id ?? 0) + 1, total);
  }
}

const changedAt = ({ changedAt: times }: InForce, url: number): number | null => times?.[url] ?? null;

/** The pages of some visits, those of which that pass the filter's look at host, preferences and words. Texts are read
 * one by one.
 * @param hosts one byte by host id (`wantedHosts`); null for all */
export function* pagesOf(
  reader: StoreReader,
  archive: ArchiveReader,
  visits: readonly Stored<VisitRow>[],
  filter: PageFilter,
  hosts: Uint8Array | null,
  robots: RobotsPreferences,
): Generator<CorpusPage> {
  const urls = readUrls(reader, visits);
  for (const visit of visits) {
    const { url, depth, host } = urls.get(visit.url)!;
    if (hosts !== null && hosts[host] !== 1) continue;
    const stated = [...preferences(visit.aiPreferences), ...robots.of(visit.finalUrl ?? url, visit.at)];
    if (!passesStated(filter, stated)) continue;
    const { text, refersTo } = textOf(archive, visit.text);
    if (filter.minWords > 0 && !hasWords(text, filter.minWords)) continue;
    const duplicateOf = visit.duplicateOf < 0 ? null : urls.get(visit.duplicateOf)!.url;
    const page = exported(visit, url, depth, duplicateOf, text, [...new Set(stated)]);
    yield { page, record: visit.record, refersTo };
  }
}

/** The URLs that these visits name, by ascending id: neighbours lie on one page of the store. */
function readUrls(reader: StoreReader, visits: readonly VisitRow[]) {
  const ids = new Set<number>();
  for (const { url, duplicateOf } of visits) {
    ids.add(url);
    if (duplicateOf >= 0) ids.add(duplicateOf);
  }
  const sorted = [...ids].sort((a, b) => a - b);
  return new Map(reader.at('urls', sorted).map((row) => [row.id, row]));
}

function textOf(archive: ArchiveReader, pointer: RecordPointer | null): { text: string; refersTo: string | null } {
  if (pointer === null) return { text: '', refersTo: null };
  const record = archive.record(pointer);
  const refersTo = record.headers.get('WARC-Refers-To')?.replace(/^<|>$/g, '') ?? null;
  return { text: record.block.toString('utf8'), refersTo };
}

function exported(
  visit: VisitRow,
  url: string,
  depth: number,
  duplicateOf: string | null,
  text: string,
  aiPreferences: string[],
): ExportedPage {
  return {
    url,
    finalUrl: visit.finalUrl ?? url,
    fetchedAt: new Date(visit.at).toISOString(),
    status: visit.status,
    contentType: visit.contentType,
    charset: visit.charset,
    language: visit.language,
    title: visit.title,
    text,
    contentHash: visit.contentHash === null ? null : Buffer.from(visit.contentHash).toString('hex'),
    simhash: visit.simhash,
    depth,
    duplicateOf,
    aiPreferences,
    ...(visit.fields !== null && { fields: JSON.parse(visit.fields) as Record<string, string> }),
  };
}
