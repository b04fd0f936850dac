/** Dead letters that an operator dropped. The URL stays dead, and known; nobody is shown it any more, and who takes many
 * letters back at once leaves it alone. Outlives restarts (each drop has its row). */
import type { Changes } from '../changes.js';
import { type UrlMarks, UrlState } from './url-table.js';

export class DroppedLetters {
  readonly #urls: UrlMarks;
  /** Some 30 bytes each: they are as many as an operator drops. */
  readonly #dropped = new Set<number>();

  constructor(urls: UrlMarks) {
    this.#urls = urls;
  }

  get size(): number {
    return this.#dropped.size;
  }

  has(url: number): boolean {
    return this.#dropped.has(url);
  }

  /** A dead letter that nobody dropped. */
  isOpen(url: number): boolean {
    return this.#urls.state(url) === UrlState.dead && !this.#dropped.has(url);
  }

  /** Drops the letter of a URL. False if there is none, or if it is dropped already. */
  drop(url: number, now: number, changes: Changes): boolean {
    if (!this.isOpen(url)) return false;
    this.#dropped.add(url);
    changes.dead.push({ url, at: now, dead: true, code: 'lease.returned', history: [], letter: 'dropped' });
    return true;
  }

  /** Brings a dropped letter back. False if there is none. */
  restore(url: number, now: number, changes: Changes): boolean {
    if (!this.#dropped.delete(url)) return false;
    changes.dead.push({ url, at: now, dead: true, code: 'lease.returned', history: [], letter: 'restored' });
    return true;
  }

  /** The URL is pending again. */
  forget(url: number): void {
    this.#dropped.delete(url);
  }

  /** A letter that was dropped in an earlier run, or in between. */
  recall(url: number): void {
    this.#dropped.add(url);
  }
}
