/** Fairness, watched: the order in which hosts get back queues, and how long each waits between two leases. Constant time
 * a step. */
import type { Frontier } from '../frontier/frontier.js';
import { LEVELS } from '../frontier/url-table.js';
import { Violation } from './simulation-oracle.js';

/** DESIGN 4, Front queues. */
const WEIGHTS = [16, 8, 4, 2, 1] as const;
/** Standard deviations by which a level may fall short of its share: once in a billion looks by chance. */
const SIGMAS = 6;

/** Keeps a ticket for each host that waits in front: within a level the oldest comes first, and each level gets its share of
 * the draws. Both together are the promise that no host starves. */
export class FrontWatch {
  readonly #got = new Float64Array(LEVELS);
  readonly #due = new Float64Array(LEVELS);
  /** By host. */
  readonly #tickets: number[] = [];
  #next = 0;
  readonly #last = new Float64Array(LEVELS);
  /** Back queues that were given. */
  draws = 0;

  constructor({ front, hosts }: Frontier) {
    const put = front.put.bind(front);
    const take = front.take.bind(front);
    front.put = (host, level, atHead = false) => {
      while (this.#tickets.length <= host) this.#tickets.push(0);
      // whoever comes back to the head stands where the last one stood that was taken
      this.#tickets[host] = atHead ? this.#last[level] : ++this.#next;
      put(host, level, atHead);
    };
    front.take = () => {
      let total = 0;
      for (let level = 0; level < LEVELS; level++) if (front.lengths[level] > 0) total += WEIGHTS[level];
      for (let level = 0; level < LEVELS; level++) {
        if (front.lengths[level] > 0) this.#due[level] += WEIGHTS[level] / total;
      }
      const host = take();
      if (host < 0) return host;
      const level = hosts.frontLevel[host];
      const ticket = this.#tickets[host];
      if (ticket < this.#last[level])
        throw new Violation(`host ${host} is taken after one that came later to level ${level}`);
      this.#last[level] = ticket;
      this.#got[level]++;
      this.draws++;
      return host;
    };
  }

  /** @throws Violation if a level got fewer of the draws than its weight gives it */
  check(): void {
    for (let level = 0; level < LEVELS; level++) {
      const [got, due] = [this.#got[level], this.#due[level]];
      if (got < due - SIGMAS * Math.sqrt(due) - 1) {
        throw new Violation(
          `level ${level} starves: it was drawn ${got} times, its weight gives it ${Math.round(due)}`,
        );
      }
    }
  }
}

/** Buckets of the histogram for each doubling. */
const PER_OCTAVE = 16;

/** A histogram of times in ms, by the logarithm: percentiles within 5%. */
export class Times {
  readonly #buckets = new Float64Array(40 * PER_OCTAVE);
  count = 0;
  least = Number.POSITIVE_INFINITY;
  most = 0;

  add(ms: number): void {
    this.count++;
    if (ms < this.least) this.least = ms;
    if (ms > this.most) this.most = ms;
    this.#buckets[Math.floor(PER_OCTAVE * Math.log2(1 + ms))]++;
  }

  /** ms under which the share `p` of all times lies; 0 without any. */
  percentile(p: number): number {
    let left = p * this.count;
    for (let i = 0; i < this.#buckets.length; i++) {
      left -= this.#buckets[i];
      if (left <= 0 && this.count > 0) return Math.min(2 ** ((i + 0.5) / PER_OCTAVE) - 1, this.most);
    }
    return this.most;
  }
}
