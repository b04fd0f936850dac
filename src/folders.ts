/** Makes folders. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and those above it that are missing. Step by step: the recursive `mkdir` of Node goes round for ever
 * where the system says ENOENT for a folder whose parent is there, as below `/proc`.
 * @throws what `node:fs` throws for the first that cannot be made
 */
export function makeFolders(path: string): void {
  const missing: string[] = [];
  let at = resolve(path);
  for (let found = entry(at); found === 'nothing' && dirname(at) !== at; found = entry(at)) {
    missing.push(at);
    at = dirname(at);
  }
  if (entry(at) === 'file')
    throw Object.assign(new Error(`${at} is no folder`), { code: missing.length > 0 ? 'ENOTDIR' : 'EEXIST' });
  for (const folder of missing.reverse()) makeOne(folder);
}

function makeOne(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST' && entry(folder) === 'folder') return; // another made it meanwhile
    throw cause;
  }
}

function entry(path: string): 'folder' | 'file' | 'nothing' {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? 'nothing' : found.isDirectory() ? 'folder' : 'file';
}
