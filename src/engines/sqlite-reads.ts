/** What every connection to a store reads: the state of the last commit, chunks of a table, and rows by id. */
import { type Counts, isFound, noCounts, TABLE_NAMES } from './batch-rules.js';
import type { Database, SqlValue, Statement } from './database.js';
import type { Stored, TableName, Tables, UrlText, VisitReference } from './ports.js';
import { CODECS, columnsOf, ordinalOf } from './sqlite-rows.js';

/** The committed state, as of one batch. */
export interface StoredState {
  epoch: number;
  sequence: number;
  /** Commits so far, over all epochs. */
  batch: number;
  counts: Counts;
  meta: Map<string, string>;
}

/** Reads the state in one transaction. Cheap: ordinals are dense, so a count is the last row's ordinal plus one. */
export const readState = (db: Database): StoredState => inTransaction(db, () => stateInTransaction(db));

/** The same inside a transaction of the caller. */
export function stateInTransaction(db: Database): StoredState {
  const last = readLastBatch(db.prepare(LAST_BATCH));
  const counts = noCounts();
  const next = (column: string, table: string): number =>
    (db.prepare(`SELECT coalesce(max(${column}) + 1, 0) AS n FROM ${table}`).get() as { n: number }).n;
  for (const table of TABLE_NAMES) counts[table] = next(ordinalOf(table), CODECS[table].sql);
  counts.segmentIds = next('id', 'segments');
  const meta = db.prepare('SELECT key, value FROM meta').all() as { key: string; value: string }[];
  return { ...last, counts, meta: new Map(meta.map((row) => [row.key, row.value])) };
}

export const LAST_BATCH = 'SELECT epoch, sequence, batch FROM last_batch';

export const readLastBatch = (statement: Statement): Pick<StoredState, 'epoch' | 'sequence' | 'batch'> =>
  statement.get() as Pick<StoredState, 'epoch' | 'sequence' | 'batch'>;

/** One transaction for many small reads: they see one commit, and the lock is taken once. */
function inTransaction<T>(db: Database, read: () => T): T {
  db.exec('BEGIN');
  try {
    return read();
  } finally {
    db.exec('COMMIT');
  }
}

/** Reads tables in chunks. A chunk is a statement of its own: a long scan keeps no transaction open, which would keep
 * the write-ahead log from being reused, and needs none, since rows below the end never change. */
export class TableScanner {
  readonly #db: Database;
  readonly #statements = new Map<TableName, Statement>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** Rows `from` to `end` (exclusive); all of them must be committed. About 1.5 us a row of `urls` on Node 20. */
  *scan<T extends TableName>(table: T, from: number, end: number): Generator<Stored<Tables[T]>[]> {
    const { chunk, decode } = CODECS[table];
    for (let first = from; first < end; first += chunk) {
      const rows = this.#statement(table).all(first, Math.min(first + chunk, end));
      yield rows.map((row) => decode(row as SqlValue[]));
    }
  }

  /** Rows by their ordinals. @throws RangeError for one at or past `end` */
  at<T extends TableName>(table: T, places: readonly number[], end: number): Stored<Tables[T]>[] {
    const { decode } = CODECS[table];
    const statement = this.#statement(table);
    return inTransaction(this.#db, () =>
      places.map((place) => {
        const row = place < end ? statement.all(place, place + 1)[0] : undefined;
        if (row === undefined) throw new RangeError(`row ${place} of ${table} is not committed`);
        return decode(row as SqlValue[]);
      }),
    );
  }

  #statement(table: TableName): Statement {
    let statement = this.#statements.get(table);
    if (statement === undefined) {
      const id = ordinalOf(table);
      const sql = `SELECT ${columnsOf(table)} FROM ${CODECS[table].sql} WHERE ${id} >= ? AND ${id} < ? ORDER BY ${id}`;
      statement = this.#db.prepare(sql);
      // An array costs half of an object.
      statement.setReturnArrays(true);
      this.#statements.set(table, statement);
    }
    return statement;
  }
}

