/**
 * The one budget of all bodies in flight, as one worker sees it: what its client reads, and what it keeps of it until it
 * is archived and parsed. Past the budget no lease goes out, reading pauses, and no body is decoded: so bodies take at
 * most the budget and one decoded body for each worker.
 */
import type { FetchResult } from '../fetch/http.js';
import type { ByteBudget } from '../fetch/http-exchange.js';
import type { SharedState } from './messages.js';

/** Somebody else's bodies may make room without a word: looked at this often while somebody waits, ms. */
const LOOK = 20;

export class BodyBudget implements ByteBudget {
  readonly #shared: SharedState;
  readonly #own: Int32Array;
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  /** Bodies of this worker that are with it, decoded. */
  #kept = 0;
  /** A body is being decoded. */
  #isBusy = false;
  #timer: NodeJS.Timeout | null = null;

  /** @param own one word, see `WorkerSettings.ownBodies`
   * @param limit bytes, for all workers together */
  constructor(shared: SharedState, own: SharedArrayBuffer, limit: number) {
    this.#shared = shared;
    this.#own = new Int32Array(own);
    this.#limit = limit;
  }

  take(bytes: number): boolean {
    this.#add(bytes);
    return this.hasRoom();
  }

  give(bytes: number): void {
    this.#add(-bytes);
  }

  hasRoom(): boolean {
    return this.#shared.bodies <= this.#limit;
  }

  /** The worker takes over a body from its client. */
  keep(result: FetchResult): void {
    this.#kept++;
    this.#add(sizeOf(result));
  }

  /** It needs it no more. */
  drop(result: FetchResult): void {
    this.#kept--;
    this.#add(-sizeOf(result));
    this.#next();
  }

  turn(): Promise<void> | null {
    if (this.#waiting.length === 0 && this.#mayGo()) {
      this.#isBusy = true;
      return null;
    }
    const turn = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#look();
    return turn;
  }

  turnEnded(): void {
    this.#isBusy = false;
    // what was decoded is kept first, and counts
    if (this.#waiting.length > 0) setImmediate(() => this.#next());
  }

  #add(bytes: number): void {
    this.#shared.addBodies(bytes);
    Atomics.add(this.#own, 0, bytes);
  }

  /** With nothing decoded on our hands somebody must go on, whatever the budget says. */
  #mayGo(): boolean {
    return !this.#isBusy && (this.#kept === 0 || this.hasRoom());
  }

  #next(): void {
    if (this.#waiting.length === 0 || !this.#mayGo()) return;
    this.#isBusy = true;
    this.#waiting.shift()!();
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
