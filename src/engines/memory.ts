/**
 * A store in memory, for simulation and tests: the same promises but for durability. Everything is synchronous and
 * deterministic underneath, and the promises are resolved ones. What is in here is committed: a simulated crash drops
 * everything but the store, a lost or doubled answer is a wrapper around {@link MemoryStore.commitNow}.
 */
import type { Batch, VisitRow } from '../changes.js';
import { type Counts, checkRows, cleanText, isFound, noCounts, placeOf, TABLE_NAMES } from './batch-rules.js';
import type { LastVisit, Store, Stored, TableName, Tables, UrlText, VisitReference } from './ports.js';

const CHUNK = 1024;

type Arrays = { [T in TableName]: Stored<Tables[T]>[] };

export class MemoryStore implements Store {
  #epoch = 0;
  #sequence = 0;
  #batch = 0;
  #counts: Counts = noCounts();
  readonly #meta = new Map<string, string>();
  readonly #rows: Arrays = {
    hosts: [],
    urls: [],
    requests: [],
    visits: [],
    reparsed: [],
    robots: [],
    hostEvents: [],
    denied: [],
    dead: [],
    segments: [],
    seeds: [],
  };

  meta(key: string): string | null {
    return this.#meta.get(key) ?? null;
  }

  count(table: TableName): number {
    return this.#counts[table];
  }

  *scan<T extends TableName>(table: T, from = 0): Generator<Stored<Tables[T]>[]> {
    const rows = this.#rows[table];
    const end = rows.length;
    for (let i = from; i < end; i += CHUNK) yield rows.slice(i, Math.min(i + CHUNK, end)).map((row) => ({ ...row }));
  }

  at<T extends TableName>(table: T, places: readonly number[]): Stored<Tables[T]>[] {
    return places.map((place) => {
      const row = this.#rows[table][place];
      if (row === undefined) throw new RangeError(`row ${place} of ${table} is not committed`);
      return { ...row };
    });
  }

  lastBatch(): [epoch: number, sequence: number] {
    return [this.#epoch, this.#sequence];
  }

  async beginEpoch(): Promise<number> {
    return this.beginEpochNow();
  }

  beginEpochNow(): number {
    this.#sequence = 0;
    return ++this.#epoch;
  }

  async commit(batch: Batch): Promise<'committed' | 'already'> {
    return this.commitNow(batch);
  }

  /** `commit`, at once. @throws FencedError, BatchError; nothing is kept then. */
  commitNow(batch: Batch): 'committed' | 'already' {
    if (placeOf(batch, [this.#epoch, this.#sequence]) === 'already') return 'already';
    this.#counts = checkRows(batch.changes, this.#counts);
    this.#batch++;
    for (const table of TABLE_NAMES) this.#append(table, batch.changes[table]);
    for (const [key, value] of batch.changes.meta) this.#meta.set(key, cleanText(value));
    this.#sequence = batch.sequence;
    return 'committed';
  }

  async readUrls(urls: readonly number[], visits: readonly number[]): Promise<UrlText[]> {
    return this.readUrlsNow(urls, visits);
  }

  readUrlsNow(urls: readonly number[], visits: readonly number[]): UrlText[] {
    if (urls.length !== visits.length) throw new RangeError('readUrls needs one visit for each URL');
    return urls.map((id, i) => {
      const row = this.#rows.urls[id];
      if (row === undefined) throw new RangeError(`URL ${id} is not committed`);
      const visit = visits[i] === -1 ? null : this.#rows.visits[visits[i]];
      if (visit === undefined || (visit !== null && visit.url !== id)) {
        throw new RangeError(`visit ${visits[i]} of URL ${id} is not committed`);
      }
      const { url, kind, depth, hops } = row;
      const text = { id, url, kind, depth, hops };
      return { ...text, last: visit === null ? null : this.#last(visit, url) };
    });
  }

  #last(row: VisitRow, url: string): LastVisit {
    const { id: visit, at, nextVisit, history, code, bodyOf, etag, lastModified } = row;
    const held = this.#rows.visits[bodyOf < 0 ? visit : bodyOf];
    const { contentHash, payloadDigest, simhash, duplicateOf } = held;
    const target = held.finalUrl ?? url;
    const body = { visit: held.id, at: held.at, target, contentHash, payloadDigest, simhash };
    return { visit, at, nextVisit, history, found: isFound(code), duplicateOf, etag, lastModified, body };
  }

  async readRobots(places: readonly number[]): Promise<(Uint8Array | null)[]> {
    return this.at('robots', places).map(({ body }) => body);
  }

  async readVisits(visits: readonly number[]): Promise<VisitReference[]> {
    return this.readVisitsNow(visits);
  }

  readVisitsNow(visits: readonly number[]): VisitReference[] {
    return visits.map((id) => {
      const row = this.#rows.visits[id];
      if (row === undefined) throw new RangeError(`visit ${id} is not committed`);
      const target = row.finalUrl ?? this.#rows.urls[row.url].url;
      const { url, at, payloadDigest, contentHash } = row;
      return { visit: id, url, target, at, payloadDigest, contentHash };
    });
  }

  close(): void {}

  /** Rows are copied, so that memory which changes its own rows afterwards cannot change what was committed. */
  #append<T extends TableName>(table: T, rows: readonly Tables[T][]): void {
    const kept = this.#rows[table];
    for (const row of rows) kept.push(storedCopy(row, this.#batch));
  }
}

function storedCopy<Row extends object>(row: Row, batch: number): Stored<Row> {
  const copy: Record<string, unknown> = { ...row, batch };
  for (const key in copy) {
    const value = copy[key];
    if (typeof value === 'string') copy[key] = cleanText(value);
    else if (value !== null && typeof value === 'object') copy[key] = structuredCopy(value);
  }
  return copy as Stored<Row>;
}

/** Bytes, the history of a dead letter, a pointer. */
function structuredCopy(value: object): object {
  if (value instanceof Uint8Array) return value.slice();
  if (Array.isArray(value)) return value.map((entry) => ({ ...entry }));
  return { ...value };
}
