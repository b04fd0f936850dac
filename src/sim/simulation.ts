/**
 * The proof harness of the frontier (DESIGN 14): the real frontier, admission, robots desk, settlement and rebuild on
 * virtual time over a seeded web, with crashes at every commit boundary, lost acknowledgements, doubled, late and
 * reordered reports, dying workers, slow resolvers and clocks that jump. The invariants of DESIGN 4 are checked at every
 * step. Nothing is random but by the seed: a seed that fails, fails again.
 */

import type { WebSize } from './model-web.js';
import { checkEnd, compareMemories, memoryOf } from './simulation-end.js';
import type { FaultCounts } from './simulation-faults.js';
import { Violation } from './simulation-oracle.js';
import { Process } from './simulation-process.js';
import { REAL_PARTS, type SimulatedParts, World } from './simulation-world.js';

export interface SimulationOptions extends WebSize {
  seed: number;
  /** Ends of processes, at most, before the crawl is left to finish. */
  crashes: number;
  parts?: SimulatedParts;
  /** Pages are visited again, at intervals of one to eight hours, for so long (virtual ms); then the crawl is left to finish
   * without. Default: never. */
  revisitFor?: number;
}

export interface SimulationReport {
  seed: number;
  /** What was broken, null if nothing was. */
  violation: string | null;
  /** The last lines of the trace, if something was. */
  recent: readonly string[];
  /** The same number if and only if (but for a chance in 2^32) the same things happened at the same times. */
  trace: number;
  faults: FaultCounts;
  events: number;
  requests: number;
  pages: number;
  /** Committed visits to pages that had been visited. */
  revisits: number;
  /** URLs at the end, by state. */
  known: number;
  done: number;
  denied: number;
  dead: number;
  lives: number;
  /** Virtual ms. */
  time: number;
  /** The longest that a host which was due waited, and the smallest gap that a host saw, ms. */
  longestWait: number;
  smallestGap: number;
}

const MOST_EVENTS = 2_000_000;
const WALL = 1_700_000_000_000;
const DAY = 86_400_000;
/** ms after the start of a process. */
const YOUNG = 1_000;

/** Runs the world of a seed to its end. Never throws: what goes wrong is in the report. */
export function simulate(options: SimulationOptions): SimulationReport {
  const world = new World(options.seed, options, options.crashes, options.parts ?? REAL_PARTS, options.revisitFor ?? 0);
  const run = new Simulation(world);
  let violation: string | null = null;
  try {
    run.toTheEnd();
  } catch (error) {
    violation = error instanceof Violation ? error.message : String((error as Error).stack ?? error);
  }
  return run.report(violation);
}

class Simulation {
  readonly #world: World;
  #process: Process;
  #lives = 1;
  #events = 0;
  #offset = WALL;
  #longestWait = 0;
  #startedAt = 0;

  constructor(world: World) {
    this.#world = world;
    this.#process = new Process(world, this.#offset);
  }

  toTheEnd(): void {
    const { time, faults } = this.#world;
    this.#process.begin();
    for (;;) {
      const before = time.now;
      const isMoving = time.step();
      if (++this.#events > MOST_EVENTS) throw new Violation('the crawl does not come to an end');
      if (this.#world.takeCrash()) this.#crash();
      else if (this.#process.isFinished) this.#restartCleanly();
      else if (this.#isRevisitingOver) this.#process.stop();
      else if (time.now !== before && faults.ends('crash.between-commits', this.#risk)) this.#crash();
      else if (time.now !== before && faults.ends('stop.clean', this.#risk / 2)) this.#process.stop();
      if (!isMoving) break;
    }
    if (!this.#process.isDone) throw new Violation('the crawl stands still, and has not ended');
    this.#process.watch.scanNow();
    this.#process.close();
    checkEnd(this.#world, this.#process);
    const last = this.#memory();
    this.#start(true, 0);
    this.#process.watch.scanNow();
    compareMemories(last, this.#memory());
  }

  /** Processes die at any time, and often when they are young: then much of what they did is not committed yet. */
  get #risk(): number {
    return this.#world.time.now - this.#startedAt < YOUNG ? 0.01 : 0.001;
  }

  #crash(): void {
    const { faults, oracle, leases } = this.#world;
    this.#end();
    const isPowerCut = faults.strikes('power.cut', 0.3);
    if (isPowerCut) leases.powerCut();
    this.#world.note(isPowerCut ? 'POWER CUT' : 'CRASH');
    oracle.crashed(!isPowerCut);
    this.#start(false, this.#jump());
    while (faults.ends('crash.at-start', 0.1)) {
      this.#end();
      oracle.crashed(!isPowerCut);
      this.#start(false, this.#jump());
    }
    this.#process.begin();
  }

  #memory(): ReturnType<typeof memoryOf> {
    return memoryOf(this.#process, this.#world.time.now, !this.#world.wasSetBack);
  }

  get #isRevisitingOver(): boolean {
    const { time, revisitFor, settings } = this.#world;
    return settings.frontier.revisit !== undefined && time.now >= revisitFor;
  }

  #restartCleanly(): void {
    const isOver = this.#isRevisitingOver;
    this.#end();
    this.#process.watch.scanNow();
    this.#process.close();
    const last = this.#memory();
    const jump = this.#jump();
    this.#world.note('STOP');
    if (isOver) delete this.#world.settings.frontier.revisit;
    this.#start(true, jump);
    if (jump === 0 && !isOver) compareMemories(last, this.#memory());
    this.#process.watch.scanNow();
    this.#process.begin();
  }

  #end(): void {
    this.#process.kill();
    this.#longestWait = Math.max(this.#longestWait, this.#process.watch.longestWait);
  }

  /** A new process, a moment later. */
  #start(clean: boolean, jump: number): void {
    const { faults, time, oracle } = this.#world;
    time.skip(faults.wait(5_000));
    this.#offset += jump;
    oracle.restarted(clean, jump);
    this.#world.jumped(jump);
    this.#process = new Process(this.#world, this.#offset);
    this.#startedAt = time.now;
    this.#lives++;
  }

  /** What the wall clock was set by while nobody looked, ms. */
  #jump(): number {
    const { faults } = this.#world;
    const jump = faults.below(2) === 0 ? faults.wait(2 * DAY) : faults.wait(60_000);
    if (faults.strikes('clock.forward', 0.3)) return jump;
    return faults.strikes('clock.back', 0.3) ? -jump : 0;
  }

  report(violation: string | null): SimulationReport {
    const { seed, oracle, time, faults, trace, recent, pages, revisits } = this.#world;
    const [, , denied, done, dead] = this.#process.frontier.urls.inState;
    return {
      ...{ seed, violation, recent: violation === null ? [] : [...recent], trace, faults: faults.counts },
      ...{ events: this.#events, requests: oracle.requests, pages, revisits, known: this.#process.frontier.urls.size },
      ...{ done, denied, dead, lives: this.#lives, time: time.now, smallestGap: oracle.smallestGap },
      longestWait: Math.max(this.#longestWait, this.#process.watch.longestWait),
    };
  }
}
