import { readHostRepeats } from '../corpus/repeats.js';
import { readStates, rows, STATES } from '../corpus/states.js';
import { type HostWait, hostsMet, waitingHosts } from '../corpus/waiting.js';
import { type TurnWait, waitingTurns } from '../corpus/waiting-turns.js';
import type { CeilingSummary, CrawlSummary, SeenSummary } from '../crawl-options.js';
import { lookInto } from '../embedded/look.js';
import { type Holder, type Owner, ownerOf } from '../engines/lock.js';
import type { StoreReader } from '../engines/ports.js';
import { systemClock } from '../engines/system.js';
import { readOpenLeases } from '../state/leases-file.js';
import { Tally } from '../state/tally.js';
import { metaOf } from '../store-meta.js';
import { counted, formatCount, formatSize } from '../units.js';
import { type Arguments, type CommandSpec, DIR_OPERAND } from './arguments.js';
import { DIR_ALONE_FLAG, type ExitCode, JSON_FLAG, requireDir, type World } from './command.js';
import { ceilingWords, failureLines, mirrorWords, named, removedWords, seenWords, total } from './summary.js';

export const spec: CommandSpec = {
  name: 'status',
  says: 'What a crawl has done, and what it has still to do.',
  operands: DIR_OPERAND,
  mostOperands: 1,
  flags: [DIR_ALONE_FLAG, JSON_FLAG],
  options: [],
  examples: [['saunter status saunter-example.org', 'Also while the crawl runs.']],
};

export async function run(args: Arguments, { terminal }: World): Promise<ExitCode> {
  const dir = requireDir(args);
  const status = await lookInto(dir, (reader) => read(reader, dir));
  terminal.print(args.flags.has('json') ? JSON.stringify(status) : words(status));
  return 0;
}

function read(reader: StoreReader, dir: string) {
  const tally = new Tally();
  let first = 0;
  let last = 0;
  for (const request of rows(reader, 'requests')) {
    tally.add({ requests: [request], visits: [], denied: [], dead: [] });
    if (first === 0 || request.started < first) first = request.started;
    if (request.ended > last) last = request.ended;
  }
  for (const visit of rows(reader, 'visits')) tally.add({ requests: [], visits: [visit], denied: [], dead: [] });
  const urlStates = readStates(reader);
  const { states } = urlStates;
  const now = systemClock.wall();
  const running = ownerOf(dir);
  const { clean, stoppedAt } = readOpenLeases(dir);
  const inState = Object.fromEntries(STATES.map((state) => [state, 0]));
  for (const state of states) inState[STATES[state]]++;
  const { pages, requests, bytes, duplicates, nearDuplicates, revisits, notModified, changed, errors } = tally;
  return {
    running,
    ...(running === null && { stopped: stoppedAt === null ? null : new Date(stoppedAt).toISOString() }),
    ...(running === null && { killed: requests > 0 && !clean }),
    pages,
    requests,
    bytes,
    duplicates,
    nearDuplicates,
    ...repeats(reader),
    ...(revisits > 0 && { revisits, notModified, changed }),
    hosts: hostsMet(reader),
    known: states.length,
    ...inState,
    removed: metaOf<Record<string, number>>(reader, 'removed', {}),
    waiting: { ...waitingHosts(reader, states, now), ...waitingTurns(reader, urlStates, now) },
    errors: { ...errors },
    ceiling: metaOf<CeilingSummary | null>(reader, 'ceiling', null),
    seen: metaOf<SeenSummary | null>(reader, 'seen.bloom', null),
    firstRequest: first === 0 ? null : new Date(first).toISOString(),
    lastRequest: last === 0 ? null : new Date(last).toISOString(),
  } as Record<string, unknown> & { pages: number; requests: number; bytes: number; errors: Record<string, number> } & {
    removed: Record<string, number>;
    running: Owner | null;
    ceiling: CeilingSummary | null;
    waiting: WaitingUrls;
    seen: SeenSummary | null;
  } & ReturnType<typeof repeats>;
}

type WaitingUrls = ReturnType<typeof waitingHosts> & ReturnType<typeof waitingTurns>;

/** Hosts that are mostly copies of one other, and hosts that repeat themselves. */
function repeats(reader: StoreReader) {
  const { duplicates, isTrap } = readHostRepeats(reader);
  const names: string[] = [];
  for (const { name } of rows(reader, 'hosts')) names.push(name);
  const mirrors: CrawlSummary['mirrors'][number][] = [];
  for (const [id, host] of names.entries()) {
    const mirror = duplicates.mirrorOf(id);
    if (mirror !== null) mirrors.push({ ...mirror, host, of: names[mirror.of] });
  }
  return { mirrors, suspectedTraps: [...isTrap].map((id) => names[id]) };
}

