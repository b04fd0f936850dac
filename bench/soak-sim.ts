/** `npm run soak -- sim [--seed N] [--seeds N] [--hosts N] [--pages N] [--crashes N] [--revisit-hours N] [--trace]`: simulated
 * crawls of bigger webs than in the suite, and standing crawls of small ones; a seed that fails is printed, and fails
 * again. */
import { parseArgs } from 'node:util';
import { type ManyReport, simulateMany } from '../src/sim/simulation-many.js';
import { manyWords } from '../src/sim/simulation-words.js';

/** Seeds between two lines of progress. */
const PROGRESS = 100;
/** From so many seeds on, every fault must have been met, and a tenth as many standing crawls follow. */
const MANY = 100;
const STANDING = { hosts: 8, pages: 12, hours: 60 };
const HOUR = 3_600_000;

interface Round {
  seed: number;
  seeds: number;
  hosts: number;
  pages: number;
  crashes: number;
  /** Hours for which pages are visited again, 0 for none. */
  hours: number;
}

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
      'revisit-hours': { type: 'string', default: '0' },
      trace: { type: 'boolean', default: false },
    },
  });
  const [seed, seeds, hosts, pages, crashes, hours] = (
    ['seed', 'seeds', 'hosts', 'pages', 'crashes', 'revisit-hours'] as const
  ).map((name) => Number(flags[name]));
  const first = await round({ seed, seeds, hosts, pages, crashes, hours }, flags.trace);
  if (seeds < MANY) return first.failed.length === 0;
  const standing = await round({ seed, seeds: Math.ceil(seeds / 10), crashes, ...STANDING }, flags.trace);
  return first.failed.length + standing.failed.length + first.unmet.length === 0;
}

async function round({ hours, ...size }: Round, isTraced: boolean): Promise<ManyReport> {
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const again = `--seeds 1 --hosts ${size.hosts} --pages ${size.pages} --crashes ${size.crashes} --revisit-hours ${hours}`;
  say(`${size.seeds} seeds from ${size.seed} on; one of them again: npm run soak -- sim --seed N ${again} --trace`);
  const report = await simulateMany({ ...size, revisitFor: hours * HOUR }, ({ seed, violation, recent }, so) => {
    if (violation !== null) say(`SEED ${seed}: ${violation}`);
    if (isTraced) for (const line of recent) say(line);
    if (so.seeds % PROGRESS === 0) say(`${so.seeds} seeds, ${so.failed.length} failed`);
  });
  say(manyWords(report));
  return report;
}
