/** Seeds as people give them: arguments, and files with one on a line, which may have millions of lines. */
import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { seedUrl } from '../embedded/seed-url.js';
import { UserError } from '../errors.js';
import { fileFault } from '../file-fault.js';

/** Characters of a line; a longer one is no URL. */
const LONGEST_LINE = 64 * 1024;

export interface GivenSeeds {
  /** The first; null if there are none. */
  readonly first: string | null;
  /** All of them, to be read once. Throws a UserError (usage) that names the seed and its line. */
  readonly seeds: AsyncIterable<string>;
  readonly digest: () => Promise<string | null>;
}

/**
 * The seeds of a crawl in the order given; arguments before the file. The first is read now, the others as they are
 * asked for.
 *
 * @param operands URLs; a host name without a scheme means https
 * @param file a path, or `-` for `stdin`, or null. Empty lines and lines that begin with `#` are skipped.
 * @throws UserError (usage) that names the seed and its line
 */
export async function readSeeds(
  operands: readonly string[],
  file: string | null,
  stdin: Readable,
): Promise<GivenSeeds> {
  const all = seedsOf(
    operands.map((operand) => seedUrl(operand, 'the seed')),
    file,
    stdin,
  );
  const { done, value } = await all.next();
  const first = done ? null : value;
  async function* seeds(): AsyncGenerator<string> {
    if (first !== null) yield first;
    yield* all;
  }
  return { first, seeds: seeds(), digest: () => digestOf(operands, file) };
}

/**
 * The directory of a crawl that was not told one: `saunter-` and the first seed's host.
 * @param seed an absolute URL
 */
export function directoryOf(seed: string): string {
  return `saunter-${new URL(seed).hostname.replace(/[^a-z0-9.-]/gi, '_')}`;
}

async function* seedsOf(operands: readonly string[], file: string | null, stdin: Readable): AsyncGenerator<string> {
  yield* operands;
  if (file === null) return;
  const name = file === '-' ? 'standard input' : file;
  let number = 0;
  for await (const line of linesOf(file === '-' ? stdin : createReadStream(file), name)) {
    number++;
    const seed = line.trim();
    if (seed !== '' && !seed.startsWith('#')) yield seedUrl(seed, `line ${number} of ${name}`);
  }
}

async function* linesOf(stream: Readable, name: string): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let isFirst = true;
  try {
    for await (const chunk of stream) {
      let text = rest + (typeof chunk === 'string' ? chunk : decoder.write(chunk as Buffer));
      if (isFirst && text !== '') {
        text = text.replace(/^\uFEFF/, '');
        isFirst = false;
      }
      // a carriage return at the end may be the first half of an end of line
      const lines = text.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop()!;
      if (rest.length > LONGEST_LINE) throw new Error('it has a line of more than 64 KiB');
      yield* lines;
    }
  } catch (error) {
    throw new UserError(`The seeds in ${name} cannot be read: ${fileFault(error)}.`, 2, { cause: error });
  }
  yield* (rest + decoder.end()).split('\r');
}

/** Of the operands and the bytes of the file; null if it cannot be read twice. */
async function digestOf(operands: readonly string[], file: string | null): Promise<string | null> {
  if (file === '-' || (file !== null && !statSync(file, { throwIfNoEntry: false })?.isFile())) return null;
  const hash = createHash('sha256').update(`${operands.join('\n')}\n\n`);
  if (file !== null) for await (const chunk of createReadStream(file, { highWaterMark: 2 ** 20 })) hash.update(chunk);
  return hash.digest('hex');
}
