/**
 * What the API and the dashboard may ask of a crawl that runs: to be looked at, to be given seeds, to pause. Answers to
 * what changes it come when the change is durable (DESIGN 8, 11).
 */
import { ArchiveReader } from '../corpus/archive-reader.js';
import { addSegment, segmentPaths } from '../corpus/segment-paths.js';
import { type OutcomeCode, UserError } from '../errors.js';
import { portOf } from '../fetch/address-guard.js';
import type { NormalUrl } from '../url/normalize.js';
import type { SeedPlace } from '../url/scope.js';
import { type Alarm, alarmsOf } from './alarms.js';
import { type BlockedHost, BlockView } from './block-view.js';
import { type DeadLetter, DeadLetters } from './dead-letters.js';
import { type CrawlStats, crawlStats, sampleOf, stateOf, Walks } from './figures.js';
import { type HostLine, type HostPage, type HostQuery, HostView } from './host-view.js';
import type { OpenedCrawl } from './open.js';
import { type OperatorAnswer, type OperatorRequest, operate } from './operate.js';
import { plant, reviveNamed } from './seeds.js';
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

/** Characters of a page's text that are shown. */
const LONGEST_TEXT = 100_000;

export class Steering {
  readonly watch = new Watch();
  readonly startedAt: number;
  readonly #opened: OpenedCrawl;
  readonly #hosts: HostView;
  readonly #walks = new Walks();
  readonly #sampler: NodeJS.Timeout;
  readonly #letters: DeadLetters;
  readonly #blocks: BlockView;
  readonly #archive: ArchiveReader;

  constructor(opened: OpenedCrawl) {
    this.#opened = opened;
    this.#blocks = new BlockView(opened);
    this.#hosts = new HostView(opened, this.watch, (host) => this.#blocks.of(host));
    this.#letters = new DeadLetters(opened);
    const { store, paths } = opened;
    const segments = segmentPaths(store, paths);
    this.#archive = new ArchiveReader(segments);
    this.startedAt = opened.crawl.now();
    opened.heard.push((changes) => {
      for (const row of changes.segments) addSegment(segments, row, paths);
      this.watch.committed(changes);
    });
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
    const sick = this.watch.sickest(stats.at);
    const host = sick === null ? null : { ...sick, host: this.#opened.frontier.hosts.names[sick.host] };
    return { ...stats, alarms: alarmsOf(stats, this.watch.lately().requests, host) };
  }

  /** The figures of the last hour, oldest first. */
  history(): readonly Sample[] {
    return this.watch.samples;
  }

  hosts(query: HostQuery): Promise<{ total: number; hosts: HostLine[] }> {
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
    const { store } = this.#opened;
    if (!Number.isInteger(visit) || visit < 0 || visit >= store.count('visits'))
      throw new UserError(`There is no visit ${visit}.`);
    const [row] = store.at('visits', [visit]);
    const [{ url }] = store.at('urls', [row.url]);
    if (row.text === null) throw new UserError(`No text was taken from ${url} on that visit.`);
    const { block } = this.#archive.record(row.text);
    const text = block.toString('utf8');
    return { url, title: row.title, text: text.slice(0, LONGEST_TEXT), truncated: text.length > LONGEST_TEXT };
  }

  /** Dead letters in the order in which they were given up. @param after cursor of the last one seen, -1 for the first
   * @param dropped those that were dropped */
  deadLetters(after: number, limit: number, dropped: boolean): Promise<{ letters: DeadLetter[]; next: number | null }> {
    return this.#letters.list(after, limit, dropped);
  }

  /** The hosts that are blocked, and why. */
  blocked(search: string, offset: number, limit: number): Promise<{ total: number; hosts: BlockedHost[] }> {
    return this.#blocks.list(search, offset, limit);
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
    const widening: SeedPlace[] = [];
    const { hostEvents } = batches.open;
    const before = hostEvents.length;
    const answers = urls.map((text): SeedAnswer => {
      const seed = land.normalize(text);
      if (seed.url === null) return { url: text, outcome: 'refused', reason: seed.reason };
      const unreachable = this.#unreachable(seed);
      if (unreachable !== null) return { url: text, outcome: 'refused', reason: unreachable };
      return { url: text, ...plant(this.#opened, seed, 'page', widening, priority) };
    });
    this.#opened.widened(widening);
    reviveNamed(this.#opened, hostEvents.slice(before));
    crawl.steered();
    await batches.durable();
    return answers;
  }

  /** Why nothing will ever be fetched of a URL whose host's address needs no look-up (a literal, a pin, `localhost`); else
   * null. */
  #unreachable({ host, origin }: NormalUrl): string | null {
    const { resolver, land } = this.#opened;
    const addresses = resolver.withoutDns(host)?.addresses ?? [];
    const own = addresses.map((address) => land.guard.checkSocket(host, address, portOf(origin)));
    if (own.length > 0 && !own.includes(null)) return own[0]!.reason;
    const refusals = addresses.map((address) => land.guard.checkAddress(address, { named: true }));
    const first = refusals.find((refusal) => refusal !== null);
    if (first === undefined || refusals.includes(null)) return null;
    return `${first.reason}, which only a crawl begun with --allow-private reaches`;
  }
}
