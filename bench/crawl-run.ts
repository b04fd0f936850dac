/** One crawl of the bench's web by the real program, beside a synthetic server of its own, and what it cost. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ServerLogSummary } from '../src/sim/server-log.js';
import { ServerProcess, type ServerProcessOptions } from '../src/sim/server-process.js';
import { makeCertificate } from './certificate.js';
import { type Cost, measure } from './measure.js';

export interface CrawlRunOptions {
  readonly hosts: number;
  /** Of each host. */
  readonly pages: number;
  readonly seed: number;
  /** The web that is served; default: `bench`. */
  readonly web?: ServerProcessOptions['web'];
  /** The server speaks TLS, and the crawler verifies its certificate. */
  readonly isSecure: boolean;
  /** Milliseconds that every answer is late, such as `50-300`. */
  readonly latency?: string;
  /** The program and its first arguments. */
  readonly crawler: readonly string[];
  /** More arguments of `crawl`; without `--delay` there is none. */
  readonly crawlArgs: readonly string[];
  /** Cores of the crawler and of the server, as `taskset -c` has them; default: all for both. */
  readonly cores?: { readonly crawler: string; readonly server: string };
  /** Where the crawl lives; default: `crawl` in the scratch folder. */
  readonly dir?: string;
  /** The end of the program belongs to the warm cost; default: true. Else it ends with the last page. */
  readonly isWarmToTheEnd?: boolean;
  /** A folder for the CPU profiles of all threads of the crawler: it then costs more. */
  readonly profiles?: string;
}

/** How late the timers of a thread came, ms: the 99th of 100, and the latest. */
export interface LoopDelay {
  /** Without the time in which the thread was ready and had no core. */
  readonly p99: number;
  readonly most: number;
  /** With it. */
  readonly p99OnThisMachine: number;
}

export interface CrawlRun {
  readonly cost: Cost;
  /** CPU of the crawler after the first quarter of the pages was served, ms a page: without what is loaded and compiled
   * once. NaN if it could not be taken. */
  readonly warmCpu: number;
  /** The last line of the crawler's output. */
  readonly summary: Readonly<Record<string, number>>;
  readonly log: ServerLogSummary;
  /** CPU of the server while it served, ms. */
  readonly serverCpu: number;
  /** Of the main thread, and of the page worker that came off worst. */
  readonly main: LoopDelay;
  readonly workers: LoopDelay;
  readonly figures: Readonly<Record<string, number>>;
  /** Where the crawl is. */
  readonly dir: string;
}

const WATCH = resolve('bench/loop-watch.mjs');

/** Crawls the whole web once.
 * @param scratch an empty folder, which the caller removes */
export async function crawlRun(options: CrawlRunOptions, scratch: string): Promise<CrawlRun> {
  const { hosts, pages, seed, latency, cores } = options;
  const certificate = options.isSecure ? makeCertificate(scratch) : null;
  const server = await ServerProcess.start({
    ...{ web: options.web ?? 'bench', hosts, pages, seed, ...certificate },
    ...(latency === undefined ? {} : { latency }),
  });
  try {
    if (cores !== undefined) execFileSync('taskset', ['-a', '-c', '-p', cores.server, String(server.pid)]);
    const dir = options.dir ?? join(scratch, 'crawl');
    const watch = join(scratch, 'loop.jsonl');
    const env = { LOOP_WATCH: watch, ...(certificate === null ? {} : { NODE_EXTRA_CA_CERTS: certificate.cert }) };
    const before = await server.ask('usage', {});
    const last = options.isWarmToTheEnd === false ? hosts * pages : Number.POSITIVE_INFINITY;
    const warm = new WarmMark(server, (hosts * pages) / 4, last);
    const cost = await measure(commandOf(options, server, scratch, dir), { env, started: (cpu) => warm.await(cpu) });
    const after = await server.ask('usage', {});
    const log = await server.ask('summary', {});
    return {
      ...{ cost, dir, summary: lastObject(cost.stdout), log, warmCpu: warm.cost(cost, log.distinctPages) },
      serverCpu: after.user + after.system - before.user - before.system,
      ...loopDelays(watch),
      figures: server.ready.figures ?? {},
    };
  } finally {
    await server.stop();
  }
}

