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
import type { OutcomeCode } from '../errors.js';
import type { AddressTable } from './address-table.js';
import type { BackQueues } from './back-queues.js';
import { FOR_GOOD } from './blocks.js';
import { Ceiling, type CeilingFigures } from './ceiling.js';
import type { DroppedLetters } from './dropped-letters.js';
import type { FrontQueues } from './front-queues.js';
import { HostState, type HostTable, WAIT_REASONS, type WaitReason } from './host-table.js';
import type { Errand, FrontierOptions, Lease, LeaseOutcome, LoadRequest, Resolution, Settled, Turn } from './lease.js';
import { Leasing } from './leasing.js';
import { Placing } from './placing.js';
import type { RetryQueue } from './retry-queue.js';
import type { Revisits } from './revisits.js';
import type { Origin, RobotsGate, RobotsVerdict } from './robots-gate.js';
import { linkerBit } from './score.js';
import { Settling } from './settling.js';
import { FrontierState } from './state.js';
import { LEVELS, NONE, UrlState, type UrlTable } from './url-table.js';

/** Another try at a robots.txt that lies at a host which is blocked or was given up, ms. */
const ROBOTS_LOST = 300_000;

export class Frontier {
  readonly urls: UrlTable;
  readonly hosts: HostTable;
  readonly addresses: AddressTable;
  readonly robots: RobotsGate;
  readonly front: FrontQueues;
  readonly back: BackQueues;
  readonly retries: RetryQueue;
  readonly revisits: Revisits;
  readonly leases: ReadonlyMap<number, Lease>;
  readonly letters: DroppedLetters;
  readonly #state: FrontierState;
  readonly #placing: Placing;
  readonly #leasing: Leasing;
  readonly #settling: Settling;
  readonly #ceiling: Ceiling;
  /** Told of an origin whose robots.txt will not come, since the host that it redirects to was given up; answers with
   * {@link setRobots}. */
  onRobotsLost: (origin: Origin, now: number, changes: Changes) => void = (origin, now, changes) =>
    this.setRobots(origin, { verdict: 'deny', rules: null, until: now + ROBOTS_LOST }, 0, false, now, changes);

  constructor(options: FrontierOptions, random: Random) {
    this.#state = new FrontierState(options, random);
    this.#placing = new Placing(this.#state);
    this.#leasing = new Leasing(this.#state, this.#placing);
    this.#ceiling = new Ceiling(this.#state);
    this.#settling = new Settling(this.#state, this.#placing, this.#ceiling, (...lost) => this.onRobotsLost(...lost));
    this.urls = this.#state.urls;
    this.hosts = this.#state.hosts;
    this.addresses = this.#state.addresses;
    this.robots = this.#state.robots;
    this.front = this.#state.front;
    this.back = this.#state.back;
    this.retries = this.#state.retries;
    this.revisits = this.#state.revisits;
    this.leases = this.#state.leases;
    this.letters = this.#state.letters;
  }

  // -- add ----------------------------------------------------------------------------------------------------------

  /** Makes a host known. */
  addHost(name: string, domain: string, budget: number | null, named: boolean, now: number): number {
    return this.hosts.append(name, domain, budget, named, now);
  }

  /** Gives a known host another budget. If its URLs wait for the one it had, and the new one has room, they are due.
   * @param budget null is no limit */
  setBudget(host: number, budget: number | null, now: number): void {
    this.hosts.budget[host] = budget ?? NONE;
    this.#placing.budgetChanged(host, now);
  }

  /** Makes an admitted URL known; it is pending (or denied, if robots said so at admission). Returns its id. */
  add(host: number, level: number, denied: boolean, now: number): number {
    const url = this.urls.append(host, level);
    this.hosts.admitted[host]++;
    if (denied) {
      this.urls.setState(url, UrlState.denied);
      this.#state.queues.putDenied(url);
    } else {
      this.#placing.enqueue(url, false, now);
    }
    return url;
  }

