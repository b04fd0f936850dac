/** Counters of what admission refused, by name. Link occurrences, not distinct URLs: a menu entry that leads out of
 * scope counts on every page. */
export class Refusals {
  readonly counts: Record<string, number> = Object.create(null);

  /** Counts a refusal; returns -1, the id of nothing. */
  count(reason: string, n = 1): -1 {
    this.counts[reason] = (this.counts[reason] ?? 0) + n;
    return -1;
  }

  /** Sets all of them to what they were. */
  reset(counts: Readonly<Record<string, number>>): void {
    for (const reason of Object.keys(this.counts)) if (!(reason in counts)) delete this.counts[reason];
    Object.assign(this.counts, counts);
  }

  /** Adds what was counted elsewhere (a page worker, an earlier run). */
  add(counts: Readonly<Record<string, number>>): void {
    for (const [reason, n] of Object.entries(counts)) this.count(reason, n);
  }
}
