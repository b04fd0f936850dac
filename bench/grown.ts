/**
 * `npm run bench -- grown`: what a page costs, whole, when 1 or 100 million URLs are known already: the crawl bench by the
 * real program in a directory with so many rows, whose hosts a block list holds back. See README.md.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type CrawlRunOptions, crawlRun } from './crawl-run.js';
import { makeGrown } from './restart.js';

export interface GrownOptions extends CrawlRunOptions {
  /** Known URLs, ascending. */
  readonly sizes: readonly number[];
  /** Directories that `bench -- restart --keep` has left, one for each size, which then need not be filled. */
  readonly dirs: readonly string[];
  /** Visited pages among the known, percent. */
  readonly share: number;
  /** Hosts of the known URLs. */
  readonly knownHosts: number;
  readonly say: (line: string) => void;
}

/** The cost grows by at most so much from the smallest size to the largest (step 8). */
const GROWTH = 1.3;

/** Runs it; true if the cost grows by no more than it may. */
export async function grownBench(options: GrownOptions): Promise<boolean> {
  const costs: number[] = [];
  for (const [i, urls] of options.sizes.entries()) {
    const given = options.dirs[i] || undefined;
    const scratch = mkdtempSync(resolve('saunter-grown-'));
    try {
      const dir = given ?? join(scratch, 'grown');
      if (given === undefined) await fill(dir, urls, options);
      const cost = await crawlIn(dir, scratch, options);
      if (cost === null) return false;
      costs.push(cost);
      options.say(
        `${urls / 1e6} million known URLs: ${cost.toFixed(2)} ms CPU a page, after the first quarter and until all are fetched`,
      );
    } finally {
      rmSync(scratch, { recursive: true });
    }
  }
  const growth = costs.at(-1)! / costs[0]!;
  options.say(`the whole cost of a page grows by ${growth.toFixed(2)}; at most ${GROWTH} is allowed`);
  return growth <= GROWTH;
}

const fill = (dir: string, urls: number, { share, knownHosts, say }: GrownOptions): Promise<void> =>
  makeGrown(dir, { urls, pages: (urls * share) / 100, hosts: knownHosts, say });

/** Null if not every page was fetched. */
async function crawlIn(dir: string, scratch: string, options: GrownOptions): Promise<number | null> {
  const [list, config] = [join(scratch, 'blocked.txt'), join(scratch, 'config.json')];
  const names = Array.from({ length: options.knownHosts + 1 }, (_, host) => `site${host}.example`);
  writeFileSync(list, `${names.join('\n')}\n`);
  writeFileSync(config, JSON.stringify({ blocklist: [list] }));
  const crawlArgs = ['--add', '--config', config, ...options.crawlArgs];
  const { cost, log, warmCpu } = await crawlRun({ ...options, crawlArgs, dir, isWarmToTheEnd: false }, scratch);
  const total = options.hosts * options.pages;
  if (cost.code === 0 && log.distinctPages === total) return warmCpu;
  options.say(`FAULT: ${log.distinctPages} of ${total} pages were fetched, exit code ${cost.code}`);
  return null;
}