/** The look-ups by id of the port `Store`. */
export class Lookups {
  readonly #db: Database;
  readonly #url: Statement;
  readonly #visit: Statement;
  readonly #robots: Statement;

  constructor(db: Database) {
    this.#db = db;
    this.#url = db.prepare(
      `SELECT u.id, u.url, u.kind, u.depth, u.hops, v.id AS visit, v.etag, v.last_modified AS lastModified, v.at,
         v.next_visit AS nextVisit, v.history, v.code, b.duplicate_of AS duplicateOf, b.id AS body, b.at AS bodyAt,
         coalesce(b.final_url, u.url) AS target, b.content_hash AS contentHash, b.payload_digest AS payloadDigest, b.simhash
       FROM urls u LEFT JOIN visits v ON v.id = ? AND v.url = u.id
       LEFT JOIN visits b ON b.id = iif(v.body_of < 0, v.id, v.body_of) WHERE u.id = ?`,
    );
    this.#visit = db.prepare(
      `SELECT v.id AS visit, v.url, coalesce(v.final_url, u.url) AS target, v.at,
         v.payload_digest AS payloadDigest, v.content_hash AS contentHash
       FROM visits v JOIN urls u ON u.id = v.url WHERE v.id = ?`,
    );
    this.#robots = db.prepare(`SELECT body FROM robots WHERE ${ordinalOf('robots')} = ?`);
  }

  /** @throws RangeError for a place that is not committed. */
  robots(places: readonly number[]): (Uint8Array | null)[] {
    return inTransaction(this.#db, () =>
      places.map((place) => {
        const row = this.#robots.get(place) as { body: Uint8Array | null } | undefined;
        if (row === undefined) throw new RangeError(`row ${place} of robots is not committed`);
        return row.body;
      }),
    );
  }

  /** @throws RangeError for an id that is not committed, or a visit of another URL. */
  urls(urls: readonly number[], visits: readonly number[]): UrlText[] {
    return inTransaction(this.#db, () =>
      urls.map((id, i) => {
        const row = this.#url.get(visits[i], id) as UrlRead | undefined;
        if (row === undefined) throw new RangeError(`URL ${id} is not committed`);
        if (visits[i] !== -1 && row.visit === null)
          throw new RangeError(`visit ${visits[i]} of URL ${id} is not committed`);
        return textOf(row);
      }),
    );
  }

  /** @throws RangeError for an id that is not committed. */
  visits(visits: readonly number[]): VisitReference[] {
    return inTransaction(this.#db, () =>
      visits.map((id) => {
        const row = this.#visit.get(id) as VisitReference | undefined;
        if (row === undefined) throw new RangeError(`visit ${id} is not committed`);
        return { ...row };
      }),
    );
  }
}

/** A URL joined with its last visit (`v`) and the one whose body is in force (`b`); both may be missing. */
interface UrlRead extends Omit<UrlText, 'last'> {
  etag: string | null;
  lastModified: string | null;
  visit: number | null;
  at: number;
  nextVisit: number | null;
  history: string | null;
  code: string;
  duplicateOf: number;
  body: number;
  bodyAt: number;
  target: string;
  contentHash: Uint8Array | null;
  payloadDigest: Uint8Array | null;
  simhash: string | null;
}

function textOf(row: UrlRead): UrlText {
  const { id, url, kind, depth, hops, etag, lastModified, visit, at, nextVisit, history, code, duplicateOf } = row;
  const text = { id, url, kind, depth, hops };
  if (visit === null) return { ...text, last: null };
  const { bodyAt, target, contentHash, payloadDigest, simhash } = row;
  const body = { visit: row.body, at: bodyAt, target, contentHash, payloadDigest, simhash };
  const last = { visit, at, nextVisit, history, found: isFound(code), duplicateOf, etag, lastModified, body };
  return { ...text, last };
}
