/** Opens a crawl in its directory: a new one, or one that goes on. Everything is wired here. */
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import type { Admission } from '../admit/admission.js';
import type { Duplicates } from '../admit/duplicates.js';
import { sortCdxj } from '../archive/line-sort.js';
import { type Changes, countChanges, noChanges } from '../changes.js';
import { Crawl } from '../crawl.js';
import type { CrawlOptions, CrawlUi } from '../crawl-options.js';
import { BloomSeen } from '../dedupe/bloom-seen.js';
import { type DirectoryLock, lockDirectory } from '../engines/lock.js';
import type { Store } from '../engines/ports.js';
import { openSqliteStore, type SqliteStore } from '../engines/sqlite.js';
import { systemClock, systemRandom } from '../engines/system.js';
import { UserError } from '../errors.js';
import { DnsResolver } from '../fetch/resolver.js';
import type { Frontier } from '../frontier/frontier.js';
import { Batches } from '../state/batches.js';
import { Checkpointer } from '../state/checkpoint.js';
import { HeldDesk } from '../state/held-desk.js';
import { LeasesFile, readOpenLeases } from '../state/leases-file.js';
import { NearDesk } from '../state/near-desk.js';
import type { Tally } from '../state/tally.js';
import { familyJudge } from '../url/late-rules.js';
import type { SeedPlace } from '../url/scope.js';
import { type PoolEvents, type PoolSettings, WorkerPool } from '../workers/pool.js';
import type { Blocklist } from './blocklist.js';
import { ceilingSummary } from './ceiling.js';
import { type Decisions, decisions } from './decisions.js';
import { before, type CrawlDirectory, makeDirectory, unmake } from './directory.js';
import { type Identity, identify, remember } from './identity.js';
import { batchTimes, fetchSettings, pageSettings, poolLimits, productToken, resolverOptions } from './parts.js';
import { checkReachOf, checkSeeds, reaching } from './reach.js';
import { appending, checkpointIdentity, type Restored, restore } from './restore.js';
import { scoreOf } from './score-plugin.js';
import { SeedReader } from './seed-reader.js';
import { drawScope, markSeed, seedHosts } from './seed-rows.js';
import { BloomEpochs, seenSummary } from './seen-filter.js';
import { servicesOf } from './services.js';
import { survey, type Territory } from './territory.js';

/** What page workers are started from. */
export const PAGE_THREAD = new URL('./page-thread.js', import.meta.url);
/** Open changes beyond which no lease goes out. */
const PRESSURE = 20_000;

export interface OpenedCrawl {
  crawl: Crawl;
  frontier: Frontier;
  admission: Admission;
  seen: Decisions['seen'];
  duplicates: Duplicates;
  batches: Batches;
  tally: Tally;
  land: Territory;
  who: Identity;
  /** Those of this run, of which the first were read. */
  seeds: SeedReader;
  store: Store;
  paths: CrawlDirectory;
  /** Of the URL keys, 16 bytes. */
  secret: Uint8Array;
  resolver: DnsResolver;
  /** Bytes of bodies that the page workers hold. */
  bodies(): number;
  /** The scope took in what these seeds stand for: tells the page workers. */
  widened(seeds: readonly SeedPlace[]): void;
  /** Counted by those who stand beside the crawl: lines of its log, and spans of its traces. */
  told: { linesLost: number; spansSent: number; spansDropped: number };
  /** When the last run stopped cleanly, wall ms: null if it did not. Null for a new crawl. */
  resumes: { stoppedAt: number | null } | null;
  /** Who hears of each commit. */
  heard: ((changes: Changes) => void)[];
  /** Closes everything; an index of a crawl that has ended is sorted. */
  close(hasEnded: boolean): Promise<void>;
  /** The same for a crawl that never ran; a new one leaves nothing behind. */
  abandon(): Promise<void>;
  /** The same for a crawl that could ask for nothing; one that was new when it was opened leaves nothing behind. */
  discard(): Promise<void>;
}

/** @param script what page workers are started from; tests put a poisonous one here */
export async function openCrawl(options: CrawlOptions, ui: CrawlUi, script: URL): Promise<OpenedCrawl> {
  const seeds = await SeedReader.begin(options);
  const there = before(options.dir);
  const paths = makeDirectory(options.dir);
  const lock = lockDirectory(options.dir, systemClock.wall(), options.byProgram ? 'program' : 'crawl');
  let store: SqliteStore | undefined;
  /** Nothing was ever committed: whoever is refused now leaves no trace. */
  const isEmpty = (): boolean => store?.meta('crawl.id') === null;
  try {
    store = openSqliteStore(paths.store, { create: true, warn: (sentence) => ui.say(sentence) });
    const isNew = isEmpty();
    const opened = await wire(options, ui, script, paths, lock, store, seeds);
    const closeAnd = async (leaveNothing: boolean): Promise<void> => {
      await opened.close(false);
      if (leaveNothing) unmake(options.dir, there);
    };
    return { ...opened, abandon: () => closeAnd(isEmpty()), discard: () => closeAnd(isNew) };
  } catch (error) {
    const leaveNothing = isEmpty();
    store?.close();
    lock.release();
    if (leaveNothing) unmake(options.dir, there);
    throw error;
  }
}

