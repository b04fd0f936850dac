import { UserError } from '../errors.js';
import type { Arguments, CommandSpec } from './arguments.js';
import type { ExitCode, World } from './command.js';

export const spec: CommandSpec = {
  name: 'list',
  says: 'The URLs, hosts or dead letters of a crawl, one on a line.',
  operands: 'urls|hosts|dead',
  mostOperands: 1,
  flags: [{ name: 'dir', value: 'DIR', says: 'The crawl directory.' }],
  options: [],
  examples: [['saunter list dead --dir saunter-example.org', 'What failed for good, and why.']],
};

export async function run(_args: Arguments, _world: World): Promise<ExitCode> {
  throw new UserError('saunter list is not built yet.');
}
