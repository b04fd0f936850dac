import { visitLines } from '../corpus/history.js';
import { readHostRepeats, readRepeats } from '../corpus/repeats.js';
import { readDropped, readStates, rows, STATES } from '../corpus/states.js';
import { type Rest, restingHosts, silentOrigins } from '../corpus/waiting.js';
import { lookInto } from '../embedded/look.js';
import type { StoreReader } from '../engines/ports.js';
import { systemClock } from '../engines/system.js';
import { OUTCOMES, UserError } from '../errors.js';
import { nearest } from '../nearest.js';
import type { Arguments, CommandSpec } from './arguments.js';
import { DIR_FLAG, type ExitCode, requireDir, type World } from './command.js';
import { cleanLine } from './terminal.js';

export const spec: CommandSpec = {
  name: 'list',
  says: 'The URLs, hosts, blocks, dead letters or visits of a crawl, one on a line.',
  operands: 'urls|hosts|blocks|dead|visits',
  mostOperands: 1,
  flags: [
    DIR_FLAG,
    { name: 'url', value: 'URL', says: 'Only the visits to this page: its history.' },
    { name: 'json', says: 'JSON lines instead of columns.' },
  ],
  options: [],
  examples: [
    ['saunter list dead --dir saunter-example.org', 'What failed for good, and why.'],
    [
      'saunter list visits --dir saunter-example.org --url https://example.org/',
      'When a page was visited, when it changed, and when it is visited next.',
    ],
    ['saunter list blocks --dir saunter-example.org', 'Which hosts are blocked, since when, and why.'],
    ['saunter list urls --dir saunter-example.org | grep ^pending', 'What is still to be fetched.'],
  ],
  notes: [
    'Columns, separated by tabs, on a terminal below a line of their names. urls: state, outcome of the last visit, priority level (0 is best), depth, failed attempts, ' +
      'URL, duplicate (exact or near), the URL whose page it repeats. hosts: host, registrable domain, URLs, requests, bytes, ' +
      'pages, duplicates among them, suspected trap or not, the host that it mirrors, pending URLs, state (pending, done, ' +
      'blocked, offline, throttled, robots: its robots.txt cannot be read). blocks: host, since, until, pending URLs, why. dead: URL, outcome, attempts, time, why. ' +
      'visits: time, status, outcome, changed, ms to the next visit, its time, changes a day as far as they are known, bytes, URL.',
  ],
};

type Row = Record<string, string | number | boolean | null>;

export async function run(args: Arguments, { terminal, signal }: World): Promise<ExitCode> {
  const what = args.operands[0];
  const list = what !== undefined && Object.hasOwn(LISTS, what) ? LISTS[what] : undefined;
  if (list === undefined) {
    const near = what === undefined ? null : nearest(what, Object.keys(LISTS));
    const said =
      what === undefined
        ? 'What is to be listed?'
        : `There is no list of "${what}"${near ? `; the nearest is ${near}` : ''}:`;
    throw new UserError(`${said} saunter list ${Object.keys(LISTS).join('|')} --dir DIR.`, 2);
  }
  if (args.flags.has('url') && list !== visits) throw new UserError('--url goes with "saunter list visits".', 2);
  return lookInto(requireDir(args), async (reader) => {
    let isEmpty = true;
    for (const row of list(reader, args)) {
      if (terminal.closed || signal.aborted) break;
      // for people only: what reads columns from a pipe wants rows
      if (isEmpty && terminal.showsResults && !args.flags.has('json'))
        terminal.print(terminal.bold(Object.keys(row).join('\t')));
      isEmpty = false;
      await terminal.printOne(args.flags.has('json') ? JSON.stringify(row) : columns(row));
    }
    if (isEmpty) terminal.say(`There are no ${NOUNS[what] ?? what}.`);
    return signal.aborted ? 130 : 0;
  });
}

const NOUNS: Readonly<Record<string, string>> = { urls: 'URLs', blocks: 'blocked hosts', dead: 'dead letters' };

/** Tab-separated, free of control characters. */
const columns = (row: Row): string =>
  Object.values(row)
    .map((value) => cleanLine(String(value ?? '-')))
    .join('\t');

const LISTS: Record<string, (reader: StoreReader, args: Arguments) => Iterable<Row>> = {
  ...{ urls, hosts, blocks, dead, visits },
};

