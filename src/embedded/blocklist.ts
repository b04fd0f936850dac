/** Lists of names of which nothing is fetched, from files: a host, or a whole domain, one a line. */
import { readFileSync } from 'node:fs';
import { UserError } from '../errors.js';
import { parseIp } from '../fetch/ip.js';
import { fileFault } from '../file-fault.js';
import { hostOf } from '../url/normalize.js';

/** Tells whether a host is one of the names, or lies below one. */
export type Blocklist = (host: string) => boolean;

/**
 * Reads the files. A line is a name (`*.` before it says nothing more), or an address and names, as in a hosts file;
 * `#` begins a comment.
 * @throws UserError (usage) for a file that cannot be read, or a line that is none
 */
export function readBlocklists(paths: readonly string[]): Blocklist | null {
  if (paths.length === 0) return null;
  const names = new Set<string>();
  for (const path of paths) readInto(names, path);
  return (host) => isListed(names, host);
}

function readInto(names: Set<string>, path: string): void {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UserError(`The blocklist ${path} cannot be read: ${fileFault(error)}.`, 2);
  }
  for (const [i, line] of text.split('\n').entries()) {
    const words = line
      .replace(/#.*/, '')
      .split(/\s+/)
      .filter((word) => word !== '');
    const written = words.length > 1 && parseIp(words[0]) !== null ? words.slice(1) : words;
    for (const word of written) {
      const name = /[/?#@\\:]/.test(word) ? null : hostOf(`http://${word.replace(/^\*\./, '')}/`);
      if (name === null || written.length !== words.length - (words.length > 1 ? 1 : 0)) {
        throw new UserError(`${path}, line ${i + 1}: "${line.trim().slice(0, 60)}" is no host name.`, 2);
      }
      names.add(name);
    }
  }
}

function isListed(names: ReadonlySet<string>, host: string): boolean {
  for (let name = host; ; ) {
    if (names.has(name)) return true;
    const dot = name.indexOf('.');
    if (dot < 0) return false;
    name = name.slice(dot + 1);
  }
}
