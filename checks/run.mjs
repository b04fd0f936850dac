// What `npm test` checks before it runs a test: cheapest first, and the first fault ends it. `npm run check -- NAME`
// runs one check. The program must be built, since docs and options are read from it.
import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const src = fileURLToPath(new URL('../src', import.meta.url));

/** @typedef {() => string[] | Promise<string[]>} Check gives its faults, one sentence each */

/** @type {readonly (readonly [name: string, check: Check])[]} */
const CHECKS = [
  [
    'types',
    () => [...tool('tsc', '-p', 'tsconfig.json', '--noEmit'), ...tool('tsc', '-p', 'tsconfig.web.json', '--noEmit')],
  ],
  ['lint and format', () => tool('biome', 'check', '--error-on-warnings', '--log-level=warn', '.')],
  ['floors and cycles', async () => (await import('./floors.mjs')).checkFloors(src)],
  ['file sizes', async () => (await import('./sizes.mjs')).checkSizes(src)],
  [
    'options',
    async () => (await import('./options.mjs')).checkOptions(src, (await import('../dist/config.js')).OPTIONS),
  ],
  ['docs', async () => (await import('./docs.mjs')).checkDocs()],
  ['links', async () => (await import('./links.mjs')).checkLinks(root)],
  ['dead code', () => tool('knip')],
  ['package', () => tool('publint', '--strict', '--pack', 'false')],
  ['dependencies', async () => (await import('./audit.mjs')).checkAudit(root)],
];

/**
 * Runs a program of node_modules; its output are the faults.
 * @param {string} name
 * @param {...string} args
 */
function tool(name, ...args) {
  const { status, stdout, stderr, error } = spawnSync(name, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PATH: join(root, 'node_modules', '.bin') + delimiter + process.env.PATH },
  });
  if (error) return [`${name} cannot be run: ${error.message}`];
  return status === 0 ? [] : [`${stdout}${stderr}`.trim() || `${name} ended with ${status}`];
}

const wanted = process.argv.slice(2).join(' ');
const chosen = CHECKS.filter(([name]) => wanted === '' || name.startsWith(wanted));
if (chosen.length === 0) {
  console.error(`There is no check ${wanted}: choose one of ${CHECKS.map(([name]) => name).join(', ')}.`);
  process.exit(2);
}
for (const [name, check] of chosen) {
  const start = performance.now();
  const faults = await check();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  if (faults.length > 0) {
    console.error(`${faults.join('\n')}\n\n${name}: FAILED (${seconds} s)`);
    process.exit(1);
  }
  console.log(`${name.padEnd(18)} ok  ${seconds} s`);
}
