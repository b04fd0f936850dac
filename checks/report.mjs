// The last words of .ci/run: sums up test reports, lists what failed or was skipped, and decides.
// Usage: node checks/report.mjs REPORT.json... -- [name of a step that failed]...
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {object} Report what Vitest's JSON reporter writes, as far as it is read here
 * @property {boolean} success
 * @property {{ name: string, status: string, message?: string,
 *   assertionResults: { fullName: string, status: string }[] }[]} testResults
 */

/**
 * Adds reports up. A test that did not run counts as failed, so does a file that could not be loaded, a missing
 * report, and a failed step that no test accounts for.
 * @param {readonly (Report | null)[]} reports null for one that was not written
 * @param {readonly string[]} brokenSteps
 * @returns {{ passed: number, failed: number, faults: string[] }}
 */
export function sumUp(reports, brokenSteps) {
  let passed = 0;
  /** @type {string[]} */
  const faults = [];
  for (const report of reports) {
    if (report === null) {
      faults.push('a test run left no report');
      continue;
    }
    const before = faults.length;
    for (const file of report.testResults) {
      if (file.assertionResults.length === 0) faults.push(`${file.name}: ran no test`);
      else if (file.status === 'failed' && file.assertionResults.every((test) => test.status === 'passed')) {
        faults.push(`${file.name}: ${file.message || 'failed outside its tests'}`);
      }
      for (const test of file.assertionResults) {
        if (test.status === 'passed') passed++;
        else faults.push(`${file.name}: ${test.fullName}: ${test.status === 'failed' ? 'failed' : 'was not run'}`);
      }
    }
    if (report.testResults.length === 0) faults.push('a test run found no test');
    else if (!report.success && faults.length === before) faults.push('a test run failed outside its tests');
  }
  if (faults.length === 0) faults.push(...brokenSteps.map((name) => `the step "${name}" failed`));
  return { passed, failed: faults.length, faults };
}

/** @param {string} path */
function read(path) {
  try {
    return /** @type {Report} */ (JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return null;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const args = process.argv.slice(2);
  const end = args.indexOf('--');
  const { passed, failed, faults } = sumUp(args.slice(0, end).map(read), args.slice(end + 1));
  for (const fault of faults) console.log(fault);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
  console.log(`${passed} passed, ${failed} failed`);
}
