/**
 * The store of the large simulation: what a crash leaves. URLs, requests and visits are columns of 32-bit numbers (a
 * simulated day has 33 million of each), everything rarer is rows. It keeps the promises of the store port that a
 * restart needs: batches are atomic, one that is sent again is answered `already`, rows come back in their order.
 */
import type { Changes, RequestRow, UrlRow, VisitRow } from '../changes.js';
import { Uint32Column } from '../columns.js';
import type { Stored, StoreReader, TableName, Tables } from '../engines/ports.js';
import { OUTCOMES, type OutcomeCode } from '../errors.js';
import { type LargeWeb, mix } from './simulation-large-web.js';

const CHUNK = 4096;
/** -1 as columns keep it. */
const NONE = 0xffff_ffff;
const CODES = Object.keys(OUTCOMES) as OutcomeCode[];

const ROW_TABLES = ['hosts', 'reparsed', 'robots', 'hostEvents', 'denied', 'dead', 'segments', 'seeds'] as const;
type RowTable = (typeof ROW_TABLES)[number];
const TABLES = ['urls', 'requests', 'visits', ...ROW_TABLES] as const;

export class Ledger implements StoreReader {
  readonly #web: LargeWeb;
  readonly #rows: { [T in RowTable]: Tables[T][] } = {
    ...{ hosts: [], reparsed: [], robots: [], hostEvents: [], denied: [], dead: [], segments: [], seeds: [] },
  };
  /** Of hosts in the web, by their id in the crawl. */
  readonly #numbers: number[] = [];
  readonly #meta = new Map<string, string>();
  /** Rows that are written, those that belong to a batch, and those that are committed. */
  readonly #written: Record<TableName, number>;
  readonly #sealed: Record<TableName, number>;
  readonly #committed: Record<TableName, number>;
  /** Rows of each table at the end of each batch. */
  readonly #ends: Record<TableName, number[]>;
  #sequence = 0;
  readonly #page = new Uint32Column();
  readonly #place = new Uint32Column();
  readonly #subject = new Uint32Column();
  readonly #address = new Uint32Column();
  readonly #ended = new Uint32Column();
  readonly #outcome = new Uint32Column();
  readonly #delay = new Uint32Column();
  readonly #addressDelay = new Uint32Column();
  readonly #visit = new Uint32Column();

  constructor(web: LargeWeb) {
    this.#web = web;
    const zeros = () => Object.fromEntries(TABLES.map((table) => [table, 0])) as Record<TableName, number>;
    this.#written = zeros();
    this.#sealed = zeros();
    this.#committed = zeros();
    this.#ends = Object.fromEntries(TABLES.map((table) => [table, [] as number[]])) as Record<TableName, number[]>;
  }

  /** The host of the web that has this id in the crawl. */
  hostOf(id: number): number {
    return this.#numbers[id];
  }

  // -- what is written ----------------------------------------------------------------------------------------------

  url(page: number, host: number, level: number): void {
    const row = this.#written.urls++;
    this.#page.set(row, page);
    this.#place.set(row, host * 8 + level);
  }

  pageOf(url: number): number {
    return this.#page.get(url);
  }

  /** @param address number in the web, -1 for none */
  request(
    {
      url,
      host,
      started,
      ended,
      code,
      delay,
      addressDelay,
    }: Pick<RequestRow, 'url' | 'host' | 'started' | 'ended' | 'code' | 'delay' | 'addressDelay'>,
    address: number,
  ): void {
    const row = this.#written.requests++;
    this.#subject.set(row, url < 0 ? host * 2 + 1 : url * 2);
    this.#address.set(row, address);
    this.#ended.set(row, ended);
    this.#outcome.set(row, Math.min(ended - started, 0xff_ffff) * 256 + CODES.indexOf(code));
    this.#delay.set(row, delay);
    this.#addressDelay.set(row, addressDelay);
  }

  visit(): void {
    this.#visit.set(this.#written.visits++, this.#written.requests - 1);
  }

  /** Rows that the frontier appended. */
  take(changes: Changes): void {
    for (const table of ROW_TABLES) {
      const rows: unknown[] = this.#rows[table];
      rows.length = this.#written[table];
      for (const row of changes[table]) rows.push(row);
      this.#written[table] = rows.length;
    }
    for (const { id, name } of changes.hosts) this.#numbers[id] = Number(/\d+/.exec(name)![0]);
    for (const [key, value] of changes.meta) this.#meta.set(key, value); // one fact, which is true at once
    for (const row of changes.requests) this.request(row, -1); // leases that were lost
  }

  // -- batches ------------------------------------------------------------------------------------------------------

  /** What is written becomes a batch. */
  seal(): void {
    Object.assign(this.#sealed, this.#written);
  }

  commit(sequence: number): 'committed' | 'already' {
    if (sequence === this.#sequence) return 'already';
    if (sequence !== this.#sequence + 1) throw new RangeError(`batch ${sequence} follows batch ${this.#sequence}`);
    this.#sequence = sequence;
    Object.assign(this.#committed, this.#sealed);
    for (const table of TABLES) this.#ends[table].push(this.#committed[table]);
    return 'committed';
  }

  /** The process is gone: what is not committed never was. */
  crash(): void {
    Object.assign(this.#sealed, this.#committed);
    Object.assign(this.#written, this.#committed);
  }

  get sequence(): number {
    return this.#sequence;
  }

  // -- what is read -------------------------------------------------------------------------------------------------

  meta(key: string): string | null {
    return this.#meta.get(key) ?? null;
  }

  count(table: TableName): number {
    return this.#committed[table];
  }

  *scan<T extends TableName>(table: T, from = 0): Generator<Stored<Tables[T]>[]> {
    const ends = this.#ends[table];
    let batch = 0;
    for (let row = from; row < this.#committed[table]; ) {
      const chunk: Stored<Tables[T]>[] = [];
      for (; row < this.#committed[table] && chunk.length < CHUNK; row++) {
        while (ends[batch] <= row) batch++;
        chunk.push(this.#row(table, row, batch + 1));
      }
      yield chunk;
    }
  }

  at<T extends TableName>(table: T, places: readonly number[]): Stored<Tables[T]>[] {
    return places.map((place) => this.#row(table, place, 0));
  }

  close(): void {}

  #row<T extends TableName>(table: T, row: number, batch: number): Stored<Tables[T]> {
    const made: unknown =
      table === 'urls'
        ? this.#urlRow(row, batch)
        : table === 'requests'
          ? this.#requestRow(row, batch)
          : table === 'visits'
            ? this.#visitRow(row, batch)
            : { ...this.#rows[table as RowTable][row], batch };
    return made as Stored<Tables[T]>;
  }

  // rows are written field by field: with spreads a visit took 40 us

  #urlRow(id: number, batch: number): Stored<UrlRow> {
    const page = this.#page.get(id);
    const place = this.#place.get(id);
    const host = place >>> 3;
    return {
      id,
      partition: 0,
      host,
      keyHi: mix(page, 1),
      keyLo: page,
      kind: 'page',
      level: place & 7,
      depth: 1,
      hops: 0,
      via: -1,
      url: this.#web.urlOf(this.hostOf(host), page),
      batch,
    };
  }

  #requestRow(id: number, batch: number): Stored<RequestRow> {
    const subject = this.#subject.get(id);
    const isRobots = subject % 2 === 1;
    const url = isRobots ? -1 : subject / 2;
    const outcome = this.#outcome.get(id);
    const ended = this.#ended.get(id);
    const address = this.#address.get(id);
    const addressDelay = this.#addressDelay.get(id);
    return {
      id,
      url,
      host: isRobots ? (subject - 1) / 2 : this.#place.get(url) >>> 3,
      kind: isRobots ? 'robots' : 'page',
      address: address === NONE ? '' : this.#web.addressName(address),
      target: '',
      started: ended - (outcome >>> 8),
      ended,
      status: 0,
      code: CODES[outcome & 255],
      bytes: 0,
      delay: this.#delay.get(id),
      addressDelay: addressDelay === NONE ? -1 : addressDelay,
      record: null,
      batch,
    };
  }

  #visitRow(id: number, batch: number): Stored<VisitRow> {
    const { id: request, url, ended: at, code } = this.#requestRow(this.#visit.get(id), batch);
    return {
      id,
      url,
      kind: 'page',
      request,
      at,
      status: 200,
      code,
      finalUrl: null,
      contentType: '',
      charset: '',
      language: '',
      title: '',
      contentHash: null,
      payloadDigest: null,
      simhash: null,
      etag: null,
      lastModified: null,
      record: null,
      text: null,
      changed: true,
      duplicateOf: -1,
      near: false,
      index: true,
      nextVisit: null,
      bodyOf: -1,
      history: null,
      bytes: 0,
      links: 0,
      aiPreferences: null,
      parser: 0,
      fields: null,
      batch,
    };
  }
}
