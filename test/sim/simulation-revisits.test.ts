import { expect, test } from 'vitest';
import { Frontier } from '../../src/frontier/frontier.js';
import { simulate } from '../../src/sim/simulation.js';
import { REAL_PARTS, type SimulatedParts } from '../../src/sim/simulation-world.js';

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

/** Changes a frontier after it was made. */
const altered = (alter: (frontier: Frontier) => void): SimulatedParts => ({
  ...REAL_PARTS,
  frontier: (options, random) => {
    const frontier = new Frontier(options, random);
    alter(frontier);
    return frontier;
  },
});

test.each([
  [
    'finds pages an hour early',
    (frontier: Frontier) => {
      const { revisits } = frontier;
      const sweep = revisits.sweep.bind(revisits);
      revisits.sweep = (now, found) => sweep(now + HOUR, found);
    },
    /is visited again \d+ ms before it is due/,
  ],
  [
    'forgets its schedule at a restart',
    (frontier: Frontier) => {
      frontier.revisits.takeOver = () => {};
    },
    /a clean restart changes URL \d+ from state 3, 0 attempts, due \d+ to state 3, 0 attempts, due 0/,
  ],
  [
    'leaves what it found due in no list',
    (frontier: Frontier) => {
      const { revisits } = frontier;
      const sweep = revisits.sweep.bind(revisits);
      revisits.sweep = (now) => sweep(now, () => {});
    },
    /pending URLs are in no list/,
  ],
])('the simulation catches a frontier that %s', { timeout: 120_000 }, (_name, alter, words) => {
  const seeds = Array.from({ length: 80 }, (_, i) => 1000 + i);
  const violations = new Set<string>();
  for (const seed of seeds) {
    const { violation } = simulate({
      hosts: 4,
      pages: 6,
      crashes: 3,
      seed,
      revisitFor: 30 * HOUR,
      parts: altered(alter),
    });
    if (violation !== null) violations.add(violation);
    if (violation !== null && words.test(violation)) break;
  }
  expect([...violations].join('\n')).toMatch(words);
});