function words(status: ReturnType<typeof read>): string {
  const count = (key: string): string => formatCount(Number(status[key])).padStart(12);
  const lines = [
    `state ${' '.repeat(20)}${stateWords(status)}`,
    `pages      ${count('pages')}   of ${counted(Number(status.hosts), 'host')}, ${formatSize(status.bytes)}`,
    `requests   ${count('requests')}   ${status.firstRequest === null ? 'none was made yet' : `${status.firstRequest} to ${status.lastRequest}`}`,
    `known URLs ${count('known')}`,
    ...STATES.flatMap((state) => [
      `  ${state.padEnd(8)} ${count(state)}`,
      ...(state === 'pending' ? waitingLines(status.waiting) : []),
    ]),
    `duplicates ${count('duplicates')}   and ${counted(Number(status.nearDuplicates), 'near-duplicate')}`,
    ...hostLine('mirrors', status.mirrors.map(mirrorWords)),
    ...hostLine('traps', status.suspectedTraps),
  ];
  const { ceiling, revisits, seen } = status;
  if (revisits !== undefined) {
    const [changed, same] = [formatCount(Number(status.changed)), formatCount(Number(status.notModified))];
    lines.push(`revisits   ${count('revisits')}   ${changed} found a change, ${same} were answered by 304`);
  }
  if (seen !== null) lines.push(`in Bloom   ${formatCount(seen.inserted).padStart(12)}   ${seenWords(seen)}`);
  if (ceiling !== null)
    lines.push(
      `ceiling    ${formatCount(ceiling.backQueues).padStart(12)}   ${ceilingWords(ceiling, Number(status.pending) > 0, status.pages)}`,
    );
  const removed = total(status.removed);
  if (removed > 0) lines.push(`removed    ${formatCount(removed).padStart(12)}   ${removedWords(status.removed)}`);
  const failures = total(status.errors);
  if (failures > 0)
    lines.push(
      `failures   ${formatCount(failures).padStart(12)}   requests and look-ups that brought no page, and why (docs/errors.md):`,
      ...failureLines(status.errors).map((line) => `  ${line}`),
    );
  return lines.join('\n');
}

/** Who works on the crawl, or how the last run ended. */
function stateWords({ running, stopped, killed, lastRequest }: ReturnType<typeof read>): string {
  if (running !== null) {
    const since = running.since === null ? '' : ` since ${running.since}`;
    const by = running.pid === null ? '' : `, process ${running.pid}`;
    return `${RUNNING[running.holder ?? 'crawl']}${by}${since}`;
  }
  if (killed === true) return `does not run: it was killed, after ${lastRequest}; saunter crawl goes on with it`;
  return typeof stopped === 'string' ? `does not run: it stopped cleanly at ${stopped}` : 'does not run';
}

const RUNNING: Readonly<Record<Holder, string>> = {
  ...{ crawl: 'runs', program: 'is run by a program', import: 'is being imported into' },
  ...{ reparse: 'is being read again (saunter reparse)', operator: 'is being told something' },
};

/** How many there are, and the first by name: saunter list hosts has all. */
function hostLine(what: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`${what.padEnd(10)} ${formatCount(names.length).padStart(12)}   ${named(names)}`];
}

export const WAITS: Readonly<Record<HostWait, string>> = {
  blocked: 'blocked (saunter list blocks says why, saunter unblock HOST ends it)',
  offline: 'offline: not to be reached',
  throttled: 'asleep, since they answered 429 or 503 again and again',
  robots: 'whose robots.txt cannot be read: nothing is fetched until it can',
};

const TURNS: Readonly<Record<TurnWait, string>> = {
  retry: 'that failed, and are tried again later',
  delay: 'that asks for a long delay (saunter audit HOST)',
};

/** Of the pending URLs, those that wait for more than their turn. */
function waitingLines(waiting: WaitingUrls): string[] {
  return Object.entries(waiting).map(([wait, { hosts, urls, next }]) => {
    const until = next === null ? '' : `; the first until ${new Date(next).toISOString()}`;
    return `    ${formatCount(urls).padStart(17)}   of ${counted(hosts, 'host')} ${{ ...WAITS, ...TURNS }[wait as HostWait | TurnWait]}${until}`;
  });
}
