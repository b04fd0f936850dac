/**
 * The near-duplicate index by URL (DESIGN 10): which kept page has nearly this text? A page that has changed, went away
 * or became a copy leaves its old fingerprint in the index, where it does not count any more.
 */
import { FreezableColumn } from '../columns.js';
import { NearIndex } from './near-index.js';
import { NEAR_DISTANCE } from './simhash.js';

export class NearPages {
  #index: NearIndex;
  /** An index for more pages, which takes the place of the other when it holds them all. */
  #larger: NearIndex | null = null;
  readonly #limit: number;
  readonly #distance: number;
  /** By URL: 1 + the record of its page in the index, 0 for none. */
  readonly records = new FreezableColumn();
  /** Pages that are not in the index yet: fingerprint halves and URL. */
  #backlog: Uint32Array[] = [];
  #waiting = 0;
  #loaded = 0;
  #loading = false;
  #next = 0;

  /**
   * @param expected pages that will be held; more fit, and cost time
   * @param distance bits by which near-duplicates may differ, at most 3
   * @param limit pages beyond which a larger index is made; only tests have another than the index says
   */
  constructor(expected: number, distance: number = NEAR_DISTANCE, limit = Number.POSITIVE_INFINITY) {
    this.#index = new NearIndex(Math.max(expected, LEAST));
    this.#distance = distance;
    this.#limit = limit;
  }

  /** Pages that were ever kept. */
  get size(): number {
    return this.#next;
  }

  get bytes(): number {
    return this.#index.bytes + (this.#larger?.bytes ?? 0) + this.records.bytes;
  }

  /** Another URL whose page is near, the nearest (the lowest id of several), or -1. A URL's own earlier page is never
   * its duplicate. */
  find(hi: number, lo: number, url: number): number {
    const isOther = (of: number, record: number): boolean => of !== url && this.records.get(of) === record + 1;
    const of = this.#index.find(hi, lo, isOther);
    return of >= 0 && this.#index.distance <= this.#distance ? of : -1;
  }

  /** The page of a URL is kept, in place of an earlier one. */
  keep(hi: number, lo: number, url: number): void {
    this.records.set(url, ++this.#next);
    if (!this.#loading) {
      this.#add(hi, lo, url);
      return;
    }
    const at = (this.#waiting % PIECE) * 3;
    if (at === 0) this.#backlog.push(new Uint32Array(3 * PIECE));
    const piece = this.#backlog.at(-1)!;
    piece[at] = hi;
    piece[at + 1] = lo;
    piece[at + 2] = url;
    this.#waiting++;
  }

  #add(hi: number, lo: number, url: number): void {
    const index = this.#index;
    index.add(hi, lo, url);
    const limit = Math.min(index.limit, this.#limit);
    if (this.#larger === null && index.size > limit) this.#larger = new NearIndex(GROWTH * index.size);
    const larger = this.#larger;
    if (larger === null) return;
    // a few pages for each that comes: no pause, and done long before the next time
    for (let i = 0; i < MOVED && larger.size < index.size; i++) larger.copy(index, larger.size);
    if (larger.size < index.size) return;
    this.#index = larger;
    this.#larger = null;
  }

  /** Records from `from` to `to` (exclusive), three words each: the halves of the fingerprint and the URL. Those that are in
   * the index, and those that wait. They never change; {@link records} says which of them count. For checkpoints. */
  list(from: number, to: number): Uint32Array {
    const words = new Uint32Array(3 * (to - from));
    const inIndex = this.#index.size;
    for (let record = from; record < to; record++) {
      const at = 3 * (record - from);
      if (record < inIndex) {
        this.#index.read(record, words, at);
        continue;
      }
      const waits = record - inIndex; // pieces that are in the index are gone
      const piece = this.#backlog[Math.floor(waits / PIECE)];
      words.set(piece.subarray(3 * (waits % PIECE), 3 * (waits % PIECE) + 3), at);
    }
    return words;
  }

  /** A record of a checkpoint, in their order; {@link records} is that of the checkpoint. One that does not count any more
   * is left out, so that they are no more than pages. */
  restore(record: number, hi: number, lo: number, url: number): void {
    if (this.records.get(url) === record + 1) this.keep(hi, lo, url);
  }

  /** Forgets what was deferred: as if nothing had been kept since {@link defer}. */
  clear(): void {
    this.records.clear();
    this.#backlog = [];
    this.#waiting = 0;
    this.#next = 0;
  }

  /** The URL has no page of its own any more. */
  drop(url: number): void {
    if (this.records.get(url) !== 0) this.records.set(url, 0);
  }

  /** What is kept from now on goes into the index only as {@link load} is called: a crawl that goes on need not wait for
   * its index before it fetches. */
  defer(): void {
    this.#loading = true;
  }

  /** May {@link find} be asked? */
  get isLoaded(): boolean {
    return !this.#loading;
  }

  /** Puts some thousand deferred pages into the index (about 2 ms); true if that was all. */
  load(): boolean {
    const piece = this.#backlog.shift();
    const pages = Math.min(this.#waiting - this.#loaded, PIECE);
    for (let i = 0; piece !== undefined && i < 3 * pages; i += 3) this.#add(piece[i], piece[i + 1], piece[i + 2]);
    this.#loaded += pages;
    this.#loading = this.#loaded < this.#waiting;
    return !this.#loading;
  }
}

/** The heads of so many cost a mebibyte. */
const LEAST = 1 << 16;
/** A larger index is made for so many times the pages that there are, and gets so many of them for each that comes. */
const GROWTH = 4;
const MOVED = 16;
/** Pages of a piece of the backlog. */
const PIECE = 4096;
