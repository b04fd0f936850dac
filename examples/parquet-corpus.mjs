// Builds a corpus of German pages in one Parquet file: no copies, nothing short, nothing whose owner objects to AI.
//
//   node examples/parquet-corpus.mjs german.parquet '{"contact":"me@example.org"}' https://a.example/ https://b.example/
import { createCrawler, exportPages } from 'saunter';
import { readArguments, tellProgress } from './start.mjs';

const [path, options, ...seeds] = readArguments('parquet-corpus.mjs FILE OPTIONS URL ...');
const dir = `${path}.crawl`;

const hooks = { progress: tellProgress() };
const crawler = createCrawler({ seeds, dir, scope: 'host', ...options, hooks });
process.once('SIGINT', () => crawler.stop());

const languages = new Map();
for await (const { language } of crawler) languages.set(language, (languages.get(language) ?? 0) + 1);
console.log('pages by language:', Object.fromEntries(languages));

const pages = await exportPages(dir, path, {
  format: 'parquet',
  languages: ['de'],
  minWords: 20,
  duplicates: 'drop',
  aiPreference: 'drop',
});
console.log(`${pages} pages in ${path}`);
