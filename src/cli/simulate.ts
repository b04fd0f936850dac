import { amount, choice, count, type Option, orOff, Refused, share } from '../config/kinds.js';
import { loadConfig } from '../config/load-config.js';
import { frontierOptions, workerCount } from '../embedded/parts.js';
import { UserError } from '../errors.js';
import { simulateLarge } from '../sim/simulation-large.js';
import { simulateMany } from '../sim/simulation-many.js';
import { largeWords, manyWords } from '../sim/simulation-words.js';
import { formatCount, formatDuration } from '../units.js';
import type { Arguments, CommandSpec } from './arguments.js';
import type { ExitCode, World } from './command.js';
import { FRESHNESS_FLAGS, simulateFreshness } from './simulate-freshness.js';

/** What a simulated web is like, and for how long it is crawled. */
const WEB = {
  seed: count(1, 0, 2 ** 32 - 1, 'Decides everything that happens.', { value: 'N' }),
  hosts: count(2_000, 1, 2_000_000, 'Hosts of the web.', { value: 'N' }),
  pages: count(600, 1, 100_000, 'Pages of a host, on average.', { value: 'N' }),
  sizes: choice(
    'spread',
    ['spread', 'equal', 'giant'],
    'Sizes of hosts: few large ones, all alike, or one with nine tenths of all pages.',
  ),
  days: amount(0.05, 0.0001, 30, 'Simulated days.', { value: 'N' }),
  rate: orOff(amount(100, 0.001, 1e6, 'Requests a second that the line carries.', { value: 'N|off' })),
  latency: count(300, 1, 30_000, 'Typical milliseconds of an answer.', { value: 'MS' }),
  locality: share('80%', 'Share of links that stay on their host.', { value: 'SHARE' }),
  errors: share('3%', 'Share of answers that are no page; some hosts are down, too.', { value: 'SHARE' }),
  shared: share('30%', 'Share of hosts at addresses of CDNs and shared hosting.', { value: 'SHARE' }),
  faults: choice('on', ['on', 'off'], 'Late, doubled and lost answers, slow resolvers, workers that die.'),
  crashes: count(1, 0, 1_000, 'How often the crawler is killed.', { value: 'N' }),
};
type Web = { [K in keyof typeof WEB]: (typeof WEB)[K]['initial'] };

/** Many small webs. */
const SMALL = { hosts: 10, pages: 20, crashes: 8 };

export const spec: CommandSpec = {
  name: 'simulate',
  says: 'Crawl a synthetic web on virtual time, with crashes and faults, and check every promise at each step.',
  operands: '',
  mostOperands: 0,
  flags: [
    ...Object.entries(WEB).map(([name, option]: [string, Option<unknown>]) => ({
      name,
      value: option.value ?? option.allowed.replace(/^one of /, '').replaceAll(', ', '|'),
      says: `${option.says} Default: ${option.shown}.`,
    })),
    {
      name: 'seeds',
      value: 'N',
      says: `That many small webs instead, of ${SMALL.hosts} hosts and ${SMALL.pages} pages at most, in whole URLs with robots.txt, redirects and cookies.`,
    },
    ...FRESHNESS_FLAGS,
    { name: 'json', says: 'One line of JSON instead of words.' },
  ],
  options: ['delay', 'budget', 'concurrency', 'workers'],
  examples: [
    ['saunter simulate', 'Two thousand hosts for 1 h 12 min, in some seconds.'],
    ['saunter simulate --hosts 100000 --rate 386 --days 1', 'The rate of a billion pages a month, for a day.'],
    ['saunter simulate --hosts 2000 --sizes giant --rate off', 'How fast hosts can be asked while one has most pages.'],
    ['saunter simulate --freshness', 'Uniform, proportional and optimal revisits, against the closed formulas.'],
    ['saunter simulate --seeds 100', 'A hundred small webs, each with crashes and faults of its own.'],
  ],
  notes: [
    'The frontier, its rebuild after a crash and the options are those of a real crawl; the web, its answers and the time ' +
      'are simulated, and nothing is random but by the seed. When a promise is broken the exit code is 1, and the report ' +
      'ends with the command that shows it again. docs/simulation.md says what is checked.',
  ],
};

