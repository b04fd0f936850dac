import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { checkWorkers, userAgent } from '../config/load-config.js';
import { crawlDirectory } from '../embedded/directory.js';
import { noCrawl } from '../embedded/look.js';
import { reparseDirectory } from '../embedded/reparse.js';
import { counted, formatCount } from '../units.js';
import { version } from '../version.js';
import { type Arguments, type CommandSpec, DIR_OPERAND } from './arguments.js';
import { type ExitCode, JSON_FLAG, requireDir, type World } from './command.js';
import { CONFIG_FLAG, configured } from './configured.js';

export const spec: CommandSpec = {
  name: 'reparse',
  says: 'Read the pages of a crawl again from its archive, without a request: after an upgrade, or for another handler.',
  operands: DIR_OPERAND,
  mostOperands: 1,
  flags: [
    {
      name: 'dir',
      value: 'DIR',
      says: 'The crawl directory; it may stand without --dir, too. The crawl must not run.',
    },
    { name: 'all', says: 'Also pages that this version of the parser has read already.' },
    CONFIG_FLAG,
    JSON_FLAG,
  ],
  options: ['workers'],
  examples: [
    ['saunter reparse --dir saunter-example.org', 'What an older version has read is read by this one.'],
    ['saunter reparse --dir saunter-example.org --all --config epub.json', 'With a handler that was not there before.'],
  ],
  notes: [
    'Text, title, language, links and fingerprints of each page are made anew; what is the same is not written again. ' +
      'An interrupted run goes on where it stopped. A page that cannot be read keeps what was known of it.',
  ],
};

export async function run(args: Arguments, { terminal, signal }: World): Promise<ExitCode> {
  const dir = requireDir(args);
  if (!existsSync(crawlDirectory(dir).store)) throw noCrawl(dir);
  const { config } = await configured(args, terminal);
  checkWorkers(config, availableParallelism());
  const counts = await reparseDirectory(dir, config, userAgent(version(), config.contact), {
    all: args.flags.has('all'),
    isStopped: () => signal.aborted,
    onProgress: (done, total, { read, changed }) =>
      terminal.progress(
        `Reading again: ${Math.floor((done / total) * 100)}% · ${counted(read, 'page')}, ${formatCount(changed)} changed`,
        performance.now(),
      ),
  });
  const { read, changed, failed } = counts;
  if (args.flags.has('json')) terminal.print(JSON.stringify(counts));
  else {
    const failures = failed === 0 ? '' : ` ${formatCount(failed)} could not be read, and stay as they were.`;
    terminal.print(
      `${counted(read, 'page was', 'pages were')} read again, ${formatCount(changed)} of them changed.${failures}`,
    );
  }
  return signal.aborted ? 130 : 0;
}