interface Mark {
  readonly cpu: number;
  readonly pages: number;
}

/** What had been done when so many pages were served. */
class WarmMark {
  readonly #server: ServerProcess;
  readonly #first: number;
  readonly #last: number;
  #from: Mark | null = null;
  #to: Mark | null = null;

  /** @param last the page with which it ends; Infinity for the end of the program */
  constructor(server: ServerProcess, first: number, last: number) {
    this.#server = server;
    this.#first = Math.max(1, Math.round(first));
    this.#last = last;
  }

  await(cpuSoFar: () => number): void {
    const mark = async (pages: number): Promise<Mark> => ({
      pages: await this.#server.ask('pages', { pages }),
      cpu: cpuSoFar(),
    });
    // a crawl that ends before has none
    mark(this.#first).then(
      (from) => (this.#from = from),
      () => {},
    );
    if (Number.isFinite(this.#last))
      mark(this.#last).then(
        (to) => (this.#to = to),
        () => {},
      );
  }

  cost({ user, system }: Cost, pages: number): number {
    const from = this.#from ?? { cpu: 0, pages };
    const to = Number.isFinite(this.#last) ? this.#to : { cpu: user + system, pages };
    if (to === null) return Number.NaN;
    return from.cpu > 0 && to.pages > from.pages ? (to.cpu - from.cpu) / (to.pages - from.pages) : Number.NaN;
  }
}

function commandOf(options: CrawlRunOptions, server: ServerProcess, scratch: string, dir: string): string[] {
  const { crawler, crawlArgs, cores, profiles } = options;
  const seeds = join(scratch, 'seeds.txt');
  writeFileSync(seeds, `${server.ready.seeds.join('\n')}\n`);
  const [node = process.execPath, ...program] = crawler;
  const command = cores === undefined ? [] : ['taskset', '-c', cores.crawler];
  command.push(node, '--import', WATCH);
  if (profiles !== undefined) command.push('--cpu-prof', '--cpu-prof-dir', profiles);
  command.push(...program, 'crawl', '--seeds', seeds, '--dir', dir, '--resolve', server.ready.resolve);
  command.push('--allow-private', '127.0.0.0/8', '--scope', 'any', '--patience', '2s', '--json');
  if (!crawlArgs.includes('--delay')) command.push('--delay', '0');
  command.push('--contact', 'mailto:bench@example.com', ...crawlArgs);
  return command;
}

/** The last line, which `--json` makes one object; empty if there is none. */
export function lastObject(stdout: string): Record<string, number> {
  try {
    return JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as Record<string, number>;
  } catch {
    return {};
  }
}

interface Watched {
  readonly main: boolean;
  readonly thread: number;
  readonly late: { readonly p99: number; readonly most: number };
  readonly own: { readonly p99: number; readonly most: number };
}

function loopDelays(file: string): { main: LoopDelay; workers: LoopDelay } {
  const last = new Map<string, Watched>();
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  for (const line of lines) {
    const watched = JSON.parse(line) as Watched;
    last.set(`${watched.main} ${watched.thread}`, watched);
  }
  const worst = (isMain: boolean): LoopDelay => {
    const some = [...last.values()].filter(({ main }) => main === isMain);
    const largest = (of: (watched: Watched) => number) => Math.max(0, ...some.map(of));
    return {
      p99: largest(({ own }) => own.p99),
      most: largest(({ own }) => own.most),
      p99OnThisMachine: largest(({ late }) => late.p99),
    };
  };
  return { main: worst(true), workers: worst(false) };
}
