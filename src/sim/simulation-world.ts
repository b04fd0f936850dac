/** A simulated world: what outlives a crawler process (the web, the store, the leases file, true time), and what watches
 * it. See `simulation.ts`. */
import type { Changes } from '../changes.js';
import { MemoryStore } from '../engines/memory.js';
import type { Random } from '../engines/ports.js';
import { seededRandom } from '../engines/system.js';
import type { RobotsTimes } from '../fetch/robots-ladder.js';
import { Frontier } from '../frontier/frontier.js';
import type { FrontierOptions } from '../frontier/lease.js';
import { rebuild } from '../state/rebuild.js';
import { UrlKeyer } from '../url/key.js';
import { createNormalizer, type NormalUrl } from '../url/normalize.js';
import { ModelWeb, type WebSize } from './model-web.js';
import { Faults } from './simulation-faults.js';
import { Oracle, Violation } from './simulation-oracle.js';
import { VirtualLeases } from './virtual-leases.js';
import { VirtualTime } from './virtual-time.js';
import { hashLabel, randomFor } from './web-random.js';

/** The parts under test; a test hands in broken ones to see them caught. */
export interface SimulatedParts {
  frontier: (options: FrontierOptions, random: Random) => Frontier;
  rebuild: typeof rebuild;
}

export const REAL_PARTS: SimulatedParts = {
  frontier: (options, random) => new Frontier(options, random),
  rebuild,
};

export interface WorldSettings {
  frontier: FrontierOptions;
  robots: RobotsTimes;
  uncleanOwe: number;
  /** Bytes of compiled rules in memory. */
  rulesMemory: number;
  batch: { time: number; changes: number };
  /** Leases that each worker may have. */
  room: number;
}

export interface Keyed {
  keyHi: number;
  keyLo: number;
  /** Fetch form. */
  url: string;
  to: NormalUrl;
}

/** Lines of the trace that are kept for whoever has to look into a failure. */
const HOUR = 3_600_000;
const KEPT_LINES = 60;

export class World {
  readonly seed: number;
  readonly settings: WorldSettings;
  readonly parts: SimulatedParts;
  readonly time = new VirtualTime();
  readonly random: Random;
  readonly web: ModelWeb;
  readonly store = new MemoryStore();
  readonly leases = new VirtualLeases();
  readonly faults: Faults;
  readonly oracle: Oracle;
  /** Pages whose visit is committed, by normal form, and before when they must not be visited again (true time, ms). */
  readonly visited = new Map<string, number>();
  /** Until when pages are visited again, virtual ms. */
  readonly revisitFor: number;
  /** The wall clock was set back at least once. */
  wasSetBack = false;
  /** Visits to pages that had been visited. */
  revisits = 0;
  /** Page requests that were made. */
  pages = 0;
  readonly recent: string[] = [];
  #trace = 0;
  #crash = false;
  readonly #keyer: UrlKeyer;
  readonly #normalizer = createNormalizer();

  constructor(seed: number, size: WebSize, crashes: number, parts: SimulatedParts, revisitFor = 0) {
    this.seed = seed;
    this.revisitFor = revisitFor;
    this.parts = parts;
    this.random = seededRandom(hashLabel(seed, 'world'));
    this.web = new ModelWeb(seed, size);
    this.settings = settingsOf(seed);
    if (revisitFor > 0) {
      this.settings.frontier.revisit = {
        policy: 'adaptive',
        min: HOUR,
        max: 8 * HOUR,
        first: 2 * HOUR,
        every: HOUR,
        perDay: null,
      };
      this.settings.frontier.revisitShare = 0.5;
    }
    this.faults = new Faults(seededRandom(hashLabel(seed, 'faults')), crashes);
    this.#keyer = new UrlKeyer(Buffer.from(`secret of ${String(seed).padStart(6, '0')}`));
    const { rules, key, isCdn, perDomain, shared } = this.settings.frontier;
    const { uncleanOwe } = this.settings;
    this.oracle = new Oracle({ ...rules, uncleanOwe, key, isCdn, perDomain, shared }, () => this.time.now);
  }

