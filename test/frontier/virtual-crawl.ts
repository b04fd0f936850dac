/** A frontier alone, on virtual time: hosts whose robots.txt allows everything, requests that take as long as a test says,
 * as many at once as there is room for. */
import { noChanges } from '../../src/changes.js';
import { seededRandom } from '../../src/engines/system.js';
import type { OutcomeCode } from '../../src/errors.js';
import { Frontier } from '../../src/frontier/frontier.js';
import type { FrontierOptions, Lease } from '../../src/frontier/lease.js';
import { TimeHeap } from '../../src/frontier/time-heap.js';
import { FRONTIER } from '../support/decisions.js';

/** A request that was made. */
export interface Made {
  host: number;
  address: string;
  target: string;
  worker: number;
  start: number;
  end: number;
  code: OutcomeCode;
  /** What its address was owed. */
  addressDelay: number;
}

export interface VirtualOptions {
  frontier?: Partial<FrontierOptions>;
  /** Requests at once. */
  room?: number;
  /** How a request ends: ms, and with which outcome. */
  fetch?: (lease: Lease, now: number) => { ms: number; code?: OutcomeCode; retryAfterMs?: number };
  /** Room of each worker, at most, beside `room` for all. */
  workers?: (now: number) => number[];
  addresses?: (host: number, now: number) => readonly string[];
  ttl?: number;
}

export class VirtualCrawl {
  readonly frontier: Frontier;
  readonly made: Made[] = [];
  readonly changes = noChanges();
  now = 1_000_000;
  readonly #options: Required<Omit<VirtualOptions, 'workers'>> & Pick<VirtualOptions, 'workers'>;
  /** Requests under way at each worker. */
  readonly #busy = new Map<number, number>();
  readonly #ends = new TimeHeap();
  readonly #out = new Map<number, { lease: Lease; start: number; code: OutcomeCode; retryAfterMs: number | null }>();
  #room: number;
  #waitUntil = 0;

  constructor(options: VirtualOptions = {}) {
    this.#options = {
      ...{ frontier: {}, room: 1_000_000, fetch: () => ({ ms: 0 }), ttl: Number.POSITIVE_INFINITY },
      addresses: (host: number) => [`10.${host >> 16}.${(host >> 8) & 255}.${host & 255}`],
      ...options,
    };
    this.#room = this.#options.room;
    this.frontier = new Frontier({ ...FRONTIER, backQueuesMax: 65_536, ...options.frontier }, seededRandom(1));
  }

  /** A host with `urls` pending URLs. */
  host(name: string, urls: number, domain = name, level = 1): number {
    const host = this.frontier.addHost(name, domain, null, false, this.now);
    const origin = this.frontier.robots.of(`http://${name}`, host);
    origin.state = { verdict: 'allow', rules: null, until: Number.POSITIVE_INFINITY };
    for (let i = 0; i < urls; i++) this.frontier.add(host, level, false, this.now);
    return host;
  }

  /** Lets time pass; `every` is called after each turn. */
  run(ms: number, every: () => void = () => {}): this {
    const end = this.now + ms;
    for (;;) {
      this.#turn();
      every();
      const at = Math.min(this.#ends.time, this.#room > 0 ? Math.max(this.#waitUntil, this.now + 1) : this.#ends.time);
      if (at > end) break;
      this.now = at;
      while (this.#ends.time <= this.now) {
        const id = this.#ends.value;
        this.#ends.pop();
        this.#end(id);
      }
    }
    this.now = end;
    return this;
  }

  #turn(): void {
    for (;;) {
      const room = this.#rooms();
      const turn = this.frontier.next(this.now, room, Number.POSITIVE_INFINITY, this.changes);
      for (const lease of turn.leases) this.#begin(lease);
      this.#waitUntil = turn.waitUntil;
      if (turn.resolve.length + turn.load.length === 0) return;
      for (const host of turn.resolve) {
        const addresses = this.#options.addresses(host, this.now);
        this.frontier.resolved(host, { addresses, until: this.now + this.#options.ttl }, this.now, this.changes);
      }
      for (const request of turn.load) {
        const name = this.frontier.hosts.names[request.host];
        const texts = request.urls.map((id) => ({
          ...{ id, url: `http://${name}/${id}`, kind: 'page' as const, depth: 0, hops: 0 },
          last: null,
        }));
        this.frontier.loaded(request, texts, this.now);
      }
    }
  }

  #rooms(): Int32Array {
    const { workers } = this.#options;
    if (workers === undefined) return Int32Array.of(this.#room);
    return Int32Array.from(workers(this.now), (room, worker) => room - (this.#busy.get(worker) ?? 0));
  }

  #begin(lease: Lease): void {
    this.#room--;
    this.#busy.set(lease.worker, (this.#busy.get(lease.worker) ?? 0) + 1);
    const { ms, code = 'ok', retryAfterMs = null } = this.#options.fetch(lease, this.now);
    this.#out.set(lease.id, { lease, start: this.now, code, retryAfterMs });
    this.#ends.push(this.now + ms, lease.id);
  }

  #end(id: number): void {
    const { lease, start, code, retryAfterMs } = this.#out.get(id)!;
    this.#out.delete(id);
    this.#room++;
    this.#busy.set(lease.worker, this.#busy.get(lease.worker)! - 1);
    const outcome = { code, status: 200, started: start, ended: this.now, retryAfterMs };
    const { addressDelay } = this.frontier.done(lease, outcome, null, this.now, this.changes);
    const { host, connectTo: address, target, worker } = lease;
    this.made.push({ host, address, target, worker, start, end: this.now, code, addressDelay });
  }
}

/** The most requests that were under way at one moment. */
export function mostAtOnce(made: readonly Made[]): number {
  const edges = made.flatMap(({ start, end }) => [
    [start, 1],
    [Math.max(end, start + 0.5), -1],
  ]);
  edges.sort(([a, da], [b, db]) => a - b || da - db);
  let now = 0;
  let most = 0;
  for (const [, d] of edges) {
    now += d;
    most = Math.max(most, now);
  }
  return most;
}

/** Between the end of each request and the start of the next, by key. */
export function gaps(made: readonly Made[], keyOf: (m: Made) => unknown): number[] {
  const last = new Map<unknown, number>();
  const found: number[] = [];
  for (const request of [...made].sort((a, b) => a.start - b.start)) {
    const key = keyOf(request);
    const before = last.get(key);
    if (before !== undefined) found.push(request.start - before);
    last.set(key, Math.max(request.end, before ?? 0));
  }
  return found;
}
