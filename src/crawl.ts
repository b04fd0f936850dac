/**
 * The loop of a crawl: what is due is leased, what was reported is settled, what was settled is committed. All decisions
 * are made by the parts; this file moves data between them (docs/journey.md tells the story).
 */
import type { Admission } from './admit/admission.js';
import type { RobotsDesk } from './admit/robots-desk.js';
import type { Settlement } from './admit/settle.js';
import type { Clock, Resolver, Store, UrlText } from './engines/ports.js';
import type { AddressGuard } from './fetch/address-guard.js';
import type { Frontier } from './frontier/frontier.js';
import type { Lease, LoadRequest } from './frontier/lease.js';
import type {
  HeldAnswer,
  HeldQuestion,
  LeaseReport,
  NearAnswer,
  NearQuestion,
  ReportBatch,
} from './frontier/report.js';
import type { Origin } from './frontier/robots-gate.js';
import { resolutionOf } from './resolution.js';
import type { Batches } from './state/batches.js';
import type { HeldDesk } from './state/held-desk.js';
import { entryOf, type LeasesFile, type OpenLease } from './state/leases-file.js';
import type { NearDesk } from './state/near-desk.js';
import type { Tally } from './state/tally.js';
import type { TextCache } from './state/text-cache.js';

/** Where leases go: the pool of page workers. */
export interface Workers {
  room(): Int32Array;
  /** The bodies that are held exceed their budget. */
  readonly isFull: boolean;
  submit(leases: readonly Lease[]): void;
  abort(): void;
  close(): Promise<void>;
}

export interface CrawlParts {
  frontier: Frontier;
  admission: Admission;
  settlement: Settlement;
  robots: RobotsDesk;
  batches: Batches;
  held: HeldDesk;
  near: NearDesk;
  /** Is a page to be fetched whole, whatever its validators say? */
  unconditional: (text: UrlText) => boolean;
  texts: TextCache;
  tally: Tally;
  workers: Workers;
  resolver: Resolver;
  guard: AddressGuard;
  /** Is an address of a family that a rule of the operator's rejects for this host? */
  refusesFamily: (host: string, address: string) => boolean;
  store: Store;
  leases: LeasesFile;
  clock: Clock;
  /** Leases of the last run whose fate is in the open batch. */
  recovered: readonly OpenLease[];
  /** Cuts at their last committed record, and closes, the segments that dead workers left open. */
  recover: () => Promise<readonly { name: string; length: number }[]>;
}

export interface CrawlLimits {
  maxPages: number;
  /** ms. */
  maxDuration: number;
  patience: number;
  /** It waits for what is due, however far away that is. */
  stands: boolean;
}

/** Why a crawl ended. */
export type CrawlEnd = 'done' | 'waiting' | 'max-pages' | 'max-duration' | 'stopped';

/** After a stop, what is being fetched has this long to end, ms. */
const GRACE = 5_000;
/** The longest sleep of the loop, ms: clocks and limits are looked at that often at least. */
const LONGEST_SLEEP = 1_000;
/** Turns in a row while texts keep arriving from memory. */
const MAX_TURNS = 64;

export class Crawl {
  /** Look-ups of this run that found no address, by code, each once: they are no requests, and no row counts them. */
  readonly unresolved: Record<string, number> = Object.create(null);
  readonly #p: CrawlParts;
  readonly #limits: CrawlLimits;
  readonly #offset: number;
  readonly #startedAt: number;
  #settledLeases: OpenLease[];
  #pages: number;
  #pagesOut = 0;
  #end: CrawlEnd | null = null;
  #failure: unknown = null;
  #timer: NodeJS.Timeout | null = null;
  #soon = false;
  #closing = false;
  #paused = false;
  #steeredAt = Number.NEGATIVE_INFINITY;
  #nextAt = Number.POSITIVE_INFINITY;
  #resolve: () => void = () => {};

  /** Told of each lease that is over, before its rows are committed (traces); null if nobody wants to hear. */
  onSettled: ((lease: Lease, now: number) => void) | null = null;

  constructor(parts: CrawlParts, limits: CrawlLimits) {
    this.#p = parts;
    this.#limits = limits;
    this.#offset = parts.clock.wall() - parts.clock.monotonic();
    this.#startedAt = this.now();
    this.#settledLeases = [...parts.recovered];
    this.#pages = parts.tally.pages;
    parts.near.load((error) => this.fail(error));
  }

