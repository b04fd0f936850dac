/** One page worker as the main thread sees it: its thread, the leases that are out at it, whether it lives, and how it
 * ends. What its death means is decided by who started it (`pool.ts`, `quarantine.ts`). */
import { Worker } from 'node:worker_threads';
import type { Clock } from '../engines/ports.js';
import type { OutcomeCode } from '../errors.js';
import type { Lease } from '../frontier/lease.js';
import { type LeaseReport, NOTHING_BROUGHT } from '../frontier/report.js';
import { giveBack } from './body-budget.js';
import type { FromWorker, HeldPage, SharedState, ToWorker, WorkerSettings, WorkOrder } from './messages.js';

/** How a worker can die. */
export type Death = Extract<OutcomeCode, 'worker.crash' | 'worker.hang'>;

export interface MemberEvents {
  message: (message: FromWorker) => void;
  /** It is dead, and it was not asked to end. Told once. */
  died: (code: Death, why: string) => void;
}

/** A thread that has not shown itself yet is reading its modules: it has this long at least, ms. */
const STARTING = 10_000;
/** MiB for a thread's young objects. V8 takes 48; with half of that a whole crawl peaks 40 MiB lower and costs the same. */
const YOUNG = 24;

export class Member {
  readonly index: number;
  /** Leases that are out at it. */
  readonly out = new Map<number, Lease>();
  /** It has closed its segments, or it is dead: nothing more is written. */
  readonly closed: Promise<void>;
  readonly #thread: Worker;
  readonly #shared: SharedState;
  readonly #clock: Clock;
  readonly #events: MemberEvents;
  /** Monotonic ms. */
  readonly #startedAt: number;
  #isClosing = false;
  #isDead = false;
  #setClosed: () => void = () => {};

  /** @param script the file its thread starts from */
  constructor(settings: WorkerSettings, shared: SharedState, clock: Clock, script: URL, events: MemberEvents) {
    const { index, ownBodies } = settings;
    this.index = index;
    this.#shared = shared;
    this.#clock = clock;
    this.#events = events;
    this.closed = new Promise((resolve) => {
      this.#setClosed = resolve;
    });
    this.#startedAt = Math.floor(clock.monotonic()); // heartbeats are whole ms
    shared.beat(index, this.#startedAt);
    shared.setParsing(index, -1);
    shared.endTurns(index);
    this.#thread = new Worker(script, { workerData: settings, resourceLimits: { maxYoungGenerationSizeMb: YOUNG } });
    this.#thread.on('message', (message: FromWorker) => this.#receive(message));
    this.#thread.on('error', (error) => this.#die('worker.crash', String(error?.stack ?? error)));
    this.#thread.on('exit', () => giveBack(shared, ownBodies));
    this.#thread.on('exit', (code) => this.#die('worker.crash', `exit code ${code}`));
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  submit(leases: readonly Lease[]): void {
    if (leases.length === 0) return;
    for (const lease of leases) this.out.set(lease.id, lease);
    this.send({ type: 'work', orders: leases.map(orderOf) });
  }

  send(message: ToWorker): void {
    this.#thread.postMessage(message);
  }

  /** Asks it to close its segments; see {@link closed}. */
  close(): void {
    this.#isClosing = true;
    this.send({ type: 'close' });
  }

  /** Ends the thread, whatever it does. */
  async terminate(): Promise<void> {
    await this.#thread.terminate();
  }

  /** It has given a sign of life since it was started. */
  get hasShown(): boolean {
    const now = Math.floor(this.#clock.monotonic());
    return now - this.#shared.silence(this.index, now) > this.#startedAt;
  }

  /** Gives it up if it has been silent for too long; true if it did. Its thread is still to be ended.
   * @param now monotonic ms
   * @param deadAfter ms */
  giveUpSilent(now: number, deadAfter: number): boolean {
    const silence = this.#shared.silence(this.index, now);
    if (silence <= (this.hasShown ? deadAfter : Math.max(deadAfter, STARTING))) return false;
    this.#die('worker.hang', `no heartbeat for ${Math.round(silence / 1000)} s`);
    return true;
  }

  /** The lease that it was about to parse, or -1: the one that is to blame if it is dead. */
  get culprit(): number {
    return this.#shared.parsing(this.index);
  }

  /** What is reported of its leases now that it is dead: one is charged, the others return unfetched. */
  lost(culprit: number, code: OutcomeCode): LeaseReport[] {
    const now = this.#clock.monotonic();
    return [...this.out.values()].map((lease) => returned(lease, lease.id === culprit ? code : 'lease.returned', now));
  }

  #receive(message: FromWorker): void {
    if (this.#isDead) return; // given up: its leases are back already
    if (message.type === 'reports') for (const report of message.batch.reports) this.out.delete(report.lease);
    if (message.type === 'closed') this.#setClosed();
    this.#events.message(message);
  }

  #die(code: Death, why: string): void {
    if (this.#isDead) return;
    this.#isDead = true;
    this.#setClosed();
    if (!this.#isClosing) this.#events.died(code, why);
  }
}

const orderOf = (lease: Lease): WorkOrder => {
  const { id, kind, target, connectTo, cookie } = lease;
  return { lease: id, kind, target, connectTo, held: heldPage(lease), cookie };
};

/** The page that a lease may be asked for on condition; null if nothing can be named. */
function heldPage({ last, conditional }: Lease): HeldPage | null {
  if (last === null || !conditional) return null;
  const { etag, lastModified, body } = last;
  if (etag === null && lastModified === null) return null;
  return { etag, lastModified, url: body.target, date: body.at, payloadDigest: body.payloadDigest };
}

/** What is reported of a lease that no worker can report: its request may have been made up to now. */
export function returned(lease: Lease, code: OutcomeCode, now: number): LeaseReport {
  return {
    lease: lease.id,
    code,
    status: 0,
    started: now,
    ended: now,
    retryAfterMs: null,
    bytes: 0,
    truncated: false,
    ...NOTHING_BROUGHT,
  };
}
