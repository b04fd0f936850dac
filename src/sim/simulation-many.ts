/** Many small worlds in a row, and what came of them. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type SimulationOptions, type SimulationReport, simulate } from './simulation.js';
import { FAULTS, type FaultCounts, noFaults } from './simulation-faults.js';

const FIGURES = [
  'requests',
  'pages',
  'revisits',
  'known',
  'done',
  'denied',
  'dead',
  'lives',
  'time',
  'events',
] as const;
type Figure = (typeof FIGURES)[number];

/** Sums over all worlds, but for what says otherwise. */
export interface ManyReport extends Record<Figure, number> {
  seeds: number;
  /** Seeds that broke a promise, and how. */
  failed: { seed: number; violation: string }[];
  /** The longest that a host which was due waited in any of them, and the shortest gap that a host saw, ms. */
  longestWait: number;
  smallestGap: number;
  faults: FaultCounts;
  /** Faults that never happened. */
  unmet: string[];
  /** Real ms. */
  realTime: number;
}

/** Runs the worlds of `seeds` seeds from `seed` on. Others get a turn after each. */
export async function simulateMany(
  options: SimulationOptions & { seeds: number },
  onReport: (report: SimulationReport, so: ManyReport) => void = () => {},
): Promise<ManyReport> {
  const began = performance.now();
  const sums: ManyReport = {
    ...(Object.fromEntries(FIGURES.map((name) => [name, 0])) as Record<Figure, number>),
    ...{ seeds: 0, failed: [], longestWait: 0, smallestGap: Number.POSITIVE_INFINITY },
    ...{ faults: noFaults(), unmet: [], realTime: 0 },
  };
  for (let seed = options.seed; seed < options.seed + options.seeds; seed++) {
    const report = simulate({ ...options, seed });
    add(sums, report);
    sums.realTime = performance.now() - began;
    onReport(report, sums);
    await nextTurn();
  }
  sums.unmet = FAULTS.filter((fault) => sums.faults[fault] === 0);
  return sums;
}

function add(sums: ManyReport, report: SimulationReport): void {
  sums.seeds++;
  if (report.violation !== null) sums.failed.push({ seed: report.seed, violation: report.violation });
  for (const name of FIGURES) sums[name] += report[name];
  for (const fault of FAULTS) sums.faults[fault] += report.faults[fault];
  sums.longestWait = Math.max(sums.longestWait, report.longestWait);
  sums.smallestGap = Math.min(sums.smallestGap, report.smallestGap);
}
