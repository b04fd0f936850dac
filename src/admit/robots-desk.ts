/**
 * The robots desk: every answer to a robots.txt request comes here and becomes a verdict for its origin (DESIGN 6).
 * Follows redirects across hosts (each hop is a lease of the host it goes to), keeps the last good copy's rules, admits
 * the sitemaps that the file names. One desk for all workers. Pure.
 */
import type { Changes } from '../changes.js';
import { parseRobots, type RobotsRules } from '../fetch/robots.js';
import {
  DENY_ALL,
  ROBOTS_MAX_REDIRECTS,
  type RobotsAnswer,
  type RobotsState,
  type RobotsTimes,
  robotsVerdict,
  rulesOf,
} from '../fetch/robots-ladder.js';
import type { Frontier } from '../frontier/frontier.js';
import { HostState } from '../frontier/host-table.js';
import type { Lease } from '../frontier/lease.js';
import type { LeaseReport } from '../frontier/report.js';
import type { Origin, Rules } from '../frontier/robots-gate.js';
import { keyHex, UrlKeyer } from '../url/key.js';
import type { Admission } from './admission.js';
import { KeptRules, RulesCache } from './rules-cache.js';

/** Sitemaps of one robots.txt that are followed. */
const MAX_SITEMAPS = 1_000;

export interface RobotsDeskOptions {
  /** Product token of our User-Agent. */
  agent: string;
  times: RobotsTimes;
  /** Crawl-delay is obeyed up to this, ms; beyond, the origin counts as disallowed. */
  crawlDelayCap: number;
  /** Bytes of compiled rules in memory. */
  memory: number;
  /** A Sitemap line in key and fetch form, or null if it is refused (syntax, scope, traps: counted). */
  sitemap: (line: string, origin: string) => { keyHi: number; keyLo: number; url: string } | null;
  isInside: (address: string) => boolean;
}

interface Entry {
  state: RobotsState;
  /** The same as the rows tell it: they do not hold a Retry-After. */
  asRows: RobotsState;
  copy: Copy | null;
  /** Of the last answer, ms. */
  at: number;
}

/** What is known of an origin, for a checkpoint: as the rows up to some number tell it. */
export interface RobotsFact {
  origin: string;
  host: number;
  at: number;
  state: RobotsState;
  /** The row of the last good copy, the fingerprint of its body, its Crawl-delay (ms). */
  copy: [place: number, print: string, crawlDelay: number] | null;
}

/** The last good copy: its rules, in memory or not; a fingerprint of its body (to see a change), which is in the store; and
 * its Crawl-delay, ms. */
interface Copy {
  kept: KeptRules;
  print: string;
  crawlDelay: number;
}

/** What an answer amounts to; the rules of the body that came with it. */
interface Judgement extends Entry {
  fresh: RobotsRules | null;
}

export class RobotsDesk {
  readonly #frontier: Frontier;
  readonly #admission: Admission;
  readonly #options: RobotsDeskOptions;
  /** By the origin's id. */
  readonly #entries: (Entry | undefined)[] = [];
  /** While a checkpoint is taken: what there was of origins that have changed since it began. */
  #before: Map<number, Entry | undefined> | null = null;
  readonly #cache: RulesCache;
  /** Rows of `robots` so far. */
  #rows = 0;
  #committed = 0;
  readonly #printer = new UrlKeyer(new Uint8Array(16));

  constructor(frontier: Frontier, admission: Admission, options: RobotsDeskOptions) {
    this.#frontier = frontier;
    this.#admission = admission;
    this.#options = options;
    this.#cache = new RulesCache(options.memory);
    frontier.onRobotsLost = (origin, now, changes) => {
      // the redirect led to a host that was given up: an answer of no use
      const lost = { code: 'redirect', status: 0, redirects: 1 } as const;
      this.#record(origin, lost, -1, now, changes);
    };
  }

