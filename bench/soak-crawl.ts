/**
 * `npm run soak -- crawl [--minutes 60] [--seed 1] [--hosts 100] [--pages 200] [--delay 100] [--stall 1000]`: long crawls
 * of a synthetic web, with faults at random: kill -9, Ctrl-C, page workers that crash, a disk that fills, a name server
 * that falls silent, slow and failing servers. See README.md in this folder for what must hold.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { randomFor, type WebRandom } from '../src/sim/web-random.js';
import { gapProblems, indexProblems } from '../test/support/kill-checks.js';
import { Watched, type WatchLine } from './soak-crawl-run.js';
import { FaultyWeb } from './soak-crawl-web.js';

const FAULTS = ['kill', 'kill', 'interrupt', 'crash', 'disk', 'resolver'] as const;
type Fault = (typeof FAULTS)[number];
/** How a run with that fault may end, if it is not done: exit codes, null for a signal. */
const ENDS: Readonly<Record<Fault, readonly (number | null)[]>> = {
  ...{ kill: [null], interrupt: [130], crash: [130], disk: [1, 130], resolver: [130] },
};

/** Times are short, so that what waits comes back within a run; the ladders are long, so that no URL and no host is given
 * up for faults that pass. */
const CONFIG = {
  ...{ 'segment.bytes': '2MiB', 'politeness.factor': 0, 'unclean.owe': '1s', 'timeout.dns': '1s' },
  ...{
    'retry.ladder': ['500ms', '1s', '2s', '4s', '5s', '5s', '5s', '5s'],
    'robots.retry': '1s',
    'robots.retryCap': '2s',
  },
  ...{ 'resolver.ttlMin': '2s', 'resolver.ttlMax': '4s', 'resolver.negative': '1s' },
  'host.offline': ['2s', '2s', '4s', '4s', '5s', '5s', '5s', '5s'],
};
/** After Ctrl-C a run has so long to end: its slowest answer, the last commit. */
const STOP_MS = 40_000;
/** A round whose crawl is not done so long after its faults is stuck. */
const FINISH_MS = 15 * 60_000;
/** How much a run's memory may grow from the first third of its time to the last, beside what the URLs take. */
const MOST_GROWTH = 96 * 1024 * 1024;
const MOST_FILES = 64;
/** Rounds that failed, after which there is no more to learn. */
const MOST_FAILED = 3;

interface Flags {
  readonly seed: number;
  readonly hosts: number;
  readonly pages: number;
  readonly delay: number;
  /** Milliseconds that a thread's loop may stand still. */
  readonly stall: number;
}

/** True if every promise was kept. A round that failed leaves its directory. */
export async function soakCrawl(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '60' },
      seed: { type: 'string', default: '1' },
      hosts: { type: 'string', default: '100' },
      pages: { type: 'string', default: '200' },
      delay: { type: 'string', default: '100' },
      stall: { type: 'string', default: '1000' },
    },
  });
  const [minutes, seed, hosts, pages, delay, stall] = (
    ['minutes', 'seed', 'hosts', 'pages', 'delay', 'stall'] as const
  ).map((name) => Number(values[name]));
  const until = performance.now() + minutes * 60_000;
  let failed = 0;
  for (let round = 0; round === 0 || (performance.now() < until && failed < MOST_FAILED); round++) {
    const flags = { seed: seed + round, hosts, pages, delay, stall };
    if (!(await new Round(flags, until).run())) failed++;
  }
  return failed === 0;
}

/** One crawl, from its first start to the end of its web. */
class Round {
  readonly #flags: Flags;
  readonly #until: number;
  readonly #random: WebRandom;
  readonly #scratch = mkdtempSync(join(tmpdir(), 'saunter-soak-'));
  readonly #problems: string[] = [];
  readonly #met = new Map<string, number>();
  #runs = 0;
  #longestStall = 0;
  #web!: FaultyWeb;

