/**
 * What is checked while the large simulation runs, in constant time at each step: what each host and address is owed, by
 * the rules of the small simulation's oracle, and the state of each page. It shares no clock and no state with the
 * frontier. What an answer taught is taken back if a crash comes before its commit.
 */
import { Times } from './simulation-fairness.js';
import { LargeAddresses } from './simulation-large-addresses.js';
import type { LargeWeb } from './simulation-large-web.js';
import { type Lesson, type OracleRules, owedAfter, penaltyAfter, Violation } from './simulation-oracle.js';

/** `retry`: pending, on the ladder of waits. */
export const PageState = { unknown: 0, pending: 1, leased: 2, retry: 3, denied: 4, done: 5, dead: 6 } as const;
export type PageState = (typeof PageState)[keyof typeof PageState];

/** What each state may become, a bit each. A page that is done or dead stays so. */
const MAY_BECOME: readonly number[] = (
  [
    [PageState.pending, PageState.denied],
    [PageState.leased, PageState.denied, PageState.dead],
    [PageState.pending, PageState.retry, PageState.done, PageState.dead],
    [PageState.leased, PageState.denied, PageState.dead],
    [PageState.pending],
    [],
    [],
  ] as readonly (readonly PageState[])[]
).map((states) => states.reduce<number>((bits, state) => bits | (1 << state), 0));
const OVER: ReadonlySet<number> = new Set([PageState.done, PageState.dead]);
const LONG_AGO = Number.NEGATIVE_INFINITY;
const DAY = 86_400_000;
/** A lease that was granted while the rules were fresh may start this much later. */
const SLACK = 2_000;

export interface LargeRules extends OracleRules {
  /** Fetches of a host in the 30 days that no simulation passes. */
  budget: number;
}

/** What a crash would undo: (page, state before) and (host, penalty, Crawl-delay, age of the robots.txt before). */
class Undo {
  readonly pages: number[] = [];
  readonly hosts: number[] = [];
}

export class LargeOracle {
  readonly #web: LargeWeb;
  readonly #rules: LargeRules;
  readonly #state: Uint8Array;
  /** Pages in each state. */
  readonly inState = new Float64Array(7);
  // by host
  readonly #isBusy: Uint8Array;
  readonly #end: Float64Array;
  readonly #freeAt: Float64Array;
  readonly #penalty: Float64Array;
  readonly #crawlDelay: Float64Array;
  readonly #robotsAt: Float64Array;
  readonly #fetches: Uint32Array;
  readonly #leasedAt: Float64Array;
  /** Pages that may be leased, and since when there are any. */
  readonly #waiting: Uint32Array;
  readonly #waitsSince: Float64Array;
  readonly #addresses: LargeAddresses;
  #open = new Undo();
  #sealed = new Undo();
  /** Between two leases of a host; from the moment on at which a host was due to its lease. */
  readonly gaps = new Times();
  readonly waits = new Times();
  /** ms from the end of a request to a host to the start of the next. */
  readonly idle = new Times();
  checks = 0;

  constructor(web: LargeWeb, rules: LargeRules) {
    const { hosts, pages } = web;
    this.#web = web;
    this.#rules = rules;
    this.#state = new Uint8Array(pages);
    this.inState[PageState.unknown] = pages;
    this.#isBusy = new Uint8Array(hosts);
    this.#end = new Float64Array(hosts).fill(LONG_AGO);
    this.#freeAt = new Float64Array(hosts);
    this.#penalty = new Float64Array(hosts);
    this.#crawlDelay = new Float64Array(hosts);
    this.#robotsAt = new Float64Array(hosts).fill(LONG_AGO);
    this.#fetches = new Uint32Array(hosts);
    this.#leasedAt = new Float64Array(hosts).fill(LONG_AGO);
    this.#waiting = new Uint32Array(hosts);
    this.#waitsSince = new Float64Array(hosts);
    this.#addresses = new LargeAddresses(web, rules);
  }

  // -- pages --------------------------------------------------------------------------------------------------------

  state(page: number): number {
    return this.#state[page];
  }

  /** Pages of the host that may be leased now. */
  waiting(host: number): number {
    return this.#waiting[host];
  }

  /** A page becomes something. @throws Violation if it may not */
  become(host: number, page: number, state: PageState, now: number): void {
    const before = this.#state[page] as PageState;
    this.checks++;
    if ((MAY_BECOME[before] & (1 << state)) === 0) {
      throw new Violation(`page ${page} of host ${host} goes from state ${before} to state ${state}`);
    }
    this.#open.pages.push(page, before);
    this.#set(host, page, state);
    if (state === PageState.pending && this.#waiting[host] === 1) this.#waitsSince[host] = now;
  }

  #set(host: number, page: number, state: PageState): void {
    const before = this.#state[page];
    this.#state[page] = state;
    this.inState[before]--;
    this.inState[state]++;
    if (before === PageState.pending) this.#waiting[host]--;
    if (state === PageState.pending) this.#waiting[host]++;
  }

  // -- requests -----------------------------------------------------------------------------------------------------

