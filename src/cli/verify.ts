import { verify } from '../corpus/verify.js';
import { lookInto } from '../embedded/look.js';
import { counted, formatCount } from '../units.js';
import { type Arguments, type CommandSpec, DIR_OPERAND } from './arguments.js';
import { DIR_ALONE_FLAG, type ExitCode, JSON_FLAG, requireDir, type World } from './command.js';
import { cleanLine } from './terminal.js';

export const spec: CommandSpec = {
  name: 'verify',
  says: 'Read every record and row of a crawl back, and prove from its request log that no delay was broken.',
  operands: DIR_OPERAND,
  mostOperands: 1,
  flags: [DIR_ALONE_FLAG, JSON_FLAG],
  options: [],
  examples: [['saunter verify --dir saunter-example.org', 'Exit code 0 if everything agrees.']],
};

const WHAT: Record<string, string> = {
  rows: 'rows refer to rows that are there',
  records: 'records read back, with right digests, each named by one row',
  index: 'index lines name records',
  delays: 'gaps between requests were as long as the delay',
};

/** What mends it. */
const HINTS: Readonly<Record<string, string>> = {
  index: 'To mend it, delete warc/index.cdxj: the next saunter crawl --dir DIR writes it anew from the records.',
};

export async function run(args: Arguments, { terminal }: World): Promise<ExitCode> {
  const checks = await lookInto(requireDir(args), (reader, paths) =>
    verify(reader, paths, (share) => terminal.progress(`Reading back: ${Math.round(share * 100)}%`, performance.now())),
  );
  const faults = checks.reduce((sum, check) => sum + check.faults, 0);
  if (args.flags.has('json')) {
    terminal.print(JSON.stringify({ ok: faults === 0, checks }));
    return faults === 0 ? 0 : 1;
  }
  for (const { name, checked, faults: count, examples } of checks) {
    terminal.print(`${count === 0 ? 'right' : 'WRONG'}  ${formatCount(checked).padStart(12)}  ${WHAT[name] ?? name}`);
    for (const example of examples) terminal.print(`         ${cleanLine(example)}`);
    if (count > 0 && HINTS[name] !== undefined) terminal.print(`         ${HINTS[name]}`);
    if (count > examples.length) terminal.print(`         and ${formatCount(count - examples.length)} more`);
  }
  terminal.print(faults === 0 ? 'Everything agrees.' : `${counted(faults, 'fault')}.`);
  return faults === 0 ? 0 : 1;
}
