// The dependencies that are shipped, against the registry's list of known faults.
import { execFile } from 'node:child_process';

/** Severities that fail the check; lower ones are said. */
const GRAVE = new Set(['high', 'critical']);
const SECONDS = 20;

/**
 * Asks `npm audit`. Where nobody answers (no network, a mirror without an audit endpoint) that is said and is no fault:
 * the check then proves nothing, and must not keep anybody from working.
 * @param {string} root
 * @returns {Promise<string[]>} faults
 */
export async function checkAudit(root) {
  const options = { cwd: root, timeout: SECONDS * 1000 };
  /** @type {{ stdout: string, error: Error | undefined }} */
  const { stdout, error } = await new Promise((resolve) => {
    execFile('npm', ['audit', '--omit=dev', '--json'], options, (fault, text) => {
      // a fault that was found ends it with a code: that is an answer
      const isAnswer = fault === null || typeof fault.code === 'number';
      resolve({ stdout: text, error: isAnswer ? undefined : fault });
    });
  });
  const { report, why } = reportOf(stdout, error);
  if (report === null) {
    console.log(`dependencies were NOT audited: ${why}`);
    return [];
  }
  return faultsOf(report);
}

/** @typedef {{ vulnerabilities?: Record<string, { severity: string, range: string }>, message?: string }} Report */

/**
 * @param {string | null} stdout
 * @param {Error | undefined} error
 * @returns {{ report: Report | null, why: string }} null where nobody answered
 */
export function reportOf(stdout, error) {
  if (error) return { report: null, why: error.message };
  try {
    const report = /** @type {Report} */ (JSON.parse(stdout ?? ''));
    if (report.vulnerabilities !== undefined) return { report, why: '' };
    return { report: null, why: report.message ?? 'the registry has no audit endpoint' };
  } catch {
    return { report: null, why: 'npm audit gave no report' };
  }
}

/** @param {Report} report @returns {string[]} */
export function faultsOf({ vulnerabilities = {} }) {
  return Object.entries(vulnerabilities)
    .filter(([, { severity }]) => GRAVE.has(severity))
    .map(([name, { severity, range }]) => `${name} ${range} has a known fault (${severity}): npm audit --omit=dev`);
}
