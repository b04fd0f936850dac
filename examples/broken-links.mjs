// Finds the broken links of a site and writes them as a page of HTML. Each URL is named with the page that linked it first.
//
//   node examples/broken-links.mjs https://example.org/ broken.html '{"contact":"me@example.org"}'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCrawler } from 'saunter';

const [url, report, options = '{}'] = process.argv.slice(2);
const BROKEN = new Set(['http.gone', 'http.soft404', 'http.client', 'redirect.chain', 'redirect.invalid']);

const dir = mkdtempSync(join(tmpdir(), 'broken-links-')); // a crawl of its own: links are to be asked today
/** @type {import('saunter').VisitOutcome[]} */
const broken = [];
const crawler = createCrawler({
  seeds: [url],
  dir,
  scope: 'host',
  ...JSON.parse(options),
  hooks: {
    outcome: (outcome) => {
      if (outcome.dead || BROKEN.has(outcome.code)) broken.push(outcome);
    },
    progress: ({ pages, pending }) => {
      if (process.stderr.isTTY) process.stderr.write(`\r${pages} pages, ${pending} to go   \r`);
    },
  },
});
process.once('SIGINT', () => crawler.stop());
const { pages } = await crawler.run();
rmSync(dir, { recursive: true });

/** @param {string} text of strangers */
const safe = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
/** @param {string} to */
const link = (to) => `<a href="${safe(to)}">${safe(to)}</a>`;
const rows = broken
  .sort((a, b) => (a.url < b.url ? -1 : 1))
  .map(({ url, status, words, linkedFrom }) => {
    const from = linkedFrom === null ? 'a seed' : link(linkedFrom);
    return `<tr><td>${link(url)}</td><td>${status || ''} ${safe(words)}</td><td>${from}</td></tr>`;
  });
const found = `${rows.length} ${rows.length === 1 ? 'broken link' : 'broken links'} on ${pages} pages`;
writeFileSync(
  report,
  `<!doctype html><meta charset="utf-8"><title>Broken links of ${safe(url)}</title>
<h1>${found} of ${safe(url)}</h1>
<table><tr><th>the link</th><th>what is wrong</th><th>on the page</th></tr>
${rows.join('\n')}
</table>
`,
);
console.log(`${found}: ${report}`);