/** Closed segments without a store that names them: the store was lost, and a new one would forget every debt and block.
 * @throws UserError */
function refuseOrphans({ root, warc }: CrawlDirectory): void {
  const orphan = readdirSync(warc).find((name) => name.endsWith('.warc.gz'));
  if (orphan === undefined) return;
  throw new UserError(
    `${root} has segments (${orphan}) and an empty store: bring crawl.sqlite back from a backup, or give another --dir ` +
      'and "saunter import" the segments.',
  );
}

/** Hosts that were met before their names came onto a list. No row says so: the next run may have other lists. */
function blockListed(frontier: Frontier, isListed: Blocklist, now: number): void {
  const unsaid = noChanges();
  for (const [host, name] of frontier.hosts.names.entries()) {
    if (isListed(name)) frontier.block(host, 'on a blocklist', now, unsaid);
  }
}

async function wire(
  options: CrawlOptions,
  ui: CrawlUi,
  script: URL,
  paths: CrawlDirectory,
  lock: DirectoryLock,
  store: SqliteStore,
  seeds: SeedReader,
): Promise<Omit<OpenedCrawl, 'abandon' | 'discard'>> {
  const { config } = options;
  const who = identify(store, options);
  if (who.isNew) refuseOrphans(paths);
  const land = survey(options, who, await servicesOf(config));
  const resolver = new DnsResolver({ ...resolverOptions(config), clock: systemClock.monotonic });
  await checkReachOf(
    resolver,
    options,
    [...land.given([...seeds.first, ...who.seeds])].map(({ host }) => host),
  );
  const score = await scoreOf(options, ui);
  const parts = decisions(options, land, score, systemRandom, store.count('visits'), (to) => {
    const added = land.scope.extend(to);
    if (added === null) return;
    workers.widen([to]);
    who.widened.push(to.url);
    batches.open.meta.push(['scope.widened', JSON.stringify(who.widened)]);
    ui.say(`A seed redirects to ${added}: it is in scope from now on.`);
  });
  const { frontier, admission, settlement, robots, duplicates, tally, texts } = parts;
  admission.refusals.add(who.refused);
  admission.removals.add(who.removed);

  const last = readOpenLeases(options.dir);
  // a crawl that was killed before its first commit is a new one, and has made requests all the same
  const stop = who.isNew && last.leases.length === 0 ? { clean: true, leases: [] } : last;
  const first = noChanges();
  const now = systemClock.wall();
  const prefix = `${who.id}-`;
  const onKnown = (): void => {
    for (const { host } of land.given([...who.seeds, ...who.widened])) markSeed(frontier, host);
    admission.reconsider();
  };
  const settings = { options, paths, id: who.id, stop, traps: land.traps, now, random: systemRandom, ui, onKnown };
  const restored = await restore(store, parts, settings, first);
  const { archive, index, committed } = restored;
  try {
    await checkSeeds({ who, land, seen: parts.seen, resolver }, options, land.given(seeds.first));
    await checkReachOf(resolver, options, seedHosts(store, frontier));
  } catch (error) {
    await index.close();
    throw error;
  }
  drawScope(config.scope, store, frontier, land);
  const epoch = await store.beginEpoch();
  if (land.isListed !== null) blockListed(frontier, land.isListed, now);
  // from here on the next start is an unclean one, until the leases are stopped
  const leases = new LeasesFile(options.dir, stop.leases);
  remember(first, who, options);
  const times = { ...batchTimes(config), pressure: PRESSURE };
  const batches = new Batches({ store, archive, index: appending(index) }, epoch, first, times);

  const workers = startPool(options, script, land, who, paths, `${prefix}${epoch}`, {
    reports: (batch) => crawl.onReports(batch),
    held: (questions, send) => crawl.onHeld(questions, send),
    near: (questions, send) => crawl.onNear(questions, send),
    segments: (closed) => crawl.onSegments(closed),
    fatal: (message) => crawl.fail(new UserError(message)),
    replaced: (worker, why) => ui.say(`Page worker ${worker} was replaced: ${why.split('\n', 1)[0]}`),
    givenUp: (url, why) =>
      ui.say(`${url} killed a page worker again, its own, and is given up: ${why.split('\n', 1)[0]}`),
  });
  const held = new HeldDesk(duplicates.kept.content, store);
  const near = new NearDesk(duplicates.kept.near, ({ lease, hi, lo }) => {
    const asker = frontier.leases.get(lease);
    return asker === undefined ? -1 : duplicates.ask(asker, { hi, lo });
  });
  const crawl = new Crawl(
    {
      ...{ frontier, admission, settlement, robots, batches, held, near, texts, tally, workers, store, leases },
      unconditional: (text) => duplicates.hasLostOriginal(text),
      guard: land.guard,
      refusesFamily: familyJudge(config.rules),
      resolver: reaching(resolver, options),
      clock: systemClock,
      recovered: stop.leases,
      recover: () => archive.recover(committed.lengths()),
    },
    {
      ...{ maxPages: config.maxPages, maxDuration: config.maxDuration, patience: config.patience },
      stands: frontier.revisits.planner.isStanding,
    },
  );
  const { seen } = parts;
  const isBloom = seen instanceof BloomSeen;
  const epochs = isBloom ? new BloomEpochs(seen, store, config['seen.bloomEpoch'], ui, now) : null;
  const checkpoints = checkpointer(restored, parts, store, who.id, options, paths, batches, ui);
  batches.onSeal = (changes) => {
    changes.meta.push(['refused', JSON.stringify(admission.refusals.counts)]);
    changes.meta.push(['removed', JSON.stringify(admission.removals.counts)]);
    changes.meta.push(['ceiling', JSON.stringify(ceilingSummary(frontier.ceiling))]);
    if (isBloom) changes.meta.push(['seen.bloom', JSON.stringify(seenSummary(seen))]);
  };
  batches.onCommitted = (changes) => {
    tally.add(changes);
    committed.add(changes);
    held.committed(changes.visits);
    robots.committed(changes.robots.length);
    checkpoints?.committed(changes);
    epochs?.look(crawl.now());
    const newest = changes.urls.at(-1);
    if (newest !== undefined) texts.committedBelow(newest.id + 1);
    for (const hear of heard) hear(changes);
  };
  const heard: OpenedCrawl['heard'] = [];
  const close = async (hasEnded: boolean): Promise<void> => {
    await workers.close(); // ended already, unless something broke on the way
    await checkpoints?.stop(countChanges(batches.open) === 0 && !batches.isCommitting);
    await epochs?.stop();
    await index.close();
    if (hasEnded) await sortCdxj(paths.index); // replay tools search it by halving
    store.close();
    lock.release();
  };
  return {
    ...{
      crawl,
      frontier,
      seen,
      admission,
      duplicates,
      batches,
      tally,
      land,
      who,
      seeds,
      store,
      paths,
      resolver,
      widened: (places) => {
        if (places.length > 0) workers.widen(places);
      },
      heard,
      close,
    },
    resumes: who.isNew ? null : { stoppedAt: last.clean ? last.stoppedAt : null },
    told: { linesLost: 0, spansSent: 0, spansDropped: 0 },
    bodies: () => workers.bodies,
    secret: who.secret,
  };
}

