/**
 * The frontier: which URL may be fetched now, and who may be asked for it (DESIGN 4). Pure: time, randomness, addresses,
 * URL texts and robots verdicts are arguments; what has to be durable is appended to the `changes` that the caller hands
 * in. Seed A's three verbs: {@link Frontier.add}, {@link Frontier.next}, {@link Frontier.done}.
 *
 * Invariants (asserted in simulation): never two leases at once on a host, nor more on an address than its key allows;
 * the gap between the end of a request and the start of the next on a key is never under its delay; a known URL is in
 * exactly one state; every pending URL of a live host is leased in bounded time; same seed, same trace.
 */
import type { Changes } from '../changes.js';
import type { Random, UrlText } from '../engines/ports.js';
import { OUTCOMES } from '../errors.js';
import { AddressTable } from './address-table.js';
import { type BackQueue, BackQueues } from './back-queues.js';
import { fetchAllowedAt } from './budgets.js';
import { charge, type HostVerdict } from './clocks.js';
import { FrontQueues } from './front-queues.js';
import { HostQueues } from './host-queues.js';
import { HostState, HostTable, WAIT_REASONS, type WaitReason } from './host-table.js';
import type { Errand, FrontierOptions, Lease, LeaseOutcome, LoadRequest, Resolution, Settled, Turn } from './lease.js';
import { RetryQueue } from './retry-queue.js';
import { type Origin, RobotsGate, type RobotsVerdict } from './robots-gate.js';
import { TimeHeap } from './time-heap.js';
import { UrlState, UrlTable } from './url-table.js';

/** Robots-denied URLs passed over in one turn of a host; the rest comes at its next turn. */
const DENIALS_A_TURN = 256;
/** While all of a host's look-ahead waits for robots, its other URLs get a look after this, ms. */
const ROBOTS_ROTATION = 60_000;
/** Another try at a robots.txt whose redirect led to a host that was given up, ms. */
const ROBOTS_REDIRECT_LOST = 300_000;
/** Addresses have no clock where politeness goes by host alone. */
const NO_CLOCK = -1;
/** A worker without room for this long gives its hosts to one that has room, ms. */
const STARVED = 1_000;

export class Frontier {
  readonly urls = new UrlTable();
  readonly hosts = new HostTable();
  readonly addresses = new AddressTable();
  readonly robots = new RobotsGate();
  readonly front: FrontQueues;
  readonly back: BackQueues;
  readonly retries: RetryQueue;
  readonly leases = new Map<number, Lease>();
  readonly #queues: HostQueues;
  readonly #sleeping = new TimeHeap();
  readonly #errands = new Map<number, Errand[]>();
  /** Addresses of a host that has several, and those of them that failed since it last answered. */
  readonly #spares = new Map<number, readonly string[]>();
  readonly #failed = new Map<number, string[]>();
  readonly #promised = new Set<number>();
  readonly #fullSince: Float64Array;
  readonly #options: FrontierOptions;
  /** Told of an origin whose robots.txt will not come, since the host that it redirects to was given up; answers with
   * {@link setRobots}. */
  onRobotsLost: (origin: Origin, now: number, changes: Changes) => void = (origin, now, changes) =>
    this.setRobots(origin, { verdict: 'deny', rules: null, until: now + ROBOTS_REDIRECT_LOST }, 0, false, now, changes);
  #resolving = 0;
  #loading = 0;
  #leaseCount = 0;

  constructor(options: FrontierOptions, random: Random) {
    this.#options = options;
    this.front = new FrontQueues(this.hosts, random);
    this.back = new BackQueues(options.backQueues, options.backQueuesMax, options.workers);
    this.retries = new RetryQueue(options.retries);
    this.#queues = new HostQueues(this.hosts, this.urls, random);
    this.#fullSince = new Float64Array(options.workers).fill(Number.POSITIVE_INFINITY);
  }

  // -- add ----------------------------------------------------------------------------------------------------------

  /** Makes a host known. */
  addHost(name: string, domain: string, budget: number | null, named: boolean, now: number): number {
    return this.hosts.append(name, domain, budget, named, now);
  }

  /** Makes an admitted URL known; it is pending (or denied, if robots said so at admission). Returns its id. */
  add(host: number, level: number, denied: boolean, now: number): number {
    const url = this.urls.append(host, level);
    this.hosts.admitted[host]++;
    if (denied) {
      this.urls.setState(url, UrlState.denied);
      this.#queues.putDenied(url);
    } else {
      this.#enqueue(url, false, now);
    }
    return url;
  }

  /** A job outside the lists: robots.txt at a redirect's target, or a page's next spelling. */
  addErrand(host: number, errand: Errand, now: number): void {
    const waiting = this.#errands.get(host);
    if (waiting) waiting.push(errand);
    else this.#errands.set(host, [errand]);
    if (this.hosts.state[host] === HostState.off) this.#cancelErrands(host, now);
    else if (this.hosts.state[host] === HostState.idle) this.#place(host, now);
    else if (this.hosts.state[host] === HostState.front) this.front.raise(host, 0);
    else if (this.hosts.state[host] === HostState.robots) this.#place(host, now);
  }

