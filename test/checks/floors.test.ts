import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { findCycles } from '../../checks/cycles.mjs';
import { checkFloors } from '../../checks/floors.mjs';
import { readModule } from '../../checks/imports.mjs';

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true });
});

/** The faults of a source tree with these files. */
function faultsOf(files: Record<string, string>): string[] {
  const root = mkdtempSync(join(tmpdir(), 'saunter-floors-'));
  made.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return checkFloors(root);
}

const leaf = 'export type T = 1;\nexport const x = 1;\n';

describe('the floors', () => {
  it('let a file import from its own folder and from lower floors', () => {
    const faults = faultsOf({
      'cli/main.ts':
        "import { x } from './list.js';\nimport '../crawl.js';\nimport { x as y } from '../engines/sqlite.js';",
      'cli/list.ts': leaf,
      'crawl.ts': "import { x } from './workers/pool.js';\nimport type { T } from './engines/ports.js';",
      'workers/pool.ts': "import { Worker } from 'node:worker_threads';\nimport { x } from '../fetch/http.js';",
      'fetch/http.ts': "import { createServer } from 'node:http';\nimport { x } from '../errors.js';",
      'url/key.ts':
        "import type { T } from '../engines/ports.js';\nimport { x } from '../config/config.js';\nimport { isUtf8 } from 'node:buffer';",
      'engines/sqlite.ts': "import type { T } from './ports.js';",
      'engines/ports.ts': leaf,
      'errors.ts': leaf,
      'config/config.ts': "import { x } from '../errors.js';",
    });
    expect(faults).toEqual([]);
  });

  it.each([
    ['a value', "import { x } from '../admit/a.js';"],
    ['a type', "import type { T } from '../admit/a.js';"],
    ['an inline type', "export const y = 1 as import('../admit/a.js').T;"],
    ['a re-export', "export { x } from '../admit/a.js';"],
    ['a star', "export * from '../admit/a.js';"],
    ['a side effect', "import '../admit/a.js';"],
    ['a dynamic import', "export const load = () => import('../admit/a.js');"],
    ['a worker', "export const w = new URL('../admit/a.js', import.meta.url);"],
  ])('refuse %s from a higher floor and show the arrow', (_, text) => {
    const faults = faultsOf({ 'fetch/http.ts': `// a comment\n${text}`, 'admit/a.ts': leaf });
    expect(faults).toEqual(['fetch/http.ts:2 -> admit/a.ts: floor 2 must not import floor 3']);
  });

  it('are not fooled by imports in comments and strings', () => {
    const text =
      "// import '../admit/a.js'\nexport const s = \"import '../admit/a.js'\";\n/* import('../admit/a.js') */";
    expect(faultsOf({ 'fetch/http.ts': text, 'admit/a.ts': leaf })).toEqual([]);
  });

  it('refuse a neighbour on the same floor', () => {
    const files = { 'fetch/http.ts': "import { x } from '../archive/warc.js';", 'archive/warc.ts': leaf };
    expect(faultsOf(files)).toEqual([
      'fetch/http.ts:1 -> archive/warc.ts: fetch/ and archive/ are neighbours on floor 2',
    ]);
    const loop = { 'embedded/run.ts': "import { x } from '../crawl.js';", 'crawl.ts': leaf };
    expect(faultsOf(loop)).toEqual([]);
    const root = { 'crawl.ts': "import { x } from './sim/web.js';", 'sim/web.ts': leaf };
    expect(faultsOf(root)[0]).toContain('the files at the root and sim/ are neighbours on floor 4');
  });

  it('refuse files that stand nowhere, stand too deep or are not there', () => {
    expect(faultsOf({ 'utils/misc.ts': leaf })[0]).toContain('utils/misc.ts stands on no floor');
    expect(faultsOf({ 'helpers.ts': leaf })[0]).toContain('helpers.ts stands on no floor');
    expect(faultsOf({ 'url/a/b.ts': leaf })[0]).toContain('url/a/b.ts is nested too deep');
    expect(faultsOf({ 'url/a.ts': "import './b.js';" })[0]).toBe('url/a.ts:1 -> url/b.ts: there is no such file');
    expect(faultsOf({ 'cli/a.ts': 'await import(process.argv[2]);' })[0]).toContain('imports a computed name');
  });

  it('let only those name a concrete engine who choose one', () => {
    const engine = { 'engines/sqlite.ts': leaf };
    for (const file of ['state/batch.ts', 'crawl.ts', 'index.ts', 'serve/api.ts']) {
      const path = file.includes('/') ? '../engines/sqlite.js' : './engines/sqlite.js';
      expect(faultsOf({ ...engine, [file]: `import { x } from '${path}';` })[0], file).toContain(
        'name a concrete engine',
      );
    }
    for (const file of ['cli/crawl.ts', 'embedded/run.ts', 'sim/faults.ts', 'cluster/node.ts']) {
      expect(faultsOf({ ...engine, [file]: "import { x } from '../engines/sqlite.js';" }), file).toEqual([]);
    }
  });
});

