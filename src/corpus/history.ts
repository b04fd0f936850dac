/** The visits to each page, one after the other: what it answered, whether it had changed, and how often it does. */
import type { StoreReader } from '../engines/ports.js';
import { UserError } from '../errors.js';
import { parseUrl } from '../parse-url.js';
import { changeRate, parseHistory } from '../revisit/change-rate.js';
import { rows } from './states.js';

export interface VisitLine {
  /** ISO 8601, UTC. */
  at: string;
  status: number;
  outcome: string;
  changed: boolean;
  /** ms from this visit to the next that was planned, and when that is; null for none. */
  interval: number | null;
  next: string | null;
  /** Changes a day, estimated from the revisits up to this one; null before the first. */
  changesPerDay: number | null;
  bytes: number;
  url: string;
}

/**
 * @param url of one page, as `list urls` shows it; null for all, in the order in which they were visited
 * @throws UserError for a URL that is not known
 */
export function* visitLines(reader: StoreReader, url: string | null): Generator<VisitLine> {
  const wanted = url === null ? -1 : idOf(reader, url);
  const known = reader.count('urls');
  for (const chunk of reader.scan('visits')) {
    const visits = chunk.filter((visit) => visit.url < known && (wanted < 0 || visit.url === wanted));
    const ids = [...new Set(visits.map((visit) => visit.url))].sort((a, b) => a - b);
    const texts = new Map(reader.at('urls', ids).map((row) => [row.id, row.url]));
    for (const { at, status, code, changed, nextVisit, history, bytes, url: id } of visits) {
      const rate = history === null ? null : changeRate(parseHistory(history)) * 86_400;
      yield {
        ...{ at: new Date(at).toISOString(), status, outcome: code, changed },
        interval: nextVisit === null ? null : nextVisit - at,
        next: nextVisit === null ? null : new Date(nextVisit).toISOString(),
        changesPerDay: rate === null ? null : Number(rate.toPrecision(4)),
        ...{ bytes, url: texts.get(id)! },
      };
    }
  }
}

function idOf(reader: StoreReader, given: string): number {
  const spellings = new Set([given, parseUrl(given)?.href ?? given]);
  for (const { id, url } of rows(reader, 'urls')) if (spellings.has(url)) return id;
  throw new UserError(`This crawl does not know ${given}; "saunter list urls" shows what it knows.`);
}
