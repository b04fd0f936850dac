/**
 * The kill test: the real program on a synthetic web, under SIGKILL at chosen moments, started again by the same
 * command each time, and judged at the end by the web's own log (DESIGN section 14).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicNow } from '../../src/sim/server-log.js';
import { ServerProcess } from '../../src/sim/server-process.js';
import { randomFor } from '../../src/sim/web-random.js';
import { brokenPromises, GRACE_MS, type Kill } from './kill-checks.js';
import { awaitMoment, type Moment } from './kill-moments.js';
import { Starvation } from './starvation.js';

export interface KillPlan {
  /** The program and its first arguments; a command (`crawl`, `export`, `verify`) follows. */
  readonly crawler: readonly string[];
  /** The crawl's directory; must not exist. Beside it, with endings of their own: its config file, and at the end the
   * evidence (kills and the server's log). */
  readonly dir: string;
  readonly hosts: number;
  readonly pages: number;
  /** Between requests, in ms. */
  readonly delay: number;
  /** The moments to kill at, in this order; each but `scan` waits for {@link progress} first. */
  readonly moments: readonly Moment[];
  /** Share of all pages that must be served anew before a kill. */
  readonly progress: number;
  /** How long the crawl waits for what falls due later. After a kill hosts may all owe as much as ten seconds: a crawl that
   * is less patient ends before its next kill. */
  readonly patience?: string;
  /** Of the web and of the random waits. */
  readonly seed: number;
  /** More arguments of `crawl`. */
  readonly crawlArgs?: readonly string[];
  /** What the crawl's config file holds; it makes archive files small and retries quick. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** After this many ms the test gives up. */
  readonly deadline: number;
  /** The server's program; default: the built one. */
  readonly serverProgram?: string;
  /** Hears what happens, a line at a time. */
  readonly say?: (line: string) => void;
}

export interface KillReport {
  readonly kills: readonly Kill[];
  /** Runs of `crawl`, the killed ones included. */
  readonly runs: number;
  readonly seconds: number;
  readonly requests: number;
  readonly pages: number;
  /** Requests that came again, each excused by a kill. */
  readonly repeated: number;
  /** Every broken promise, as a sentence. */
  readonly problems: readonly string[];
}

/** The moments of the standard test: ten kills with progress before each, and two more during the scans of the starts
 * that follow. Robots come first: there is no robots.txt left to fetch later. */
export const MOMENTS: readonly Moment[] = [
  ...(['robots', 'commit', 'any', 'scan', 'robots', 'commit'] as const),
  ...(['segment', 'commit', 'scan', 'segment', 'any', 'segment'] as const),
];

/** Runs the plan. Never throws for a fault of the crawler: that is a problem in the report. */
export async function killTest(plan: KillPlan): Promise<KillReport> {
  const { web, serverProgram: program } = { web: 'kill' as const, ...plan };
  const { hosts, pages, seed } = plan;
  const server = await ServerProcess.start({ web, hosts, pages, seed, ...(program === undefined ? {} : { program }) });
  try {
    return await new KillRun(plan, server).run();
  } finally {
    await server.stop();
  }
}

class KillRun {
  readonly #plan: KillPlan;
  readonly #server: ServerProcess;
  readonly #command: readonly string[];
  readonly #kills: Kill[] = [];
  readonly #problems: string[] = [];
  readonly #random: () => number;
  readonly #started = monotonicNow();
  #runs = 0;

  constructor(plan: KillPlan, server: ServerProcess) {
    this.#plan = plan;
    this.#server = server;
    const random = randomFor(plan.seed, 'kills');
    this.#random = () => random.float();
    this.#command = [...plan.crawler, 'crawl', ...server.ready.seeds, ...this.#flags()];
  }

