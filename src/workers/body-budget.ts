/**
 * The one budget of all bodies in flight, as one worker sees it: what its client receives, and what it keeps of it until it
 * is archived, read and reported. Past the budget no lease goes out, and in the whole process one body at a time is still
 * received and decoded, until nothing is left of it: so bodies take at most the budget and that one, and what small ones and
 * stalled ones are allowed.
 */
import type { FetchResult } from '../fetch/http.js';
import type { ByteBudget } from '../fetch/http-exchange.js';
import { type SharedState, Turn } from './messages.js';

/** Bytes of a body up to which it is received whatever the budget says: there are only so many requests at a time, and most
 * servers that never end what they began have sent less. */
const SMALL = 16 * 1024;
/** Whoever has a turn past the budget and does nothing with it for this long, ms, loses it, unless bodies are over the budget by
 * more than this many bytes: then nobody else could go on. */
const STALLED = 500;
const SPARE = 16 * 1024 * 1024;
/** Somebody else's bodies may make room without a word: looked at this often while somebody waits, ms. */
const LOOK = 20;

export class BodyBudget implements ByteBudget {
  readonly #shared: SharedState;
  readonly #own: Int32Array;
  readonly #limit: number;
  readonly #waiting: { reader: object; go: () => void }[] = [];
  /** What this worker holds of bodies, and how much that is. */
  readonly #kept = new Map<object, number>();
  readonly #turnPast: TurnPast;
  /** Whose body is being decoded. */
  #busy: object | null = null;
  #timer: NodeJS.Timeout | null = null;
  #watch: NodeJS.Timeout | null = null;

  /** @param own one word, see `WorkerSettings.ownBodies`
   * @param limit bytes, for all workers together */
  constructor(shared: SharedState, own: SharedArrayBuffer, limit: number, worker: number) {
    this.#shared = shared;
    this.#own = new Int32Array(own);
    this.#limit = limit;
    this.#turnPast = new TurnPast(shared, worker);
  }

  take(bytes: number): void {
    this.#shared.addBodies(bytes);
    Atomics.add(this.#own, 0, bytes);
  }

  mayReceive(reader: object, taken: number): boolean {
    return taken <= SMALL || this.#hasRoom() || this.#goesOn(reader);
  }

  turn(reader: object): Promise<void> | null {
    const isFirst = this.#waiting.length === 0 || this.#turnPast.holder === reader;
    if (isFirst && this.#mayDecode(reader)) {
      this.#busy = reader;
      return null;
    }
    const turn = new Promise<void>((go) => this.#waiting.push({ reader, go }));
    this.#look();
    return turn;
  }

  delivered(reader: object, taken: number, result: FetchResult): void {
    this.#kept.set(reader, taken);
    this.pass(reader, result, sizeOf(result));
    if (this.#busy !== reader) return;
    this.#busy = null;
    if (this.#waiting.length > 0) setImmediate(() => this.#next());
  }

  /** All that is left of `from` is `to`, of so many bytes. */
  pass(from: object, to: object, bytes: number): void {
    this.take(bytes - this.#forget(from));
    this.#kept.set(to, bytes);
    this.#turnPast.pass(from, to);
    if (bytes === 0) this.drop(to);
  }

  /** Nothing is left of it. */
  drop(what: object): void {
    this.take(-this.#forget(what));
    this.#turnPast.end(what);
    this.#next();
  }

  #forget(what: object): number {
    const bytes = this.#kept.get(what) ?? 0;
    this.#kept.delete(what);
    return bytes;
  }

  #hasRoom(): boolean {
    return this.#shared.bodies <= this.#limit;
  }

  #mayDecode(reader: object): boolean {
    return this.#busy === null && (this.#hasRoom() || this.#goesOn(reader));
  }

  #goesOn(reader: object): boolean {
    if (!this.#turnPast.take(reader)) return false;
    this.#watch ??= setTimeout(() => this.#endStalled(), STALLED).unref();
    return true;
  }

  #endStalled(): void {
    this.#watch = null;
    const turn = this.#turnPast;
    if (turn.hasStalled() && this.#shared.bodies <= this.#limit + SPARE) turn.end(turn.holder);
    if (turn.holder === null) return;
    this.#watch = setTimeout(() => this.#endStalled(), STALLED).unref();
  }

  /** The first that waits goes, unless one that came later has the turn: what it holds would be in the way of the others. */
  #next(): void {
    const at = Math.max(
      0,
      this.#waiting.findIndex(({ reader }) => reader === this.#turnPast.holder),
    );
    if (this.#waiting.length === 0 || !this.#mayDecode(this.#waiting[at].reader)) return;
    const [{ reader, go }] = this.#waiting.splice(at, 1);
    this.#busy = reader;
    go();
  }

  #look(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#next();
      if (this.#waiting.length > 0) this.#look();
    }, LOOK);
  }
}

/** The turn to go on past the budget, as one worker sees it. */
class TurnPast {
  /** Who has it in this worker: whoever reads an answer, then its result, then what was made of that. */
  holder: object | null = null;
  readonly #shared: SharedState;
  readonly #worker: number;
  #hasMoved = false;

  constructor(shared: SharedState, worker: number) {
    this.#shared = shared;
    this.#worker = worker;
  }

  /** True if `reader` has it now; then it got on. */
  take(reader: object): boolean {
    if (this.holder === null && this.#shared.takeTurn(Turn.past, this.#worker)) this.holder = reader;
    if (this.holder !== reader) return false;
    this.#hasMoved = true;
    return true;
  }

  pass(from: object, to: object): void {
    if (this.holder !== from) return;
    this.holder = to;
    this.#hasMoved = true;
  }

  end(holder: object | null): void {
    if (holder === null || this.holder !== holder) return;
    this.holder = null;
    this.#shared.endTurn(Turn.past, this.#worker);
  }

  /** It has not got on since this was asked last. */
  hasStalled(): boolean {
    const hasMoved = this.#hasMoved;
    this.#hasMoved = false;
    return !hasMoved;
  }
}

/** Gives back what a thread that has ended held. */
export function giveBack(shared: SharedState, own: SharedArrayBuffer): void {
  shared.addBodies(-Atomics.exchange(new Int32Array(own), 0, 0));
}

/** A body that was not coded is its own payload. */
const sizeOf = ({ payload, body }: FetchResult): number =>
  payload.length + (body.buffer === payload.buffer ? 0 : body.length);
