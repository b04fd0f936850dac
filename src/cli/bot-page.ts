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
  const page = botPage({
    ...{ agent: userAgent(version(), contact), reach, config },
    ...{ name: flags.get('name') ?? null, purpose: flags.get('purpose') ?? null },
    addresses: listOf(flags.get('address')),
  });
  terminal.print(page);
  return 0;
}
