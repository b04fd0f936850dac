import { accessSync, constants, statSync } from 'node:fs';
import { userAgent } from '../config/load-config.js';
import { importInto } from '../embedded/import.js';
import { UserError } from '../errors.js';
import { fileFault } from '../file-fault.js';
import { counted, formatCount } from '../units.js';
import { version } from '../version.js';
import { type Arguments, type CommandSpec, listOf } from './arguments.js';
import { type ExitCode, JSON_FLAG, requireDir, type World } from './command.js';
import { CONFIG_FLAG, configured } from './configured.js';
import { cleanLine } from './terminal.js';

export const spec: CommandSpec = {
  name: 'import',
  says: 'Take WARC and ARC files of any tool into a crawl directory, for export, reparse and dedup.',
  operands: 'WARC...',
  mostOperands: 100_000,
  flags: [
    { name: 'dir', value: 'DIR', says: 'The crawl directory: a new one, or one of a crawl that does not run.' },
    CONFIG_FLAG,
    { name: 'not-host', value: 'NAMES', says: 'Nothing of these hosts; *.example.org stands for every host below it.' },
    JSON_FLAG,
  ],
  options: [],
  examples: [
    ['saunter import CC-MAIN-*.warc.gz --dir common-crawl', 'Each page is parsed and kept once.'],
    ['saunter export --dir common-crawl --out pages.jsonl', 'Then as with any crawl.'],
    [
      'saunter import old/warc/*.warc.gz --dir new --not-host www.example.org',
      'A crawl of our own again, without a host whose owner does not want to be in it.',
    ],
  ],
  notes: [
    'Answers to GET requests become pages of the crawl, with their dates; requests of ours they are not, and no link of ' +
      'them is followed. What is older than what the crawl knows of a URL is passed over, so that an interrupted import ' +
      'can be run again. Exit code 1 if a file is damaged: what stands before that place is taken.',
  ],
};

export async function run(args: Arguments, { terminal, signal }: World): Promise<ExitCode> {
  if (args.operands.length === 0) throw new UserError('What is to be imported? Name WARC or ARC files.', 2);
  const dir = requireDir(args);
  const { config } = await configured(args, terminal);
  for (const file of args.operands) checkReadable(file);
  let refused = 0;
  const counts = await importInto(dir, {
    ...{ files: args.operands, config, userAgent: userAgent(version(), config.contact) },
    notHosts: listOf(args.flags.get('not-host')),
    isStopped: () => signal.aborted,
    onProgress: (path, records) =>
      terminal.progress(`Importing: ${counted(records, 'answer')} · ${path}`, performance.now()),
    onRefused: (sentence) => {
      refused++;
      terminal.error(cleanLine(sentence));
    },
  });
  if (counts.records === 0 && refused === args.operands.length) {
    terminal.error('Nothing was imported: give WARC or ARC files.');
    return 1;
  }
  if (args.flags.has('json')) terminal.print(JSON.stringify(counts));
  else {
    const { records, pages, duplicates, nearDuplicates, skipped } = counts;
    terminal.print(
      `${counted(records, 'answer was', 'answers were')} imported: ${counted(pages, 'page')}, ${formatCount(duplicates)} of them ` +
        `duplicates and ${formatCount(nearDuplicates)} near-duplicates.`,
    );
    for (const [reason, count] of Object.entries(skipped)) {
      terminal.print(`  ${formatCount(count).padStart(8)}  passed over: ${cleanLine(reason)}`);
    }
  }
  if (signal.aborted) return 130;
  return refused > 0 ? 1 : 0;
}

/** Asked before a directory is made. A pipe (`<(zcat ...)`) will do.
 * @throws UserError (usage) */
function checkReadable(file: string): void {
  try {
    accessSync(file, constants.R_OK);
    if (statSync(file).isDirectory()) throw Object.assign(new Error('folder'), { code: 'EISDIR' });
  } catch (error) {
    throw new UserError(`${file} cannot be read: ${fileFault(error)}. Nothing was imported.`, 2, { cause: error });
  }
}
