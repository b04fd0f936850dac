// The house has six floors: a file imports from its own folder and from lower floors only, nothing imports in a circle,
// pure folders reach no I/O, and few may name a concrete engine. CONTRIBUTING.md explains; this file decides.
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, normalize } from 'node:path/posix';
import { findCycles } from './cycles.mjs';
import { readModule } from './imports.mjs';

/**
 * From the ground up. A name without an ending is a folder of `src/`; a file stands at its root.
 * @type {readonly (readonly string[])[]}
 */
export const FLOORS = [
  [
    'url',
    'config',
    'dedupe',
    'revisit',
    'engines',
    'buffer-pool.ts',
    'changes.ts',
    'columns.ts',
    'wide-map.ts',
    'errors.ts',
    'file-fault.ts',
    'folders.ts',
    'gunzip.ts',
    'nearest.ts',
    'parse-url.ts',
    'pattern-parser.ts',
    'store-meta.ts',
    'units.ts',
    'version.ts',
    'zlib-engine.ts',
  ],
  ['frontier', 'fetch', 'archive', 'parse'],
  ['admit', 'state', 'workers', 'corpus'],
  ['crawl.ts', 'crawl-options.ts', 'resolution.ts', 'embedded', 'cluster', 'sim'],
  ['index.ts', 'serve'],
  ['cli'],
];

/** Open to every file of the house, those of the ground floor included. */
const OPEN = [...FLOORS[0].filter((name) => name.endsWith('.ts')), 'config/config.ts', 'engines/ports.ts'];

/** Folders that decide and never do: no I/O, clock or randomness, not even through what they import. */
const PURE = ['frontier', 'admit', 'revisit', 'url', 'dedupe', 'parse'];

/** The modules of Node that only compute. Everything else of Node is I/O. */
const COMPUTING = new Set(['node:assert', 'node:buffer', 'node:string_decoder', 'node:url', 'node:util', 'node:zlib']);

/** Who may name a concrete engine (beside tests): whoever chooses one. */
const ENGINE_USERS = ['engines', 'cli', 'embedded', 'cluster', 'sim'];

/** Who may import a computed name: it loads modules of the user's. */
const LOADERS = ['workers/user-handlers.ts', 'embedded/score-plugin.ts', 'config/module.ts'];

/** Folders that may have folders of their own. */
const DEEP = ['serve/web'];

/**
 * All faults of the import graph of one source tree, one sentence each; none means that the house stands.
 * @param {string} root the folder that holds the floors
 * @returns {string[]}
 */
export function checkFloors(root) {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((file) => normalize(file.replaceAll('\\', '/')))
    .filter((file) => file.endsWith('.ts'))
    .sort();
  const known = new Set(files);
  /** @type {string[]} */
  const faults = [];
  /** @type {Map<string, Set<string>>} */
  const graph = new Map();
  /** @type {Map<string, string>} the first I/O module that each file imports */
  const io = new Map();

  for (const file of files) {
    faults.push(...placeFaults(file));
    const { imports, ambient } = readModule(file, readFileSync(join(root, file), 'utf8'));
    const arrows = new Set();
    graph.set(file, arrows);
    for (const { specifier, line, worker } of imports) {
      const at = `${file}:${line}`;
      if (specifier === '?') {
        if (!LOADERS.includes(file)) faults.push(`${at} imports a computed name, which nobody can check`);
      } else if (specifier.startsWith('.')) {
        const target = sourceOf(file, specifier);
        if (!known.has(target)) faults.push(`${at} -> ${target}: there is no such file`);
        else {
          // A thread may import the types of whoever starts it: that is no circle of modules.
          if (!worker) arrows.add(target);
          const reason = refuse(file, target);
          if (reason) faults.push(`${at} -> ${target}: ${reason}`);
        }
      } else if (isIo(specifier)) {
        if (!io.has(file)) io.set(file, specifier);
        if (PURE.includes(unitOf(file))) faults.push(`${at} -> ${specifier}: ${unitOf(file)}/ is pure and does no I/O`);
      }
    }
    if (PURE.includes(unitOf(file))) {
      for (const { name, line } of ambient) {
        faults.push(`${file}:${line} uses ${name}: ${unitOf(file)}/ is pure; clock and randomness are arguments`);
      }
    }
  }
  faults.push(...findCycles(graph).map((cycle) => `import cycle: ${cycle.join(' -> ')}`));
  faults.push(...distantIo(graph, io));
  return faults;
}