  /** A known URL was linked by the page of another. */
  linked(url: number, by: number): void {
    if (url < this.urls.size) this.hostLinked(this.urls.hostOf(url), by);
  }

  /** Something of a host was linked by the page of a URL: it counts if that lies on another host. */
  hostLinked(host: number, by: number): void {
    const from = this.urls.hostOf(by);
    if (from !== host) this.hosts.linkers[host] |= linkerBit(from);
  }

  /** A job outside the lists: robots.txt at a redirect's target, or a page's next spelling. */
  addErrand(host: number, errand: Errand, now: number): void {
    this.#placing.addErrand(host, errand, now);
    if (this.hosts.state[host] === HostState.off) this.#cancelErrands(host, now);
  }

  // -- next ---------------------------------------------------------------------------------------------------------

  /**
   * What may be done now: leases for workers with room, addresses and texts that are needed first, and when to ask
   * again. At most `room[w]` leases for worker w and `allowance` in all; `room` is not changed.
   */
  next(now: number, room: Int32Array, allowance: number, changes: Changes): Turn {
    const turn: Turn = { leases: [], resolve: [], load: [], rules: [], waitUntil: Number.POSITIVE_INFINITY };
    const left = room.slice();
    const round = { now, left, allowance, turn, changes };
    for (let host = this.#state.blocks.due(now); host >= 0; host = this.#state.blocks.due(now))
      this.unblock(host, now, changes);
    this.#placing.wake(now);
    this.#placing.fill(now, turn);
    for (let worker = 0; worker < left.length; worker++) {
      this.#leasing.serve(worker, round);
      this.#leasing.lend(worker, round);
    }
    const isStarving = left.every((room) => room > 0);
    if (this.#ceiling.grow(now, isStarving)) this.#placing.fill(now, turn);
    this.#ceiling.look(now, isStarving);
    turn.waitUntil = this.#leasing.nextTime(round);
    return turn;
  }

  /** Texts that a turn asked for. */
  loaded(request: LoadRequest, texts: readonly UrlText[], now: number): void {
    this.#state.loading--;
    const slot = this.#state.slotOf(request.host);
    if (slot === null || slot.loading !== request.urls) return; // blocked or dropped meanwhile: they are in their lists
    slot.loading = null;
    slot.ahead = texts.slice();
    slot.at = 0;
    this.#placing.ready(request.host, now);
  }

  /** Rules that a turn asked for are in memory, or a verdict without them was set. */
  rulesLoaded(origin: Origin, now: number): void {
    this.#state.loadingRules--;
    origin.loading = false;
    const { host } = origin;
    const slot = this.#state.slotOf(host);
    const waits = slot !== null && !slot.leased && slot.loading === null && this.hosts.state[host] === HostState.back;
    if (waits) this.#placing.ready(host, now);
    else this.#placing.robotsChanged(host, now);
  }

  /** The address that a turn asked for, or why there is none. False if it counts for nothing: a failure that was told
   * before and is still remembered, or the host was blocked or dropped meanwhile. */
  resolved(host: number, resolution: Resolution, now: number, changes: Changes): boolean {
    this.#state.resolving--;
    if (this.hosts.state[host] !== HostState.resolving) return false; // blocked or dropped meanwhile
    this.hosts.state[host] = HostState.idle;
    return this.#settling.resolved(host, resolution, now, changes);
  }

  // -- done ---------------------------------------------------------------------------------------------------------

  /** Ends a lease: starts the clocks, charges the URL and the host, and says what became of the URL. `keep` goes on
   * with the same lease at another spelling (a same-key redirect). */
  done(lease: Lease, outcome: LeaseOutcome, keep: Errand | null, now: number, changes: Changes): Settled {
    const settled = this.#settling.done(lease, outcome, keep, now, changes);
    if (keep !== null && this.hosts.state[lease.host] === HostState.off) this.#cancelErrands(lease.host, now);
    return settled;
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
    const { hosts } = this;
    const { host } = origin;
    this.restoreRobots(origin, state, crawlDelay);
    origin.busy = false;
    // the request that brought the Crawl-delay is the first that owes it, also where nothing else is owed (--delay 0)
    const lastEnd = hosts.nextAt[host] - hosts.owed[host];
    if (hosts.crawlDelay[host] > hosts.owed[host]) {
      hosts.owed[host] = hosts.crawlDelay[host];
      hosts.nextAt[host] = lastEnd + hosts.crawlDelay[host];
      this.#placing.turns.oweMore(host);
    }
    if (changed && state.verdict !== 'deny') {
      for (const url of this.#state.queues.takeDenied(host)) {
        this.urls.setState(url, UrlState.pending);
        changes.denied.push({ url, at: now, denied: false });
        this.#placing.enqueue(url, false, now);
      }
    }
    this.#placing.robotsChanged(host, now);
  }

  /** What the host of a robots lease owes after it, now that the file was read, and what its address does (ms; as
   * {@link Settled}). */
  owedAfter({ host }: Lease, settled: Settled): { delay: number; addressDelay: number } {
    const delay = Math.max(settled.delay, this.hosts.crawlDelay[host]);
    return { delay, addressDelay: this.#state.options.key === 'ip' ? delay : settled.addressDelay };
  }

  /** A robots.txt that was not fetched after all (we stopped, or its worker died of something else): it is the first
   * to be fetched when the host's turn comes. */
  robotsReturned(origin: Origin, now: number): void {
    origin.busy = false;
    this.#placing.robotsChanged(origin.host, now);
  }

  /** Gives a host up: its pending URLs are dead. A blocked host stays blocked. */
  drop(host: number, now: number, code: OutcomeCode, words: string, changes: Changes): void {
    this.#settling.drop(host, now, code, words, changes);
  }

  /** Puts a host to the lowest level, with all its URLs and those still to come: it is fetched when little else waits.
   * False if it is there already. @param words why */
  demote(host: number, words: string, now: number, changes: Changes): boolean {
    if (this.hosts.demoted[host] === 1) return false;
    changes.hostEvents.push({ host, at: now, kind: 'demoted', until: 0, value: 0, words });
    this.#placing.demote(host, now);
    return true;
  }

  // -- what the operator may say ------------------------------------------------------------------------------------

  /** No request to the host from now on; one in flight may end. Its URLs, and those still to be met, wait (`blocked`)
   * until {@link unblock}, or until a time. False if it is blocked already, until then.
   * @param until ms; 0 for no end */
  block(host: number, reason: string, now: number, changes: Changes, until = FOR_GOOD): boolean {
    const { hosts } = this;
    const isBlocked = hosts.state[host] === HostState.off;
    if (isBlocked && this.#state.blocks.until(host) === until) return false;
    changes.hostEvents.push({ host, at: now, kind: 'blocked', until, value: 0, words: reason });
    this.#state.blocks.set(host, until);
    if (isBlocked) return true;
    this.#placing.withdraw(host, now);
    hosts.state[host] = HostState.off;
    this.#cancelErrands(host, now);
    return true;
  }

  /** When the block of a host ends: ms, 0 for no end, null if it is not blocked. */
  blockedUntil(host: number): number | null {
    return this.#state.blocks.until(host) ?? null;
  }

  /** The hosts that are blocked, by id. */
  get blockedHosts(): number[] {
    return this.#state.blocks.hosts;
  }

  /** Hosts that have URLs, or were asked for something: one that was blocked before it was met is none of them. */
  get hostsMet(): number {
    return this.hosts.size - this.#state.blocks.hosts.filter((host) => this.isStranger(host)).length;
  }

  /** Nothing is known of the host but its name. */
  isStranger(host: number): boolean {
    const { queued, admitted, fetched, owed } = this.hosts;
    return queued[host] + admitted[host] + fetched[host] + owed[host] === 0;
  }

  /** Ends a block. The host owes what it owed. False if it is not blocked. */
  unblock(host: number, now: number, changes: Changes): boolean {
    const { hosts } = this;
    if (hosts.state[host] !== HostState.off) return false;
    changes.hostEvents.push({ host, at: now, kind: 'unblocked', until: 0, value: 0, words: '' });
    this.#state.blocks.end(host);
    const isOut = this.#state.slotOf(host) !== null; // a lease of before the block: whoever ends it goes on
    hosts.state[host] = isOut ? HostState.back : HostState.idle;
    if (!isOut) this.#placing.place(host, now);
    return true;
  }

  /** Takes a dead URL back: it is pending, with all its attempts. A host that was given up begins its ladder again.
   * False if the URL is not dead. */
  revive(url: number, now: number, changes: Changes): boolean {
    if (this.urls.state(url) !== UrlState.dead) return false;
    changes.dead.push({ url, at: now, dead: false, code: 'lease.returned', history: [] });
    this.letters.forget(url);
    this.urls.setAttempts(url, 0);
    this.urls.setState(url, UrlState.pending);
    const { hosts } = this;
    const host = this.urls.hostOf(url);
    if (hosts.offline[host] >= this.#state.options.rules.offline.length && hosts.restUntil[host] <= now) {
      hosts.offline[host] = 0;
      hosts.failures[host] = 0;
      changes.hostEvents.push({ host, at: now, kind: 'online', until: 0, value: 0, words: 'tried again' });
    }
    this.#placing.enqueue(url, false, now);
    return true;
  }

  /** Errands of a blocked host. A page between two of its spellings begins again at the first; a robots.txt that lies
   * here by redirect has no answer, so nothing of its origin is fetched (never fail open). */
  #cancelErrands(host: number, now: number): void {
    const errands = this.#state.errands.get(host) ?? [];
    this.#state.errands.delete(host);
    for (const errand of errands) {
      if (errand.kind !== 'robots') {
        this.urls.setState(errand.url, UrlState.pending);
        this.#state.queues.put(errand.url, true);
        continue;
      }
      const origin = this.robots.origins[errand.origin];
      origin.state = { verdict: 'deny', rules: null, until: now + ROBOTS_LOST };
      origin.busy = false;
      this.#placing.robotsChanged(origin.host, now);
    }
  }

  // -- figures ------------------------------------------------------------------------------------------------------

  /** Work that is under way: a crawl with none of it, and nothing due, has ended. */
  get underWay(): number {
    return this.leases.size + this.#state.resolving + this.#state.loading + this.#state.loadingRules;
  }

  /** URLs in the queues of their hosts, by level; those that were read ahead or wait elsewhere are left out. */
  get pendingByLevel(): number[] {
    return [...this.#state.queues.lengths.subarray(0, LEVELS)];
  }

  /** What the back queues allow, and whether that is what holds the crawl up. */
  get ceiling(): CeilingFigures {
    return this.#ceiling.figures;
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
      const slot = this.#state.slotOf(host);
      const ahead = slot === null ? 0 : slot.ahead.length - slot.at + (slot.loading?.length ?? 0);
      const until = this.#state.blocks.until(host);
      const next =
        until === FOR_GOOD
          ? null
          : until !== undefined
            ? until
            : Math.max(this.hosts.restUntil[host], this.hosts.nextAt[host], now);
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

  /** A host that an earlier run, or somebody in between, blocked. */
  restoreBlock(host: number, until: number): void {
    this.hosts.state[host] = HostState.off;
    this.#state.blocks.set(host, until);
  }

  /** An address refused or throttled in an earlier run: it never has more than one request at once. */
  restoreStrike(address: string): void {
    this.#state.shared.strike(this.addresses.intern(address));
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
    const waiting: [url: number, due: number][] = [];
    this.#state.queues.restore((url) => {
      const due = dueAt(url);
      if (due <= now) return false;
      waiting.push([url, due]);
      return true;
    });
    for (const [url, due] of waiting.reverse()) this.retries.wait(url, due);
    for (let host = 0; host < this.hosts.size; host++) {
      if (this.hosts.state[host] === HostState.idle) this.#placing.place(host, now);
    }
  }
}
