import { expect, test } from 'vitest';
import { faultsOf, reportOf } from '../../checks/audit.mjs';

test('a shipped dependency with a grave fault fails the check, a slight one does not', () => {
  const vulnerabilities = {
    bad: { severity: 'high', range: '<2.0.0' },
    worse: { severity: 'critical', range: '*' },
    slight: { severity: 'moderate', range: '<1.0.0' },
  };
  const { report } = reportOf(JSON.stringify({ vulnerabilities }), undefined);
  expect(faultsOf(report!).map((fault) => fault.split(' ', 1)[0])).toEqual(['bad', 'worse']);
  expect(faultsOf({ vulnerabilities: {} })).toEqual([]);
});

test('where nobody answers the check says so, and fails nobody', () => {
  const nobody = [
    reportOf('{"message":"405 Method Not Allowed","statusCode":405}', undefined),
    reportOf('', undefined),
    reportOf(null, new Error('spawnSync npm ETIMEDOUT')),
  ];
  expect(nobody.map(({ report, why }) => [report, why])).toEqual([
    [null, '405 Method Not Allowed'],
    [null, 'npm audit gave no report'],
    [null, 'spawnSync npm ETIMEDOUT'],
  ]);
});
