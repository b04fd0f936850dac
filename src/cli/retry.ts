import { hostName, type LetterRequest } from '../embedded/operate.js';
import { UserError } from '../errors.js';
import { counted } from '../units.js';
import type { Arguments, CommandSpec } from './arguments.js';
import { DIR_FLAG, type ExitCode, JSON_FLAG, requireDir, type World } from './command.js';
import { operateOn } from './operate.js';

/** Which dead letters a command is about, beside a URL. */
export const LETTER_FLAGS = [
  { name: 'host', value: 'HOST', says: 'All dead letters of one host.' },
  { name: 'all', says: 'All dead letters.' },
];

export const spec: CommandSpec = {
  name: 'retry',
  says: 'Take dead letters back: the URLs are pending again, with all their attempts.',
  operands: '[URL]',
  mostOperands: 1,
  flags: [DIR_FLAG, ...LETTER_FLAGS, JSON_FLAG],
  options: [],
  examples: [
    ['saunter list dead --dir saunter-example.org', 'What there is.'],
    ['saunter retry https://example.org/page --dir saunter-example.org', 'One URL.'],
    ['saunter retry --host www.example.org --dir saunter-example.org', 'A host that was down, and is back.'],
    ['saunter retry --all --dir saunter-example.org', 'Everything.'],
  ],
  notes: ['A running crawl fetches them when their turn comes; a stopped one when it goes on.'],
};

export async function run(args: Arguments, { terminal }: World): Promise<ExitCode> {
  const which = whichLetters(args, 'tried again');
  const { subject, changed } = await operateOn(requireDir(args), { verb: 'retry', ...which });
  if (args.flags.has('json')) terminal.print(JSON.stringify({ subject, changed }));
  else if (changed > 0) terminal.print(`${counted(changed, 'URL is', 'URLs are')} pending again.`);
  else terminal.print(`There is no dead letter${subject === '' ? '' : ` of ${subject}`}.`);
  return 0;
}

/** The letters that the arguments name. @param done what is to be done with them, for the message
 * @throws UserError (usage) */
export function whichLetters({ operands, flags }: Arguments, done: string): Pick<LetterRequest, 'url' | 'host'> {
  const [url] = operands;
  const host = flags.get('host');
  const given = [url !== undefined, host !== undefined, flags.has('all')].filter(Boolean).length;
  if (given !== 1) throw new UserError(`What should be ${done}? Give one of URL, --host HOST and --all.`, 2);
  if (url !== undefined) return { url };
  return host === undefined ? {} : { host: hostName(host) };
}
