/**
 * Crawls the whole zoo with the real program, as a process of its own, and holds what came of each host against its
 * table, and the process against its promises: it ends by itself, in bounded memory, with nothing unhandled.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../src/engines/database.js';
import type { Outcome, Seen, Span } from './beast.js';
import { allBeasts, type Cage, Zoo } from './zoo.js';

export interface Visit {
  /** The program, and the folder of certificates. */
  readonly program: string;
  readonly certificates: string;
  /** A folder for the crawl and its files. */
  readonly scratch: string;
  readonly copies?: number;
  /** Kinds that are visited; default all. */
  readonly only?: readonly string[];
  /** Options of `crawl`: what is shortened, and why, is the caller's to say. */
  readonly config: Readonly<Record<string, unknown>>;
  /** ms after which the crawl is killed, and has failed. */
  readonly deadline: number;
}

export interface VisitReport {
  readonly kinds: number;
  readonly hosts: number;
  readonly seconds: number;
  /** Peak resident memory of the crawler, MiB; null where the system does not tell. */
  readonly peak: number | null;
  readonly summary: Record<string, unknown> | null;
  /** Whatever is not as it must be, a sentence each. */
  readonly problems: readonly string[];
}

const MIB = 1 << 20;

export async function visitZoo(visit: Visit): Promise<VisitReport> {
  const every = await allBeasts();
  const beasts = visit.only === undefined ? every : every.filter(({ name }) => visit.only!.includes(name));
  const zoo = await Zoo.open(beasts, { copies: visit.copies, certificates: visit.certificates });
  try {
    const dir = join(visit.scratch, 'crawl');
    const run = await crawlThrough(zoo, visit, dir);
    const problems = [...run.problems];
    const kinds = new Set(beasts.map(({ name }) => name)).size;
    if (kinds !== beasts.length) problems.push('two kinds share a name');
    if (problems.length === 0) problems.push(...judge(zoo.cages, readSeen(dir)));
    if (zoo.visitors > 0) await new Promise((resolve) => setTimeout(resolve, 500));
    if (zoo.visitors > 0) problems.push(`${zoo.visitors} connections are left open`);
    const { seconds, peak, summary } = run;
    return { kinds, hosts: zoo.cages.length, seconds, peak, summary, problems };
  } finally {
    await zoo.close();
  }
}

interface Run {
  readonly seconds: number;
  readonly peak: number | null;
  readonly summary: Record<string, unknown> | null;
  readonly problems: readonly string[];
}

async function crawlThrough(zoo: Zoo, visit: Visit, dir: string): Promise<Run> {
  const seeds = join(visit.scratch, 'seeds.txt');
  const config = join(visit.scratch, 'zoo.json');
  writeFileSync(seeds, zoo.cages.map(({ seed }) => `${seed}\n`).join(''));
  // a bank of the cloud's metadata, and more hosts of one domain than a crawl takes without being told
  const resolve = [...zoo.pins, 'metadata.zoo.test=169.254.169.254'];
  writeFileSync(config, JSON.stringify({ 'domain.hosts': 100_000, resolve, ...visit.config }));
  const args = ['crawl', '--json', '--seeds', seeds, '--dir', dir, '--config', config];
  args.push('--allow-private', '127.0.0.0/8', '--contact', 'mailto:test@example.org');
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(visit.certificates, 'authority.pem') };
  const started = performance.now();
  const child = spawn(process.execPath, [visit.program, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env });
  const peak = watchMemory(child);
  const { code, out, err } = await ended(child, visit.deadline);
  const seconds = (performance.now() - started) / 1000;
  const problems: string[] = [];
  if (code !== 0) problems.push(`the crawl ended with ${code ?? 'a signal: it had to be killed'}`);
  if (/unhandled|replaced|\n {4}at /i.test(err)) problems.push('something was not handled');
  if (problems.length > 0) problems.push(...err.split('\n').slice(-20));
  if (/[\x00-\x08\x0b-\x1f\x7f-\x9f]/.test(out + err)) problems.push('a control character reached the terminal');
  const last = out.trimEnd().split('\n').at(-1) ?? '';
  const summary = last.startsWith('{') ? (JSON.parse(last) as Record<string, unknown>) : null;
  return { seconds, peak: peak(), summary, problems };
}

