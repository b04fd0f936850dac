import { once } from 'node:events';
import { createWriteStream, renameSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { type ExportedPage, exportedPages } from '../corpus/pages.js';
import { lookInto } from '../embedded/look.js';
import { UserError } from '../errors.js';
import { formatCount } from '../units.js';
import type { Arguments, CommandSpec } from './arguments.js';
import { type ExitCode, requireDir, type World } from './command.js';

export const spec: CommandSpec = {
  name: 'export',
  says: 'The pages of a crawl, with their text, for other programs.',
  operands: '',
  mostOperands: 0,
  flags: [
    { name: 'dir', value: 'DIR', says: 'The crawl directory.' },
    { name: 'format', value: 'jsonl', says: 'JSON lines: one object a page.' },
    { name: 'out', value: 'PATH', says: 'Write to this file instead of standard output.' },
  ],
  options: [],
  examples: [
    ['saunter export --dir saunter-example.org --format jsonl --out pages.jsonl', 'One object for each page.'],
  ],
  notes: [
    'Pages with a 2xx body, in the order in which they were fetched; a page that asks not to be indexed is left out. ' +
      'A page whose content another one has names it in duplicateOf, and has no text of its own.',
  ],
};

export async function run(args: Arguments, { terminal, signal }: World): Promise<ExitCode> {
  const format = args.flags.get('format') ?? 'jsonl';
  if (format !== 'jsonl') throw new UserError(`There is no export format "${format}": the one there is, is jsonl.`, 2);
  const out = args.flags.get('out');
  return lookInto(requireDir(args), async (reader, paths) => {
    const pages = exportedPages(reader, paths);
    if (out === undefined) {
      for (const page of pages) {
        await terminal.printOne(JSON.stringify(page));
        if (terminal.closed || signal.aborted) break;
      }
      return signal.aborted ? 130 : 0;
    }
    const count = await writeFile(out, pages, signal);
    if (count === null) return 130;
    terminal.say(`${formatCount(count)} pages in ${out}.`);
    return 0;
  });
}

/** Writes under another name first: what bears the final name is whole. Null if it was interrupted. */
async function writeFile(path: string, pages: Iterable<ExportedPage>, signal: AbortSignal): Promise<number | null> {
  const temporary = `${path}.part`;
  const file = createWriteStream(temporary);
  let count = 0;
  try {
    for (const page of pages) {
      if (signal.aborted) return null;
      if (!file.write(`${JSON.stringify(page)}\n`)) await once(file, 'drain');
      count++;
    }
    file.end();
    await finished(file);
    renameSync(temporary, path);
  } catch (cause) {
    throw new UserError(`cannot write ${path}: ${(cause as Error).message}`, 1, { cause });
  } finally {
    file.destroy();
  }
  return count;
}
