/**
 * Verify: every row and every record of a crawl read back (DESIGN 11). Rows refer to rows that exist and agree with each
 * other (`verify-rows.ts`); each pointer leads to its record, with right digests, each record of each segment is named by
 * a row, and the index has one line for each (`verify-archive.ts`); and no delay was broken (`delays.ts`).
 */
import type { StoreReader } from '../engines/ports.js';
import { type Check, Finding } from './finding.js';
import { type SegmentFolders, segmentPaths } from './segment-paths.js';
import { checkIndex, checkSegment } from './verify-archive.js';
import { checkRows } from './verify-rows.js';

export type { Check } from './finding.js';

export interface VerifyPaths extends SegmentFolders {
  index: string;
}

/** @param onProgress told the share that is done, 0 to 1 */
export async function verify(
  reader: StoreReader,
  paths: VerifyPaths,
  onProgress: (share: number) => void = () => {},
): Promise<Check[]> {
  const [rows, records, index, delays] = ['rows', 'records', 'index', 'delays'].map((name) => new Finding(name));
  const segments = checkRows(reader, rows, delays);
  const files = segmentPaths(reader, paths);
  let done = 0;
  for (const [id, segment] of segments) {
    await checkSegment(segment, files.get(id)!, records);
    onProgress(++done / segments.size);
  }
  await checkIndex(segments, paths.index, reader.meta('index.length'), index);
  return [rows, records, index, delays];
}
