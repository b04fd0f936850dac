import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file has one subject and about 400 lines at most; the rest is slack for a sentence more. */
const MOST_LINES = 450;

/**
 * Source files that have grown too long.
 * @param {string} root
 * @returns {string[]}
 */
export function checkSizes(root) {
  const faults = [];
  for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!file.endsWith('.ts')) continue;
    const lines = readFileSync(join(root, file), 'utf8').split('\n').length - 1;
    if (lines > MOST_LINES) faults.push(`${file} has ${lines} lines, ${MOST_LINES} is the most: split it by subject`);
  }
  return faults;
}
