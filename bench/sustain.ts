/**
 * `npm run bench -- sustain`: a polite crawl at a steady rate for minutes, beside its server. The rate comes from the
 * delays alone: so many hosts, each asked once a second. The rule of ten times the fetch time is off, or the rate would
 * depend on how busy the machine is.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CrawlRun, type CrawlRunOptions, crawlRun, type LoopDelay } from './crawl-run.js';

export interface SustainOptions extends Omit<CrawlRunOptions, 'hosts' | 'pages' | 'crawlArgs'> {
  /** Pages a second. */
  readonly rate: number;
  readonly minutes: number;
  readonly crawlArgs: readonly string[];
  readonly keep: boolean;
}

export interface SustainResult {
  readonly pages: number;
  readonly seconds: number;
  readonly pagesPerSecond: number;
  /** CPU of the crawler, ms a page; and of the server. */
  readonly cpu: number;
  readonly serverCpu: number;
  /** Share of all cores that neither crawler nor server took. */
  readonly idle: number;
  /** Peak, MiB. */
  readonly rss: number;
  readonly main: LoopDelay;
  readonly workers: LoopDelay;
  readonly faults: readonly string[];
}

/** What DESIGN asks of two cores (issue "Performance"): half of the CPU idle, MiB, ms. */
const LEAST_IDLE = 0.5;
const MOST_MIB = 600e6 / 2 ** 20;
const MOST_DELAY = 50;
/** The delay of each host, s: the default. */
const DELAY = 1;
/** A period is the delay and the time of a fetch, and timers come late: so many more hosts than the rate needs. */
const SPARE = 1.06;

/** Runs it once. */
export async function sustainBench(options: SustainOptions): Promise<SustainResult> {
  const { rate, minutes, keep } = options;
  const hosts = Math.ceil(rate * DELAY * SPARE);
  const scratch = mkdtempSync(join(tmpdir(), 'saunter-sustain-'));
  const config = join(scratch, 'config.json');
  writeFileSync(config, JSON.stringify({ 'politeness.factor': 0 }));
  try {
    const run = await crawlRun(
      {
        ...{ ...options, web: 'pool', hosts, pages: Math.ceil((minutes * 60) / DELAY) },
        crawlArgs: ['--delay', `${DELAY}s`, '--max-duration', `${minutes}m`, '--config', config, ...options.crawlArgs],
      },
      scratch,
    );
    return judge(run, options);
  } finally {
    if (keep) process.stderr.write(`the crawl is in ${scratch}\n`);
    else rmSync(scratch, { recursive: true, force: true });
  }
}

function judge({ cost, log, serverCpu, main, workers, summary }: CrawlRun, { rate }: SustainOptions): SustainResult {
  const own = cost.user + cost.system;
  const pages = log.distinctPages;
  const seconds = summary.seconds ?? cost.seconds;
  const idle = 1 - (own + serverCpu) / (cost.seconds * 1000 * availableParallelism());
  const result = {
    ...{ pages, seconds, pagesPerSecond: pages / seconds, cpu: own / pages, serverCpu: serverCpu / pages, idle },
    ...{ rss: cost.rss, main, workers },
  };
  const faults: string[] = [];
  if (cost.code !== 0) faults.push(`crawl ended with exit code ${cost.code}`);
  if (log.mostAtOncePerHost > 1) faults.push(`a host had ${log.mostAtOncePerHost} requests at once`);
  if (result.pagesPerSecond < rate) faults.push(`${result.pagesPerSecond.toFixed(1)} pages/s is under ${rate}`);
  if (idle < LEAST_IDLE) faults.push(`${(idle * 100).toFixed(0)}% idle is under ${LEAST_IDLE * 100}%`);
  if (cost.rss > MOST_MIB) faults.push(`${cost.rss.toFixed(0)} MiB is over ${MOST_MIB.toFixed(0)}`);
  if (main.p99 > MOST_DELAY) faults.push(`timers ${main.p99.toFixed(0)} ms late (p99) are over ${MOST_DELAY}`);
  const tightest = log.tightestHost?.smallestGap ?? DELAY * 1000;
  if (tightest < DELAY * 1000) faults.push(`a host was asked again after ${tightest.toFixed(0)} ms`);
  return { ...result, faults };
}
