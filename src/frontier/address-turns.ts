/**
 * Whose turn it is at an address (DESIGN 4, Keys), and which of its addresses a host uses. A host that is due stands in
 * its address's line until a place is *promised* to it; the promise is kept until the address's clock allows the
 * request. A host is pinned to one guarded address for the TTL; after a connect failure it moves to one that has not
 * failed.
 *
 * Where a host takes its turns (`hosts.turn`) depends on `politeness.key`: nowhere (`host`), at its address (`ip`), or
 * (`host+ip`) at its address, unless that is a CDN's, where the pair of host and address is what has a clock, and that
 * is the host's own: there it takes turns with the hosts of its registrable domain.
 */
import type { OutcomeCode } from '../errors.js';
import type { FrontierOptions, Lease } from './lease.js';
import type { FrontierState } from './state.js';

/** What an address owes that has no clock. */
const NO_CLOCK = -1;
/** No turns are taken. */
const NOWHERE = -1;

/** `now`: the request may be made. `later`: a place is promised, the clock is not there yet. `line`: wait your turn. */
type Turn = 'now' | 'later' | 'line';

export class AddressTurns {
  readonly #state: FrontierState;
  /** Puts a host whose turn came where it will be leased; false if it went elsewhere. */
  readonly #seat: (host: number, now: number) => boolean;
  readonly #promised = new Set<number>();
  /** Hosts that had a promise when the TTL of their address ended: they come first as soon as it is known again, or a
   * line that is longer than the TTL would never let them through. */
  readonly #claims = new Set<number>();
  /** Addresses of a host that has several, and those of them that failed since it last answered. */
  readonly #spares = new Map<number, readonly string[]>();
  readonly #failed = new Map<number, string[]>();
  /** An IPv6 address has answered in this process: from then on they come first. */
  #ipv6Works = false;

  constructor(state: FrontierState, seat: (host: number, now: number) => boolean) {
    this.#state = state;
    this.#seat = seat;
  }

  // -- turns --------------------------------------------------------------------------------------------------------

  /** When a request to the host may start, as far as its own clock and a promise say. */
  readyAt(host: number): number {
    const { hosts, addresses } = this.#state;
    const nextAt = hosts.nextAt[host];
    return this.#promised.has(host) ? Math.max(nextAt, addresses.nextAt(hosts.turn[host])) : nextAt;
  }

