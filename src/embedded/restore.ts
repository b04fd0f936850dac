/** A crawl that goes on: its memory from the store's rows, its archive as the rows say it is. */
import { CdxjWriter } from '../archive/cdxj.js';
import { SegmentArchive } from '../archive/segment-recovery.js';
import type { Changes } from '../changes.js';
import type { Config } from '../config/config.js';
import { frozenOptions } from '../config/load-config.js';
import type { CrawlOptions, CrawlProgress, CrawlUi } from '../crawl-options.js';
import { BloomSeen } from '../dedupe/bloom-seen.js';
import type { Random, Store } from '../engines/ports.js';
import { systemClock } from '../engines/system.js';
import type { IndexFile } from '../state/batches.js';
import type { CheckpointIdentity } from '../state/checkpoint.js';
import { KeptPart } from '../state/checkpoint-kept.js';
import { loadCheckpoint } from '../state/checkpoint-load.js';
import type { CheckpointPart } from '../state/checkpoint-part.js';
import { QueriesPart } from '../state/checkpoint-queries.js';
import { RobotsPart } from '../state/checkpoint-robots.js';
import { CommittedSegments } from '../state/committed-segments.js';
import type { Projection } from '../state/projection.js';
import { emptyProjection, type LastStop, rebuild } from '../state/rebuild.js';
import type { TrapGuards } from '../url/traps.js';
import type { Decisions } from './decisions.js';
import type { CrawlDirectory } from './directory.js';
import { indexLines } from './index-lines.js';
import { frontierOptions, productToken, robotsTimes } from './parts.js';
import { inWork } from './seen-filter.js';
import { countQuery } from './territory.js';

export interface Restored {
  archive: SegmentArchive;
  index: CdxjWriter;
  committed: CommittedSegments;
  /** What committed rows say, for the next checkpoint, and how many of them the last one does not hold. */
  projection: Projection;
  rowsSince: number;
  /** What a checkpoint holds beside the projection. */
  parts: readonly CheckpointPart[];
}

export interface RestoreSettings {
  options: CrawlOptions;
  paths: CrawlDirectory;
  /** The crawl's, which the names of its segments begin with. */
  id: string;
  stop: LastStop;
  traps: TrapGuards;
  /** Wall ms. */
  now: number;
  random: Random;
  ui: CrawlUi;
  /** Called when hosts and URLs are known, and nothing waits in any queue yet. */
  onKnown: () => void;
}

/** ms between two lines of progress. */
const PROGRESS = 250;

/** What decides the times of next visits that rows do not tell; nothing in a crawl without revisits. */
function revisitPlan(config: Config): unknown {
  const { revisit } = frontierOptions(config);
  return revisit === undefined || revisit.policy === 'none' ? null : revisit;
}

/** What a checkpoint must be of to be used. */
export const checkpointIdentity = (store: Store, id: string, options: CrawlOptions): CheckpointIdentity => {
  const { config, userAgent } = options;
  const pages = [config['simhash.distance'], config['trap.duplicateWindow'], config['trap.sketch']];
  const robots = [productToken(userAgent), robotsTimes(config)];
  return {
    crawl: id,
    schema: store.meta('schema') ?? '',
    options: JSON.stringify([frozenOptions(config), config.budgetPeriod, revisitPlan(config), pages, robots]),
  };
};

/** Rebuilds the memory, from the checkpoint and the rows after it or from all rows, and brings the archive into step with
 * it. Rows about lost leases go to `changes`. */
export async function restore(
  store: Store,
  parts: Decisions,
  { options, paths, id, stop, traps, now, random, ui, onKnown }: RestoreSettings,
  changes: Changes,
): Promise<Restored> {
  const { frontier, robots, settlement, duplicates, seen } = parts;
  duplicates.kept.near.defer();
  const { config } = options;
  const committed = new CommittedSegments();
  const progress = starting(ui);
  const known = { projection: emptyProjection(frontier), from: {} };
  const verdicts = new RobotsPart(robots, now);
  const queries = new QueriesPart(traps, () => frontier.urls.size);
  const told = [new KeptPart(duplicates, () => settlement.ids.visits), verdicts, queries];
  const loaded =
    config['checkpoint.rows'] === Number.POSITIVE_INFINITY || seen instanceof BloomSeen
      ? { reason: null }
      : loadCheckpoint(
          paths.checkpoint,
          store,
          checkpointIdentity(store, id, options),
          { ...parts, seen, committed, urls: frontier.urls, projection: known.projection, parts: told },
          progress,
        );
  if ('reason' in loaded && loaded.reason !== null)
    ui.say(`The checkpoint is not used: ${loaded.reason}. All rows are read instead.`);
  if ('reason' in loaded && loaded.reason !== null) known.projection = emptyProjection(frontier);
  if (seen instanceof BloomSeen) seen.keeps = inWork(known.projection.urls);
  const rebuilt = rebuild(
    store,
    {
      ...parts,
      ...{ random, committed, onKnown },
      mayRepeat: seen instanceof BloomSeen || store.meta('seen.bloom') !== null,
      delay: config.delay,
      uncleanOwe: config['unclean.owe'],
      onRobotsTold: () => verdicts.tell(),
      onRobots: (row, isAhead) => {
        if (isAhead) verdicts.ahead();
        robots.restore(frontier.robots.of(row.origin, row.host), row);
      },
      onUrl: (row) => countQuery(traps, row),
      onVisit: (row) => duplicates.restore(row),
      onReparsed: (row) => duplicates.kept.reread(row.visit, row.simhash),
      onHostEvent: (row) => duplicates.restoreEvent(row),
      onSegment: (row) => settlement.restoreSegment(row),
    },
    stop,
    now,
    changes,
    'from' in loaded ? loaded : known,
    progress,
  );
  if (seen instanceof BloomSeen) seen.keeps = inWork(frontier.urls);
  settlement.ids.requests = rebuilt.requests;
  settlement.ids.visits = rebuilt.visits;
  parts.texts.committedBelow(frontier.urls.size);
  const archive = new SegmentArchive({ warc: paths.warc, text: paths.text, prefix: `${id}-` });
  for (const { name, length } of await archive.recover(committed.lengths())) {
    settlement.closeSegment(name, length, Math.round(now), changes);
  }
  const length = Number(store.meta('index.length') ?? 0);
  const index = await CdxjWriter.open(paths.index, length, () => indexLines(store, paths.warc));
  return { archive, index, committed, projection: rebuilt.projection, rowsSince: rebuilt.rows, parts: told };
}

/** What there is to tell of a crawl that has not begun. */
export const NOT_BEGUN: Omit<CrawlProgress, 'seconds'> = {
  ...{ state: 'starting', pages: 0, bytes: 0, hosts: 0, pending: 0, inFlight: 0, pagesPerSecond: 0 },
};

/** Shows how far the reading is, now and then. */
function starting(ui: CrawlUi): (done: number, total: number) => void {
  const began = systemClock.monotonic();
  let next = began + PROGRESS;
  return (done, total) => {
    const now = systemClock.monotonic();
    if (now < next) return;
    next = now + PROGRESS;
    ui.progress({ ...NOT_BEGUN, seconds: (now - began) / 1000, share: done / total });
  };
}

export const appending = (index: CdxjWriter): IndexFile => ({
  append: async (lines) => {
    await index.append(lines);
    return index.length;
  },
});
