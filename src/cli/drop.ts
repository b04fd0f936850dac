import { formatCount } from '../units.js';
import type { Arguments, CommandSpec } from './arguments.js';
import { DIR_FLAG, type ExitCode, JSON_FLAG, requireDir, type World } from './command.js';
import { operateOn } from './operate.js';
import { LETTER_FLAGS, noLetter, whichLetters } from './retry.js';

export const spec: CommandSpec = {
  name: 'drop',
  says: 'Drop dead letters: the URLs are not tried again, and nobody is shown them any more.',
  operands: '[URL]',
  mostOperands: 1,
  flags: [DIR_FLAG, ...LETTER_FLAGS, { name: 'undo', says: 'Bring those back that were dropped.' }, JSON_FLAG],
  options: [],
  examples: [
    ['saunter drop https://example.org/page --dir saunter-example.org', 'One URL.'],
    ['saunter drop --host www.example.org --dir saunter-example.org', 'A host that is gone.'],
    ['saunter drop --all --undo --dir saunter-example.org', 'All that were dropped are dead letters again.'],
  ],
  notes: [
    'Also while the crawl runs; answered when it is durable. Nothing is deleted: the URL stays known and dead, and ' +
      'saunter retry with its URL takes it back all the same (--host and --all leave dropped letters alone).',
  ],
};

export async function run(args: Arguments, { terminal }: World): Promise<ExitCode> {
  const isUndone = args.flags.has('undo');
  const which = whichLetters(args, isUndone ? 'brought back' : 'dropped');
  const verb = isUndone ? 'restore' : 'drop';
  const { subject, changed } = await operateOn(requireDir(args), { verb, ...which });
  if (args.flags.has('json')) terminal.print(JSON.stringify({ subject, changed }));
  else if (changed > 0)
    terminal.print(`Dead letters ${isUndone ? 'brought back' : 'dropped'}: ${formatCount(changed)}.`);
  else terminal.print(await noLetter(requireDir(args), verb, which));
  return 0;
}
