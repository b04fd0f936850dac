/**
 * What the committed rows say of hosts and URLs: states, attempts, counters, clocks. Filled by the start-up scan, carried
 * on by each commit where checkpoints are written, and what a checkpoint holds: whatever a start has to know of rows that
 * it does not read again must be here, or in a section of the checkpoint of its own (`checkpoint.ts`).
 *
 * Times are kept as the rows have them. Whoever takes them over bounds them by the clock of that moment ({@link hand}): a
 * row of a later time was written by a clock that has been set back since, and makes nobody wait for longer than it did.
 */
import type { DeadRow, DeniedRow, HostEventRow, HostRow, RequestRow, UrlRow, VisitRow } from '../changes.js';
import { PlainColumns } from '../columns.js';
import { OUTCOMES } from '../errors.js';
import { fetchAllowedAt } from '../frontier/budgets.js';
import type { Frontier } from '../frontier/frontier.js';
import { HostFacts } from '../frontier/host-facts.js';
import { WAIT_REASONS } from '../frontier/host-table.js';
import { RevisitFacts } from '../frontier/revisit-facts.js';
import { isStrike } from '../frontier/shared-addresses.js';
import { UrlMarks, UrlState } from '../frontier/url-table.js';
import { Planner } from '../revisit/plan.js';
import { NO_REVISITS } from '../revisit/policy.js';
import { WideMap } from '../wide-map.js';

export type Clock = [nextAt: number, since: number];
export type History = DeadRow['history'][number][];

/** Address clocks are looked through for those that are over when there are this many more of them. */
const PRUNE = 4096;

export class Projection {
  readonly hosts = new HostFacts();
  readonly urls = new UrlMarks();
  /** The schedule of revisits. Nothing is held of it in a crawl that fetches each page once: a checkpoint of such a run
   * cannot serve one that revisits. Once handed over, its columns are the frontier's, which is ahead of the rows; that does
   * no harm, since a row sets what it says of a URL and adds nothing. */
  readonly revisits: RevisitFacts;
  /** Failed attempts of URLs that are pending. */
  readonly failures = new WideMap<number, History>();
  /** Addresses that were asked lately: until when they owe (ms), and since when. */
  readonly addresses = new Map<string, Clock>();
  /** Addresses that refused or throttled, for good. */
  readonly struck = new Set<string>();
  /** Blocked hosts, and when that ends (ms; 0: never). */
  readonly blocks = new Map<number, number>();
  /** Dead URLs whose letters were dropped. */
  readonly dropped = new Set<number>();
  readonly own = new PlainColumns();
  /** When each host was met, and when its rest began. */
  readonly metAt = this.own.add(Float64Array);
  readonly #restFrom = this.own.add(Float64Array);
  /** Since when a host owes what `nextAt` says. */
  readonly #owesFrom = this.own.add(Float64Array);
  #hostCount = 0;
  #isHanded = false;
  #pruneAt = PRUNE;

  constructor(budgetPeriod: number, planner = new Planner(NO_REVISITS)) {
    this.hosts.budgetPeriod = budgetPeriod;
    this.revisits = new RevisitFacts(planner);
  }

  get hostCount(): number {
    return this.#hostCount;
  }

  get bytes(): number {
    return this.hosts.facts.bytes + this.own.bytes + this.urls.bytes + this.revisits.bytes;
  }

  host({ budget, named, at }: Pick<HostRow, 'budget' | 'named' | 'at'>): void {
    const id = this.#hostCount++;
    this.hosts.begin(id, budget, named, at);
    this.own.reserve(id + 1);
    this.metAt[id] = at;
  }

  url({ host, level }: Pick<UrlRow, 'host' | 'level'>): void {
    this.urls.mark(level);
    this.hosts.admitted[host]++;
  }

