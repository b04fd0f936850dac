/** What a process of the large simulation knows of hosts and pages: the part of admission, robots desk and text reader, in
 * numbers. `admit/admission.ts` and `admit/robots-desk.ts` do it with whole URLs in the small simulation. */
import { noChanges } from '../changes.js';
import type { UrlText } from '../engines/ports.js';
import type { OutcomeCode } from '../errors.js';
import { mayAdmit } from '../frontier/budgets.js';
import type { Frontier } from '../frontier/frontier.js';
import type { Lease, Resolution } from '../frontier/lease.js';
import { type Origin, RobotsGate, type RobotsVerdict } from '../frontier/robots-gate.js';
import { breadthFirst } from '../frontier/score.js';
import { PageState } from './simulation-large-checks.js';
import type { LargeWorld } from './simulation-large-world.js';

/** Of a robots.txt: how long it is fresh, and the first step of the ladder of a failing one, ms. */
const FRESH = 86_400_000;
const RETRY = 300_000;
/** How long an address is pinned, ms. */
const TTL = 3 * 3_600_000;
/** Rules that forbid what is private. */
const RULES = { allows: (url: string): boolean => !url.endsWith('/private/') };

export class LargeDesk {
  /** What the frontier appends to; {@link absorb} empties it. */
  readonly changes = noChanges();
  readonly #world: LargeWorld;
  readonly #frontier: Frontier;
  /** Numbers of hosts in the web, by their id in the crawl; and ids by number, -1 for hosts that are not known. */
  readonly hosts: number[] = [];
  readonly #ids: Int32Array;
  readonly #address: Uint32Array;
  readonly #lookups = new Map<number, number>();
  readonly #failures = new Map<number, number>();
  /** Told that rows were written. */
  readonly #onRows: () => void;

  constructor(world: LargeWorld, frontier: Frontier, onRows: () => void) {
    this.#world = world;
    this.#frontier = frontier;
    this.#onRows = onRows;
    this.#address = new Uint32Array(world.web.hosts);
    this.#ids = new Int32Array(world.web.hosts).fill(-1);
  }

  // -- what becomes known -------------------------------------------------------------------------------------------

  /** Makes a page known unless something speaks against it. */
  admit(host: number, page: number, isSeed: boolean): void {
    const { web, oracle, ledger, now } = this.#world;
    if (oracle.state(page) !== PageState.unknown) return;
    const { hosts } = this.#frontier;
    const id = this.#ids[host] >= 0 ? this.#ids[host] : this.#addHost(host);
    if (!isSeed && !mayAdmit(hosts, id, now)) {
      this.#world.refused++;
      return;
    }
    const level = isSeed ? 0 : this.#level(host, page, hosts.admitted[id]);
    const denied = web.isPrivate(page) && this.#isDenied(web.urlOf(host, page), now);
    const url = this.#frontier.add(id, level, denied, now);
    ledger.url(page, id, level);
    this.#onRows();
    if (denied) {
      this.changes.denied.push({ url, at: now, denied });
      this.absorb();
    } else {
      oracle.become(host, page, PageState.pending, now);
    }
  }

