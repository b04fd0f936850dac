// node crawler.mjs SEEDS OUT: follows links of anchors by cheerio, one connection a host (a limiter for each), keeps the
// address and the title of each page.
import { createWriteStream, readFileSync } from 'node:fs';
import Crawler from 'crawler';

const [seeds, out] = process.argv.slice(2);
const file = createWriteStream(`${out}/pages.jsonl`);
const known = new Set();
const limiters = new Map();

const crawler = new Crawler({
  maxConnections: 1,
  silence: true,
  callback(error, response, done) {
    if (error || response.statusCode !== 200) return done();
    const { $ } = response;
    const { url } = response.options;
    file.write(`${JSON.stringify({ url, title: $('title').text() })}\n`);
    $('a[href]').each((_, anchor) => add(new URL($(anchor).attr('href'), url)));
    done();
  },
});

function add(url) {
  url.hash = '';
  if (known.has(url.href)) return;
  known.add(url.href);
  if (!limiters.has(url.host)) limiters.set(url.host, limiters.size + 1);
  crawler.add({ url: url.href, rateLimiterId: limiters.get(url.host) });
}

for (const site of readFileSync(seeds, 'utf8').split('\n').filter(Boolean)) add(new URL(site));
