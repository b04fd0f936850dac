/**
 * The proof of politeness, from the request rows alone: no request to a host began before the last one had ended and its
 * delay was over, and the same for each address. Rows of a host stand in the order in which its requests ended, since
 * there is never more than one at once; overlapping rows are therefore faults by themselves.
 *
 * An address that had answered for many registrable domains, and had not yet refused or throttled, may have had a few
 * requests at once (shared hosting; DESIGN 4, Keys): there at most so many may lie, with their gaps, over one moment.
 */
import type { RequestRow } from '../changes.js';
import { SharedAddresses } from '../frontier/shared-addresses.js';

/** Clocks are written in whole ms: begun rounded down, ended up. */
const ROUNDING = 2;
/** A lease may have gone out before the report of an answer that forbids it came in, ms. */
const UNTOLD = 2_000;
/** Requests of a shared address that are remembered: none lies further back that could still hold a place. */
const RECENT = 32;

/** What the crawl's runs allowed at shared addresses, at most. */
export interface SharedLimits {
  readonly from: number;
  readonly requests: number;
}

interface Clock {
  until: number;
  request: number;
}

interface Span {
  readonly request: number;
  readonly started: number;
  /** Its end, and the gap that its address was owed. */
  readonly until: number;
}

export class DelayProof {
  readonly #hosts = new Map<number, Clock>();
  readonly #addresses = new Map<string, AddressProof>();
  readonly #limits: SharedLimits;
  readonly #domainOf: (host: number) => string;
  /** Gaps that were looked at. */
  gaps = 0;

  constructor(limits: SharedLimits, domainOf: (host: number) => string) {
    this.#limits = limits;
    this.#domainOf = domainOf;
  }

  /** A request in the order of the rows. Returns what is wrong with it, or null. */
  check(row: RequestRow): string | null {
    const clock = this.#hosts.get(row.host);
    const made = !NO_REQUEST.has(row.code);
    const broken = made ? this.#checkHost(clock, row) : null;
    const until = row.ended + row.delay;
    if (clock === undefined) this.#hosts.set(row.host, { until, request: row.id });
    else {
      clock.until = Math.max(clock.until, until);
      clock.request = row.id;
    }
    if (!made || row.address === '' || row.addressDelay < 0) return broken;
    return this.#checkAddress(row) ?? broken;
  }

  #checkHost(last: Clock | undefined, row: RequestRow): string | null {
    if (last === undefined) return null;
    this.gaps++;
    const early = last.until - row.started - ROUNDING;
    return early <= 0 ? null : tooEarly(row.id, `host ${row.host}`, early, last.request);
  }

  #checkAddress(row: RequestRow): string | null {
    let proof = this.#addresses.get(row.address);
    if (proof === undefined) {
      proof = new AddressProof(this.#limits);
      this.#addresses.set(row.address, proof);
    } else {
      this.gaps++;
    }
    return proof.check(row, this.#domainOf(row.host));
  }
}

/** One address. */
class AddressProof {
  readonly #limits: SharedLimits;
  readonly #shared: SharedAddresses;
  #recent: Span[] = [];
  /** From when to when it may have had more than one request at once. */
  #sharedFrom = Number.POSITIVE_INFINITY;
  #sharedUntil = Number.POSITIVE_INFINITY;

  constructor(limits: SharedLimits) {
    this.#limits = limits;
    this.#shared = new SharedAddresses(limits.from);
  }

  check(row: RequestRow, domain: string): string | null {
    const span = { request: row.id, started: row.started, until: row.ended + row.addressDelay };
    const broken = this.#overlap(span, row.address);
    this.#keep(span);
    this.#learn(row, domain);
    return broken;
  }

  /** Looks at each moment at which a request begins while this one holds a place. */
  #overlap(span: Span, address: string): string | null {
    const all = [...this.#recent, span];
    for (const { started, request } of all) {
      if (started < span.started || started >= span.until) continue;
      const held = all.filter((other) => other.started <= started && other.until - ROUNDING > started);
      const others = held.filter((other) => other.request !== request);
      const places = started >= this.#sharedFrom && started < this.#sharedUntil ? this.#limits.requests : 1;
      if (others.length < places) continue;
      const last = others.reduce((a, b) => (b.until > a.until ? b : a));
      return tooEarly(request, `address ${address}`, last.until - started - ROUNDING, last.request);
    }
    return null;
  }

  #keep(span: Span): void {
    this.#recent.push(span);
    if (this.#recent.length > RECENT) this.#recent.shift();
  }

  #learn({ code, ended }: RequestRow, domain: string): void {
    const was = this.#shared.isShared(0);
    this.#shared.ended(0, domain, code);
    const is = this.#shared.isShared(0);
    if (is && !was) this.#sharedFrom = ended;
    if (was && !is) this.#sharedUntil = ended + UNTOLD;
  }
}

const tooEarly = (request: number, whose: string, early: number, last: number): string =>
  `request ${request} to ${whose} began ${early} ms too early after request ${last}`;

/** Rows of leases that may have made no request: they hold the clock, and are not held against it. */
const NO_REQUEST: ReadonlySet<string> = new Set([
  'lease.lost',
  'lease.returned',
  'worker.crash',
  'worker.hang',
  'worker.crash-alone',
  'worker.hang-alone',
]);