  /** A lease went out, and its request begins.
   * @param page -1 for robots.txt
   * @param restUntil until when the frontier let the host rest (ladders of sleep and of robots)
   * @throws Violation if it may not begin */
  begin(host: number, address: number, page: number, restUntil: number, now: number): void {
    this.checks++;
    if (this.#isBusy[host] === 1) throw new Violation(`host ${host} has two leases at once`);
    const early = this.#freeAt[host] - now;
    if (early > 0) {
      const gap = now - this.#end[host];
      throw new Violation(`host ${host} is asked ${gap} ms after its last request ended, ${early} ms too early`);
    }
    this.#addresses.begin(host, address, now);
    this.#isBusy[host] = 1;
    if (this.#leasedAt[host] !== LONG_AGO) this.gaps.add(now - this.#leasedAt[host]);
    if (this.#end[host] !== LONG_AGO) this.idle.add(now - this.#end[host]);
    if (this.#waiting[host] > 0) {
      this.waits.add(Math.max(now - Math.max(this.#waitsSince[host], this.#freeAt[host], restUntil), 0));
    }
    this.#leasedAt[host] = now;
    if (page >= 0) this.#beginPage(host, page, now);
  }

  #beginPage(host: number, page: number, now: number): void {
    const fetches = ++this.#fetches[host];
    if (fetches > this.#rules.budget) {
      throw new Violation(`host ${host} is fetched ${fetches} times on a budget of ${this.#rules.budget}`);
    }
    if (now - this.#robotsAt[host] > DAY + SLACK) {
      throw new Violation(`page ${page} of host ${host} is requested without a robots.txt of the last day`);
    }
    if (this.#web.hasRules(host) && this.#web.isPrivate(page)) {
      throw new Violation(`page ${page} of host ${host} is requested, which robots forbid`);
    }
    this.become(host, page, PageState.leased, now);
  }

  /** The request is over, as the server sees it: answered, or cut off. */
  end(host: number, address: number, now: number): void {
    this.#isBusy[host] = 0;
    this.#end[host] = now;
    this.#freeAt[host] = now + this.#rules.delay;
    this.#addresses.end(host, address, now);
  }

  /** The crawler was told how it ended. Returns what the host is owed, ms. */
  delivered(
    host: number,
    address: number,
    lesson: Pick<Lesson, 'code' | 'ms' | 'retryAfterMs'>,
    isRobots: boolean,
  ): number {
    this.#addresses.delivered(host, address, lesson.code);
    this.#open.hosts.push(host, this.#penalty[host], this.#crawlDelay[host], this.#robotsAt[host]);
    const usual = Math.max(this.#rules.delay, this.#crawlDelay[host]);
    this.#penalty[host] = penaltyAfter(this.#penalty[host], usual, lesson, this.#rules);
    if (isRobots && (lesson.code === 'ok' || lesson.code === 'http.gone')) {
      this.#robotsAt[host] = this.#end[host];
      this.#crawlDelay[host] = this.#web.crawlDelayOf(host);
    }
    const owed = owedAfter(this.#crawlDelay[host], this.#penalty[host], lesson, this.#rules);
    this.#freeAt[host] = this.#end[host] + owed;
    return owed;
  }

  // -- batches and crashes ------------------------------------------------------------------------------------------

  seal(): void {
    this.#sealed = this.#open;
    this.#open = new Undo();
  }

  committed(): void {
    this.#sealed = new Undo();
  }

  /** The process is gone, and what was not committed is forgotten. After the start of the next one each host is owed its
   * full delay, and more if a lease of it is `listed` whose fate was not committed (DESIGN 4, Clocks).
   * @param at when it died
   * @param now when the next one starts */
  crashed(
    inFlight: Iterable<{ host: number; address: number }>,
    listed: Iterable<{ host: number; page: number }>,
    at: number,
    now: number,
  ): void {
    const { delay, uncleanOwe } = this.#rules;
    for (const { host, address } of inFlight) this.end(host, address, at);
    for (const undo of [this.#open, this.#sealed]) this.#takeBack(undo);
    this.#open = new Undo();
    this.committed();
    for (let host = 0; host < this.#web.hosts; host++) {
      for (let page = this.#web.base[host]; page < this.#web.base[host + 1]; page++) {
        if (this.#state[page] === PageState.leased) this.#set(host, page, PageState.pending);
      }
      const full = Math.max(delay, this.#crawlDelay[host], this.#penalty[host]);
      this.#freeAt[host] = Math.max(this.#freeAt[host], now + full);
      this.#waitsSince[host] = now;
    }
    for (const { host, page } of listed) {
      if (page >= 0 && OVER.has(this.#state[page])) continue;
      this.#freeAt[host] = Math.max(this.#freeAt[host], now + uncleanOwe);
    }
    this.#addresses.crashed(now);
  }

  /** A start charged a lost lease to its page: it waits on the ladder. */
  charged(page: number): void {
    if (this.#state[page] === PageState.pending) this.#set(this.#web.hostOf(page), page, PageState.retry);
  }

  #takeBack({ pages, hosts }: Undo): void {
    for (let i = pages.length - 2; i >= 0; i -= 2) {
      const page = pages[i];
      this.#set(this.#web.hostOf(page), page, pages[i + 1] as PageState);
    }
    for (let i = hosts.length - 4; i >= 0; i -= 4) {
      const host = hosts[i];
      [this.#penalty[host], this.#crawlDelay[host], this.#robotsAt[host]] = [hosts[i + 1], hosts[i + 2], hosts[i + 3]];
      this.#freeAt[host] = this.#end[host]; // nobody can be held to what nobody knows
    }
  }
}
