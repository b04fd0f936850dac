/** The seeds of a run, a few thousand at a time: there may be more of them than memory holds. */
import type { CrawlOptions } from '../crawl-options.js';

/** Seeds that are admitted together; the first so many are looked at before anything is begun. */
export const SEED_CHUNK = 4096;

type Source = AsyncIterator<string> | Iterator<string>;

export class SeedReader {
  /** The first of them. */
  readonly first: readonly string[];
  /** There are no others. */
  readonly isShort: boolean;
  readonly #rest: Source;
  readonly #digest: () => Promise<string | null>;

  private constructor(first: string[], rest: Source, digest: () => Promise<string | null>) {
    this.first = first;
    this.isShort = first.length < SEED_CHUNK;
    this.#rest = rest;
    this.#digest = digest;
  }

  /** Reads the first of them. Rejects with what the list throws. */
  static async begin({ seeds, seedsDigest = async () => null }: CrawlOptions): Promise<SeedReader> {
    const iterator = Symbol.asyncIterator in seeds ? seeds[Symbol.asyncIterator]() : seeds[Symbol.iterator]();
    return new SeedReader(await chunkOf(iterator), iterator, seedsDigest);
  }

  /** The next of them; empty when there are no more. */
  next(): Promise<string[]> {
    return chunkOf(this.#rest);
  }

  /** Tells this list from others; null if nothing does. */
  digest(): Promise<string | null> {
    return this.#digest();
  }

  /** The rest will not be read. */
  async close(): Promise<void> {
    await this.#rest.return?.();
  }
}

async function chunkOf(iterator: Source): Promise<string[]> {
  const chunk: string[] = [];
  while (chunk.length < SEED_CHUNK) {
    const next = iterator.next();
    const { done, value } = next instanceof Promise ? await next : next;
    if (done) break;
    chunk.push(value);
  }
  return chunk;
}
