/**
 * The proof of politeness, from the request rows alone: no request to a host began before the last one had ended and its
 * delay was over, and the same for each address. Rows of a host stand in the order in which its requests ended, since
 * there is never more than one at once; overlapping rows are therefore faults by themselves.
 */
import type { RequestRow } from '../changes.js';

/** Clocks are written in whole ms: begun rounded down, ended up. */
const ROUNDING = 2;

export class DelayProof {
  readonly #hosts = new Map<number, { until: number; request: number }>();
  readonly #addresses = new Map<string, { until: number; request: number }>();
  /** Gaps that were looked at. */
  gaps = 0;

  /** A request in the order of the rows. Returns what is wrong with it, or null. */
  check(row: RequestRow): string | null {
    if (NO_REQUEST.has(row.code)) {
      this.#hold(this.#hosts, row.host, row.ended + row.delay, row.id);
      return null;
    }
    const hasClock = row.address !== '' && row.addressDelay >= 0;
    const ofAddress = hasClock ? this.#addresses.get(row.address) : undefined;
    const broken =
      this.#judge(this.#hosts.get(row.host), row, `host ${row.host}`) ??
      this.#judge(ofAddress, row, `address ${row.address}`);
    this.#hold(this.#hosts, row.host, row.ended + row.delay, row.id);
    if (hasClock) this.#hold(this.#addresses, row.address, row.ended + row.addressDelay, row.id);
    return broken;
  }

  #judge(last: { until: number; request: number } | undefined, row: RequestRow, whose: string): string | null {
    if (last === undefined) return null;
    this.gaps++;
    const early = last.until - row.started - ROUNDING;
    if (early <= 0) return null;
    return `request ${row.id} to ${whose} began ${early} ms too early after request ${last.request}`;
  }

  #hold<K>(clocks: Map<K, { until: number; request: number }>, key: K, until: number, request: number): void {
    const clock = clocks.get(key);
    if (clock === undefined) clocks.set(key, { until, request });
    else {
      clock.until = Math.max(clock.until, until);
      clock.request = request;
    }
  }
}

/** Rows of leases that may have made no request: they hold the clock, and are not held against it. */
const NO_REQUEST: ReadonlySet<string> = new Set(['lease.lost', 'lease.returned', 'worker.crash', 'worker.hang']);
