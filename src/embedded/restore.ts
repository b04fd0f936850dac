/** A crawl that goes on: its memory from the store's rows, its archive as the rows say it is. */
import { CdxjWriter } from '../archive/cdxj.js';
import { SegmentArchive } from '../archive/segment-recovery.js';
import type { Changes } from '../changes.js';
import type { CrawlOptions } from '../crawl-options.js';
import type { Random, Store } from '../engines/ports.js';
import type { IndexFile } from '../state/batches.js';
import type { CommittedSegments } from '../state/committed-segments.js';
import { type LastStop, rebuild } from '../state/rebuild.js';
import type { Decisions } from './decisions.js';
import type { CrawlDirectory } from './directory.js';
import { indexLines } from './index-lines.js';

export interface Restored {
  archive: SegmentArchive;
  index: CdxjWriter;
  committed: CommittedSegments;
}

/** Rebuilds the memory and brings the archive into step with it. Rows about lost leases go to `changes`.
 * @param prefix what the names of this crawl's segments begin with */
export async function restore(
  store: Store,
  parts: Decisions,
  options: CrawlOptions,
  paths: CrawlDirectory,
  prefix: string,
  stop: LastStop,
  now: number,
  random: Random,
  changes: Changes,
): Promise<Restored> {
  const { frontier, robots, settlement, duplicates } = parts;
  duplicates.kept.near.defer();
  const { requests, visits, committed } = rebuild(
    store,
    {
      ...parts,
      random,
      delay: options.config.delay,
      uncleanOwe: options.config['unclean.owe'],
      onRobots: (row) => robots.restore(frontier.robots.of(row.origin, row.host), row),
      onVisit: (row) => duplicates.restore(row),
      onReparsed: (row) => duplicates.kept.reread(row.visit, row.simhash),
      onHostEvent: (row) => duplicates.restoreEvent(row),
      onSegment: (row) => settlement.restoreSegment(row),
    },
    stop,
    now,
    changes,
  );
  settlement.ids.requests = requests;
  settlement.ids.visits = visits;
  parts.texts.committedBelow(frontier.urls.size);
  const archive = new SegmentArchive({ warc: paths.warc, text: paths.text, prefix });
  for (const { name, length } of await archive.recover(committed.lengths())) {
    settlement.closeSegment(name, length, Math.round(now), changes);
  }
  const length = Number(store.meta('index.length') ?? 0);
  const index = await CdxjWriter.open(paths.index, length, () => indexLines(store, paths.warc));
  return { archive, index, committed };
}

export const appending = (index: CdxjWriter): IndexFile => ({
  append: async (lines) => {
    await index.append(lines);
    return index.length;
  },
});
