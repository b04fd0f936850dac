/**
 * What the API and the dashboard may ask of a crawl that runs: to be looked at, to be given seeds, to pause. Answers to
 * what changes it come when the change is durable (DESIGN 8, 11).
 */
import type { DeadRow } from '../changes.js';
import { Uint32Column } from '../columns.js';
import { ArchiveReader } from '../corpus/archive-reader.js';
import { segmentPaths } from '../corpus/segment-paths.js';
import { OUTCOMES, type OutcomeCode, UserError } from '../errors.js';
import { UrlState } from '../frontier/url-table.js';
import { type Alarm, alarmsOf } from './alarms.js';
import { type CrawlStats, crawlStats, sampleOf, stateOf, Walks } from './figures.js';
import { type HostLine, type HostPage, type HostQuery, HostView, range } from './host-view.js';
import type { OpenedCrawl } from './open.js';
import { type OperatorAnswer, type OperatorRequest, operate } from './operate.js';
import { plant } from './seeds.js';
import { SAMPLE_MS, type Sample, Watch } from './watch.js';

/** What became of one of the seeds that were given. */
export interface SeedAnswer {
  url: string;
  outcome: 'admitted' | 'known' | 'refused';
  /** Why it was refused. */
  reason?: string;
}

export interface PageLine {
  visit: number;
  url: string;
  at: number;
  status: number;
  code: OutcomeCode;
  title: string;
  bytes: number;
  duplicateOf: string | null;
  hasText: boolean;
}

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
/** Characters of a page's text that are shown. */
const LONGEST_TEXT = 100_000;

export class Steering {
  readonly watch = new Watch();
  readonly startedAt: number;
  readonly #opened: OpenedCrawl;
  readonly #hosts: HostView;
  readonly #walks = new Walks();
  readonly #sampler: NodeJS.Timeout;
  /** Place + 1 of the last row of `dead` of each URL, as far as they were read. */
  readonly #lastDeath = new Uint32Column();
  #deathsLearnt = 0;

  constructor(opened: OpenedCrawl) {
    this.#opened = opened;
    this.#hosts = new HostView(opened, this.watch);
    this.startedAt = opened.crawl.now();
    opened.heard.push((changes) => this.watch.committed(changes));
    this.watch.sample(sampleOf(opened));
    this.#sampler = setInterval(() => this.watch.sample(sampleOf(opened)), SAMPLE_MS);
    this.#sampler.unref();
  }

  close(): void {
    clearInterval(this.#sampler);
  }

  // -- looking ------------------------------------------------------------------------------------------------------

  stats(): CrawlStats & { alarms: Alarm[] } {
    const stats = crawlStats(this.#opened, this.watch, this.startedAt, this.#walks);
    const sick = this.watch.sickest(stats.at - 60_000);
    const host = sick === null ? null : { ...sick, host: this.#opened.frontier.hosts.names[sick.host] };
    return { ...stats, alarms: alarmsOf(stats, this.watch.lately().requests, host) };
  }

  /** The figures of the last hour, oldest first. */
  history(): readonly Sample[] {
    return this.watch.samples;
  }

  hosts(query: HostQuery): { total: number; hosts: HostLine[] } {
    return this.#hosts.list(query);
  }

  host(name: string): Promise<HostPage> {
    return this.#hosts.page(name);
  }

  /** The last pages, newest first. */
  pages(limit: number): PageLine[] {
    const pages = this.watch.recentPages().slice(0, limit);
    const ids = [...new Set(pages.flatMap(({ url, duplicateOf }) => (duplicateOf < 0 ? [url] : [url, duplicateOf])))];
    const texts = new Map(this.#opened.store.at('urls', ids).map(({ id, url }) => [id, url]));
    return pages.map(({ visit, url, at, status, code, title, bytes, duplicateOf, text }) => ({
      ...{ visit, url: texts.get(url)!, at, status, code, title, bytes },
      duplicateOf: duplicateOf < 0 ? null : texts.get(duplicateOf)!,
      hasText: text !== null,
    }));
  }

  /** The text that was taken from a page.
   * @throws UserError if there is no such visit, or none of its text */
  text(visit: number): { url: string; title: string; text: string; truncated: boolean } {
    const { store, paths } = this.#opened;
    if (!Number.isInteger(visit) || visit < 0 || visit >= store.count('visits'))
      throw new UserError(`There is no visit ${visit}.`);
    const [row] = store.at('visits', [visit]);
    const [{ url }] = store.at('urls', [row.url]);
    if (row.text === null) throw new UserError(`No text was taken from ${url} on that visit.`);
    const { block } = new ArchiveReader(segmentPaths(store, paths)).record(row.text);
    const text = block.toString('utf8');
    return { url, title: row.title, text: text.slice(0, LONGEST_TEXT), truncated: text.length > LONGEST_TEXT };
  }

  /** Dead letters in the order in which they were given up. @param after cursor of the last one seen, -1 for the first */
  async deadLetters(after: number, limit: number): Promise<{ letters: DeadLetter[]; next: number | null }> {
    const { store, frontier } = this.#opened;
    const end = await this.#learnDeaths();
    let place = after + 1;
    const wanted: { place: number; row: DeadRow }[] = [];
    for (const row of store.at('dead', range(place, Math.min(end, place + MOST_ROWS)))) {
      if (wanted.length === limit) break;
      const isLast = this.#lastDeath.get(row.url) === place + 1;
      if (isLast && row.dead && frontier.urls.state(row.url) === UrlState.dead) wanted.push({ place, row });
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
      for (const { url } of store.at('dead', range(this.#deathsLearnt, to))) {
        this.#lastDeath.set(url, ++this.#deathsLearnt);
      }
      await new Promise(setImmediate);
    }
  }

  // -- steering -----------------------------------------------------------------------------------------------------

  /** Blocks, unblocks, tries again. */
  operate(request: OperatorRequest): Promise<OperatorAnswer> {
    return operate(this.#opened, request);
  }

  /** Nothing new is requested while a crawl is paused. A pause ends with the process: the same command goes on. */
  pause(isPaused: boolean): CrawlStats['state'] {
    this.#opened.crawl.isPaused = isPaused;
    return stateOf(this.#opened.crawl);
  }

  /**
   * Admits seeds, and widens the scope for them as the seeds of a command do; answers after commit. Seeds that are known
   * already and were given up are tried again.
   * @param priority level 0 (best) to 4
   */
  async seeds(urls: readonly string[], priority: number): Promise<SeedAnswer[]> {
    const { land, crawl, batches } = this.#opened;
    const answers = urls.map((text): SeedAnswer => {
      const seed = land.normalize(text);
      if (seed.url === null) return { url: text, outcome: 'refused', reason: seed.reason };
      const planted = plant(this.#opened, seed, 'page', priority);
      if (planted.outcome !== 'refused') this.#opened.widen(seed);
      return { url: text, ...planted };
    });
    crawl.steered();
    await batches.durable();
    return answers;
  }
}
