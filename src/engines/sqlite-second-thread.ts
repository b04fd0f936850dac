/** The main thread's end of sqlite-reader-thread.ts: a bounded queue of questions, their answers, its life. */
import { Worker } from 'node:worker_threads';
import { UserError } from '../errors.js';
import type { UrlText, VisitReference } from './ports.js';

export interface Question {
  n: number;
  question: 'urls' | 'visits' | 'robots' | 'checkpoint';
  ids: readonly number[];
  visits: readonly number[];
}
export type Answer = { n: number; value: unknown } | { n: number; error: string; user: boolean; range: boolean };
export interface ThreadData {
  path: string;
  /** Becomes 1 when the thread has closed its connection. */
  closed: Int32Array;
}
/** Result of a checkpoint, in pages: how long the log is, and how much of it is in the database. */
export interface Checkpoint {
  busy: number;
  log: number;
  checkpointed: number;
}

/** Questions that lie in the thread's own queue; more wait on this side. */
const IN_FLIGHT = 32;
/** Questions that may wait: one for every back queue there can be (DESIGN 4). */
const WAITING = 65_536;
/** No answer for this long, in ms: the thread hangs (a disk that does not return). */
const SILENCE = 30_000;
/** How long closing waits for a question in progress, in ms. */
const CLOSING = 5_000;

interface Waiting {
  question: Question;
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

export class SecondThread {
  readonly #path: string;
  readonly #closed = new Int32Array(new SharedArrayBuffer(4));
  #worker: Worker | null = null;
  #next = 0;
  readonly #waiting: Waiting[] = [];
  /** Index of the first that still waits: shifting 65,536 entries one by one would be quadratic. */
  #head = 0;
  readonly #inFlight = new Map<number, Waiting>();
  #watchdog: NodeJS.Timeout | null = null;

  /** `path`: the database file. The thread starts with the first question. */
  constructor(path: string) {
    this.#path = path;
  }

  urls(ids: readonly number[], visits: readonly number[]): Promise<UrlText[]> {
    return this.#ask('urls', ids, visits) as Promise<UrlText[]>;
  }

  visits(ids: readonly number[]): Promise<VisitReference[]> {
    return this.#ask('visits', ids, []) as Promise<VisitReference[]>;
  }

  robots(places: readonly number[]): Promise<(Uint8Array | null)[]> {
    return this.#ask('robots', places, []) as Promise<(Uint8Array | null)[]>;
  }

  checkpoint(): Promise<Checkpoint> {
    return this.#ask('checkpoint', [], []) as Promise<Checkpoint>;
  }

  /** Blocks until the thread has closed its connection (at most {@link CLOSING}), so that the writer can do away with the
   * log. Questions that wait are rejected. */
  close(): void {
    const worker = this.#worker;
    this.#worker = null;
    this.#failAll(new Error('the store was closed'));
    if (worker === null) return;
    worker.removeAllListeners();
    worker.on('error', () => {});
    worker.postMessage('close');
    Atomics.wait(this.#closed, 0, 0, CLOSING);
    void worker.terminate();
  }

  #ask(question: Question['question'], ids: readonly number[], visits: readonly number[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length - this.#head >= WAITING) {
        reject(new Error(`more than ${WAITING} reads wait for the disk`));
        return;
      }
      this.#waiting.push({ question: { n: this.#next++, question, ids, visits }, resolve, reject });
      this.#send();
    });
  }

  #send(): void {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    while (this.#inFlight.size < IN_FLIGHT && this.#head < this.#waiting.length) {
      const entry = this.#waiting[this.#head++];
      this.#inFlight.set(entry.question.n, entry);
      worker.postMessage(entry.question);
    }
    if (this.#head === this.#waiting.length || this.#head > 1024) {
      this.#waiting.splice(0, this.#head);
      this.#head = 0;
    }
    this.#watch(worker);
  }

  #start(): Worker {
    const workerData: ThreadData = { path: this.#path, closed: this.#closed };
    const worker = new Worker(new URL('./sqlite-reader-thread.js', import.meta.url), { workerData });
    worker.on('message', (answer: Answer) => this.#receive(answer));
    worker.on('error', (error) => this.#die(worker, error));
    worker.on('exit', (code) => this.#die(worker, new Error(`the store's second thread ended (${code})`)));
    return worker;
  }

  #receive(answer: Answer): void {
    const entry = this.#inFlight.get(answer.n);
    if (entry === undefined) return;
    this.#inFlight.delete(answer.n);
    if ('value' in answer) entry.resolve(answer.value);
    else if (answer.user) entry.reject(new UserError(answer.error));
    else entry.reject(answer.range ? new RangeError(answer.error) : new Error(answer.error));
    if (this.#worker !== null) this.#send();
  }

  /** The thread holds the process open, and is watched, only while it owes an answer. */
  #watch(worker: Worker): void {
    if (this.#watchdog !== null) clearTimeout(this.#watchdog);
    this.#watchdog = null;
    if (this.#inFlight.size === 0) {
      worker.unref();
      return;
    }
    worker.ref();
    this.#watchdog = setTimeout(() => {
      void worker.terminate();
      const seconds = SILENCE / 1000;
      this.#die(worker, new UserError(`Reading ${this.#path} has taken more than ${seconds} s. Check the disk.`));
    }, SILENCE);
  }

  /** Rejects what was asked; the next question starts a new thread. */
  #die(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    this.#failAll(error);
  }

  #failAll(error: Error): void {
    if (this.#watchdog !== null) clearTimeout(this.#watchdog);
    this.#watchdog = null;
    const lost = [...this.#inFlight.values(), ...this.#waiting.splice(0).slice(this.#head)];
    this.#head = 0;
    this.#inFlight.clear();
    for (const entry of lost) entry.reject(error);
  }
}