  /** Asks for the host's turn at its address, and lines it up if it has to wait for others. */
  ask(host: number, now: number): Turn {
    const { addresses, hosts } = this.#state;
    const at = hosts.turn[host];
    if (at === NOWHERE) return 'now';
    const isPromised = this.#promised.has(host);
    if (!isPromised && !addresses.isPlaceFree(at)) {
      if (this.#claims.delete(host)) addresses.queueFirst(at, host);
      else addresses.queue(at, host);
      return 'line';
    }
    this.#claims.delete(host);
    if (addresses.nextAt(at) <= now) return 'now';
    if (!isPromised) this.#promise(host, at);
    return 'later';
  }

  /** Others wait for their turn where this host takes its own. */
  isContested(host: number): boolean {
    const at = this.#state.hosts.turn[host];
    return at !== NOWHERE && this.#state.addresses.waiting(at) > 0;
  }

  /** The host's request begins: its place is taken. */
  start(host: number, now: number): void {
    const { addresses, hosts, shared, options } = this.#state;
    const at = hosts.turn[host];
    if (at === NOWHERE) return;
    if (this.#promised.delete(host)) addresses.breakPromise(at);
    addresses.start(at);
    if (shared.isShared(at)) addresses.owe(at, now + sharedGap(options)); // the second request keeps that distance
  }

  /** The request of a lease ended.
   * @param at where it took its turn
   * @param code how it really ended: a failure at one of several addresses is one
   * @param hostDelay what its host is owed, ms
   * @returns what the address is owed from `ended` on, ms; -1 if it has no clock */
  end(at: number, { address, host }: Lease, code: OutcomeCode, ended: number, hostDelay: number, now: number): number {
    const { addresses, hosts } = this.#state;
    if (at === NOWHERE) return NO_CLOCK;
    const delay = at === address ? this.#addressDelay(at, hosts.domains[host], code, hostDelay) : NO_CLOCK;
    if (delay !== NO_CLOCK) addresses.owe(at, ended + delay);
    addresses.end(at);
    this.#advance(at, now);
    return delay;
  }

  /** Where the address owes what the host owes: it owes more than was known when the request ended. */
  oweMore(host: number): void {
    const { addresses, hosts, options } = this.#state;
    if (options.key === 'ip' && hosts.turn[host] !== NOWHERE) addresses.owe(hosts.turn[host], hosts.nextAt[host]);
  }

  #addressDelay(address: number, domain: string, code: OutcomeCode, hostDelay: number): number {
    const { addresses, shared, options } = this.#state;
    if (options.key === 'ip') return hostDelay;
    shared.ended(address, domain, code);
    const isShared = shared.isShared(address);
    addresses.setPlaces(address, isShared ? options.shared.requests : 1);
    return isShared ? sharedGap(options) : options.rules.delay;
  }

  /** The host does not use its turn: it goes to the next of the line. */
  pass(host: number, now: number): void {
    if (!this.#promised.delete(host)) return;
    const at = this.#state.hosts.turn[host];
    this.#state.addresses.breakPromise(at);
    this.#advance(at, now);
  }

  /** The host has to find out its address first; then its turn comes before all others'. */
  defer(host: number, now: number): void {
    if (this.#promised.has(host)) this.#claims.add(host);
    this.pass(host, now);
  }

  /** Takes the host out of the line, and its turn from it. */
  leave(host: number, now: number): void {
    const { addresses, hosts } = this.#state;
    if (hosts.turn[host] !== NOWHERE) addresses.leave(hosts.turn[host], host);
    this.#claims.delete(host);
    this.pass(host, now);
  }

  #promise(host: number, at: number): void {
    this.#promised.add(host);
    this.#state.addresses.promise(at);
  }

  /** Promises free places to the first of the line. */
  #advance(at: number, now: number): void {
    const { addresses } = this.#state;
    while (addresses.isPlaceFree(at)) {
      const host = addresses.shift(at);
      if (host < 0) return;
      this.#promise(host, at);
      if (this.#seat(host, now)) continue;
      this.#promised.delete(host);
      addresses.breakPromise(at);
    }
  }

  // -- the address of a host ----------------------------------------------------------------------------------------

  isKnown(host: number, now: number): boolean {
    const { hosts } = this.#state;
    return hosts.address[host] >= 0 && hosts.addressUntil[host] > now;
  }

  /** Pins a host to one of its guarded addresses: the one that it has, if it still has it and it has not failed. */
  pin(host: number, guarded: readonly string[], until: number): void {
    const { hosts, addresses } = this.#state;
    const pinned = hosts.address[host] < 0 ? '' : addresses.names[hosts.address[host]];
    const failed = this.#failed.get(host) ?? [];
    const fresh = this.#inOrder(guarded.filter((address) => !failed.includes(address)));
    const chosen = fresh.includes(pinned) ? pinned : (fresh[0] ?? guarded[0]);
    this.#move(host, chosen);
    hosts.addressUntil[host] = until;
    if (guarded.length > 1) this.#spares.set(host, guarded);
    else this.#spares.delete(host);
  }

  /** The host's address failed: pins one that has not failed since the host last answered. False if there is none: then
   * the failure counts, and the next series begins with all of them. */
  useSpare(host: number): boolean {
    const { hosts, addresses } = this.#state;
    const failed = this.#failed.get(host) ?? [];
    failed.push(addresses.names[hosts.address[host]]);
    const next = this.#inOrder(this.#spares.get(host) ?? []).find((address) => !failed.includes(address));
    if (next === undefined) {
      this.#failed.delete(host);
      hosts.address[host] = -1; // asked again: perhaps the host moved
      hosts.turn[host] = NOWHERE;
      return false;
    }
    this.#failed.set(host, failed);
    this.#move(host, next);
    return true;
  }

  /** The host answered at this address. */
  answered(host: number, address: number): void {
    this.#failed.delete(host);
    if (!this.#ipv6Works) this.#ipv6Works = isIpv6(this.#state.addresses.names[address]);
  }

  /** The host is at this address from now on. Both clocks count, the host's own, which goes on, and the address's: it
   * owes the larger. */
  #move(host: number, name: string): void {
    const { hosts, addresses, options } = this.#state;
    const address = addresses.intern(name);
    hosts.address[host] = address;
    if (options.key === 'host') hosts.turn[host] = NOWHERE;
    else if (options.key === 'ip' || !addresses.isCdn(address)) hosts.turn[host] = address;
    else hosts.turn[host] = addresses.internDomain(hosts.domains[host], options.perDomain);
  }

  /** IPv4 first until IPv6 has worked, each family in the order of the answer. */
  #inOrder(addresses: readonly string[]): readonly string[] {
    const [first, second] = this.#ipv6Works ? [true, false] : [false, true];
    const ofFamily = (family: boolean): string[] => addresses.filter((address) => isIpv6(address) === family);
    return addresses.length < 2 ? addresses : [...ofFamily(first), ...ofFamily(second)];
  }
}

/** The smaller gap of a shared address is never larger than that of any other. */
const sharedGap = ({ shared, rules }: FrontierOptions): number => Math.min(shared.gap, rules.delay);

const isIpv6 = (address: string): boolean => address.includes(':');
