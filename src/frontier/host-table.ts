/**
 * What memory holds of each host: columns, no object. Ids are dense, from 0, in the order in which hosts were met.
 */
import { LEVELS, NONE } from './url-table.js';

/** Where a host stands. `idle`: nothing to fetch. `front`: in a front queue. `back`: holds a back queue. `asleep`: not
 * before its wake time. `resolving`: asked for an address. `parked`: waits in its address's line without a back queue.
 * `robots`: waits for a robots.txt that another host serves. `off`: blocked or dropped. */
export const HostState = {
  idle: 0,
  front: 1,
  back: 2,
  asleep: 3,
  resolving: 4,
  parked: 5,
  robots: 6,
  off: 7,
} as const;
export type HostState = (typeof HostState)[keyof typeof HostState];

/** Why a host waits: the keys of the summary's `waiting`. */
export const WAIT_REASONS = ['delay', 'throttled', 'robots', 'dns', 'offline', 'budget', 'retry', 'blocked'] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

/** The list of URLs that robots deny comes behind the five levels. */
export const DENIED_LIST = LEVELS;
const LISTS = LEVELS + 1;

type Column = Float64Array | Uint32Array | Int32Array | Uint16Array | Uint8Array;

export class HostTable {
  #capacity = 1024;
  readonly names: string[] = [];
  readonly #byName = new Map<string, number>();
  readonly domains: string[] = [];
  readonly #domainHosts = new Map<string, number>();

  /** Heads and tails of the lists: five levels, then the denied list. */
  #heads = new Uint32Array(1024 * LISTS);
  #tails = new Uint32Array(1024 * LISTS);
  /** One bit a level that has URLs. */
  levels = new Uint8Array(1024);
  /** URLs in the level lists and in the look-ahead. */
  queued = new Uint32Array(1024);
  state = new Uint8Array(1024);
  reason = new Uint8Array(1024);
  /** Validity of heap entries: bumped whenever the host is rescheduled. */
  stamp = new Uint32Array(1024);
  frontPrevious = new Uint32Array(1024);
  frontNext = new Uint32Array(1024);
  frontLevel = new Uint8Array(1024);
  /** Slot + 1 of the back queue it holds, 0 for none. */
  slot = new Uint32Array(1024);
  worker = new Uint16Array(1024);

  /** The politeness clock: no request may start before (ms). */
  nextAt = new Float64Array(1024);
  /** The delay that was owed when `nextAt` was set (ms). */
  owed = new Float64Array(1024);
  /** Time until which the host rests for a reason of its own (offline, asleep, budget), 0 if it does not. */
  restUntil = new Float64Array(1024);
  /** The Crawl-delay in force (ms), 0 for none. */
  crawlDelay = new Float64Array(1024);
  /** The penalty delay of 429 and 503 answers (ms), 0 for none. */
  penalty = new Float64Array(1024);
  /** 429 or 503 in a row; steps of the sleep ladder taken; unreachable in a row; steps of the offline ladder. */
  throttles = new Uint8Array(1024);
  sleeps = new Uint8Array(1024);
  failures = new Uint8Array(1024);
  offline = new Uint8Array(1024);

  /** Address id, -1 for none, and until when it is pinned (ms). */
  address = new Int32Array(1024);
  /** Where the host takes its turns (`address-turns.ts`): an id of the address table, -1 for nowhere. */
  turn = new Int32Array(1024);
  addressUntil = new Float64Array(1024);

  /** Which other hosts link here: a hash of each sets one of 32 bits, a sketch of their number. */
  linkers = new Uint32Array(1024);

  /** URLs admitted and fetched since `windowStart`; the budget (NONE: no limit). */
  admitted = new Uint32Array(1024);
  fetched = new Uint32Array(1024);
  windowStart = new Float64Array(1024);
  budget = new Uint32Array(1024);
  /** Operator-named (private ranges that were opened may be reached). */
  named = new Uint8Array(1024);

  /** No request to a host that becomes known may start before (ms). */
  newcomersAt = 0;
  /** How long a budget lasts, ms. */
  budgetPeriod = 30 * 86_400_000;

  get size(): number {
    return this.names.length;
  }

  /** Id of a host name, or -1. */
  find(name: string): number {
    return this.#byName.get(name) ?? -1;
  }

  /** Hosts met so far under a registrable domain. */
  hostsOfDomain(domain: string): number {
    return this.#domainHosts.get(domain) ?? 0;
  }

  append(name: string, domain: string, budget: number | null, named: boolean, now: number): number {
    const id = this.names.length;
    if (id === this.#capacity) this.#grow();
    this.names.push(name);
    this.domains.push(domain);
    this.#byName.set(name, id);
    this.#domainHosts.set(domain, this.hostsOfDomain(domain) + 1);
    this.#heads.fill(NONE, id * LISTS, (id + 1) * LISTS);
    this.#tails.fill(NONE, id * LISTS, (id + 1) * LISTS);
    this.nextAt[id] = this.newcomersAt;
    this.address[id] = -1;
    this.turn[id] = -1;
    this.windowStart[id] = now;
    this.budget[id] = budget ?? NONE;
    this.named[id] = named ? 1 : 0;
    return id;
  }

  head(host: number, list: number): number {
    return this.#heads[host * LISTS + list];
  }
  setHead(host: number, list: number, url: number): void {
    this.#heads[host * LISTS + list] = url;
  }
  tail(host: number, list: number): number {
    return this.#tails[host * LISTS + list];
  }
  setTail(host: number, list: number, url: number): void {
    this.#tails[host * LISTS + list] = url;
  }

  #grow(): void {
    const grow = <A extends Column>(old: A, grown: A): A => {
      grown.set(old);
      return grown;
    };
    const n = this.#capacity * 2;
    this.#capacity = n;
    this.#heads = grow(this.#heads, new Uint32Array(n * LISTS));
    this.#tails = grow(this.#tails, new Uint32Array(n * LISTS));
    for (const name of ['levels', 'state', 'reason', 'frontLevel', 'throttles', 'sleeps'] as const)
      this[name] = grow(this[name], new Uint8Array(n));
    for (const name of ['failures', 'offline', 'named'] as const) this[name] = grow(this[name], new Uint8Array(n));
    for (const name of ['queued', 'stamp', 'frontPrevious', 'frontNext', 'slot'] as const)
      this[name] = grow(this[name], new Uint32Array(n));
    for (const name of ['admitted', 'fetched', 'budget', 'linkers'] as const)
      this[name] = grow(this[name], new Uint32Array(n));
    for (const name of ['nextAt', 'owed', 'restUntil', 'crawlDelay', 'penalty'] as const)
      this[name] = grow(this[name], new Float64Array(n));
    for (const name of ['addressUntil', 'windowStart'] as const) this[name] = grow(this[name], new Float64Array(n));
    this.worker = grow(this.worker, new Uint16Array(n));
    this.address = grow(this.address, new Int32Array(n));
    this.turn = grow(this.turn, new Int32Array(n));
  }
}
