/**
 * The built program, run by tests: in this process where its words, its exit code and its files are what matters, as a
 * process of its own where signals and limits of the system do. `npm test` builds before it tests.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FakeProcess } from '../cli/process.js';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const program = join(root, 'bin/saunter.js');

/** A module of the built program. */
export const built = <Module>(name: string): Promise<Module> => import(join(root, 'dist', name)) as Promise<Module>;

/** The object that `--json` prints (DESIGN 11), as far as tests read it. */
export interface Summary {
  pages: number;
  requests: number;
  bytes: number;
  duplicates: number;
  nearDuplicates: number;
  revisits: number;
  notModified: number;
  changed: number;
  freshness: number | null;
  hosts: number;
  known: number;
  pending: number;
  waiting: Record<string, { urls: number; next: number | null }>;
  deadLetters: number;
  robotsDenied: number;
  rejected: Record<string, number>;
  removed: Record<string, number>;
  errors: Record<string, number>;
  seconds: number;
  pagesPerSecond: number;
  pagesThisRun: number;
  ceiling: { backQueues: number; period: number | null; pagesPerSecond: number | null; binds: boolean; bound: number };
  suspectedTraps: { host: string; pages: number; duplicates: number }[];
  mirrors: { host: string; of: string; copies: number; pages: number }[];
}

export interface Ran {
  code: number | null;
  out: string;
  err: string;
}

/** Standard error of a crawl without a terminal, but for the line which says that it begins. */
export const afterBegin = (err: string): string => err.replace(/^Crawling into .* tells how it stands\..*\n/, '');

/** Directories that are removed at the end of a test file. */
const scratches: string[] = [];

export function scratch(): string {
  const dir = mkdtempSync(join(tmpdir(), 'saunter-e2e-'));
  scratches.push(dir);
  return dir;
}

export function removeScratches(): void {
  for (const dir of scratches.splice(0)) rmSync(dir, { recursive: true, force: true });
}

/** Writes a config file; returns its path. Tests that shorten a time say so there. */
export function configFile(config: Record<string, unknown>): string {
  const path = join(scratch(), 'config.json');
  writeFileSync(path, JSON.stringify(config));
  return path;
}

/** Runs a command of the built program in this process, on a terminal that cannot move its cursor: remarks are kept,
 * progress is not. `onStart` gets what stands for the process, to interrupt it or to take the terminal away. */
export async function saunter(
  args: readonly string[],
  onStart: (process: FakeProcess) => void = () => {},
): Promise<Ran> {
  const { main } = await built<typeof import('../../src/cli/main.js')>('cli/main.js');
  const fake = new FakeProcess({ tty: true, env: { TERM: 'dumb' } });
  fake.stdout.isTTY = false; // results go on to other programs
  onStart(fake);
  const code = await main(args, fake);
  return { code, out: fake.stdout.text, err: fake.stderr.text };
}

/** `saunter crawl --json` with one worker; fails if the last line is not the summary. */
export async function crawl(args: readonly string[], onStart?: (process: FakeProcess) => void) {
  const ran = await saunter(['crawl', '--json', '--workers', '1', ...args], onStart);
  return { ...ran, summary: summaryOf(ran) };
}

/** The last line of `--json`. Throws, with what was said instead, if there is none. */
export function summaryOf({ out, err }: Ran): Summary {
  const last = out.trimEnd().split('\n').at(-1) ?? '';
  if (!last.startsWith('{')) throw new Error(`no summary: ${err || out}`);
  return JSON.parse(last) as Summary;
}

export interface Running {
  readonly child: ChildProcess;
  readonly over: Promise<Ran>;
}

/** Starts a command as a process of its own. `limit`: what a shell does first, such as `ulimit -f 64`. */
export function start(
  args: readonly string[],
  { env, limit, cwd }: { env?: NodeJS.ProcessEnv; limit?: string; cwd?: string } = {},
): Running {
  const [command, first] =
    limit === undefined ? [process.execPath, []] : ['bash', ['-c', `${limit}; exec "$0" "$@"`, process.execPath]];
  const child = spawn(command, [...first, program, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env, cwd });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const over = new Promise<Ran>((resolve) => child.on('close', (code) => resolve({ code, out, err })));
  return { child, over };
}