  /** What a robots lease answered. */
  answer(lease: Lease, report: LeaseReport, request: number, now: number, changes: Changes): void {
    const origin = this.#frontier.robots.origins[lease.origin];
    if (report.code === 'lease.returned' || report.code === 'connect.elsewhere') {
      this.#frontier.robotsReturned(origin, now); // nobody has answered, and it is not the host's fault
      return;
    }
    if (this.#follow(lease, report, now, changes)) return;
    const code = codeOf(report, lease.redirects);
    const answer: RobotsAnswer = {
      code,
      status: report.status,
      body: report.robots ?? undefined,
      truncated: report.truncated ? 'disconnect' : null,
      redirects: lease.redirects,
      retryAfterMs: report.retryAfterMs,
    };
    const { state, fresh } = this.#record(origin, answer, request, now, changes);
    if (state.dropHost) {
      this.#frontier.drop(origin.host, now, 'read.timeout', 'robots.txt has not answered for 30 days', changes);
    }
    if (state.copyIsNew) this.#sitemaps(origin, fresh!, lease, now, changes);
  }

  #record(origin: Origin, answer: RobotsAnswer, request: number, now: number, changes: Changes): Judgement {
    const { code, status } = answer;
    const judgement = this.#judge(origin, answer, now, changes);
    const { state } = judgement;
    this.#rows++;
    changes.robots.push({
      ...{ origin: origin.name, host: origin.host, at: now, request, status, code },
      body: state.copyIsNew ? answer.body! : null,
      failures: state.failures,
      failingSince: state.failingSince,
    });
    return judgement;
  }

  /** A row of the store, in order: the ladder is climbed again. */
  restore(
    origin: Origin,
    row: { code: LeaseReport['code']; status: number; body: Uint8Array | null; at: number },
  ): void {
    const answer: RobotsAnswer = { code: row.code, status: row.status, body: row.body ?? undefined, redirects: 0 };
    this.#judge(origin, answer, row.at, null);
    this.#rows++;
    this.committed(1);
  }

  // -- checkpoints --------------------------------------------------------------------------------------------------

  /** From now on until {@link thaw}, {@link facts} gives what is known now. Returns the number of rows that say so, those
   * of open batches among them. */
  freeze(): number {
    this.#before = new Map();
    return this.#rows;
  }

  thaw(): void {
    this.#before = null;
  }

  *facts(): Generator<RobotsFact> {
    for (let id = 0; id < this.#entries.length; id++) {
      const entry = this.#before?.has(id) ? this.#before.get(id) : this.#entries[id];
      if (entry === undefined) continue;
      const { name, host } = this.#frontier.robots.origins[id];
      const { asRows, at, copy } = entry;
      const kept = copy === null ? null : ([copy.kept.place, copy.print, copy.crawlDelay] as [number, string, number]);
      yield { origin: name, host, at, state: asRows, copy: kept };
    }
  }

