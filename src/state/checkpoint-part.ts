/**
 * What a checkpoint holds beside the projection: memory that decisions read and that rows of one table tell in their order.
 * It runs ahead of the committed rows, and is written as it is at the moment at which the checkpoint begins: it remembers
 * what changes while it is written. By the time the file gets its name all those rows are committed.
 */
import type { Block } from './checkpoint-file.js';

/** The tables of which rows are told by a part. */
export type ToldTable = 'urls' | 'visits' | 'robots';
/** Of each, the number of rows that need not be read for what the part holds. */
export type Told = Partial<Record<ToldTable, number>>;

export interface CheckpointPart {
  readonly table: ToldTable;
  /** From now on until {@link thaw}, {@link blocks} gives what there is now. Returns the number of rows that tell it, those
   * of open batches included. */
  freeze(): number;
  blocks(): Generator<Block>;
  thaw(): void;
  /** Takes a block in, if it is one of this part. A payload is valid until it returns.
   * @throws RangeError if it fits nothing */
  take(block: Block): boolean;
  /** All blocks are in. Returns the rows that need not be read: `rows`, or 0 if what came is not to be used. */
  finish(rows: number): number;
  /** Forgets what was taken in. */
  clear(): void;
}

/** Rows of a block: 1 MiB of 32-bit numbers, copied and summed in a millisecond or two. */
export const ROWS = 2 ** 18;

export const bytesOf = (words: Uint32Array): Uint8Array =>
  new Uint8Array(words.buffer as ArrayBuffer, words.byteOffset, words.byteLength);

/** The 32-bit numbers of a payload, valid as long as it is. */
export const wordsOf = ({ payload }: Block): Uint32Array =>
  new Uint32Array(payload.buffer as ArrayBuffer, payload.byteOffset, payload.length / 4);

export const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
export const parsed = <T>(payload: Uint8Array): T =>
  JSON.parse(Buffer.from(payload.buffer, payload.byteOffset, payload.length).toString()) as T;

/** Values of a block of JSON: some 100 KB, made in less than a millisecond. */
const VALUES = 512;

/** What lies in maps, piece by piece. */
export function* jsonBlocks(kind: number, values: Iterable<unknown>): Generator<Block> {
  let some: unknown[] = [];
  for (const value of values) {
    some.push(value);
    if (some.length < VALUES) continue;
    yield { kind, at: 0, extra: 0, payload: json(some) };
    some = [];
  }
  if (some.length > 0) yield { kind, at: 0, extra: 0, payload: json(some) };
}
