/**
 * `npm run bench -- [crawl|parse|simhash|scale|restart|seen] [--hosts N] [--pages N] [--seed N] [--max-cpu MS] [--max-rss MIB] [--max-reparse MS] [--keep] [--json]
 * [-- MORE CRAWL FLAGS]`. See README.md in this folder.
 */
import { parseArgs } from 'node:util';
import { crawlBench } from './crawl.js';
import { parseBench } from './parse.js';
import { peersBench } from './peers/bench.js';
import { programFile } from './program.js';
import { restartBench } from './restart.js';
import { scaleBench } from './scale.js';
import { seenBench } from './seen.js';
import { simhashBench } from './simhash.js';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    hosts: { type: 'string', default: '2000' },
    pages: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    'max-cpu': { type: 'string', default: '2.5' },
    'max-rss': { type: 'string', default: '500' },
    'max-reparse': { type: 'string', default: '1' },
    crawler: { type: 'string', default: programFile },
    urls: { type: 'string', default: '1,10,100' },
    share: { type: 'string', default: '10' },
    latency: { type: 'string' },
    only: { type: 'string', default: '' },
    parts: { type: 'string', default: 'race,kill' },
    rounds: { type: 'string', default: '1' },
    laps: { type: 'string' },
    record: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

const [bench = 'crawl', ...crawlArgs] = positionals;

/** Each prints its figures; true if they are as good as they must be. */
const BENCHES: Readonly<Record<string, () => Promise<boolean>>> = {
  crawl,
  parse,
  simhash,
  scale,
  restart,
  seen,
  peers,
};

if (!Object.hasOwn(BENCHES, bench)) {
  process.stderr.write(`There is no bench "${bench}": choose ${Object.keys(BENCHES).join(', ')}.\n`);
  process.exit(2);
}
process.exitCode = (await BENCHES[bench]()) ? 0 : 1;

async function parse(): Promise<boolean> {
  const { pages, stages } = await parseBench(Number(flags.seed));
  for (const [name, cost] of Object.entries(stages)) say(`${cost.toFixed(3)} ms CPU a page: ${name}`);
  say(`${pages} pages`);
  return true;
}

async function simhash(): Promise<boolean> {
  simhashBench((cost) => {
    const what = `${cost.pages / 1e6} million pages, ${cost.blocks} blocks`;
    if (!('query' in cost)) say(`${what}: left out, there is not enough free memory`);
    else {
      const { query, add, bytesPerPage } = cost;
      say(
        `${what}: ${query.toFixed(1)} us a query, ${add.toFixed(1)} us to add, ${bytesPerPage.toFixed(0)} bytes a page`,
      );
    }
  });
  return true;
}

async function scale(): Promise<boolean> {
  const sizes = flags.urls.split(',').map((millions) => Number(millions) * 1e6);
  return scaleBench({ sizes, hosts: 100_000, pages: 1e6, sample: 200_000, say });
}

async function restart(): Promise<boolean> {
  for (const millions of flags.urls.split(',').map(Number)) {
    const urls = millions * 1e6;
    const pages = (urls * Number(flags.share)) / 100;
    if (!(await restartBench({ urls, pages, hosts: 100_000, keep: flags.keep, say }))) return false;
  }
  return true;
}

async function seen(): Promise<boolean> {
  return seenBench(say);
}

async function peers(): Promise<boolean> {
  return peersBench({
    ...{ hosts: Number(flags.hosts), pages: Number(flags.pages), seed: Number(flags.seed) },
    ...(flags.latency === undefined ? {} : { latency: flags.latency }),
    ...(flags.laps === undefined ? {} : { laps: flags.laps }),
    ...{ rounds: Number(flags.rounds), only: flags.only, parts: flags.parts, isRecorded: flags.record, say },
  });
}

async function crawl(): Promise<boolean> {
  const result = await crawlBench({
    hosts: Number(flags.hosts),
    pages: Number(flags.pages),
    seed: Number(flags.seed),
    crawler: [process.execPath, flags.crawler],
    crawlArgs,
    keep: flags.keep,
  });
  const faults = [...result.faults];
  const { cpu, user, system, rss, reparse } = result;
  if (!(cpu <= Number(flags['max-cpu']))) faults.push(`${cpu.toFixed(2)} ms CPU a page is over ${flags['max-cpu']}`);
  if (!(rss <= Number(flags['max-rss']))) faults.push(`${rss.toFixed(0)} MiB is over ${flags['max-rss']}`);
  const most = Number(flags['max-reparse']);
  if (!(reparse <= most)) faults.push(`${reparse.toFixed(2)} ms CPU a page is over ${most} for reparse`);
  if (flags.json) say(JSON.stringify({ ...result, faults }));
  else {
    say(
      `${cpu.toFixed(2)} ms CPU a page (user ${user.toFixed(2)}, system ${system.toFixed(2)}), ${result.pages} pages`,
    );
    say(
      `${result.pagesPerSecond.toFixed(0)} pages/s over ${result.seconds.toFixed(1)} s; at most ${rss.toFixed(0)} MiB`,
    );
    say(
      `beside it the synthetic server took ${result.serverCpu.toFixed(2)} ms a page; at most ${result.mostAtOncePerHost} request at once on a host`,
    );
    say(`${reparse.toFixed(2)} ms CPU a page to parse them again from the archive`);
    for (const fault of faults) say(`FAULT: ${fault}`);
  }
  return faults.length === 0;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
