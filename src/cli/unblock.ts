import { formatCount } from '../units.js';
import type { Arguments, CommandSpec } from './arguments.js';
import { hostOperand } from './block.js';
import { DIR_FLAG, type ExitCode, JSON_FLAG, requireDir, type World } from './command.js';
import { operateOn } from './operate.js';

export const spec: CommandSpec = {
  name: 'unblock',
  says: 'End the block of a host: its URLs are fetched again, at its own pace.',
  operands: 'HOST',
  mostOperands: 1,
  flags: [DIR_FLAG, JSON_FLAG],
  options: [],
  examples: [['saunter unblock www.example.org --dir saunter-example.org', 'Also while the crawl runs.']],
};

export async function run(args: Arguments, { terminal }: World): Promise<ExitCode> {
  const host = hostOperand(args);
  const answer = await operateOn(requireDir(args), { verb: 'unblock', host });
  if (args.flags.has('json')) terminal.print(JSON.stringify(answer));
  else if (answer.changed) terminal.print(`${host} is unblocked; URLs that waited: ${formatCount(answer.pending)}.`);
  else terminal.print(`${host} was not blocked.`);
  return 0;
}
