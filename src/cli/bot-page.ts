import { userAgent } from '../config/load-config.js';
import { normalizeContact } from '../config/texts.js';
import { UserError } from '../errors.js';
import { version } from '../version.js';
import { type Arguments, type CommandSpec, listOf } from './arguments.js';
import { botPage } from './bot-page-html.js';
import type { ExitCode, World } from './command.js';
import { CONFIG_FLAG, configured } from './configured.js';

export const spec: CommandSpec = {
  name: 'bot-page',
  says: 'A page for the owners of sites: who crawls, and how to slow or stop it. HTML, for your web server.',
  operands: '',
  mostOperands: 0,
  flags: [
    { name: 'reach', value: 'MAIL|URL', says: 'How to reach you, where --contact is the address of this page itself.' },
    { name: 'name', value: 'WHO', says: 'Who runs the crawl: you, or your institution.' },
    { name: 'purpose', value: 'TEXT', says: 'What the pages are for.' },
    {
      name: 'address',
      value: 'IPS',
      says: 'The addresses that your requests come from, so that others can be told apart.',
    },
    CONFIG_FLAG,
  ],
  options: ['contact', 'delay'],
  examples: [
    ['saunter bot-page --contact me@example.org > bot.html', 'The least that it takes.'],
    [
      'saunter bot-page --contact https://example.org/bot.html --reach bot@example.org --name "Example University" --purpose "a study of recipes" --address 192.0.2.7 > bot.html',
      'The page under the very address that the crawl sends with each request.',
    ],
  ],
};

export async function run(args: Arguments, { terminal }: World): Promise<ExitCode> {
  const { flags } = args;
  const { config } = await configured(args, terminal);
  const { contact } = config;
  if (contact === null)
    throw new UserError('Whom shall the owners of sites write to? Give --contact, as to the crawl.', 2);
  const given = flags.get('reach');
  const reach = given === undefined ? contact : normalizeContact(given);
  if (reach === null) throw new UserError(`--reach cannot be "${given}": give a mail address or a URL.`, 2);
  if (given === undefined && !contact.startsWith('mailto:')) {
    throw new UserError(
      `${contact} is where this page will stand, and nobody can write to it: give a mail address with --reach.`,
      2,
    );
  }
  for (const flag of ['name', 'purpose', 'address']) refuseSteering(flag, flags.get(flag) ?? '');
  const page = botPage({
    ...{ agent: userAgent(version(), contact), reach, config },
    ...{ name: flags.get('name') ?? null, purpose: flags.get('purpose') ?? null },
    addresses: listOf(flags.get('address')),
  });
  terminal.print(page);
  return 0;
}

/** Controls but tab and newline, and what turns the direction of text: on a page they hide what it says, and on a terminal they
 * steer it. Joiners, which some scripts need, are none. */
const STEERING = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/u;

/** @throws UserError (usage) for a text with one of them */
function refuseSteering(flag: string, text: string): void {
  const found = STEERING.exec(text)?.[0].codePointAt(0);
  if (found === undefined) return;
  const code = found.toString(16).toUpperCase().padStart(4, '0');
  throw new UserError(`--${flag} holds a control character (U+${code}), which nobody sees and which steers what is shown: leave it out.`, 2); // biome-ignore format: one sentence
}
