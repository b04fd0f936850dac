/**
 * What is right, told by somebody who knows everything: the servers of the model web write down every request by the
 * true time, and this oracle says what each request was owed by the rules of DESIGN 4 and 6. It shares no code with the
 * frontier, and does not read its clocks.
 *
 * What a crawler may know differs from what happened: an answer counts once it was *delivered* (the page worker lived to
 * report it), and survives a crash once it was *committed*. So everything learnt is kept twice.
 */
import type { OutcomeCode } from '../errors.js';

/** A promise of DESIGN 4 was broken. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

export interface OracleRules {
  /** `--delay`, ms. */
  delay: number;
  fetchFactor: number;
  fetchCap: number;
  penaltyCap: number;
  retryAfterCap: number;
  /** What a host owes at least that was being fetched when the process died, ms. */
  uncleanOwe: number;
  /** What a gap belongs to (DESIGN 4, Keys). */
  key: 'host+ip' | 'host' | 'ip';
  isCdn: (address: string) => boolean;
  /** Requests at once to a registrable domain at addresses of a CDN. */
  perDomain: number;
  /** What an address may have that answered for more than `from` domains, and did not refuse or throttle. */
  shared: { from: number; requests: number; gap: number };
}

/** What a robots.txt finally said, after its redirects. */
export type RobotsLesson =
  | { says: 'rules'; disallow: readonly string[]; crawlDelay: number }
  | { says: 'allow' }
  | { says: 'failure' };

/** An answer that reached the crawler. */
export interface Lesson {
  request: number;
  host: string;
  origin: string;
  code: OutcomeCode;
  ms: number;
  retryAfterMs: number | null;
  robots: RobotsLesson | null;
}

interface OriginKnowledge {
  allow: boolean;
  disallow: readonly string[] | null;
  copyAt: number;
  askedAt: number;
  host: string;
  crawlDelay: number;
}

interface Knowledge {
  penalty: Map<string, number>;
  origins: Map<string, OriginKnowledge>;
  /** Addresses that refused or throttled. */
  struck: Set<string>;
}

const nothingKnown = (): Knowledge => ({ penalty: new Map(), origins: new Map(), struck: new Set() });

interface Request {
  host: string;
  address: string;
  /** True time of the end, Infinity while it goes on. */
  end: number;
  /** What the host owes after it. */
  owed: number;
  /** What it owes besides from the start of the next process on, since the last stop was not clean, and until when. */
  owedFromStart: number;
  notBefore: number;
  /** The same for its address. */
  addressNotBefore: number;
  committed: boolean;
}

const DAY = 86_400_000;
const COPY_AGE = 30 * DAY;
/** Requests of an address that are looked at: more than may be held by the largest number of places. */
const RECENT = 8;
/** A lease that was granted while the rules were fresh may start this much later. */
const SLACK = 2_000;

export class Oracle {
  readonly #rules: OracleRules;
  readonly #now: () => number;
  readonly #requests: Request[] = [];
  readonly #lastOfHost = new Map<string, number>();
  /** The last requests to each address. */
  readonly #ofAddress = new Map<string, number[]>();
  /** Domains that each address ever answered for. */
  readonly #domains = new Map<string, Set<string>>();
  /** Requests under way at addresses of CDNs, by domain. */
  readonly #atCdn = new Map<string, Set<number>>();
  #live: Knowledge = nothingKnown();
  #durable: Knowledge = nothingKnown();
  /** Delivered and not committed, in the order of their delivery. */
  #pending: Lesson[] = [];
  #restartedAt = 0;
  /** What the wall clock was set back by so far: a copy of a robots.txt may look as much younger, ms. */
  #setBack = 0;
  /** Smallest gap seen on a host. */
  smallestGap = Number.POSITIVE_INFINITY;

  constructor(rules: OracleRules, now: () => number) {
    this.#rules = rules;
    this.#now = now;
  }

  get requests(): number {
    return this.#requests.length;
  }

  // -- what servers see ---------------------------------------------------------------------------------------------

