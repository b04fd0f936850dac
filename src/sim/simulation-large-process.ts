/** One life of a crawler process in the large simulation: what `simulation-process.ts` is in the small one. What is
 * admitted, answered, settled and committed are numbers of pages. */
import { SeenTable } from '../dedupe/seen.js';
import { OUTCOMES, type OutcomeCode } from '../errors.js';
import type { Frontier } from '../frontier/frontier.js';
import type { Lease, LoadRequest, Resolution, Settled } from '../frontier/lease.js';
import { TimeHeap } from '../frontier/time-heap.js';
import { UrlState } from '../frontier/url-table.js';
import type { OpenLease } from '../state/leases-file.js';
import { rebuild } from '../state/rebuild.js';
import { Tally } from '../state/tally.js';
import { FrontWatch } from './simulation-fairness.js';
import { watchHolders } from './simulation-holders.js';
import { LargeBatches } from './simulation-large-batches.js';
import { PageState } from './simulation-large-checks.js';
import { LargeDesk } from './simulation-large-desk.js';
import type { LargeWorld } from './simulation-large-world.js';
import { Violation } from './simulation-oracle.js';
import { scanFrontier } from './simulation-scan.js';

/** ms between two turns of the loop at least: reports come in batches. */
const TURN = 10;
/** Turns in a row. */
const MAX_TURNS = 64;
/** One host in so many is a seed. */
const SEEDS = 10;

/** A request that was made, and how it will end. */
interface Order {
  kind: 'report';
  lease: Lease;
  /** Number of the address in the web. */
  address: number;
  code: OutcomeCode;
  status: number;
  retryAfterMs: number | null;
  started: number;
  ended: number;
}

type Event =
  | Order
  | { kind: 'resolved'; host: number; resolution: Resolution }
  | { kind: 'loaded'; request: LoadRequest }
  | { kind: 'commit' }
  | { kind: 'committed' };

export class LargeProcess {
  readonly frontier: Frontier;
  readonly batches: LargeBatches;
  readonly #world: LargeWorld;
  readonly #desk: LargeDesk;
  readonly #fairness: FrontWatch;
  readonly #events = new TimeHeap();
  readonly #slots: (Event | null)[] = [];
  readonly #free: number[] = [];
  /** Orders that are out, by worker. */
  readonly #out: Map<number, Order>[];
  /** Requests that the line carries now, and as of when. */
  #tokens = 0;
  #tokensAt: number;
  #first = 0;
  readonly #left: Int32Array;
  #waitUntil = 0;

  /** @param lost what the last process left in its leases file; null: there was none */
  constructor(world: LargeWorld, lost: readonly OpenLease[] | null = null) {
    this.#world = world;
    this.#tokensAt = world.now;
    this.frontier = world.makeFrontier();
    this.batches = new LargeBatches(world, (ms, kind) => this.#after(ms, { kind }));
    this.#desk = new LargeDesk(world, this.frontier, () => this.batches.opened());
    this.#out = Array.from({ length: world.options.frontier.workers }, () => new Map());
    this.#left = new Int32Array(this.#out.length);
    if (lost !== null) this.#rebuild(lost);
    this.#fairness = new FrontWatch(this.frontier);
    watchHolders(this.frontier, world.options.frontier, () => this.now);
  }

  get now(): number {
    return this.#world.now;
  }

  /** The seeds. */
  begin(): void {
    const { web } = this.#world;
    for (let host = 0; host < web.hosts; host += SEEDS) this.#desk.admit(host, web.base[host], true);
  }

  // -- the loop -----------------------------------------------------------------------------------------------------

  /** Does what is to be done now, and moves the clock to when something is to be done again, `until` at most. */
  step(until: number): void {
    const world = this.#world;
    while (this.#events.time <= world.now) {
      const slot = this.#events.value;
      const event = this.#slots[slot]!;
      this.#events.pop();
      this.#slots[slot] = null;
      this.#free.push(slot);
      this.#happen(event);
      if (this.batches.isDead) return;
    }
    if (this.batches.dueAt <= world.now) this.batches.commit();
    this.#lease();
    const at = Math.min(this.#events.time, this.#waitUntil, this.batches.dueAt);
    world.now = Math.min(Math.max(Math.ceil(at), world.now + TURN), until);
  }

  #after(ms: number, event: Event): void {
    const slot = this.#free.pop() ?? this.#slots.length;
    this.#slots[slot] = event;
    this.#events.push(this.now + Math.ceil(ms), slot);
  }

  #happen(event: Event): void {
    const desk = this.#desk;
    if (event.kind === 'report') this.#receive(event);
    else if (event.kind === 'commit') this.batches.arrived();
    else if (event.kind === 'committed') this.batches.acknowledged();
    else if (event.kind === 'resolved') {
      this.frontier.resolved(event.host, event.resolution, this.now, desk.changes);
      desk.absorb();
    } else {
      const { host, urls } = event.request;
      const texts = urls.map((url) => desk.text(host, url));
      this.frontier.loaded(event.request, texts, this.now);
    }
  }

