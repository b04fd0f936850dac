// What `npm test` checks before it runs a test. The checks run side by side, are told in the order of the table, and the
// first fault of that order ends it. `npm run check -- NAME` runs one check. The program must be built, since docs and
// options are read from it.
import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const src = fileURLToPath(new URL('../src', import.meta.url));

/** @typedef {() => string[] | Promise<string[]>} Check gives its faults, one sentence each */

/** @type {readonly (readonly [name: string, check: Check])[]} */
const CHECKS = [
  [
    'types',
    async () =>
      (
        await Promise.all(['tsconfig.json', 'tsconfig.web.json'].map((config) => tool('tsc', '-p', config, '--noEmit')))
      ).flat(),
  ],
  ['lint and format', () => tool('biome', 'check', '--error-on-warnings', '--log-level=warn', '.')],
  ['floors and cycles', async () => (await import('./floors.mjs')).checkFloors(src)],
  ['file sizes', async () => (await import('./sizes.mjs')).checkSizes(src)],
  [
    'options',
    async () => (await import('./options.mjs')).checkOptions(src, (await import('../dist/config/config.js')).OPTIONS),
  ],
  ['docs', async () => (await import('./docs.mjs')).checkDocs()],
  ['links', async () => (await import('./links.mjs')).checkLinks(root)],
  ['dead code', () => tool('knip')],
  ['package', () => tool('publint', '--strict', '--pack', 'false')],
  ['dependencies', async () => (await import('./audit.mjs')).checkAudit(root)],
];

/** @type {Set<import('node:child_process').ChildProcess>} Programs that run now. */
const running = new Set();

/**
 * Runs a program of node_modules; its output are the faults.
 * @param {string} name
 * @param {...string} args
 * @returns {Promise<string[]>}
 */
function tool(name, ...args) {
  const child = spawn(name, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PATH: join(root, 'node_modules', '.bin') + delimiter + process.env.PATH },
  });
  running.add(child);
  let words = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      words += text;
    });
  }
  return new Promise((resolve) => {
    child.on('error', (error) => resolve([`${name} cannot be run: ${error.message}`]));
    child.on('close', (status) => {
      running.delete(child);
      resolve(status === 0 ? [] : [words.trim() || `${name} ended with ${status}`]);
    });
  });
}

/**
 * @param {Check} check
 * @returns {Promise<{ faults: string[], seconds: string }>}
 */
async function timed(check) {
  const start = performance.now();
  const faults = await check();
  return { faults, seconds: ((performance.now() - start) / 1000).toFixed(1) };
}

const wanted = process.argv.slice(2).join(' ');
const chosen = CHECKS.filter(([name]) => wanted === '' || name.startsWith(wanted));
if (chosen.length === 0) {
  console.error(`There is no check ${wanted}: choose one of ${CHECKS.map(([name]) => name).join(', ')}.`);
  process.exit(2);
}
/** @type {(readonly [name: string, result: ReturnType<typeof timed>])[]} */
const results = chosen.map(([name, check]) => [name, timed(check)]);
for (const [, result] of results) result.catch(() => {}); // told below, when its turn comes
for (const [name, result] of results) {
  const { faults, seconds } = await result;
  if (faults.length > 0) {
    console.error(`${faults.join('\n')}\n\n${name}: FAILED (${seconds} s)`);
    for (const child of running) child.kill();
    process.exit(1);
  }
  console.log(`${name.padEnd(18)} ok  ${seconds} s`);
}