  constructor(flags: Flags, until: number) {
    this.#flags = flags;
    this.#until = until;
    this.#random = randomFor(flags.seed, 'soak');
    writeFileSync(join(this.#scratch, 'config.json'), JSON.stringify(CONFIG));
  }

  async run(): Promise<boolean> {
    const { seed, hosts, pages, delay } = this.#flags;
    say(`seed ${seed}: ${hosts} hosts x ${pages} pages, ${delay} ms apart`);
    this.#web = await FaultyWeb.start(this.#flags);
    try {
      let done = false;
      // One broken promise is enough: the rest of the round shows what became of it.
      while (!done && this.#problems.length === 0 && performance.now() < this.#until) done = await this.#faultyRun();
      await this.#finish();
      await this.#judge();
    } finally {
      await this.#web.stop();
    }
    for (const problem of this.#problems) say(`PROBLEM: ${problem}`);
    const met = [...this.#met].map(([fault, times]) => `${fault} ${times}`).join(', ');
    say(
      `${this.#runs} runs (${met || 'no faults'}), ${this.#web.log.length} requests; no loop stood still for longer than ${Math.round(this.#longestStall)} ms`,
    );
    const kept = this.#problems.length === 0;
    say(kept ? `seed ${seed}: every promise kept` : `seed ${seed}: FAILED, see ${this.#scratch}`);
    if (kept) rmSync(this.#scratch, { recursive: true, force: true });
    return kept;
  }

  /** Runs the crawl for a while and lets one fault happen; true if the crawl was done before. */
  async #faultyRun(): Promise<boolean> {
    const fault: Fault = this.#random.pick(FAULTS);
    const time = 3_000 + this.#random.float() * 12_000;
    const run = this.#start(fault);
    await run.begun();
    if (fault === 'resolver') await this.#silence(run, time);
    else await Promise.race([sleep(time), run.over]);
    if (!run.ended) run.signal(fault === 'kill' ? 'SIGKILL' : 'SIGINT');
    const ran = await run.within(STOP_MS);
    const { crashes } = this.#look(run, fault);
    const times = fault === 'crash' ? crashes : Number(fault !== 'disk' || ran?.code === 1);
    this.#met.set(fault, (this.#met.get(fault) ?? 0) + times);
    const allowed = ENDS[fault];
    if (ran === null) this.#problems.push(`run ${this.#runs} (${fault}) did not end ${STOP_MS / 1000} s after Ctrl-C`);
    else if (ran.code !== 0 && !allowed.includes(ran.code))
      this.#problems.push(`run ${this.#runs} (${fault}) ended with ${ran.code}: ${ran.words}`);
    return ran?.code === 0;
  }

  /** The name server falls silent for half of the time. */
  async #silence(run: Watched, time: number): Promise<void> {
    await Promise.race([sleep(time / 4), run.over]);
    this.#web.silence(true);
    await Promise.race([sleep(time / 2), run.over]);
    this.#web.silence(false);
    await Promise.race([sleep(time / 4), run.over]);
  }

  /** Runs the crawl until nothing waits any more. */
  async #finish(): Promise<void> {
    const until = performance.now() + FINISH_MS;
    while (performance.now() < until) {
      const run = this.#start(null);
      const ran = await run.within(until - performance.now());
      const { lines } = this.#look(run, 'the last run');
      if (ran === null || ran.code !== 0) {
        this.#problems.push(
          ran === null ? 'the crawl was not done in time' : `the last run ended with ${ran.code}: ${ran.words}`,
        );
        return;
      }
      this.#lookFlat(lines);
      const summary = JSON.parse(ran.out.trimEnd().split('\n').at(-1) ?? '{}') as Record<string, number>;
      say(
        `run ${this.#runs} ended: ${summary.pages} pages, ${summary.pending} pending, ${summary.deadLetters} dead letters`,
      );
      if (summary.pending === 0) return;
    }
    this.#problems.push('something still waits');
  }

  async #judge(): Promise<void> {
    const dir = join(this.#scratch, 'crawl');
    const read = async (args: readonly string[]): Promise<string> => {
      const run = new Watched([...args, '--dir', dir], {}, null);
      const ran = await run.within(FINISH_MS);
      if (ran?.code !== 0) this.#problems.push(`saunter ${args[0]} ended with ${ran?.code}: ${ran?.words}`);
      return ran?.out ?? '';
    };
    await read(['verify']);
    const exported = (await read(['export', '--format', 'jsonl'])).split('\n').filter(Boolean);
    const urls = exported.map((line) => (JSON.parse(line) as { url: string }).url);
    this.#problems.push(
      ...indexProblems(this.#web.web.reachable(), urls),
      ...gapProblems(this.#web.log, this.#flags.delay),
    );
    const forbidden = this.#web.log.filter(({ kind }) => kind === 'forbidden').length;
    if (forbidden > 0) this.#problems.push(`${forbidden} requests that robots forbid`);
  }

  #start(fault: Fault | null): Watched {
    this.#runs++;
    const watch = pathToFileURL(resolve('bench/soak-crawl-watch.mjs')).href;
    const disk = pathToFileURL(resolve('test/support/disk.mjs')).href;
    const full = {
      call: 'writev',
      file: this.#random.pick(['warc/', 'text/']),
      after: 5 + this.#random.below(40),
      code: 'ENOSPC',
    };
    const environment = {
      NODE_OPTIONS: `--import=${watch}${fault === 'disk' ? ` --import=${disk}` : ''}`,
      ...(fault === 'crash' && { SOAK_CRASH: '2000' }),
      ...(fault === 'disk' && { DISK_FAULT: JSON.stringify(full) }),
    };
    const { delay } = this.#flags;
    const command = [
      'crawl',
      ...this.#web.web.seeds,
      '--dir',
      join(this.#scratch, 'crawl'),
      '--scope',
      'any',
      '--json',
    ];
    command.push(
      '--delay',
      `${delay}ms`,
      '--patience',
      '20s',
      '--dns',
      this.#web.resolver,
      '--allow-private',
      '127.0.0.0/8',
    );
    command.push('--contact', 'mailto:test@example.com', '--config', join(this.#scratch, 'config.json'));
    return new Watched(command, environment, join(this.#scratch, `watch-${this.#runs}.jsonl`));
  }

  /** What the watch wrote down of a run, with its complaints made. */
  #look(run: Watched, what: string): ReturnType<Watched['watched']> {
    const watched = run.watched();
    for (const { stood, starved, main, thread } of watched.lines) {
      // What the thread waited for a core is the machine's doing.
      const stall = stood - Math.max(0, starved);
      this.#longestStall = Math.max(this.#longestStall, stall);
      if (stall <= this.#flags.stall) continue;
      this.#problems.push(
        `run ${this.#runs} (${what}): the loop of ${main ? 'the main thread' : `thread ${thread}`} stood still for ${Math.round(stall)} ms`,
      );
    }
    const odd = run.words.match(/.*(?:unhandled|saunter failed|\bat .*\.js:\d+|FATAL|out of memory).*/i);
    if (odd !== null && !odd[0].includes('the soak wanted'))
      this.#problems.push(`run ${this.#runs} (${what}) said: ${odd[0]}`);
    return watched;
  }

  /** Memory and files of the main thread: the least of the last third against that of the first. */
  #lookFlat(lines: readonly WatchLine[]): void {
    const main = lines.filter((line) => line.main).slice(5);
    const third = Math.floor(main.length / 3);
    if (third === 0) return;
    for (const [name, most] of [
      ['memory', MOST_GROWTH],
      ['files', MOST_FILES],
    ] as const) {
      const least = (part: readonly WatchLine[]) => Math.min(...part.map((line) => line[name]));
      const growth = least(main.slice(-third)) - least(main.slice(0, third));
      say(
        `the last run: ${name} of the main thread grew by ${name === 'files' ? growth : `${Math.round(growth / 1_048_576)} MiB`} in ${main.length} s`,
      );
      if (growth > most) this.#problems.push(`${name} grew by ${growth} in one run`);
    }
  }
}

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
