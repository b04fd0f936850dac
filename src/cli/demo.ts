import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig, userAgent } from '../config/load-config.js';
import type { CrawlProgress } from '../crawl-options.js';
import { PAGE_THREAD } from '../embedded/open.js';
import { runCrawl } from '../embedded/run.js';
import { UserError } from '../errors.js';
import { demoReport, startDemoWeb } from '../sim/demo.js';
import { version } from '../version.js';
import type { Arguments, CommandSpec } from './arguments.js';
import type { ExitCode, World } from './command.js';
import { Live } from './live.js';
import { listening } from './operate.js';

export const spec: CommandSpec = {
  name: 'demo',
  says: 'Crawl a synthetic web on this machine, with live progress; needs no network.',
  operands: '',
  mostOperands: 0,
  flags: [
    { name: 'dir', value: 'DIR', says: 'A new folder for the crawl. Default: ./saunter-demo, begun anew each time.' },
  ],
  options: [],
  examples: [['saunter demo', 'A thousand pages in under a minute.']],
  notes: [
    'The web has duplicates, a mirror, a calendar without end, a slow host, one that answers 429, robots rules and more. ' +
      'It is served on loopback and keeps a log of its own, from which the figures at the end come.',
  ],
};

/** A tenth of the usual delay: everything is on this machine. */
const DELAY = '100ms';
const OWN_DIR = 'saunter-demo';

export const stops = true;

export async function run(args: Arguments, { terminal, signal }: World): Promise<ExitCode> {
  const dir = args.flags.get('dir') ?? OWN_DIR;
  if (!args.flags.has('dir')) rmSync(OWN_DIR, { recursive: true, force: true });
  else if (existsSync(join(dir, 'crawl.sqlite')))
    throw new UserError(
      `${dir} holds a crawl already, and each demo is a web of its own: give another --dir, or none.`,
      2,
    );
  const web = await startDemoWeb();
  terminal.print(`A web of ${web.hosts} hosts is up on loopback. Crawling it, politely, into ${dir}.`);
  try {
    const config = loadConfig(
      {},
      {
        scope: 'any',
        delay: DELAY,
        patience: '5s',
        resolve: [web.resolve],
        'allow-private': ['127.0.0.0/8'],
      },
    );
    const options = { seeds: web.seeds, dir, add: false, config, userAgent: userAgent(version(), null), signal };
    const live = new Live(terminal, dir);
    const ui = {
      progress: (now: CrawlProgress) => live.show(now),
      say: (sentence: string) => terminal.say(sentence),
    };
    const summary = await runCrawl(options, ui, PAGE_THREAD, live.attending(listening(dir, ui)));
    const log = await web.stop();
    terminal.print('');
    terminal.print(demoReport(summary, log, dir, config.delay));
    return signal.aborted ? 130 : summary.pages > 0 ? 0 : 1;
  } catch (error) {
    await web.stop().catch(() => {});
    throw error;
  }
}
