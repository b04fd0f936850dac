/**
 * Every request that was ever made to a host, from the rows alone: when, how long after the last one and how long after
 * it had to be, what came of it, and which line of the host's robots.txt allowed it. The rules are matched anew, against
 * the file that was in force at that moment. The answer to a site owner's complaint.
 */
import type { HostEventRow, RequestRow, RobotsRow } from '../changes.js';
import type { StoreReader } from '../engines/ports.js';
import { parseRobots, type RobotsRules } from '../fetch/robots.js';
import { type RobotsState, robotsVerdict, rulesOf } from '../fetch/robots-ladder.js';
import { originOf } from './origin.js';
import { readStates, rows, STATES } from './states.js';

export interface AuditLine {
  /** Id of the request in the crawl. */
  request: number;
  /** Wall ms. */
  started: number;
  ended: number;
  /** ms from the end of the host's last request to the start of this one; null for the first. */
  gap: number | null;
  /** ms that this gap had to be at least. */
  owed: number | null;
  kind: RequestRow['kind'];
  /** Id of the known URL, -1 for robots. */
  url: number;
  /** The exact URL that was asked for; empty if the crawl was killed meanwhile, and cannot say. */
  target: string;
  address: string;
  /** 0 if no answer came. */
  status: number;
  code: RequestRow['code'];
  bytes: number;
  /** The line of robots.txt that decided, as written, and its number; null where none matched, or there is none. */
  rule: string | null;
  line: number | null;
  /** Why it was allowed, in words. */
  because: string;
  /** What should not have been: it came too early, or robots.txt forbade it. */
  fault: string | null;
}

/** Id of a host by its name, or -1. */
export function findHost(reader: StoreReader, name: string): number {
  for (const row of rows(reader, 'hosts')) if (row.name === name) return row.id;
  return -1;
}

/** The events of a host, in order: throttled, asleep, blocked. A block that ended by itself ended at its time, whenever a
 * crawl noticed. */
export function hostEvents(reader: StoreReader, host: number): HostEventRow[] {
  const events: HostEventRow[] = [];
  let until = 0;
  for (const event of rows(reader, 'hostEvents')) {
    if (event.host !== host) continue;
    const isOver = event.kind === 'unblocked' && until > 0 && until <= event.at;
    events.push(isOver ? { ...event, at: until, words: 'its time was over' } : event);
    if (event.kind === 'blocked') until = event.until;
    if (event.kind === 'unblocked') until = 0;
  }
  return events;
}

/** The page that named a URL first; null for a seed, or a line of a sitemap in robots.txt. */
export function linkedFrom(reader: StoreReader, url: number): string | null {
  const [row] = url < 0 ? [] : reader.at('urls', [url]);
  const [page] = row === undefined || row.via < 0 ? [] : reader.at('urls', [row.via]);
  return page?.url ?? null;
}

/** URLs of a host that robots.txt denies, and that were never asked for.
 * @param asked ids of those that were */
export function deniedUnasked(reader: StoreReader, host: number, asked: ReadonlySet<number>): number {
  const { states } = readStates(reader);
  const denied = STATES.indexOf('denied');
  let count = 0;
  for (const { id, host: of } of rows(reader, 'urls')) {
    if (of === host && states[id] === denied && !asked.has(id)) count++;
  }
  return count;
}

/**
 * The requests to a host, in their order.
 * @param agent the product token that the crawl obeys robots.txt under
 */
export function* audit(reader: StoreReader, host: number, agent: string): Generator<AuditLine> {
  const robots = new RobotsInForce(agent);
  for (const row of rows(reader, 'robots')) if (row.host === host) robots.answered(row);
  const clock = new HostClock();
  for (const row of rows(reader, 'requests')) if (row.host === host) yield judge(row, robots, clock);
}

function judge(row: RequestRow, robots: RobotsInForce, clock: HostClock): AuditLine {
  const { gap, owed, early } = clock.next(row);
  const { id: request, started, ended, kind, url, target, address, status, code, bytes } = row;
  const line = { request, started, ended, gap, owed, kind, url, target, address, status, code, bytes };
  if (UNSENT.has(code)) return { ...line, ...NO_RULE, because: UNSENT.get(code)!, fault: null };
  const verdict = kind === 'robots' ? ALWAYS : robots.verdict(row);
  const fault = early > 0 ? `it came ${early} ms too early` : verdict.isAllowed ? null : 'robots.txt forbade it';
  const { rule, line: number, because } = verdict;
  return { ...line, rule, line: number, because, fault };
}

