/** How many queries each path has, in a checkpoint (`url/traps.ts`): what is admitted while it is written may be counted twice. */
import type { TrapGuards } from '../url/traps.js';
import { type Block, BlockKind } from './checkpoint-file.js';
import type { CheckpointPart } from './checkpoint-part.js';

/** Counters of a block: 1 MiB. */
const COUNTERS = 2 ** 19;

export class QueriesPart implements CheckpointPart {
  readonly table = 'urls';
  readonly #guards: TrapGuards;
  readonly #known: () => number;

  /** @param known URLs so far, those of open batches included */
  constructor(guards: TrapGuards, known: () => number) {
    this.#guards = guards;
    this.#known = known;
  }

  freeze(): number {
    return this.#known();
  }

  thaw(): void {}

  *blocks(): Generator<Block> {
    const { counters } = this.#guards;
    for (let at = 0; at < counters.length; at += COUNTERS) {
      const some = counters.slice(at, at + COUNTERS);
      if (some.some((count) => count > 0)) yield { kind: BlockKind.queries, at, extra: 0, payload: bytesOf(some) };
    }
  }

  take({ kind, at, payload }: Block): boolean {
    if (kind !== BlockKind.queries) return false;
    this.#guards.fill(at, new Uint16Array(payload.buffer as ArrayBuffer, payload.byteOffset, payload.length / 2));
    return true;
  }

  finish(rows: number): number {
    return rows;
  }

  clear(): void {
    this.#guards.clear();
  }
}

const bytesOf = (counters: Uint16Array): Uint8Array =>
  new Uint8Array(counters.buffer as ArrayBuffer, counters.byteOffset, counters.byteLength);
