// A search index in SQLite FTS5, filled while the crawl runs. Run it again to go on; give words instead to search.
//
//   node examples/search-index.mjs index.sqlite crawl https://example.org/ '{"contact":"me@example.org"}'
//   node examples/search-index.mjs index.sqlite search polite crawler
import { DatabaseSync } from '@photostructure/sqlite'; // the same as node:sqlite, for Node 20 too
import { createCrawler } from 'saunter';
import { readArguments, tellProgress } from './start.mjs';

const usage = process.argv[3] === 'search' ? 'FILE search WORD ...' : 'FILE crawl URL [OPTIONS]';
const [path, verb, ...rest] = readArguments(`search-index.mjs ${usage}`);
const db = new DatabaseSync(path);
db.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS pages USING fts5(url UNINDEXED, title, text);
  CREATE TABLE IF NOT EXISTS ids (url TEXT PRIMARY KEY, id INTEGER) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS place (at INTEGER)`);

if (verb === 'crawl') {
  const [seed, options = {}] = rest;
  // the place is kept with the pages, in one transaction: each page is indexed once, also after a crash
  const from = db.prepare('SELECT at FROM place').get()?.at ?? 0;
  const hooks = { progress: tellProgress() };
  const crawler = createCrawler({ seeds: [seed], dir: `${path}.crawl`, from, ...options, hooks });
  process.once('SIGINT', () => crawler.stop());
  for await (const { url, title, text, duplicateOf } of crawler) {
    db.exec('BEGIN');
    const old = db.prepare('SELECT id FROM ids WHERE url = ?').get(url);
    if (old !== undefined) db.prepare('DELETE FROM pages WHERE rowid = ?').run(old.id);
    db.prepare('DELETE FROM ids WHERE url = ?').run(url);
    if (duplicateOf === null) {
      const { lastInsertRowid: id } = db.prepare('INSERT INTO pages VALUES (?, ?, ?)').run(url, title, text);
      db.prepare('INSERT INTO ids VALUES (?, ?)').run(url, id);
    }
    db.exec('DELETE FROM place');
    db.prepare('INSERT INTO place VALUES (?)').run(crawler.position);
    db.exec('COMMIT');
  }
  console.log(`${db.prepare('SELECT count(*) AS n FROM pages').get().n} pages are indexed`);
} else {
  const words = rest.map((word) => `"${word.replaceAll('"', '""')}"`).join(' ');
  const found = db.prepare(
    "SELECT url, title, snippet(pages, 2, '[', ']', ' ... ', 12) AS snippet FROM pages WHERE pages MATCH ? ORDER BY rank LIMIT 10",
  );
  for (const { url, title, snippet } of found.all(words)) {
    console.log(`${title}\n  ${url}\n  ${snippet.replace(/\s+/g, ' ')}`);
  }
}
db.close();
