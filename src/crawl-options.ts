/** What a crawl is asked for, what it says while it runs, and what it says at its end. */
import type { Config } from './config/config.js';
import type { OutcomeCode } from './errors.js';
import type { Score } from './frontier/score.js';

export interface CrawlOptions {
  /** Absolute http(s) URLs as given. Read once, as they are admitted, for there may be millions. Empty: go on with what the
   * directory holds. */
  readonly seeds: Iterable<string> | AsyncIterable<string>;
  /** Tells a list of seeds from any other: one that was admitted whole is not read again. Null if nothing can. */
  readonly seedsDigest?: () => Promise<string | null>;
  /** The crawl directory; it need not exist. */
  readonly dir: string;
  /** New seeds may join a crawl that has others. */
  readonly add: boolean;
  readonly config: Config;
  /** The whole User-Agent. */
  readonly userAgent: string;
  /** Gives new URLs their levels, in the place of the default and of `score` in the config. */
  readonly score?: Score;
  /** Hears of each request for a page or a sitemap right before it goes out; false refuses it (`guard.hook`). What it
   * throws ends the crawl. */
  readonly fetch?: FetchHook;
  /** A program runs it, which no operator reaches by a socket. */
  readonly byProgram?: boolean;
  /** Aborted to stop cleanly: open requests end, everything is made durable, and the promise resolves. */
  readonly signal: AbortSignal;
}

/** A request that is about to go out. */
export interface FetchRequest {
  /** The exact URL that will be asked for. */
  readonly url: string;
  readonly host: string;
  readonly kind: 'page' | 'sitemap';
  /** Links from a seed. */
  readonly depth: number;
  /** The page was visited before. */
  readonly revisit: boolean;
}

export type FetchHook = (request: FetchRequest) => boolean | undefined;

/** Where a crawl speaks to its user. */
export interface CrawlUi {
  /** Figures of the moment; called a few times a second. */
  progress(now: CrawlProgress): void;
  /** Why the crawl ended: nothing is left, what is left waits for longer than `patience`, or a limit. */
  ended?(end: 'done' | 'waiting' | 'max-pages' | 'max-duration' | 'stopped'): void;
  /** A sentence worth reading, such as a seed that redirects to another domain. */
  say(sentence: string): void;
}

export interface CrawlProgress {
  readonly state: 'starting' | 'crawling' | 'waiting' | 'stopping';
  readonly pages: number;
  /** In a crawl that visits pages again. */
  readonly revisits?: number;
  readonly bytes: number;
  readonly hosts: number;
  readonly pending: number;
  readonly inFlight: number;
  /** Seconds of this run. */
  readonly seconds: number;
  /** Over the last seconds, not the whole run. */
  readonly pagesPerSecond: number;
  /** While starting: what part of the rows (or of the checkpoint) is read. */
  readonly share?: number;
  /** While starting: seeds that are admitted, of a list that is long. */
  readonly seeds?: number;
  /** While waiting: milliseconds until the next URL falls due. */
  readonly nextIn?: number;
}

/** Why URLs are still pending when a crawl ends. */
export interface Waiting {
  readonly urls: number;
  /** Wall-clock milliseconds since 1970 at which the first of them falls due, or null if nothing says. */
  readonly next: number | null;
}

/** What the back queues allow: the named ceiling on the rate (docs/politeness.md). */
export interface CeilingSummary {
  readonly backQueues: number;
  /** Mean seconds of a request and what its host is owed after it; null before the first. */
  readonly period: number | null;
  /** `backQueues` divided by `period`; null before the first. */
  readonly pagesPerSecond: number | null;
  /** It holds the crawl up at this moment: hosts wait, and page workers have room. */
  readonly binds: boolean;
  /** Seconds of this run during which it did. */
  readonly bound: number;
}

/** How full the Bloom filter of URLs is (`seen.filter: bloom`). */
export interface SeenSummary {
  /** URLs in it, and what it is made for. */
  readonly inserted: number;
  readonly design: number;
  /** Share of its bits that are set: one half at the design size. */
  readonly fill: number;
  /** Share of new URLs that are skipped as known. */
  readonly falsePositives: number;
  /** How many filters there were in this run. */
  readonly epoch: number;
  readonly overfull: boolean;
}

/** The one object that `--json` prints, in this order (DESIGN 11). All figures count the whole crawl, except `seconds`,
 * `pagesPerSecond` and `pagesThisRun`. */
export interface CrawlSummary {
  /** Committed 2xx bodies, revisits excluded. */
  readonly pages: number;
  /** Of every kind, robots included. */
  readonly requests: number;
  readonly bytes: number;
  readonly duplicates: number;
  readonly nearDuplicates: number;
  readonly hosts: number;
  readonly known: number;
  readonly pending: number;
  readonly waiting: Readonly<Record<string, Waiting>>;
  readonly deadLetters: number;
  readonly robotsDenied: number;
  /** By the reason that admission gave. */
  readonly rejected: Readonly<Record<string, number>>;
  /** Tracking and session parameters that the normal form removed from links, by the names that the options give them. */
  readonly removed: Readonly<Record<string, number>>;
  readonly errors: Readonly<Partial<Record<OutcomeCode, number>>>;
  readonly seconds: number;
  readonly pagesPerSecond: number;
  readonly pagesThisRun: number;
  /** Visits to pages that had been visited before; how many of these were answered by 304, and how many found another
   * page (a 304 is none). */
  readonly revisits: number;
  readonly notModified: number;
  readonly changed: number;
  /** Share of the pages, 0 to 1, that are believed to be as they were fetched, by their rates of change; null if no rate
   * is known. */
  readonly freshness: number | null;
  readonly ceiling: CeilingSummary;
  /** Null where keys are exact. */
  readonly seen: SeenSummary | null;
  /** Hosts that repeat themselves, and fell to the lowest level; hosts that are mostly copies of one other: the largest,
   * at most a hundred of each. */
  readonly suspectedTraps: readonly { host: string; pages: number; duplicates: number }[];
  readonly mirrors: readonly { host: string; of: string; copies: number; pages: number }[];
}