/**
 * A file must stand on a floor, and not deeper than one folder.
 * @param {string} file
 */
function placeFaults(file) {
  if (floorOf(file) < 0) return [`${file} stands on no floor: add it to FLOORS in checks/floors.mjs`];
  const tooDeep = file.split('/').length > 2 && !DEEP.some((folder) => file.startsWith(`${folder}/`));
  return tooDeep ? [`${file} is nested too deep: one folder under src/ is enough`] : [];
}

/**
 * Why this arrow is not allowed, or null.
 * @param {string} from
 * @param {string} to
 */
function refuse(from, to) {
  const [here, there] = [unitOf(from), unitOf(to)];
  const concrete = there === 'engines' && to !== 'engines/ports.ts';
  if (concrete && !ENGINE_USERS.includes(here)) {
    return `only ${ENGINE_USERS.slice(1).join('/, ')}/ and tests name a concrete engine; use engines/ports.ts`;
  }
  if (here === there || OPEN.includes(to)) return null;
  const [low, high] = [floorOf(from), floorOf(to)];
  if (low < 0 || high < 0) return null; // named already
  if (high > low) return `floor ${low + 1} must not import floor ${high + 1}`;
  // The files at the root of a floor belong to all of its folders, and name none of them.
  if (high === low && there.startsWith('root ')) return null;
  if (high === low) return `${describe(here)} and ${describe(there)} are neighbours on floor ${low + 1}`;
  return null;
}

/**
 * I/O that a pure folder reaches through others; what it imports itself has been named already.
 * @param {Map<string, Set<string>>} graph
 * @param {Map<string, string>} io
 */
function distantIo(graph, io) {
  /** @type {string[]} */
  const faults = [];
  for (const start of graph.keys()) {
    if (!PURE.includes(unitOf(start))) continue;
    /** @type {Map<string, string>} */
    const cameFrom = new Map([[start, '']]);
    for (const file of cameFrom.keys()) {
      const reached = file !== start && !PURE.includes(unitOf(file)) ? io.get(file) : undefined;
      if (reached) {
        const path = [reached];
        for (let step = file; step; step = cameFrom.get(step) ?? '') path.unshift(step);
        faults.push(`${path.join(' -> ')}: ${unitOf(start)}/ is pure and does no I/O, not even through others`);
        break;
      }
      for (const next of graph.get(file) ?? []) if (!cameFrom.has(next)) cameFrom.set(next, file);
    }
  }
  return faults;
}

/**
 * The folder a file belongs to; all files at the root of one floor count as one folder.
 * @param {string} file
 */
function unitOf(file) {
  return file.includes('/') ? file.slice(0, file.indexOf('/')) : `root ${floorOf(file)}`;
}

/** @param {string} file */
function floorOf(file) {
  const name = file.includes('/') ? file.slice(0, file.indexOf('/')) : file;
  return FLOORS.findIndex((floor) => floor.includes(name));
}

/** @param {string} unit */
const describe = (unit) => (unit.startsWith('root ') ? 'the files at the root' : `${unit}/`);

/**
 * @param {string} file
 * @param {string} specifier
 */
const sourceOf = (file, specifier) => normalize(join(dirname(file), specifier)).replace(/\.js$/, '.ts');

/** @param {string} specifier */
function isIo(specifier) {
  const name = builtinModules.includes(specifier) ? `node:${specifier}` : specifier;
  return name.startsWith('node:') && !COMPUTING.has(name);
}
