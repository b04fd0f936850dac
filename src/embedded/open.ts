/** Opens a crawl in its directory: a new one, or one that goes on. Everything is wired here. */
import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { Admission } from '../admit/admission.js';
import { RobotsDesk } from '../admit/robots-desk.js';
import { Settlement } from '../admit/settle.js';
import { CdxjWriter } from '../archive/cdxj.js';
import { SegmentArchive } from '../archive/segment-recovery.js';
import { type Changes, noChanges } from '../changes.js';
import { Crawl } from '../crawl.js';
import type { CrawlOptions, CrawlUi } from '../crawl-options.js';
import { ContentTable } from '../dedupe/content.js';
import { SeenTable } from '../dedupe/seen.js';
import { type DirectoryLock, lockDirectory } from '../engines/lock.js';
import type { Resolver } from '../engines/ports.js';
import { openSqliteStore, type SqliteStore } from '../engines/sqlite.js';
import { systemClock, systemRandom } from '../engines/system.js';
import { UserError } from '../errors.js';
import { type AddressGuard, createGuard } from '../fetch/address-guard.js';
import { addressByPins, parsePin } from '../fetch/pins.js';
import { DnsResolver } from '../fetch/resolver.js';
import { Frontier } from '../frontier/frontier.js';
import { breadthFirst } from '../frontier/score.js';
import { frozenDifference, frozenOptions } from '../load-config.js';
import { Batches, type IndexFile } from '../state/batches.js';
import { HeldDesk } from '../state/held-desk.js';
import { LeasesFile, readOpenLeases } from '../state/leases-file.js';
import { rebuild } from '../state/rebuild.js';
import { Tally } from '../state/tally.js';
import { TextCache } from '../state/text-cache.js';
import { UrlKeyer } from '../url/key.js';
import { createNormalizer, type NormalUrl } from '../url/normalize.js';
import { compileScope, scopeFor } from '../url/scope.js';
import { screen } from '../url/screen.js';
import { TrapGuards } from '../url/traps.js';
import { WorkerPool } from '../workers/pool.js';
import { type CrawlDirectory, makeDirectory } from './directory.js';
import { indexLines } from './index-lines.js';
import {
  budgets,
  fetchSettings,
  frontierOptions,
  keyOptions,
  productToken,
  resolverOptions,
  robotsTimes,
  trapLimits,
  workerCount,
} from './parts.js';
import { guardPort, reaching } from './reach.js';

/** Partitions of a crawl (DESIGN 9): one node owns them all here. */
const PARTITIONS = 256;
/** Texts of URLs kept in memory; some 250 bytes each. */
const TEXTS = 100_000;
/** Open changes beyond which no lease goes out. */
const PRESSURE = 20_000;

export interface OpenedCrawl {
  crawl: Crawl;
  frontier: Frontier;
  admission: Admission;
  batches: Batches;
  tally: Tally;
  guard: AddressGuard;
  resolver: Resolver;
  traps: TrapGuards;
  /** All seeds so far, normalised. */
  seeds: NormalUrl[];
  sitemaps: NormalUrl[];
  isNew: boolean;
  keyOf: (normal: string) => [keyHi: number, keyLo: number];
  close(): Promise<void>;
}

export async function openCrawl(options: CrawlOptions, ui: CrawlUi): Promise<OpenedCrawl> {
  const paths = makeDirectory(options.dir);
  const lock = lockDirectory(options.dir, systemClock.wall());
  let store: SqliteStore | undefined;
  try {
    store = openSqliteStore(paths.store, { create: true, warn: (sentence) => ui.say(sentence) });
    return await wire(options, ui, paths, lock, store);
  } catch (error) {
    store?.close();
    lock.release();
    throw error;
  }
}

/** What makes a crawl the same crawl: kept in the store's meta from its first batch on. */
interface Identity {
  id: string;
  secret: Uint8Array;
  /** Seeds of earlier runs, and what redirected seeds added to the scope, as URLs. */
  seeds: string[];
  widened: string[];
  refused: Record<string, number>;
  isNew: boolean;
}

function identify(store: SqliteStore, options: CrawlOptions): Identity {
  const id = store.meta('crawl.id');
  if (id === null) {
    const fresh = { id: randomBytes(4).toString('hex'), secret: randomBytes(16) };
    return { ...fresh, seeds: [], widened: [], refused: {}, isNew: true };
  }
  const difference = frozenDifference(store.meta('options.frozen') ?? '[]', options.config);
  if (difference !== null) {
    throw new UserError(`${options.dir} cannot go on: ${difference}; URLs would get other keys. Use the old value.`, 2);
  }
  return {
    id,
    secret: Buffer.from(store.meta('key.secret') ?? '', 'hex'),
    seeds: JSON.parse(store.meta('seeds') ?? '[]') as string[],
    widened: JSON.parse(store.meta('scope.widened') ?? '[]') as string[],
    refused: JSON.parse(store.meta('refused') ?? '{}') as Record<string, number>,
    isNew: false,
  };
}

