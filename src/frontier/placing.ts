/**
 * Where a host stands (`HostState`): in a front queue, in a back queue and its worker's ready heap, in the line of its
 * address, asleep, or nowhere. Each host stands in one place only.
 */
import { AddressTurns } from './address-turns.js';
import { fetchAllowedAt } from './budgets.js';
import { HostState, WAIT_REASONS } from './host-table.js';
import type { Errand, Turn } from './lease.js';
import type { FrontierState } from './state.js';

/** URLs behind those of a host that wait for robots get a look after this, ms: they may belong to another origin. */
const ROBOTS_ROTATION = 900_000;

const ROBOTS = WAIT_REASONS.indexOf('robots');
const BUDGET = WAIT_REASONS.indexOf('budget');

export class Placing {
  readonly turns: AddressTurns;
  readonly #state: FrontierState;
  /** Shorter rests of hosts that rest since their budget is spent: until when (ms), and why. They hold once it is not. */
  readonly #behindBudget = new Map<number, [until: number, reason: number]>();

  constructor(state: FrontierState) {
    this.#state = state;
    this.turns = new AddressTurns(state, (host, now) => this.#seat(host, now));
  }

  // -- work comes ---------------------------------------------------------------------------------------------------

  /** Adds a pending URL to its host's lists. */
  enqueue(url: number, atHead: boolean, now: number): void {
    const { urls, queues, hosts, front } = this.#state;
    const host = urls.hostOf(url);
    queues.put(url, atHead);
    switch (hosts.state[host]) {
      case HostState.idle:
        this.place(host, now);
        break;
      case HostState.front:
        front.raise(host, queues.best(host));
        break;
      case HostState.asleep:
        if (this.#restsFor(host, ROBOTS, now) && hosts.restUntil[host] > now + ROBOTS_ROTATION) {
          hosts.restUntil[host] = now + ROBOTS_ROTATION;
          this.#sleep(host, hosts.restUntil[host]);
        }
        break;
      case HostState.robots:
        this.#restForRobots(host, now + ROBOTS_ROTATION, now);
        break;
      default:
    }
  }

  /** Adds an errand: it goes before the lists, and neither robots of other URLs nor a spent budget hold it back. */
  addErrand(host: number, errand: Errand, now: number): void {
    const { errands, hosts, front } = this.#state;
    const waiting = errands.get(host);
    if (waiting) waiting.push(errand);
    else errands.set(host, [errand]);
    const state = hosts.state[host];
    if (state === HostState.idle || state === HostState.robots) this.place(host, now);
    else if (state === HostState.front) front.raise(host, 0);
    else if (this.#restsFor(host, BUDGET, now)) this.#rouse(host, now);
    else this.robotsChanged(host, now);
  }

  /** Something was learnt of the robots of the host: if it waits for them, it need not wait any longer. */
  robotsChanged(host: number, now: number): void {
    if (this.#state.hosts.state[host] === HostState.robots) this.place(host, now, true);
    else if (this.#restsFor(host, ROBOTS, now)) this.#rouse(host, now);
  }

  /** The host has another budget: it need not wait for the next period of the one before. */
  budgetChanged(host: number, now: number): void {
    if (this.#restsFor(host, BUDGET, now) && fetchAllowedAt(this.#state.hosts, host, now) === 0) this.#rouse(host, now);
  }

  #restsFor(host: number, reason: number, now: number): boolean {
    const { hosts } = this.#state;
    return hosts.state[host] === HostState.asleep && hosts.restUntil[host] > now && hosts.reason[host] === reason;
  }

  #rouse(host: number, now: number): void {
    const { hosts } = this.#state;
    const [until, reason] = this.#behindBudget.get(host) ?? [0, 0];
    this.#behindBudget.delete(host);
    hosts.restUntil[host] = until;
    hosts.reason[host] = reason;
    this.place(host, now, true);
  }

  /** The host falls to the lowest level; what its back queue has read ahead is still fetched. */
  demote(host: number, now: number): void {
    const { hosts, front, queues } = this.#state;
    queues.demote(host);
    if (hosts.state[host] !== HostState.front) return;
    front.remove(host);
    this.place(host, now);
  }

  // -- places -------------------------------------------------------------------------------------------------------

  /** Puts a host that stands nowhere (or sleeps) where it belongs. */
  place(host: number, now: number, atHead = false): void {
    const { hosts, errands, front, queues, options } = this.#state;
    if (hosts.state[host] === HostState.off) return;
    hosts.state[host] = HostState.idle;
    if (!this.#state.hasWork(host)) return;
    const budgetAt = errands.has(host) ? 0 : fetchAllowedAt(hosts, host, now);
    if (budgetAt > hosts.restUntil[host]) {
      const { [host]: reason } = hosts.reason;
      if (hosts.restUntil[host] > now && reason !== BUDGET)
        this.#behindBudget.set(host, [hosts.restUntil[host], reason]);
      hosts.restUntil[host] = budgetAt;
      hosts.reason[host] = BUDGET;
    }
    const { restUntil, nextAt } = hosts;
    if (restUntil[host] > now) this.#sleep(host, restUntil[host]);
    else if (nextAt[host] > now + options.sleepBeyond) this.#sleep(host, nextAt[host]);
    else front.put(host, errands.has(host) ? 0 : queues.best(host), atHead);
  }

  #sleep(host: number, until: number): void {
    const { hosts, sleeping } = this.#state;
    hosts.state[host] = HostState.asleep;
    sleeping.push(until, host, ++hosts.stamp[host]);
  }

  /** Brings back what slept long enough: hosts, URLs whose retry is due, and pages that are due again. */
  wake(now: number): void {
    const { sleeping, promised, hosts, retries, revisits } = this.#state;
    while (promised.time <= now) {
      const { value: host, stamp } = promised;
      promised.pop();
      if (hosts.stamp[host] === stamp && hosts.state[host] === HostState.back) this.ready(host, now);
    }
    while (sleeping.time <= now) {
      const { value: host, stamp } = sleeping;
      sleeping.pop();
      if (hosts.stamp[host] === stamp && hosts.state[host] === HostState.asleep) this.place(host, now);
    }
    for (let url = retries.due(now); url >= 0; url = retries.due(now)) this.enqueue(url, false, now);
    revisits.sweep(now, (url) => this.enqueue(url, false, now));
  }

  /** Gives free back queues to the hosts that wait in front. */
  fill(now: number, turn: Turn): void {
    const { front, back, hosts, options } = this.#state;
    while (front.size > 0 && back.hasFree) {
      const host = front.take();
      hosts.state[host] = HostState.idle;
      if (!this.turns.isKnown(host, now)) {
        this.turns.defer(host, now);
        hosts.state[host] = HostState.resolving;
        this.#state.resolving++;
        turn.resolve.push(host);
      } else if (hosts.nextAt[host] > now + options.sleepBeyond || hosts.restUntil[host] > now) {
        this.turns.pass(host, now);
        this.place(host, now);
      } else {
        hosts.slot[host] = back.hold(host, now) + 1;
        hosts.worker[host] = (Math.imul(host, 0x9e3779b1) >>> 0) % options.workers;
        this.ready(host, now);
      }
    }
  }

  /** Enters a host that holds a back queue in its worker's ready heap. One that came up before, and had to wait for
   * something, has the place of then: else it would stand in line with all that are due once more. If its clock was
   * moved far on meanwhile (a Crawl-delay became known), it gives its back queue up and sleeps. */
  ready(host: number, now: number): void {
    const { hosts, back, options } = this.#state;
    if (hosts.nextAt[host] > now + options.sleepBeyond) {
      this.standDown(host, now);
      this.place(host, now);
      return;
    }
    const since = hosts.dueSince[host] === 0 ? now : hosts.dueSince[host];
    hosts.state[host] = HostState.back;
    back.ready[hosts.worker[host]].push(Math.max(hosts.nextAt[host], since), host, ++hosts.stamp[host]);
  }

  /** A place at its address is promised to the host: it waits for the address's clock, without its back queue if that
   * takes long. */
  readyLater(host: number, now: number): void {
    const { hosts, promised, options } = this.#state;
    const at = this.turns.readyAt(host);
    if (at <= now + options.sleepBeyond) {
      promised.push(at, host, ++hosts.stamp[host]);
    } else {
      this.release(host);
      this.#sleep(host, at);
    }
  }

  /** Its turn at its address came: it leaves the line. */
  #seat(host: number, now: number): boolean {
    this.place(host, now, true);
    return this.#state.hosts.state[host] === HostState.front;
  }

  /** The host stands in the line of its address, without its back queue: if it kept that, all back queues could be held
   * by hosts that stand behind one which waits for a back queue. */
  park(host: number): void {
    this.release(host);
    this.#state.hosts.state[host] = HostState.parked;
  }

  /** The look-ahead waits for robots: the host gives up its back queue until the file is asked again.
   * @param returned URLs that do, back in their lists
   * @param until when that is, Infinity if the file is on its way */
  awaitRobots(host: number, returned: number, until: number, now: number): void {
    const { hosts, robots } = this.#state;
    this.standDown(host, now);
    const others = hosts.queued[host] > returned || robots.originsOf(host) > 1;
    if (others) this.#restForRobots(host, Math.min(until, now + ROBOTS_ROTATION), now);
    else if (until < Number.POSITIVE_INFINITY) this.#restForRobots(host, until, now);
    else hosts.state[host] = HostState.robots;
  }

  #restForRobots(host: number, until: number, now: number): void {
    const { hosts } = this.#state;
    hosts.restUntil[host] = until;
    hosts.reason[host] = ROBOTS;
    this.place(host, now);
  }

  /** Takes its back queue and its turn from a host, whose place is the caller's to choose. */
  standDown(host: number, now: number): void {
    this.release(host);
    this.turns.pass(host, now);
  }

  /** Takes a host out of every structure but for the back queue of a lease that is out: whoever ends the lease gives it
   * back. The host is idle, or `back` in that case; a blocked one stays blocked. */
  withdraw(host: number, now: number): void {
    const { hosts, front } = this.#state;
    const { off, idle, back } = HostState;
    if (hosts.state[host] === HostState.front) front.remove(host);
    const slot = this.#state.slotOf(host);
    if (slot?.leased) this.#unload(host);
    else this.release(host);
    this.turns.leave(host, now);
    hosts.stamp[host]++;
    if (hosts.state[host] !== off) hosts.state[host] = hosts.slot[host] === 0 ? idle : back;
  }

  /** Takes the back queue from a host. */
  release(host: number): void {
    const { hosts, back } = this.#state;
    const index = hosts.slot[host] - 1;
    if (index < 0) return;
    this.#unload(host);
    back.release(index);
    hosts.slot[host] = 0;
    hosts.stamp[host]++;
  }

  /** What a back queue had read ahead, or asked for, goes back to the heads of the host's lists. */
  #unload(host: number): void {
    const { queues } = this.#state;
    const slot = this.#state.slotOf(host)!;
    const loading = slot.loading ?? [];
    for (let i = loading.length - 1; i >= 0; i--) queues.put(loading[i], true);
    for (let i = slot.ahead.length - 1; i >= slot.at; i--) queues.put(slot.ahead[i].id, true);
    slot.loading = null;
    slot.ahead = [];
    slot.at = 0;
  }
}
