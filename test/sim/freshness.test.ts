import { describe, expect, test } from 'vitest';
import { type FreshnessReport, freshnessText, type PolicyResult, runFreshness } from '../../src/sim/freshness.js';
import { FakeProcess } from '../cli/process.js';

const of = (report: FreshnessReport, policy: PolicyResult['policy']): PolicyResult =>
  report.policies.find((result) => result.policy === policy)!;

test('one change per interval leaves a page fresh 63% of the time', () => {
  expect(runFreshness({ pages: 2000, learners: 20 }).oneChange.measured).toBeCloseTo(0.632, 2);
});

test.each([1, 2, 3])(
  'each policy comes within 2% of its closed formula, and spends the same visits (seed %i)',
  (seed) => {
    const report = runFreshness({ seed, pages: 2000, learners: 20 });
    for (const policy of ['uniform', 'proportional', 'optimal'] as const) {
      const { measured, formula, visits } = of(report, policy);
      expect(Math.abs(measured / formula! - 1)).toBeLessThan(0.02);
      expect(visits).toBeCloseTo(1, 2);
    }
  },
);

test('the mix of rates gives the figures of the seed: uniform 0.956, proportional 0.198, uniform within 0.6% of optimal', () => {
  const report = runFreshness({ pages: 10_000, intervals: 1, learners: 20 });
  const [uniform, proportional, optimal] = (['uniform', 'proportional', 'optimal'] as const).map(
    (policy) => of(report, policy).formula!,
  );
  expect(uniform.toFixed(3)).toBe('0.956');
  expect(proportional.toFixed(3)).toBe('0.198');
  expect((uniform / proportional).toFixed(1)).toBe('4.8');
  expect(optimal / uniform - 1).toBeGreaterThan(0);
  expect(((optimal / uniform - 1) * 100).toFixed(1)).toBe('0.6');
});

test('proportional loses to uniform, and the policies of crawls learn to do better than it with what they see', () => {
  const report = runFreshness({
    pages: 1000,
    learners: 200,
    mix: [
      { rate: 5, weight: 20 },
      { rate: 1, weight: 40 },
      { rate: 0.1, weight: 40 },
    ],
  });
  const fresh = (policy: PolicyResult['policy']): number => of(report, policy).measured;
  expect(fresh('proportional')).toBeLessThan(fresh('uniform'));
  expect(fresh('uniform')).toBeLessThan(fresh('optimal'));
  expect(fresh('estimated')).toBeGreaterThan(fresh('uniform'));
  expect(of(report, 'estimated').visits).toBeLessThan(1.1);
  expect(fresh('adaptive')).toBeGreaterThan(fresh('uniform'));
});

test('says it in words', () => {
  const text = freshnessText(runFreshness({ pages: 500, intervals: 10, learners: 20 }));
  expect(text).toMatch(/^A page that is visited as often as it changes is fresh 6[0-9]\.\d% of the time/);
  expect(text).toMatch(/^proportional\s+\d+\.\d%\s+19\.\d%\s+1\.00$/m);
});

describe('saunter simulate --freshness', () => {
  const run = (...args: string[]) => new FakeProcess().run('simulate', '--freshness', ...args);

  test('takes a mix of rates', async () => {
    const { code, out } = await run('--mix', '2:50,0.5:50', '--seed', '4', '--json');
    const report = JSON.parse(out) as FreshnessReport;
    expect([code, report.mix]).toEqual([
      0,
      [
        { rate: 2, weight: 50 },
        { rate: 0.5, weight: 50 },
      ],
    ]);
    const half = (of(report, 'uniform').formula ?? 0) - ((1 - Math.exp(-2)) / 2 + (1 - Math.exp(-0.5)) / 0.5) / 2;
    expect(half).toBeCloseTo(0, 10);
  });

  test.each([
    [['--mix', '2'], '--mix cannot be "2": give pairs RATE:WEIGHT'],
    [['--mix', '0:1'], '--mix cannot be "0:1"'],
    [['--hosts', '5'], '--hosts has no meaning with --freshness'],
  ])('refuses %j in one sentence', async (args, sentence) => {
    const { code, out, err } = await run(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(sentence);
  });
});
