/**
 * Shared hosting (DESIGN 4, Keys): an address that has answered for many registrable domains is a large machine, and may
 * have a second request at a smaller gap. One 429, 503 or refused connection ends that for the rest of the crawl. The
 * number of domains never takes the clock away.
 */
import { OUTCOMES, type OutcomeCode } from '../errors.js';

export interface SharedRules {
  /** An address that answered for more registrable domains than this is shared. */
  readonly from: number;
  /** Requests at once to one that is. */
  readonly requests: number;
  /** The gap between them, ms. */
  readonly gap: number;
}

/** Answers that bring an address back to one request at a time. (A row that says `connect.elsewhere` does not say why.) */
const STRIKES: ReadonlySet<OutcomeCode> = new Set(['http.throttled', 'connect.refused', 'connect.elsewhere']);

export const isStrike = (code: OutcomeCode): boolean => STRIKES.has(code);

export class SharedAddresses {
  readonly #from: number;
  /** The domains of an address while they are few: the name of the only one, or a set; `true` once it is shared. */
  readonly #domains = new Map<number, string | Set<string> | true>();
  readonly #struck = new Set<number>();

  constructor(from: number) {
    this.#from = from;
  }

  /** May the address have more than one request at once? */
  isShared(address: number): boolean {
    return this.#domains.get(address) === true && !this.#struck.has(address);
  }

  /** A request to the address has ended, for a host of this registrable domain. */
  ended(address: number, domain: string, code: OutcomeCode): void {
    if (isStrike(code)) this.strike(address);
    if (OUTCOMES[code].host === 'success') this.#answered(address, domain);
  }

  /** Its rest of the crawl has one request at a time. */
  strike(address: number): void {
    this.#struck.add(address);
  }

  #answered(address: number, domain: string): void {
    const known = this.#domains.get(address);
    if (known === true || known === domain) return;
    const domains = known instanceof Set ? known : new Set(known === undefined ? [] : [known]);
    domains.add(domain);
    if (domains.size > this.#from) this.#domains.set(address, true);
    else this.#domains.set(address, domains.size === 1 ? domain : domains);
  }
}