  /** A request begins. @throws Violation if it may not. Returns its number. */
  begin(host: string, address: string): number {
    this.#checkHost(host);
    this.#checkAddress(host, address);
    const number = this.#requests.length;
    this.#requests.push({
      host,
      address,
      end: Number.POSITIVE_INFINITY,
      owed: 0,
      owedFromStart: 0,
      notBefore: 0,
      addressNotBefore: 0,
      committed: false,
    });
    this.#lastOfHost.set(host, number);
    const recent = this.#ofAddress.get(address) ?? [];
    this.#ofAddress.set(address, [...recent, number].slice(-RECENT));
    if (this.#rules.isCdn(address)) this.#atCdnOf(host).add(number);
    return number;
  }

  end(request: number): void {
    this.#requests[request].end = Math.min(this.#requests[request].end, this.#now());
  }

  #checkHost(host: string): void {
    const before = this.#lastOfHost.get(host);
    if (before === undefined) return;
    const request = this.#requests[before];
    if (request.end === Number.POSITIVE_INFINITY) throw new Violation(`two requests at once on host ${host}`);
    const gap = this.#now() - request.end;
    this.smallestGap = Math.min(this.smallestGap, gap);
    this.#checkGap(`host ${host}`, before, Math.max(request.owed, this.#floor(host)));
    const early = request.notBefore - this.#now();
    if (early > 0) throw new Violation(`host ${host} is asked ${early} ms too early after an unclean stop`);
  }

  #checkGap(what: string, before: number, owed: number): void {
    const gap = this.#now() - this.#requests[before].end;
    if (gap >= owed) return;
    throw new Violation(`${what} is asked ${gap} ms after request ${before} ended: it is owed ${owed}`);
  }

  #checkAddress(host: string, address: string): void {
    const { key, isCdn, delay } = this.#rules;
    if (key === 'host') return;
    if (key === 'host+ip' && isCdn(address)) {
      this.#checkDomain(host);
      return;
    }
    const recent = this.#ofAddress.get(address) ?? [];
    for (const before of recent) {
      const early = this.#requests[before].addressNotBefore - this.#now();
      if (early > 0) throw new Violation(`address ${address} is asked ${early} ms too early after an unclean stop`);
    }
    if (this.#isShared(address)) {
      this.#checkShared(address, recent);
      return;
    }
    for (const before of recent) {
      const { end, owed } = this.#requests[before];
      if (end === Number.POSITIVE_INFINITY) throw new Violation(`two requests at once on address ${address}`);
      this.#checkGap(`address ${address}`, before, key === 'ip' ? owed : delay);
    }
  }

  #checkDomain(host: string): void {
    const underWay = [...this.#atCdnOf(host)].filter((request) => this.#requests[request].end > this.#now());
    if (underWay.length < this.#rules.perDomain) return;
    throw new Violation(`${underWay.length + 1} requests at once on the domain of ${host} at a CDN`);
  }

  /** A place is taken by a request, and for a while after it. */
  #checkShared(address: string, recent: readonly number[]): void {
    const { shared, delay } = this.#rules;
    const gap = Math.min(shared.gap, delay);
    const held = recent.filter((before) => this.#now() - this.#requests[before].end < gap);
    if (held.length < shared.requests) return;
    throw new Violation(`address ${address} is asked while ${held.length} requests hold its places`);
  }

  #isShared(address: string): boolean {
    const { key, shared } = this.#rules;
    const domains = this.#domains.get(address)?.size ?? 0;
    return key === 'host+ip' && domains > shared.from && !this.#live.struck.has(address);
  }

  #atCdnOf(host: string): Set<number> {
    const domain = domainOf(host);
    const known = this.#atCdn.get(domain) ?? new Set();
    this.#atCdn.set(domain, known);
    return known;
  }

  /** May a page be requested, as far as robots go? */
  checkPage(origin: string, path: string): void {
    const known = this.#live.origins.get(origin);
    if (known === undefined) throw new Violation(`a page of ${origin} is requested before its robots.txt answered`);
    const now = this.#now();
    const asked = Math.max(known.askedAt, this.#restartedAt); // a clock that was set back may add a day at a restart
    if (now - asked > DAY + SLACK) throw new Violation(`the robots.txt of ${origin} is older than a day`);
    if (known.allow) return;
    if (known.disallow === null || now - known.copyAt > COPY_AGE + SLACK + this.#setBack) {
      throw new Violation(`a page of ${origin} is requested although its robots.txt could not be read`);
    }
    if (this.#forbids(known, path)) throw new Violation(`${origin}${path} is requested, which robots forbid`);
  }

  /** Do the last known rules forbid it? */
  isForbidden(origin: string, path: string): boolean {
    const known = this.#live.origins.get(origin);
    return known !== undefined && !known.allow && known.disallow !== null && this.#forbids(known, path);
  }

  #forbids(known: OriginKnowledge, path: string): boolean {
    return known.disallow!.some((prefix) => path.startsWith(prefix));
  }

  // -- what the crawler learns --------------------------------------------------------------------------------------

  /** The crawler was told how a request ended. */
  delivered(lesson: Lesson): void {
    const request = this.#requests[lesson.request];
    request.owed = learn(this.#live, lesson, request.end, this.#rules);
    this.#strike(this.#live, lesson, request.address);
    const domains = this.#domains.get(request.address) ?? new Set();
    this.#domains.set(request.address, domains.add(domainOf(request.host)));
    this.#pending.push(lesson);
  }

  #strike(known: Knowledge, { code }: Lesson, address: string): void {
    if (code === 'http.throttled' || code === 'connect.refused') known.struck.add(address);
  }

  /** The first `count` of the answers that were delivered and not committed are committed now. */
  committed(count: number): void {
    for (const lesson of this.#pending.splice(0, count)) {
      const request = this.#requests[lesson.request];
      request.committed = true;
      learn(this.#durable, lesson, request.end, this.#rules);
      this.#strike(this.#durable, lesson, request.address);
    }
  }

  get uncommitted(): number {
    return this.#pending.length;
  }

  /** The process is gone: requests are cut off, and what was not committed is forgotten.
   * @param listed the leases file survived: hosts whose fate is unknown owe more */
  crashed(listed: boolean): void {
    for (const request of this.#requests) {
      if (request.end === Number.POSITIVE_INFINITY) request.end = this.#now();
    }
    this.#pending = [];
    const { penalty, origins, struck } = this.#durable;
    this.#live = { penalty: new Map(penalty), origins: new Map(origins), struck: new Set(struck) };
    for (const last of this.#lastOfHost.values()) {
      const request = this.#requests[last];
      const isUnknown = !request.committed && request.end >= this.#restartedAt; // else an earlier start paid for it
      if (!request.committed) request.owed = 0;
      request.owedFromStart = Math.max(1, this.#floor(request.host), isUnknown && listed ? this.#rules.uncleanOwe : 0);
    }
  }

  /** Started again, after a stop that was clean or not. The clock of rows is the wall's: what it was set forward by,
   * `jump` ms, hides as much of a debt that is told from rows. */
  restarted(clean: boolean, jump: number): void {
    const now = this.#now();
    this.#restartedAt = now;
    const hidden = Math.max(jump, 0);
    this.#setBack += Math.max(-jump, 0);
    for (const request of this.#requests) {
      request.end -= hidden;
      request.notBefore -= hidden;
      request.addressNotBefore -= hidden;
      if (clean) continue;
      request.notBefore = Math.max(request.notBefore, now + request.owedFromStart);
      request.addressNotBefore = now + this.#rules.delay;
      request.owedFromStart = 0;
    }
  }

  /** What a host owes whatever the last request was. */
  #floor(host: string): number {
    const { delay } = this.#rules;
    return Math.max(delay, crawlDelayOf(this.#live, host, this.#now()), this.#live.penalty.get(host) ?? 0);
  }
}

/** Registrable domain of a host of the model web. */
const domainOf = (host: string): string => host.split('.').slice(-2).join('.');

/** Of the rules in force; those of a copy end with it. */
function crawlDelayOf(known: Knowledge, host: string, now: number): number {
  let delay = 0;
  for (const origin of known.origins.values()) {
    if (origin.host === host && now - origin.copyAt < COPY_AGE) delay = Math.max(delay, origin.crawlDelay);
  }
  return delay;
}

/** Takes an answer in. Returns what the host owes after it, ms: the lower bound that the rules give. */
function learn(known: Knowledge, lesson: Lesson, at: number, rules: OracleRules): number {
  const { host } = lesson;
  const usual = Math.max(rules.delay, crawlDelayOf(known, host, at));
  known.penalty.set(host, penaltyAfter(known.penalty.get(host) ?? 0, usual, lesson, rules));
  if (lesson.robots !== null) learnRobots(known, lesson, lesson.robots, at);
  return owedAfter(crawlDelayOf(known, host, at), known.penalty.get(host) ?? 0, lesson, rules);
}

/** The penalty of a host after an answer, ms (DESIGN 4, Delay): 429 and 503 without Retry-After double it, each success
 * halves it.
 * @param usual what the host is owed at least without a penalty */
export function penaltyAfter(
  penalty: number,
  usual: number,
  { code, retryAfterMs }: Pick<Lesson, 'code' | 'retryAfterMs'>,
  { penaltyCap }: Pick<OracleRules, 'penaltyCap'>,
): number {
  if (code === 'http.throttled') {
    return retryAfterMs === null ? Math.min(2 * Math.max(usual, penalty), penaltyCap) : penalty;
  }
  if (!/^(ok|redirect|http\.(gone|client|server))/.test(code)) return penalty;
  const half = Math.floor(penalty / 2);
  return half > usual ? half : 0;
}

/** What a host is owed after a request, ms (DESIGN 4, Delay): the largest of all rules. */
export function owedAfter(
  crawlDelay: number,
  penalty: number,
  { code, ms, retryAfterMs }: Pick<Lesson, 'code' | 'ms' | 'retryAfterMs'>,
  { delay, fetchFactor, fetchCap, retryAfterCap }: Omit<OracleRules, 'uncleanOwe' | 'perAddress' | 'penaltyCap'>,
): number {
  const slow = Math.min(fetchFactor * ms, fetchCap);
  const asked = code === 'http.throttled' ? Math.min(retryAfterMs ?? 0, retryAfterCap) : 0;
  return Math.max(delay, crawlDelay, penalty, slow, asked);
}

function learnRobots(known: Knowledge, { origin }: Lesson, robots: RobotsLesson, at: number): void {
  const before = known.origins.get(origin);
  const host = new URL(origin).hostname;
  const none = { allow: false, disallow: null, copyAt: 0, askedAt: at, host, crawlDelay: 0 };
  if (robots.says === 'allow') known.origins.set(origin, { ...none, allow: true });
  else if (robots.says === 'rules') {
    const { disallow, crawlDelay } = robots;
    known.origins.set(origin, { ...none, disallow, crawlDelay, copyAt: at });
  } else known.origins.set(origin, { ...none, ...before, allow: false, askedAt: at });
}
