/** The faults of a simulated world: what goes wrong, how often, and how often it did. */
import type { Random } from '../engines/ports.js';

export const FAULTS = [
  'crash.before-commit',
  'crash.after-commit',
  'crash.between-commits',
  'crash.at-start',
  'power.cut',
  'stop.clean',
  'commit.acknowledgement-lost',
  'commit.refused-once',
  'report.doubled',
  'report.late',
  'report.reordered',
  'report.of-a-returned-lease',
  'worker.death',
  'lease.returned',
  'lease.lost',
  'resolver.slow',
  'texts.late',
  'clock.forward',
  'clock.back',
  'operator.block',
] as const;
export type Fault = (typeof FAULTS)[number];

export type FaultCounts = Record<Fault, number>;

export const noFaults = (): FaultCounts => Object.fromEntries(FAULTS.map((fault) => [fault, 0])) as FaultCounts;

/** Draws faults by the rates of one world, and counts them. */
export class Faults {
  readonly counts = noFaults();
  readonly #random: Random;
  /** How rough this world is: 0 (calm) to 1. */
  readonly #roughness: number;
  #crashesLeft: number;

  constructor(random: Random, crashes: number, roughness = random.next()) {
    this.#random = random;
    this.#roughness = roughness;
    this.#crashesLeft = crashes;
  }

  /** Does it happen now? `p` is its probability in the roughest world. */
  strikes(fault: Fault, p: number): boolean {
    if (this.#random.next() >= p * this.#roughness) return false;
    this.count(fault);
    return true;
  }

  /** The same for what ends a process: there is an end to that, so that the crawl can finish. */
  ends(fault: Fault, p: number): boolean {
    if (this.#crashesLeft === 0 || this.#random.next() >= p) return false;
    this.#crashesLeft--;
    this.count(fault);
    return true;
  }

  count(fault: Fault, n = 1): void {
    this.counts[fault] += n;
  }

  /** ms, mostly short: the cube of a uniform number. */
  wait(most: number): number {
    return Math.ceil(most * this.#random.next() ** 3);
  }

  /** A whole number below n. */
  below(n: number): number {
    return Math.floor(this.#random.next() * n);
  }
}
