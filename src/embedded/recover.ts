/** How far the segments of a stopped crawl are committed, by its rows. */
import { rows } from '../corpus/states.js';
import type { StoreReader } from '../engines/ports.js';
import { CommittedSegments } from '../state/committed-segments.js';

/** Committed bytes by the segment's name: what `SegmentArchive.recover` cuts back to. */
export function committedBytes(store: StoreReader): Map<string, number> {
  const committed = new CommittedSegments();
  for (const row of rows(store, 'segments')) committed.segment(row);
  for (const { record } of rows(store, 'requests')) committed.record(record);
  for (const visit of rows(store, 'visits')) committed.visit(visit);
  for (const { text } of rows(store, 'reparsed')) committed.record(text);
  return committed.lengths();
}
