/** From the options of a crawl to the settings of its parts. */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Config } from '../config/config.js';
import { keyOptions } from '../corpus/normal-forms.js';
import type { CrawlOptions } from '../crawl-options.js';
import { KeptPages } from '../dedupe/kept-pages.js';
import { UserError } from '../errors.js';
import type { OwnSocket } from '../fetch/own-sockets.js';
import type { RobotsTimes } from '../fetch/robots-ladder.js';
import type { FrontierOptions } from '../frontier/lease.js';
import { contentRules } from '../url/late-rules.js';
import type { TrapLimits } from '../url/traps.js';
import type { DocumentSettings } from '../workers/document-reader.js';
import type { DedupeSettings, FetchSettings } from '../workers/messages.js';
import { cdnAddresses } from './cdn-list.js';

export const workerCount = (config: Config): number =>
  config.workers === 'auto' ? availableParallelism() : config.workers;

/** What the frontier of a crawl with that configuration is made with. */
export function frontierOptions(config: Config): FrontierOptions {
  return {
    rules: {
      delay: config.delay,
      fetchFactor: config.delay === 0 ? 0 : config['politeness.factor'],
      fetchCap: config['politeness.factorCap'],
      penaltyCap: config['host.penaltyCap'],
      retryAfterCap: config['retryAfter.cap'],
      throttlesBeforeSleep: config['host.throttledAfter'],
      sleeps: config['host.throttledSleeps'],
      failuresBeforeOffline: config['host.offlineAfter'],
      nxdomainsBeforeOffline: config['host.nxdomainAfter'],
      offline: config['host.offline'],
    },
    retries: config['retry.ladder'],
    key: config['politeness.key'],
    isCdn: cdnAddresses(config['politeness.cdn']),
    perDomain: config['politeness.perDomain'],
    shared: {
      from: config['politeness.sharedFrom'],
      requests: config['politeness.sharedRequests'],
      gap: config['politeness.sharedGap'],
    },
    backQueues: config['frontier.backQueues'],
    backQueuesMax: Math.max(config['frontier.backQueues'], config['frontier.backQueuesMax']),
    quantumFetches: config['frontier.quantum.fetches'],
    quantumTime: config['frontier.quantum.time'],
    sleepBeyond: config['frontier.sleep'],
    lookAhead: config['frontier.lookahead'],
    revisit: {
      policy: config['revisit.policy'],
      min: config['revisit.min'],
      max: Math.max(config['revisit.min'], config['revisit.max']),
      first: config['revisit.first'],
      every: config['revisit.every'],
      perDay: config['revisit.perDay'] === 'auto' ? null : config['revisit.perDay'],
    },
    revisitShare: config['frontier.revisitShare'],
    workers: workerCount(config),
    affinity: config['worker.affinity'],
    budgetPeriod: config.budgetPeriod,
  };
}

export function trapLimits(config: Config): TrapLimits {
  return {
    length: config['trap.urlLength'],
    depth: config.depth,
    repeat: config['trap.repeat'],
    queries: config['trap.queries'],
    sketchBytes: config['trap.sketch'],
  };
}

/** Pages are expected to double at least what a crawl holds when it goes on: what the near index is made for. */
export const keptPages = (config: Config, visits: number): KeptPages =>
  new KeptPages(2 * visits, config['simhash.distance']);

/** What a page worker makes of repeated pages. */
export const dedupeSettings = (config: Config): DedupeSettings => ({
  shingles: config['simhash.shingles'],
  exactLinks: config['dedupe.exact'] !== 'drop',
  nearLinks: config['dedupe.near'] !== 'drop',
});

/** What becomes of repeated pages, and from when on a host of them is a trap. */
export const repeatRules = (config: Config) => ({
  exact: config['dedupe.exact'],
  near: config['dedupe.near'],
  limits: { ratio: config['trap.duplicateRatio'], window: config['trap.duplicateWindow'] },
});

/** Threads, and what they may have in work. */
export const poolLimits = (config: Config) => ({
  workers: workerCount(config),
  concurrency: config.concurrency,
  bodyBudget: config['memory.bodies'],
  heartbeat: config['worker.heartbeat'],
  deadAfter: config['worker.deadAfter'],
});

