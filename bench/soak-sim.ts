/** `npm run soak -- sim [--seed N] [--seeds N] [--hosts N] [--pages N] [--crashes N] [--trace]`: simulated crawls of bigger
 * webs than in the suite; a seed that fails is printed, and fails again. */
import { parseArgs } from 'node:util';
import { type SimulationReport, simulate } from '../src/sim/simulation.js';
import { FAULTS, noFaults } from '../src/sim/simulation-faults.js';

/** Seeds between two lines of progress. */
const PROGRESS = 100;

const noFigures = () => ({ requests: 0, pages: 0, known: 0, done: 0, denied: 0, dead: 0, lives: 0, time: 0 });
type Figure = keyof ReturnType<typeof noFigures>;

/** Runs the worlds of seeds that follow each other; true if every promise was kept in all of them, and every fault was
 * met (by a hundred seeds or more). */
export async function soakSim(args: readonly string[]): Promise<boolean> {
  const { values: flags } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string', default: '1' },
      seeds: { type: 'string', default: '1000' },
      hosts: { type: 'string', default: '30' },
      pages: { type: 'string', default: '40' },
      crashes: { type: 'string', default: '15' },
      trace: { type: 'boolean', default: false },
    },
  });
  const [first, count, hosts, pages, crashes] = (['seed', 'seeds', 'hosts', 'pages', 'crashes'] as const).map((name) =>
    Number(flags[name]),
  );
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const sums = new Sums();
  for (let seed = first; seed < first + count; seed++) {
    const report = simulate({ seed, hosts, pages, crashes });
    sums.add(report);
    if (report.violation !== null) say(`SEED ${seed}: ${report.violation}`);
    if (flags.trace) for (const line of report.recent) say(line);
    if (sums.seeds % PROGRESS === 0) say(`${sums.seeds} seeds, ${sums.failed.length} failed`);
  }
  for (const line of sums.lines()) say(line);
  return sums.failed.length === 0 && (count < 100 || sums.unmet.length === 0);
}

class Sums {
  seeds = 0;
  readonly failed: number[] = [];
  readonly #started = performance.now();
  readonly #faults = noFaults();
  readonly #of = noFigures();
  #longestWait = 0;

  add(report: SimulationReport): void {
    this.seeds++;
    if (report.violation !== null) this.failed.push(report.seed);
    for (const fault of FAULTS) this.#faults[fault] += report.faults[fault];
    for (const name of Object.keys(this.#of) as Figure[]) this.#of[name] += report[name];
    this.#longestWait = Math.max(this.#longestWait, report.longestWait);
  }

  /** Faults that never happened. */
  get unmet(): string[] {
    return FAULTS.filter((fault) => this.#faults[fault] === 0);
  }

  lines(): string[] {
    const { requests, pages, known, done, denied, dead, lives, time } = this.#of;
    const seconds = (performance.now() - this.#started) / 1000;
    return [
      `${this.seeds} seeds in ${seconds.toFixed(0)} s: ${this.failed.length === 0 ? 'every promise kept' : `FAILED: ${this.failed.join(', ')}`}`,
      `${requests} requests (${pages} of pages) in ${(time / 86_400_000).toFixed(0)} virtual days; ${Math.round(requests / seconds)} requests/s of real time`,
      `${known} URLs: ${done} done, ${denied} denied, ${dead} dead; ${lives} processes`,
      `no host that was due waited for longer than ${Math.round(this.#longestWait / 1000)} s`,
      ...FAULTS.map((fault) => `${String(this.#faults[fault]).padStart(9)}  ${fault}`),
      ...this.unmet.map((fault) => `NEVER MET: ${fault}`),
    ];
  }
}
