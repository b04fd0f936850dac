/** What goes out: leases of due hosts to workers with room, through the gate of robots. */
import type { Changes } from '../changes.js';
import type { UrlText } from '../engines/ports.js';
import type { BackQueue } from './back-queues.js';
import { fetchAllowedAt } from './budgets.js';
import { HostState } from './host-table.js';
import type { Errand, Lease, Turn } from './lease.js';
import type { Placing } from './placing.js';
import type { Origin } from './robots-gate.js';
import type { FrontierState } from './state.js';
import { UrlState } from './url-table.js';

/** URLs that robots deny or a hook refuses, passed over in one turn of a host; the rest comes at its next turn. */
const DENIALS_A_TURN = 256;
/** URLs read ahead of all hosts in play together (of each at least the few below), some 250 bytes each. */
const LOOK_AHEAD_IN_ALL = 65_536;
/** URLs read ahead of a host that shares its address with others that wait. */
const LOOK_AHEAD_IN_LINE = 4;

/** A page that needs a page worker for itself, while another has it, is looked at again after this, ms. */
const ALONE_AGAIN = 5_000;

/** One call of `next`. */
export interface Round {
  now: number;
  /** Room that is left at each worker. */
  left: Int32Array;
  /** Leases that there may be in all. */
  allowance: number;
  turn: Turn;
  changes: Changes;
}

export class Leasing {
  readonly #state: FrontierState;
  readonly #placing: Placing;
  readonly #fullSince: Float64Array;
  #count = 0;

  constructor(state: FrontierState, placing: Placing) {
    this.#state = state;
    this.#placing = placing;
    this.#fullSince = new Float64Array(state.options.workers).fill(Number.POSITIVE_INFINITY);
  }

