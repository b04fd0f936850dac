// Reads a content type that Saunter does not know as such, with a handler of one's own: csv-handler.mjs beside this file.
//
//   node examples/custom-handler.mjs https://example.org/data/ tables '{"contact":"me@example.org"}'
//
// The same from the command line: a config file with {"handlers": ["text/csv=./csv-handler.mjs"]}.
import { fileURLToPath } from 'node:url';
import { createCrawler } from 'saunter';
import { readArguments } from './start.mjs';

const [url, dir, options = {}] = readArguments('custom-handler.mjs URL DIR [OPTIONS]');
const module = fileURLToPath(new URL('./csv-handler.mjs', import.meta.url));

const crawler = createCrawler({ seeds: [url], dir, handlers: [`text/csv=${module}`], ...options });
process.once('SIGINT', () => crawler.stop());
for await (const { url, title, fields } of crawler) {
  if (fields !== undefined) console.log(`${title}: ${fields.rows} rows of ${fields.columns} at ${url}`);
}
