/**
 * The pool of page workers, as the main thread sees it: work goes out, reports come in, and a worker that crashes or
 * falls silent is replaced. Of its leases only the one that it was parsing is charged; the others return unchanged
 * (DESIGN 3). A page that killed a worker goes to the quarantine from then on.
 */
import type { Clock } from '../engines/ports.js';
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
import { type Death, Member, type MemberEvents } from './member.js';
import { type FromWorker, SharedState, type ToWorker, type WorkerSettings } from './messages.js';
import { Quarantine } from './quarantine.js';

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
  /** A page killed a worker that it had for itself: it will not be tried again. */
  givenUp: (url: string, why: string) => void;
}

/** Deaths of workers in a row, without a page in between, after which something else is wrong. */
const MAX_DEATHS = 20;

export class WorkerPool {
  readonly #options: PoolOptions;
  readonly #settings: PoolSettings;
  readonly #events: PoolEvents;
  readonly #shared: SharedState;
  readonly #members: Member[] = [];
  readonly #quarantine: Quarantine;
  readonly #room: Int32Array;
  readonly #watch: NodeJS.Timeout;
  /** Threads that were given up and may not have ended yet. */
  readonly #leaving: Promise<unknown>[] = [];
  #listenedAt: number;
  #starts = 0;
  #deaths = 0;
  #closing: Promise<void> | null = null;

  constructor(settings: PoolSettings, options: PoolOptions, events: PoolEvents) {
    const { workers, clock, heartbeat } = options;
    this.#settings = settings;
    this.#options = options;
    this.#events = events;
    this.#shared = new SharedState(workers + 1); // the last is the quarantine's
    this.#room = new Int32Array(workers);
    for (let index = 0; index < workers; index++) this.#members.push(this.#startMember(index));
    this.#quarantine = new Quarantine(
      (memberEvents) => this.#start(workers, memberEvents),
      () => clock.monotonic(),
      {
        message: (member, message) => this.#receive(member, message),
        reports: (reports) => this.#report(reports),
        givenUp: events.givenUp,
        failed: (why) => this.#mayReplace(workers, why),
      },
    );
    this.#listenedAt = clock.monotonic();
    this.#watch = setInterval(() => this.#listen(), heartbeat);
    this.#watch.unref();
  }

  /** Leases that each worker may get now. What is in quarantine takes no room from others: the frontier grants one of
   * those at a time. */
  room(): Int32Array {
    const each = Math.ceil(this.#options.concurrency / this.#members.length);
    for (const [index, member] of this.#members.entries()) {
      this.#room[index] = member.isClosing ? 0 : Math.max(each - member.out.size, 0);
    }
    return this.#room;
  }

  /** The bodies that the workers hold exceed their budget: nothing is to be submitted (`needsBackpressure` of the loop). */
  get isFull(): boolean {
    return this.#shared.bodies > this.#options.bodyBudget;
  }

  /** Bytes of bodies that the workers hold. */
  get bodies(): number {
    return this.#shared.bodies;
  }

  submit(leases: readonly Lease[]): void {
    const lists: Lease[][] = this.#members.map(() => []);
    for (const lease of leases) {
      if (lease.alone) this.#quarantine.submit(lease);
      else lists[lease.worker].push(lease);
    }
    for (const [index, list] of lists.entries()) this.#members[index].submit(list);
  }

  /** The scope took in what these seeds stand for: the workers follow. */
  widen(seeds: readonly SeedPlace[]): void {
    const places = seeds.map(({ host, origin, fetch }) => ({ host, origin, fetch }));
    this.#sendAll({ type: 'scope', seeds: places });
    this.#quarantine.send({ type: 'scope', seeds: places });
  }

  /** Ends what is under way; its leases return unfetched. */
  abort(): void {
    this.#sendAll({ type: 'abort' });
    this.#quarantine.abort();
  }

  /** Closes the segments and ends the threads, after all reports are out: when it resolves, nothing is written any
   * more. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    for (const member of this.#members) member.close();
    await Promise.all([...this.#members.map((member) => member.closed), this.#quarantine.close()]);
    clearInterval(this.#watch);
    await Promise.all(this.#members.map((member) => member.terminate()));
    await Promise.all(this.#leaving);
  }

  #sendAll(message: ToWorker): void {
    for (const member of this.#members) member.send(message);
  }

  #startMember(index: number): Member {
    const member: Member = this.#start(index, {
      message: (message) => this.#receive(member, message),
      died: (code, why) => this.#died(member, code, why),
    });
    return member;
  }

  #start(index: number, events: MemberEvents): Member {
    const { heartbeat, bodyBudget, script, clock } = this.#options;
    const archive = { ...this.#settings.archive, prefix: `${this.#settings.archive.prefix}-${this.#starts++}` };
    const settings: WorkerSettings = {
      ...this.#settings,
      ownBodies: new SharedArrayBuffer(4),
      archive,
      index,
      heartbeat,
      bodyBudget,
      shared: this.#shared.buffer,
    };
    return new Member(settings, this.#shared, clock, script, events);
  }

  #receive(member: Member, message: FromWorker): void {
    switch (message.type) {
      case 'reports':
        this.#deaths = 0;
        this.#events.reports(message.batch);
        returnLinks(message.batch.links);
        break;
      case 'held?':
        this.#events.held(message.questions, (answers) => member.send({ type: 'held', answers }));
        break;
      case 'near?':
        this.#events.near(message.questions, (answers) => member.send({ type: 'near', answers }));
        break;
      case 'segments':
        this.#events.segments(message.closed);
        break;
      case 'fatal':
        this.#events.fatal(message.message);
        break;
      case 'closed':
        break;
    }
  }

  /** Looks for workers that do not answer. */
  #listen(): void {
    const { clock, heartbeat, deadAfter } = this.#options;
    const now = clock.monotonic();
    const late = now - this.#listenedAt - heartbeat;
    this.#listenedAt = now;
    this.#quarantine.look();
    // we were stopped (Ctrl-Z, a debugger) or busy ourselves: the workers get the time to be heard
    if (late > heartbeat) return;
    for (const member of [...this.#members, this.#quarantine.member]) {
      if (member?.giveUpSilent(now, deadAfter)) this.#leaving.push(member.terminate());
    }
  }

  #died(member: Member, code: Death, why: string): void {
    const reports = member.lost(member.culprit, code);
    if (!this.#mayReplace(member.index, why)) return;
    this.#members[member.index] = this.#startMember(member.index);
    this.#report(reports);
  }

  /** A worker died: is there any use in another? */
  #mayReplace(worker: number, why: string): boolean {
    if (++this.#deaths > MAX_DEATHS) {
      this.#events.fatal(hopeless(why));
      return false;
    }
    this.#events.replaced(worker, why);
    return true;
  }

  #report(reports: LeaseReport[]): void {
    this.#events.reports({ reports, links: { words: new Uint32Array(0), text: new Uint8Array(0) } });
  }
}

/** Why there is no use in starting another worker, in one line. */
const hopeless = (why: string): string =>
  why.includes('EMFILE')
    ? 'page workers cannot start: too many files are open; raise the limit (ulimit -n), then run the same command to go on'
    : `page workers keep dying; the last one said: ${why.split('\n', 1)[0]}`;
