import { describe, expect, test } from 'vitest';
import { type SimulationReport, simulate } from '../../src/sim/simulation.js';
import { FAULTS, noFaults } from '../../src/sim/simulation-faults.js';

const SEEDS = 100;
const SIZE = { hosts: 10, pages: 20, crashes: 8 };

/** How to look at a seed again. */
const words = ({ seed, violation, recent }: SimulationReport): string =>
  `seed ${seed}: ${violation}\n${recent.slice(-25).join('\n')}\nsee it again: npm run soak -- sim --seed ${seed} --seeds 1 --trace`;

describe('a crawl on virtual time', { timeout: 120_000 }, () => {
  const reports: SimulationReport[] = [];

  test.each(Array.from({ length: SEEDS / 10 }, (_, i) => 1 + i * 10))(
    'keeps every promise of the frontier through crashes and faults (seeds from %i on)',
    (first) => {
      const tenth = Array.from({ length: 10 }, (_, i) => simulate({ ...SIZE, seed: first + i }));
      reports.push(...tenth);
      expect(tenth.filter(({ violation }) => violation !== null).map(words)).toEqual([]);
    },
  );

  test('meets every fault, and gets pages in spite of them', () => {
    const counts = noFaults();
    for (const { faults } of reports) for (const fault of FAULTS) counts[fault] += faults[fault];
    expect(Object.entries(counts).filter(([, n]) => n === 0)).toEqual([]);
    expect(reports.every(({ done }) => done > 0)).toBe(true);
    const sum = (of: (report: SimulationReport) => number) => reports.reduce((n, report) => n + of(report), 0);
    expect(sum(({ lives }) => lives)).toBeGreaterThan(4 * SEEDS);
    expect(sum(({ denied }) => denied)).toBeGreaterThan(SEEDS);
    expect(sum(({ dead }) => dead)).toBeGreaterThan(SEEDS);
  });

  test('does the same things at the same times for the same seed, and others for another', () => {
    const traces = [3, 4, 5].map((seed) => simulate({ ...SIZE, seed }).trace);
    expect([3, 4, 5].map((seed) => simulate({ ...SIZE, seed }).trace)).toEqual(traces);
    expect(new Set(traces).size).toBe(3);
  });
});
