/** Shows a crawl while it runs: a few lines redrawn in place, or one, or nothing where there is no terminal. */
import type { CrawlProgress } from '../crawl-options.js';
import type { LiveFigures } from '../embedded/live.js';
import type { Attendant } from '../embedded/run.js';
import { LEAST_COLUMNS, LEAST_ROWS, liveLines } from './live-view.js';
import { progressLine } from './summary.js';
import type { Terminal } from './terminal.js';

/** ms between two bars of the sparkline, and how many there are. */
const BAR_MS = 2_000;
const BARS = 20;

export class Live {
  readonly #terminal: Terminal;
  readonly #dir: string;
  readonly #clock: () => number;
  #figures: (() => LiveFigures) | null = null;
  readonly #rates: number[] = [];
  #bar: { at: number; pages: number } | null = null;

  /** @param clock monotonic ms */
  constructor(terminal: Terminal, dir: string, clock = () => performance.now()) {
    this.#terminal = terminal;
    this.#dir = dir;
    this.#clock = clock;
  }

  /** Stands beside a crawl together with `also`, to know what is in its lines. */
  attending(also: Attendant): Attendant {
    if (!this.#terminal.redraws) return also;
    return async (opened) => {
      const { watchLive } = await import('../embedded/live.js');
      this.#figures = watchLive(opened);
      return also(opened);
    };
  }

  /** Called a few times a second. */
  show(now: CrawlProgress): void {
    const at = this.#clock();
    this.#count(now, at);
    const { columns, rows, unicode } = this.#terminal.size;
    const isSmall = columns < LEAST_COLUMNS || rows < LEAST_ROWS;
    if (this.#figures === null || isSmall || !this.#terminal.redraws) this.#terminal.progress(progressLine(now), at);
    else {
      const lines = liveLines(this.#dir, now, this.#figures(), this.#rates, { columns, rows, unicode });
      this.#terminal.draw(lines, at);
    }
  }

  /** One bar for each two seconds. */
  #count({ pages }: CrawlProgress, at: number): void {
    this.#bar ??= { at, pages };
    const { at: since, pages: before } = this.#bar;
    if (at - since < BAR_MS) return;
    this.#rates.push((pages - before) / ((at - since) / 1000));
    if (this.#rates.length > BARS) this.#rates.shift();
    this.#bar = { at, pages };
  }
}