  /** Wall time that never goes back while the process lives, whole ms: all decisions are made on it. */
  now(): number {
    return Math.floor(this.#p.clock.monotonic() + this.#offset);
  }

  /** When something falls due again (ms; Infinity: nothing does), for the progress line. */
  get nextAt(): number {
    return this.#nextAt;
  }

  /** Runs until the crawl ends; everything is committed then. Rejects with what made it impossible to go on. */
  async run(): Promise<CrawlEnd> {
    await new Promise<void>((resolve) => {
      this.#resolve = resolve;
      this.wake();
    });
    await this.#close();
    if (this.#failure !== null) throw this.#failure;
    return this.#end!;
  }

  /** Stops cleanly: nothing new is leased, what is out gets a moment to end. */
  stop(end: CrawlEnd = 'stopped'): void {
    if (this.#end !== null) return;
    this.#end = end;
    setTimeout(() => this.#p.workers.abort(), GRACE).unref();
    this.wake();
  }

  /** While true nothing new is leased: what is out ends, and the crawl goes on living. */
  get isPaused(): boolean {
    return this.#paused;
  }
  set isPaused(paused: boolean) {
    this.#paused = paused;
    this.wake();
  }

  /** An operator said something: what would end the crawl now (all its hosts blocked) may be taken back within
   * `patience`. */
  steered(): void {
    this.#steeredAt = this.now();
    this.wake();
  }

  get isStopping(): boolean {
    return this.#end !== null;
  }

  /** Something cannot be made durable: nothing more may be acknowledged. */
  fail(error: unknown): void {
    this.#failure ??= error;
    this.#end ??= 'stopped';
    this.#p.workers.abort();
    this.wake();
  }

  /** One turn, soon. */
  wake(): void {
    if (this.#soon) return;
    this.#soon = true;
    setImmediate(() => {
      this.#soon = false;
      try {
        this.#pump();
      } catch (error) {
        this.fail(error);
      }
    });
  }

  // -- the loop -----------------------------------------------------------------------------------------------------

  #pump(): void {
    if (this.#closing) return;
    const now = this.now();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (now - this.#startedAt >= this.#limits.maxDuration) this.stop('max-duration');
    if (this.#p.batches.dueAt(now) <= now) this.#commit();
    const isHeldBack = this.#needsBackpressure();
    this.#nextAt = isHeldBack ? Number.POSITIVE_INFINITY : this.#lease(now);
    if (this.#hasEnded(now, isHeldBack)) {
      this.#resolve();
      return;
    }
    const at = Math.min(
      this.#nextAt,
      this.#p.batches.isCommitting ? Number.POSITIVE_INFINITY : this.#p.batches.dueAt(now),
    );
    const sleep = Math.min(Math.max(at - now, 1), LONGEST_SLEEP);
    this.#timer = setTimeout(() => this.wake(), sleep);
  }

  /** The one predicate: no lease goes out while we are stopping or paused, while the store is behind, or while the bodies
   * in flight exceed their budget. How many may go out otherwise is the workers' room. */
  #needsBackpressure(): boolean {
    const { batches, workers } = this.#p;
    return this.#end !== null || this.#paused || batches.isBehind || workers.isFull;
  }

  /** Leases what is due. Returns when to ask again. */
  #lease(now: number): number {
    const { frontier, workers, batches } = this.#p;
    for (let turns = 0; ; turns++) {
      const allowance = this.#limits.maxPages - this.#pages - this.#pagesOut;
      if (allowance <= 0) return Number.POSITIVE_INFINITY;
      const turn = frontier.next(now, workers.room(), allowance, batches.open);
      this.#submit(turn.leases);
      for (const host of turn.resolve) this.#resolveHost(host).catch((error) => this.fail(error));
      for (const origin of turn.rules) this.#loadRules(origin).catch((error) => this.fail(error));
      let loadedNow = false;
      for (const request of turn.load) if (this.#load(request, now)) loadedNow = true;
      if (!loadedNow || turns === MAX_TURNS) return loadedNow ? now : turn.waitUntil;
    }
  }

  #submit(leases: readonly Lease[]): void {
    if (leases.length === 0) return;
    try {
      this.#p.leases.granted(leases.map(entryOf)); // before any request of them can be written
    } catch (error) {
      this.fail(error);
      return;
    }
    for (const lease of leases) if (lease.kind !== 'robots') this.#pagesOut++;
    this.#p.workers.submit(leases);
  }

  /** Reports of a worker: settled in their order. */
  onReports(batch: ReportBatch): void {
    try {
      this.#settle(batch);
    } catch (error) {
      this.fail(error);
    }
    this.wake();
  }

  #settle({ reports, links }: ReportBatch): void {
    const { frontier, settlement, batches, held } = this.#p;
    const now = this.now();
    for (const report of reports) {
      const lease = frontier.leases.get(report.lease);
      if (lease === undefined) continue; // its worker was given up for dead, and it came back
      const { open } = batches;
      const visits = open.visits.length;
      if (report.record !== null) batches.archived(report.record.segment, report.record.cdxj);
      if (report.page?.text) batches.archived(report.page.text.segment, '');
      settlement.settle(lease, this.#onLoopClock(report), links, now, open);
      this.onSettled?.(lease, now);
      batches.since(report.ended);
      const visit = open.visits.at(visits);
      if (visit !== undefined) held.settled(visit, lease.target);
      if (lease.kind !== 'robots') this.#pagesOut--;
      if (visit?.kind === 'page' && visit.code === 'ok' && lease.last === null) this.#pages++;
      this.#settledLeases.push(entryOf(lease));
    }
  }

  onHeld(questions: readonly HeldQuestion[], send: (answers: HeldAnswer[]) => void): void {
    this.#p.held.answer(questions, send);
  }

  onNear(questions: readonly NearQuestion[], send: (answers: NearAnswer[]) => void): void {
    try {
      this.#p.near.answer(questions, send);
    } catch (error) {
      this.fail(error);
    }
  }

  onSegments(closed: readonly { name: string; length: number }[]): void {
    const { settlement, batches } = this.#p;
    for (const { name, length } of closed) settlement.closeSegment(name, length, this.now(), batches.open);
    this.wake();
  }

  #commit(): void {
    const { batches, leases } = this.#p;
    if (batches.isCommitting) return;
    const settled = this.#settledLeases;
    this.#settledLeases = [];
    batches
      .commit(this.now())
      .then(() => leases.settled(settled))
      .then(
        () => this.wake(),
        (error) => this.fail(error),
      );
  }

  /** @param isHeldBack nothing was leased in this turn, whatever is due */
  #hasEnded(now: number, isHeldBack: boolean): boolean {
    const { frontier, batches } = this.#p;
    const { patience, maxPages, stands } = this.#limits;
    if (this.#end === null && !this.#paused) {
      const isIdle = frontier.underWay === 0 && !isHeldBack && now >= this.#steeredAt + patience;
      if (maxPages <= this.#pages && frontier.leases.size === 0) this.#end = 'max-pages';
      else if (isIdle && this.#nextAt === Number.POSITIVE_INFINITY) this.#end = 'done';
      else if (isIdle && !stands && this.#nextAt > now + patience) this.#end = 'waiting';
    }
    return this.#end !== null && (this.#failure !== null || frontier.leases.size === 0) && !batches.isCommitting;
  }

  async #resolveHost(host: number): Promise<void> {
    const { frontier, resolver, guard, refusesFamily, batches } = this.#p;
    const name = frontier.hosts.names[host];
    const answer = await resolver.resolve(name);
    const now = this.now();
    const isRefused = (address: string): boolean => refusesFamily(name, address);
    const resolution = resolutionOf(answer, guard, frontier.hosts.named[host] === 1, now, isRefused);
    const isNews = frontier.resolved(host, resolution, now, batches.open);
    if (isNews && 'code' in answer) this.unresolved[answer.code] = (this.unresolved[answer.code] ?? 0) + 1;
    this.wake();
  }

  /** Rules that had to leave memory are read again from their row. */
  async #loadRules(origin: Origin): Promise<void> {
    const { robots, store, batches } = this.#p;
    const place = robots.placeOf(origin);
    const [body] = await store.readRobots([place]);
    robots.loaded(origin, place, body, this.now(), batches.open);
    this.wake();
  }

  /** Texts for a host's look-ahead; true if memory had them all. */
  #load(request: LoadRequest, now: number): boolean {
    const { frontier, texts, store, batches } = this.#p;
    const visits = request.urls.map((url) => frontier.revisits.lastVisit(url));
    const found = visits.every((visit) => visit < 0) ? texts.takeAll(request.urls) : null;
    if (found !== null) {
      frontier.loaded(request, found, now);
      return true;
    }
    // a last visit is read from the store, and is in it as soon as what is open now is
    const areIn = visits.every((visit) => visit < store.count('visits'));
    const ready = areIn ? Promise.resolve() : batches.durable();
    ready
      .then(() => texts.read(request.urls, visits, store))
      .then(
        (read) => {
          frontier.loaded(request, read.map(this.#withoutUselessValidators, this), this.now());
          this.wake();
        },
        (error) => this.fail(error),
      );
    return false;
  }

  #withoutUselessValidators(text: UrlText): UrlText {
    if (text.last === null || !this.#p.unconditional(text)) return text;
    return { ...text, last: { ...text.last, etag: null, lastModified: null } };
  }

  async #close(): Promise<void> {
    this.#closing = true;
    const { workers, batches, leases, clock } = this.#p;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await workers.close(); // its last reports and closed segments are settled on the way
    try {
      await batches.flush();
      // after a failure only the store knows what is committed: the next start asks it
      if (this.#failure === null) this.onSegments(await this.#p.recover());
      await batches.flush();
      leases.settled(this.#settledLeases);
      if (this.#failure === null) leases.stop(clock.wall());
    } catch (error) {
      this.#failure ??= error;
    }
    leases.close();
  }

  #onLoopClock(report: LeaseReport): LeaseReport {
    // outwards: a gap that the rows show was at least as long
    report.started = Math.floor(report.started + this.#offset);
    report.ended = Math.ceil(report.ended + this.#offset);
    return report;
  }
}
