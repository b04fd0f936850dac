/**
 * `npm run soak -- fuzz [--minutes 10] [--seed 1] [--only page,robots] [--corpus DIR] [--keep DIR]`: the targets of
 * `test/fuzz/` in turns, in a thread of their own with a watchdog. A case that breaks a promise, hangs or crashes the
 * thread is written to a file in the form of `test/fuzz/kept/`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { TARGETS } from '../test/fuzz/targets.js';
import { type FuzzOutcome, type FuzzTurn, type FuzzWorkerData, RUNNING_HEADER } from './soak-fuzz-messages.js';

/** One turn of one target. */
const TURN = 3_000;
/** A case that takes longer hangs: the longest that was seen takes a second on a busy machine. */
const HANG = 20_000;
/** Failures after which a target gets no more turns: they are nearly always the same fault. */
const MOST_FAILURES = 3;
const LARGEST_CASE = 32 * 1024 * 1024;
/** Turns before memory is compared: tables and caches fill. */
const WARM_ROUNDS = 3;
const MOST_GROWTH = 48 * 1024 * 1024;
/** Seeds of two turns lie this far apart: no turn has so many batches. */
const SEEDS_PER_TURN = 100_000;

interface Failure {
  readonly target: string;
  readonly says: string;
  readonly input: unknown;
}

/** True if every promise was kept by every case, nothing hung and memory did not grow. */
export async function soakFuzz(args: readonly string[]): Promise<boolean> {
  const { values: flags } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string', default: '1' },
      only: { type: 'string' },
      corpus: { type: 'string' },
      keep: { type: 'string', default: join(tmpdir(), 'saunter-fuzz-failures') },
    },
  });
  const say = (line: string) => process.stdout.write(`${line}\n`);
  let names = flags.only?.split(',') ?? TARGETS.map(({ name }) => name);
  const unknown = names.find((name) => !TARGETS.some((target) => target.name === name));
  if (unknown !== undefined) {
    say(`There is no target "${unknown}": choose of ${TARGETS.map(({ name }) => name).join(', ')}.`);
    return false;
  }
  const until = performance.now() + Number(flags.minutes) * 60_000;
  const counts = new Map(names.map((name) => [name, 0]));
  const memory: number[] = [];
  const failed: string[] = [];
  let seed = Number(flags.seed) * 1_000_003;
  let thread = new FuzzThread(flags.corpus ?? null);
  while (names.length > 0 && performance.now() < until) {
    for (const target of names) {
      if (performance.now() >= until) break;
      seed += SEEDS_PER_TURN;
      const outcome = await thread.turn({ target, seed: seed | 0, milliseconds: TURN });
      if ('cases' in outcome) counts.set(target, counts.get(target)! + outcome.cases);
      const failure = 'cases' in outcome ? failureOf(target, outcome) : { target, ...outcome };
      if (failure !== null) {
        const file = keep(flags.keep, failed.push(target), failure);
        say(`FAILED ${target}: ${failure.says}\n  kept as ${file}`);
      }
      if (!('cases' in outcome)) thread = new FuzzThread(flags.corpus ?? null);
      else if (target === names.at(-1)) memory.push(outcome.memory);
    }
    names = names.filter((name) => failed.filter((other) => other === name).length < MOST_FAILURES);
    say([...counts].map(([name, count]) => `${name} ${count}`).join(', '));
  }
  await thread.end();
  const growth = growthOf(memory);
  say(`memory after a collection: ${memory.map((bytes) => Math.round(bytes / 1_048_576)).join(' ')} MiB`);
  if (growth > MOST_GROWTH) say(`MEMORY GREW by ${Math.round(growth / 1_048_576)} MiB`);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  say(
    `${total} cases of ${counts.size} targets, seed ${flags.seed}: ${failed.length === 0 ? 'every promise kept' : `${failed.length} FAILED`}`,
  );
  return failed.length === 0 && growth <= MOST_GROWTH;
}

function failureOf(target: string, { failure }: FuzzOutcome): Failure | null {
  return failure === null ? null : { target, says: `${failure.path}: ${failure.message}`, input: failure.input };
}

function keep(folder: string, number: number, failure: Failure): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${failure.target}-${process.pid}-${number}.json`);
  writeFileSync(file, `${JSON.stringify(failure, null, 2)}\n`);
  return file;
}

/** How much more memory is used in the last third than in the first, each at its least. */
function growthOf(memory: readonly number[]): number {
  const steady = memory.slice(WARM_ROUNDS);
  const third = Math.floor(steady.length / 3);
  return third === 0 ? 0 : Math.min(...steady.slice(-third)) - Math.min(...steady.slice(0, third));
}

interface Ended {
  readonly says: string;
  readonly input: unknown;
}

/** The thread of `soak-fuzz-worker.ts`, watched. */
class FuzzThread {
  readonly #running = new SharedArrayBuffer(RUNNING_HEADER + LARGEST_CASE);
  readonly #worker: Worker;

  constructor(corpus: string | null) {
    const workerData: FuzzWorkerData = { corpus, running: this.#running };
    this.#worker = new Worker(new URL('./soak-fuzz-worker.js', import.meta.url), { workerData });
  }

  /** The outcome of a turn, or what ended the thread and on which case. */
  turn(turn: FuzzTurn): Promise<FuzzOutcome | Ended> {
    const header = new Int32Array(this.#running, 0, 2);
    return new Promise((resolve) => {
      let [seen, since] = [-1, performance.now()];
      const watch = setInterval(() => {
        const number = Atomics.load(header, 0);
        if (number !== seen || header[1] === 0) [seen, since] = [number, performance.now()];
        else if (performance.now() - since > HANG) end(`hangs: a case took over ${HANG / 1000} s`);
      }, 500);
      const end = (says: string): void => {
        settle({ says: `seed ${turn.seed}: ${says}`, input: this.#case() });
        void this.#worker.terminate();
      };
      const settle = (outcome: FuzzOutcome | Ended): void => {
        clearInterval(watch);
        this.#worker.off('message', settle).off('error', died).off('exit', left);
        resolve(outcome);
      };
      const died = (error: Error): void => end(`the thread died: ${error}`);
      const left = (code: number): void => end(`the thread ended with ${code}`);
      this.#worker.on('message', settle).on('error', died).on('exit', left);
      this.#worker.postMessage(turn);
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  /** The case that the thread was at. */
  #case(): unknown {
    const length = new Int32Array(this.#running, 0, 2)[1];
    const json = Buffer.from(this.#running, RUNNING_HEADER, length).toString('utf8');
    try {
      return JSON.parse(json);
    } catch {
      return json;
    }
  }
}
