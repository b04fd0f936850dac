/** A crawl for programs: the same as that of `saunter crawl`, with its pages as an async iteration (docs/library.md). */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Config, OptionName } from '../config/config.js';
import { checkWorkers, loadConfig, userAgent } from '../config/load-config.js';
import type { WrittenRule } from '../config/rules.js';
import type { CrawlOptions, CrawlProgress, CrawlSummary, FetchHook } from '../crawl-options.js';
import { UserError } from '../errors.js';
import type { Score } from '../frontier/score.js';
import { version } from '../version.js';
import type { OpenedCrawl } from './open.js';
import type { OperatorAnswer, OperatorRequest } from './operate.js';
import type { VisitOutcome } from './outcomes.js';
import type { CrawledPage } from './page-feed.js';
import type { Attendant } from './run.js';
import { seedUrl } from './seed-url.js';

/** Functions of yours that are called in the main thread, between the steps of the crawl: they must be quick. */
export interface CrawlerHooks {
  /** Gives each new URL its level, 1 to 4, in the place of {@link breadthFirst}. Watched: after 50 ms, or when it throws,
   * the default answers. */
  score?: Score;
  /** Hears of each request for a page or a sitemap (not for robots.txt) right before it goes out. False refuses it: the URL
   * becomes a dead letter (`guard.hook`) without a request. What it throws ends the crawl. */
  fetch?: FetchHook;
  /** Hears how each visit to a page or a sitemap ended, once that is committed. What it throws ends the crawl. */
  outcome?: (outcome: VisitOutcome) => void;
  /** Figures of the moment, a few times a second. */
  progress?: (now: CrawlProgress) => void;
  /** A sentence worth reading, such as a seed that redirects to another domain. */
  note?: (sentence: string) => void;
}

/** Any option of docs/configuration.md by its name (`maxPages`, `'timeout.dns'`), as a config file writes it:
 * durations and sizes as text (`'1s'`, `'64KiB'`); here also as a number of ms and bytes. */
export type CrawlerOptions = {
  readonly [Name in OptionName]?: Config[Name] | string | (Name extends 'rules' ? readonly WrittenRule[] : never);
};

export interface CrawlerConfig extends CrawlerOptions {
  /** http(s) URLs; a host name alone means https. May be left out to go on with what the directory holds. A list is
   * looked at by {@link createCrawler}; anything else that can be iterated is read once, as its seeds are admitted and
   * committed, and may give millions. */
  readonly seeds?: Iterable<string> | AsyncIterable<string>;
  /** The crawl directory: all state is there, and the same directory goes on. It need not exist. */
  readonly dir: string;
  /** Lets new seeds join a crawl that has others. */
  readonly add?: boolean;
  /** Where to begin with pages that the directory holds already: a {@link Crawler.position} of an earlier run, or 0 for
   * all. Without it, the iteration gives the pages of this run. */
  readonly from?: number;
  /** Aborted to stop cleanly: what is being fetched gets up to 5 s, everything is made durable, the iteration gives what
   * is left and ends. It does not throw for that. */
  readonly signal?: AbortSignal;
  readonly hooks?: CrawlerHooks;
}

/** Why a crawl ended: nothing is left; what is left waits for longer than `patience`; a limit; or it was stopped. */
export type CrawlerEnd = 'done' | 'waiting' | 'max-pages' | 'max-duration' | 'stopped';

/**
 * One run of a crawl. It begins with the iteration, or with {@link run}, and only once.
 *
 * Each page is given after its commit, so none that was given is lost in a crash. The crawl does not wait for whoever
 * iterates: what was not read yet lies on the disk, and memory stays bounded. Leaving the loop stops the crawl cleanly.
 */
export interface Crawler extends AsyncIterable<CrawledPage> {
  readonly dir: string;
  /** Behind the page that was given last: `from` of a later run, to get each page at least once. */
  readonly position: number;
  /** The figures of the crawl, once it has ended; null before. */
  readonly summary: CrawlSummary | null;
  /** Why it ended; null before. */
  readonly end: CrawlerEnd | null;
  /** Crawls without giving pages.
   * @throws UserError for whatever the user can mend */
  run(): Promise<CrawlSummary>;
  /** Stops cleanly; the same directory goes on. */
  stop(): void;
  /** Does what an operator asks, while the crawl runs or not: blocks or unblocks a host, takes dead letters back.
   * Resolves when it is durable.
   * @throws UserError for a host or URL that is not known, and while the crawl starts or ends */
  operate(request: OperatorRequest): Promise<OperatorAnswer>;
}

/**
 * Makes a crawler; nothing is opened or fetched before its iteration begins, or `run()`.
 *
 * @throws UserError for an option that does not exist or cannot have that value, and for seeds that are no http(s) URLs.
 *   What depends on the directory and on the seeds' hosts (a crawl with other options, a missing `contact`, a host whose
 *   address is private) is thrown by the iteration and by `run()`
 */
