/** `npm run bench -- cores`: the whole crawl on 1 to N cores, the server on those that are left (or on all, if none is). */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { faultsOf } from './crawl.js';
import { type CrawlRunOptions, crawlRun } from './crawl-run.js';

/** One row of the table. */
export interface CoresRow {
  readonly cores: number;
  readonly workers: number;
  readonly serverCores: number;
  /** CPU of the crawler, ms a page. */
  readonly cpu: number;
  readonly pagesPerSecond: number;
  readonly rss: number;
  /** p99 of how late the main thread's timers came, ms. */
  readonly loopDelay: number;
  readonly faults: readonly string[];
}

/** As many workers as cores, and on one core also two; by `taskset`, which is Linux only. */
export async function coresBench(
  options: Omit<CrawlRunOptions, 'cores'>,
  report: (row: CoresRow) => void,
): Promise<boolean> {
  const all = availableParallelism();
  let isGood = true;
  for (let cores = 1; cores <= all; cores++) {
    for (const workers of cores === 1 ? [1, 2] : [cores]) {
      const scratch = mkdtempSync(join(tmpdir(), 'saunter-cores-'));
      try {
        const left = cores < all ? `${cores}-${all - 1}` : `0-${all - 1}`;
        const run = await crawlRun(
          {
            ...options,
            crawlArgs: ['--workers', String(workers), ...options.crawlArgs],
            cores: { crawler: `0-${cores - 1}`, server: left },
          },
          scratch,
        );
        const { cost, log, main } = run;
        const faults = faultsOf(run, options.hosts * options.pages);
        isGood &&= faults.length === 0;
        report({
          ...{ cores, workers, serverCores: cores < all ? all - cores : all, faults, rss: cost.rss },
          cpu: (cost.user + cost.system) / log.distinctPages,
          pagesPerSecond: log.distinctPages / cost.seconds,
          loopDelay: main.p99,
        });
      } finally {
        rmSync(scratch, { recursive: true, force: true });
      }
    }
  }
  return isGood;
}
