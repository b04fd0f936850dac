/**
 * The large simulation (DESIGN 14): the real frontier and rebuild on virtual time over a web of a hundred thousand hosts,
 * at the rate of a whole crawl. It does with numbers what `simulation.ts` does with whole URLs, and so does tens of
 * thousands of requests a second: the promises are checked in constant time at each step, and all memory is looked through
 * each simulated hour. Nothing is random but by the seed.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Frontier } from '../frontier/frontier.js';
import type { Times } from './simulation-fairness.js';
import type { FaultCounts } from './simulation-faults.js';
import { LargeProcess } from './simulation-large-process.js';
import { BEGIN, type LargeOptions, LargeWorld } from './simulation-large-world.js';
import { Violation } from './simulation-oracle.js';

export interface LargeReport {
  seed: number;
  /** What was broken, null if nothing was. */
  violation: string | null;
  /** Virtual ms that passed, and real ones. */
  time: number;
  realTime: number;
  requests: number;
  /** Visits that ended with a page, and URLs by state at the end. */
  pages: number;
  known: number;
  done: number;
  pending: number;
  denied: number;
  dead: number;
  refused: number;
  hosts: number;
  /** Hosts with pages that could be leased, on average over the scans. */
  hostsWithWork: number;
  /** Mean ms from the start of a request to a host to the earliest start of the next. */
  meanPeriod: number;
  backQueues: number;
  /** What the line carries, requests a second; null for no limit. */
  rate: number | null;
  /** ms between two leases of a host; ms that a host which was due waited. */
  gaps: Percentiles;
  waits: Percentiles;
  smallestIdle: number;
  /** URLs that wait at the end, by why. */
  waiting: ReturnType<Frontier['waiting']>;
  faults: FaultCounts;
  lives: number;
  checks: number;
  scans: number;
}

export interface Percentiles {
  p50: number;
  p99: number;
  max: number;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Runs the world of a seed. Never throws: what goes wrong is in the report. Others get a turn every simulated minute. */
export async function simulateLarge(options: LargeOptions): Promise<LargeReport> {
  const run = new LargeRun(new LargeWorld(options));
  const began = performance.now();
  let violation: string | null = null;
  try {
    await run.toTheEnd();
  } catch (error) {
    violation = error instanceof Violation ? error.message : String((error as Error).stack ?? error);
  }
  return run.report(violation, performance.now() - began);
}

class LargeRun {
  readonly #world: LargeWorld;
  #process: LargeProcess;
  #lives = 1;
  #scans = 0;
  /** Hosts with work, summed over the scans. */
  #withWork = 0;

  constructor(world: LargeWorld) {
    this.#world = world;
    this.#process = new LargeProcess(world);
  }

  async toTheEnd(): Promise<void> {
    const world = this.#world;
    const { duration, crashes, onProgress } = world.options;
    const end = BEGIN + duration;
    const crashAt = Array.from({ length: crashes }, () => BEGIN + duration * world.random.next()).sort((a, b) => a - b);
    let pauseAt = BEGIN + MINUTE;
    let scanAt = BEGIN + HOUR;
    this.#process.begin();
    while (world.now < end) {
      this.#process.step(Math.min(end, scanAt, pauseAt, crashAt[0] ?? end));
      if (world.now >= crashAt[0]) {
        crashAt.shift();
        this.#process.batches.dieNext();
      }
      if (this.#process.batches.isDead) this.#restart();
      if (world.now >= scanAt || world.now >= end) {
        scanAt += HOUR;
        this.#scan();
      }
      if (world.now < pauseAt) continue;
      pauseAt += MINUTE;
      onProgress?.(world.now - BEGIN, world.requests);
      await nextTurn();
    }
  }

  #restart(): void {
    this.#process = this.#process.next();
    this.#lives++;
    this.#scan();
    this.#process.begin();
  }

  #scan(): void {
    this.#scans++;
    this.#withWork += this.#process.scan();
  }

  report(violation: string | null, realTime: number): LargeReport {
    const { now, requests, pages, refused, periods, oracle, faults, web, options } = this.#world;
    const { frontier } = this.#process;
    const [pending, leased, denied, done, dead] = frontier.urls.inState;
    return {
      seed: options.web.seed,
      ...{ violation, time: now - BEGIN, realTime, requests, pages, known: frontier.urls.size, done },
      ...{ pending: pending + leased, denied, dead, refused, hosts: web.hosts },
      hostsWithWork: this.#scans === 0 ? 0 : this.#withWork / this.#scans,
      meanPeriod: requests === 0 ? 0 : periods / requests,
      backQueues: frontier.back.ceiling,
      rate: Number.isFinite(options.rate) ? options.rate : null,
      gaps: percentiles(oracle.gaps),
      waits: percentiles(oracle.waits),
      smallestIdle: oracle.idle.least,
      waiting: frontier.waiting(this.#process.now),
      ...{ faults: faults.counts, lives: this.#lives, checks: oracle.checks, scans: this.#scans },
    };
  }
}

const percentiles = (times: Times): Percentiles => ({
  ...{ p50: times.percentile(0.5), p99: times.percentile(0.99), max: times.most },
});
