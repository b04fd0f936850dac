/**
 * The one budget of all bodies in flight, as one worker sees it: what its client receives, and what it keeps of it until it
 * is archived, read and reported. Past the budget no lease goes out, and in the whole process one body at a time is still
 * received, and one at a time decoded, each until nothing is left of it: so bodies take at most the budget and these two.
 */
import type { FetchResult } from '../fetch/http.js';
import type { ByteBudget } from '../fetch/http-exchange.js';
import { type SharedState, Turn } from './messages.js';

/** Somebody else's bodies may make room without a word: looked at this often while somebody waits, ms. */
const LOOK = 20;

export class BodyBudget implements ByteBudget {
  readonly #shared: SharedState;
  readonly #own: Int32Array;
  readonly #limit: number;
  readonly #worker: number;
  readonly #waiting: { reader: object; go: () => void }[] = [];
  /** What this worker holds of bodies, and how much that is. */
  readonly #kept = new Map<object, number>();
  /** What has this worker's turns to go on past the budget: who reads the answer, its result, then what was made of it. */
  #receiving: object | null = null;
  #decoding: object | null = null;
  /** Whose body is being decoded. */
  #busy: object | null = null;
  #timer: NodeJS.Timeout | null = null;

  /** @param own one word, see `WorkerSettings.ownBodies`
   * @param limit bytes, for all workers together */
  constructor(shared: SharedState, own: SharedArrayBuffer, limit: number, worker: number) {
    this.#shared = shared;
    this.#own = new Int32Array(own);
    this.#limit = limit;
    this.#worker = worker;
  }

  take(bytes: number): void {
    this.#shared.addBodies(bytes);
    Atomics.add(this.#own, 0, bytes);
  }

  mayReceive(reader: object): boolean {
    if (this.#receiving === reader || this.#hasRoom()) return true;
    if (this.#receiving !== null || !this.#shared.takeTurn(Turn.receive, this.#worker)) return false;
    this.#receiving = reader;
    return true;
  }

  turn(reader: object): Promise<void> | null {
    if (this.#waiting.length === 0 && this.#mayDecode(reader)) {
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
    if (this.#receiving === from) this.#receiving = to;
    if (this.#decoding === from) this.#decoding = to;
    if (bytes === 0) this.drop(to);
  }

  /** Nothing is left of it. */
  drop(what: object): void {
    this.take(-this.#forget(what));
    if (this.#receiving === what) {
      this.#receiving = null;
      this.#shared.endTurn(Turn.receive, this.#worker);
    }
    if (this.#decoding === what) {
      this.#decoding = null;
      this.#shared.endTurn(Turn.decode, this.#worker);
    }
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
    if (this.#busy !== null) return false;
    if (this.#hasRoom()) return true;
    if (this.#decoding !== null || !this.#shared.takeTurn(Turn.decode, this.#worker)) return false;
    this.#decoding = reader;
    return true;
  }

  #next(): void {
    if (this.#waiting.length === 0 || !this.#mayDecode(this.#waiting[0].reader)) return;
    const { reader, go } = this.#waiting.shift()!;
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

/** Gives back what a thread that has ended held. */
export function giveBack(shared: SharedState, own: SharedArrayBuffer): void {
  shared.addBodies(-Atomics.exchange(new Int32Array(own), 0, 0));
}

/** A body that was not coded is its own payload. */
const sizeOf = ({ payload, body }: FetchResult): number =>
  payload.length + (body.buffer === payload.buffer ? 0 : body.length);
