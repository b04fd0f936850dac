import { UserError } from '../errors.js';
import type { Arguments, CommandSpec } from './arguments.js';
import type { ExitCode, World } from './command.js';

export const spec: CommandSpec = {
  name: 'demo',
  says: 'Crawl a synthetic web on this machine, with live progress; needs no network.',
  operands: '',
  mostOperands: 0,
  flags: [{ name: 'dir', value: 'DIR', says: 'Where the crawl lives. Default: ./saunter-demo.' }],
  options: [],
  examples: [['saunter demo', 'A thousand pages in under a minute.']],
};

export async function run(_args: Arguments, _world: World): Promise<ExitCode> {
  throw new UserError('saunter demo is not built yet.');
}
