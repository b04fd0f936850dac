/**
 * The crawl bench (DESIGN section 13): the real program, default configuration, on 2,000 loopback hosts without delay;
 * CPU milliseconds per page from fetch to commit, and everything read back at the end.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerProcess } from '../src/sim/server-process.js';
import { measure } from './measure.js';

export interface CrawlBenchOptions {
  readonly hosts: number;
  /** Of each host. */
  readonly pages: number;
  readonly seed: number;
  /** The program and its first arguments. */
  readonly crawler: readonly string[];
  /** More arguments of `crawl`. */
  readonly crawlArgs: readonly string[];
  /** Leaves the crawl's directory where it is, and says where. */
  readonly keep: boolean;
}

export interface CrawlBenchResult {
  readonly pages: number;
  /** CPU of all processes of the crawler, ms per page. */
  readonly cpu: number;
  readonly user: number;
  readonly system: number;
  readonly pagesPerSecond: number;
  readonly seconds: number;
  /** Peak, MiB. */
  readonly rss: number;
  /** CPU of the synthetic server while it served, ms per page: not the crawler's, but on the same cores. */
  readonly serverCpu: number;
  readonly mostAtOncePerHost: number;
  /** CPU of `saunter reparse --all` over the same pages, ms per page. */
  readonly reparse: number;
  /** What was not as it must be; empty if the figures count. */
  readonly faults: readonly string[];
}

/** Runs the bench; prints what it does to standard error. */
export async function crawlBench(options: CrawlBenchOptions): Promise<CrawlBenchResult> {
  const { hosts, pages, seed, crawler, keep } = options;
  const scratch = mkdtempSync(join(tmpdir(), 'saunter-bench-'));
  const dir = join(scratch, 'crawl');
  say(`writing ${hosts} x ${pages} pages`);
  const server = await ServerProcess.start({ web: 'bench', hosts, pages, seed });
  try {
    printFigures(server.ready.figures ?? {});
    const seeds = join(scratch, 'seeds.txt');
    writeFileSync(seeds, `${server.ready.seeds.join('\n')}\n`);
    const flags = ['--seeds', seeds, '--dir', dir, '--resolve', server.ready.resolve];
    flags.push('--allow-private', '127.0.0.0/8', '--delay', '0', '--scope', 'any', '--patience', '2s', '--json');
    flags.push('--contact', 'mailto:bench@example.com', ...options.crawlArgs);

    const before = await server.ask('usage', {});
    const cost = await measure([...crawler, 'crawl', ...flags]);
    const after = await server.ask('usage', {});
    const log = await server.ask('summary', {});
    say('parsing again');
    const reparsed = await measure([...crawler, 'reparse', '--dir', dir, '--all', '--json']);
    say('verifying');
    const verified = await measure([...crawler, 'verify', '--dir', dir]);

    const faults: string[] = [];
    const expect = (right: boolean, fault: string) => right || faults.push(fault);
    expect(cost.code === 0, `crawl ended with exit code ${cost.code}`);
    expect(log.distinctPages === hosts * pages, `${log.distinctPages} of ${hosts * pages} pages were fetched`);
    const held = lastObject(cost.stdout).pages;
    expect(held === hosts * pages, `the crawl holds ${held} pages`);
    expect(log.mostAtOncePerHost <= 1, `a host had ${log.mostAtOncePerHost} requests at once`);
    const { read, changed, failed } = lastObject(reparsed.stdout);
    const isSame = read === hosts * pages && changed === 0 && failed === 0;
    expect(isSame, `reparse read ${read} pages, of which ${changed} came out other than before; ${failed} failed`);
    expect(verified.code === 0, `verify ended with exit code ${verified.code}`);
    const total = hosts * pages;
    return {
      pages: log.distinctPages,
      cpu: (cost.user + cost.system) / total,
      user: cost.user / total,
      system: cost.system / total,
      pagesPerSecond: log.distinctPages / cost.seconds,
      seconds: cost.seconds,
      rss: cost.rss,
      reparse: (reparsed.user + reparsed.system) / total,
      serverCpu: (after.user + after.system - before.user - before.system) / total,
      mostAtOncePerHost: log.mostAtOncePerHost,
      faults,
    };
  } finally {
    await server.stop();
    if (keep) say(`the crawl is in ${dir}`);
    else rmSync(scratch, { recursive: true, force: true });
  }
}

/** The last line, which `--json` makes one object; empty if there is none. */
function lastObject(stdout: string): Record<string, number> {
  try {
    return JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as Record<string, number>;
  } catch {
    return {};
  }
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