export async function run(args: Arguments, world: World): Promise<ExitCode> {
  if (args.flags.has('freshness')) return simulateFreshness(args, world, webOf(args).seed);
  if (args.flags.has('mix')) throw new UserError('--mix goes with --freshness.', 2);
  return args.flags.has('seeds') ? many(args, world) : one(args, world);
}

/** One large web. */
async function one(args: Arguments, { terminal }: World): Promise<ExitCode> {
  const { seed, hosts, pages, sizes, days, rate, latency, locality, errors, shared, faults, crashes } = webOf(args);
  const config = loadConfig({}, args.options);
  if (hosts * pages > 1e9) throw new UserError('A web of over a billion pages: take fewer --hosts or --pages.', 2);
  const duration = days * 86_400_000;
  const workers = workerCount(config); // by default that of this machine: a replay elsewhere needs the number
  const began = performance.now();
  const report = await simulateLarge({
    web: { seed, hosts, pages, sizes, locality, errors, shared, latency },
    frontier: { ...frontierOptions(config), workers },
    uncleanOwe: config['unclean.owe'],
    budget: Number.isFinite(config.budget) ? config.budget : null,
    rate,
    slots: config.concurrency,
    duration,
    faults: faults === 'on',
    crashes,
    onProgress: (time, requests) =>
      terminal.progress(
        `${formatDuration(time)} of ${formatDuration(duration)} · ${formatCount(requests)} requests · ` +
          `${formatCount(Math.round((1000 * requests) / (performance.now() - began)))}/s of real time`,
        performance.now(),
      ),
  });
  terminal.print(args.flags.has('json') ? JSON.stringify(report) : largeWords(report));
  return verdict(report.violation === null, args, terminal, { seed, workers });
}

/** Many small webs. */
async function many(args: Arguments, { terminal }: World): Promise<ExitCode> {
  const known = new Set(['seed', 'seeds', 'hosts', 'pages', 'crashes', 'json']);
  const odd = [...args.flags.keys(), ...Object.keys(args.options)].find((name) => !known.has(name));
  if (odd !== undefined) {
    throw new UserError(
      `--${odd} says nothing about small webs: with --seeds each draws its own. Leave one of them out.`,
      2,
    );
  }
  const given = webOf(args);
  const size = (name: keyof typeof SMALL): number => (args.flags.has(name) ? given[name] : SMALL[name]);
  const seeds = read('seeds', count(100, 1, 1e6, ''), args.flags.get('seeds'));
  const sizes = { hosts: size('hosts'), pages: size('pages'), crashes: size('crashes') };
  const report = await simulateMany({ seed: given.seed, seeds, ...sizes }, (_, so) =>
    terminal.progress(
      `${formatCount(so.seeds)} of ${formatCount(seeds)} seeds, ${so.failed.length} failed`,
      performance.now(),
    ),
  );
  terminal.print(args.flags.has('json') ? JSON.stringify(report) : manyWords(report));
  const [first] = report.failed;
  return verdict(first === undefined, args, terminal, { seed: first?.seed ?? 0, seeds: 1 });
}

/** Says how to see a broken promise again. */
function verdict(
  isKept: boolean,
  args: Arguments,
  terminal: World['terminal'],
  last: Record<string, number>,
): ExitCode {
  if (isKept) return 0;
  terminal.error(`A promise was broken. See it again: ${replay(args, last)}`);
  return 1;
}

/** The same command, with other values for some of its flags. */
export function replay({ flags, options }: Pick<Arguments, 'flags' | 'options'>, last: Record<string, number>): string {
  const given = Object.entries({ ...Object.fromEntries(flags), ...options, ...last });
  const words = given.flatMap(([name, value]) => (name === 'json' ? [] : [`--${name}`, String(value)]));
  return ['saunter simulate', ...words].join(' ');
}

function webOf({ flags }: Arguments): Web {
  const entries = Object.entries(WEB).map(([name, option]) => [name, read<unknown>(name, option, flags.get(name))]);
  return Object.fromEntries(entries);
}

function read<T>(name: string, option: Option<T>, given: string | undefined): T {
  if (given === undefined) return option.initial;
  const value = option.read(given);
  if (value instanceof Refused) throw new UserError(`--${name} "${given}" is not allowed: give ${option.allowed}.`, 2);
  return value;
}