/** Writes checkpoints, unless they are off. */
function checkpointer(
  { projection, committed, rowsSince, parts }: Restored,
  { frontier, seen, tally }: Decisions,
  store: Store,
  id: string,
  options: CrawlOptions,
  paths: CrawlDirectory,
  batches: Batches,
  ui: CrawlUi,
): Checkpointer | null {
  const rows = options.config['checkpoint.rows'];
  if (rows === Number.POSITIVE_INFINITY || seen instanceof BloomSeen) return null;
  return new Checkpointer(
    { projection, seen, urls: frontier.urls, tally, committed, parts },
    store,
    checkpointIdentity(store, id, options),
    { path: paths.checkpoint, rows, durable: () => batches.durable(), say: (sentence) => ui.say(sentence) },
    rowsSince,
  );
}

function startPool(
  options: CrawlOptions,
  script: URL,
  land: Territory,
  who: Identity,
  paths: CrawlDirectory,
  prefix: string,
  events: PoolEvents,
): WorkerPool {
  const { config, userAgent } = options;
  const settings: PoolSettings = {
    secret: who.secret,
    ...pageSettings(config),
    // as it is when a worker starts: one that replaces another knows what has widened it
    scope: {
      get rules() {
        return [...land.scope.rules];
      },
      fallback: land.fallback,
    },
    fetch: fetchSettings(options, land.own),
    agent: productToken(userAgent),
    archive: {
      ...{ warc: paths.warc, text: paths.text, prefix, maxBytes: config['segment.bytes'] },
      info: {
        software: userAgent.split(' ', 1)[0],
        userAgent,
        operator: config.contact ?? undefined,
        isPartOf: basename(options.dir),
      },
    },
  };
  return new WorkerPool(settings, { ...poolLimits(config), clock: systemClock, script }, events);
}
