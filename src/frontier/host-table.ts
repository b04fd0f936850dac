/**
 * What memory holds of each host: columns that grow in place, and its name. Ids are dense, from 0, in the order in which
 * hosts were met.
 */
import { PlainColumns } from '../columns.js';
import { WideMap } from '../wide-map.js';
import { HostFacts } from './host-facts.js';
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
/** And then that of pages that are due again; its bit stands behind those of the levels. */
export const REVISIT_LIST = LEVELS + 1;
export const REVISITS = 1 << LEVELS;
const LISTS = LEVELS + 2;

export class HostTable extends HostFacts {
  readonly #columns = new PlainColumns();
  readonly names: string[] = [];
  readonly #byName = new WideMap<string, number>();
  readonly domains: string[] = [];
  readonly #domainHosts = new WideMap<string, number>();

  /** Heads and tails of the lists: five levels, then the denied list and that of revisits. */
  readonly #heads = this.#columns.add(Uint32Array, LISTS);
  readonly #tails = this.#columns.add(Uint32Array, LISTS);
  /** One bit a level that has URLs, and one for revisits. */
  readonly levels = this.#columns.add(Uint8Array);
  /** URLs in the level lists and in the look-ahead. */
  readonly queued = this.#columns.add(Uint32Array);
  /** Validity of heap entries: bumped whenever the host is rescheduled. */
  readonly stamp = this.#columns.add(Uint32Array);
  readonly frontPrevious = this.#columns.add(Uint32Array);
  readonly frontNext = this.#columns.add(Uint32Array);
  readonly frontLevel = this.#columns.add(Uint8Array);
  /** Slot + 1 of the back queue it holds, 0 for none. */
  readonly slot = this.#columns.add(Uint32Array);
  readonly worker = this.#columns.add(Uint16Array);
  /** The time under which it came up in the ready heap and was not leased (its texts, its address or its turn there were
   * to be waited for): its place among those that are due. 0 if there is none. */
  readonly dueSince = this.#columns.add(Float64Array);

  /** Address id, -1 for none, and until when it is pinned (ms). */
  readonly address = this.#columns.add(Int32Array);
  /** Where the host takes its turns (`address-turns.ts`): an id of the address table, -1 for nowhere. */
  readonly turn = this.#columns.add(Int32Array);
  readonly addressUntil = this.#columns.add(Float64Array);

  /** Until when its last look-up that failed holds (ms): it was counted. */
  readonly unresolvedUntil = this.#columns.add(Float64Array);

  /** Which other hosts link here: a hash of each sets one of 32 bits, a sketch of their number. */
  readonly linkers = this.#columns.add(Uint32Array);

  /** What revisits may claim of the next turn: their share of each turn since the last that was theirs. */
  readonly revisitClaim = this.#columns.add(Float64Array);

  /** No request to a host that becomes known may start before (ms). */
  newcomersAt = 0;

  get size(): number {
    return this.names.length;
  }

  /** Bytes of the columns. */
  get bytes(): number {
    return this.#columns.bytes + this.facts.bytes;
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
    this.#columns.reserve(id + 1);
    this.begin(id, budget, named, now);
    this.names.push(name);
    this.domains.push(domain);
    this.#byName.set(name, id);
    this.#domainHosts.set(domain, this.hostsOfDomain(domain) + 1);
    this.#heads.fill(NONE, id * LISTS, (id + 1) * LISTS);
    this.#tails.fill(NONE, id * LISTS, (id + 1) * LISTS);
    this.nextAt[id] = this.newcomersAt;
    this.address[id] = -1;
    this.turn[id] = -1;
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
}
