// node crawlee.mjs cheerio|http SEEDS: follows every link, keeps the address and the title of each page in the default
// dataset under CRAWLEE_STORAGE_DIR.
import { readFileSync } from 'node:fs';

const [kind, seeds] = process.argv.slice(2);
const requests = readFileSync(seeds, 'utf8').split('\n').filter(Boolean);
const shared = { respectRobotsTxtFile: true };

async function cheerio() {
  const { CheerioCrawler } = await import('@crawlee/cheerio');
  return new CheerioCrawler({
    ...shared,
    async requestHandler({ request, $, enqueueLinks, pushData }) {
      await pushData({ url: request.loadedUrl, title: $('title').text() });
      await enqueueLinks({ strategy: 'all' });
    },
  });
}

/** It parses nothing: links and title by regular expressions, as its users do who want it quick. */
async function http() {
  const { HttpCrawler } = await import('@crawlee/http');
  return new HttpCrawler({
    ...shared,
    async requestHandler({ request, body, addRequests, pushData }) {
      const html = body.toString();
      const links = new Set();
      for (const [, href] of html.matchAll(/<a\s[^>]*?href="([^"#]+)"/g))
        links.add(new URL(href, request.loadedUrl).href);
      await pushData({ url: request.loadedUrl, title: /<title>([^<]*)/.exec(html)?.[1] });
      await addRequests([...links]);
    },
  });
}

const crawler = await (kind === 'cheerio' ? cheerio() : http());
await crawler.run(requests);