export function createCrawler(config: CrawlerConfig): Crawler {
  const { seeds = [], dir, add = false, from = null, signal, hooks = {}, ...options } = config;
  const values = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const loaded = loadConfig(values, {}, 'the options of createCrawler');
  if (typeof dir !== 'string' || dir === '') throw new UserError('createCrawler needs dir: where the crawl lives.', 2);
  if (from !== null && !(Number.isSafeInteger(from) && from >= 0)) {
    throw new UserError(`from cannot be ${from}: give a position that a crawler told, or 0 for all pages.`, 2);
  }
  refuseCommandOptions(loaded);
  checkWorkers(loaded, availableParallelism());
  const given = Array.isArray(seeds) ? seeds.map(checkedSeed) : checked(seeds);
  if (Array.isArray(given) && given.length === 0 && !existsSync(join(dir, 'crawl.sqlite'))) {
    throw new UserError(`There is no seed, and ${dir} holds no crawl to go on with: give a URL to start from.`, 2);
  }
  const stopping = new AbortController();
  const crawl: CrawlOptions = {
    ...{ seeds: given, dir, add, config: loaded, userAgent: userAgent(version(), loaded.contact), byProgram: true },
    ...(hooks.score !== undefined && { score: hooks.score }),
    ...(hooks.fetch !== undefined && { fetch: hooks.fetch }),
    signal: signal === undefined ? stopping.signal : AbortSignal.any([signal, stopping.signal]),
  };
  return new DirectoryCrawler(crawl, hooks, from, () => stopping.abort());
}

const checkedSeed = (seed: string, i: number): string => seedUrl(seed, `seeds[${i}]`);

async function* checked(seeds: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  let i = 0;
  for await (const seed of seeds) yield checkedSeed(seed, i++);
}

/** What a command does beside a crawl, and a program does by itself.
 * @throws UserError */
function refuseCommandOptions(config: Config): void {
  const given = [
    ['admin', config.admin !== Number.POSITIVE_INFINITY],
    ['log.file', config['log.file'] !== null],
    ['trace.endpoint', config['trace.endpoint'] !== null],
  ] as const;
  const [name] = given.find(([, isGiven]) => isGiven) ?? [null];
  if (name === null) return;
  throw new UserError(`${name} is for the command line: a program that uses createCrawler has its hooks.`, 2);
}

class DirectoryCrawler implements Crawler {
  readonly dir: string;
  readonly stop: () => void;
  summary: CrawlSummary | null = null;
  end: CrawlerEnd | null = null;
  readonly #options: CrawlOptions;
  readonly #hooks: CrawlerHooks;
  readonly #from: number | null;
  #feed: { readonly position: number } | null = null;
  #opened: OpenedCrawl | null = null;
  #hasBegun = false;

  constructor(options: CrawlOptions, hooks: CrawlerHooks, from: number | null, stop: () => void) {
    this.dir = options.dir;
    this.stop = stop;
    this.#options = options;
    this.#hooks = hooks;
    this.#from = from;
  }

  get position(): number {
    return this.#feed?.position ?? this.#from ?? 0;
  }

  run(): Promise<CrawlSummary> {
    this.#begin();
    return this.#crawl(async () => ({ close: async () => {} }));
  }

  async operate(request: OperatorRequest): Promise<OperatorAnswer> {
    const [{ operate, readRequest }, { operateStopped }] = await Promise.all([
      import('./operate.js'),
      import('./operate-stopped.js'),
    ]);
    const read = readRequest(request);
    return this.#opened === null ? operateStopped(this.dir, read) : operate(this.#opened, read);
  }

  [Symbol.asyncIterator](): AsyncGenerator<CrawledPage, void> {
    this.#begin();
    return this.#pages();
  }

  #begin(): void {
    if (this.#hasBegun) {
      throw new UserError(`This crawler of ${this.dir} has begun already: make another on the same directory.`);
    }
    this.#hasBegun = true;
  }

  async *#pages(): AsyncGenerator<CrawledPage, void> {
    // loaded here, not above: whoever imports the parts alone needs none of it
    const { PageFeed } = await import('./page-feed.js');
    const feed = new PageFeed(this.#from, this.#options.userAgent.split('/', 1)[0]);
    this.#feed = feed;
    const running = this.#crawl((opened) => feed.attend(opened)).finally(() => feed.end());
    running.catch(() => {}); // it is thrown below, behind the pages that were committed before
    try {
      yield* feed.pages();
    } finally {
      if (!feed.hasEnded) this.stop();
      feed.close();
      await running;
    }
  }

  async #crawl(attend: Attendant): Promise<CrawlSummary> {
    const [{ runCrawl }, { PAGE_THREAD }, { hearOutcomes }] = await Promise.all([
      import('./run.js'),
      import('./open.js'),
      import('./outcomes.js'),
    ]);
    const { outcome, progress, note } = this.#hooks;
    const ui = {
      progress: (now: CrawlProgress) => progress?.(now),
      say: (sentence: string) => note?.(sentence),
      ended: (end: CrawlerEnd) => {
        this.end = end;
      },
    };
    this.summary = await runCrawl(this.#options, ui, PAGE_THREAD, async (opened) => {
      if (outcome !== undefined) hearOutcomes(opened, outcome);
      const attendant = await attend(opened);
      this.#opened = opened;
      return {
        close: () => {
          this.#opened = null;
          return attendant.close();
        },
      };
    });
    return this.summary;
  }
}
