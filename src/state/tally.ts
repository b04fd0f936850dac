/** The figures of the whole crawl, counted from committed rows only: by the loop after each commit, and by the start-up
 * scan from the rows of earlier runs. */
import type { Changes } from '../changes.js';

export class Tally {
  /** 2xx bodies of pages, revisits excluded. */
  pages = 0;
  requests = 0;
  bytes = 0;
  duplicates = 0;
  nearDuplicates = 0;
  robotsDenied = 0;
  /** URLs that are dead, also those whose letters were dropped. */
  deadLetters = 0;
  /** Visits to pages that had been visited; of these, those answered by 304, and those that found another page. */
  revisits = 0;
  notModified = 0;
  changed = 0;
  /** Requests that ended otherwise than with an answer for the crawl, and URLs that the address guard let nobody ask
   * for, by code. */
  readonly errors: Record<string, number> = Object.create(null);

  add(rows: Pick<Changes, 'requests' | 'visits' | 'denied' | 'dead'>): void {
    for (const request of rows.requests) {
      this.requests++;
      this.bytes += request.bytes;
      const isAnswer = NO_ERROR.has(request.code) || (request.kind === 'robots' && NO_ROBOTS.has(request.code));
      if (!isAnswer) this.#error(request.code);
    }
    for (const visit of rows.visits) {
      if (visit.history !== null) {
        this.revisits++;
        if (visit.code === 'not-modified') this.notModified++;
        if (visit.changed) this.changed++;
        continue;
      }
      if (visit.kind !== 'page' || visit.code !== 'ok') continue;
      this.pages++;
      if (visit.near) this.nearDuplicates++;
      else if (visit.duplicateOf >= 0) this.duplicates++;
    }
    for (const row of rows.denied) this.robotsDenied += row.denied ? 1 : -1;
    for (const row of rows.dead) {
      if (row.letter !== undefined) continue;
      this.deadLetters += row.dead ? 1 : -1;
      if (row.dead && row.code.startsWith('guard.')) this.#error(row.code); // no request was made, so no row says it
    }
  }

  #error(code: string): void {
    this.errors[code] = (this.errors[code] ?? 0) + 1;
  }
}

/** A site without robots.txt has said what we wanted to know: everything is allowed. */
const NO_ROBOTS: ReadonlySet<string> = new Set(['http.gone', 'http.client']);
const NO_ERROR: ReadonlySet<string> = new Set(['ok', 'not-modified', 'redirect', 'redirect.same']);
