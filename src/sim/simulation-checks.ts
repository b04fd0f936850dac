/** What is checked while a simulated process runs: the frontier's own accounts. Constant time at each step, the whole of
 * its memory now and then. What hosts saw is the oracle's (`simulation-oracle.ts`). */
import type { UrlRow } from '../changes.js';
import type { Frontier } from '../frontier/frontier.js';
import { HostState, WAIT_REASONS } from '../frontier/host-table.js';
import type { Lease, Settled, Turn } from '../frontier/lease.js';
import { RobotsGate } from '../frontier/robots-gate.js';
import type { TimeHeap } from '../frontier/time-heap.js';
import { LEVELS, NONE, UrlState } from '../frontier/url-table.js';
import { watchHolders } from './simulation-holders.js';
import { Violation } from './simulation-oracle.js';
import { scanFrontier } from './simulation-scan.js';
import type { World } from './simulation-world.js';

/** Turns between two scans of everything. */
const SCAN_EVERY = 50;
const ROBOTS = WAIT_REASONS.indexOf('robots');
/** All URLs of a host that waits for robots are looked at again within an eighth of the longest wait, ms. */
const ROBOTS_LOOK = 86_400_000 / 8;
const BUDGET_PERIOD = 30 * 86_400_000;

export class Watch {
  readonly #world: World;
  readonly #frontier: Frontier;
  readonly #now: () => number;
  readonly #leasedHosts = new Set<number>();
  readonly #onAddress = new Map<number, number>();
  /** URLs whose lease goes on at another spelling: leased, without a lease at the moment. */
  readonly #going = new Set<number>();
  /** Visits of this process, by URL. */
  readonly #visited = new Set<number>();
  /** Since when a host that may be leased has not been. */
  readonly #dueSince = new Map<number, number>();
  #turns = 0;
  /** Longest that a host that was due waited, ms. */
  longestWait = 0;

  constructor(world: World, frontier: Frontier, now: () => number) {
    this.#world = world;
    this.#frontier = frontier;
    this.#now = now;
    for (const heap of frontier.back.ready) shadow(heap);
    watchHolders(frontier, world.settings.frontier, now);
  }

  /** A turn of the frontier. */
  turn({ leases, resolve, load }: Turn, room: Int32Array): void {
    const left = Int32Array.from(room);
    for (const lease of leases) {
      if (--left[lease.worker] < 0) throw new Violation(`worker ${lease.worker} gets more leases than it has room for`);
      this.#granted(lease);
    }
    for (const host of resolve) {
      this.#world.note(`resolve ${host}`);
      this.#dueSince.delete(host); // its turn came, even if it turns out to have no address
    }
    for (const { host, urls } of load) {
      this.#world.note(`load ${host} ${urls.join()}`);
      this.#dueSince.delete(host); // its turn came, even if robots let nothing of it pass
    }
  }

