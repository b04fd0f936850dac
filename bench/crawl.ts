/**
 * The crawl bench (DESIGN section 13): the real program, default configuration, on 2,000 loopback hosts without delay;
 * CPU milliseconds per page from fetch to commit, and everything read back at the end.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CrawlRun, type CrawlRunOptions, crawlRun, type LoopDelay, lastObject } from './crawl-run.js';
import { measure } from './measure.js';
import { type Stage, stagesOf } from './stages.js';

export interface CrawlBenchOptions extends CrawlRunOptions {
  /** A second crawl is made under the profiler, to see which stages the CPU goes to. */
  readonly hasStages: boolean;
  /** Leaves the crawl's directory where it is, and says where. */
  readonly keep: boolean;
}

export interface CrawlBenchResult {
  readonly pages: number;
  /** CPU of all processes of the crawler, ms per page. */
  readonly cpu: number;
  /** {@link CrawlRun.warmCpu} */
  readonly warmCpu: number;
  readonly user: number;
  readonly system: number;
  readonly pagesPerSecond: number;
  readonly seconds: number;
  /** Peak, MiB. */
  readonly rss: number;
  /** Of the main thread, and of the page worker that came off worst. */
  readonly main: LoopDelay;
  readonly workers: LoopDelay;
  /** CPU of the synthetic server while it served, ms per page: not the crawler's, but on the same cores. */
  readonly serverCpu: number;
  readonly mostAtOncePerHost: number;
  /** CPU of `saunter reparse --all` over the same pages, ms per page. */
  readonly reparse: number;
  /** Of the second crawl; empty if there was none. */
  readonly stages: readonly Stage[];
  /** What was not as it must be; empty if the figures count. */
  readonly faults: readonly string[];
}

/** Runs the bench; prints what it does to standard error. */
export async function crawlBench(options: CrawlBenchOptions): Promise<CrawlBenchResult> {
  const { hosts, pages, crawler, keep } = options;
  const total = hosts * pages;
  const scratch = mkdtempSync(join(tmpdir(), 'saunter-bench-'));
  try {
    say(`writing ${hosts} x ${pages} pages, then crawling them`);
    const run = await crawlRun(options, scratch);
    const { cost, log } = run;
    printFigures(run.figures);
    say('parsing again');
    const reparsed = await measure([...crawler, 'reparse', '--dir', run.dir, '--all', '--json']);
    say('verifying');
    const verified = await measure([...crawler, 'verify', '--dir', run.dir]);
    const faults = faultsOf(run, total);
    const { read, changed, failed } = lastObject(reparsed.stdout);
    const isSame = read === total && changed === 0 && failed === 0;
    if (!isSame) faults.push(`reparse read ${read} pages: ${changed} came out other than before, ${failed} failed`);
    if (verified.code !== 0) faults.push(`verify ended with exit code ${verified.code}`);
    return {
      pages: log.distinctPages,
      ...{ cpu: (cost.user + cost.system) / total, user: cost.user / total, system: cost.system / total },
      ...{ pagesPerSecond: log.distinctPages / cost.seconds, seconds: cost.seconds, rss: cost.rss },
      ...{ main: run.main, workers: run.workers, warmCpu: run.warmCpu },
      reparse: (reparsed.user + reparsed.system) / total,
      serverCpu: run.serverCpu / total,
      mostAtOncePerHost: log.mostAtOncePerHost,
      stages: options.hasStages ? await stages(options, scratch) : [],
      faults,
    };
  } finally {
    if (keep) say(`the crawl is in ${scratch}`);
    else rmSync(scratch, { recursive: true, force: true });
  }
}

/** What a whole crawl without delays must have done. */
export function faultsOf({ cost, log, summary }: CrawlRun, total: number): string[] {
  const faults: string[] = [];
  if (cost.code !== 0) faults.push(`crawl ended with exit code ${cost.code}`);
  if (log.distinctPages !== total) faults.push(`${log.distinctPages} of ${total} pages were fetched`);
  if (summary.pages !== total) faults.push(`the crawl holds ${summary.pages} pages`);
  if (log.mostAtOncePerHost > 1) faults.push(`a host had ${log.mostAtOncePerHost} requests at once`);
  return faults;
}

async function stages(options: CrawlRunOptions, scratch: string): Promise<readonly Stage[]> {
  say('crawling once more under the profiler');
  const folder = join(scratch, 'profiled');
  const profiles = join(folder, 'profiles');
  mkdirSync(profiles, { recursive: true });
  await crawlRun({ ...options, profiles }, folder);
  return stagesOf(profiles);
}

function printFigures(figures: Readonly<Record<string, number>>): void {
  const { bytes = 0, gzipBytes = 0, anchors, tags, words, distance } = figures;
  const kilobytes = (value: number) => `${(value / 1000).toFixed(1)} KB`;
  say(
    `pages: mean ${kilobytes(bytes)}, ${kilobytes(gzipBytes)} as sent; at least ${anchors} anchors and ${tags} tags; ${words} different words; no two nearer than ${distance} simhash bits`,
  );
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