  #level(host: number, page: number, hostUrls: number): number {
    const depth = this.#world.web.depthOf(host, page);
    return breadthFirst({ depth, kind: 'page', hostUrls, linkingHosts: 0, priority: null });
  }

  #isDenied(url: string, now: number): boolean {
    const { robots } = this.#frontier;
    const origin = robots.find(RobotsGate.nameOf(url));
    return origin !== undefined && robots.gate(origin, now) === 'open' && !robots.allows(origin, url);
  }

  #addHost(host: number): number {
    const { web, options, now } = this.#world;
    const name = web.nameOf(host);
    const domain = name.slice(name.indexOf('.') + 1);
    const id = this.#frontier.addHost(name, domain, options.budget, false, now);
    this.changes.hosts.push({ id, name, domain, named: false, budget: options.budget, at: now });
    this.#know(id, host);
    return id;
  }

  #know(id: number, host: number): void {
    this.#ids[host] = id;
    this.hosts[id] = host;
  }

  /** Hosts that a rebuild brought back. */
  restoreHosts(): void {
    for (let id = 0; id < this.#frontier.hosts.size; id++) this.#know(id, this.#world.ledger.hostOf(id));
  }

  /** Takes over what the frontier says has changed: to the ledger, and to what is known of pages. */
  absorb(): void {
    const { changes } = this;
    const { hosts, hostEvents, denied, dead, robots, requests, meta } = changes;
    const count = hosts.length + hostEvents.length + denied.length + dead.length + robots.length + requests.length;
    if (count + meta.length === 0) return; // after most steps
    const { oracle, ledger } = this.#world;
    for (const row of denied) this.#become(row.url, row.denied ? PageState.denied : PageState.pending);
    for (const { url } of dead) {
      if (oracle.state(ledger.pageOf(url)) !== PageState.dead) this.#become(url, PageState.dead);
    }
    ledger.take(changes);
    for (const rows of [hosts, hostEvents, denied, dead, robots, requests, meta]) rows.length = 0;
    this.#onRows();
  }

  #become(url: number, state: PageState): void {
    const { oracle, ledger, web, now } = this.#world;
    const page = ledger.pageOf(url);
    oracle.become(web.hostOf(page), page, state, now);
  }

  // -- names and texts ----------------------------------------------------------------------------------------------

  /** Number of the address that the host was last found at. */
  addressOf(host: number): number {
    return this.#address[host];
  }

  /** What the resolver says of a host. */
  lookup(id: number): Resolution {
    const { web, now } = this.#world;
    const host = this.hosts[id];
    const asked = (this.#lookups.get(host) ?? 0) + 1;
    this.#lookups.set(host, asked);
    if (asked <= web.lookupFailures(host)) return { code: 'dns.timeout', words: 'dns.timeout' };
    const address = web.addressOf(host, now);
    this.#address[host] = address;
    return { addresses: [web.addressName(address)], until: now + TTL };
  }

  text(id: number, url: number): UrlText {
    const { web, ledger } = this.#world;
    const target = web.urlOf(this.hosts[id], ledger.pageOf(url));
    return { id: url, url: target, kind: 'page', depth: 1, hops: 0, last: null };
  }

  // -- robots.txt ---------------------------------------------------------------------------------------------------

  /** A lease of a robots.txt ended. */
  settleRobots(lease: Lease, code: OutcomeCode): void {
    const { now } = this.#world;
    const origin = this.#frontier.robots.origins[lease.origin];
    if (code === 'lease.returned') {
      this.#frontier.robotsReturned(origin, now);
      return;
    }
    const failed = code !== 'ok' && code !== 'http.gone';
    const failures = failed ? (this.#failures.get(lease.host) ?? 0) + 1 : 0;
    const row = { origin: origin.name, host: lease.host, at: now, request: 0, status: 0, code, body: null, failures };
    this.changes.robots.push({ ...row, failingSince: failed ? now : null });
    const [verdict, crawlDelay] = this.#verdict(lease.host, now, failures);
    this.#frontier.setRobots(origin, verdict, crawlDelay, false, now, this.changes);
  }

  /** A row that a rebuild brought back. */
  restoreRobots(origin: Origin, at: number, failures: number): void {
    this.#frontier.restoreRobots(origin, ...this.#verdict(origin.host, at, failures));
  }

  #verdict(id: number, at: number, failures: number): [RobotsVerdict, crawlDelay: number] {
    this.#failures.set(id, failures);
    const { web, ledger } = this.#world;
    if (failures > 0) {
      return [{ verdict: 'deny', rules: null, until: at + Math.min(RETRY * 2 ** (failures - 1), FRESH) }, 0];
    }
    const host = this.hosts[id] ?? ledger.hostOf(id);
    if (!web.hasRules(host)) return [{ verdict: 'allow', rules: null, until: at + FRESH }, 0];
    return [{ verdict: 'rules', rules: RULES, until: at + FRESH }, web.crawlDelayOf(host)];
  }
}
