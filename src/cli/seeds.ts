/** Seeds as people give them: arguments, and files with one on a line. */
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { seedUrl } from '../embedded/seed-url.js';
import { UserError } from '../errors.js';
import { fileFault } from '../file-fault.js';

/** A seed file larger than this is a mistake. */
const LARGEST_BYTES = 256 * 1024 * 1024;

/**
 * The seeds of a crawl, each once, in the order given; arguments before the file.
 *
 * @param operands URLs; a host name without a scheme means https
 * @param file a path, or `-` for `stdin`, or null. Empty lines and lines that begin with `#` are skipped.
 * @throws UserError (usage) that names the seed and its line
 */
export async function readSeeds(operands: readonly string[], file: string | null, stdin: Readable): Promise<string[]> {
  const seeds = new Set<string>();
  for (const operand of operands) seeds.add(seedUrl(operand, 'the seed'));
  if (file === null) return [...seeds];
  const name = file === '-' ? 'standard input' : file;
  const lines = (await readText(file === '-' ? stdin : createReadStream(file), name)).split(/\r\n|\n|\r/);
  for (const [index, line] of lines.entries()) {
    const seed = line.trim();
    if (seed !== '' && !seed.startsWith('#')) seeds.add(seedUrl(seed, `line ${index + 1} of ${name}`));
  }
  return [...seeds];
}

/**
 * The directory of a crawl that was not told one: `saunter-` and the first seed's host.
 * @param seed an absolute URL
 */
export function directoryOf(seed: string): string {
  return `saunter-${new URL(seed).hostname.replace(/[^a-z0-9.-]/gi, '_')}`;
}

async function readText(stream: Readable, name: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      const part = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
      bytes += part.length;
      if (bytes > LARGEST_BYTES) throw new Error('it is larger than 256 MiB');
      chunks.push(part);
    }
  } catch (error) {
    throw new UserError(`The seeds in ${name} cannot be read: ${fileFault(error)}.`, 2, { cause: error });
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
}
