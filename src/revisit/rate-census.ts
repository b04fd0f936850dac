/**
 * How many pages change how fast, for the `optimal` policy: what one page deserves depends on what the others ask for.
 * Rates are counted in classes 7% apart, so that a page costs one byte, and the price of a visit is worked out anew (4 ms)
 * when a sixteenth of the pages have moved. Pure.
 */
import { optimalFrequency, type RateClass } from './freshness.js';
import type { RevisitOptions } from './policy.js';

/** Changes a second of the slowest and fastest class: once in 20 years, once in 10 s. */
const SLOWEST = 1 / (20 * 365 * 86_400);
const FASTEST = 0.1;
const CLASSES = 255;
const STEP = Math.log(FASTEST / SLOWEST) / (CLASSES - 1);

/** No rate is known. */
export const NO_RATE = 0;

/** 1 to 255 by rate in changes a second; 0 for null. */
export function rateClass(rate: number | null): number {
  if (rate === null) return NO_RATE;
  return 1 + Math.round(Math.min(Math.max(Math.log(rate / SLOWEST) / STEP, 0), CLASSES - 1));
}

/** The rate in the middle of a class, changes a second; 0 for {@link NO_RATE}. */
export const rateOfClass = (of: number): number => (of === NO_RATE ? 0 : SLOWEST * Math.exp((of - 1) * STEP));

const LEAST_MOVES = 256;
const SHARE_OF_MOVES = 16;

export class RateCensus {
  readonly #options: Pick<RevisitOptions, 'min' | 'max' | 'every' | 'perDay'>;
  readonly #counts = new Float64Array(CLASSES + 1);
  #pages = 0;
  #moves = 0;
  #frequency: ((rate: number) => number) | null = null;

  constructor(options: Pick<RevisitOptions, 'min' | 'max' | 'every' | 'perDay'>) {
    this.#options = options;
  }

  /** A page's class is another; {@link NO_RATE} for one that is not, or no longer, counted. */
  move(from: number, to: number): void {
    if (from === to) return;
    if (from !== NO_RATE) this.#counts[from]--;
    if (to !== NO_RATE) this.#counts[to]++;
    this.#pages += (to === NO_RATE ? 0 : 1) - (from === NO_RATE ? 0 : 1);
    if (++this.#moves >= Math.max(LEAST_MOVES, this.#pages / SHARE_OF_MOVES)) this.#frequency = null;
  }

  /** The best time between two visits of a page, ms, for `rate` changes a second. */
  intervalOf(rate: number): number {
    this.#frequency ??= this.#allocate();
    return 1000 / this.#frequency(rate);
  }

  #allocate(): (rate: number) => number {
    this.#moves = 0;
    const { min, max, every, perDay } = this.#options;
    const classes: RateClass[] = [];
    this.#counts.forEach((weight, of) => {
      if (of !== NO_RATE && weight > 0) classes.push({ rate: rateOfClass(of), weight });
    });
    const budget = perDay === null ? (this.#pages * 1000) / every : perDay / 86_400;
    return optimalFrequency(classes, budget, { least: 1000 / max, most: 1000 / min });
  }
}
