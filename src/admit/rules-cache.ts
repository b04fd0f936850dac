/**
 * Compiled robots rules in bounded memory (DESIGN 6: one copy for all workers, compiled rules in an LRU, bodies on disk).
 * What is let go is compiled again from its row when its origin's turn comes; until then the origin waits. Rules whose row
 * is not committed yet cannot be read back, so they stay.
 */
import type { RobotsRules } from '../fetch/robots.js';
import type { Rules } from '../frontier/robots-gate.js';

/** The rules of one origin, in memory or not. */
export class KeptRules implements Rules {
  /** Their row in the table `robots`. */
  readonly place: number;
  readonly #cache: RulesCache;
  rules: RobotsRules | null = null;

  constructor(cache: RulesCache, place: number) {
    this.#cache = cache;
    this.place = place;
  }

  get isLoaded(): boolean {
    return this.rules !== null;
  }

  /** Rules that are not in memory allow nothing; the gate does not ask them. */
  allows(url: string): boolean {
    this.#cache.touch(this);
    return this.rules?.allows(url) ?? false;
  }
}

export class RulesCache {
  readonly #limit: number;
  /** Those in memory, the least recently used first. */
  readonly #loaded = new Set<KeptRules>();
  #bytes = 0;
  /** Rows that are committed. */
  #rows = 0;

  /** @param limit bytes, by the estimates of the rules themselves; the last used stay even if they are larger */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Estimate of the memory in use. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The rules of the row at `place`. */
  keep(rules: RobotsRules, place: number): KeptRules {
    const kept = new KeptRules(this, place);
    this.fill(kept, rules);
    return kept;
  }

  /** They are in memory (again). */
  fill(kept: KeptRules, rules: RobotsRules): void {
    this.drop(kept);
    kept.rules = rules;
    this.#bytes += rules.bytes;
    this.#loaded.add(kept);
    this.#trim();
  }

  touch(kept: KeptRules): void {
    if (this.#loaded.delete(kept)) this.#loaded.add(kept);
  }

  /** Lets go of rules that another file has replaced. */
  drop(kept: KeptRules): void {
    if (!this.#loaded.delete(kept)) return;
    this.#bytes -= kept.rules!.bytes;
    kept.rules = null;
  }

  /** The first `rows` rows of `robots` can be read back. */
  committed(rows: number): void {
    this.#rows = rows;
    this.#trim();
  }

  #trim(): void {
    if (this.#bytes <= this.#limit) return;
    let left = this.#loaded.size;
    for (const kept of this.#loaded) {
      if (this.#bytes <= this.#limit || --left === 0) return;
      if (kept.place < this.#rows) this.drop(kept);
    }
  }
}
