import type { Arguments, CommandSpec } from './arguments.js';
import { type ExitCode, JSON_FLAG, type World } from './command.js';
import { CONFIG_FLAG, configured } from './configured.js';
import { type Finding, findings } from './doctor-checks.js';
import { cleanLine } from './terminal.js';

export const spec: CommandSpec = {
  name: 'doctor',
  says: 'Whether this machine is fit to crawl: Node, store, disk, open files, memory, clock, DNS, contact, port.',
  operands: '',
  mostOperands: 0,
  flags: [
    { name: 'dir', value: 'DIR', says: 'Where the crawl is to live; it need not be there. Default: this folder.' },
    CONFIG_FLAG,
    JSON_FLAG,
  ],
  options: ['contact', 'concurrency', 'dns', 'admin'],
  examples: [
    ['saunter doctor', 'Before the first crawl. Exit code 1 if something keeps one from running.'],
    ['saunter doctor --dir /data/crawl --config news.yaml', 'The disk and the options of a crawl to come.'],
  ],
  notes: ['What is marked with ! may be what you want; what is marked with X has to be mended. One DNS server is asked for example.org; nothing else leaves this machine.'], // biome-ignore format: short
};

const MARKS: Readonly<Record<Finding['state'], string>> = { ok: 'ok', warning: '! ', failure: 'X ' };

export async function run(args: Arguments, { terminal }: World): Promise<ExitCode> {
  const { config } = await configured(args, terminal);
  const { lookAround } = await import('./doctor-facts.js');
  const checks = findings(await lookAround(args.flags.get('dir') ?? '.', config), config);
  const ok = checks.every(({ state }) => state !== 'failure');
  if (args.flags.has('json')) terminal.print(JSON.stringify({ ok, checks }));
  else {
    for (const { name, state, says, todo } of checks) {
      terminal.print(cleanLine(`${MARKS[state]}  ${name.padEnd(8)} ${says}`));
      if (todo !== '') terminal.print(cleanLine(`              ${todo}`));
    }
    terminal.print(ok ? 'This machine can crawl.' : 'Mend what is marked with X before you crawl.');
  }
  return ok ? 0 : 1;
}
