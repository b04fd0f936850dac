/**
 * What the committed rows say of each host: the columns that a restart brings back. The frontier's host table
 * (`host-table.ts`) is these and where the host stands at the moment; the memory of committed rows
 * (`state/projection.ts`) is these alone.
 */
import { PlainColumns } from '../columns.js';
import { NONE } from './url-table.js';

export class HostFacts {
  /** All columns of this class, for checkpoints and copies. */
  readonly facts = new PlainColumns();

  /** `HostState`; of rows only `off` (blocked) and `idle` are known. */
  readonly state = this.facts.add(Uint8Array);
  readonly reason = this.facts.add(Uint8Array);

  /** The politeness clock: no request may start before (ms). */
  readonly nextAt = this.facts.add(Float64Array);
  /** The delay that was owed when `nextAt` was set (ms). */
  readonly owed = this.facts.add(Float64Array);
  /** Time until which the host rests for a reason of its own (offline, asleep, budget), 0 if it does not. */
  readonly restUntil = this.facts.add(Float64Array);
  /** The Crawl-delay in force (ms), 0 for none. */
  readonly crawlDelay = this.facts.add(Float64Array);
  /** The penalty delay of 429 and 503 answers (ms), 0 for none. */
  readonly penalty = this.facts.add(Float64Array);
  /** 429 or 503 in a row; steps of the sleep ladder taken; unreachable in a row; steps of the offline ladder. */
  readonly throttles = this.facts.add(Uint8Array);
  readonly sleeps = this.facts.add(Uint8Array);
  readonly failures = this.facts.add(Uint8Array);
  readonly offline = this.facts.add(Uint8Array);

  /** URLs admitted and fetched since `windowStart`; the budget (NONE: no limit). */
  readonly admitted = this.facts.add(Uint32Array);
  readonly fetched = this.facts.add(Uint32Array);
  readonly windowStart = this.facts.add(Float64Array);
  readonly budget = this.facts.add(Uint32Array);
  /** Operator-named (private ranges that were opened may be reached). */
  readonly named = this.facts.add(Uint8Array);
  /** A URL of it was given as a seed, or a seed led there: it has the budget of the seeds' hosts. */
  readonly seed = this.facts.add(Uint8Array);
  /** All its URLs count as of the lowest level, whatever their own says (a suspected trap). */
  readonly demoted = this.facts.add(Uint8Array);

  /** How long a budget lasts, ms. */
  budgetPeriod = 30 * 86_400_000;

  /** Begins the row of a host that is met at `now`. */
  begin(host: number, budget: number | null, named: boolean, now: number): void {
    this.facts.reserve(host + 1);
    this.windowStart[host] = now;
    this.budget[host] = budget ?? NONE;
    this.named[host] = named ? 1 : 0;
  }
}
