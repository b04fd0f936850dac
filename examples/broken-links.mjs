// Finds the broken links of a site and writes them as a page of HTML: each with what is wrong, and the pages that it is on.
//
//   node examples/broken-links.mjs https://example.org/ broken.html '{"contact":"me@example.org"}'
//
// Not looked at: links to other sites unless "scope" takes them in, images, and whether an #anchor is there.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCrawler, normalizeUrl, parsePage, readArchived, readUrls, UserError } from 'saunter';
import { readArguments, safe, tellProgress } from './start.mjs';

const [site, report, options = {}] = readArguments('broken-links.mjs URL REPORT [OPTIONS]');
const BROKEN = /^(?:http\.(?:gone|soft404|client|status)|redirect\.(?:chain|invalid)|decode\..*)$/;
const formOf = (/** @type {string} */ url, base = url) => normalizeUrl(url, base).url ?? url;
const link = (/** @type {string} */ to) => `<a href="${safe(to)}">${safe(to)}</a>`;

const dir = mkdtempSync(join(tmpdir(), 'broken-links-')); // a crawl of its own: links are to be asked today
try {
  const crawler = createCrawler({ seeds: [site], dir, scope: 'host', ...options, hooks: { progress: tellProgress() } });
  process.once('SIGINT', () => crawler.stop());
  const { pages, rejected, errors, waiting } = await crawler.run();
  const why = Object.keys({ ...rejected, ...errors, ...waiting }).join(', ');
  if (pages === 0) throw new UserError(`No page of ${site} was read: ${why || 'no answer'}; docs/errors.md says more.`);

  /** @type {Map<string, import('saunter').KnownUrl>} by normal form */
  const known = new Map();
  await readUrls(dir, (url) => known.set(formOf(url.url), url));
  const broken = [...known]
    .filter(([, { state, code }]) => (state === 'done' ? BROKEN.test(code ?? '') : state !== 'denied' && code !== null))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  /** @type {Map<string, Set<string>>} by normal form: the pages that link there */
  const linkers = new Map();
  for (const [form, { linkedFrom }] of broken)
    for (const to of [form, formOf(linkedFrom ?? '')]) linkers.set(to, new Set());
  await readArchived(dir, ({ url, finalUrl, contentType, body }) => {
    const { links, base } = parsePage({ body, url: finalUrl, contentType }, { mainText: false });
    for (const href of links.hrefs) linkers.get(formOf(href, base))?.add(url);
  });
  const rows = broken.map(([form, { url, state, status, words, wait, linkedFrom: from }]) => {
    const moved = from !== null && known.get(formOf(from))?.code === 'redirect';
    const on = [...new Set([form, moved ? formOf(from) : form].flatMap((to) => [...(linkers.get(to) ?? [])]))];
    const first = on.slice(0, 10).map(link).join('<br>') || (from === null ? 'a seed' : link(from));
    const wrong = `${status || ''} ${wait === 'robots' ? 'robots.txt of its host ' : ''}${safe(words)}${state === 'pending' ? ': failing (will be tried again)' : ''}`;
    return `<tr><td>${link(url)}${moved ? `, where ${link(from)} redirects to` : ''}</td><td>${wrong}</td>
<td>${first}${on.length > 10 ? `<br>and ${on.length - 10} more pages` : ''}</td></tr>`;
  });
  const found = `${rows.length} ${rows.length === 1 ? 'broken link' : 'broken links'} on ${pages} pages`;
  writeFileSync(report, `<!doctype html><meta charset="utf-8"><title>Broken links of ${safe(site)}</title>
<h1>${found} of ${safe(site)}</h1>
<p>Not looked at: links to other sites unless they were in scope, images, and whether an #anchor is there.</p>
<table><tr><th>the link</th><th>what is wrong</th><th>on these pages</th></tr>
${rows.join('\n')}
</table>
`); // biome-ignore format: one page
  console.log(`${found}: ${report}`);
} finally {
  rmSync(dir, { recursive: true, force: true });
}
