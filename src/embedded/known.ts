/** Every URL that a crawl directory knows, and how it stands, for programs. */
import { originOf } from '../corpus/origin.js';
import { readStates, rows, STATES, type State } from '../corpus/states.js';
import { type HostWait, restingHosts, silentOrigins } from '../corpus/waiting.js';
import type { StoreReader } from '../engines/ports.js';
import { systemClock } from '../engines/system.js';
import { OUTCOMES, type OutcomeCode } from '../errors.js';
import { lookInto } from './look.js';

/** A URL that was admitted. */
export interface KnownUrl {
  url: string;
  /** `pending`: to be fetched, for the first time or again; `denied` by robots.txt; `done`; `dead`: given up. */
  state: State;
  /** How it ended; of a pending URL how its last attempt failed, or what keeps its host from being asked. Null if nothing went
   * wrong yet. With the words of {@link OUTCOMES}, which follow the URL. */
  code: OutcomeCode | null;
  words: string;
  /** HTTP status, 0 if no answer came. */
  status: number;
  /** Why its host is not asked for pages, or null. */
  wait: HostWait | null;
  /** The page, or the redirect, that named it first; null for a seed, and for a Sitemap line of robots.txt. */
  linkedFrom: string | null;
}

interface End {
  readonly code: OutcomeCode;
  readonly status: number;
}

/**
 * Reads how each URL of the crawl in `dir` stands, in the order in which they became known; also while it runs. Memory: some
 * 20 bytes a known URL, and a hundred for each that failed.
 *
 * @param visit called with each URL; what it throws ends the reading
 * @returns how many there were
 * @throws UserError if `dir` holds no crawl
 */
export function readUrls(dir: string, visit: (known: KnownUrl) => void): Promise<number> {
  return lookInto(dir, (reader) => {
    const { states, outcomes } = readStates(reader);
    const { failures, statuses, letters } = readEnds(reader);
    const resting = restingHosts(reader, systemClock.wall());
    const silent = silentOrigins(reader);
    for (const chunk of reader.scan('urls')) {
      const known = chunk.filter(({ id }) => id < states.length); // the others came after the states were read
      const vias = [...new Set(known.map(({ via }) => via))].filter((via) => via >= 0).sort((a, b) => a - b);
      const linkers = new Map(reader.at('urls', vias).map(({ id, url }) => [id, url]));
      for (const { id, host, url, via } of known) {
        const state = STATES[states[id]];
        const rest = state === 'pending' ? (resting.get(host) ?? silent.get(originOf(url))) : undefined;
        const outcome = outcomes(id);
        const end =
          (state === 'dead' ? letters.get(id) : state === 'pending' ? failures.get(id) : undefined) ??
          (outcome !== null && state !== 'pending' ? { code: outcome, status: statuses.get(id) ?? 200 } : null) ??
          (rest !== undefined && isCode(rest.words) ? { code: rest.words, status: 0 } : null);
        visit({
          ...{ url, state, code: end?.code ?? null, words: end === null ? '' : OUTCOMES[end.code].words },
          ...{ status: end?.status ?? 0, wait: rest?.wait ?? null, linkedFrom: linkers.get(via) ?? null },
        });
      }
    }
    return states.length;
  });
}

const isCode = (words: string): words is OutcomeCode => Object.hasOwn(OUTCOMES, words);

/** What failed since the last visit, statuses of last visits other than 200, and what was given up, by URL. */
function readEnds(reader: StoreReader) {
  const failures = new Map<number, End & { request: number }>();
  const statuses = new Map<number, number>();
  const letters = new Map<number, End>();
  for (const { id, url, code, status } of rows(reader, 'requests')) {
    const effect = OUTCOMES[code].url;
    if (url >= 0 && (effect === 'retry' || code === 'http.throttled')) failures.set(url, { request: id, code, status });
  }
  for (const { url, request, status } of rows(reader, 'visits')) {
    if ((failures.get(url)?.request ?? Number.POSITIVE_INFINITY) < request) failures.delete(url);
    if (status === 200) statuses.delete(url);
    else statuses.set(url, status);
  }
  for (const { url, dead, code, history, letter } of rows(reader, 'dead')) {
    if (dead && letter === undefined) letters.set(url, { code, status: history.at(-1)?.status ?? 0 });
  }
  return { failures, statuses, letters };
}
