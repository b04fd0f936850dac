/**
 * `npm run bench -- [crawl|parse] [--hosts N] [--pages N] [--seed N] [--max-cpu MS] [--max-rss MIB] [--keep] [--json]
 * [-- MORE CRAWL FLAGS]`. See README.md in this folder.
 */
import { parseArgs } from 'node:util';
import { crawlBench } from './crawl.js';
import { parseBench } from './parse.js';
import { programFile } from './program.js';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    hosts: { type: 'string', default: '2000' },
    pages: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    'max-cpu': { type: 'string', default: '2.5' },
    'max-rss': { type: 'string', default: '500' },
    crawler: { type: 'string', default: programFile },
    keep: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

const [bench = 'crawl', ...crawlArgs] = positionals;
if (bench === 'parse') {
  const { pages, stages } = await parseBench(Number(flags.seed));
  for (const [name, cost] of Object.entries(stages))
    process.stdout.write(`${cost.toFixed(3)} ms CPU a page: ${name}\n`);
  process.stdout.write(`${pages} pages\n`);
  process.exit(0);
}
if (bench !== 'crawl') {
  process.stderr.write(`There is no bench "${bench}": choose crawl or parse.\n`);
  process.exit(2);
}

const result = await crawlBench({
  hosts: Number(flags.hosts),
  pages: Number(flags.pages),
  seed: Number(flags.seed),
  crawler: [process.execPath, flags.crawler],
  crawlArgs,
  keep: flags.keep,
});
const faults = [...result.faults];
const { cpu, user, system, rss } = result;
if (!(cpu <= Number(flags['max-cpu']))) faults.push(`${cpu.toFixed(2)} ms CPU a page is over ${flags['max-cpu']}`);
if (!(rss <= Number(flags['max-rss']))) faults.push(`${rss.toFixed(0)} MiB is over ${flags['max-rss']}`);

if (flags.json) {
  process.stdout.write(`${JSON.stringify({ ...result, faults })}\n`);
} else {
  process.stdout.write(
    [
      `${cpu.toFixed(2)} ms CPU a page (user ${user.toFixed(2)}, system ${system.toFixed(2)}), ${result.pages} pages`,
      `${result.pagesPerSecond.toFixed(0)} pages/s over ${result.seconds.toFixed(1)} s; at most ${rss.toFixed(0)} MiB`,
      `beside it the synthetic server took ${result.serverCpu.toFixed(2)} ms a page; at most ${result.mostAtOncePerHost} request at once on a host`,
      ...faults.map((fault) => `FAULT: ${fault}`),
      '',
    ].join('\n'),
  );
}
process.exitCode = faults.length === 0 ? 0 : 1;