  #flags(): string[] {
    const { dir, delay, config, patience = '3s', crawlArgs = [] } = this.#plan;
    const flags = ['--dir', dir, '--resolve', this.#server.ready.resolve, '--allow-private', '127.0.0.0/8'];
    flags.push('--delay', `${delay}ms`, '--scope', 'any', '--patience', patience, '--json');
    flags.push('--contact', 'mailto:test@example.com', ...crawlArgs);
    if (config !== undefined) {
      const file = `${dir}.config.json`;
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify(config));
      flags.push('--config', file);
    }
    return flags;
  }

  async run(): Promise<KillReport> {
    for (const [index, moment] of this.#plan.moments.entries()) {
      if (!(await this.#runAndKill(moment))) {
        this.#problems.push(`the crawl ended by itself before kill ${index + 1} of ${this.#plan.moments.length}`);
        break;
      }
    }
    await this.#finish();
    return this.#judge();
  }

  /** Starts the crawl and kills it at the moment; false if it ended by itself before. */
  async #runAndKill(moment: Moment): Promise<boolean> {
    const { dir, hosts, pages, progress } = this.#plan;
    const served = await this.#server.ask('pages', { pages: 0 });
    const crawl = this.#start();
    const need = moment === 'scan' ? 0 : served + Math.ceil(hosts * pages * progress);
    const reached = await Promise.race([this.#server.ask('pages', { pages: need }), crawl.over.then(() => null)]);
    if (reached === null) return false;
    const starvation = new Starvation(crawl.child.pid!);
    const scene = { pid: crawl.child.pid!, dir, server: this.#server, random: this.#random, ended: crawl.ended };
    const met = await awaitMoment(moment, scene).finally(() => starvation.end());
    if (crawl.ended.aborted) return false;
    const starved = starvation.within(2 * GRACE_MS);
    const sent = monotonicNow();
    crawl.child.kill('SIGKILL');
    await crawl.over;
    this.#kills.push({ moment, met, sent, gone: monotonicNow(), starved });
    this.#plan.say?.(`killed at "${moment}"${met ? '' : ' (not met)'} after ${reached} pages`);
    return true;
  }

  /** Runs the crawl until nothing waits any more. */
  async #finish(): Promise<void> {
    while (monotonicNow() - this.#started < this.#plan.deadline) {
      const crawl = this.#start();
      const timeout = setTimeout(() => crawl.child.kill('SIGINT'), this.#timeLeft());
      const code = await crawl.over;
      clearTimeout(timeout);
      if (code !== 0) {
        this.#problems.push(`crawl ended with exit code ${code}: ${crawl.words()}`);
        return;
      }
      const summary = parseObject(crawl.stdout().trimEnd().split('\n').at(-1)!);
      if (summary === null) {
        this.#problems.push('the last line of crawl --json is no JSON object');
        return;
      }
      this.#plan.say?.(`run ${this.#runs} ended: ${summary.pages} pages, ${summary.pending} pending`);
      if (summary.pending === 0) return;
      await sleep(1000);
    }
    this.#problems.push(`the crawl was not done after ${Math.round(this.#plan.deadline / 1000)} s`);
  }

  #timeLeft(): number {
    return Math.max(1000, this.#plan.deadline - (monotonicNow() - this.#started));
  }

  async #judge(): Promise<KillReport> {
    const { crawler, dir, delay } = this.#plan;
    const exported = await this.#read([...crawler, 'export', '--dir', dir, '--format', 'jsonl']);
    await this.#read([...crawler, 'verify', '--dir', dir]);
    const log = await this.#server.ask('log', {});
    const evidence = {
      ...{ log, delay, kills: this.#kills },
      reachable: await this.#server.ask('reachable', {}),
      exported: exported
        .split('\n')
        .filter(Boolean)
        .map((line) => String(parseObject(line)?.url)),
    };
    for (const moment of new Set(this.#plan.moments)) {
      const kills = this.#kills.filter((kill) => kill.moment === moment);
      if (kills.length > 0 && !kills.some((kill) => kill.met))
        this.#problems.push(`no kill met its moment "${moment}"`);
    }
    writeFileSync(`${dir}.evidence.json`, JSON.stringify({ kills: this.#kills, log }));
    const distinct = new Set(log.map((request) => request.host + request.target));
    return {
      ...{ kills: this.#kills, runs: this.#runs, requests: log.length, repeated: log.length - distinct.size },
      seconds: (monotonicNow() - this.#started) / 1000,
      pages: await this.#server.ask('pages', { pages: 0 }),
      problems: [...this.#problems, ...brokenPromises(evidence)],
    };
  }

  /** Runs a command on what the crawl left; its output. */
  async #read(command: readonly string[]): Promise<string> {
    const running = run(command);
    const code = await running.over;
    if (code !== 0) this.#problems.push(`${command.join(' ')} ended with exit code ${code}: ${running.words()}`);
    return running.stdout();
  }

  #start(): Running {
    this.#runs++;
    return run(this.#command);
  }
}

/** A program that runs. */
interface Running {
  readonly child: ChildProcess;
  /** Its exit code, or null after a signal. */
  readonly over: Promise<number | null>;
  readonly ended: AbortSignal;
  stdout(): string;
  /** The end of both outputs, for messages. */
  words(): string;
}

function run(command: readonly string[]): Running {
  const [program, ...args] = command;
  const child = spawn(program!, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new AbortController();
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  const over = new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(127));
    child.on('close', (code) => resolve(code));
  }).finally(() => ended.abort());
  const stdout = () => Buffer.concat(out).toString();
  const words = () => `${stdout().trim().slice(-300)}\n${Buffer.concat(err).toString().trim().slice(-500)}`.trim();
  return { child, over, ended: ended.signal, stdout, words };
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