function* urls(reader: StoreReader): Generator<Row> {
  const { states, attempts, outcomes } = readStates(reader);
  const repeats = readRepeats(reader);
  for (const chunk of reader.scan('urls')) {
    const known = chunk.filter(({ id }) => id < states.length); // the others came after the states were read
    const originals = textsOf(reader, known.map(({ id }) => repeats.of(id))); // biome-ignore format: short
    for (const { id, url, depth, level } of known) {
      const of = repeats.of(id);
      yield {
        ...{ state: STATES[states[id]], outcome: outcomes(id), level, depth, attempts: attempts[id], url },
        duplicate: of < 0 ? null : repeats.isNear(id) ? 'near' : 'exact',
        duplicateOf: of < 0 ? null : originals.get(of)!,
      };
    }
  }
}

function textsOf(reader: StoreReader, ids: readonly number[]): Map<number, string> {
  const wanted = [...new Set(ids)].filter((id) => id >= 0).sort((a, b) => a - b);
  return new Map(reader.at('urls', wanted).map(({ id, url }) => [id, url]));
}

function* hosts(reader: StoreReader): Generator<Row> {
  const count = reader.count('hosts');
  const known = new Uint32Array(count);
  const requests = new Uint32Array(count);
  const bytes = new Float64Array(count);
  const pending = pendingByHost(reader);
  for (const { host } of rows(reader, 'urls')) if (host < count) known[host]++;
  for (const request of rows(reader, 'requests')) {
    if (request.host >= count) continue;
    requests[request.host]++;
    bytes[request.host] += request.bytes;
  }
  const { duplicates, isTrap } = readHostRepeats(reader);
  const silent = [...silentOrigins(reader).values()].map(({ host, ...rest }) => [host, rest] as const);
  const resting = new Map<number, Rest>([...silent, ...restingHosts(reader, systemClock.wall())]);
  const names: string[] = [];
  for (const { name } of rows(reader, 'hosts')) names.push(name);
  for (const { id, name, domain } of rows(reader, 'hosts')) {
    if (id >= count) continue;
    const mirror = duplicates.mirrorOf(id);
    yield {
      ...{ host: name, domain, urls: known[id], requests: requests[id], bytes: bytes[id] },
      ...{ pages: duplicates.pages(id), duplicates: duplicates.duplicates(id) },
      suspectedTrap: isTrap.has(id) ? 'trap' : null,
      mirrorOf: mirror === null ? null : names[mirror.of],
      pending: pending.get(id) ?? 0,
      state: resting.get(id)?.wait ?? (pending.has(id) ? 'pending' : 'done'),
    };
  }
}

/** Pending URLs by host; hosts without one are not in it. */
function pendingByHost(reader: StoreReader): Map<number, number> {
  const { states } = readStates(reader);
  const pending = new Map<number, number>();
  for (const { id, host } of rows(reader, 'urls')) {
    if (id < states.length && STATES[states[id]] === 'pending') pending.set(host, (pending.get(host) ?? 0) + 1);
  }
  return pending;
}

function* blocks(reader: StoreReader): Generator<Row> {
  const pending = pendingByHost(reader);
  const resting = restingHosts(reader, systemClock.wall());
  const iso = (at: number): string => new Date(at).toISOString();
  for (const { id, name } of rows(reader, 'hosts')) {
    const rest = resting.get(id);
    if (rest?.wait !== 'blocked') continue;
    const until = rest.until === 0 ? null : iso(rest.until);
    yield { host: name, since: iso(rest.since), until, pending: pending.get(id) ?? 0, reason: rest.words };
  }
}

function* dead(reader: StoreReader): Generator<Row> {
  const { states } = readStates(reader);
  const letters = new Map<number, { code: keyof typeof OUTCOMES; at: number; attempts: number }>();
  for (const { url, dead: isDead, code, at, history, letter } of rows(reader, 'dead')) {
    if (letter !== undefined || !isDead || STATES[states[url]] !== 'dead') continue;
    letters.set(url, { code, at, attempts: history.length });
  }
  for (const url of readDropped(reader)) letters.delete(url);
  for (const { id, url } of rows(reader, 'urls')) {
    const letter = letters.get(id);
    if (letter === undefined) continue;
    const { code, at, attempts } = letter;
    yield { url, code, attempts, at: new Date(at).toISOString(), why: OUTCOMES[code].words };
  }
}

function* visits(reader: StoreReader, { flags }: Arguments): Generator<Row> {
  for (const line of visitLines(reader, flags.get('url') ?? null)) yield { ...line };
}
