/**
 * The content table: which visit holds a body already (exact duplicates, DESIGN 10). 64 bits of the SHA-256 of the
 * decoded body lead to the visit that keeps it; who acts on an answer (a revisit record) compares the whole digest with
 * the store's row first. 16 bytes a kept page, and 4 a visit.
 */
import { Uint32Column } from '../columns.js';
import { SeenTable } from './seen.js';

export class ContentTable {
  readonly #visits = new SeenTable();
  /** URL of each visit. */
  readonly #urls = new Uint32Column();

  get size(): number {
    return this.#visits.size;
  }

  /** Visit that keeps this content, or -1. @param hash SHA-256, 32 bytes */
  visitOf(hash: Uint8Array): number {
    return this.#visits.get(lane(hash, 0), lane(hash, 4));
  }

  /** URL of a visit that was kept. */
  urlOf(visit: number): number {
    return this.#urls.get(visit);
  }

  /** Keeps a page's content, unless it is held: returns the URL that holds it, or -1 if this visit does now. */
  keep(hash: Uint8Array, visit: number, url: number): number {
    const holder = this.#visits.insert(lane(hash, 0), lane(hash, 4), visit);
    if (holder >= 0) return this.urlOf(holder);
    this.#urls.set(visit, url);
    return -1;
  }
}

const lane = (hash: Uint8Array, at: number): number =>
  ((hash[at] << 24) | (hash[at + 1] << 16) | (hash[at + 2] << 8) | hash[at + 3]) >>> 0;
