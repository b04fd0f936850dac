/**
 * The hosts file of the system (hosts(5)): `ADDRESS NAME...` a line, `#` begins a comment. Read once, with caps.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { formatIp, parseIp } from './ip.js';

/** Bytes that are read; the line that the cap cuts is dropped. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_NAMES = 200_000;
const MAX_ADDRESSES = 16;

/** Host name (lower-case, no trailing dot) to its addresses, in the file's order. */
export type Hosts = ReadonlyMap<string, readonly string[]>;

/** Reads a hosts file. One that is missing or cannot be read is an empty one. */
export function readHostsFile(path: string): Hosts {
  let file: number | null = null;
  try {
    file = openSync(path, 'r');
    const buffer = Buffer.allocUnsafe(MAX_BYTES);
    let size = 0;
    while (size < MAX_BYTES) {
      const count = readSync(file, buffer, size, MAX_BYTES - size, null);
      if (count === 0) break;
      size += count;
    }
    const end = size < MAX_BYTES ? size : buffer.lastIndexOf(0x0a, size - 1) + 1;
    return parseHosts(buffer.toString('utf8', 0, end));
  } catch {
    return new Map();
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** Parses the text of a hosts file; lines without an address and a name are skipped. */
export function parseHosts(text: string): Hosts {
  const hosts = new Map<string, string[]>();
  for (const line of text.split(/[\r\n]+/)) {
    const [first, ...names] = line
      .split('#', 1)[0]
      .split(/[ \t]+/)
      .filter((word) => word !== '');
    const bytes = first && names.length > 0 ? parseIp(first) : null;
    if (!bytes) continue;
    const address = formatIp(bytes);
    for (const written of names) {
      const name = written.toLowerCase().replace(/\.$/, '');
      const known = hosts.get(name);
      if (known) {
        if (known.length < MAX_ADDRESSES && !known.includes(address)) known.push(address);
      } else if (hosts.size < MAX_NAMES) hosts.set(name, [address]);
    }
  }
  return hosts;
}
