import type { HostEventRow } from '../changes.js';
import { userAgent } from '../config/load-config.js';
import { type AuditLine, audit, findHost, hostEvents } from '../corpus/audit.js';
import { lookInto } from '../embedded/look.js';
import { notMet } from '../embedded/operate.js';
import { productToken } from '../embedded/parts.js';
import { OUTCOMES } from '../errors.js';
import { counted, formatCount, formatDuration } from '../units.js';
import { version } from '../version.js';
import type { Arguments, CommandSpec } from './arguments.js';
import { hostOperand } from './block.js';
import { DIR_FLAG, type ExitCode, requireDir, type World } from './command.js';
import { cleanLine, type Terminal } from './terminal.js';

export const spec: CommandSpec = {
  name: 'audit',
  says: 'Every request ever made to a host: when, how long after the last one, what came, and which rule allowed it.',
  operands: 'HOST',
  mostOperands: 1,
  flags: [DIR_FLAG, { name: 'json', says: 'JSON lines, one a request.' }],
  options: [],
  examples: [
    ['saunter audit www.example.org --dir saunter-example.org', 'The answer to a complaint of its owner.'],
    [
      "saunter audit www.example.org --dir saunter-example.org --json | jq 'select(.status == 429)'",
      'When it asked us to slow down. Also while the crawl runs.',
    ],
  ],
  notes: [
    'robots.txt is matched anew for each request, as it was in force then. Exit code 1 if a request came before its ' +
      'delay was over, or was forbidden.',
  ],
};

export async function run(args: Arguments, { terminal, signal }: World): Promise<ExitCode> {
  const name = hostOperand(args);
  const agent = productToken(userAgent(version(), null));
  const asJson = args.flags.has('json');
  return lookInto(requireDir(args), async (reader) => {
    const host = findHost(reader, name);
    if (host < 0) throw notMet(name);
    const total = new Total();
    for (const line of audit(reader, host, agent)) {
      if (terminal.closed) return 0;
      if (signal.aborted) return 130;
      total.add(line);
      await terminal.printOne(asJson ? JSON.stringify(record(line)) : words(line));
    }
    if (!asJson) conclude(name, total, hostEvents(reader, host), terminal);
    return total.faults > 0 ? 1 : 0;
  });
}

const iso = (at: number): string => new Date(at).toISOString();

/** One line of `--json`. Times as in the rest of the program's output; gaps and delays in ms. */
function record(line: AuditLine): Record<string, unknown> {
  const { started, ended, code, ...rest } = line;
  return { at: iso(started), ...rest, code, ms: ended - started };
}

function words(line: AuditLine): string {
  const { started, ended, gap, owed, kind, target, status, code, because, fault } = line;
  const after = gap === null ? 'the first' : `after ${formatCount(gap)} ms (owed ${formatCount(owed ?? 0)})`;
  const answer = status > 0 ? String(status) : 'none';
  const columns = [
    iso(started),
    after.padEnd(30),
    `${answer} ${code}`.padEnd(20),
    `${formatCount(ended - started)} ms`.padStart(9),
    kind === 'page' ? '' : kind,
    target || '(unknown)',
    `[${because}]`,
  ];
  const text = columns.filter((column) => column !== '').join('  ');
  return cleanLine(fault === null ? text : `${text}  FAULT: ${fault}`);
}

/** What the lines come to. */
class Total {
  requests = 0;
  faults = 0;
  first = 0;
  last = 0;
  smallest: number | null = null;
  readonly codes = new Map<AuditLine['code'], number>();

  add({ started, gap, code, fault }: AuditLine): void {
    if (this.requests++ === 0) this.first = started;
    this.last = started;
    if (fault !== null) this.faults++;
    if (gap !== null && (this.smallest === null || gap < this.smallest)) this.smallest = gap;
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
  }
}

function conclude(name: string, total: Total, events: readonly HostEventRow[], terminal: Terminal): void {
  for (const { at, kind, until, words: why } of events) {
    const end = until > 0 ? ` until ${iso(until)}` : '';
    terminal.print(cleanLine(`${iso(at)}  ${kind}${end}${why === '' ? '' : `: ${why}`}`));
  }
  if (total.requests === 0) {
    terminal.print(`No request was ever made to ${name}.`);
    return;
  }
  terminal.print(
    `${counted(total.requests, 'request')} to ${name} from ${iso(total.first)} to ${iso(total.last)}; the smallest ` +
      `gap was ${total.smallest === null ? 'none' : formatDuration(total.smallest)}.`,
  );
  for (const [code, count] of total.codes) {
    terminal.print(`${formatCount(count).padStart(8)}  ${code}: the URL ${OUTCOMES[code].words}`);
  }
  terminal.print(
    total.faults === 0
      ? 'None came before its delay was over, and robots.txt allowed each of them.'
      : `${formatCount(total.faults)} of them should not have been made: they are marked FAULT.`,
  );
}