  request(row: RequestRow): void {
    const { hosts, urls } = this;
    const { host, url, ended, code, status } = row;
    this.#owes(host, ended + row.delay, ended);
    hosts.owed[host] = row.delay;
    if (row.address !== '') this.#clock(row.address, ended + row.addressDelay, ended);
    if (row.address !== '' && isStrike(code)) this.struck.add(row.address);
    this.#countEffect(row);
    if (url < 0) return;
    fetchAllowedAt(hosts, host, row.started); // begins a new budget period if one is due
    hosts.fetched[host]++;
    const effect = OUTCOMES[code].url;
    if (effect !== 'retry' && effect !== 'dead') return;
    urls.setAttempts(url, urls.attempts(url) + 1);
    const history = this.failures.get(url);
    if (history) history.push({ at: ended, code, status });
    else this.failures.set(url, [{ at: ended, code, status }]);
  }

  /** A row that was written after one of a later time shows a clock that was set back in between: that one counts as of
   * the time of this. */
  #owes(host: number, nextAt: number, since: number): void {
    const { hosts } = this;
    hosts.nextAt[host] -= ahead(this.#owesFrom[host], since);
    this.#owesFrom[host] = Math.min(this.#owesFrom[host], since);
    if (nextAt < hosts.nextAt[host]) return;
    hosts.nextAt[host] = nextAt;
    this.#owesFrom[host] = since;
  }

  #clock(address: string, nextAt: number, ended: number): void {
    const [before, since] = this.addresses.get(address) ?? [Number.NEGATIVE_INFINITY, ended];
    const then = before - ahead(since, ended);
    this.addresses.set(address, nextAt >= then ? [nextAt, ended] : [then, Math.min(since, ended)]);
    if (this.addresses.size < this.#pruneAt) return;
    for (const [name, [at]] of this.addresses) if (at < ended) this.addresses.delete(name);
    this.#pruneAt = 2 * this.addresses.size + PRUNE;
  }

