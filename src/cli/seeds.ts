/** Seeds as people give them: arguments, and files with one on a line. */
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { UserError } from '../errors.js';
import { parseUrl } from '../parse-url.js';

/** A seed file larger than this is a mistake. */
const LARGEST_BYTES = 256 * 1024 * 1024;
const LONGEST_SEED = 8192;
/** `example.org`, `localhost:8080/docs`: a host name with a dot (or localhost), no scheme, no credentials. */
const BARE_HOST = /^(?:localhost|[^\s/?#@:\\[\]-][^\s/?#@:\\[\]]*\.[^\s/?#@:\\[\]]+)(?::\d+)?(?:[/?#]|$)/i;

/**
 * The seeds of a crawl, each once, in the order given; arguments before the file.
 *
 * @param operands URLs; a host name without a scheme means https
 * @param file a path, or `-` for `stdin`, or null. Empty lines and lines that begin with `#` are skipped.
 * @throws UserError (usage) that names the seed and its line
 */
export async function readSeeds(operands: readonly string[], file: string | null, stdin: Readable): Promise<string[]> {
  const seeds = new Set<string>();
  for (const operand of operands) seeds.add(seedOf(operand, 'the seed'));
  if (file === null) return [...seeds];
  const name = file === '-' ? 'standard input' : file;
  const lines = (await readText(file === '-' ? stdin : createReadStream(file), name)).split(/\r\n|\n|\r/);
  for (const [index, line] of lines.entries()) {
    const seed = line.trim();
    if (seed !== '' && !seed.startsWith('#')) seeds.add(seedOf(seed, `line ${index + 1} of ${name}`));
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

/** The seed with a scheme, otherwise as it was given: normal forms are the business of `url/`. */
function seedOf(given: string, where: string): string {
  const seed = BARE_HOST.test(given) ? `https://${given}` : given;
  const url = given.length <= LONGEST_SEED && !/\s/.test(given) ? parseUrl(seed) : null;
  if (url && (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '') return seed;
  const shown = given.length > 100 ? `${given.slice(0, 99)}…` : given;
  throw new UserError(`"${shown}" (${where}) is not a URL that can be crawled: give an http(s) URL.`, 2);
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
    throw new UserError(`The seeds in ${name} cannot be read: ${(error as Error).message}.`, 2, { cause: error });
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
}
