// node simplecrawler.mjs SEEDS OUT: follows links of anchors, keeps the address and the title of each page, and freezes
// its queue every ten seconds, which is its way of going on later.
import { createWriteStream, existsSync, readFileSync } from 'node:fs';
import Crawler from 'simplecrawler';

const [seeds, out] = process.argv.slice(2);
const frozen = `${out}/queue.json`;
const sites = readFileSync(seeds, 'utf8').split('\n').filter(Boolean);
const file = createWriteStream(`${out}/pages.jsonl`, { flags: 'a' });

const crawler = new Crawler(sites[0]);
crawler.filterByDomain = false;
// one request is begun in each interval, and each looks through the whole queue
crawler.interval = 5;
crawler.maxConcurrency = 16;
crawler.decompressResponses = true;
crawler.discoverResources = (body, { url }) =>
  [...body.toString().matchAll(/<a\s[^>]*?href="([^"#]+)"/g)].map(([, href]) => new URL(href, url).href);
crawler.on('fetchcomplete', ({ url }, body) => {
  file.write(`${JSON.stringify({ url, title: /<title>([^<]*)/.exec(body.toString())?.[1] })}\n`);
});
crawler.on('complete', () => process.exit(0));
setInterval(() => crawler.queue.freeze(frozen, () => {}), 10_000);

const start = () => {
  for (const site of sites) crawler.queueURL(site);
  crawler.start();
};
if (existsSync(frozen)) crawler.queue.defrost(frozen, start);
else start();
