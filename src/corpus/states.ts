/** The state of every known URL, read from the rows alone: for commands that look at a crawl from outside. */
import type { Stored, StoreReader, TableName, Tables } from '../engines/ports.js';
import { OUTCOMES, type OutcomeCode } from '../errors.js';

const CODES = Object.keys(OUTCOMES) as OutcomeCode[];

export const STATES = ['pending', 'denied', 'done', 'dead'] as const;
export type State = (typeof STATES)[number];

export interface UrlStates {
  /** Index into {@link STATES} by URL id. */
  states: Uint8Array;
  /** Failed attempts since the last visit, or since the URL was taken back. */
  attempts: Uint8Array;
  /** How the last visit of a URL ended, or null without one. */
  outcomes: (url: number) => OutcomeCode | null;
}

/** Rows of a table one by one. */
export function* rows<T extends TableName>(reader: StoreReader, table: T): Generator<Stored<Tables[T]>> {
  for (const chunk of reader.scan(table)) yield* chunk;
}

/** Of a URL's state changes the one of the latest batch counts. One byte and eight for a while for each URL. */
export function readStates(reader: StoreReader): UrlStates {
  const count = reader.count('urls');
  const states = new Uint8Array(count);
  const attempts = new Uint8Array(count);
  const ended = new Uint8Array(count);
  const since = new Float64Array(count);
  const set = (url: number, state: State, batch: number): void => {
    if (url >= count || batch < since[url]) return;
    since[url] = batch;
    states[url] = STATES.indexOf(state);
  };
  const revived = new Map<number, number>();
  for (const { url, dead, batch } of rows(reader, 'dead')) if (!dead) revived.set(url, batch);
  for (const { url, code, batch } of rows(reader, 'requests')) {
    if (url < 0 || url >= count || OUTCOMES[code].url !== 'retry') continue;
    if (attempts[url] < 255 && batch > (revived.get(url) ?? -1)) attempts[url]++;
  }
  for (const { url, denied, batch } of rows(reader, 'denied')) set(url, denied ? 'denied' : 'pending', batch);
  for (const { url, dead, batch, letter } of rows(reader, 'dead'))
    if (letter === undefined) set(url, dead ? 'dead' : 'pending', batch);
  for (const { url, batch, code } of rows(reader, 'visits')) {
    set(url, 'done', batch);
    if (url >= count) continue;
    attempts[url] = 0;
    ended[url] = 1 + CODES.indexOf(code);
  }
  return { states, attempts, outcomes: (url) => (ended[url] === 0 ? null : CODES[ended[url] - 1]) };
}

/** Dead URLs whose letters an operator dropped. */
export function readDropped(reader: StoreReader): Set<number> {
  const dropped = new Set<number>();
  for (const { url, letter } of rows(reader, 'dead')) {
    if (letter === 'dropped') dropped.add(url);
    else dropped.delete(url);
  }
  return dropped;
}
