// node spider-rs.mjs SEEDS OUT: it crawls one site at a time, so 32 sites side by side; links to other sites are not
// followed. Keeps the address and the title of each page.
import { createWriteStream, readFileSync } from 'node:fs';
import { pageTitle, Website } from '@spider-rs/spider-rs';

const [seeds, out] = process.argv.slice(2);
const sites = readFileSync(seeds, 'utf8').split('\n').filter(Boolean);
const file = createWriteStream(`${out}/pages.jsonl`);

async function lane() {
  for (let site = sites.pop(); site !== undefined; site = sites.pop()) {
    const website = new Website(site).withRespectRobotsTxt(true).build();
    await website.crawl((_error, page) => {
      file.write(`${JSON.stringify({ url: page.url, title: pageTitle(page) })}\n`);
    });
  }
}

await Promise.all(Array.from({ length: 32 }, lane));
// its native threads would keep the process
file.end(() => process.exit(0));