  keyed(url: string, base: string | undefined): Keyed | null {
    const to = this.#normalizer.normalize(url, base);
    if (to.url === null) return null;
    this.#keyer.hash(to.url);
    return { keyHi: this.#keyer.hi, keyLo: this.#keyer.lo, url: to.fetch, to };
  }

  /** A page is about to be requested. @throws Violation if robots forbid it, or if it is held already. */
  pageBegins(target: string, host: string): void {
    const to = this.#normalizer.normalize(target);
    if (to.url === null || to.host !== host) throw new Violation(`${target} is requested from ${host}`);
    this.oracle.checkPage(to.origin, target.slice(to.origin.length));
    const early = (this.visited.get(to.url) ?? 0) - this.time.now;
    if (early === Number.POSITIVE_INFINITY) {
      throw new Violation(`${target} is requested again although its visit is committed`);
    }
    if (early > 0) throw new Violation(`${target} is visited again ${early} ms before it is due`);
    this.pages++;
  }

  /** A batch is in the store. @param offset of its process's clock from the true time, ms */
  committed(changes: Changes, offset: number): void {
    for (const { url, history, nextVisit } of changes.visits) {
      const normal = this.#normalizer.normalize(this.store.readUrlsNow([url], [-1])[0].url).url!;
      if (this.visited.has(normal) && history === null) throw new Violation(`${normal} is in the store twice`);
      if (history !== null) this.revisits++;
      this.visited.set(normal, nextVisit === null ? Number.POSITIVE_INFINITY : nextVisit - offset);
    }
  }

  /** The wall clock was set while nobody looked: what it was set forward by makes pages due earlier. */
  jumped(ms: number): void {
    if (ms < 0) this.wasSetBack = true;
    if (ms > 0) for (const [url, at] of this.visited) this.visited.set(url, at - ms);
  }

  /** Asks for the process to be killed, now. */
  crash(): void {
    this.#crash = true;
  }

  takeCrash(): boolean {
    const crash = this.#crash;
    this.#crash = false;
    return crash;
  }

  /** Adds a line to the trace. */
  note(line: string): void {
    this.#trace = hashLabel(this.#trace, `${this.time.now} ${line}`);
    this.recent.push(`${String(this.time.now).padStart(12)} ${line}`);
    if (this.recent.length > KEPT_LINES) this.recent.shift();
  }

  /** A number that two runs share only if they did the same things at the same times. */
  get trace(): number {
    return this.#trace;
  }
}

function settingsOf(seed: number): WorldSettings {
  const random = randomFor(seed, 'settings');
  const delay = random.pick([1_000, 1_000, 300, 5_000]);
  const backQueues = random.pick([1, 2, 4, 16, 64]);
  return {
    frontier: {
      rules: {
        ...{ delay, fetchFactor: 10, fetchCap: 60_000, penaltyCap: 3_600_000, retryAfterCap: 86_400_000 },
        ...{ throttlesBeforeSleep: random.pick([3, 10]), sleeps: [3_600_000, 21_600_000, 86_400_000] },
        ...{ failuresBeforeOffline: 5, nxdomainsBeforeOffline: 2, offline: [3_600_000, 21_600_000, 86_400_000] },
      },
      retries: [30_000, 120_000, 300_000, 900_000],
      key: random.chance(0.8) ? 'host+ip' : random.pick(['host', 'ip'] as const),
      backQueues,
      backQueuesMax: random.chance(0.5) ? backQueues : 64,
      quantumFetches: random.pick([2, 8, 64]),
      quantumTime: randomFor(seed, 'quantum').pick([20_000, 600_000]),
      sleepBeyond: 30_000,
      lookAhead: random.pick([1, 3, 16, 64]),
      workers: random.between(1, 3),
      isCdn: random.pick([() => false, (address: string) => /^10\.0\.0\.[02]$/.test(address), () => true]),
      perDomain: random.pick([1, 1, 4]),
      shared: { from: random.pick([1, 2, 16]), requests: random.between(1, 3), gap: 250 },
      affinity: 1_000,
      budgetPeriod: 30 * 86_400_000,
    },
    robots: {
      ...{ fresh: 86_400_000, firstRetry: 300_000, maxRetry: 86_400_000 },
      ...{ maxCopyAge: 30 * 86_400_000, dropAfter: 30 * 86_400_000 },
    },
    uncleanOwe: 10_000,
    rulesMemory: random.pick([1, 2_000, 1e9]),
    batch: { time: 200, changes: random.pick([20, 2_000]) },
    room: random.pick([1, 4, 32]),
  };
}
