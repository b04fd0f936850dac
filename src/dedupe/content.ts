/**
 * The content table: which visit holds a body already (exact duplicates, DESIGN 10). 64 bits of the SHA-256 of the
 * decoded body lead to the visit that keeps it; who acts on an answer (a revisit record) compares the whole digest with
 * the store's row first. 16 bytes a kept page, 4 a visit, and 4 a known URL: a body counts as held only while it is the
 * page of the URL that brought it, for a copy of a page that has changed since would be a copy of nothing.
 */
import { FreezableColumn, Uint32Column } from '../columns.js';
import { SeenTable } from './seen.js';

/** In place of a visit: the page of the URL is a copy of another's. */
const COPY = 0xffff_ffff;

export class ContentTable {
  /** Content to visit. In a checkpoint it may be ahead of the pages: a visit that is still to come is nobody's page, so it
   * counts for nothing until its row is read. */
  readonly visits = new SeenTable();
  /** URL of each visit that was kept. */
  readonly urls = new Uint32Column();
  /** By URL: 1 + the visit whose body is its page and is kept; {@link COPY}, or 0 if it has no page. */
  readonly pages = new FreezableColumn();

  get size(): number {
    return this.visits.size;
  }

  /** Visit that keeps this content, or -1. @param hash SHA-256, 32 bytes */
  visitOf(hash: Uint8Array): number {
    const visit = this.visits.get(lane(hash, 0), lane(hash, 4));
    return visit >= 0 && this.holds(visit) ? visit : -1;
  }

  /** URL of a visit that was kept. */
  urlOf(visit: number): number {
    return this.urls.get(visit);
  }

  /** Is the body of this visit the page of its URL, and kept? */
  holds(visit: number): boolean {
    return this.pages.get(this.urlOf(visit)) === visit + 1;
  }

  /** Does the URL have a page, kept or not? */
  hasPage(url: number): boolean {
    return this.pages.get(url) !== 0;
  }

  /** Keeps a page's content, unless it is held: returns the URL that holds it, or -1 if this visit does now. */
  keep(hash: Uint8Array, visit: number, url: number): number {
    const [hi, lo] = [lane(hash, 0), lane(hash, 4)];
    const holder = this.visits.insert(hi, lo, visit);
    if (holder >= 0 && this.holds(holder)) {
      const of = this.urlOf(holder);
      if (of !== url) this.copied(url);
      return of;
    }
    if (holder >= 0) this.visits.replace(hi, lo, visit);
    this.urls.set(visit, url);
    this.pages.set(url, visit + 1);
    return -1;
  }

  /** The page of a URL is a copy of another's now: what it held before, nobody holds. */
  copied(url: number): void {
    this.pages.set(url, COPY);
  }

  /** A URL has no page any more. */
  drop(url: number): void {
    if (this.pages.get(url) !== 0) this.pages.set(url, 0);
  }

  clear(): void {
    this.visits.clear();
    this.urls.clear();
    this.pages.clear();
  }
}

const lane = (hash: Uint8Array, at: number): number =>
  ((hash[at] << 24) | (hash[at + 1] << 16) | (hash[at + 2] << 8) | hash[at + 3]) >>> 0;
