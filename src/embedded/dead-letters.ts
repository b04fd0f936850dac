/** The dead letters of a running crawl, to look at: a page of rows at a time, so that the crawl goes on. */
import { setImmediate as turn } from 'node:timers/promises';
import type { DeadRow } from '../changes.js';
import { Uint32Column } from '../columns.js';
import { OUTCOMES, type OutcomeCode } from '../errors.js';
import { UrlState } from '../frontier/url-table.js';
import { range } from './host-view.js';
import type { OpenedCrawl } from './open.js';

export interface DeadLetter {
  /** Cursor: where the list goes on after this one. */
  place: number;
  url: string;
  at: number;
  code: OutcomeCode;
  /** What the code means. */
  words: string;
  history: readonly { at: number; code: OutcomeCode; status: number }[];
}

/** Rows of dead letters that are read for one answer. */
const MOST_ROWS = 5_000;

export class DeadLetters {
  readonly #opened: OpenedCrawl;
  /** Place + 1 of the last letter in the rows of `dead` of each URL, as far as they were read. */
  readonly #lastDeath = new Uint32Column();
  #deathsLearnt = 0;

  constructor(opened: OpenedCrawl) {
    this.#opened = opened;
  }

  /**
   * Dead letters in the order in which they were given up.
   * @param after cursor of the last one seen, -1 for the first
   * @param dropped those that were dropped, instead of the others
   */
  async list(after: number, limit: number, dropped: boolean): Promise<{ letters: DeadLetter[]; next: number | null }> {
    const { store, frontier } = this.#opened;
    const end = await this.#learnDeaths();
    let place = after + 1;
    const wanted: { place: number; row: DeadRow }[] = [];
    for (const row of store.at('dead', range(place, Math.min(end, place + MOST_ROWS)))) {
      if (wanted.length === limit) break;
      const isLast = this.#lastDeath.get(row.url) === place + 1;
      const isDead = isLast && row.dead && frontier.urls.state(row.url) === UrlState.dead;
      if (isDead && frontier.letters.has(row.url) === dropped) wanted.push({ place, row });
      place++;
    }
    const ids = [...new Set(wanted.map(({ row }) => row.url))];
    const texts = new Map(store.at('urls', ids).map(({ id, url }) => [id, url]));
    const letters = wanted.map(({ place: at, row }) => {
      const { url, code, history } = row;
      return { place: at, url: texts.get(url)!, at: row.at, code, words: OUTCOMES[code].words, history };
    });
    return { letters, next: place < end ? place - 1 : null };
  }

  /** Notes which row of `dead` is the last of its URL, in slices; returns how many rows there are. */
  async #learnDeaths(): Promise<number> {
    const { store } = this.#opened;
    for (;;) {
      const end = store.count('dead');
      if (this.#deathsLearnt >= end) return end;
      const to = Math.min(end, this.#deathsLearnt + MOST_ROWS);
      for (const { url, letter } of store.at('dead', range(this.#deathsLearnt, to))) {
        this.#deathsLearnt++;
        if (letter === undefined) this.#lastDeath.set(url, this.#deathsLearnt);
      }
      await turn();
    }
  }
}
