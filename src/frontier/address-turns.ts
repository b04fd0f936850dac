/**
 * Whose turn it is at an address (DESIGN 4, Keys), and which of its addresses a host uses. A host that is due stands in
 * its address's line until a place is *promised* to it; the promise is kept until the address's clock allows the
 * request. A host is pinned to one guarded address for the TTL; after a connect failure it moves to one that has not
 * failed.
 */
import type { FrontierState } from './state.js';

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

  constructor(state: FrontierState, seat: (host: number, now: number) => boolean) {
    this.#state = state;
    this.#seat = seat;
  }

  // -- turns --------------------------------------------------------------------------------------------------------

  /** When a request to the host may start, as far as its own clock and a promise say. */
  readyAt(host: number): number {
    const { hosts, addresses } = this.#state;
    const nextAt = hosts.nextAt[host];
    return this.#promised.has(host) ? Math.max(nextAt, addresses.nextAt(hosts.address[host])) : nextAt;
  }

  /** Asks for the host's turn at its address, and lines it up if it has to wait for others. */
  ask(host: number, now: number): Turn {
    const { addresses, hosts, options } = this.#state;
    if (options.key === 'host') return 'now';
    const address = hosts.address[host];
    const isPromised = this.#promised.has(host);
    if (!isPromised && !addresses.isPlaceFree(address)) {
      if (this.#claims.delete(host)) addresses.queueFirst(address, host);
      else addresses.queue(address, host);
      return 'line';
    }
    this.#claims.delete(host);
    if (addresses.nextAt(address) <= now) return 'now';
    if (!isPromised) this.#promise(host, address);
    return 'later';
  }

  /** The host's request begins: its place is taken. */
  start(host: number): void {
    const { addresses, hosts } = this.#state;
    if (this.#promised.delete(host)) addresses.breakPromise(hosts.address[host]);
    addresses.start(hosts.address[host]);
  }

  /** A request to the address ended. No other may start before `nextAt`. */
  end(address: number, nextAt: number, now: number): void {
    const { addresses } = this.#state;
    addresses.owe(address, nextAt);
    addresses.end(address);
    this.#advance(address, now);
  }

  /** The host does not use its turn: it goes to the next of the line. */
  pass(host: number, now: number): void {
    if (!this.#promised.delete(host)) return;
    const address = this.#state.hosts.address[host];
    this.#state.addresses.breakPromise(address);
    this.#advance(address, now);
  }

  /** The host has to find out its address first; then its turn comes before all others'. */
  defer(host: number, now: number): void {
    if (this.#promised.has(host)) this.#claims.add(host);
    this.pass(host, now);
  }

  /** Takes the host out of the line, and its turn from it. */
  leave(host: number, now: number): void {
    const { addresses, hosts } = this.#state;
    if (hosts.address[host] >= 0) addresses.leave(hosts.address[host], host);
    this.#claims.delete(host);
    this.pass(host, now);
  }

  #promise(host: number, address: number): void {
    this.#promised.add(host);
    this.#state.addresses.promise(address);
  }

  /** Promises free places to the first of the line. */
  #advance(address: number, now: number): void {
    const { addresses } = this.#state;
    while (addresses.isPlaceFree(address)) {
      const host = addresses.shift(address);
      if (host < 0) return;
      this.#promise(host, address);
      if (this.#seat(host, now)) continue;
      this.#promised.delete(host);
      addresses.breakPromise(address);
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
    const fresh = guarded.filter((address) => !failed.includes(address));
    const chosen = fresh.includes(pinned) ? pinned : (fresh[0] ?? guarded[0]);
    hosts.address[host] = addresses.intern(chosen);
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
    const next = this.#spares.get(host)?.find((address) => !failed.includes(address));
    if (next === undefined) {
      this.#failed.delete(host);
      hosts.address[host] = -1; // asked again: perhaps the host moved
      return false;
    }
    this.#failed.set(host, failed);
    // both clocks count: the host's own goes on, and the new address has its own
    hosts.address[host] = addresses.intern(next);
    return true;
  }

  /** The host answered at its address. */
  answered(host: number): void {
    this.#failed.delete(host);
  }
}
