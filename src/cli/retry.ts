import { lookInto } from '../embedded/look.js';
import { hostName, type LetterRequest } from '../embedded/operate.js';
import { standingOf, type UrlStanding } from '../embedded/url-state.js';
import { OUTCOMES, UserError } from '../errors.js';
import { counted } from '../units.js';
import type { Arguments, CommandSpec } from './arguments.js';
import { DIR_FLAG, type ExitCode, JSON_FLAG, requireDir, type World } from './command.js';
import { operateOn } from './operate.js';
import { WAITS } from './status.js';
import { cleanLine } from './terminal.js';

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
  else terminal.print(await noLetter(requireDir(args), 'retry', which));
  return 0;
}

/** What is so where no letter changed: of a URL how it stands, and what can be done. */
export async function noLetter(
  dir: string,
  verb: LetterRequest['verb'],
  { url, host }: Pick<LetterRequest, 'url' | 'host'>,
): Promise<string> {
  const kind = verb === 'restore' ? 'dropped' : 'dead';
  if (url === undefined) return `There is no ${kind} letter${host === undefined ? '' : ` of ${host}`}.`;
  const standing = await lookInto(dir, (reader) => standingOf(reader, url));
  const how =
    standing === null ? '' : ` ${standing.state === 'dead' ? howDead(standing, verb) : howItStands(standing)}`;
  return `There is no ${kind} letter of ${cleanLine(url)}.${how}`;
}

/** Of a URL that is dead, and whose letter did not change. */
function howDead({ dropped }: UrlStanding, verb: LetterRequest['verb']): string {
  if (verb === 'restore') return 'It is dead, and its letter was never dropped.';
  return dropped ? 'It is dropped already; --undo brings its letter back, saunter retry the URL.' : 'It has just died: ask again.'; // biome-ignore format: short
}

/** How a URL stands with a crawl, and what can be done about it. */
export function howItStands({ state, outcome, attempts, wait }: UrlStanding): string {
  if (state === 'dead') return 'It is given up: saunter list dead says why, saunter retry takes it back.';
  if (state === 'denied')
    return 'robots.txt forbids it; it is fetched when that file allows it (saunter audit HOST has the rule).';
  if (state === 'pending') {
    const failed = attempts === 0 ? '' : ` after ${counted(attempts, 'failed attempt')}`;
    if (wait === null) return `It is pending${failed}: a crawl fetches it when its turn comes.`;
    return `It is pending${failed}, of a host that is ${WAITS[wait]}.`;
  }
  if (outcome === null || outcome === 'ok' || outcome === 'not-modified') return `It was fetched. ${AGAIN}`;
  return `It has its answer: it ${OUTCOMES[outcome].words} (${outcome}), which asking again would not change at once. ${AGAIN}`;
}

const AGAIN = 'A standing crawl visits pages again (saunter crawl --revisit).';

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
