/** The pages of a crawl as one stream of flat objects: what every export format writes (DESIGN 11, JSONL fields). */
import { readRecordAt } from '../archive/warc-reader.js';
import type { RecordPointer, VisitRow } from '../changes.js';
import type { Stored, StoreReader } from '../engines/ports.js';
import { type SegmentFolders, segmentPaths } from './segment-paths.js';
import { rows } from './states.js';

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
}

/**
 * Pages with a 2xx body, in the order in which they were fetched; those that ask not to be indexed are left out. Memory
 * is that of the URL texts that have not been met yet: rows of both tables grow together.
 */
export function* exportedPages(reader: StoreReader, folders: SegmentFolders): Generator<ExportedPage> {
  const segments = segmentPaths(reader, folders);
  const urls = new UrlTexts(reader);
  for (const visit of rows(reader, 'visits')) {
    if (visit.kind !== 'page' || visit.code !== 'ok' || !visit.index) continue;
    yield exported(visit, urls, visit.text === null ? '' : textOf(visit.text, segments));
  }
}

function exported(visit: Stored<VisitRow>, urls: UrlTexts, text: string): ExportedPage {
  const { url, depth } = urls.get(visit.url);
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
    duplicateOf: visit.duplicateOf < 0 ? null : urls.get(visit.duplicateOf).url,
    aiPreferences: visit.aiPreferences === null ? [] : (JSON.parse(visit.aiPreferences) as string[]),
  };
}

function textOf({ segment, offset, length }: RecordPointer, segments: Map<number, string>): string {
  return readRecordAt(segments.get(segment)!, offset, length).block.toString('utf8');
}

/** Texts of URLs by id. Read once, in order; kept as far as somebody may ask for them. */
class UrlTexts {
  readonly #rows: Iterator<{ id: number; url: string; depth: number }>;
  readonly #texts: { url: string; depth: number }[] = [];

  constructor(reader: StoreReader) {
    this.#rows = rows(reader, 'urls');
  }

  get(id: number): { url: string; depth: number } {
    while (this.#texts.length <= id) {
      const next = this.#rows.next();
      if (next.done) throw new Error(`the store has no URL ${id}`);
      this.#texts.push({ url: next.value.url, depth: next.value.depth });
    }
    return this.#texts[id];
  }
}
