import { UserError } from '../errors.js';
import type { Arguments, CommandSpec } from './arguments.js';
import type { ExitCode, World } from './command.js';

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
};

export async function run(_args: Arguments, _world: World): Promise<ExitCode> {
  throw new UserError('saunter export is not built yet.');
}
