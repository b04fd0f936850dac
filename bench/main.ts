/** `npm run bench -- [NAME] [flags] [-- MORE CRAWL FLAGS]`: see README.md in this folder. */
import { parseArgs } from 'node:util';
import { archiveBench } from './archive.js';
import { coresBench } from './cores.js';
import { crawlBench } from './crawl.js';
import { CORES_HEAD, coresWords, crawlWords, sustainWords } from './crawl-words.js';
import { dashboardBench } from './dashboard.js';
import { fetchBench } from './fetch.js';
import { grownBench } from './grown.js';
import { parseBench, textBench } from './parse.js';
import { peersBench } from './peers/bench.js';
import { programFile } from './program.js';
import { record } from './record.js';
import { restartBench } from './restart.js';
import { frontierBench, scaleBench } from './scale.js';
import { seenBench } from './seen.js';
import { simhashBench } from './simhash.js';
import { storeBench } from './store.js';
import { sustainBench } from './sustain.js';
import { watchingBench } from './watching.js';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    hosts: { type: 'string' },
    pages: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    https: { type: 'boolean', default: false },
    latency: { type: 'string' },
    stages: { type: 'boolean', default: false },
    'max-cpu': { type: 'string', default: '2.5' },
    'max-warm': { type: 'string', default: '1.5' },
    'max-rss': { type: 'string', default: '500' },
    'max-reparse': { type: 'string', default: '1' },
    crawler: { type: 'string', default: programFile },
    rate: { type: 'string', default: '386' },
    minutes: { type: 'string', default: '10' },
    rows: { type: 'string', default: '200000' },
    urls: { type: 'string' },
    dir: { type: 'string' },
    share: { type: 'string', default: '10' },
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
const seed = Number(flags.seed);
/** What a bench has said, for `--record`. */
const said: string[] = [];

/** Each says its figures; true if they are as good as they must be. */
const BENCHES: Readonly<Record<string, () => Promise<boolean>>> = {
  ...{ crawl, cores, sustain, peers, scale, restart, grown },
  ...{ parse: () => stages(parseBench), text: () => stages(textBench) },
  frontier: async () => frontierBench(scaleOptions('1')),
  seen: async () => seenBench(say),
  ...{
    store: () => storeBench(Number(flags.rows), say),
    archive: () => archiveBench(say),
    fetch: () => fetchBench(say),
  },
  simhash,
  dashboard: () => dashboardBench(say),
  watching: () => watchingBench({ hosts: Number(flags.hosts ?? '300'), pages: Number(flags.pages), seed }, say),
};

if (!Object.hasOwn(BENCHES, bench)) {
  process.stderr.write(`There is no bench "${bench}": choose ${Object.keys(BENCHES).join(', ')}.\n`);
  process.exit(2);
}
process.exitCode = (await BENCHES[bench]!()) ? 0 : 1;
if (flags.record && said.length > 0) record(title(), said);

/** The name of the section of results.md. */
function title(): string {
  const words = [bench];
  if (flags.https) words.push('over TLS');
  if (flags.latency !== undefined) words.push(`answers ${flags.latency} ms late`);
  // the peers' own table says how many pages there were
  if (flags.hosts !== undefined && bench !== 'peers') words.push(`${flags.hosts} hosts x ${flags.pages}`);
  return [...words, ...crawlArgs].join(', ');
}

/** What all benches of a whole crawl have in common. */
function crawlOptions() {
  return {
    ...{ hosts: Number(flags.hosts ?? '2000'), pages: Number(flags.pages), seed, isSecure: flags.https },
    ...(flags.latency === undefined ? {} : { latency: flags.latency }),
    ...{ crawler: [process.execPath, flags.crawler], crawlArgs, keep: flags.keep },
  };
}

async function crawl(): Promise<boolean> {
  const result = await crawlBench({ ...crawlOptions(), hasStages: flags.stages });
  const faults = [...result.faults];
  const { cpu, warmCpu, rss, reparse } = result;
  if (!(cpu <= Number(flags['max-cpu']))) faults.push(`${cpu.toFixed(2)} ms CPU a page is over ${flags['max-cpu']}`);
  const warm = Number(flags['max-warm']);
  if (!(warmCpu <= warm)) faults.push(`${warmCpu.toFixed(2)} ms CPU a page warm is over ${warm}`);
  if (!(rss <= Number(flags['max-rss']))) faults.push(`${rss.toFixed(0)} MiB is over ${flags['max-rss']}`);
  const most = Number(flags['max-reparse']);
  if (!(reparse <= most)) faults.push(`${reparse.toFixed(2)} ms CPU a page is over ${most} for reparse`);
  if (flags.json) say(JSON.stringify({ ...result, faults }));
  else for (const line of crawlWords(result, faults)) say(line);
  return faults.length === 0;
}

async function cores(): Promise<boolean> {
  for (const line of CORES_HEAD) say(line);
  return coresBench(crawlOptions(), (row) => say(coresWords(row)));
}

async function sustain(): Promise<boolean> {
  const result = await sustainBench({ ...crawlOptions(), rate: Number(flags.rate), minutes: Number(flags.minutes) });
  for (const line of sustainWords(result)) say(line);
  return result.faults.length === 0;
}

async function peers(): Promise<boolean> {
  const report = await peersBench({
    ...{ hosts: Number(flags.hosts ?? '300'), pages: Number(flags.pages), seed },
    ...(flags.latency === undefined ? {} : { latency: flags.latency }),
    ...(flags.laps === undefined ? {} : { laps: flags.laps }),
    ...{ rounds: Number(flags.rounds), only: flags.only, parts: flags.parts },
    progress: (line) => process.stderr.write(`${line}\n`),
  });
  for (const line of report.lines) say(line);
  return report.isGood;
}

async function stages(of: typeof parseBench): Promise<boolean> {
  const { pages, stages } = await of(seed);
  for (const [name, cost] of Object.entries(stages)) say(`- ${cost.toFixed(3)} ms CPU a page: ${name}`);
  say(`- ${pages} pages`);
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

function scaleOptions(urls: string) {
  const sizes = (flags.urls ?? urls).split(',').map((millions) => Number(millions) * 1e6);
  return { sizes, hosts: 100_000, pages: 1e6, sample: 200_000, say };
}

async function scale(): Promise<boolean> {
  return scaleBench(scaleOptions('1,10,100'));
}

async function grown(): Promise<boolean> {
  return grownBench({
    ...{ ...crawlOptions(), sizes: scaleOptions('1,100').sizes, dirs: flags.dir?.split(',') ?? [] },
    ...{ share: Number(flags.share), knownHosts: 100_000, say },
  });
}

async function restart(): Promise<boolean> {
  for (const urls of scaleOptions('1,10,100').sizes) {
    const pages = (urls * Number(flags.share)) / 100;
    const hosts = Number(flags.hosts ?? 100_000);
    if (!(await restartBench({ dir: flags.dir ?? null, urls, pages, hosts, keep: flags.keep, say }))) return false;
  }
  return true;
}

function say(line: string): void {
  said.push(line);
  process.stdout.write(`${line}\n`);
}
