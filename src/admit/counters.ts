/** Counters by name, of what happens to links where they are found. */
export class Counters {
  readonly counts: Record<string, number> = Object.create(null);

  count(name: string, n = 1): void {
    this.counts[name] = (this.counts[name] ?? 0) + n;
  }

  /** One for each of these names. */
  each(names: readonly string[]): void {
    for (const name of names) this.count(name);
  }

  /** Adds what was counted elsewhere (a page worker, an earlier run). */
  add(counts: Readonly<Record<string, number>>): void {
    for (const [name, n] of Object.entries(counts)) this.count(name, n);
  }
}

/** Counters of what admission refused, by reason. Link occurrences, not distinct URLs: a menu entry that leads out of
 * scope counts on every page. */
export class Refusals extends Counters {
  /** Counts a refusal; returns -1, the id of nothing. */
  override count(reason: string, n = 1): -1 {
    super.count(reason, n);
    return -1;
  }

  /** Sets all of them to what they were. */
  reset(counts: Readonly<Record<string, number>>): void {
    for (const reason of Object.keys(this.counts)) if (!(reason in counts)) delete this.counts[reason];
    Object.assign(this.counts, counts);
  }
}
