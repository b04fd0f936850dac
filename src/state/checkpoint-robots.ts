/** The verdicts of robots.txt, in a checkpoint: without the rules, which are read from their rows when they are asked for. */
import { type Block, BlockKind } from './checkpoint-file.js';
import { type CheckpointPart, json, parsed } from './checkpoint-part.js';

interface Fact {
  /** Of the last answer, ms. */
  at: number;
}

/** The robots desk, as far as a checkpoint needs it. */
export interface RobotsMemory<F extends Fact> {
  freeze(): number;
  facts(): Generator<F>;
  thaw(): void;
  restoreFacts(facts: Iterable<F>, rows: number): void;
}

/** Facts of a block: some 50 KB, made in two milliseconds. */
const FACTS = 256;

export class RobotsPart<F extends Fact> implements CheckpointPart {
  readonly table = 'robots';
  readonly #desk: RobotsMemory<F>;
  readonly #now: number;
  #blocks: Uint8Array[] = [];
  #isAhead = false;
  #rows = 0;

  /** @param now wall ms at the start. Verdicts of a later time are of a clock that has been set back since: then the rows
   *   are read, and bounded by it. */
  constructor(desk: RobotsMemory<F>, now: number) {
    this.#desk = desk;
    this.#now = now;
  }

  /** A row was written by a clock that has been set back since: what the desk knows of it is bounded by the clock of now, and
   * no checkpoint of this run can tell what the row says. */
  ahead(): void {
    this.#isAhead = true;
  }

  freeze(): number {
    const rows = this.#desk.freeze();
    return this.#isAhead ? 0 : rows;
  }

  thaw(): void {
    this.#desk.thaw();
  }

  *blocks(): Generator<Block> {
    if (this.#isAhead) return;
    let some: F[] = [];
    const block = (): Block => {
      const newest = some.reduce((latest, { at }) => Math.max(latest, at), 0);
      return { kind: BlockKind.robots, at: newest, extra: 0, payload: json(some) };
    };
    for (const fact of this.#desk.facts()) {
      some.push(fact);
      if (some.length < FACTS) continue;
      yield block();
      some = [];
    }
    if (some.length > 0) yield block();
  }

  take({ kind, at, payload }: Block): boolean {
    if (kind !== BlockKind.robots) return false;
    if (at > this.#now) this.#isAhead = true;
    else this.#blocks.push(payload.slice());
    return true;
  }

  finish(rows: number): number {
    if (this.#isAhead) this.#blocks = [];
    this.#rows = this.#isAhead ? 0 : rows;
    return this.#rows;
  }

  /** Tells the desk what was taken in, when the hosts are known. */
  tell(): void {
    const blocks = this.#blocks;
    this.#blocks = [];
    if (this.#rows === 0) return;
    const facts = function* (): Generator<F> {
      for (const block of blocks) yield* parsed<F[]>(block);
    };
    this.#desk.restoreFacts(facts(), this.#rows);
  }

  clear(): void {
    this.#blocks = [];
    this.#rows = 0;
    this.#isAhead = false;
  }
}