  // -- next ---------------------------------------------------------------------------------------------------------

  /**
   * What may be done now: leases for workers with room, addresses and texts that are needed first, and when to ask
   * again. At most `room[w]` leases for worker w and `allowance` in all; `room` is not changed.
   */
  next(now: number, room: Int32Array, allowance: number, changes: Changes): Turn {
    const turn: Turn = { leases: [], resolve: [], load: [], waitUntil: Number.POSITIVE_INFINITY };
    this.#wake(now);
    this.#fill(now, turn);
    const left = Int32Array.from(room);
    for (let worker = 0; worker < left.length; worker++) {
      this.#serve(worker, now, left, allowance, turn, changes);
      this.#lend(worker, now, left, allowance, turn, changes);
    }
    if (this.front.size > 0 && !this.back.hasFree && left.every((room) => room > 0) && this.back.grow()) {
      this.#fill(now, turn);
    }
    turn.waitUntil = this.#nextTime(now, left, allowance - turn.leases.length);
    return turn;
  }

  /** Texts that a turn asked for. */
  loaded(request: LoadRequest, texts: readonly UrlText[], now: number): void {
    this.#loading--;
    const slot = this.#slotOf(request.host);
    if (slot === null || slot.loading !== request.urls) {
      throw new Error(`texts were loaded for host ${request.host}, which did not ask for them`);
    }
    slot.loading = null;
    slot.ahead = texts.slice();
    slot.at = 0;
    if (this.hosts.state[request.host] === HostState.off) this.#release(request.host);
    else this.#ready(request.host, now);
  }

