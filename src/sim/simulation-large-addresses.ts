/** What the addresses of the large simulation are owed (DESIGN 4, Keys), in constant time a request. The oracle of the
 * small simulation says the same with sets of names, and is stricter about when an address counts as shared. */
import type { OutcomeCode } from '../errors.js';
import type { LargeWeb } from './simulation-large-web.js';
import { type OracleRules, Violation } from './simulation-oracle.js';

/** What has a clock, and how many requests there may be at once. */
const Kind = { plain: 0, cdn: 1 } as const;

export class LargeAddresses {
  readonly #web: LargeWeb;
  readonly #rules: OracleRules;
  readonly #kind: Uint8Array;
  readonly #atOnce: Uint16Array;
  readonly #end: Float64Array;
  /** No request to an address before: the last start was not a clean one. */
  #notBefore = 0;
  /** Hosts that got an answer here, and whether one of them was throttled or refused. */
  readonly #served: Uint32Array;
  /** By host: 1 + the address that it was counted at last (some move). */
  readonly #countedAt: Uint32Array;
  readonly #isStruck: Uint8Array;
  /** Requests at CDNs by registrable domain. */
  readonly #atOnceOfDomain: Uint16Array;

  constructor(web: LargeWeb, rules: OracleRules) {
    this.#web = web;
    this.#rules = rules;
    this.#kind = Uint8Array.from({ length: web.addresses }, (_, address) =>
      rules.isCdn(web.addressName(address)) ? Kind.cdn : Kind.plain,
    );
    this.#atOnce = new Uint16Array(web.addresses);
    this.#end = new Float64Array(web.addresses).fill(Number.NEGATIVE_INFINITY);
    this.#served = new Uint32Array(web.addresses);
    this.#countedAt = new Uint32Array(web.hosts);
    this.#isStruck = new Uint8Array(web.addresses);
    this.#atOnceOfDomain = new Uint16Array(web.hosts);
  }

  /** A request to the host begins at the address. @throws Violation if it may not */
  begin(host: number, address: number, now: number): void {
    const { key, delay, perDomain, shared } = this.#rules;
    if (key === 'host') return;
    if (this.#isAtCdn(address)) {
      const domain = this.#web.domainOf(host);
      const atOnce = ++this.#atOnceOfDomain[domain];
      if (atOnce > perDomain) throw new Violation(`domain ${domain} has ${atOnce} leases at once at a CDN`);
      return;
    }
    const isShared = this.#isShared(address);
    const atOnce = ++this.#atOnce[address];
    if (atOnce > (isShared ? shared.requests : 1)) {
      throw new Violation(`address ${address} has ${atOnce} leases at once`);
    }
    const gap = isShared ? Math.min(shared.gap, delay) : delay;
    const early = Math.max(this.#end[address] + gap, this.#notBefore) - now;
    if (early > 0) throw new Violation(`address ${address} is asked ${early} ms too early`);
  }

  end(host: number, address: number, now: number): void {
    if (this.#rules.key === 'host') return;
    if (this.#isAtCdn(address)) {
      this.#atOnceOfDomain[this.#web.domainOf(host)]--;
      return;
    }
    this.#atOnce[address]--;
    this.#end[address] = Math.max(this.#end[address], now);
  }

  delivered(host: number, address: number, code: OutcomeCode): void {
    if (code === 'http.throttled' || code === 'connect.refused') this.#isStruck[address] = 1;
    if (this.#countedAt[host] === address + 1) return;
    this.#countedAt[host] = address + 1;
    this.#served[address]++;
  }

  /** After an unclean stop each address is owed its gap from the start on; what it was struck for may be forgotten. */
  crashed(now: number): void {
    this.#isStruck.fill(0);
    this.#notBefore = now + this.#rules.delay;
  }

  #isAtCdn(address: number): boolean {
    return this.#rules.key === 'host+ip' && this.#kind[address] === Kind.cdn;
  }

  #isShared(address: number): boolean {
    const { key, shared } = this.#rules;
    return key === 'host+ip' && this.#isStruck[address] === 0 && this.#served[address] > shared.from;
  }
}
