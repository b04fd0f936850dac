import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { checkWorkers, userAgent } from '../config/load-config.js';
import type { CrawlOptions, CrawlProgress, FetchHook } from '../crawl-options.js';
import type { OpenedCrawl } from '../embedded/open.js';
import type { VisitOutcome } from '../embedded/outcomes.js';
import type { Attendant } from '../embedded/run.js';
import { UserError } from '../errors.js';
import type { Score } from '../frontier/score.js';
import { version } from '../version.js';
import { announced } from './announce.js';
import { type Arguments, type CommandSpec, OPTIONS_WITH_FLAGS } from './arguments.js';
import type { ExitCode, World } from './command.js';
import { CONFIG_FLAG, type Configured, configured } from './configured.js';
import { closedHosts, type End, endWords, openingHint } from './ending.js';
import { Live } from './live.js';
import { directoryOf, readSeeds } from './seeds.js';
import { allBlocked, BLOCKED, reasonForNothing, summaryText } from './summary.js';

export const spec: CommandSpec = {
  name: 'crawl',
  says: 'Crawl from seeds, politely, into a directory; the same command goes on where it stopped.',
  operands: '[seed...]',
  mostOperands: Number.POSITIVE_INFINITY,
  flags: [
    { name: 'seeds', value: 'FILE', says: 'Seeds from a file, one on a line; - for standard input.' },
    { name: 'dir', value: 'DIR', says: 'Where the crawl lives. Default: ./saunter- and the host of the first seed.' },
    { name: 'add', says: 'Let these seeds join a crawl that was begun with others.' },
    CONFIG_FLAG,
    { name: 'json', says: 'End with one line of JSON on standard output instead of words.' },
  ],
  options: OPTIONS_WITH_FLAGS,
  fileOptions: 'named',
  examples: [
    ['saunter crawl https://example.org/ --contact me@example.org', 'Everything on example.org and its subdomains.'],
    [
      'saunter crawl https://example.org/docs/ --scope prefix --max-pages 500 --contact me@example.org',
      'At most 500 pages below /docs/.',
    ],
    [
      'saunter crawl --seeds list.txt --scope host --max-duration 2h --dir news --contact https://example.org/bot',
      'The hosts of a list, for two hours; the same command again goes on.',
    ],
    [
      'saunter crawl http://127.0.0.1:8000/ --allow-private 127.0.0.0/8 --delay 0',
      'A site on this machine, without waiting.',
    ],
  ],
  notes: [
    'Ctrl-C stops cleanly, and the same command goes on. A crawl that leaves this machine needs --contact, so that the ' +
      'owners of sites know whom to ask. Progress and remarks are for terminals: where standard error is none, one line ' +
      'says that the crawl begins, and saunter status --dir DIR tells how far it is. Exit codes: 0 the crawl has pages, 1 it has none, 2 wrong usage, 130 interrupted.',
  ],
};

export const stops = true;

export async function run(args: Arguments, world: World): Promise<ExitCode> {
  const { terminal } = world;
  const setUp = await configured(args, terminal);
  const options = await crawlOptions(args, world, setUp);
  terminal.say(`Crawling into ${options.dir}. Ctrl-C stops cleanly.`);
  // Loaded here, not above: --help needs none of it.
  const [{ runCrawl }, { PAGE_THREAD }, { listening }, { administered }, { observed }] = await Promise.all([
    import('../embedded/run.js'),
    import('../embedded/open.js'),
    import('./operate.js'),
    import('./admin.js'),
    import('./observing.js'),
  ]);
  let words = '';
  let closed: string[] = [];
  let crawl: OpenedCrawl | null = null;
  const live = new Live(terminal, options.dir);
  const ui = {
    progress: (now: CrawlProgress) => live.show(now),
    say: (sentence: string) => terminal.say(sentence),
    ended: (end: End) => {
      words = endWords(end, crawl, options.config.patience);
      // what was refused is told where no page came at all
      closed = crawl === null || crawl.tally.pages > 0 ? [] : closedHosts(crawl);
    },
  };
  const opening = (opened: OpenedCrawl): void => {
    crawl = opened;
  };
  const remark = (sentence: string): void => terminal.error(sentence);
  const summary = await runCrawl(
    options,
    ui,
    PAGE_THREAD,
    hearing(
      setUp,
      announced(
        options,
        terminal,
        opening,
        live.attending(observed(options, remark, administered(options, remark, listening(options.dir, ui)))),
      ),
    ),
  );
  if (args.flags.get('seeds') === '-') world.stdin.destroy(); // stopped before its end, it would keep the process alive
  terminal.print(
    args.flags.has('json')
      ? JSON.stringify(summary)
      : `${allBlocked(summary) && !world.signal.aborted ? `${BLOCKED}\n` : words}${summaryText(summary, existsSync(join(options.dir, 'crawl.sqlite')) ? options.dir : null)}`,
  );
  if (world.signal.aborted) {
    terminal.error(`Stopped. To go on: saunter crawl --dir ${options.dir} with the same options.`);
    return 130;
  }
  if (summary.pages > 0) return 0;
  terminal.error(reasonForNothing(summary, openingHint(closed, options.config.allowPrivate)));
  return 1;
}

/** The arguments of `crawl`, read and checked. */
async function crawlOptions(
  args: Arguments,
  world: Pick<World, 'stdin' | 'signal'>,
  { config, functions }: Configured,
): Promise<CrawlOptions> {
  checkWorkers(config, availableParallelism());
  const { first, seeds, digest } = await readSeeds(args.operands, args.flags.get('seeds') ?? null, world.stdin);
  const dir = args.flags.get('dir') ?? (first === null ? null : directoryOf(first));
  if (dir === null || (first === null && !existsSync(join(dir, 'crawl.sqlite')))) {
    throw new UserError(
      dir === null
        ? 'There is no seed: give a URL to start from, such as https://example.org/, or --seeds FILE.'
        : `There is no seed, and ${dir} holds no crawl to go on with: give a URL to start from.`,
      2,
    );
  }
  return {
    seeds,
    seedsDigest: digest,
    dir,
    add: args.flags.has('add'),
    config,
    userAgent: userAgent(version(), config.contact),
    ...(functions.score && { score: functions.score as Score }),
    ...(functions.fetch && { fetch: functions.fetch as FetchHook }),
    signal: world.signal,
  };
}

/** Lets the hook of a config file hear how visits ended. */
function hearing({ functions: { outcome } }: Configured, also: Attendant): Attendant {
  if (outcome === undefined) return also;
  return async (opened) => {
    const { hearOutcomes } = await import('../embedded/outcomes.js');
    hearOutcomes(opened, outcome as (outcome: VisitOutcome) => void);
    return also(opened);
  };
}
