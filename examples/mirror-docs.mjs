// Mirrors a documentation site to Markdown, a file for each page.
//
//   node examples/mirror-docs.mjs https://example.org/docs/ docs-mirror '{"contact":"me@example.org"}'
//
// The crawl itself stays in docs-mirror.crawl: run it again and it fetches what was not fetched yet.
import { createCrawler, exportPages } from 'saunter';
import { readArguments, tellProgress } from './start.mjs';

const [url, folder, options = {}] = readArguments('mirror-docs.mjs URL FOLDER [OPTIONS]');
const dir = `${folder}.crawl`;

const crawler = createCrawler({
  seeds: [url],
  dir,
  scope: 'prefix', // nothing above /docs/
  ...options,
  hooks: { progress: tellProgress() },
});
process.once('SIGINT', () => crawler.stop());
const { pages, errors } = await crawler.run();
console.log(`${pages} pages are held; failures: ${JSON.stringify(errors)}`);

// the main text alone would leave out tables of contents and lists of options; the mirror of last time makes room
const written = await exportPages(dir, folder, {
  format: 'markdown',
  text: 'whole',
  frontMatter: 'lean',
  replace: true,
});
console.log(`${written} files in ${folder}`);
