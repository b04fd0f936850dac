import { expect, test } from 'vitest';
import {
  freshness,
  meanFreshness,
  optimalFrequency,
  proportionalFrequency,
  type RateClass,
  uniformFrequency,
} from '../../src/revisit/freshness.js';
import { randomFor } from '../../src/sim/web-random.js';

test('a page fetched as often as it changes is fresh 63% of the time', () => {
  expect(freshness(1)).toBeCloseTo(0.632, 3);
  expect(freshness(0)).toBe(1);
  expect(freshness(1e-9)).toBeCloseTo(1, 8);
  expect(freshness(1000)).toBeCloseTo(0.001, 9);
});

/** Rates over four orders of magnitude. */
function spread(seed: number, pages = 200): RateClass[] {
  const random = randomFor(seed, 'revisit');
  return Array.from({ length: pages }, () => ({ rate: 10 ** (4 * random.float() - 2), weight: 1 + random.below(3) }));
}

const spent = (classes: readonly RateClass[], frequency: (rate: number) => number): number =>
  classes.reduce((sum, { rate, weight }) => sum + weight * frequency(rate), 0);

test('each policy spends the budget, and the order is optimal, uniform, proportional', () => {
  for (const seed of [1, 2, 3]) {
    const classes = spread(seed);
    const pages = classes.reduce((sum, { weight }) => sum + weight, 0);
    for (const budget of [0.1 * pages, pages, 10 * pages]) {
      const policies = [optimalFrequency, uniformFrequency, proportionalFrequency].map((of) => of(classes, budget));
      for (const frequency of policies) expect(spent(classes, frequency) / budget).toBeCloseTo(1, 5);
      const [optimal, uniform, proportional] = policies.map((frequency) => meanFreshness(classes, frequency));
      expect(optimal).toBeGreaterThan(uniform);
      expect(uniform).toBeGreaterThan(proportional);
    }
  }
});

test('no exchange of visits between two pages makes the optimum better', () => {
  const classes = spread(5, 30).map(({ rate }) => ({ rate, weight: 1 }));
  const frequency = optimalFrequency(classes, 20);
  const visits = classes.map(({ rate }) => frequency(rate));
  const of = (rate: number, f: number): number => (f <= 0 ? 0 : freshness(rate / f));
  for (let from = 0; from < classes.length; from++) {
    for (let to = 0; to < classes.length; to++) {
      const moved = Math.min(visits[from], 1e-3);
      if (from === to || moved === 0) continue;
      const [a, b] = [classes[from].rate, classes[to].rate];
      const before = of(a, visits[from]) + of(b, visits[to]);
      const after = of(a, visits[from] - moved) + of(b, visits[to] + moved);
      expect(after).toBeLessThanOrEqual(before + 1e-9);
    }
  }
});

test('the example of Cho and Garcia-Molina: five pages that change once to five times a day, five visits a day', () => {
  // "Effective Page Refresh Policies for Web Crawlers", table 2: 1.15, 1.36, 1.35, 1.14, 0.00
  const classes = [1, 2, 3, 4, 5].map((rate) => ({ rate, weight: 1 }));
  const frequency = optimalFrequency(classes, 5);
  expect(classes.map(({ rate }) => Number(frequency(rate).toFixed(2)))).toEqual([1.15, 1.36, 1.35, 1.14, 0]);
});

test('bounds hold, and what they leave of the budget goes to the other pages', () => {
  const classes = spread(9);
  const pages = classes.reduce((sum, { weight }) => sum + weight, 0);
  const frequency = optimalFrequency(classes, 2 * pages, { least: 0.5, most: 3 });
  for (const { rate } of classes) {
    expect(frequency(rate)).toBeGreaterThanOrEqual(0.5);
    expect(frequency(rate)).toBeLessThanOrEqual(3);
  }
  expect(spent(classes, frequency) / (2 * pages)).toBeCloseTo(1, 3);
  expect(optimalFrequency(classes, pages * 100, { least: 0.5, most: 3 })(0.01)).toBe(3);
  expect(optimalFrequency(classes, pages / 100, { least: 0.5, most: 3 })(1)).toBe(0.5);
});
