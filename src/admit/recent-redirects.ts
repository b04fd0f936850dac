/** The last redirects, to see those that lead in a circle. Bounded: a circle that takes longer to go round is not seen. */

/** Redirects that are remembered, and that are followed. */
const MOST = 8192;
const LONGEST = 32;

export class RecentRedirects {
  /** By URL, the one that it redirects to; the oldest first. */
  readonly #to = new Map<number, number>();

  note(url: number, to: number): void {
    this.#to.delete(url);
    this.#to.set(url, to);
    if (this.#to.size > MOST) this.#to.delete(this.#to.keys().next().value!);
  }

  /** Do redirects lead from `url` to `end`? */
  lead(url: number, end: number): boolean {
    let at: number | undefined = url;
    for (let hops = 0; hops < LONGEST && at !== undefined; hops++) {
      if (at === end) return true;
      at = this.#to.get(at);
    }
    return false;
  }
}
