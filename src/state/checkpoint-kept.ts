/**
 * What pages repeat, in a checkpoint: contents, fingerprints, error pages, how much of each host is repeated
 * (`dedupe/kept-pages.ts`, `dedupe/host-duplicates.ts`), as the first so many visits tell it.
 *
 * What never changes is written as it is met, and may be ahead of those visits: the URL of a visit, the visit of a content
 * (it counts for nothing before it is the page of its URL, and is said again by the rows that are read), probes.
 */
import type { Uint32Column } from '../columns.js';
import type { HostDuplicates, HostRepeats } from '../dedupe/host-duplicates.js';
import type { KeptPages } from '../dedupe/kept-pages.js';
import { DEEPEST, type SeenTable } from '../dedupe/seen.js';
import type { WideMap } from '../wide-map.js';
import { type Block, BlockKind } from './checkpoint-file.js';
import { bytesOf, type CheckpointPart, jsonBlocks, parsed, ROWS, wordsOf } from './checkpoint-part.js';

export interface KeptMemory {
  readonly kept: KeptPages;
  readonly hosts: HostDuplicates;
  /** By host: the URL that was asked to see its error page. */
  readonly probes: WideMap<number, number>;
}

/** Fingerprints of a block: read from all over the index, in a millisecond or two. */
const PRINTS = 2 ** 13;

export class KeptPart implements CheckpointPart {
  readonly table = 'visits';
  readonly #memory: KeptMemory;
  readonly #settled: () => number;
  /** In the order of their numbers in the file. */
  readonly #columns: readonly Uint32Column[];
  #records = 0;
  #seen: ReturnType<SeenTable['loading']> | null = null;

  /** @param settled visits so far, those of open batches included */
  constructor(memory: KeptMemory, settled: () => number) {
    this.#memory = memory;
    this.#settled = settled;
    const { kept, hosts } = memory;
    this.#columns = [kept.content.urls, ...this.#freezable(kept, hosts)];
  }

  #freezable({ content, near, errors }: KeptPages, hosts: HostDuplicates) {
    return [content.pages, near.records, ...errors.columns, ...hosts.columns];
  }

  freeze(): number {
    const { kept, hosts } = this.#memory;
    for (const column of this.#freezable(kept, hosts)) column.freeze();
    hosts.freeze();
    this.#records = kept.near.size;
    return this.#settled();
  }

  thaw(): void {
    const { kept, hosts } = this.#memory;
    for (const column of this.#freezable(kept, hosts)) column.thaw();
    hosts.thaw();
  }

  *blocks(): Generator<Block> {
    const { kept, hosts, probes } = this.#memory;
    yield* columnBlocks(0, (at) => kept.content.urls.view(at, ROWS).slice());
    for (const [i, column] of this.#freezable(kept, hosts).entries()) {
      yield* columnBlocks(i + 1, (at) => column.frozen(at, ROWS));
    }
    for (let at = 0; at < this.#records; at += PRINTS) {
      const prints = kept.near.list(at, Math.min(at + PRINTS, this.#records));
      yield { kind: BlockKind.keptPrints, at, extra: 0, payload: bytesOf(prints) };
    }
    yield* seenBlocks(BlockKind.keptContents, kept.content.visits);
    yield* jsonBlocks(BlockKind.keptRepeats, hosts.repeats());
    yield* jsonBlocks(BlockKind.keptProbes, probes);
  }

  take(block: Block): boolean {
    const { kept, hosts, probes } = this.#memory;
    const { kind, at, extra, payload } = block;
    if (kind === BlockKind.keptColumn) {
      if (extra >= this.#columns.length) throw new RangeError('there is no such column of kept pages');
      this.#columns[extra].fill(at, wordsOf(block));
    } else if (kind === BlockKind.keptContents) {
      this.#seen ??= kept.content.visits.loading();
      this.#seen.take({ at, depth: extra, slots: wordsOf(block) });
    } else if (kind === BlockKind.keptPrints) {
      const words = wordsOf(block);
      for (let i = 0; i < words.length; i += 3) kept.near.restore(at + i / 3, words[i], words[i + 1], words[i + 2]);
    } else if (kind === BlockKind.keptRepeats) {
      for (const repeats of parsed<HostRepeats[]>(payload)) hosts.restore(repeats);
    } else if (kind === BlockKind.keptProbes) {
      for (const [host, url] of parsed<[number, number][]>(payload)) probes.set(host, url);
    } else {
      return false;
    }
    return true;
  }

  finish(rows: number): number {
    if (this.#seen === null) throw new RangeError('it has no table of contents');
    this.#seen.end();
    return rows;
  }

  clear(): void {
    const { kept, hosts, probes } = this.#memory;
    kept.clear();
    hosts.clear();
    probes.clear();
    this.#seen = null;
  }
}

/** Blocks of zeros in a row that are left out: the loop gets its turn at each block. */
const MOST_LEFT_OUT = 16;

/** Blocks of a column without the zeros at their ends: most rows are none where few URLs were visited. */
function* columnBlocks(extra: number, rowsFrom: (at: number) => Uint32Array): Generator<Block> {
  for (let at = 0, leftOut = 0; ; at += ROWS) {
    const rows = rowsFrom(at);
    if (rows.length === 0) return;
    let end = rows.length;
    while (end > 0 && rows[end - 1] === 0) end--;
    if (end === 0 && ++leftOut < MOST_LEFT_OUT) continue;
    leftOut = 0;
    yield { kind: BlockKind.keptColumn, at, extra, payload: bytesOf(rows.subarray(0, Math.max(end, 1))) };
  }
}

/** Each segment of a seen table, as a walk meets it: what is added meanwhile may be in it. */
export function* seenBlocks(kind: number, table: SeenTable): Generator<Block> {
  for (let at = 0; at < 2 ** DEEPEST; ) {
    const { depth, slots } = table.segmentAt(at);
    yield { kind, at, extra: depth, payload: bytesOf(slots).slice() };
    at += 2 ** (DEEPEST - depth);
  }
}
