/**
 * Which pages are kept once: by content and by fingerprint, and the error page of each host (DESIGN 10). Told every
 * visit of a page as its row says it, by the loop and by the start-up scan alike, so both know the same.
 */
import type { VisitRow } from '../changes.js';
import { ENDS_PAGE } from '../errors.js';
import { ContentTable } from './content.js';
import { ErrorPages } from './error-pages.js';
import { NearPages } from './near-pages.js';
import { NEAR_DISTANCE, parseSimhash } from './simhash.js';

export type KeptVisit = Pick<VisitRow, 'id' | 'url' | 'kind' | 'code' | 'contentHash' | 'simhash' | 'duplicateOf'>;

export class KeptPages {
  readonly content = new ContentTable();
  readonly near: NearPages;
  readonly errors: ErrorPages;

  /**
   * @param expected pages that will be held: it sets the size of the near index
   * @param distance bits by which near-duplicates may differ
   */
  constructor(expected = 0, distance: number = NEAR_DISTANCE) {
    this.near = new NearPages(expected, distance);
    this.errors = new ErrorPages(distance);
  }

  /** A visit is over. @param host of its URL */
  settled(visit: KeptVisit, host: number): void {
    if (visit.kind !== 'page') return;
    const { id, url, code, contentHash, simhash } = visit;
    // the first soft 404 of a host whose error page is not known answered a URL that cannot exist
    const isError = code === 'http.gone' || (code === 'http.soft404' && !this.errors.isKnown(host));
    if (isError) this.errors.learn(host, printOf(simhash), contentHash);
    if (ENDS_PAGE.has(code)) {
      this.content.drop(url);
      this.near.drop(url);
    } else if (code === 'ok' && (visit.duplicateOf >= 0 || contentHash === null)) {
      this.content.copied(url);
      this.near.drop(url);
    } else if (code === 'ok' && contentHash !== null && this.content.keep(contentHash, id, url) < 0) {
      this.#print(url, simhash);
    }
  }

  /** The body of a visit was read again: its fingerprint is another now. */
  reread(visit: number, simhash: string | null): void {
    if (this.content.holds(visit)) this.#print(this.content.urlOf(visit), simhash);
  }

  /** Forgets what a checkpoint said that proved to be in doubt. */
  clear(): void {
    this.content.clear();
    this.near.clear();
    for (const column of this.errors.columns) column.clear();
  }

  #print(url: number, simhash: string | null): void {
    const print = printOf(simhash);
    if (print === null) this.near.drop(url);
    else this.near.keep(print.hi, print.lo, url);
  }
}

export const printOf = (simhash: string | null) => (simhash === null ? null : parseSimhash(simhash));
