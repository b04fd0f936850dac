/**
 * The pool of page workers, as the main thread sees it: work goes out, reports come in, and a worker that crashes or
 * falls silent is replaced. Of its leases only the one that it was parsing is charged; the others return unchanged
 * (DESIGN 3).
 */
import { Worker } from 'node:worker_threads';
import type { Clock } from '../engines/ports.js';
import type { OutcomeCode } from '../errors.js';
import type { Lease } from '../frontier/lease.js';
import type {
  HeldAnswer,
  HeldQuestion,
  LeaseReport,
  NearAnswer,
  NearQuestion,
  ReportBatch,
} from '../frontier/report.js';
import { returnLinks } from '../url/packed-links.js';
import type { SeedPlace } from '../url/scope.js';
import { giveBack } from './body-budget.js';
import { type FromWorker, type HeldPage, SharedState, type ToWorker, type WorkerSettings } from './messages.js';

export interface PoolOptions {
  workers: number;
  /** Requests in flight, all workers together. */
  concurrency: number;
  /** Bytes of bodies in flight beyond which no work goes out. */
  bodyBudget: number;
  /** ms between heartbeats, and of silence after which a worker is dead. */
  heartbeat: number;
  deadAfter: number;
  clock: Clock;
  /** The file a worker's thread starts from. */
  script: URL;
}

/** What all workers have in common. */
export type PoolSettings = Omit<WorkerSettings, 'index' | 'shared' | 'ownBodies' | 'heartbeat' | 'bodyBudget'>;

export interface PoolEvents {
  reports: (batch: ReportBatch) => void;
  held: (questions: HeldQuestion[], answer: (answers: HeldAnswer[]) => void) => void;
  near: (questions: NearQuestion[], answer: (answers: NearAnswer[]) => void) => void;
  segments: (closed: { name: string; length: number }[]) => void;
  /** The archive cannot be written: stop. */
  fatal: (message: string) => void;
  /** A worker died and was replaced. */
  replaced: (worker: number, why: string) => void;
}

interface Member {
  thread: Worker;
  /** Leases that are out at it. */
  out: Map<number, Lease>;
  closed: () => void;
  done: Promise<void>;
  /** Monotonic ms. */
  startedAt: number;
  isClosing: boolean;
}

/** A thread that has not shown itself yet is reading its modules: it has this long at least, ms. */
const STARTING = 10_000;
/** MiB for a thread's young objects. V8 takes 48; with half of that a whole crawl peaks 40 MiB lower and costs the same. */
const YOUNG = 24;
/** Deaths of workers in a row, without a page in between, after which something else is wrong. */
const MAX_DEATHS = 20;

export class WorkerPool {
  readonly #options: PoolOptions;
  readonly #settings: PoolSettings;
  readonly #events: PoolEvents;
  readonly #shared: SharedState;
  readonly #members: Member[] = [];
  readonly #room: Int32Array;
  readonly #watch: NodeJS.Timeout;
  /** Threads that were given up and may not have ended yet. */
  readonly #leaving: Promise<unknown>[] = [];
  #listenedAt: number;
  #starts = 0;
  #deaths = 0;
  #closing: Promise<void> | null = null;

  constructor(settings: PoolSettings, options: PoolOptions, events: PoolEvents) {
    this.#settings = settings;
    this.#options = options;
    this.#events = events;
    this.#shared = new SharedState(options.workers);
    this.#room = new Int32Array(options.workers);
    for (let index = 0; index < options.workers; index++) this.#members.push(this.#start(index));
    this.#listenedAt = options.clock.monotonic();
    this.#watch = setInterval(() => this.#listen(), options.heartbeat);
    this.#watch.unref();
  }

