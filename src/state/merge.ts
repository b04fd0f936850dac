/** Merges the tables of a store in the order of their commits: rows of one batch come together, table by table. */
import type { Stored, StoreReader, TableName, Tables } from '../engines/ports.js';

export type Scans = Pick<StoreReader, 'scan'>;

class Cursor<T extends TableName> {
  readonly table: T;
  readonly #chunks: Iterator<Stored<Tables[T]>[]>;
  #rows: Stored<Tables[T]>[] = [];
  #at = 0;

  constructor(reader: Scans, table: T, from: number) {
    this.table = table;
    this.#chunks = reader.scan(table, from)[Symbol.iterator]();
    this.#refill();
  }

  /** Batch of the next row, or Infinity. */
  get batch(): number {
    return this.#at < this.#rows.length ? this.#rows[this.#at].batch : Number.POSITIVE_INFINITY;
  }

  each(batch: number, apply: (row: Stored<Tables[T]>) => void): void {
    while (this.batch === batch) {
      apply(this.#rows[this.#at++]);
      if (this.#at === this.#rows.length) this.#refill();
    }
  }

  #refill(): void {
    const next = this.#chunks.next();
    this.#rows = next.done ? [] : next.value;
    this.#at = 0;
  }
}

export type Appliers = { [T in TableName]?: (row: Stored<Tables[T]>) => void };

/** The number of rows of each table that are passed over. */
export type Places = Partial<Record<TableName, number>>;

/** Applies each row of the named tables, batch by batch; within a batch in the order of the tables in `appliers`. */
export function mergeTables(reader: Scans, appliers: Appliers, from: Places = {}): void {
  const tables = (Object.keys(appliers) as TableName[]).map((table) => ({
    cursor: new Cursor(reader, table, from[table] ?? 0),
    apply: appliers[table] as (row: unknown) => void,
  }));
  for (;;) {
    const batch = Math.min(...tables.map(({ cursor }) => cursor.batch));
    if (batch === Number.POSITIVE_INFINITY) return;
    for (const { cursor, apply } of tables) cursor.each(batch, apply);
  }
}
