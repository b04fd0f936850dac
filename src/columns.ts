/**
 * Columns of numbers that grow without being copied: what memory holds of URLs, visits and hosts (DESIGN 4, Memory: no
 * object per URL, and no pause while a table doubles).
 */

const BITS = 20;
const SEGMENT = 1 << BITS;
const MASK = SEGMENT - 1;
/** Where the segment of a row begins. */
export const segmentStart = (row: number): number => row - (row & MASK);
/** The first segment alone begins small and doubles, 4 MB copied at most: a crawl has some thirty columns, and with whole
 * segments most of the time of a small one went into making and collecting them. */
const FIRST = 1 << 12;
const firstLength = (at: number): number => Math.min(Math.max(FIRST, 2 ** (32 - Math.clz32(at))), SEGMENT);

/** 32-bit numbers by a dense index, such as a URL's id: 4 bytes a row, in segments of 2^20 rows. Rows that were never set
 * are 0, and cost nothing beyond the last segment. */
export class Uint32Column {
  readonly #segments: Uint32Array[] = [];

  /** Memory in bytes. Pages of a segment that nothing was written to are not resident yet. */
  get bytes(): number {
    return (Math.max(this.#segments.length - 1, 0) * SEGMENT + (this.#segments[0]?.length ?? 0)) * 4;
  }

  /** The value of a row; 0 for one beyond all that were set. */
  get(row: number): number {
    const segment = this.#segments[row >>> BITS];
    const at = row & MASK;
    return segment === undefined || at >= segment.length ? 0 : segment[at];
  }

  set(row: number, value: number): void {
    const segment = this.#segments[row >>> BITS];
    const at = row & MASK;
    if (segment === undefined || at >= segment.length) this.#reach(row)[at] = value;
    else segment[at] = value;
  }

  /** The segment of a row, with room for it. */
  #reach(row: number): Uint32Array {
    const segments = this.#segments;
    const last = row >>> BITS;
    const first = segments[0] ?? EMPTY;
    const length = last > 0 ? SEGMENT : firstLength(row);
    if (first.length < length) {
      segments[0] = new Uint32Array(length);
      segments[0].set(first);
    }
    while (segments.length <= last) segments.push(new Uint32Array(SEGMENT));
    return segments[last];
  }

  clear(): void {
    this.#segments.length = 0;
  }

  /** Rows from `from` on, as they lie in memory: up to the end of their segment, at most `most`. Empty if nothing was set
   * there. For checkpoints. */
  view(from: number, most: number): Uint32Array {
    const at = from & MASK;
    const end = Math.min(at + most, SEGMENT);
    const segment = this.#segments[from >>> BITS] ?? EMPTY;
    const isWhole = segment.length === 0 || segment.length >= end;
    return (isWhole ? segment : this.#reach(from - at + end - 1)).subarray(at, end);
  }

  /** The same as {@link view}, and its rows are there to be written. */
  room(from: number, rows: number): Uint32Array {
    return this.#reach(from + rows - 1).subarray(from & MASK, (from & MASK) + rows);
  }

  /** Writes rows from `from` on. */
  fill(from: number, values: Uint32Array): void {
    for (let done = 0; done < values.length; ) {
      const row = from + done;
      const part = values.subarray(done, done + SEGMENT - (row & MASK));
      this.#reach(row + part.length - 1).set(part, row & MASK);
      done += part.length;
    }
  }
}

const EMPTY = new Uint32Array(0);

/** A column of which a checkpoint is taken while it changes: from {@link freeze} to {@link thaw} it remembers what rows
 * were that change. For what is written once a page, not once a link. */
export class FreezableColumn extends Uint32Column {
  #before: Map<number, number> | null = null;

  override set(row: number, value: number): void {
    if (this.#before !== null && !this.#before.has(row)) this.#before.set(row, this.get(row));
    super.set(row, value);
  }

  freeze(): void {
    this.#before = new Map();
  }

  thaw(): void {
    this.#before = null;
  }

  /** A copy of the rows from `from` on as they were when the column was frozen: up to the end of their segment, at most
   * `most`; empty beyond the last. */
  frozen(from: number, most: number): Uint32Array {
    const rows = this.view(from, most).slice();
    for (const [row, value] of this.#before ?? []) {
      if (row >= from && row < from + rows.length) rows[row - from] = value;
    }
    return rows;
  }
}

/** The same for bytes. A class of its own, since one for both would be twice as slow on the hot path. */
export class Uint8Column {
  readonly #segments: Uint8Array[] = [];

  get bytes(): number {
    return Math.max(this.#segments.length - 1, 0) * SEGMENT + (this.#segments[0]?.length ?? 0);
  }

  get(row: number): number {
    const segment = this.#segments[row >>> BITS];
    const at = row & MASK;
    return segment === undefined || at >= segment.length ? 0 : segment[at];
  }

  set(row: number, value: number): void {
    const segment = this.#segments[row >>> BITS];
    const at = row & MASK;
    if (segment === undefined || at >= segment.length) this.#reach(row)[at] = value;
    else segment[at] = value;
  }

  /** The segment of a row, with room for it. */
  #reach(row: number): Uint8Array {
    const segments = this.#segments;
    const last = row >>> BITS;
    const first = segments[0] ?? NOTHING;
    const length = last > 0 ? SEGMENT : firstLength(row);
    if (first.length < length) {
      segments[0] = new Uint8Array(length);
      segments[0].set(first);
    }
    while (segments.length <= last) segments.push(new Uint8Array(SEGMENT));
    return segments[last];
  }

  clear(): void {
    this.#segments.length = 0;
  }

  view(from: number, most: number): Uint8Array {
    const at = from & MASK;
    const end = Math.min(at + most, SEGMENT);
    const segment = this.#segments[from >>> BITS] ?? NOTHING;
    const isWhole = segment.length === 0 || segment.length >= end;
    return (isWhole ? segment : this.#reach(from - at + end - 1)).subarray(at, end);
  }

  fill(from: number, values: Uint8Array): void {
    for (let done = 0; done < values.length; ) {
      const row = from + done;
      const part = values.subarray(done, done + SEGMENT - (row & MASK));
      this.#reach(row + part.length - 1).set(part, row & MASK);
      done += part.length;
    }
  }
}

const NOTHING = new Uint8Array(0);

export type PlainColumn = Float64Array | Uint32Array | Int32Array | Uint16Array | Uint8Array;

interface Kind<A extends PlainColumn> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike): A;
}

/** What TypeScript's es2023 does not name yet, and Node has had since version 20. */
interface Growable {
  resize(bytes: number): void;
}
const GrowableBuffer = ArrayBuffer as unknown as new (bytes: number, options: { maxByteLength: number }) => ArrayBuffer;

/** Rows are added that many at a time. */
const STEP = 1 << 12;
/** The largest growable buffer that V8 makes. */
const LARGEST = 2 ** 32;
/** The least reservation that is of any use. */
const SMALLEST = 2 ** 24;

/**
 * Plain typed arrays, one a column, that grow in place: each reserves 4 GiB of addresses (not of memory) and takes pages
 * as rows are added. For tables of a moderate number of rows that are read everywhere, such as hosts: up to 2^29 rows of
 * 8 bytes. Measured on Node 20: reads and writes cost what those of a fixed array do.
 */
export class PlainColumns {
  readonly #columns: PlainColumn[] = [];
  readonly #width: number[] = [];
  #room = STEP;

  /** A new column of zeros. */
  add<A extends PlainColumn>(kind: Kind<A>, perRow = 1): A {
    const buffer = reserve(this.#room * perRow * kind.BYTES_PER_ELEMENT);
    const column = new kind(buffer);
    this.#columns.push(column);
    this.#width.push(perRow * kind.BYTES_PER_ELEMENT);
    return column;
  }

  /** Makes room for `rows` rows; new ones are 0. */
  reserve(rows: number): void {
    if (rows <= this.#room) return;
    this.#room = Math.ceil(rows / STEP) * STEP;
    this.#columns.forEach((column, i) => {
      resizeColumn(column, (this.#room * this.#width[i]) / column.BYTES_PER_ELEMENT);
    });
  }

  get bytes(): number {
    return this.#room * this.bytesPerRow;
  }

  get bytesPerRow(): number {
    return this.#width.reduce((sum, width) => sum + width, 0);
  }

  /** Copies rows `from` to `to` (exclusive), column after column. For checkpoints. */
  pack(from: number, to: number): Uint8Array {
    const bytes = new Uint8Array((to - from) * this.bytesPerRow);
    let at = 0;
    this.#columns.forEach((column, i) => {
      const rows = new Uint8Array(column.buffer, from * this.#width[i], (to - from) * this.#width[i]);
      bytes.set(rows, at);
      at += rows.length;
    });
    return bytes;
  }

  /** Writes rows from `from` on that {@link pack} gave, by columns of the same kinds. Returns how many there were. */
  unpack(from: number, bytes: Uint8Array): number {
    const rows = bytes.length / this.bytesPerRow;
    if (!Number.isInteger(rows)) throw new RangeError(`${bytes.length} bytes are no rows of ${this.bytesPerRow}`);
    this.reserve(from + rows);
    let at = 0;
    this.#columns.forEach((column, i) => {
      const part = bytes.subarray(at, at + rows * this.#width[i]);
      new Uint8Array(column.buffer).set(part, from * this.#width[i]);
      at += part.length;
    });
    return rows;
  }

  /** Copies the first `rows` rows of the same columns elsewhere. */
  copy(other: PlainColumns, rows: number): void {
    this.reserve(rows);
    this.#columns.forEach((column, i) => {
      column.set(other.#columns[i].subarray(0, (rows * this.#width[i]) / column.BYTES_PER_ELEMENT));
    });
  }
}

/** One growable array by itself: `length` elements now, at most `most`. */
export function growableColumn<A extends PlainColumn>(kind: Kind<A>, length: number, most: number): A {
  const bytes = kind.BYTES_PER_ELEMENT;
  return new kind(new GrowableBuffer(length * bytes, { maxByteLength: most * bytes }));
}

/** Gives a {@link growableColumn} another length; new elements are 0. */
export function resizeColumn(column: PlainColumn, length: number): void {
  (column.buffer as unknown as Growable).resize(length * column.BYTES_PER_ELEMENT);
}

/** A process may be allowed few addresses (`ulimit -v`): then a column ends sooner. */
function reserve(bytes: number): ArrayBuffer {
  for (let most = LARGEST; ; most /= 4) {
    try {
      return new GrowableBuffer(bytes, { maxByteLength: most });
    } catch (error) {
      if (!(error instanceof RangeError) || most / 4 < Math.max(SMALLEST, bytes)) throw error;
    }
  }
}