  /** The address that a turn asked for, or why there is none. */
  resolved(host: number, resolution: Resolution, now: number, changes: Changes): void {
    this.#resolving--;
    if (this.hosts.state[host] !== HostState.resolving) return; // blocked or dropped meanwhile
    this.hosts.state[host] = HostState.idle;
    if ('addresses' in resolution) {
      this.#pin(host, resolution.addresses, resolution.until);
      this.#place(host, now, true);
      return;
    }
    if (resolution.code.startsWith('guard.')) {
      this.drop(host, now, resolution.code, resolution.words, changes);
      return;
    }
    const verdict = charge(this.hosts, host, resolution.code, 0, null, this.#options.rules);
    const wait = this.#options.retries[Math.min(Math.max(this.hosts.failures[host] - 1, 0), 3)] ?? 30_000;
    this.#rest(host, verdict, now, resolution.words, changes);
    if (verdict.why === 'dropped') return;
    if (verdict.rest === 0) this.hosts.restUntil[host] = now + wait;
    this.hosts.reason[host] = WAIT_REASONS.indexOf(verdict.why === 'offline' ? 'offline' : 'dns');
    this.#place(host, now);
  }

  // -- done ---------------------------------------------------------------------------------------------------------

  /** Ends a lease: starts the clocks, charges the URL and the host, and says what became of the URL. `keep` goes on
   * with the same lease at another spelling (a same-key redirect). */
  done(lease: Lease, outcome: LeaseOutcome, keep: Errand | null, now: number, changes: Changes): Settled {
    if (!this.leases.delete(lease.id)) throw new Error(`lease ${lease.id} was settled twice`);
    const { host } = lease;
    const { rules } = this.#options;
    const spare = OUTCOMES[outcome.code].host === 'unreachable' && this.#useSpare(host);
    const code = spare ? 'connect.elsewhere' : outcome.code;
    if (OUTCOMES[code].host === 'success') this.#failed.delete(host);
    const verdict = charge(this.hosts, host, code, fetchTime(outcome), outcome.retryAfterMs, rules);
    const addressDelay = { ip: verdict.delay, 'host+ip': rules.delay, host: NO_CLOCK }[this.#options.key];
    this.#startClocks(lease, outcome.ended, verdict.delay, addressDelay);
    this.#advance(lease.address, now);
    this.#report(host, verdict, outcome, changes);
    const url = this.#settleUrl(lease, { ...outcome, code }, keep, now, changes);
    this.#rest(host, verdict, outcome.ended, OUTCOMES[code].words, changes);
    this.#afterLease(host, now);
    return { code, delay: verdict.delay, addressDelay, url };
  }

  /** Robots verdict of an origin. URLs that were denied are asked again if the file `changed`. */
  setRobots(
    origin: Origin,
    state: RobotsVerdict,
    crawlDelay: number,
    changed: boolean,
    now: number,
    changes: Changes,
  ): void {
    origin.state = state;
    origin.busy = false;
    const { host } = origin;
    origin.crawlDelay = crawlDelay;
    this.hosts.crawlDelay[host] = this.robots.crawlDelayOf(host);
    const floor = this.#lastEnd(host) + Math.max(this.hosts.crawlDelay[host], this.#options.rules.delay);
    if (floor > this.hosts.nextAt[host] && this.hosts.owed[host] > 0) this.hosts.nextAt[host] = floor;
    if (changed && state.verdict !== 'deny') {
      for (const url of this.#queues.takeDenied(host)) {
        this.urls.setState(url, UrlState.pending);
        changes.denied.push({ url, at: now, denied: false });
        this.#enqueue(url, false, now);
      }
    }
    if (this.hosts.state[host] === HostState.robots) this.#place(host, now, true);
  }

  /** A robots.txt that was not fetched after all (we stopped, or its worker died of something else): it is the first
   * to be fetched when the host's turn comes. */
  robotsReturned(origin: Origin, now: number): void {
    origin.busy = false;
    if (this.hosts.state[origin.host] === HostState.robots) this.#place(origin.host, now, true);
  }

  // -- ends ---------------------------------------------------------------------------------------------------------

  /** Gives a host up: its pending URLs are dead. A blocked host stays blocked. */
  drop(host: number, now: number, code: LeaseOutcome['code'], words: string, changes: Changes): void {
    this.#withdraw(host);
    changes.hostEvents.push({ host, at: now, kind: 'dropped', until: 0, value: 0, words });
    if (this.hosts.state[host] !== HostState.off) this.hosts.state[host] = HostState.idle;
    for (const url of this.#queues.take(host, Number.POSITIVE_INFINITY)) {
      this.urls.setState(url, UrlState.dead);
      changes.dead.push({ url, at: now, dead: true, code, history: this.retries.forget(url) });
    }
    const errands = this.#errands.get(host) ?? [];
    this.#errands.delete(host);
    for (const errand of errands) {
      if (errand.kind === 'robots') {
        // another host's file lies behind a redirect to here: no answer, so nothing of that origin (never fail open)
        this.onRobotsLost(this.robots.origins[errand.origin], now, changes);
      } else {
        this.urls.setState(errand.url, UrlState.dead);
        changes.dead.push({ url: errand.url, at: now, dead: true, code, history: this.retries.forget(errand.url) });
      }
    }
  }

  // -- what the operator may say ------------------------------------------------------------------------------------

  /** No request to the host from now on; one in flight may end. Its URLs, and those still to be met, wait (`blocked`)
   * until {@link unblock}. False if it is blocked already. */
  block(host: number, reason: string, now: number, changes: Changes): boolean {
    const { hosts } = this;
    if (hosts.state[host] === HostState.off) return false;
    changes.hostEvents.push({ host, at: now, kind: 'blocked', until: 0, value: 0, words: reason });
    if (hosts.state[host] === HostState.front) this.front.remove(host);
    if (hosts.address[host] >= 0) this.addresses.leave(hosts.address[host], host);
    this.#breakPromise(host, now);
    hosts.state[host] = HostState.off;
    hosts.stamp[host]++;
    const slot = this.#slotOf(host);
    // a back queue with a lease out, or with texts on their way, is given back when they come
    if (slot !== null && !slot.leased && slot.loading === null) this.#release(host);
    this.#cancelErrands(host, now);
    return true;
  }

  /** Ends a block. The host owes what it owed. False if it is not blocked. */
  unblock(host: number, now: number, changes: Changes): boolean {
    const { hosts } = this;
    if (hosts.state[host] !== HostState.off) return false;
    changes.hostEvents.push({ host, at: now, kind: 'unblocked', until: 0, value: 0, words: '' });
    const isOut = this.#slotOf(host) !== null; // a lease or texts of before the block: whoever brings them goes on
    hosts.state[host] = isOut ? HostState.back : HostState.idle;
    if (!isOut) this.#place(host, now);
    return true;
  }

  /** Takes a dead URL back: it is pending, with all its attempts. A host that was given up begins its ladder again.
   * False if the URL is not dead. */
  revive(url: number, now: number, changes: Changes): boolean {
    if (this.urls.state(url) !== UrlState.dead) return false;
    changes.dead.push({ url, at: now, dead: false, code: 'lease.returned', history: [] });
    this.urls.setAttempts(url, 0);
    this.urls.setState(url, UrlState.pending);
    const { hosts } = this;
    const host = this.urls.hostOf(url);
    if (hosts.offline[host] >= this.#options.rules.offline.length && hosts.restUntil[host] <= now) {
      hosts.offline[host] = 0;
      hosts.failures[host] = 0;
      changes.hostEvents.push({ host, at: now, kind: 'online', until: 0, value: 0, words: 'tried again' });
    }
    this.#enqueue(url, false, now);
    return true;
  }

  /** Errands of a blocked host. A page between two of its spellings begins again at the first; a robots.txt that lies
   * here by redirect has no answer, so nothing of its origin is fetched (never fail open). */
  #cancelErrands(host: number, now: number): void {
    const errands = this.#errands.get(host) ?? [];
    this.#errands.delete(host);
    for (const errand of errands) {
      if (errand.kind !== 'robots') {
        this.urls.setState(errand.url, UrlState.pending);
        this.#queues.put(errand.url, true);
        continue;
      }
      const origin = this.robots.origins[errand.origin];
      origin.state = { verdict: 'deny', rules: null, until: now + ROBOTS_REDIRECT_LOST };
      origin.busy = false;
      if (this.hosts.state[origin.host] === HostState.robots) this.#place(origin.host, now, true);
    }
  }

  /** Work that is under way: a crawl with none of it, and nothing due, has ended. */
  get underWay(): number {
    return this.leases.size + this.#resolving + this.#loading;
  }

  /** Pending URLs by why they wait, and when the first of them falls due (ms; null if nothing says). */
  waiting(now: number): Partial<Record<WaitReason, { urls: number; next: number | null }>> {
    const waiting: Partial<Record<WaitReason, { urls: number; next: number | null }>> = {};
    const add = (reason: WaitReason, urls: number, next: number | null): void => {
      if (urls === 0) return;
      waiting[reason] ??= { urls: 0, next: null };
      const row = waiting[reason];
      row.urls += urls;
      if (next !== null && (row.next === null || next < row.next)) row.next = next;
    };
    add('retry', this.retries.size, this.retries.time);
    for (let host = 0; host < this.hosts.size; host++) {
      const slot = this.#slotOf(host);
      const ahead = slot === null ? 0 : slot.ahead.length - slot.at + (slot.loading?.length ?? 0);
      const next = Math.max(this.hosts.restUntil[host], this.hosts.nextAt[host], now);
      add(this.#reasonOf(host, this.hosts.state[host], now), this.hosts.queued[host] + ahead, next);
    }
    return waiting;
  }

  #reasonOf(host: number, state: number, now: number): WaitReason {
    if (state === HostState.off) return 'blocked';
    if (state === HostState.resolving) return 'dns';
    if (state === HostState.robots) return 'robots';
    if (state === HostState.asleep && this.hosts.restUntil[host] > now) return WAIT_REASONS[this.hosts.reason[host]];
    return this.hosts.penalty[host] > 0 ? 'throttled' : 'delay';
  }

  // -- restore: the state of a crawl that goes on, before the first `next` -------------------------------------------

  /** A URL as the store's rows say; call {@link restored} when all are in. */
  restore(host: number, level: number): number {
    this.hosts.admitted[host]++;
    return this.urls.append(host, level);
  }

  /** A robots verdict that an earlier run reached. */
  restoreRobots(origin: Origin, state: RobotsVerdict, crawlDelay: number): void {
    origin.state = state;
    origin.crawlDelay = crawlDelay;
    this.hosts.crawlDelay[origin.host] = this.robots.crawlDelayOf(origin.host);
  }

  /** After an unclean stop: hosts and addresses that become known later are not asked before these times. */
  newcomersWait(hosts: number, addresses: number): void {
    this.hosts.newcomersAt = hosts;
    this.addresses.newcomersAt = addresses;
  }

  /** Links what is pending. `dueAt(url)` is when a failed URL may be tried again, 0 for at once. */
  restored(dueAt: (url: number) => number, now: number): void {
    for (let url = 0; url < this.urls.size; url++) {
      const state = this.urls.state(url);
      if (state === UrlState.denied) this.#queues.putDenied(url);
      if (state !== UrlState.pending) continue;
      const due = dueAt(url);
      if (due > now) this.retries.wait(url, due);
      else this.#queues.put(url);
    }
    for (let host = 0; host < this.hosts.size; host++) {
      if (this.hosts.state[host] === HostState.idle) this.#place(host, now);
    }
  }

  // -- the parts ----------------------------------------------------------------------------------------------------

  #hasWork(host: number): boolean {
    const slot = this.#slotOf(host);
    return (
      this.hosts.levels[host] !== 0 ||
      this.#errands.has(host) ||
      (slot !== null && (slot.at < slot.ahead.length || slot.loading !== null))
    );
  }

