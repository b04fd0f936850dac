/** Reading a checkpoint back, if nothing about it is in doubt. */
import { existsSync } from 'node:fs';
import type { SeenTable } from '../dedupe/seen.js';
import type { StoreReader } from '../engines/ports.js';
import {
  type CheckpointIdentity,
  type CheckpointParts,
  FORMAT,
  type Identity,
  marksOf,
  type Rest,
  rowBatch,
  TABLES,
} from './checkpoint.js';
import { type Block, BlockKind, CheckpointFault, readCheckpoint } from './checkpoint-file.js';
import { parsed, type Told, wordsOf } from './checkpoint-part.js';
import type { Places } from './merge.js';
import type { Clock, History, Projection } from './projection.js';
import type { Known } from './rebuild.js';

/**
 * Fills the empty memory of a new process from a checkpoint if there is one that fits the store, whole and of this crawl.
 * @returns the projection as of its batch and the rows of each table that need not be read; or why it is not used (null:
 *   there is none): the tables are empty then, and the projection is of no use.
 */
export function loadCheckpoint(
  path: string,
  store: StoreReader,
  identity: CheckpointIdentity,
  filled: CheckpointParts,
  onProgress: (done: number, total: number) => void = () => {},
): Known | { reason: string | null } {
  if (!existsSync(path)) return { reason: null };
  try {
    const loader = new Loader(store, identity, filled);
    for (const block of readCheckpoint(path, onProgress)) loader.take(block);
    return { projection: filled.projection, ...loader.finish() };
  } catch (error) {
    filled.seen.clear();
    filled.urls.clear();
    for (const part of filled.parts) part.clear();
    return {
      reason: error instanceof CheckpointFault ? error.message : `it cannot be read (${(error as Error).message})`,
    };
  }
}

class Loader {
  readonly #store: StoreReader;
  readonly #identity: CheckpointIdentity;
  readonly #filled: CheckpointParts;
  readonly #projection: Projection;
  readonly #seen: ReturnType<SeenTable['loading']>;
  #places: Places | null = null;
  #rest: Rest | null = null;

  constructor(store: StoreReader, identity: CheckpointIdentity, filled: CheckpointParts) {
    this.#store = store;
    this.#identity = identity;
    this.#filled = filled;
    this.#projection = filled.projection;
    this.#seen = filled.seen.loading();
  }

  take(block: Block): void {
    const { kind, at, extra, payload } = block;
    const { hosts, own, urls, revisits, failures, addresses } = this.#projection;
    const words = (): Uint32Array => wordsOf(block);
    if (kind === BlockKind.identity) this.#places = this.#checked(parsed(payload));
    else if (this.#places === null) throw new CheckpointFault('it does not say whose it is');
    else if (kind === BlockKind.rest) this.#rest = parsed(payload);
    else if (kind === BlockKind.failures)
      for (const [url, history] of parsed<[number, History][]>(payload)) failures.set(url, history);
    else if (kind === BlockKind.addresses)
      for (const [name, clock] of parsed<[string, Clock][]>(payload)) addresses.set(name, clock);
    else if (kind === BlockKind.hostFacts) hosts.facts.unpack(at, payload);
    else if (kind === BlockKind.hostTimes) own.unpack(at, payload);
    else if (kind === BlockKind.urlMarks && at === urls.size) urls.appendMarks(payload);
    else if (kind === BlockKind.urlHosts) this.#filled.urls.setHosts(at, words());
    else if (kind === BlockKind.seen) this.#seen.take({ at, depth: extra, slots: words() });
    else if (kind === BlockKind.revisitDue) revisits.due.fill(at, words());
    else if (kind === BlockKind.revisitVisits) revisits.visits.fill(at, words());
    else if (kind === BlockKind.revisitRates) revisits.rates.fill(at, payload);
    else if (kind === BlockKind.revisitSpans) revisits.spans.fill(at, payload);
    else if (!this.#filled.parts.some((part) => part.take(block)))
      throw new CheckpointFault(`it has a block of an unknown kind (${kind})`);
  }

  /** When all blocks have come. */
  finish(): Pick<Known, 'from' | 'told'> {
    const places = this.#places;
    const rest = this.#rest;
    const { seen, tally, committed } = this.#filled;
    if (places === null || rest === null || this.#projection.urls.size !== places.urls)
      throw new CheckpointFault('it is incomplete');
    this.#seen.end();
    if (seen.size < places.urls) throw new CheckpointFault('it is incomplete');
    this.#projection.restore(rest.projection);
    Object.assign(tally.errors, rest.tally.errors);
    Object.assign(tally, { ...rest.tally, errors: tally.errors });
    for (const [segment, end] of rest.segments) committed.record({ segment, offset: 0, length: end });
    return { from: places, told: this.#told(rest, places) };
  }

  #told(rest: Rest, places: Places): Told {
    const told: Told = {};
    for (const part of this.#filled.parts) {
      const rows = rest.told[part.table];
      if (rows === undefined) throw new CheckpointFault('it is incomplete');
      if (rows > this.#store.count(part.table)) throw new CheckpointFault('the store is older than it');
      told[part.table] = part.finish(rows);
    }
    if ((told.visits ?? 0) < (places.visits ?? 0) && told.visits !== undefined)
      throw new CheckpointFault('it is incomplete');
    return told;
  }

  /** Of this crawl, these options, this history? */
  #checked(found: Identity): Places {
    const { crawl, schema, options } = this.#identity;
    if (found.format !== FORMAT) throw new CheckpointFault('another version of Saunter wrote it');
    if (found.crawl !== crawl) throw new CheckpointFault('it is of another crawl');
    if (found.schema !== schema) throw new CheckpointFault('the store has another version');
    if (found.options !== options) throw new CheckpointFault('it was written with other options');
    const { places, batch } = found;
    for (const table of TABLES) {
      const place = places[table];
      if (place === undefined || place > this.#store.count(table))
        throw new CheckpointFault('the store is older than it');
      if (place > 0 && rowBatch(this.#store, table, place - 1) > batch)
        throw new CheckpointFault('the rows are others');
      if (place < this.#store.count(table) && rowBatch(this.#store, table, place) <= batch)
        throw new CheckpointFault('the rows are others');
    }
    if (found.marks !== marksOf(this.#store, places)) throw new CheckpointFault('the rows are others');
    return places;
  }
}
