import { UserError } from '../errors.js';
import type { Arguments, CommandSpec } from './arguments.js';
import type { ExitCode, World } from './command.js';

export const spec: CommandSpec = {
  name: 'status',
  says: 'What a crawl has done, what it waits for, and why.',
  operands: '',
  mostOperands: 0,
  flags: [{ name: 'dir', value: 'DIR', says: 'The crawl directory.' }],
  options: [],
  examples: [['saunter status --dir saunter-example.org', 'Also while the crawl runs.']],
};

export async function run(_args: Arguments, _world: World): Promise<ExitCode> {
  throw new UserError('saunter status is not built yet.');
}