  /** Leases what is due at a worker, as far as it has room. */
  serve(worker: number, round: Round): void {
    const { hosts, back } = this.#state;
    const { now, left, allowance, turn } = round;
    const heap = back.ready[worker];
    while (left[worker] > 0 && heap.time <= now && turn.leases.length < allowance) {
      const { time, value: host, stamp } = heap;
      heap.pop();
      if (hosts.stamp[host] !== stamp || hosts.state[host] !== HostState.back) continue;
      hosts.dueSince[host] = time;
      if (!this.#mayStart(host, now)) continue;
      const lease = this.#lease(host, worker, round);
      if (lease === null) continue;
      left[worker]--;
      turn.leases.push(lease);
    }
  }

  /** Hosts of a worker that has been full for a while go to one with room: they are leased there from now on. */
  lend(worker: number, round: Round): void {
    const { hosts, back } = this.#state;
    const { now, left } = round;
    if (left[worker] > 0) {
      this.#fullSince[worker] = Number.POSITIVE_INFINITY;
      return;
    }
    if (this.#fullSince[worker] > now) this.#fullSince[worker] = now;
    if (now - this.#fullSince[worker] < this.#state.options.affinity) return;
    const heap = back.ready[worker];
    const other = left.findIndex((room) => room > 0);
    if (other < 0) return;
    for (let moves = left[other]; moves > 0 && heap.time <= now; moves--) {
      const { time, value: host, stamp } = heap;
      heap.pop();
      if (hosts.stamp[host] !== stamp) continue;
      hosts.worker[host] = other;
      back.ready[other].push(time, host, stamp);
    }
    this.serve(other, round);
  }

  /** When to ask again: ms, Infinity if only an answer can bring something. */
  nextTime({ now, left, allowance, turn }: Round): number {
    const { blocks, sleeping, promised, retries, revisits, back, front, options } = this.#state;
    if (front.size > 0 && back.hasFree) return now;
    let at = Math.min(blocks.time, sleeping.time, promised.time, retries.time, Math.max(revisits.time, now));
    if (turn.leases.length >= allowance) return at;
    const hasRoom = left.some((room) => room > 0);
    for (let worker = 0; worker < left.length; worker++) {
      if (left[worker] > 0) at = Math.min(at, back.ready[worker].time);
      else if (hasRoom && back.ready[worker].time <= now) at = Math.min(at, this.#fullSince[worker] + options.affinity);
    }
    return at;
  }

  /** May a request to a due host start now? If not, the host is put where it waits. */
  #mayStart(host: number, now: number): boolean {
    const placing = this.#placing;
    if (this.#state.hosts.nextAt[host] > now) {
      placing.ready(host, now); // its clock was moved after it was entered: a Crawl-delay became known
      return false;
    }
    if (!placing.turns.isKnown(host, now)) {
      placing.release(host);
      placing.turns.defer(host, now);
      placing.place(host, now, true);
      return false;
    }
    const turn = placing.turns.ask(host, now);
    if (turn === 'later') placing.readyLater(host, now);
    if (turn === 'line') placing.park(host);
    return turn === 'now';
  }

  /** The next lease of a due host that may connect; null if it has to wait for something else first. */
  #lease(host: number, worker: number, round: Round): Lease | null {
    const { errands, hosts } = this.#state;
    const slot = this.#state.slotOf(host)!;
    if (errands.has(host)) return this.#leaseErrand(slot, worker, round);
    if (fetchAllowedAt(hosts, host, round.now) > round.now) {
      this.#placing.standDown(host, round.now);
      this.#placing.place(host, round.now);
      return null;
    }
    if (slot.at < slot.ahead.length) return this.#leaseAhead(slot, worker, round);
    if (!this.#load(slot, round.turn)) {
      this.#placing.standDown(host, round.now);
      hosts.state[host] = HostState.idle;
    }
    return null;
  }

  /** Asks for the texts of the host's next URLs; false if it has none. */
  #load(slot: BackQueue, turn: Turn): boolean {
    const { host } = slot;
    const { options, queues, back } = this.#state;
    // one lease and then the line again, where it holds no back queue: no use in reading far ahead
    const isContested = this.#placing.turns.isContested(host);
    const most = isContested ? 0 : Math.floor(LOOK_AHEAD_IN_ALL / back.held);
    const urls = queues.take(host, Math.min(Math.max(most, LOOK_AHEAD_IN_LINE), options.lookAhead));
    if (urls.length === 0) return false;
    slot.loading = urls;
    this.#state.loading++;
    turn.load.push({ host, urls });
    return true;
  }

  /** The host's next errand. The next spelling of a page asks the robots of its origin like any other URL. */
  #leaseErrand(slot: BackQueue, worker: number, { now, changes, turn }: Round): Lease | null {
    const { host } = slot;
    const { robots, urls, queues } = this.#state;
    const errand = this.#state.errands.get(host)![0];
    if (errand.kind === 'robots') return this.#grant(slot, this.#takeErrand(host), null, worker, now);
    const origin = robots.ofUrl(errand.target, host);
    if (this.#isOwn(host, origin)) {
      this.#state.bury(this.#takeErrand(host).url, 'guard.own', now, changes);
      this.#placing.ready(host, now);
      return null;
    }
    const gate = robots.gate(origin, now);
    if (gate === 'fetch') return this.#grant(slot, robotsErrand(origin), null, worker, now);
    if (gate === 'load') return this.#loadRules(origin, turn);
    this.#takeErrand(host);
    const isAllowed = gate === 'open' && robots.allows(origin, errand.target);
    if (isAllowed && !this.#isRefused(host, errand)) return this.#grant(slot, errand, null, worker, now);
    if (isAllowed) {
      this.#state.bury(errand.url, 'guard.hook', now, changes);
    } else if (gate === 'open') {
      this.#deny(errand.url, now, changes);
    } else {
      urls.setState(errand.url, UrlState.pending); // begins again at its first spelling, when robots say more
      queues.put(errand.url, true);
    }
    this.#placing.ready(host, now);
    return null;
  }

  #takeErrand(host: number): Errand {
    const errands = this.#state.errands.get(host)!;
    const errand = errands.shift()!;
    if (errands.length === 0) this.#state.errands.delete(host);
    return errand;
  }

