/**
 * The threads that read a crawl again. A page that crashes its thread, or holds it for too long, costs that page only:
 * the thread is replaced, and the rest of its orders are given out again.
 */
import { Worker } from 'node:worker_threads';
import type { SegmentOptions } from '../archive/segments.js';
import { UserError } from '../errors.js';
import type { DecodeCaps } from '../fetch/decode.js';
import type { ReparseOrder, ReparseResult } from './reparse-stage.js';

/** What a thread is told at its start. */
export interface ReparseThreadData {
  /** Segments by id. */
  paths: [id: number, path: string][];
  text: Pick<SegmentOptions, 'dir' | 'prefix' | 'info' | 'maxBytes'>;
  caps: DecodeCaps;
  agent: string;
  shingles: number;
  /** Settings of the reader of heavy types. */
  documents: unknown;
  /** One word: the index, from 1, of the order at work, 0 for none. */
  atWork: SharedArrayBuffer;
}

export type ToReparseThread = { type: 'orders'; orders: readonly ReparseOrder[] } | { type: 'close' };
export type FromReparseThread =
  | { type: 'results'; results: readonly ReparseResult[]; closed: readonly ClosedText[] }
  | { type: 'closed'; closed: readonly ClosedText[] }
  /** The archive cannot be read or written. */
  | { type: 'fatal'; message: string };

export interface ClosedText {
  name: string;
  length: number;
}

export interface ReparsePoolOptions {
  threads: number;
  /** The file that a thread starts from. */
  script: URL;
  /** For each start of a thread: a prefix of segments that nobody has used. */
  data: (start: number) => Omit<ReparseThreadData, 'atWork'>;
  /** ms that one page may hold a thread; documents of heavy types have a limit of their own, which is shorter. */
  patience: number;
  onClosed: (closed: readonly ClosedText[]) => void;
}

interface Task {
  orders: readonly ReparseOrder[];
  /** What has been settled by the deaths of threads. */
  results: ReparseResult[];
  resolve: (results: readonly ReparseResult[]) => void;
  reject: (error: Error) => void;
}

interface Member {
  thread: Worker;
  atWork: Int32Array;
  task: Task | null;
  /** The order that was at work at the last look, and since when. */
  seen: number;
  since: number;
}

/** ms between two looks at what the threads do. */
const WATCH = 250;
/** Deaths in a row, without a batch in between, after which something else is wrong. */
const MAX_DEATHS = 20;

export class ReparsePool {
  readonly #options: ReparsePoolOptions;
  readonly #members: Member[] = [];
  readonly #waiting: Task[] = [];
  readonly #watch: NodeJS.Timeout;
  #starts = 0;
  #deaths = 0;
  #closing: (() => void) | null = null;

  constructor(options: ReparsePoolOptions) {
    this.#options = options;
    for (let i = 0; i < options.threads; i++) this.#members.push(this.#start());
    this.#watch = setInterval(() => this.#look(), WATCH);
  }

  /** Rejects if the archive cannot be read or written. */
  run(orders: readonly ReparseOrder[]): Promise<readonly ReparseResult[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ orders, results: [], resolve, reject });
      this.#next();
    });
  }

  /** Closes the segments and ends the threads. */
  async close(): Promise<void> {
    clearInterval(this.#watch);
    for (const { thread } of this.#members) {
      const closed = new Promise<void>((resolve) => {
        this.#closing = resolve;
        thread.once('exit', resolve);
      });
      thread.postMessage({ type: 'close' } satisfies ToReparseThread);
      await closed;
      await thread.terminate();
    }
  }

  #next(): void {
    for (const member of this.#members) {
      if (member.task !== null) continue;
      const task = this.#waiting.shift();
      if (task === undefined) return;
      member.task = task;
      member.seen = 0;
      member.thread.postMessage({ type: 'orders', orders: task.orders } satisfies ToReparseThread);
    }
  }

  #start(): Member {
    const atWork = new SharedArrayBuffer(4);
    const workerData: ReparseThreadData = { ...this.#options.data(this.#starts++), atWork };
    const thread = new Worker(this.#options.script, { workerData });
    const member: Member = { thread, atWork: new Int32Array(atWork), task: null, seen: 0, since: 0 };
    thread.on('message', (message: FromReparseThread) => this.#receive(member, message));
    thread.on('error', (error) => this.#died(member, error.message));
    thread.on('exit', (code) => this.#died(member, `exit code ${code}`));
    return member;
  }

  #receive(member: Member, message: FromReparseThread): void {
    if (message.type === 'fatal') {
      this.#fail(new UserError(message.message));
      return;
    }
    this.#options.onClosed(message.closed);
    if (message.type === 'closed') {
      this.#closing?.();
      return;
    }
    this.#deaths = 0;
    const { task } = member;
    member.task = null;
    task?.resolve([...task.results, ...message.results]);
    this.#next();
  }

  #look(): void {
    const now = performance.now();
    for (const member of this.#members) {
      const order = Atomics.load(member.atWork, 0);
      if (order !== member.seen) [member.seen, member.since] = [order, now];
      else if (order > 0 && now - member.since > this.#options.patience) {
        this.#died(member, `no answer for ${Math.round((now - member.since) / 1000)} s`);
        void member.thread.terminate();
      }
    }
  }

  /** The page at work is skipped; what its thread wrote before was not reported, and is written again. */
  #died(member: Member, why: string): void {
    const index = this.#members.indexOf(member);
    if (index < 0 || this.#closing !== null) return;
    if (++this.#deaths > MAX_DEATHS) {
      this.#fail(new UserError(`the threads that read pages keep dying; the last one said: ${why}`));
      return;
    }
    const { task } = member;
    const culprit = Atomics.load(member.atWork, 0) - 1;
    this.#members[index] = this.#start();
    if (task !== null) {
      const skipped = task.orders[culprit];
      const orders = task.orders.filter((order) => order !== skipped);
      if (skipped !== undefined) task.results.push({ visit: skipped.visit, facts: FAILED, text: 'same' });
      this.#waiting.unshift({ ...task, orders });
    }
    this.#next();
  }

  #fail(error: Error): void {
    for (const task of this.#waiting.splice(0)) task.reject(error);
    for (const member of this.#members) {
      member.task?.reject(error);
      member.task = null;
    }
  }
}

/** Facts of a page that could not be read: a parser of 0 says so. */
const FAILED: NonNullable<ReparseResult['facts']> = {
  ...{ charset: '', language: '', title: '', simhash: null, index: true, links: 0, aiPreferences: null },
  ...{ parser: 0, fields: null },
};
