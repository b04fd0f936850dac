/** Texts of URLs that became known lately: most are leased before they would have to be read back from the store, and
 * those of the open batches are not in the store yet. Bounded; the oldest go first, but none that is not committed. */
import type { Store, UrlText } from '../engines/ports.js';

export class TextCache {
  readonly #texts = new Map<number, UrlText>();
  readonly #capacity: number;
  /** URLs below this id are committed and may be forgotten. */
  #committed = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  put(text: UrlText): void {
    this.#texts.set(text.id, text);
    if (this.#texts.size <= this.#capacity) return;
    const oldest = this.#texts.keys().next().value!;
    if (oldest < this.#committed) this.#texts.delete(oldest);
  }

  /** All URLs with smaller ids are in the store. */
  committedBelow(id: number): void {
    this.#committed = id;
  }

  /** The texts, or null if one of them has to be read. They leave the cache unless they are uncommitted. */
  takeAll(urls: readonly number[]): UrlText[] | null {
    const found: UrlText[] = [];
    for (const url of urls) {
      const text = this.#texts.get(url);
      if (text === undefined) return null;
      found.push(text);
    }
    for (const url of urls) if (url < this.#committed) this.#texts.delete(url);
    return found;
  }

  /** The texts, those that are not in memory read from the store.
   * @param visits the last visit of each, or -1: one that was visited is read with what is known of that */
  async read(urls: readonly number[], visits: readonly number[], store: Pick<Store, 'readUrls'>): Promise<UrlText[]> {
    const found = urls.map((url, i) => (visits[i] < 0 ? this.#texts.get(url) : undefined));
    const read = await store.readUrls(
      urls.filter((_, i) => found[i] === undefined),
      visits.filter((_, i) => found[i] === undefined),
    );
    let next = 0;
    return found.map((text) => text ?? read[next++]);
  }
}