  /** The host's throttles and failures in a row; penalties, sleeps and offline times are told by events. */
  #countEffect({ host, code }: RequestRow): void {
    const { hosts } = this;
    switch (OUTCOMES[code].host) {
      case 'backoff':
        hosts.throttles[host]++;
        break;
      case 'unreachable':
      case 'nxdomain':
        hosts.failures[host]++;
        break;
      case 'success':
        hosts.throttles[host] = 0;
        hosts.failures[host] = 0;
        break;
      case 'none':
        break;
    }
  }

  visit(row: Pick<VisitRow, 'id' | 'url' | 'at' | 'code' | 'nextVisit' | 'history'>): void {
    this.#settle(row.url, UrlState.done);
    this.urls.setAttempts(row.url, 0);
    if (!this.#isHanded) this.revisits.visit(row);
  }

  denied({ url, denied }: Pick<DeniedRow, 'url' | 'denied'>): void {
    if (denied && !this.#isHanded) this.revisits.forget(url);
    this.urls.setState(url, denied ? UrlState.denied : UrlState.pending);
  }

  dead({ url, dead, letter }: Pick<DeadRow, 'url' | 'dead' | 'letter'>): void {
    if (letter === 'dropped') this.dropped.add(url);
    else this.dropped.delete(url);
    if (letter !== undefined) return;
    if (dead && !this.#isHanded) this.revisits.forget(url);
    this.#settle(url, dead ? UrlState.dead : UrlState.pending);
    if (!dead) this.urls.setAttempts(url, 0);
  }

  event({ host, kind, value, until, at }: HostEventRow): void {
    const { hosts } = this;
    if (kind === 'throttled' || kind === 'recovered') hosts.penalty[host] = value;
    // no sign of a clock that was set back: the rows of a batch are read table by table, and this one stands beside that of
    // its request, which a later request of the host may follow in the same batch
    if (kind === 'throttled' && until > hosts.nextAt[host]) {
      hosts.nextAt[host] = until;
      this.#owesFrom[host] = at;
    }
    if (kind === 'recovered') {
      hosts.sleeps[host] = 0;
      hosts.offline[host] = 0;
    }
    if (kind === 'blocked') this.blocks.set(host, until);
    if (kind === 'unblocked') this.blocks.delete(host);
    if (kind === 'demoted') hosts.demoted[host] = 1;
    if (kind === 'named') hosts.named[host] = 1;
    if (kind === 'seed') hosts.seed[host] = 1;
    if (kind === 'online') hosts.offline[host] = 0;
    if (kind === 'asleep') hosts.throttles[host] = 0;
    if (kind === 'offline') hosts.failures[host] = 0;
    if (kind === 'asleep' || kind === 'offline') {
      hosts.restUntil[host] = until;
      this.#restFrom[host] = at;
      hosts[kind === 'asleep' ? 'sleeps' : 'offline'][host] = value;
      hosts.reason[host] = WAIT_REASONS.indexOf(kind === 'asleep' ? 'throttled' : 'offline');
    }
  }

  #settle(url: number, state: UrlState): void {
    this.urls.setState(url, state);
    this.failures.delete(url);
  }

  /** When a pending URL failed last, ms; 0 if it did not. */
  lastFailure(url: number, now: number): number {
    const history = this.failures.get(url);
    return history === undefined ? 0 : Math.min(history[history.length - 1].at, now);
  }

  /** Gives all of it to a frontier that knows the hosts and URLs by name and key, and nothing more of them. */
  hand(frontier: Frontier, now: number): void {
    const { hosts, addresses, retries } = frontier;
    hosts.facts.copy(this.hosts.facts, this.#hostCount);
    for (let host = 0; host < this.#hostCount; host++) {
      hosts.nextAt[host] -= ahead(this.#owesFrom[host], now);
      hosts.restUntil[host] -= ahead(this.#restFrom[host], now);
      if (hosts.windowStart[host] > now) hosts.windowStart[host] = now;
    }
    for (const [name, [nextAt, since]] of this.addresses) {
      addresses.owe(addresses.intern(name), nextAt - ahead(since, now));
    }
    for (const address of this.struck) frontier.restoreStrike(address);
    for (const [host, until] of this.blocks) frontier.restoreBlock(host, until);
    for (const url of this.dropped) frontier.letters.recall(url);
    for (let url = frontier.urls.size; url < this.urls.size; ) {
      const marks = this.urls.view(url, this.urls.size);
      frontier.urls.appendMarks(marks);
      url += marks.length;
    }
    frontier.revisits.takeOver(this.revisits, this.urls.size, now);
    this.#isHanded = true;
    for (const [url, history] of this.failures) for (const attempt of history) retries.remember(url, attempt);
  }

  /** What does not lie in columns, for a checkpoint; failures and addresses, of which there may be many, go piece by piece. */
  rest(): ProjectionRest {
    const { struck, blocks, dropped } = this;
    return {
      struck: [...struck],
      blocks: [...blocks],
      dropped: [...dropped],
      hosts: this.#hostCount,
    };
  }

  /** Takes over the columns and the rest from a checkpoint. @throws RangeError if they do not fit each other */
  restore(rest: ProjectionRest): void {
    if (!(rest.hosts >= 0)) throw new RangeError('the checkpoint does not count its hosts');
    this.#hostCount = rest.hosts;
    for (const address of rest.struck) this.struck.add(address);
    for (const [host, until] of rest.blocks) this.blocks.set(host, until);
    for (const url of rest.dropped ?? []) this.dropped.add(url);
    this.#pruneAt = 2 * this.addresses.size + PRUNE;
  }
}

export interface ProjectionRest {
  hosts: number;
  struck: string[];
  blocks: [host: number, until: number][];
  /** Checkpoints of before letters could be dropped have none. */
  dropped?: number[];
}

/** How far a time lies in the future, ms. */
const ahead = (at: number, now: number): number => Math.max(at - now, 0);