  /** The first `rows` rows are told by facts instead; their rules come into memory when they are asked for. */
  restoreFacts(facts: Iterable<RobotsFact>, rows: number): void {
    this.#rows = rows;
    this.committed(rows);
    for (const { origin: name, host, at, state, copy: kept } of facts) {
      const origin = this.#frontier.robots.of(name, host);
      const copy = kept && { kept: new KeptRules(this.#cache, kept[0]), print: kept[1], crawlDelay: kept[2] };
      const entry = { state, asRows: state, copy, at };
      this.#entries[origin.id] = entry;
      this.#tell(origin, entry, true, at, null);
    }
  }

  // -- rules that are not in memory ---------------------------------------------------------------------------------

  /** That many more rows of `robots` are committed: their bodies can be read again. */
  committed(rows: number): void {
    this.#committed += rows;
    if (rows > 0) this.#cache.committed(this.#committed);
  }

  /** The row that has the body of an origin's rules. */
  placeOf(origin: Origin): number {
    return this.#entries[origin.id]!.copy!.kept.place;
  }

  /** The body of the row at `place` was read again. Without one the origin is closed until its file has been fetched
   * again: a rule that is lost is no permission. */
  loaded(origin: Origin, place: number, body: Uint8Array | null, now: number, changes: Changes): void {
    const kept = this.#entries[origin.id]?.copy?.kept;
    if (kept?.place === place && body !== null) this.#cache.fill(kept, parseRobots(body, this.#options.agent));
    if (kept?.place === place && body === null) {
      const closed = { verdict: 'deny', rules: null, until: now + this.#options.times.firstRetry } as const;
      this.#frontier.setRobots(origin, closed, 0, false, now, changes);
    }
    this.#frontier.rulesLoaded(origin, now);
  }

  // -- verdicts -----------------------------------------------------------------------------------------------------

  /** Makes a verdict and tells the frontier. Without `changes` it is an old row: nothing new is to be recorded. */
  #judge(origin: Origin, answer: RobotsAnswer, now: number, changes: Changes | null): Judgement {
    const before = this.#entries[origin.id] ?? null;
    const { times } = this.#options;
    const state = robotsVerdict(answer, before?.state ?? null, now, times);
    const isTold = before?.state === before?.asRows && !answer.retryAfterMs;
    const asRows = isTold
      ? state
      : robotsVerdict({ ...answer, retryAfterMs: null }, before?.asRows ?? null, now, times);
    const old = before?.copy ?? null;
    let copy = state.copyAt === null ? null : old;
    let changed = before === null || state.verdict !== before.state.verdict;
    let fresh: RobotsRules | null = null;
    if (state.copyIsNew) {
      const body = answer.body!;
      fresh = parseRobots(body, this.#options.agent);
      this.#printer.hashBytes(body);
      const print = keyHex(this.#printer.hi, this.#printer.lo);
      changed ||= old === null || print !== old.print;
      copy = { kept: this.#cache.keep(fresh, this.#rows), print, crawlDelay: fresh.crawlDelayMs ?? 0 };
    }
    if (old !== null && old !== copy) this.#cache.drop(old.kept);
    const entry = { state, asRows, copy, at: now };
    if (this.#before !== null && !this.#before.has(origin.id)) this.#before.set(origin.id, this.#entries[origin.id]);
    this.#entries[origin.id] = entry;
    this.#tell(origin, entry, changed, now, changes);
    return { ...entry, fresh };
  }

  #tell(origin: Origin, { state, copy }: Entry, changed: boolean, now: number, changes: Changes | null): void {
    const isCopy = state.verdict === 'rules' && copy !== null;
    let rules: Rules = isCopy ? copy.kept : rulesOf(state, null, this.#options.agent);
    let crawlDelay = isCopy ? copy.crawlDelay : 0;
    if (crawlDelay > this.#options.crawlDelayCap) {
      const words = `Crawl-delay of ${Math.round(crawlDelay / 1000)} s is more than we wait: nothing of ${origin.name} is fetched`;
      changes?.hostEvents.push({ host: origin.host, at: now, kind: 'crawl-delay', until: 0, value: crawlDelay, words });
      rules = DENY_ALL;
      crawlDelay = 0;
    }
    const verdict = state.verdict === 'deny-all' ? 'deny' : state.verdict === 'allow-all' ? 'allow' : 'rules';
    const told = { verdict, rules, until: state.expiresAt } as const;
    if (changes === null) this.#frontier.restoreRobots(origin, told, crawlDelay);
    else this.#frontier.setRobots(origin, told, crawlDelay, changed, now, changes);
  }

  /** A redirect goes on at its target's host: its slot, its guard, its clocks. False if this answer is the last. */
  #follow(lease: Lease, report: LeaseReport, now: number, changes: Changes): boolean {
    const { redirect } = report;
    if (report.code !== 'redirect' || redirect === null || lease.redirects >= ROBOTS_MAX_REDIRECTS) return false;
    if (redirect.trap === 'port' || this.#isHopeless(lease.origin, now)) return false;
    const inside = this.#options.isInside(lease.connectTo);
    const host = this.#admission.hostOf(redirect.to.host, inside, now, changes);
    if (host < 0 || this.#frontier.hosts.state[host] === HostState.off) return false;
    const errand = { ...lease, target: redirect.to.fetch, redirects: lease.redirects + 1, cookie: null };
    this.#frontier.robots.origins[lease.origin].busy = true;
    this.#frontier.addErrand(host, errand, now);
    return true;
  }

  /** Where the redirects led has been out of reach for so long that the file counts as never answered. */
  #isHopeless(origin: number, now: number): boolean {
    const since = this.#entries[origin]?.state.failingSince ?? null;
    return since !== null && now - since >= this.#options.times.dropAfter;
  }

  #sitemaps(origin: Origin, rules: RobotsRules, lease: Lease, now: number, changes: Changes): void {
    const inside = this.#options.isInside(lease.connectTo);
    for (const line of rules.sitemaps.slice(0, MAX_SITEMAPS)) {
      const url = this.#options.sitemap(line, origin.name);
      if (url === null) continue;
      const place = { depth: 0, hops: 0, via: -1, level: 1, priority: null, seed: false };
      this.#admission.admit({ ...url, kind: 'sitemap', ...place }, inside, now, changes);
    }
  }
}

/** A redirect that is not followed allows all only if it is one too many (RFC 9309, 2.3.1.2). To a port that nobody
 * fetches from, or to a host that we do not go to, it is no answer: nothing is allowed. */
function codeOf({ code, redirect }: LeaseReport, followed: number): LeaseReport['code'] {
  if (code !== 'redirect' || redirect === null) return code;
  if (redirect.trap === 'port') return 'guard.port';
  return followed >= ROBOTS_MAX_REDIRECTS ? 'redirect.chain' : 'redirect';
}
