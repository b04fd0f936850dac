import { expect, test } from 'vitest';
import {
  changeRate,
  extended,
  historyText,
  type Interval,
  KEPT_INTERVALS,
  parseHistory,
  plannedRate,
} from '../../src/revisit/change-rate.js';
import { randomFor, type WebRandom } from '../../src/sim/web-random.js';

const regular = (n: number, changes: number, seconds: number): Interval[] =>
  Array.from({ length: n }, (_, i) => ({ seconds, changed: i < changes }));

test('for equal intervals the estimate is the bias-corrected formula of Cho and Garcia-Molina', () => {
  for (const n of [1, 2, 5, 10, 16, 100]) {
    for (let changes = 0; changes <= n; changes++) {
      const formula = -Math.log((n - changes + 0.5) / (n + 0.5)) / 3600;
      expect(changeRate(regular(n, changes, 3600))).toBeCloseTo(formula, 12);
    }
  }
});

test('a page that changed at every visit has a finite rate, one that never did has none', () => {
  expect(changeRate(regular(10, 10, 60))).toBeCloseTo(Math.log(21) / 60, 9);
  expect(changeRate(regular(10, 0, 60))).toBe(0);
  expect(changeRate([])).toBe(0);
  expect(plannedRate([])).toBeNull();
  expect(plannedRate(regular(10, 0, 60))).toBeCloseTo(0.5 / 600, 12);
});

test('the unit of time does not matter', () => {
  const intervals: Interval[] = [
    { seconds: 60, changed: true },
    { seconds: 7200, changed: false },
    { seconds: 900, changed: true },
  ];
  const hours = intervals.map(({ seconds, changed }) => ({ seconds: seconds / 3600, changed }));
  expect(changeRate(hours) / 3600).toBeCloseTo(changeRate(intervals), 12);
});

/** Visits at intervals drawn by `draw` to a page that changes at a rate, and what they saw. */
function watch(rate: number, visits: number, draw: () => number, random: WebRandom): Interval[] {
  return Array.from({ length: visits }, () => {
    const seconds = draw();
    return { seconds, changed: random.float() < -Math.expm1(-rate * seconds) };
  });
}

test.each([
  ['equal intervals', (): number => 3600],
  ['intervals from a minute to a day', (random: WebRandom): number => 60 * 1440 ** random.float()],
  ['intervals of two kinds', (random: WebRandom): number => (random.float() < 0.5 ? 600 : 20_000)],
])('the mean estimate over many pages is the rate: %s', (_name, draw) => {
  const random = randomFor(7, 'revisit');
  for (const perHour of [0.1, 0.5, 1]) {
    const rate = perHour / 3600;
    let sum = 0;
    const pages = 1500;
    for (let page = 0; page < pages; page++) sum += changeRate(watch(rate, KEPT_INTERVALS, () => draw(random), random));
    expect(sum / pages / rate).toBeGreaterThan(0.85);
    expect(sum / pages / rate).toBeLessThan(1.15);
  }
});

test('the estimate of a page that is watched for long comes to its rate, at irregular visits too', () => {
  const random = randomFor(11, 'revisit');
  const rate = 1 / 5000;
  const long = watch(rate, 20_000, () => 60 * 1440 ** random.float(), random);
  expect(changeRate(long) / rate).toBeGreaterThan(0.95);
  expect(changeRate(long) / rate).toBeLessThan(1.05);
});

test('a naive count of changes by time is far too low where intervals are long; the estimate is not', () => {
  const random = randomFor(3, 'revisit');
  const rate = 2 / 3600;
  const seen = watch(rate, 5000, () => 3600, random);
  const naive = seen.filter(({ changed }) => changed).length / (5000 * 3600);
  expect(naive / rate).toBeLessThan(0.5);
  expect(changeRate(seen) / rate).toBeGreaterThan(0.93);
  expect(changeRate(seen) / rate).toBeLessThan(1.07);
});

test('a history reads back as it was written, keeps the newest intervals, and survives damage', () => {
  let intervals: Interval[] = [];
  for (let i = 1; i <= 40; i++) intervals = extended(intervals, { seconds: i * 100, changed: i % 3 === 0 });
  expect(intervals).toHaveLength(KEPT_INTERVALS);
  expect(intervals.at(-1)).toEqual({ seconds: 4000, changed: false });
  expect(parseHistory(historyText(intervals))).toEqual(intervals);
  expect(parseHistory(null)).toEqual([]);
  expect(parseHistory('x12-0+99999999999999-,7+')).toEqual([
    { seconds: 12, changed: false },
    { seconds: 9999999999, changed: false },
    { seconds: 7, changed: true },
  ]);
});
