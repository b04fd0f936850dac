/** Where the segments of a crawl lie, also while it runs and after it was killed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { OPEN_SUFFIX } from '../archive/segments.js';
import type { SegmentRow } from '../changes.js';
import type { StoreReader } from '../engines/ports.js';
import { rows } from './states.js';

export interface SegmentFolders {
  warc: string;
  text: string;
}

/** Path of each segment by its id: its final name, or the name it has while it is written. */
export function segmentPaths(reader: StoreReader, folders: SegmentFolders): Map<number, string> {
  const paths = new Map<number, string>();
  for (const row of rows(reader, 'segments')) addSegment(paths, row, folders);
  return paths;
}

/** One more of them. */
export function addSegment(paths: Map<number, string>, { id, name, kind }: SegmentRow, folders: SegmentFolders): void {
  const path = join(folders[kind], name);
  paths.set(id, existsSync(path) ? path : path + OPEN_SUFFIX);
}

/** The other name that a segment may have by now, if it is there; else null. */
export function renamedSegment(path: string): string | null {
  const other = path.endsWith(OPEN_SUFFIX) ? path.slice(0, -OPEN_SUFFIX.length) : path + OPEN_SUFFIX;
  return existsSync(other) ? other : null;
}
