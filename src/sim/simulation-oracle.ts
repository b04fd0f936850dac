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
  /** Is one request at a time per address promised? */
  perAddress: boolean;
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
}

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
/** A lease that was granted while the rules were fresh may start this much later. */
const SLACK = 2_000;

export class Oracle {
  readonly #rules: OracleRules;
  readonly #now: () => number;
  readonly #requests: Request[] = [];
  readonly #lastOfHost = new Map<string, number>();
  readonly #lastOfAddress = new Map<string, number>();
  #live: Knowledge = { penalty: new Map(), origins: new Map() };
  #durable: Knowledge = { penalty: new Map(), origins: new Map() };
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
    const { delay, perAddress } = this.#rules;
    this.#checkGap('host', host, this.#lastOfHost, (r) => Math.max(r.owed, this.#floor(host)));
    if (perAddress) this.#checkGap('address', address, this.#lastOfAddress, () => delay);
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
    this.#lastOfAddress.set(address, number);
    return number;
  }

  end(request: number): void {
    this.#requests[request].end = Math.min(this.#requests[request].end, this.#now());
  }

  #checkGap(what: string, name: string, last: Map<string, number>, debt: (r: Request) => number): void {
    const before = last.get(name);
    if (before === undefined) return;
    const request = this.#requests[before];
    if (request.end === Number.POSITIVE_INFINITY) throw new Violation(`two requests at once on ${what} ${name}`);
    const now = this.#now();
    const gap = now - request.end;
    if (what === 'host') this.smallestGap = Math.min(this.smallestGap, gap);
    const owed = debt(request);
    if (gap < owed) {
      throw new Violation(`${what} ${name} is asked ${gap} ms after request ${before} ended: it is owed ${owed}`);
    }
    const early = (what === 'host' ? request.notBefore : request.addressNotBefore) - now;
    if (early > 0) throw new Violation(`${what} ${name} is asked ${early} ms too early after an unclean stop`);
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
    this.#pending.push(lesson);
  }

  /** The first `count` of the answers that were delivered and not committed are committed now. */
  committed(count: number): void {
    for (const lesson of this.#pending.splice(0, count)) {
      const request = this.#requests[lesson.request];
      request.committed = true;
      learn(this.#durable, lesson, request.end, this.#rules);
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
    this.#live = { penalty: new Map(this.#durable.penalty), origins: new Map(this.#durable.origins) };
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
  const { host, code } = lesson;
  const penalty = known.penalty.get(host) ?? 0;
  const usual = Math.max(rules.delay, crawlDelayOf(known, host, at));
  let retryAfter = 0;
  if (code === 'http.throttled') {
    if (lesson.retryAfterMs === null) known.penalty.set(host, Math.min(2 * Math.max(usual, penalty), rules.penaltyCap));
    else retryAfter = Math.min(lesson.retryAfterMs, rules.retryAfterCap);
  } else if (/^(ok|redirect|http\.(gone|client|server))/.test(code)) {
    const half = Math.floor(penalty / 2);
    known.penalty.set(host, half > usual ? half : 0);
  }
  if (lesson.robots !== null) learnRobots(known, lesson, lesson.robots, at);
  const slow = Math.min(rules.fetchFactor * lesson.ms, rules.fetchCap);
  return Math.max(rules.delay, crawlDelayOf(known, host, at), known.penalty.get(host) ?? 0, slow, retryAfter);
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