/** What page workers make keys, screen links and read pages by. */
export const pageSettings = (config: Config) => ({
  keyOptions: keyOptions(config),
  traps: trapLimits(config),
  dedupe: dedupeSettings(config),
  documents: documentSettings(config),
  turn: config['parse.turn'],
});

/** When finished work is made durable. */
export const batchTimes = (config: Config) => ({ time: config['batch.time'], changes: config['batch.changes'] });

/** The product token of a User-Agent: whom robots.txt names. */
export const productToken = (userAgent: string): string => userAgent.split(/[/ ]/, 1)[0];

/** DNS as `--resolve` and `--dns` set it. */
export function resolverOptions(config: Config) {
  return {
    pins: config.resolve,
    ...(config.dns.length > 0 && { servers: config.dns }),
    hostsFile: existsSync('/etc/hosts') ? '/etc/hosts' : null,
    timeoutMs: config['timeout.dns'],
    minTtlMs: config['resolver.ttlMin'],
    maxTtlMs: config['resolver.ttlMax'],
    negativeTtlMs: config['resolver.negative'],
  };
}

/** What a host's budget is: the seeds' own hosts of a scoped crawl have a larger one. */
export function budgets(options: CrawlOptions): (host: string, isSeed: boolean) => number | null {
  const { config } = options;
  const limit = (n: number): number | null => (n === Number.POSITIVE_INFINITY ? null : n);
  if (config.scope === 'any') return () => limit(config.budget);
  return (_, isSeed) => limit(isSeed ? config.seedBudget : config.budget);
}

/** How robots.txt is read and remembered. */
export const robotsLimits = (config: Config) => ({
  times: robotsTimes(config),
  crawlDelayCap: config['crawlDelay.cap'],
  memory: config['robots.memory'],
});

export function robotsTimes(config: Config): RobotsTimes {
  return {
    fresh: config['robots.ttl'],
    firstRetry: config['robots.retry'],
    maxRetry: config['robots.retryCap'],
    maxCopyAge: config['robots.stale'],
    dropAfter: config['robots.giveUp'],
  };
}

/** @param own sockets of ours, that nothing leads to */
export function fetchSettings(
  { config, userAgent }: Pick<CrawlOptions, 'config' | 'userAgent'>,
  own: readonly OwnSocket[] = [],
): FetchSettings {
  const bombs = { ratio: config['decode.ratio'], ratioFrom: config['decode.ratioFrom'] };
  return {
    ...{ userAgent, own },
    timeouts: {
      connect: config['timeout.connect'],
      tls: config['timeout.tls'],
      firstByte: config['timeout.firstByte'],
      whole: config['timeout.whole'],
      slowAfter: config['timeout.slow'],
      slowBytesPerSecond: config['timeout.slowRate'],
    },
    maxHeaderBytes: config['http.headers'],
    refuseCertificates: config['tls.invalid'] === 'refuse',
    pdf: config['body.pdf'],
    contentRules: contentRules(config.rules),
    caps: {
      page: { wire: config['body.text.wire'], decoded: config['body.text.decoded'], ...bombs },
      sitemap: { wire: config['body.sitemap.wire'], decoded: config['body.sitemap.decoded'], ...bombs },
      robots: { wire: config['robots.bytes'], decoded: config['robots.bytes'], ...bombs },
    },
  };
}

/** Who reads documents of heavy types. Paths of modules are relative to the working directory.
 * @throws UserError (usage) for a module that is not there */
export function documentSettings(config: Config): DocumentSettings {
  const handlers = config.handlers.map((handler) => {
    const equals = handler.indexOf('=');
    const path = resolve(handler.slice(equals + 1));
    if (!existsSync(path)) throw new UserError(`The handler ${handler} names no file: ${path} does not exist.`, 2);
    return { mediaType: handler.slice(0, equals).toLowerCase(), module: pathToFileURL(path).href };
  });
  return {
    ...{ handlers, pdfPages: config['pdf.pages'] },
    ...{ time: config['document.time'], memory: config['document.memory'] },
  };
}