function ended(child: ChildProcess, deadline: number): Promise<{ code: number | null; out: string; err: string }> {
  let [out, err] = ['', ''];
  child.stdout?.setEncoding('latin1').on('data', (text: string) => (out += text));
  child.stderr?.setEncoding('latin1').on('data', (text: string) => (err += text));
  const timer = setTimeout(() => child.kill('SIGKILL'), deadline);
  return new Promise((resolve) => {
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code, out, err });
    });
  });
}

/** Looks at the peak that the system keeps (Linux: VmHWM) until the process ends. */
function watchMemory(child: ChildProcess): () => number | null {
  let peak: number | null = null;
  const look = (): void => {
    try {
      const kib = /VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'latin1'))?.[1];
      if (kib !== undefined) peak = Math.max(peak ?? 0, Math.round((Number(kib) * 1024) / MIB));
    } catch {
      // it has ended, or the system has no such files
    }
  };
  const timer = setInterval(look, 50);
  child.on('exit', () => clearInterval(timer));
  return () => peak;
}

// -- what came of it

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] extends readonly (infer Item)[] ? Item[] : T[Key] };

/** What the store says of each host, by name. */
function readSeen(dir: string): Map<string, Seen> {
  const db = openDatabase(join(dir, 'crawl.sqlite'), { readOnly: true });
  const seen = new Map<string, Mutable<Seen>>();
  const names = new Map<number, string>();
  const of = (host: unknown): Mutable<Seen> => seen.get(names.get(host as number) ?? '')!;
  // biome-ignore lint/suspicious/noExplicitAny: rows of SQL
  const all = (sql: string): any[] => db.prepare(sql).all() as any[];
  try {
    for (const { id, name } of all('SELECT id, name FROM hosts')) {
      names.set(id, name);
      seen.set(name, { requests: [], visits: [], known: 0, dead: 0 });
    }
    for (const row of all('SELECT * FROM requests ORDER BY id')) of(row.host).requests.push(row);
    for (const row of all(
      'SELECT u.host, u.url AS target, v.kind, v.title, v.links, v.code, v.status, v.duplicate_of AS duplicateOf FROM visits v JOIN urls u ON u.id = v.url',
    )) {
      if (row.code === 'ok' && row.kind === 'page') of(row.host).visits.push(row);
    }
    for (const { host, n } of all('SELECT host, count(*) AS n FROM urls GROUP BY host')) of(host).known = n;
    for (const { host, n } of all(
      'SELECT u.host, sum(2 * d.dead - 1) AS n FROM dead_letters d JOIN urls u ON u.id = d.url GROUP BY u.host',
    )) {
      of(host).dead = n;
    }
    return seen;
  } finally {
    db.close();
  }
}

function judge(cages: readonly Cage[], all: ReadonlyMap<string, Seen>): string[] {
  return cages.flatMap(({ host, beast }) => {
    const seen = all.get(host);
    if (seen === undefined) return [`${host}: was never met`];
    return faultsOf(seen, beast.outcome).map((fault) => `${host}: ${fault}`);
  });
}

function faultsOf(seen: Seen, { robots = 'http.gone', codes, pages, also }: Outcome): string[] {
  const faults: string[] = [];
  const asked = seen.requests.filter(({ kind }) => kind === 'robots').map(({ code }) => code);
  const last = asked.at(-1) ?? 'nothing';
  if (![robots].flat().includes(last)) faults.push(`robots.txt ended in ${last}, not in ${robots}`);
  const counts: Record<string, number> = {};
  for (const { kind, code } of seen.requests) if (kind !== 'robots') counts[code] = (counts[code] ?? 0) + 1;
  for (const [code, span] of Object.entries(codes)) {
    if (!isWithin(counts[code] ?? 0, span)) faults.push(`${code} came ${counts[code] ?? 0} times, not ${show(span)}`);
  }
  const others = Object.entries(counts).filter(([code]) => codes[code] === undefined);
  for (const [code, count] of others) faults.push(`${code} came ${count} times, and must not`);
  if (!isWithin(seen.visits.length, pages)) faults.push(`${seen.visits.length} pages, not ${show(pages)}`);
  const more = also?.(seen) ?? null;
  if (more !== null) faults.push(more);
  return faults;
}

const isWithin = (count: number, span: Span): boolean =>
  typeof span === 'number' ? count === span : count >= span[0] && count <= span[1];
const show = (span: Span): string => (typeof span === 'number' ? String(span) : `${span[0]} to ${span[1]}`);
