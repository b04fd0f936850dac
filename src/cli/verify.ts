import { UserError } from '../errors.js';
import type { Arguments, CommandSpec } from './arguments.js';
import type { ExitCode, World } from './command.js';

export const spec: CommandSpec = {
  name: 'verify',
  says: 'Read every record and row of a crawl back, and prove from its request log that no delay was broken.',
  operands: '',
  mostOperands: 0,
  flags: [{ name: 'dir', value: 'DIR', says: 'The crawl directory.' }],
  options: [],
  examples: [['saunter verify --dir saunter-example.org', 'Exit code 0 if everything agrees.']],
};

export async function run(_args: Arguments, _world: World): Promise<ExitCode> {
  throw new UserError('saunter verify is not built yet.');
}
