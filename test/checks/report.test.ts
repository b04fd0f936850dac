import { describe, expect, it } from 'vitest';
import { sumUp } from '../../checks/report.mjs';

const test = (status: string) => ({ fullName: `a test that ${status}`, status });
const file = (statuses: string[], status = 'passed') => ({
  name: 'a.test.ts',
  status,
  assertionResults: statuses.map(test),
});
const report = (...testResults: ReturnType<typeof file>[]) => ({ success: true, testResults });

describe('the sum of test runs', () => {
  it('adds both runs up', () => {
    expect(sumUp([report(file(['passed', 'passed'])), report(file(['passed']))], [])).toEqual({
      passed: 3,
      failed: 0,
      faults: [],
    });
  });

  it.each(['skipped', 'pending', 'todo', 'disabled', 'failed'])('counts a test that is %s as failed', (status) => {
    const { passed, failed } = sumUp([report(file(['passed', status]))], []);
    expect([passed, failed]).toEqual([1, 1]);
  });

  it('lets nothing pass that did not run', () => {
    expect(sumUp([null], []).failed).toBe(1);
    expect(sumUp([report()], []).failed).toBe(1);
    expect(sumUp([report(file([]))], []).failed).toBe(1);
    expect(sumUp([report(file(['passed'], 'failed'))], []).failed).toBe(1);
    expect(sumUp([{ ...report(file(['passed'])), success: false }], []).failed).toBe(1);
    expect(sumUp([report(file(['passed']))], ['npm cit']).faults).toEqual(['the step "npm cit" failed']);
  });
});