describe('pure folders', () => {
  it.each([
    'node:fs',
    'node:net',
    'node:http',
    'node:worker_threads',
    'node:timers',
    'node:timers/promises',
    'fs',
    'node:crypto',
  ])('import no %s', (module) => {
    for (const folder of ['frontier', 'admit', 'revisit', 'url', 'dedupe', 'parse']) {
      expect(faultsOf({ [`${folder}/a.ts`]: `import * as m from '${module}';` })).toEqual([
        `${folder}/a.ts:1 -> ${module}: ${folder}/ is pure and does no I/O`,
      ]);
    }
  });

  it('reach no I/O through others either', () => {
    const faults = faultsOf({
      'url/a.ts': "import { x } from './b.js';",
      'url/b.ts': "import { x } from '../config/config.js';",
      'config/config.ts': "import { readFileSync } from 'node:fs';",
    });
    expect(faults).toContain(
      'url/a.ts -> url/b.ts -> config/config.ts -> node:fs: url/ is pure and does no I/O, not even through others',
    );
  });

  it.each([
    'Date.now()',
    'new Date()',
    'Math.random()',
    'performance.now()',
    'setTimeout(() => {}, 1)',
    'process.env.HOME',
    'process.cwd()',
    "fetch('http://a.test/')",
    'globalThis.fetch',
  ])('take clock and randomness as arguments, so %s is refused', (expression) => {
    expect(faultsOf({ 'frontier/a.ts': `export const y = ${expression};` })[0]).toMatch(
      /^frontier\/a\.ts:1 uses .*is pure/,
    );
    expect(faultsOf({ 'fetch/a.ts': `export const y = ${expression};` })).toEqual([]);
  });

  it('may compute with dates and call their own methods by such names', () => {
    const text =
      'export const y = (c: { now(): number; fetch(): void }) => [new Date(0), Date.parse("x"), c.now(), c.fetch()];';
    expect(faultsOf({ 'frontier/a.ts': text })).toEqual([]);
  });
});

describe('cycles', () => {
  it('are refused, types included, and shown whole', () => {
    const faults = faultsOf({
      'fetch/a.ts': "import { x } from './b.js';",
      'fetch/b.ts': "import type { T } from './c.js';",
      'fetch/c.ts': "export { x } from './a.js';",
    });
    expect(faults).toEqual(['import cycle: fetch/a.ts -> fetch/b.ts -> fetch/c.ts -> fetch/a.ts']);
  });

  it('are not closed by a thread that imports the types of whoever starts it', () => {
    const faults = faultsOf({
      'workers/pool.ts': "export type T = 1;\nexport const url = new URL('./thread.js', import.meta.url);",
      'workers/thread.ts': "import type { T } from './pool.js';",
    });
    expect(faults).toEqual([]);
  });

  it('are found in each knot once', () => {
    const graph = (edges: Record<string, string[]>) =>
      new Map(Object.entries(edges).map(([from, to]) => [from, new Set(to)] as const));
    expect(findCycles(graph({ a: ['b'], b: ['c'], c: [] }))).toEqual([]);
    expect(findCycles(graph({ a: ['a'], b: ['c'], c: ['b'], d: ['a'] }))).toEqual([
      ['a', 'a'],
      ['b', 'c', 'b'],
    ]);
  });
});

it('a file that does not parse is named', () => {
  expect(() => readModule('bad.ts', 'import {')).toThrow(/bad\.ts/);
});
