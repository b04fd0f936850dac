/**
 * The pages of a crawl while it runs, for whoever iterates over them: each after its commit, in the order of commits.
 *
 * What waits for a slow reader is a place in the table of visits, which only grows, and a chunk of its rows: the crawl
 * never waits for the reader, and the reader costs no memory however far it stays behind.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { Changes, VisitRow } from '../changes.js';
import { ArchiveReader } from '../corpus/archive-reader.js';
import { type InForce, inForce, readInForce } from '../corpus/in-force.js';
import { EVERY_PAGE, passes } from '../corpus/page-filter.js';
import { type ExportedPage, pagesOf } from '../corpus/pages.js';
import { RobotsPreferences } from '../corpus/robots-preferences.js';
import { addSegment, segmentPaths } from '../corpus/segment-paths.js';
import type { Stored, StoreReader } from '../engines/ports.js';
import type { OpenedCrawl } from './open.js';

/** A page as `saunter export` gives it, and what its visit saw. */
export interface CrawledPage extends ExportedPage {
  /** The page had been visited before. */
  revisit: boolean;
  /** It is another than at the visit before (docs/revisit.md says what counts); true at its first visit. */
  changed: boolean;
}

/** Visits that are read at a time. */
const CHUNK = 64;
/** Pages given in a row before the crawl gets its turn, for a reader that never waits. */
const ROUND = 8;

/** What is read, once the crawl is open. */
interface Source {
  store: StoreReader;
  archive: ArchiveReader;
  robots: RobotsPreferences;
  /** Visits of earlier runs: of these, those in force are given. */
  held: { to: number; force: InForce } | null;
  /** Visits that are committed, and whose segments are known here. */
  committed: number;
}

export class PageFeed {
  readonly #from: number | null;
  readonly #agent: string;
  #source: Source | null = null;
  #position = 0;
  #hasEnded = false;
  #isClosed = false;
  #wake: () => void = () => {};
  #drain: () => void = () => {};
  readonly #drained = new Promise<void>((resolve) => {
    this.#drain = resolve;
  });

  /** @param from the place to begin at, as {@link position} gave it; null for the pages of this run alone
   * @param agent the product token that the crawl obeys robots.txt under */
  constructor(from: number | null, agent: string) {
    this.#from = from;
    this.#agent = agent;
  }

  /** The place behind the page that was given last. */
  get position(): number {
    return this.#position;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Stands beside a crawl: what it gives, closed, waits until the last page was given or {@link close} was called. */
  async attend(opened: OpenedCrawl): Promise<{ close(): Promise<void> }> {
    const { store, paths } = opened;
    const segments = segmentPaths(store, paths);
    const committed = store.count('visits');
    this.#position = Math.min(this.#from ?? committed, committed);
    const source: Source = {
      ...{ store, archive: new ArchiveReader(segments), robots: new RobotsPreferences(store, this.#agent), committed },
      held: this.#position < committed ? { to: committed, force: readInForce(store) } : null,
    };
    this.#source = source;
    opened.heard.push((changes: Changes) => {
      for (const row of changes.segments) addSegment(segments, row, paths);
      for (const row of changes.robots) source.robots.add(row);
      source.committed += changes.visits.length;
      this.#wake();
    });
    this.#wake();
    return {
      close: () => {
        this.end();
        return this.#drained;
      },
    };
  }

  /** Nothing more will be committed. */
  end(): void {
    this.#hasEnded = true;
    this.#wake();
  }

  /** Nobody reads on. */
  close(): void {
    this.#isClosed = true;
    this.#drain();
    this.#wake();
  }

  /** The pages, until the crawl has ended and all were given.
   * @throws UserError if the archive is damaged */
  async *pages(): AsyncGenerator<CrawledPage> {
    let given = 0;
    while (!this.#isClosed) {
      const source = this.#source;
      if (source !== null && this.#position < source.committed) {
        for (const page of this.#chunk(source)) {
          yield page;
          if (++given % ROUND === 0) await turn();
        }
      } else if (this.#hasEnded) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  *#chunk(source: Source): Generator<CrawledPage> {
    const { store, archive, robots } = source;
    const to = Math.min(this.#position + CHUNK, source.committed);
    const ids = Array.from({ length: to - this.#position }, (_, i) => this.#position + i);
    for (const visit of wanted(source, store.at('visits', ids))) {
      for (const { page } of pagesOf(store, archive, [visit], EVERY_PAGE, null, robots)) {
        this.#position = visit.id + 1;
        yield { ...page, revisit: visit.history !== null, changed: visit.changed };
      }
    }
    this.#position = to;
    if (source.held !== null && to >= source.held.to) source.held = null;
  }
}

/** Visits that brought a page. One that brought the very same body again brought none. */
function wanted({ store, held }: Source, visits: Stored<VisitRow>[]): readonly Stored<VisitRow>[] {
  const isPage = (visit: VisitRow): boolean =>
    visit.kind === 'page' &&
    visit.code === 'ok' &&
    (visit.changed || visit.text !== null || visit.duplicateOf >= 0) &&
    passes(EVERY_PAGE, visit, null);
  if (held === null) return visits.filter(isPage);
  const current = visits.filter(({ id, url }) => id >= held.to || held.force.visits[url] === id);
  return inForce(store, current, held.force).filter(isPage);
}
