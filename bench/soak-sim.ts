/** `npm run soak -- sim [--seed N] [--seeds N] [--hosts N] [--pages N] [--crashes N] [--trace]`: simulated crawls of bigger
 * webs than in the suite; a seed that fails is printed, and fails again. */
import { parseArgs } from 'node:util';
import { simulateMany } from '../src/sim/simulation-many.js';
import { manyWords } from '../src/sim/simulation-words.js';

/** Seeds between two lines of progress. */
const PROGRESS = 100;

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
  const [seed, seeds, hosts, pages, crashes] = (['seed', 'seeds', 'hosts', 'pages', 'crashes'] as const).map((name) =>
    Number(flags[name]),
  );
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const report = await simulateMany({ seed, seeds, hosts, pages, crashes }, ({ seed, violation, recent }, so) => {
    if (violation !== null) say(`SEED ${seed}: ${violation}`);
    if (flags.trace) for (const line of recent) say(line);
    if (so.seeds % PROGRESS === 0) say(`${so.seeds} seeds, ${so.failed.length} failed`);
  });
  say(manyWords(report));
  return report.failed.length === 0 && (seeds < 100 || report.unmet.length === 0);
}
