/** How the visits of a running crawl ended, for a hook of the user's: after the commit, good and bad. */
import type { Changes } from '../changes.js';
import { OUTCOMES, type OutcomeCode } from '../errors.js';
import type { OpenedCrawl } from './open.js';

/** The end of a visit, or of the last attempt at a URL that is given up. */
export interface VisitOutcome {
  url: string;
  /** A row of {@link OUTCOMES}, and its words, which follow the URL. */
  code: OutcomeCode;
  words: string;
  /** HTTP status, 0 if no answer came. */
  status: number;
  /** The page that named this URL first; null for a seed, and for a Sitemap line of robots.txt. */
  linkedFrom: string | null;
  /** It will not be tried again: it is a dead letter. */
  dead: boolean;
}

/** Tells `hook` of each page, sitemap and dead letter. What it throws ends the crawl. */
export function hearOutcomes(opened: OpenedCrawl, hook: (outcome: VisitOutcome) => void): void {
  opened.heard.push((changes) => {
    try {
      for (const outcome of outcomesOf(opened, changes)) hook(outcome);
    } catch (error) {
      opened.crawl.fail(error);
    }
  });
}

function outcomesOf({ store }: OpenedCrawl, { visits, dead }: Changes): VisitOutcome[] {
  const ends = [
    ...visits.map(({ url, code, status }) => ({ url, code, status, dead: false })),
    ...dead
      .filter((row) => row.dead && row.letter === undefined)
      .map(({ url, code, history }) => ({ url, code, status: history.at(-1)?.status ?? 0, dead: true })),
  ];
  const rows = rowsOf(
    store,
    ends.map(({ url }) => url),
  );
  const linkers = rowsOf(
    store,
    [...rows.values()].map(({ via }) => via).filter((via) => via >= 0),
  );
  return ends.map(({ url, code, status, dead }) => {
    const row = rows.get(url)!;
    const linkedFrom = linkers.get(row.via)?.url ?? null;
    return { url: row.url, code, words: OUTCOMES[code].words, status, linkedFrom, dead };
  });
}

/** Rows by ascending id, each once: neighbours lie on one page of the store. */
function rowsOf(store: OpenedCrawl['store'], ids: readonly number[]) {
  const sorted = [...new Set(ids)].sort((a, b) => a - b);
  return new Map(store.at('urls', sorted).map((row) => [row.id, row]));
}