const NO_RULE = { rule: null, line: null } as const;
const ALWAYS: Verdict = { isAllowed: true, ...NO_RULE, because: 'robots.txt itself is always allowed' };

/** Leases that may not have come to a request at all. */
const UNSENT: ReadonlyMap<string, string> = new Map([
  ['lease.lost', 'the crawl was killed: it may not have been sent'],
  ['lease.returned', 'it was not sent'],
  ['worker.crash', 'its worker died: it may not have been sent'],
  ['worker.hang', 'its worker hung: it may not have been sent'],
  ['worker.crash-alone', 'its worker died: it may not have been sent'],
  ['worker.hang-alone', 'its worker hung: it may not have been sent'],
]);

/** Clocks are written in whole ms: begun rounded down, ended up. */
const ROUNDING = 2;

/** What a host was owed, request by request. */
class HostClock {
  #ended: number | null = null;
  #until = 0;

  next({ started, ended, delay, code }: RequestRow): { gap: number | null; owed: number | null; early: number } {
    const last = this.#ended;
    const gap = last === null ? null : started - last;
    const owed = last === null ? null : Math.max(this.#until - last, 0);
    const early = last === null || UNSENT.has(code) ? 0 : this.#until - started - ROUNDING;
    this.#ended = ended;
    this.#until = Math.max(this.#until, ended + delay);
    return { gap, owed, early };
  }
}

interface Verdict {
  isAllowed: boolean;
  rule: string | null;
  line: number | null;
  because: string;
}

/** A robots.txt, or what came in its place, from its request on. */
interface Answer {
  row: RobotsRow;
  state: RobotsState;
  /** The rules in force after it, and when their file was fetched. */
  rules: RobotsRules;
  copy: { rules: RobotsRules; at: number; body: Uint8Array } | null;
}

/** The robots.txt of each origin of a host, at any moment. */
class RobotsInForce {
  readonly #agent: string;
  readonly #answers = new Map<string, Answer[]>();

  constructor(agent: string) {
    this.#agent = agent;
  }

  answered(row: RobotsRow): void {
    const answers = this.#answers.get(row.origin) ?? [];
    this.#answers.set(row.origin, answers);
    const before = answers.at(-1) ?? null;
    const { code, status, body, at } = row;
    const answer = { code, status, body: body ?? undefined, redirects: 0 };
    const state = robotsVerdict(answer, before?.state ?? null, at);
    const old = before?.copy ?? null;
    const isSame = old !== null && body !== null && Buffer.compare(old.body, body) === 0;
    const fresh = body === null ? null : { rules: isSame ? old.rules : parseRobots(body, this.#agent), at, body };
    const copy = state.copyAt === null ? null : state.copyIsNew ? fresh : old;
    const rules = state.verdict === 'rules' && copy !== null ? copy.rules : rulesOf(state, null, this.#agent);
    answers.push({ row, state, rules, copy });
  }

  /** What the robots.txt of its origin said to a request. */
  verdict(request: RequestRow): Verdict {
    const answer = this.#answers.get(originOf(request.target))?.findLast(({ row }) => isBefore(row, request));
    if (answer === undefined) {
      return { isAllowed: false, ...NO_RULE, because: 'its robots.txt had not been asked for' };
    }
    const { row, state, rules, copy } = answer;
    const { allowed, rule, line } = rules.match(request.target);
    const said = row.status > 0 ? `robots.txt answered ${row.status}` : `robots.txt: ${row.code}`;
    if (state.verdict === 'allow-all') return { isAllowed: true, ...NO_RULE, because: `${said}: no rules` };
    if (state.verdict === 'deny-all') return { isAllowed: false, ...NO_RULE, because: `${said}: nothing is allowed` };
    const file = state.failures > 0 && copy !== null ? `, in the copy of ${new Date(copy.at).toISOString()}` : '';
    const because = rule === null ? `no rule matches${file}` : `line ${line}: ${rule}${file}`;
    return { isAllowed: allowed, rule, line, because };
  }
}

/** Was this answer there when the request was granted? Requests of a host stand in the order in which they ended. */
function isBefore(row: RobotsRow, request: RequestRow): boolean {
  return row.request >= 0 ? row.request < request.id : row.at <= request.started;
}
