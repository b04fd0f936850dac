/** The seen filter that the config asks for, and the care that a Bloom filter needs while a crawl runs. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.js';
import type { CrawlUi, SeenSummary } from '../crawl-options.js';
import { BloomSeen } from '../dedupe/bloom-seen.js';
import { SeenTable } from '../dedupe/seen.js';
import type { Store } from '../engines/ports.js';
import { UserError } from '../errors.js';
import { type UrlMarks, UrlState } from '../frontier/url-table.js';
import { formatCount } from '../units.js';

type Options = Pick<Config, 'seen.filter' | 'seen.bloomBits' | 'seen.bloomKeys' | 'seen.bloomRate' | 'revisit.policy'>;

/** @throws UserError (usage) for a Bloom filter in a crawl that revisits: a page that redirects to another spelling of itself
 *   could not be told from a new one */
export function seenFilter(config: Options): SeenTable | BloomSeen {
  if (config['seen.filter'] === 'exact') return new SeenTable();
  if (config['revisit.policy'] !== 'none') {
    throw new UserError(
      'A crawl that revisits needs seen.filter exact: give --revisit none, or leave the filter as it is.',
      2,
    );
  }
  return new BloomSeen({ ...bloomSettings(config), secret: () => randomBytes(4).readUInt32LE() });
}

/** How large a Bloom filter is made. */
export const bloomSettings = (config: Options) => ({
  keys: config['seen.bloomKeys'],
  bitsPerKey: config['seen.bloomBits'],
  rate: config['seen.bloomRate'] === 'auto' ? null : config['seen.bloomRate'],
});

/** The keys that a Bloom filter needs to be exact about: of seeds (level 0), and of URLs that are not done. */
export const inWork =
  (urls: UrlMarks) =>
  (id: number): boolean =>
    urls.state(id) !== UrlState.done || urls.level(id) === 0;

/** The figures that a summary shows; null where keys are exact. */
export function seenSummary(seen: SeenTable | BloomSeen): SeenSummary | null {
  if (!(seen instanceof BloomSeen)) return null;
  const { inserted, design, fill, falsePositives, epoch } = seen.figures;
  const round = (value: number): number => Number(value.toPrecision(4));
  return {
    inserted,
    design,
    fill: round(fill),
    falsePositives: round(falsePositives),
    epoch,
    overfull: seen.isOverfull,
  };
}

/** ms of rest after each chunk of rows: one part in five of the loop's time. */
const REST = 15;

/** Builds the next filter from the keys of the store when the last one is full, or old. */
export class BloomEpochs {
  readonly #seen: BloomSeen;
  readonly #store: Store;
  readonly #period: number;
  readonly #ui: CrawlUi;
  #since: number;
  #isStopped = false;
  #building: Promise<void> | null = null;

  /** @param period ms after which a filter is old */
  constructor(seen: BloomSeen, store: Store, period: number, ui: CrawlUi, now: number) {
    this.#seen = seen;
    this.#store = store;
    this.#period = period;
    this.#ui = ui;
    this.#since = now;
  }

  /** Called after each commit. */
  look(now: number): void {
    if (this.#isStopped || this.#building !== null) return;
    if (!this.#seen.isOverfull && now - this.#since < this.#period) return;
    if (this.#seen.isOverfull) this.#ui.say(overfullWords(this.#seen));
    this.#since = now;
    this.#seen.begin();
    this.#building = this.#build().finally(() => {
      this.#building = null;
    });
  }

  async #build(): Promise<void> {
    for (const chunk of this.#store.scan('urls')) {
      for (const { keyHi, keyLo } of chunk) this.#seen.recall(keyHi, keyLo);
      await sleep(REST);
      if (this.#isStopped) return;
    }
    this.#seen.end();
  }

  /** Before the store is closed. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#building;
  }
}

function overfullWords(seen: BloomSeen): string {
  const { inserted, design, falsePositives } = seen.figures;
  return (
    `The Bloom filter of URLs holds ${formatCount(inserted)} and was made for ${formatCount(design)}: ` +
    `${(100 * falsePositives).toPrecision(2)}% of new URLs are skipped as known. It is built anew for twice as many; ` +
    'give the next run a larger seen.bloomKeys.'
  );
}
