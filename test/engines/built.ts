/** JavaScript of the modules under test, for what only runs built: child processes and worker threads. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export interface Built {
  dir: string;
  /** Path of a built module: `module('engines/sqlite.js')`. */
  module(name: string): string;
  remove(): void;
}

/** Compiles src/engines and the given files (relative to src) into a temporary directory; about a second. */
export function build(files: readonly string[] = []): Built {
  const dir = mkdtempSync(join(tmpdir(), 'saunter-built-'));
  const engines = readdirSync('src/engines').map((name) => `engines/${name}`);
  const sources = [...engines, ...files].map((file) => join('src', file));
  const options = '--noCheck --rootDir src --module nodenext --target es2023 --types node --skipLibCheck';
  const tsc = resolve('node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '--ignoreConfig', ...options.split(' '), '--outDir', dir, ...sources]);
  writeFileSync(join(dir, 'package.json'), '{"type":"module"}');
  symlinkSync(resolve('node_modules'), join(dir, 'node_modules'));
  return {
    dir,
    module: (name) => join(dir, name),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}
