/** What comes back: how leases and look-ups ended, what the host owes and whether it rests, and what became of the URL. */
import type { Changes } from '../changes.js';
import { OUTCOMES, type OutcomeCode } from '../errors.js';
import { fetchAllowedAt } from './budgets.js';
import type { Ceiling } from './ceiling.js';
import { charge, type HostVerdict } from './clocks.js';
import { HostState, WAIT_REASONS } from './host-table.js';
import type { Errand, Lease, LeaseOutcome, Resolution, Settled } from './lease.js';
import type { Placing } from './placing.js';
import type { Origin } from './robots-gate.js';
import type { FrontierState } from './state.js';
import { UrlState } from './url-table.js';

/** Between two looks for the address of a host, if the ladder of retries is empty, ms. */
const RESOLVE_AGAIN = 30_000;

type Unresolved = Exclude<Resolution, { addresses: unknown }>;

export class Settling {
  readonly #state: FrontierState;
  readonly #placing: Placing;
  readonly #ceiling: Ceiling;
  readonly #onRobotsLost: (origin: Origin, now: number, changes: Changes) => void;

  /** @param onRobotsLost told of an origin whose robots.txt lay at a host that was given up */
  constructor(
    state: FrontierState,
    placing: Placing,
    ceiling: Ceiling,
    onRobotsLost: (origin: Origin, now: number, changes: Changes) => void,
  ) {
    this.#state = state;
    this.#placing = placing;
    this.#ceiling = ceiling;
    this.#onRobotsLost = onRobotsLost;
  }

  /** Ends a lease. */
  done(lease: Lease, outcome: LeaseOutcome, keep: Errand | null, now: number, changes: Changes): Settled {
    const { hosts, leases, options } = this.#state;
    const { turns } = this.#placing;
    if (!leases.delete(lease.id)) throw new Error(`lease ${lease.id} was settled twice`);
    const { host } = lease;
    if (lease.alone) this.#state.alone--;
    const turn = hosts.turn[host]; // the host may move now, and its place is where it was
    const isElsewhere = OUTCOMES[outcome.code].host === 'unreachable' && turns.useSpare(host);
    const code = isElsewhere ? 'connect.elsewhere' : outcome.code;
    if (OUTCOMES[code].host === 'success') turns.answered(host, lease.address);
    const verdict = charge(hosts, host, code, fetchTime(outcome), outcome.retryAfterMs, options.rules);
    hosts.nextAt[host] = Math.max(hosts.nextAt[host], outcome.ended + verdict.delay);
    hosts.owed[host] = verdict.delay;
    const addressDelay = turns.end(turn, lease, outcome.code, outcome.ended, verdict.delay, now);
    this.#ceiling.ended(lease.granted, outcome.ended, verdict.delay);
    this.#tell(host, verdict, outcome, changes);
    const url = this.#settleUrl(lease, { ...outcome, code }, keep, now, changes);
    this.#rest(host, verdict, outcome.ended, OUTCOMES[code].words, changes);
    this.#goOn(host, now);
    return { code, delay: verdict.delay, addressDelay, url };
  }

  /** A host's address was looked for. False for a failure that was counted before. */
  resolved(host: number, resolution: Resolution, now: number, changes: Changes): boolean {
    const { hosts } = this.#state;
    if ('addresses' in resolution) {
      hosts.unresolvedUntil[host] = 0;
      this.#placing.turns.pin(host, resolution.addresses, resolution.until);
      this.#placing.place(host, now, true);
      return true;
    }
    const { code, words } = resolution;
    if (code.startsWith('guard.')) {
      this.drop(host, now, code, words, changes);
      return true;
    }
    // an operator may wake a host while the failure is remembered: what is heard then is the same look-up
    const isNew = now >= hosts.unresolvedUntil[host];
    if (isNew && !this.#unresolved(host, resolution, now, changes)) return true;
    this.#waitForName(host, hosts.unresolvedUntil[host]);
    this.#placing.place(host, now);
    return isNew;
  }

  /** A look-up failed. False if the host was given up for it. */
  #unresolved(host: number, { code, words, until = 0, alone }: Unresolved, now: number, changes: Changes): boolean {
    const { hosts, options } = this.#state;
    hosts.unresolvedUntil[host] = until;
    // that a name does not exist counts for more where two resolvers say so
    const counted = code === 'dns.nxdomain' && alone ? 'dns.failed' : code;
    const verdict = charge(hosts, host, counted, 0, null, options.rules);
    this.#rest(host, verdict, now, words, changes);
    if (verdict.rest === 0) {
      const ladder = options.retries;
      const step = Math.min(Math.max(hosts.failures[host] - 1, 0), ladder.length - 1);
      this.#waitForName(host, now + (ladder[step] ?? RESOLVE_AGAIN));
    }
    return verdict.why !== 'dropped';
  }

