/** What outlives a process of the large simulation: web, store, time, and what watches. */
import type { Random } from '../engines/ports.js';
import { seededRandom } from '../engines/system.js';
import { Frontier } from '../frontier/frontier.js';
import type { FrontierOptions } from '../frontier/lease.js';
import { Faults } from './simulation-faults.js';
import { LargeOracle } from './simulation-large-checks.js';
import { LargeWeb, type LargeWebOptions } from './simulation-large-web.js';
import { Ledger } from './simulation-ledger.js';
import { hashLabel } from './web-random.js';

/** The world does not begin at 0, which stands for "never" in places. */
export const BEGIN = 1_000;

export interface LargeOptions {
  web: LargeWebOptions;
  frontier: FrontierOptions;
  /** What a host owes at least that was being fetched when the process died, ms. */
  uncleanOwe: number;
  /** URLs admitted to one host and fetches made of it in 30 days; null is no limit. */
  budget: number | null;
  /** Requests a second that the line carries, Infinity for no limit; requests in flight at once. */
  rate: number;
  slots: number;
  /** Virtual ms. */
  duration: number;
  /** Late, doubled and lost answers, slow resolvers, dying workers; and how often the process is killed. */
  faults: boolean;
  crashes: number;
  /** A test hands in a broken one to see it caught. */
  makeFrontier?: (options: FrontierOptions, random: Random) => Frontier;
  /** Told each simulated minute how many virtual ms have passed. */
  onProgress?: (time: number, requests: number) => void;
}

export class LargeWorld {
  readonly options: LargeOptions;
  readonly web: LargeWeb;
  readonly ledger: Ledger;
  readonly oracle: LargeOracle;
  readonly faults: Faults;
  readonly random: Random;
  now = BEGIN;
  requests = 0;
  pages = 0;
  refused = 0;
  /** Sum over all requests of what they took and what was owed after them, ms. */
  periods = 0;

  constructor(options: LargeOptions) {
    const { web, frontier, uncleanOwe, budget, faults, crashes } = options;
    this.options = options;
    this.web = new LargeWeb(web);
    this.ledger = new Ledger(this.web);
    this.oracle = new LargeOracle(this.web, {
      ...frontier,
      ...frontier.rules,
      uncleanOwe,
      budget: budget ?? Number.POSITIVE_INFINITY,
    });
    this.random = seededRandom(hashLabel(web.seed, 'large world'));
    this.faults = new Faults(seededRandom(hashLabel(web.seed, 'large faults')), crashes, faults ? 0.1 : 0);
  }

  makeFrontier(): Frontier {
    const random = seededRandom(this.random.next() * 2 ** 32);
    const make = this.options.makeFrontier ?? ((options, chance) => new Frontier(options, chance));
    return make(this.options.frontier, random);
  }
}
