import { expect, test } from 'vitest';
import { simulate } from '../../src/sim/simulation.js';

const HOUR = 3_600_000;
const SEEDS = 6;

test(`a standing crawl keeps every promise through crashes and faults, and visits no page before it is due (${SEEDS} seeds)`, () => {
  const reports = Array.from({ length: SEEDS }, (_, i) =>
    simulate({ hosts: 6, pages: 10, crashes: 6, seed: 1000 + i, revisitFor: 60 * HOUR }),
  );
  const broken = reports.filter(({ violation }) => violation !== null);
  expect(
    broken.map(({ seed, violation, recent }) => `seed ${seed}: ${violation}\n${recent.slice(-20).join('\n')}`),
  ).toEqual([]);
  const sum = (of: (report: (typeof reports)[0]) => number): number => reports.reduce((n, report) => n + of(report), 0);
  // at intervals of two to eight hours, each page is visited some seven times in sixty hours
  expect(sum(({ revisits }) => revisits)).toBeGreaterThan(4 * sum(({ done }) => done));
  expect(sum(({ lives }) => lives)).toBeGreaterThan(3 * SEEDS);
}, 120_000);