  #slotOf(host: number): BackQueue | null {
    const index = this.hosts.slot[host];
    return index === 0 ? null : this.back.slots[index - 1];
  }

  #enqueue(url: number, atHead: boolean, now: number): void {
    const host = this.urls.hostOf(url);
    this.#queues.put(url, atHead);
    const state = this.hosts.state[host];
    if (state === HostState.idle) this.#place(host, now);
    else if (state === HostState.front) this.front.raise(host, this.#queues.best(host));
  }

  /** Puts a host that is in no structure where it belongs. */
  #place(host: number, now: number, atHead = false): void {
    const { hosts } = this;
    if (hosts.state[host] === HostState.off) return;
    hosts.state[host] = HostState.idle;
    if (!this.#hasWork(host)) return;
    const budgetAt = this.#errands.has(host) ? 0 : fetchAllowedAt(hosts, host, now);
    if (budgetAt > hosts.restUntil[host]) {
      hosts.restUntil[host] = budgetAt;
      hosts.reason[host] = WAIT_REASONS.indexOf('budget');
    }
    const { restUntil, nextAt } = hosts;
    if (restUntil[host] > now) this.#sleep(host, restUntil[host]);
    else if (nextAt[host] > now + this.#options.sleepBeyond) this.#sleep(host, nextAt[host]);
    else this.front.put(host, this.#errands.has(host) ? 0 : this.#queues.best(host), atHead);
  }

  #sleep(host: number, until: number): void {
    this.hosts.state[host] = HostState.asleep;
    this.#sleeping.push(until, host, ++this.hosts.stamp[host]);
  }

  /** Brings back what slept long enough: hosts, and URLs whose retry is due. */
  #wake(now: number): void {
    while (this.#sleeping.time <= now) {
      const { value: host, stamp } = this.#sleeping;
      this.#sleeping.pop();
      if (this.hosts.stamp[host] === stamp && this.hosts.state[host] === HostState.asleep) this.#place(host, now);
    }
    for (let url = this.retries.due(now); url >= 0; url = this.retries.due(now)) this.#enqueue(url, false, now);
  }

  /** Gives free back queues to the hosts that wait in front. */
  #fill(now: number, turn: Turn): void {
    while (this.front.size > 0 && this.back.hasFree) {
      const host = this.front.take();
      this.hosts.state[host] = HostState.idle;
      if (this.hosts.address[host] < 0 || this.hosts.addressUntil[host] <= now) {
        this.#breakPromise(host, now);
        this.hosts.state[host] = HostState.resolving;
        this.#resolving++;
        turn.resolve.push(host);
      } else if (this.hosts.nextAt[host] > now + this.#options.sleepBeyond || this.hosts.restUntil[host] > now) {
        this.#breakPromise(host, now);
        this.#place(host, now);
      } else {
        this.hosts.slot[host] = this.back.hold(host, now) + 1;
        this.hosts.worker[host] = (Math.imul(host, 0x9e3779b1) >>> 0) % this.#options.workers;
        this.#ready(host, now);
      }
    }
  }

  /** Enters a host that holds a back queue in its worker's ready heap. */
  #ready(host: number, now: number): void {
    const address = this.hosts.address[host];
    const at = this.#promised.has(host)
      ? Math.max(this.hosts.nextAt[host], this.addresses.nextAt(address))
      : this.hosts.nextAt[host];
    this.hosts.state[host] = HostState.back;
    this.back.ready[this.hosts.worker[host]].push(Math.max(at, now), host, ++this.hosts.stamp[host]);
  }

  /** Leases what is due at a worker, as far as it has room. */
  #serve(worker: number, now: number, left: Int32Array, allowance: number, turn: Turn, changes: Changes): void {
    const heap = this.back.ready[worker];
    while (left[worker] > 0 && heap.time <= now && turn.leases.length < allowance) {
      const { value: host, stamp } = heap;
      heap.pop();
      if (this.hosts.stamp[host] !== stamp || this.hosts.state[host] !== HostState.back) continue;
      if (this.hosts.nextAt[host] > now) {
        this.#ready(host, now); // its clock was moved after it was entered: a Crawl-delay became known
        continue;
      }
      if (!this.#isPinned(host, now) || !this.#mayConnect(host, now)) continue;
      const lease = this.#lease(host, worker, now, turn, changes);
      if (lease === null) continue;
      left[worker]--;
      turn.leases.push(lease);
    }
  }

  /** Hosts of a worker that has been full for a while go to one with room: they are leased there from now on. */
  #lend(worker: number, now: number, left: Int32Array, allowance: number, turn: Turn, changes: Changes): void {
    if (left[worker] > 0) {
      this.#fullSince[worker] = Number.POSITIVE_INFINITY;
      return;
    }
    if (this.#fullSince[worker] > now) this.#fullSince[worker] = now;
    if (now - this.#fullSince[worker] < STARVED) return;
    const heap = this.back.ready[worker];
    const other = left.findIndex((room) => room > 0);
    if (other < 0) return;
    for (let moves = left[other]; moves > 0 && heap.time <= now; moves--) {
      const { time, value: host, stamp } = heap;
      heap.pop();
      if (this.hosts.stamp[host] !== stamp) continue;
      this.hosts.worker[host] = other;
      this.back.ready[other].push(time, host, stamp);
    }
    this.#serve(other, now, left, allowance, turn, changes);
  }

  /** Is the address still good? If its TTL is over, the host goes back to be resolved. */
  #isPinned(host: number, now: number): boolean {
    if (this.hosts.addressUntil[host] > now) return true;
    this.#release(host);
    this.#breakPromise(host, now);
    this.#place(host, now, true);
    return false;
  }

  /** Does the host's address have a place for it now? If not, the host is put where it waits for one. */
  #mayConnect(host: number, now: number): boolean {
    if (this.#options.key === 'host') return true;
    const address = this.hosts.address[host];
    if (this.#promised.has(host)) {
      if (this.addresses.nextAt(address) <= now) return true;
      this.#ready(host, now);
      return false;
    }
    if (!this.addresses.isPlaceFree(address)) {
      this.#park(host, address);
      return false;
    }
    if (this.addresses.nextAt(address) <= now) return true;
    this.#promise(host, address);
    this.#ready(host, now);
    return false;
  }

  #promise(host: number, address: number): void {
    this.#promised.add(host);
    this.addresses.promise(address);
  }

  /** The host's promise, if it has one, goes to the next of its address's line. */
  #breakPromise(host: number, now: number): void {
    if (!this.#promised.delete(host)) return;
    this.addresses.breakPromise(this.hosts.address[host]);
    this.#advance(this.hosts.address[host], now);
  }

  /** Stands in the line of its address: with its back queue if the wait will be short, without one otherwise. */
  #park(host: number, address: number): void {
    const wait = (this.addresses.waiting(address) + 1) * this.#options.rules.delay;
    this.addresses.queue(address, host);
    if (wait <= this.#options.sleepBeyond) return;
    this.#release(host);
    this.hosts.state[host] = HostState.parked;
  }

  /** A place of an address became free: promise it to the first of the line. */
  #advance(address: number, now: number): void {
    while (this.addresses.isPlaceFree(address)) {
      const host = this.addresses.shift(address);
      if (host < 0) return;
      this.#promise(host, address);
      if (this.hosts.slot[host] !== 0) this.#ready(host, now);
      else this.#place(host, now, true);
      if (this.hosts.state[host] === HostState.front || this.hosts.slot[host] !== 0) continue;
      this.#promised.delete(host);
      this.addresses.breakPromise(address);
    }
  }

  /** The next lease of a due host that may connect; null if it has to wait for something else first. */
  #lease(host: number, worker: number, now: number, turn: Turn, changes: Changes): Lease | null {
    const slot = this.#slotOf(host)!;
    if (this.#errands.has(host)) return this.#leaseErrand(host, slot, worker, now, changes);
    if (fetchAllowedAt(this.hosts, host, now) > now) {
      this.#release(host);
      this.#breakPromise(host, now);
      this.#place(host, now);
      return null;
    }
    if (slot.at >= slot.ahead.length) {
      if (!this.#load(host, slot, turn)) this.#retire(host, now);
      return null;
    }
    return this.#leaseAhead(host, slot, worker, now, changes);
  }

  /** The host's next errand. The next spelling of a page asks the robots of its origin like any other URL. */
  #leaseErrand(host: number, slot: BackQueue, worker: number, now: number, changes: Changes): Lease | null {
    const errands = this.#errands.get(host)!;
    const errand = errands[0];
    const origin = errand.kind === 'robots' ? null : this.robots.of(RobotsGate.nameOf(errand.target), host);
    const gate = origin === null ? 'open' : this.robots.gate(origin, now);
    if (gate === 'fetch') return this.#grant(slot, this.#robotsErrand(origin!), null, worker, now);
    errands.shift();
    if (errands.length === 0) this.#errands.delete(host);
    if (gate === 'open' && (origin === null || this.robots.allows(origin, errand.target))) {
      return this.#grant(slot, errand, null, worker, now);
    }
    if (gate === 'open') {
      this.#deny(errand.url, now, changes);
    } else {
      this.urls.setState(errand.url, UrlState.pending); // begins again at its first spelling, when robots say more
      this.#queues.put(errand.url, true);
    }
    this.#ready(host, now);
    return null;
  }

  #deny(url: number, now: number, changes: Changes): void {
    this.urls.setState(url, UrlState.denied);
    this.#queues.putDenied(url);
    changes.denied.push({ url, at: now, denied: true });
  }

  /** Goes through the look-ahead to the first URL whose origin is open and allows it (or whose robots.txt is to be
   * fetched first). */
  #leaseAhead(host: number, slot: BackQueue, worker: number, now: number, changes: Changes): Lease | null {
    let waitUntil = Number.POSITIVE_INFINITY;
    let busy = false;
    for (let passed = 0; slot.at < slot.ahead.length && passed < DENIALS_A_TURN; passed++) {
      const text = slot.ahead[slot.at];
      const origin = this.robots.of(RobotsGate.nameOf(text.url), host);
      const gate = this.robots.gate(origin, now);
      if (gate === 'fetch') return this.#grant(slot, this.#robotsErrand(origin), null, worker, now);
      slot.at++;
      if (gate === 'wait') {
        this.#queues.put(text.id);
        if (origin.busy) busy = true;
        else waitUntil = Math.min(waitUntil, origin.state!.until);
      } else if (this.robots.allows(origin, text.url)) {
        const errand = {
          kind: text.kind,
          url: text.id,
          target: text.url,
          origin: origin.id,
          redirects: 0,
          cookie: null,
        };
        return this.#grant(slot, { ...errand, depth: text.depth, hops: text.hops }, text, worker, now);
      } else {
        this.#deny(text.id, now, changes);
      }
    }
    if (waitUntil === Number.POSITIVE_INFINITY && !busy) this.#ready(host, now);
    else this.#awaitRobots(host, waitUntil, now);
    return null;
  }

  #robotsErrand(origin: Origin): Errand {
    origin.busy = true;
    const target = `${origin.name}/robots.txt`;
    return { kind: 'robots', url: -1, target, origin: origin.id, redirects: 0, depth: 0, hops: 0, cookie: null };
  }

  /** All of the look-ahead waits for robots: the host gives up its back queue until the file is asked again. */
  #awaitRobots(host: number, until: number, now: number): void {
    this.#release(host);
    this.#breakPromise(host, now);
    if (until === Number.POSITIVE_INFINITY) {
      this.hosts.state[host] = HostState.robots;
      return;
    }
    const others = this.hosts.queued[host] > this.#options.lookAhead;
    this.hosts.restUntil[host] = others ? Math.min(until, now + ROBOTS_ROTATION) : until;
    this.hosts.reason[host] = WAIT_REASONS.indexOf('robots');
    this.#place(host, now);
  }

  #grant(slot: BackQueue, errand: Errand, text: UrlText | null, worker: number, now: number): Lease {
    const { host } = slot;
    const address = this.hosts.address[host];
    if (text !== null) this.urls.setState(errand.url, UrlState.leased);
    if (errand.kind !== 'robots') this.hosts.fetched[host]++;
    slot.leased = true;
    slot.fetches++;
    if (this.#promised.delete(host)) this.addresses.breakPromise(address);
    this.addresses.start(address);
    const lease: Lease = {
      ...errand,
      id: this.#leaseCount++,
      host,
      address,
      connectTo: this.addresses.names[address],
      etag: text?.etag ?? null,
      lastModified: text?.lastModified ?? null,
      worker,
      granted: now,
    };
    this.leases.set(lease.id, lease);
    return lease;
  }

  /** Asks for the texts of the host's next URLs; false if it has none. */
  #load(host: number, slot: BackQueue, turn: Turn): boolean {
    const urls = this.#queues.take(host, this.#options.lookAhead);
    if (urls.length === 0) return false;
    slot.loading = urls;
    this.#loading++;
    turn.load.push({ host, urls });
    return true;
  }

  /** The host has nothing more to fetch: its back queue is free. */
  #retire(host: number, now: number): void {
    this.#release(host);
    this.#breakPromise(host, now);
    this.hosts.state[host] = HostState.idle;
  }

  /** Takes the back queue from a host; what it had read ahead goes back to the heads of its lists. */
  #release(host: number): void {
    const index = this.hosts.slot[host] - 1;
    if (index < 0) return;
    const slot = this.back.slots[index];
    for (let i = slot.ahead.length - 1; i >= slot.at; i--) this.#queues.put(slot.ahead[i].id, true);
    this.back.release(index);
    this.hosts.slot[host] = 0;
    this.hosts.stamp[host]++;
  }

  #startClocks(lease: Lease, ended: number, delay: number, addressDelay: number): void {
    const { hosts } = this;
    hosts.nextAt[lease.host] = Math.max(hosts.nextAt[lease.host], ended + delay);
    hosts.owed[lease.host] = delay;
    this.addresses.owe(lease.address, ended + addressDelay);
    this.addresses.end(lease.address);
  }

  /** End of the host's last request as its clock tells it. */
  #lastEnd(host: number): number {
    return this.hosts.nextAt[host] - this.hosts.owed[host];
  }

  #report(host: number, verdict: HostVerdict, outcome: LeaseOutcome, changes: Changes): void {
    const event = (kind: 'throttled' | 'recovered', until: number, words: string): void => {
      changes.hostEvents.push({ host, at: outcome.ended, kind, until, value: this.hosts.penalty[host], words });
    };
    if (verdict.throttled) event('throttled', outcome.ended + verdict.delay, `status ${outcome.status}`);
    else if (verdict.recovered) event('recovered', 0, 'answers again');
  }

  /** A host that was put to sleep, offline, or is given up. */
  #rest(host: number, verdict: HostVerdict, from: number, words: string, changes: Changes): void {
    if (verdict.why === 'dropped') this.drop(host, from, 'connect.failed', words, changes);
    if (verdict.why !== 'asleep' && verdict.why !== 'offline') return;
    const until = from + verdict.rest;
    this.hosts.restUntil[host] = until;
    this.hosts.reason[host] = WAIT_REASONS.indexOf(verdict.why === 'asleep' ? 'throttled' : 'offline');
    const step = verdict.why === 'asleep' ? this.hosts.sleeps[host] : this.hosts.offline[host];
    changes.hostEvents.push({ host, at: from, kind: verdict.why, until, value: step, words });
  }

  #settleUrl(lease: Lease, outcome: LeaseOutcome, keep: Errand | null, now: number, changes: Changes): Settled['url'] {
    if (keep !== null) {
      this.addErrand(lease.host, keep, now);
      return 'leased';
    }
    if (lease.kind === 'robots') return 'none';
    const effect = OUTCOMES[outcome.code].url;
    if (effect === 'done') {
      this.retries.forget(lease.url);
      this.urls.setAttempts(lease.url, 0);
      this.urls.setState(lease.url, UrlState.done);
      return 'done';
    }
    this.urls.setState(lease.url, UrlState.pending);
    if (effect === 'wait') {
      this.#enqueue(lease.url, true, now);
      return 'pending';
    }
    const attempts = this.urls.attempts(lease.url) + 1;
    this.urls.setAttempts(lease.url, attempts);
    this.retries.remember(lease.url, { at: outcome.ended, code: outcome.code, status: outcome.status });
    if (effect === 'retry' && this.retries.again(lease.url, attempts, outcome.ended)) return 'pending';
    this.urls.setState(lease.url, UrlState.dead);
    changes.dead.push({
      url: lease.url,
      at: now,
      dead: true,
      code: outcome.code,
      history: this.retries.forget(lease.url),
    });
    return 'dead';
  }

  /** Where the host goes when its lease is over. */
  #afterLease(host: number, now: number): void {
    const { hosts } = this;
    const slot = this.#slotOf(host);
    if (slot !== null) {
      slot.leased = false;
      const turnIsOver =
        this.front.size > 0 &&
        (slot.fetches >= this.#options.quantumFetches || now - slot.since >= this.#options.quantumTime);
      const rests = hosts.restUntil[host] > now || hosts.nextAt[host] > now + this.#options.sleepBeyond;
      const spent = fetchAllowedAt(hosts, host, now) > now && !this.#errands.has(host);
      const moved = hosts.address[host] < 0;
      if (!this.#hasWork(host) || turnIsOver || rests || spent || moved || hosts.state[host] === HostState.off) {
        this.#release(host);
        this.#place(host, now);
      } else {
        this.#ready(host, now);
      }
    }
  }

  #pin(host: number, addresses: readonly string[], until: number): void {
    const pinned = this.hosts.address[host] < 0 ? '' : this.addresses.names[this.hosts.address[host]];
    const failed = this.#failed.get(host) ?? [];
    const fresh = addresses.filter((address) => !failed.includes(address));
    const chosen = fresh.includes(pinned) ? pinned : (fresh[0] ?? addresses[0]);
    this.hosts.address[host] = this.addresses.intern(chosen);
    this.hosts.addressUntil[host] = until;
    if (addresses.length > 1) this.#spares.set(host, addresses);
    else this.#spares.delete(host);
  }

  /** After a connect failure: pins an address of the host that has not failed since it last answered. False if there is
   * none: then the failure counts, and the next series begins with all of them. */
  #useSpare(host: number): boolean {
    const failed = this.#failed.get(host) ?? [];
    failed.push(this.addresses.names[this.hosts.address[host]]);
    const next = this.#spares.get(host)?.find((address) => !failed.includes(address));
    if (next === undefined) {
      this.#failed.delete(host);
      this.hosts.address[host] = -1; // asked again: perhaps the host moved
      return false;
    }
    this.#failed.set(host, failed);
    // both clocks count: the host's own goes on, and the new address has its own
    this.hosts.address[host] = this.addresses.intern(next);
    return true;
  }

  /** Takes a host out of every structure. */
  #withdraw(host: number): void {
    if (this.hosts.state[host] === HostState.front) this.front.remove(host);
    if (this.hosts.address[host] >= 0) this.addresses.leave(this.hosts.address[host], host);
    this.#release(host);
    this.hosts.stamp[host]++;
  }

  #nextTime(now: number, left: Int32Array, allowance: number): number {
    let at = Math.min(this.#sleeping.time, this.retries.time);
    if (allowance > 0) {
      for (let worker = 0; worker < left.length; worker++) {
        if (left[worker] > 0) at = Math.min(at, this.back.ready[worker].time);
        else if (this.back.ready[worker].time <= now) at = Math.min(at, this.#fullSince[worker] + STARVED);
      }
    }
    if (this.front.size > 0 && this.back.hasFree) at = now;
    return at;
  }
}

const fetchTime = ({ started, ended, blocked = 0 }: LeaseOutcome): number => Math.max(ended - started - blocked, 0);
