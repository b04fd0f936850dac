import type { HostEventRow } from '../changes.js';
import { userAgent } from '../config/load-config.js';
import { type AuditLine, audit, deniedUnasked, findHost, hostEvents, linkedFrom } from '../corpus/audit.js';
import { lookInto } from '../embedded/look.js';
import { notMet } from '../embedded/operate.js';
import { productToken } from '../embedded/parts.js';
import { systemClock } from '../engines/system.js';
import { OUTCOMES } from '../errors.js';
import { counted, formatCount } from '../units.js';
import { compileGlob } from '../url/glob.js';
import { version } from '../version.js';
import type { Arguments, CommandSpec } from './arguments.js';
import { hostOperand } from './block.js';
import { DIR_FLAG, type ExitCode, requireDir, type World } from './command.js';
import { cleanLine, type Terminal } from './terminal.js';
import { timeOf } from './times.js';

export const spec: CommandSpec = {
  name: 'audit',
  says: 'Every request ever made to a host: when, how long after the last one, what came, and which rule allowed it.',
  operands: 'HOST',
  mostOperands: 1,
  flags: [
    DIR_FLAG,
    {
      name: 'from',
      value: 'TIME',
      says: 'Only requests since then: 2026-01-31, 2026-01-31T09:00+01:00, or 7d for ago.',
    },
    { name: 'to', value: 'TIME', says: 'Only requests before then.' },
    { name: 'path', value: 'GLOB', says: 'Only requests whose path, with its query, matches, such as /shop/*.' },
    { name: 'json', says: 'JSON lines, one a request.' },
  ],
  options: [],
  examples: [
    ['saunter audit www.example.org --dir saunter-example.org', 'The answer to a complaint of its owner.'],
    [
      "saunter audit www.example.org --dir saunter-example.org --json | jq 'select(.status == 429)'",
      'When it asked us to slow down. Also while the crawl runs.',
    ],
    [
      'saunter audit www.example.org --dir saunter-example.org --from 2026-01-31T09:00+01:00 --to 2026-01-31T10:00+01:00',
      'What was asked in one hour of its owner.',
    ],
  ],
  notes: [
    'Times are UTC; one that is given without an offset is taken for UTC, too. Of each page is told which page linked to it first.',
    'robots.txt is matched anew for each request, as it was in force then. Exit code 1 if a request came before its ' +
      'delay was over, or was forbidden.',
  ],
};

export async function run(args: Arguments, { terminal, signal }: World): Promise<ExitCode> {
  const name = hostOperand(args);
  const agent = productToken(userAgent(version(), null));
  const asJson = args.flags.has('json');
  const isWanted = wanted(args);
  return lookInto(requireDir(args), async (reader) => {
    const host = findHost(reader, name);
    const asked = new Set<number>();
    if (host < 0) throw notMet(name);
    const total = new Total(['from', 'to', 'path'].some((name) => args.flags.has(name)));
    for (const line of audit(reader, host, agent)) {
      if (terminal.closed) return 0;
      if (signal.aborted) return 130;
      asked.add(line.url);
      if (!isWanted(line.started, line.target)) continue;
      total.add(line);
      const via = linkedFrom(reader, line.url);
      await terminal.printOne(asJson ? JSON.stringify(record(line, via)) : words(line, via));
    }
    if (asJson) return total.faults > 0 ? 1 : 0;
    conclude(
      name,
      total,
      hostEvents(reader, host).filter(({ at }) => isWanted(at, null)),
      terminal,
    );
    const denied = deniedUnasked(reader, host, asked);
    if (denied > 0) {
      const many = counted(denied, 'URL was', 'URLs were');
      terminal.print(
        `${many} denied by robots.txt and never asked for: saunter list urls --dir ${args.flags.get('dir')} | grep ^denied`,
      );
    }
    return total.faults > 0 ? 1 : 0;
  });
}

/** What `--from`, `--to` and `--path` leave; of an event, which has no path, only its time counts. */
function wanted({ flags }: Arguments): (at: number, target: string | null) => boolean {
  const now = systemClock.wall();
  const from = timeOf(flags, 'from', now) ?? Number.NEGATIVE_INFINITY;
  const to = timeOf(flags, 'to', now) ?? Number.POSITIVE_INFINITY;
  const path = flags.get('path');
  const matches = path === undefined ? () => true : compileGlob(path);
  return (at, target) => at >= from && at < to && (target === null || matches(pathOf(target)));
}

const pathOf = (target: string): string => target.replace(/^[a-z]+:\/\/[^/?#]*/i, '');

const iso = (at: number): string => new Date(at).toISOString();

/** One line of `--json`. Times as in the rest of the program's output; gaps and delays in ms. */
function record(line: AuditLine, via: string | null): Record<string, unknown> {
  const { started, ended, code, url: _, ...rest } = line;
  return { at: iso(started), ...rest, code, ms: ended - started, via };
}

function words(line: AuditLine, via: string | null): string {
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
    via === null ? '' : `linked from ${via}`,
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
  /** Only some requests are asked about. */
  readonly isPart: boolean;

  constructor(isPart: boolean) {
    this.isPart = isPart;
  }

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
    terminal.print(total.isPart ? `No such request was made to ${name}.` : `No request was ever made to ${name}.`);
    return;
  }
  terminal.print(
    `${counted(total.requests, 'request')} to ${name} from ${iso(total.first)} to ${iso(total.last)}; the smallest ` +
      `gap was ${total.smallest === null ? 'none' : `${formatCount(total.smallest)} ms`}. Times are UTC.`,
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