  /** Goes through the look-ahead to the first URL whose origin is open and allows it (or whose robots.txt is to be
   * fetched first). */
  #leaseAhead(slot: BackQueue, worker: number, { now, changes, turn }: Round): Lease | null {
    const { host } = slot;
    const { robots, queues } = this.#state;
    let waitUntil = Number.POSITIVE_INFINITY;
    let returned = 0;
    for (let passed = 0; slot.at < slot.ahead.length && passed < DENIALS_A_TURN; passed++) {
      const text = slot.ahead[slot.at];
      const origin = robots.ofUrl(text.url, host);
      if (this.#isOwn(host, origin)) {
        slot.at++;
        this.#state.bury(text.id, 'guard.own', now, changes);
        continue;
      }
      const gate = robots.gate(origin, now);
      if (gate === 'fetch') return this.#grant(slot, robotsErrand(origin), null, worker, now);
      if (gate === 'load') return this.#loadRules(origin, turn);
      slot.at++;
      if (gate === 'wait') {
        queues.put(text.id);
        returned++;
        if (!origin.busy && !origin.loading) waitUntil = Math.min(waitUntil, origin.state!.until);
      } else if (this.#mustWait(text.id)) {
        this.#state.retries.wait(text.id, now + ALONE_AGAIN);
      } else if (robots.allows(origin, text.url)) {
        const errand = pageErrand(text, origin);
        if (!this.#isRefused(host, errand)) return this.#grant(slot, errand, text, worker, now);
        this.#state.bury(text.id, 'guard.hook', now, changes);
      } else {
        this.#deny(text.id, now, changes);
      }
    }
    if (returned > 0) this.#placing.awaitRobots(host, returned, waitUntil, now);
    else this.#placing.ready(host, now);
    return null;
  }

  /** Asks for rules that are not in memory. The host waits with its back queue, as it does for texts: with what it has
   * read ahead it goes on at once, before the rules of others can take the memory again. */
  #loadRules(origin: Origin, turn: Turn): null {
    origin.loading = true;
    this.#state.loadingRules++;
    turn.rules.push(origin);
    return null;
  }

  /** Its page is to be alone, and another one is: those wait apart, lest their hosts stand still for each other. */
  #mustWait(url: number): boolean {
    return this.#state.alone > 0 && this.#isAlone(url);
  }

  /** Only URLs that failed have a history. */
  #isAlone(url: number): boolean {
    const { urls, retries } = this.#state;
    return url >= 0 && urls.attempts(url) > 0 && retries.hasKilled(url);
  }

  #isRefused(host: number, errand: Errand): boolean {
    return this.#state.options.refuses?.(host, errand) === true;
  }

  /** The address and the port have met: a socket of ours is asked for nothing. What asks for a robots.txt there, behind a
   * redirect, is refused by the worker that would connect. */
  #isOwn(host: number, origin: Origin): boolean {
    const { options, hosts, addresses } = this.#state;
    if (options.isOwn === undefined) return false;
    return options.isOwn(hosts.names[host], addresses.names[hosts.address[host]], origin.name);
  }

  #deny(url: number, now: number, changes: Changes): void {
    this.#state.revisits.forget(url);
    this.#state.urls.setState(url, UrlState.denied);
    this.#state.queues.putDenied(url);
    changes.denied.push({ url, at: now, denied: true });
  }

  #grant(slot: BackQueue, errand: Errand, text: UrlText | null, worker: number, now: number): Lease {
    const { urls, hosts, addresses, leases } = this.#state;
    const { host } = slot;
    const address = hosts.address[host];
    if (text !== null) urls.setState(errand.url, UrlState.leased);
    if (errand.kind !== 'robots') hosts.fetched[host]++;
    hosts.dueSince[host] = 0;
    slot.leased = true;
    slot.fetches++;
    this.#placing.turns.start(host, now);
    // field by field: spreads made a lease three times as dear
    const lease: Lease = {
      id: this.#count++,
      kind: errand.kind,
      url: errand.url,
      host,
      address,
      connectTo: addresses.names[address],
      target: errand.target,
      origin: errand.origin,
      redirects: errand.redirects,
      depth: errand.depth,
      hops: errand.hops,
      cookie: errand.cookie,
      last: errand.last,
      // validators go to the very URL that they came from
      conditional: errand.last?.found === true && errand.last.body.target === errand.target,
      worker,
      alone: this.#isAlone(errand.url),
      granted: now,
    };
    leases.set(lease.id, lease);
    if (lease.alone) this.#state.alone++;
    return lease;
  }
}

function robotsErrand(origin: Origin): Errand {
  origin.busy = true;
  const target = `${origin.name}/robots.txt`;
  return {
    kind: 'robots',
    url: -1,
    target,
    origin: origin.id,
    redirects: 0,
    depth: 0,
    hops: 0,
    cookie: null,
    last: null,
  };
}

const pageErrand = ({ id, url, kind, depth, hops, last }: UrlText, origin: Origin): Errand => ({
  kind,
  url: id,
  target: url,
  origin: origin.id,
  redirects: 0,
  depth,
  hops,
  cookie: null,
  last,
});