  /** Leases that each worker may get now: the one predicate of back-pressure on this side. */
  room(): Int32Array {
    const isFull = this.#shared.bodies > this.#options.bodyBudget;
    const each = Math.ceil(this.#options.concurrency / this.#members.length);
    for (const [index, member] of this.#members.entries()) {
      this.#room[index] = isFull || member.isClosing ? 0 : Math.max(each - member.out.size, 0);
    }
    return this.#room;
  }

  /** Bytes of bodies that the workers hold. */
  get bodies(): number {
    return this.#shared.bodies;
  }

  submit(leases: readonly Lease[]): void {
    const orders: Extract<ToWorker, { type: 'work' }>['orders'][] = this.#members.map(() => []);
    for (const lease of leases) {
      const { id, kind, target, connectTo, cookie, worker } = lease;
      this.#members[worker].out.set(id, lease);
      orders[worker].push({ lease: id, kind, target, connectTo, held: heldPage(lease), cookie });
    }
    for (const [index, list] of orders.entries()) {
      if (list.length > 0) this.#send(this.#members[index], { type: 'work', orders: list });
    }
  }

  /** The scope took in what these seeds stand for: the workers follow. */
  widen(seeds: readonly SeedPlace[]): void {
    const places = seeds.map(({ host, origin, fetch }) => ({ host, origin, fetch }));
    for (const member of this.#members) this.#send(member, { type: 'scope', seeds: places });
  }

  /** Ends what is under way; its leases return unfetched. */
  abort(): void {
    for (const member of this.#members) this.#send(member, { type: 'abort' });
  }

  /** Closes the segments and ends the threads, after all reports are out: when it resolves, nothing is written any
   * more. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    for (const member of this.#members) {
      member.isClosing = true;
      this.#send(member, { type: 'close' });
    }
    await Promise.all(this.#members.map((member) => member.done));
    clearInterval(this.#watch);
    await Promise.all(this.#members.map((member) => member.thread.terminate()));
    await Promise.all(this.#leaving);
  }

  #send(member: Member, message: ToWorker): void {
    member.thread.postMessage(message);
  }

  #start(index: number): Member {
    const { heartbeat, bodyBudget, script } = this.#options;
    const archive = { ...this.#settings.archive, prefix: `${this.#settings.archive.prefix}-${this.#starts++}` };
    const ownBodies = new SharedArrayBuffer(4);
    const workerData: WorkerSettings = {
      ...this.#settings,
      ownBodies,
      archive,
      index,
      heartbeat,
      bodyBudget,
      shared: this.#shared.buffer,
    };
    const startedAt = this.#options.clock.monotonic();
    this.#shared.beat(index, startedAt);
    this.#shared.setParsing(index, -1);
    this.#shared.endTurns(index);
    const thread = new Worker(script, { workerData, resourceLimits: { maxYoungGenerationSizeMb: YOUNG } });
    let closed = (): void => {};
    const done = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const member: Member = { thread, out: new Map(), closed, done, startedAt, isClosing: false };
    thread.on('message', (message: FromWorker) => this.#receive(member, message));
    thread.on('error', (error) => this.#died(index, member, 'worker.crash', String(error?.stack ?? error)));
    thread.on('exit', () => giveBack(this.#shared, ownBodies));
    thread.on('exit', (code) => this.#died(index, member, 'worker.crash', `exit code ${code}`));
    return member;
  }

  #receive(member: Member, message: FromWorker): void {
    if (!this.#members.includes(member)) return; // given up for dead: its leases are back already
    switch (message.type) {
      case 'reports':
        this.#deaths = 0;
        for (const report of message.batch.reports) member.out.delete(report.lease);
        this.#events.reports(message.batch);
        returnLinks(message.batch.links);
        break;
      case 'held?':
        this.#events.held(message.questions, (answers) => this.#send(member, { type: 'held', answers }));
        break;
      case 'near?':
        this.#events.near(message.questions, (answers) => this.#send(member, { type: 'near', answers }));
        break;
      case 'segments':
        this.#events.segments(message.closed);
        break;
      case 'fatal':
        this.#events.fatal(message.message);
        break;
      case 'closed':
        member.closed();
        break;
    }
  }

  /** Looks for workers that do not answer. */
  #listen(): void {
    const now = this.#options.clock.monotonic();
    const late = now - this.#listenedAt - this.#options.heartbeat;
    this.#listenedAt = now;
    // we were stopped (Ctrl-Z, a debugger) or busy ourselves: the workers get the time to be heard
    if (late > this.#options.heartbeat) return;
    const { deadAfter } = this.#options;
    for (const [index, member] of this.#members.entries()) {
      const silence = this.#shared.silence(index, now);
      const isStarting = now - silence <= member.startedAt;
      if (silence <= (isStarting ? Math.max(deadAfter, STARTING) : deadAfter)) continue;
      this.#leaving.push(member.thread.terminate());
      this.#died(index, member, 'worker.hang', `no heartbeat for ${Math.round(silence / 1000)} s`);
    }
  }

  #died(index: number, member: Member, code: OutcomeCode, why: string): void {
    if (this.#members[index] !== member) return; // replaced already
    member.closed();
    if (member.isClosing) return;
    const culprit = this.#shared.parsing(index);
    const now = this.#options.clock.monotonic();
    if (++this.#deaths > MAX_DEATHS) {
      this.#events.fatal(hopeless(why));
      return;
    }
    this.#members[index] = this.#start(index);
    this.#events.replaced(index, why);
    const reports = [...member.out.values()].map((lease) =>
      returned(lease, lease.id === culprit ? code : 'lease.returned', now),
    );
    this.#events.reports({ reports, links: { words: new Uint32Array(0), text: new Uint8Array(0) } });
  }
}

/** Why there is no use in starting another worker, in one line. */
const hopeless = (why: string): string =>
  why.includes('EMFILE')
    ? 'page workers cannot start: too many files are open; raise the limit (ulimit -n), then run the same command to go on'
    : `page workers keep dying; the last one said: ${why.split('\n', 1)[0]}`;

/** What is reported of a lease whose worker died: its request may have been made up to now. */
function returned(lease: Lease, code: OutcomeCode, now: number): LeaseReport {
  return {
    lease: lease.id,
    code,
    status: 0,
    started: now,
    ended: now,
    retryAfterMs: null,
    bytes: 0,
    truncated: false,
    record: null,
    redirect: null,
    robots: null,
    page: null,
    from: 0,
    to: 0,
    refused: null,
  };
}

/** The page that a lease may be asked for on condition; null if nothing can be named. */
function heldPage({ last, conditional }: Lease): HeldPage | null {
  if (last === null || !conditional) return null;
  const { etag, lastModified, body } = last;
  if (etag === null && lastModified === null) return null;
  return { etag, lastModified, url: body.target, date: body.at, payloadDigest: body.payloadDigest };
}
