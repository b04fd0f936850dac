// Watches pages for changes: one URL on a line of the file, fifty or fewer. Ctrl-C ends it; the same command goes on.
//
//   node examples/watch-pages.mjs pages.txt watched '{"contact":"me@example.org"}'
import { existsSync, readFileSync } from 'node:fs';
import { createCrawler, UserError } from 'saunter';
import { readArguments } from './start.mjs';

const [file, dir, options = {}] = readArguments('watch-pages.mjs FILE DIR [OPTIONS]');
if (!existsSync(file)) throw new UserError(`There is no file ${file}: give one with a URL on each line.`, 2);
const seeds = readFileSync(file, 'utf8').split(/\s+/).filter(Boolean).slice(0, 50);

const crawler = createCrawler({
  seeds,
  dir,
  add: true, // the list may grow
  depth: 0, // these pages, and nothing that they link to
  'revisit.policy': 'adaptive', // often those that change often
  'revisit.first': '1h',
  'revisit.max': '1d',
  ...options,
});
process.once('SIGINT', () => crawler.stop());

const titles = new Map();
for await (const { url, title, fetchedAt, revisit, changed } of crawler) {
  if (!revisit) console.log(`watching ${url}: ${title}`);
  else if (changed) console.log(`${fetchedAt} changed ${url}: ${titles.get(url) ?? ''} -> ${title}`);
  titles.set(url, title);
}
console.log(`${crawler.summary?.revisits} revisits, ${crawler.summary?.changed} changes`);
