/** Which visit of each URL is its page now, and which reading of that visit counts. */
import type { VisitRow } from '../changes.js';
import type { Stored, StoreReader } from '../engines/ports.js';
import { ENDS_PAGE } from '../errors.js';
import { rows } from './states.js';

export interface InForce {
  /** By URL id: the visit whose body is the page, or -1. 4 bytes a known URL. */
  visits: Int32Array;
  /** By visit id: the row of `reparsed` in force, or -1. Empty if nothing was ever read again. */
  reparsed: Int32Array;
  /** By URL id: when its content was seen to change last, ms; only if asked for. */
  changedAt: Float64Array | null;
}

/**
 * Reads the visits once. The page of a URL is the last one that came whole (`ok`). A visit that brought the very same
 * body again has no text of its own: the earlier one stays. An answer that says 404, 410 or a redirect ends the page; a
 * failure does not.
 */
export function readInForce(reader: StoreReader, options: { changes?: boolean } = {}): InForce {
  const visits = new Int32Array(reader.count('urls')).fill(-1);
  const changedAt = options.changes ? new Float64Array(visits.length) : null;
  for (const visit of rows(reader, 'visits')) {
    const { url } = visit;
    if (visit.kind !== 'page' || url >= visits.length) continue;
    if (ENDS_PAGE.has(visit.code)) visits[url] = -1;
    else if (visit.code === 'ok' && !isSameAgain(reader, visit, visits[url])) visits[url] = visit.id;
    if (changedAt !== null && visit.changed && visit.code === 'ok') changedAt[url] = visit.at;
  }
  return { visits, reparsed: readReparsed(reader), changedAt };
}

function isSameAgain(reader: StoreReader, visit: Stored<VisitRow>, before: number): boolean {
  if (before < 0 || visit.text !== null || visit.duplicateOf >= 0 || visit.contentHash === null) return false;
  const [earlier] = reader.at('visits', [before]);
  return earlier.contentHash !== null && Buffer.compare(earlier.contentHash, visit.contentHash) === 0;
}

function readReparsed(reader: StoreReader): Int32Array {
  if (reader.count('reparsed') === 0) return new Int32Array(0);
  const latest = new Int32Array(reader.count('visits')).fill(-1);
  for (const { id, visit } of rows(reader, 'reparsed')) if (visit < latest.length) latest[visit] = id;
  return latest;
}

/** The visits of a chunk as they are in force: with the columns of their latest reading. */
export function inForce(reader: StoreReader, visits: readonly Stored<VisitRow>[], { reparsed }: InForce) {
  if (reparsed.length === 0) return visits;
  const again = visits.map(({ id }) => reparsed[id]).filter((id) => id >= 0);
  const readings = new Map(reader.at('reparsed', again).map((row) => [row.visit, row]));
  return visits.map((visit) => {
    const reading = readings.get(visit.id);
    if (reading === undefined) return visit;
    const { parser, charset, language, title, simhash, text, index, links, aiPreferences, fields } = reading;
    return { ...visit, parser, charset, language, title, simhash, text, index, links, aiPreferences, fields };
  });
}
