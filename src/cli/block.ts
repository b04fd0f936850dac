import { blockTime, hostName } from '../embedded/operate.js';
import { UserError } from '../errors.js';
import { counted } from '../units.js';
import type { Arguments, CommandSpec } from './arguments.js';
import { DIR_FLAG, type ExitCode, JSON_FLAG, requireDir, type World } from './command.js';
import { operateOn } from './operate.js';

export const spec: CommandSpec = {
  name: 'block',
  says: 'Make no more requests to a host, from this moment until it is unblocked.',
  operands: 'HOST',
  mostOperands: 1,
  flags: [
    DIR_FLAG,
    { name: 'reason', value: 'TEXT', says: 'Why; kept with the crawl, and shown by audit.' },
    { name: 'for', value: 'D', says: 'A pause: the block ends by itself after this time.' },
    JSON_FLAG,
  ],
  options: [],
  examples: [
    [
      'saunter block www.example.org --reason "its owner asked" --dir saunter-example.org',
      'Also while the crawl runs; a request that is under way may end.',
    ],
    ['saunter block www.example.org --for 2h --dir saunter-example.org', 'A pause of two hours.'],
  ],
  notes: [
    'A block is about one host name (not its subdomains), outlives restarts, and is answered when it is durable. Links to ' +
      'the host are still kept, and wait; saunter unblock lets them be fetched.',
  ],
};

export async function run(args: Arguments, { terminal }: World): Promise<ExitCode> {
  const host = hostOperand(args);
  const reason = args.flags.get('reason') ?? '';
  const time = args.flags.get('for');
  const request = { verb: 'block', host, reason, ...(time !== undefined && { for: blockTime(time) }) } as const;
  const answer = await operateOn(requireDir(args), request);
  if (args.flags.has('json')) terminal.print(JSON.stringify(answer));
  else {
    const waiting =
      answer.met === false ? stranger(answer.near ?? null) : counted(answer.pending, 'URL waits', 'URLs wait');
    const until = answer.until ? ` until ${new Date(answer.until).toISOString()}` : '';
    terminal.print(`${answer.subject} ${answer.changed ? 'is blocked' : 'was blocked already'}${until}; ${waiting}.`);
  }
  return 0;
}

/** Whoever mistypes a name should see that the host that was meant is not blocked. */
const stranger = (near: string | null): string =>
  `this crawl has not met that host${near === null ? '' : ` (it knows ${near})`}`;

/** The host that a command is about.
 * @throws UserError (usage) without one */
export function hostOperand({ operands }: Arguments): string {
  if (operands[0] === undefined) throw new UserError('Which host? Give its name, such as www.example.org.', 2);
  return hostName(operands[0]);
}