  /** Leases what is due, as much as the line and the workers carry. */
  #lease(): void {
    const { faults, options } = this.#world;
    for (let turns = 0; turns < MAX_TURNS; turns++) {
      const room = this.#room();
      const turn = this.frontier.next(this.now, room, Number.POSITIVE_INFINITY, this.#desk.changes);
      this.#desk.absorb();
      for (const lease of turn.leases) {
        if (--room[lease.worker] < 0) throw new Violation(`worker ${lease.worker} gets more than it has room for`);
        this.#begin(lease);
      }
      for (const host of turn.resolve) {
        const slow = faults.strikes('resolver.slow', 0.2) ? faults.below(20_000) : 0;
        this.#after(20 + slow, { kind: 'resolved', host, resolution: this.#desk.lookup(host) });
      }
      for (const request of turn.load) {
        this.#after(faults.strikes('texts.late', 0.2) ? faults.below(5_000) : 3, { kind: 'loaded', request });
      }
      this.#waitUntil = turn.waitUntil;
      // another turn would lease nothing where the line is full
      if (turn.waitUntil > this.now || turn.leases.length === 0 || this.#tokens < 1) break;
    }
    // where the line is full, nothing can be leased before it carries another
    if (this.#tokens < 1) this.#waitUntil = this.now + ((1 - this.#tokens) / options.rate) * 1000;
  }

  /** Room of each worker: its free slots, and its part of what the line carries. */
  #room(): Int32Array {
    const { rate, slots } = this.#world.options;
    const room = this.#left;
    for (let worker = 0; worker < room.length; worker++) {
      room[worker] = Math.max(Math.ceil(slots / room.length) - this.#out[worker].size, 0);
    }
    const gained = ((this.now - this.#tokensAt) / 1000) * rate;
    this.#tokens = Math.min(this.#tokens + (gained || 0), Math.max(rate, 1));
    this.#tokensAt = this.now;
    if (rate === Number.POSITIVE_INFINITY) {
      this.#tokens = rate;
      return room;
    }
    let left = Math.floor(this.#tokens);
    this.#first++; // each worker in turn is the one that rounding favours
    for (let i = room.length; i > 0; i--) {
      const worker = (this.#first + i) % room.length;
      room[worker] = Math.min(room[worker], Math.ceil(left / i));
      left -= room[worker];
    }
    return room;
  }

  // -- requests -----------------------------------------------------------------------------------------------------

  #begin(lease: Lease): void {
    const world = this.#world;
    const { web, oracle, faults, now } = world;
    const host = this.#desk.hosts[lease.host];
    const page = lease.kind === 'robots' ? -1 : world.ledger.pageOf(lease.url);
    const address = this.#desk.addressOf(host);
    if (lease.connectTo !== web.addressName(address)) {
      throw new Violation(`host ${host} is asked at ${lease.connectTo}, it is at ${web.addressName(address)}`);
    }
    oracle.begin(host, address, page, this.frontier.hosts.restUntil[lease.host], now);
    this.#tokens--;
    web.answer(host, page, world.requests++, now);
    const { code, status, retryAfterMs, ms } = web;
    // without a spread, which made it three times as dear
    const order: Order = { kind: 'report', lease, address, code, status, retryAfterMs, started: now, ended: now + ms };
    this.batches.granted(lease);
    this.#out[lease.worker].set(lease.id, order);
    const late = faults.strikes('report.late', 0.05) ? faults.below(8_000) : 0;
    this.#after(ms + 5 + late, order);
    if (faults.strikes('report.doubled', 0.05)) this.#after(ms + 5 + late + faults.below(2_000), order);
    if (faults.strikes('worker.death', 0.0002)) this.#die(lease.worker);
  }

  /** A worker's thread ends: its leases return after a while, and one of them is blamed. */
  #die(worker: number): void {
    const { faults, now } = this.#world;
    const wait = faults.below(10_000);
    let isBlamed = false;
    for (const order of this.#out[worker].values()) {
      if (order.ended <= now) continue; // its report is on the way
      faults.count('lease.returned');
      order.code = isBlamed || order.lease.kind === 'robots' ? 'lease.returned' : 'worker.crash';
      isBlamed ||= order.code === 'worker.crash';
      order.started = now;
      order.ended = now;
      this.#after(wait, order);
    }
  }

  #receive(order: Order): void {
    const { frontier } = this;
    const { oracle, ledger, faults } = this.#world;
    const { lease, address, code, started, ended, retryAfterMs } = order;
    if (frontier.leases.get(lease.id) !== lease) {
      faults.count('report.of-a-returned-lease');
      return;
    }
    const host = this.#desk.hosts[lease.host];
    const ms = ended - started;
    this.#out[lease.worker].delete(lease.id);
    oracle.end(host, address, ended);
    this.#world.periods += ms + oracle.delivered(host, address, { code, ms, retryAfterMs }, lease.kind === 'robots');
    const settled = frontier.done(lease, order, null, this.now, this.#desk.changes);
    const { code: counted, delay, addressDelay } = settled;
    const row = { url: lease.url, host: lease.host, started, ended, code: counted, delay, addressDelay };
    ledger.request(row, address);
    this.batches.settled(lease);
    this.batches.opened();
    if (lease.kind === 'robots') this.#desk.settleRobots(lease, counted);
    else this.#settlePage(host, ledger.pageOf(lease.url), settled);
    this.#desk.absorb();
  }

  #settlePage(host: number, page: number, { code, url: end }: Settled): void {
    const { oracle, ledger, web } = this.#world;
    const effect = OUTCOMES[code].url;
    const fits =
      effect === 'wait' ? end === 'pending' : effect === 'retry' ? end === 'pending' || end === 'dead' : end === effect;
    if (!fits) throw new Violation(`page ${page} of host ${host} is ${end} after ${code}`);
    const waiting = effect === 'retry' ? PageState.retry : PageState.pending;
    oracle.become(host, page, end === 'done' || end === 'dead' ? PageState[end] : waiting, this.now);
    if (end !== 'done') return;
    ledger.visit();
    if (code !== 'ok') return;
    this.#world.pages++;
    const count = web.linksOf(host, page);
    for (let i = 0; i < count; i++) this.#desk.admit(web.linkHosts[i], web.links[i], false);
  }

  // -- the end of a process, and the next ---------------------------------------------------------------------------

  /** The process that is started after this one was killed. */
  next(): LargeProcess {
    const { ledger, oracle, faults, now } = this.#world;
    const inFlight = this.#out.flatMap((orders) =>
      Array.from(orders.values(), ({ lease, address }) => ({ host: this.#desk.hosts[lease.host], address })),
    );
    const lost = this.batches.leases;
    const listed = lost.map(({ host, url }) => ({
      host: this.#desk.hosts[host],
      page: url < 0 ? -1 : ledger.pageOf(url),
    }));
    this.#world.now = now + 1 + faults.below(5_000);
    ledger.crash();
    oracle.crashed(inFlight, listed, now, this.now);
    return new LargeProcess(this.#world, lost);
  }

  #rebuild(lost: readonly OpenLease[]): void {
    const { frontier } = this;
    const { ledger, options, oracle, faults, random } = this.#world;
    const { changes } = this.#desk;
    rebuild(
      ledger,
      {
        ...{ frontier, seen: new SeenTable(), tally: new Tally(), random },
        ...{ delay: options.frontier.rules.delay, uncleanOwe: options.uncleanOwe },
        onRobots: ({ origin, host, at, failures }) =>
          this.#desk.restoreRobots(frontier.robots.of(origin, host), at, failures),
        ...{ onVisit: () => {}, onReparsed: () => {}, onHostEvent: () => {}, onSegment: () => {} },
      },
      { clean: false, leases: lost },
      this.now,
      changes,
    );
    this.#desk.restoreHosts();
    faults.count('lease.lost', changes.requests.length);
    for (const { url } of changes.requests) if (url >= 0) oracle.charged(ledger.pageOf(url));
    this.#desk.absorb();
  }

  // -- the whole scan -----------------------------------------------------------------------------------------------

  /** Looks through all memory. Returns how many hosts have work. @throws Violation */
  scan(): number {
    const { urls } = this.frontier;
    const { oracle, ledger, web } = this.#world;
    scanFrontier(this.frontier, []);
    this.#fairness.check();
    for (let url = 0; url < urls.size; url++) {
      const page = ledger.pageOf(url);
      const state = oracle.state(page);
      if (urls.state(url) !== STATES[state]) {
        throw new Violation(`page ${page} is in state ${state}, and its URL in state ${urls.state(url)}`);
      }
    }
    let withWork = 0;
    for (let host = 0; host < web.hosts; host++) if (oracle.waiting(host) > 0) withWork++;
    return withWork;
  }
}

/** The frontier's state of a page, by the oracle's. */
const STATES: readonly (UrlState | null)[] = [
  ...[null, UrlState.pending, UrlState.leased, UrlState.pending, UrlState.denied, UrlState.done, UrlState.dead],
];