  /** No look-up before, unless the host rests for longer as it is. */
  #waitForName(host: number, until: number): void {
    const { hosts } = this.#state;
    if (until <= hosts.restUntil[host]) return;
    hosts.restUntil[host] = until;
    hosts.reason[host] = WAIT_REASONS.indexOf('dns');
  }

  /** Gives a host up: its pending URLs are dead. */
  drop(host: number, now: number, code: OutcomeCode, words: string, changes: Changes): void {
    const { queues, errands, robots } = this.#state;
    this.#placing.withdraw(host, now);
    changes.hostEvents.push({ host, at: now, kind: 'dropped', until: 0, value: 0, words });
    for (const url of queues.take(host, Number.POSITIVE_INFINITY)) this.#state.bury(url, code, now, changes);
    const lost = errands.get(host) ?? [];
    errands.delete(host);
    for (const { kind, url, origin } of lost) {
      if (kind === 'robots') this.#onRobotsLost(robots.origins[origin], now, changes);
      else this.#state.bury(url, code, now, changes);
    }
  }

  #tell(host: number, verdict: HostVerdict, { ended, status }: LeaseOutcome, changes: Changes): void {
    const value = this.#state.hosts.penalty[host];
    const row = { host, at: ended, value };
    if (verdict.throttled) {
      changes.hostEvents.push({ ...row, kind: 'throttled', until: ended + verdict.delay, words: `status ${status}` });
    } else if (verdict.recovered) {
      changes.hostEvents.push({ ...row, kind: 'recovered', until: 0, words: 'answers again' });
    }
  }

  /** A host that was put to sleep, offline, or is given up. */
  #rest(host: number, { why, rest }: HostVerdict, from: number, words: string, changes: Changes): void {
    if (why === 'dropped') this.drop(host, from, 'connect.failed', words, changes);
    if (why !== 'asleep' && why !== 'offline') return;
    const { hosts } = this.#state;
    const until = from + rest;
    hosts.restUntil[host] = until;
    hosts.reason[host] = WAIT_REASONS.indexOf(why === 'asleep' ? 'throttled' : 'offline');
    const value = why === 'asleep' ? hosts.sleeps[host] : hosts.offline[host];
    changes.hostEvents.push({ host, at: from, kind: why, until, value, words });
  }

  #settleUrl(lease: Lease, outcome: LeaseOutcome, keep: Errand | null, now: number, changes: Changes): Settled['url'] {
    const { urls, retries, revisits } = this.#state;
    const { url } = lease;
    if (keep !== null) {
      this.#placing.addErrand(lease.host, keep, now);
      return 'leased';
    }
    if (lease.kind === 'robots') return 'none';
    const { code, status, ended } = outcome;
    const effect = OUTCOMES[code].url;
    if (effect === 'done') {
      if (urls.attempts(url) > 0) {
        retries.forget(url);
        urls.setAttempts(url, 0);
      }
      revisits.settle(url);
      urls.setState(url, UrlState.done);
      return 'done';
    }
    urls.setState(url, UrlState.pending);
    if (effect === 'wait') {
      this.#placing.enqueue(url, true, now);
      return 'pending';
    }
    const attempts = urls.attempts(url) + 1;
    urls.setAttempts(url, attempts);
    retries.remember(url, { at: ended, code, status });
    if (effect === 'retry' && retries.again(url, attempts, ended)) return 'pending';
    this.#state.bury(url, code, now, changes);
    return 'dead';
  }

  /** Where the host goes when its lease is over: on with its back queue, or back in line. */
  #goOn(host: number, now: number): void {
    const { hosts, front, errands, options } = this.#state;
    const slot = this.#state.slotOf(host);
    if (slot === null) return;
    slot.leased = false;
    const turnIsOver =
      front.size > 0 && (slot.fetches >= options.quantumFetches || now - slot.since >= options.quantumTime);
    const rests = hosts.restUntil[host] > now;
    const isSpent = fetchAllowedAt(hosts, host, now) > now && !errands.has(host);
    const moved = hosts.address[host] < 0;
    const isBlocked = hosts.state[host] === HostState.off;
    if (this.#state.hasWork(host) && !turnIsOver && !rests && !isSpent && !moved && !isBlocked) {
      this.#placing.ready(host, now);
    } else {
      this.#placing.release(host);
      this.#placing.place(host, now);
    }
  }
}

const fetchTime = ({ started, ended, blocked = 0 }: LeaseOutcome): number => Math.max(ended - started - blocked, 0);
