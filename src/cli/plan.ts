import { totalmem } from 'node:os';
import { systemClock } from '../engines/system.js';
import { UserError } from '../errors.js';
import type { Arguments, CommandSpec } from './arguments.js';
import type { ExitCode, World } from './command.js';
import { figuresOf } from './plan-figures.js';
import { INPUT_NAMES, INPUTS, type Inputs, readInputs } from './plan-inputs.js';
import { planText, type Warning, warningsOf } from './plan-words.js';

/** Inputs that a crawl's rows do not tell. */
const OF_A_CRAWL = ['delay', 'back-queues'] as const;

export const spec: CommandSpec = {
  name: 'plan',
  says: 'What a crawl takes: rate, hosts, memory, disk, bandwidth, machines, and what to beware of.',
  operands: '',
  mostOperands: 0,
  flags: [
    { name: 'dir', value: 'DIR', says: 'What the crawl in there needs to finish, running or stopped.' },
    { name: 'json', says: 'One line of JSON instead of words.' },
    ...INPUT_NAMES.map((name) => ({
      name,
      value: INPUTS[name].value,
      says: `${INPUTS[name].says} Default: ${INPUTS[name].initial}.`,
    })),
  ],
  options: [],
  examples: [
    ['saunter plan', 'A billion pages in a month.'],
    ['saunter plan --pages 10B --period 5d --page-size 2MB --link 400Gbps --machines 4', 'The web in five days.'],
    ['saunter plan --pages 1M --hosts 1 --largest-host 1M --period 5d', 'One large site.'],
    ['saunter plan --dir saunter-example.org', 'What is left of a crawl, and how long it takes.'],
  ],
  notes: [
    'With --dir only --delay and --back-queues are asked: the rest is what the crawl has met.',
    'The arithmetic, with its sources, is in docs/plan.md.',
  ],
};

export async function run(args: Arguments, { terminal }: World): Promise<ExitCode> {
  const inputs = readInputs(args.flags);
  const asJson = args.flags.has('json');
  const dir = args.flags.get('dir');
  if (dir !== undefined) {
    refuseOthers(args.flags);
    const [{ lookInto }, { crawlPlanText, planCrawl }] = await Promise.all([
      import('../embedded/look.js'),
      import('./plan-crawl.js'),
    ]);
    const plan = await lookInto(dir, (reader, paths) => planCrawl(reader, paths, inputs, systemClock.wall()));
    terminal.print(asJson ? JSON.stringify(plan) : withWarnings(crawlPlanText(plan), plan.warnings));
    return 0;
  }
  const figures = figuresOf(inputs);
  const warnings = warningsOf(inputs, figures, totalmem());
  terminal.print(
    asJson
      ? JSON.stringify({ inputs: stated(inputs), figures, warnings })
      : withWarnings(planText(inputs, figures), warnings),
  );
  return 0;
}

/** Of a crawl that is there, most inputs are facts. */
function refuseOthers(flags: ReadonlyMap<string, string>): void {
  const other = INPUT_NAMES.find((name) => flags.has(name) && !(OF_A_CRAWL as readonly string[]).includes(name));
  if (other === undefined) return;
  const taken = OF_A_CRAWL.map((name) => `--${name}`).join(' and ');
  throw new UserError(`--${other} is for a crawl that has not begun; with --dir only ${taken} are asked.`, 2);
}

const withWarnings = (text: string, warnings: readonly Warning[]): string =>
  [text, ...(warnings.length > 0 ? [''] : []), ...warnings.map(({ says }) => `! ${says}`)].join('\n');

/** In JSON, what is left open is null. */
const stated = (inputs: Inputs): Record<string, number | null> =>
  Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, Number.isNaN(value) ? null : value]));
