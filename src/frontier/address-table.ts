/**
 * The address clocks: one request at a time and the delay floor for each address, whatever the number of host names it
 * serves (DESIGN 4, Keys). Hosts that are due while their address is taken stand in its line, first come first served.
 * A registrable domain at a CDN has an entry as well: places and a line, but no clock.
 *
 * An entry has places (one, unless said otherwise). A place is *in flight* (a request) or *promised* (to a host that will
 * be leased as soon as the address's clock allows); everybody else waits in the line, so a due host is looked at once,
 * not at every turn.
 */
import { PlainColumns } from '../columns.js';
import { WideMap } from '../wide-map.js';

export class AddressTable {
  readonly names: string[] = [];
  readonly #ids = new WideMap<string, number>();
  readonly #columns = new PlainColumns();
  readonly #next = this.#columns.add(Float64Array);
  readonly #inFlight = this.#columns.add(Uint8Array);
  readonly #promised = this.#columns.add(Uint8Array);
  readonly #places = this.#columns.add(Uint8Array);
  readonly #cdn = this.#columns.add(Uint8Array);
  readonly #isCdn: (address: string) => boolean;
  readonly #lines = new Map<number, { hosts: number[]; head: number }>();

  /** No request to an address that becomes known may start before (ms). */
  newcomersAt = 0;

  /** @param isCdn is an address one of a known CDN's? */
  constructor(isCdn: (address: string) => boolean = () => false) {
    this.#isCdn = isCdn;
  }

  get size(): number {
    return this.names.length;
  }

  /** Id of an address, dense from 0. */
  intern(name: string): number {
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    const id = this.#append(name, 1);
    this.#next[id] = this.newcomersAt;
    this.#cdn[id] = this.#isCdn(name) ? 1 : 0;
    return id;
  }

  /** Id of the entry of a registrable domain at CDNs, which has `places` and no clock. */
  internDomain(domain: string, places: number): number {
    const name = `*.${domain}`; // no address looks like that
    return this.#ids.get(name) ?? this.#append(name, places);
  }

  #append(name: string, places: number): number {
    const id = this.names.length;
    this.names.push(name);
    this.#ids.set(name, id);
    this.#columns.reserve(id + 1);
    this.#places[id] = places;
    return id;
  }

  /** Is it an address of a CDN? */
  isCdn(id: number): boolean {
    return this.#cdn[id] === 1;
  }

  /** Requests that there may be at once. */
  setPlaces(id: number, places: number): void {
    this.#places[id] = places;
  }

  /** No request to the address may start before (ms). */
  nextAt(id: number): number {
    return this.#next[id];
  }

  /** Moves the clock forward, never back. */
  owe(id: number, nextAt: number): void {
    if (nextAt > this.#next[id]) this.#next[id] = nextAt;
  }

  /** Sets the clock, for a crawl that goes on. */
  reset(id: number, nextAt: number): void {
    this.#next[id] = nextAt;
  }

  inFlight(id: number): number {
    return this.#inFlight[id];
  }

  isPlaceFree(id: number): boolean {
    return this.#inFlight[id] + this.#promised[id] < this.#places[id];
  }

  promise(id: number): void {
    this.#promised[id]++;
  }
  breakPromise(id: number): void {
    this.#promised[id]--;
  }
  start(id: number): void {
    this.#inFlight[id]++;
  }
  end(id: number): void {
    this.#inFlight[id]--;
  }

  /** Hosts in the line. */
  waiting(id: number): number {
    const line = this.#lines.get(id);
    return line === undefined ? 0 : line.hosts.length - line.head;
  }

  queue(id: number, host: number): void {
    const line = this.#lines.get(id);
    if (line === undefined) this.#lines.set(id, { hosts: [host], head: 0 });
    else line.hosts.push(host);
  }

  /** The host comes before all others of the line. */
  queueFirst(id: number, host: number): void {
    const line = this.#lines.get(id);
    if (line === undefined) this.queue(id, host);
    else if (line.head > 0) line.hosts[--line.head] = host;
    else line.hosts.unshift(host);
  }

  /** The first host of the line, taken out of it, or -1. */
  shift(id: number): number {
    const line = this.#lines.get(id);
    if (line === undefined) return -1;
    const host = line.hosts[line.head++];
    if (line.head === line.hosts.length) this.#lines.delete(id);
    else if (line.head > 1024 && line.head * 2 > line.hosts.length) {
      line.hosts = line.hosts.slice(line.head);
      line.head = 0;
    }
    return host;
  }

  /** Takes a host out of the line wherever it stands (it was blocked, or got another address). Linear; rare. */
  leave(id: number, host: number): void {
    const line = this.#lines.get(id);
    const at = line === undefined ? -1 : line.hosts.indexOf(host, line.head);
    if (line === undefined || at < 0) return;
    line.hosts.splice(at, 1);
    if (line.head === line.hosts.length) this.#lines.delete(id);
  }
}