async function wire(
  options: CrawlOptions,
  ui: CrawlUi,
  paths: CrawlDirectory,
  lock: DirectoryLock,
  store: SqliteStore,
): Promise<OpenedCrawl> {
  const { config } = options;
  const who = identify(store, options);
  const epoch = await store.beginEpoch();
  const first = noChanges();

  const normalizer = createNormalizer(keyOptions(config));
  const given = (urls: readonly string[]): NormalUrl[] =>
    urls.map((url) => normalizer.normalize(url)).filter((url): url is NormalUrl => url.url !== null);
  const seeds = uniqueSeeds([...given(who.seeds), ...given(options.seeds)]);
  const scopeRules = scopeFor({ scope: config.scope, seeds, include: config.include, exclude: config.exclude });
  const scope = compileScope(scopeRules.rules, scopeRules.fallback);
  for (const url of given(who.widened)) scope.extend(url);
  const keyer = new UrlKeyer(who.secret);
  const keyOf = (normal: string): [number, number] => {
    keyer.hash(normal);
    return [keyer.hi, keyer.lo];
  };

  const guard = createGuard({ allowPrivate: config.allowPrivate });
  const resolver = new DnsResolver({ ...resolverOptions(config), clock: systemClock.monotonic });
  const traps = new TrapGuards(who.secret, trapLimits(config));
  const frontier = new Frontier(frontierOptions(config), systemRandom);
  const seen = new SeenTable();
  const content = new ContentTable();
  const tally = new Tally();
  const texts = new TextCache(TEXTS);
  const seedHosts = new Set(seeds.map((seed) => seed.host));
  const pins = config.resolve.map(parsePin);
  const admission = new Admission(
    frontier,
    seen,
    {
      maxDepth: config.depth,
      maxHops: config['redirect.chain'],
      hostsPerDomain: config['domain.hosts'],
      partitions: PARTITIONS,
      budget: budgets(options, (host) => seedHosts.has(host)),
      score: breadthFirst,
      tooManyQueries: (url) => tooManyQueries(traps, url),
      onText: (text) => texts.put(text),
    },
    (host) => seedHosts.has(host) || addressByPins(pins, host) !== null,
  );
  admission.refusals.add(who.refused);
  const sitemapOf = (line: string, base: string): { keyHi: number; keyLo: number; url: string } | null => {
    const url = normalizer.normalize(line, `${base}/`);
    const reason = url.url === null ? url.reason : (screen(url, scope, traps) ?? guardPort(guard, url));
    if (url.url === null || reason !== null) {
      admission.refusals.count(reason!);
      return null;
    }
    const [keyHi, keyLo] = keyOf(url.url);
    return { keyHi, keyLo, url: url.fetch };
  };
  const isInside = (address: string): boolean => guard.isOpened(address);
  const agent = productToken(options.userAgent);
  const robots = new RobotsDesk(frontier, admission, {
    agent,
    times: robotsTimes(config),
    crawlDelayCap: config['crawlDelay.cap'],
    sitemap: sitemapOf,
    isInside,
  });
  const settlement = new Settlement({
    frontier,
    admission,
    content,
    robots,
    ids: { requests: 0, visits: 0 },
    options: { sameRedirects: config['redirect.same'], isInside, onSeedMoved: (to) => widen(to) },
  });

  const last = readOpenLeases(options.dir);
  const stop = who.isNew ? { clean: true, leases: [] } : last;
  const names = new Map<number, string>();
  const rebuilt = rebuild(
    store,
    {
      frontier,
      seen,
      content,
      tally,
      random: systemRandom,
      delay: config.delay,
      uncleanOwe: config['unclean.owe'],
      onRobots: (row) => robots.restore(frontier.robots.of(row.origin, row.host), row),
      onSegment: (row) => {
        names.set(row.id, row.name);
        settlement.restoreSegment(row);
      },
    },
    stop,
    systemClock.wall(),
    first,
  );
  settlement.ids.requests = rebuilt.requests;
  settlement.ids.visits = rebuilt.visits;
  const prefix = `${who.id}-`;
  const archive = new SegmentArchive({ warc: paths.warc, text: paths.text, prefix });
  await archive.recover(new Map([...names].map(([id, name]) => [name, rebuilt.committed.get(id) ?? 0])));
  const indexLength = Number(store.meta('index.length') ?? 0);
  const index = await CdxjWriter.open(paths.index, indexLength, () => indexLines(store, paths.warc));
  const batches = new Batches({ store, archive, index: appending(index) }, epoch, first, {
    time: config['batch.time'],
    changes: config['batch.changes'],
    pressure: PRESSURE,
  });
  // from here on the next start is an unclean one, until the leases are stopped
  const leases = new LeasesFile(options.dir, stop.leases);
  remember(first, who, options, seeds);
  texts.committedBelow(frontier.urls.size);

  const pool = new WorkerPool(
    {
      secret: who.secret,
      keyOptions: keyOptions(config),
      scope: { rules: [...scope.rules], fallback: scopeRules.fallback },
      traps: trapLimits(config),
      fetch: fetchSettings(options),
      agent,
      turn: config['parse.turn'],
      archive: {
        warc: paths.warc,
        text: paths.text,
        prefix: `${prefix}${epoch}`,
        maxBytes: config['segment.bytes'],
        info: {
          software: options.userAgent.split(' ', 1)[0],
          userAgent: options.userAgent,
          operator: config.contact ?? undefined,
          isPartOf: basename(options.dir),
        },
      },
    },
    {
      workers: workerCount(config),
      concurrency: config.concurrency,
      bodyBudget: config['memory.bodies'],
      heartbeat: config['worker.heartbeat'],
      deadAfter: config['worker.deadAfter'],
      clock: systemClock,
      script: new URL('./page-thread.js', import.meta.url),
    },
    {
      reports: (batch) => crawl.onReports(batch),
      held: (questions, send) => crawl.onHeld(questions, send),
      segments: (closed) => crawl.onSegments(closed),
      fatal: (message) => crawl.fail(new UserError(message)),
      replaced: (worker, why) => ui.say(`Page worker ${worker} was replaced: ${why.split('\n', 1)[0]}`),
    },
  );
  const held = new HeldDesk(content, store);
  const parts = { frontier, admission, settlement, batches, held, texts, tally, workers: pool, guard, store, leases };
  const crawl = new Crawl(
    { ...parts, resolver: reaching(resolver, options), clock: systemClock, recovered: stop.leases },
    { maxPages: config.maxPages, maxDuration: config.maxDuration, patience: config.patience },
  );
  batches.onCommitted = (changes) => {
    tally.add(changes);
    held.committed(changes.visits);
    const newest = changes.urls.at(-1);
    if (newest !== undefined) texts.committedBelow(newest.id + 1);
  };
  batches.onSeal = (changes) => changes.meta.push(['refused', JSON.stringify(admission.refusals.counts)]);
  const widen = (to: NormalUrl): void => {
    const added = scope.extend(to);
    if (added === null) return;
    pool.widen(to);
    who.widened.push(to.url);
    batches.open.meta.push(['scope.widened', JSON.stringify(who.widened)]);
    ui.say(`A seed redirects to ${added}: it is in scope from now on.`);
  };

  return {
    crawl,
    frontier,
    admission,
    batches,
    tally,
    guard,
    resolver,
    traps,
    seeds,
    sitemaps: given(config.sitemap),
    isNew: who.isNew,
    keyOf,
    close: async () => {
      await index.close();
      store.close();
      lock.release();
    },
  };
}

/** Writes down what makes the crawl the same crawl. */
function remember(changes: Changes, who: Identity, options: CrawlOptions, seeds: readonly NormalUrl[]): void {
  if (who.isNew) {
    changes.meta.push(
      ['crawl.id', who.id],
      ['key.secret', Buffer.from(who.secret).toString('hex')],
      ['options.frozen', frozenOptions(options.config)],
    );
  }
  if (seeds.length > who.seeds.length) changes.meta.push(['seeds', JSON.stringify(seeds.map(({ fetch }) => fetch))]);
}

function uniqueSeeds(seeds: readonly NormalUrl[]): NormalUrl[] {
  return [...new Map(seeds.map((seed) => [seed.url, seed])).values()];
}

/** Counts the query of a URL that is about to become known; true if its path has too many. */
function tooManyQueries(traps: TrapGuards, fetchForm: string): boolean {
  const url = { url: fetchForm };
  if (traps.queriesOf(url) >= traps.limits.queries) return true;
  traps.count(url);
  return false;
}

const appending = (index: CdxjWriter): IndexFile => ({
  append: async (lines) => {
    await index.append(lines);
    return index.length;
  },
});