  #granted(lease: Lease): void {
    const { id, host, address, url, kind, target, worker } = lease;
    this.#world.note(`lease ${id} ${target} at ${address} by ${worker}`);
    if (this.#leasedHosts.has(host)) throw new Violation(`host ${host} has two leases at once (${target})`);
    this.#leasedHosts.add(host);
    if (this.#frontier.hosts.state[host] === HostState.off) throw new Violation(`host ${host} is blocked and leased`);
    const there = (this.#onAddress.get(address) ?? 0) + 1;
    if (there > this.#placesOf(lease.connectTo)) {
      throw new Violation(`address ${lease.connectTo} has ${there} leases at once (${target})`);
    }
    this.#onAddress.set(address, there);
    this.#dueSince.delete(host);
    if (kind === 'robots') return;
    if (this.#visited.has(url) && !this.#frontier.revisits.isRevisit(url))
      throw new Violation(`URL ${url} (${target}) is leased after its visit`);
    const state = this.#frontier.urls.state(url);
    if (state !== UrlState.leased) throw new Violation(`URL ${url} is leased in state ${state}`);
    this.#going.delete(url);
    const { hosts } = this.#frontier;
    if (hosts.budget[host] !== NONE && hosts.fetched[host] > hosts.budget[host] && lease.redirects === 0) {
      throw new Violation(`host ${host} is fetched ${hosts.fetched[host]} times on a budget of ${hosts.budget[host]}`);
    }
  }

  /** Leases that an address may have at once, at most; when it may is the oracle's to say. */
  #placesOf(address: string): number {
    const { key, isCdn, shared } = this.#world.settings.frontier;
    if (key === 'host' || (key === 'host+ip' && isCdn(address))) return Number.POSITIVE_INFINITY;
    return key === 'ip' ? 1 : shared.requests;
  }

  /** A lease ended. `urls` became known with it. */
  settled(lease: Lease, end: Settled['url'], isVisit: boolean, urls: readonly UrlRow[]): void {
    this.#leasedHosts.delete(lease.host);
    this.#onAddress.set(lease.address, this.#onAddress.get(lease.address)! - 1);
    if (end === 'leased') this.#going.add(lease.url);
    if (isVisit) this.#visited.add(lease.url);
    for (const { host } of urls) this.#checkBudget(host);
  }

  /** URLs known of a host whose budget is young. */
  #checkBudget(host: number): void {
    const { hosts } = this.#frontier;
    const plan = this.#world.web.find(hosts.names[host]);
    if (plan === undefined || plan.budget === null) return;
    if (this.#now() - hosts.windowStart[host] >= BUDGET_PERIOD) return;
    if (hosts.admitted[host] > plan.budget || hosts.budget[host] !== plan.budget) {
      throw new Violation(`host ${host} has ${hosts.admitted[host]} URLs on a budget of ${plan.budget}`);
    }
  }

  /** Now and then, everything. */
  scan(): void {
    if (this.#turns++ % SCAN_EVERY === 0) this.scanNow();
  }

  scanNow(): void {
    scanFrontier(this.#frontier, this.#going);
    this.#checkWaits();
  }

  /** No host that may be leased waits for longer than the turns of all the others can take. */
  #checkWaits(): void {
    const { hosts, back } = this.#frontier;
    const now = this.#now();
    const { quantumFetches, sleepBeyond } = this.#world.settings.frontier;
    const turn = Math.min(quantumFetches * (sleepBeyond + 15_000), 600_000 + sleepBeyond);
    const bound = 20 * turn * (1 + hosts.size / back.ceiling + hosts.size / this.#world.settings.room);
    for (let host = 0; host < hosts.size; host++) {
      const state = hosts.state[host];
      const waits = state === HostState.front || state === HostState.back || state === HostState.parked;
      const isFree = hosts.address[host] < 0 || this.#frontier.addresses.nextAt(hosts.address[host]) <= now;
      const rests = state === HostState.asleep && hosts.restUntil[host] > now;
      const sleepsInVain =
        (state === HostState.robots || (rests && hosts.reason[host] === ROBOTS)) &&
        hasOpenUrl(this.#world, this.#frontier, host, now);
      const isDue =
        (waits &&
          hosts.nextAt[host] <= now &&
          isFree &&
          hosts.restUntil[host] <= now &&
          !this.#leasedHosts.has(host)) ||
        sleepsInVain;
      if (!isDue) {
        this.#dueSince.delete(host);
        continue;
      }
      const since = this.#dueSince.get(host) ?? now;
      this.#dueSince.set(host, since);
      this.longestWait = Math.max(this.longestWait, now - since);
      if (now - since > bound + (sleepsInVain ? ROBOTS_LOOK : 0))
        throw new Violation(`host ${host} starves in state ${state} since ${now - since} ms`);
    }
  }
}

/** Is a pending URL of the host open to be fetched as far as robots go? Only URLs whose text is committed are looked at. */
function hasOpenUrl(world: World, { hosts, urls, robots }: Frontier, host: number, now: number): boolean {
  const committed = world.store.count('urls');
  for (let list = 0; list < LEVELS; list++) {
    for (let url = hosts.head(host, list); url !== NONE; url = urls.link(url)) {
      if (url >= committed) continue;
      const [text] = world.store.readUrlsNow([url], [-1]);
      const origin = robots.find(RobotsGate.nameOf(text.url));
      if (origin === undefined || robots.gate(origin, now) !== 'wait') return true;
    }
  }
  return false;
}

/** Keeps a simple copy of a heap beside it and compares what comes out: earliest first, ties by age. */
function shadow(heap: TimeHeap): void {
  const entries: { time: number; value: number; stamp: number }[] = [];
  const push = heap.push.bind(heap);
  const pop = heap.pop.bind(heap);
  heap.push = (time, value, stamp = 0) => {
    let at = entries.length;
    while (at > 0 && entries[at - 1].time > time) at--;
    entries.splice(at, 0, { time, value, stamp });
    push(time, value, stamp);
  };
  heap.pop = () => {
    const first = entries.shift();
    if (first !== undefined && (first.time !== heap.time || first.value !== heap.value || first.stamp !== heap.stamp)) {
      throw new Violation(`the ready heap gives host ${heap.value}, host ${first.value} has been ready for longer`);
    }
    pop();
  };
}
