/** What makes a crawl the same crawl: written into the store's meta with its first batch, compared at every start. */
import { randomBytes } from 'node:crypto';
import type { Changes } from '../changes.js';
import type { Config } from '../config/config.js';
import { frozenDifference, frozenOptions } from '../config/load-config.js';
import type { SharedLimits } from '../corpus/delays.js';
import type { CrawlOptions } from '../crawl-options.js';
import type { StoreReader } from '../engines/ports.js';
import { UserError } from '../errors.js';
import { metaOf } from '../store-meta.js';

export interface Identity {
  id: string;
  /** Secret of the URL keys, 16 bytes. */
  secret: Uint8Array;
  /** Seeds of runs by versions that had no table of them, and what redirected seeds added to the scope, as URLs. */
  seeds: string[];
  widened: string[];
  /** The last run did not come to the end of its seeds: others may follow. */
  lacksSeeds: boolean;
  /** What admission refused in earlier runs, by reason. */
  refused: Record<string, number>;
  /** Parameters that were removed from URLs in earlier runs, by name. */
  removed: Record<string, number>;
  /** The most that earlier runs allowed at shared addresses. */
  shared: SharedLimits | null;
  isNew: boolean;
}

/** The crawl that the store holds, or a new one.
 * @throws UserError (usage) if it was begun with other options that enter the keys of URLs */
export function identify(store: StoreReader, options: CrawlOptions): Identity {
  const id = store.meta('crawl.id');
  if (id === null) {
    const fresh = { id: randomBytes(4).toString('hex'), secret: randomBytes(16) };
    return { ...fresh, seeds: [], widened: [], lacksSeeds: false, refused: {}, removed: {}, shared: null, isNew: true };
  }
  const frozen = metaOf<[string, unknown][]>(store, 'options.frozen', []);
  const difference = frozenDifference(JSON.stringify(frozen), options.config);
  if (difference !== null) {
    throw new UserError(`${options.dir} cannot go on: ${difference}; URLs would get other keys. Use the old value.`, 2);
  }
  checkOpenings(store, options);
  return {
    id,
    secret: Buffer.from(store.meta('key.secret') ?? '', 'hex'),
    seeds: metaOf<string[]>(store, 'seeds', []),
    widened: metaOf<string[]>(store, 'scope.widened', []),
    lacksSeeds: store.meta('seeds.unread') === '1',
    refused: metaOf<Record<string, number>>(store, 'refused', {}),
    removed: metaOf<Record<string, number>>(store, 'removed', {}),
    shared: metaOf<SharedLimits | null>(store, 'politeness.shared', null),
    isNew: false,
  };
}

/** Without a range or a name that it had before, a crawl would find its hosts out of reach and give their URLs up. */
function checkOpenings(store: StoreReader, { config, dir }: CrawlOptions): void {
  const before = metaOf<{ allowPrivate?: string[]; resolve?: string[] }>(store, 'openings', {});
  const range = before.allowPrivate?.find((value) => !config.allowPrivate.includes(value));
  const name = before.resolve?.find((value) => !config.resolve.includes(value));
  const flag = range !== undefined ? `--allow-private ${range}` : name !== undefined ? `--resolve '${name}'` : null;
  if (flag === null) return;
  throw new UserError(`${dir} was begun with ${flag}: give it again, or its hosts are out of reach.`, 2);
}

/** For whoever looks at the rows later (`verify`): the loosest rule that a run of the crawl had. */
function sharedLimits({ shared }: Identity, config: Config): SharedLimits | null {
  if (config['politeness.key'] !== 'host+ip') return shared;
  const now = { from: config['politeness.sharedFrom'], requests: config['politeness.sharedRequests'] };
  if (shared === null) return now;
  return { from: Math.min(now.from, shared.from), requests: Math.max(now.requests, shared.requests) };
}

export function remember(changes: Changes, who: Identity, options: CrawlOptions): void {
  if (who.isNew) {
    changes.meta.push(
      ['crawl.id', who.id],
      ['key.secret', Buffer.from(who.secret).toString('hex')],
      ['options.frozen', frozenOptions(options.config)],
    );
  }
  const shared = sharedLimits(who, options.config);
  if (shared !== null) changes.meta.push(['politeness.shared', JSON.stringify(shared)]);
  const { allowPrivate, resolve } = options.config;
  changes.meta.push(['openings', JSON.stringify({ allowPrivate, resolve })]);
}
