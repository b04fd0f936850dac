import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ArchiveReader } from '../../src/corpus/archive-reader.js';
import { EVERY_PAGE, type PageFilter } from '../../src/corpus/page-filter.js';
import { corpusPages } from '../../src/corpus/pages.js';
import { segmentPaths } from '../../src/corpus/segment-paths.js';
import { MadeCrawl } from './made-crawl.js';

const A = 'http://a.example';
const B = 'http://b.example';
const C = 'http://c.example:8080';

let made: MadeCrawl;
beforeAll(async () => {
  made = new MadeCrawl();
  // a visit a second
  made.visit({ url: `${A}/first`, body: '1', text: 'First.', visit: { aiPreferences: '["noai"]' } });
  made.robots(A, 0, 'User-agent: *\nContent-Signal: search=yes, ai-train=no # ours\nDisallow:\n');
  made.visit({ url: `${A}/second`, body: '2', text: 'Second.' });
  made.robots(A, 1_500, null, 'http.server');
  made.visit({ url: `${A}/third`, body: '3', text: 'Third.' });
  made.robots(A, 2_500, null, 'http.gone');
  made.visit({ url: `${A}/fourth`, body: '4', text: 'Fourth.' });
  made.visit({ url: `${B}/closed`, body: '5', text: 'Closed.' });
  made.visit({ url: `${B}/open/x`, body: '6', text: 'Open.' });
  made.robots(
    B,
    0,
    'User-agent: other\nContent-Usage: train-ai=y\n\nUser-agent: Saunter\nContent-Usage: train-ai=n\nContent-Usage: /open/ train-ai=y\nDisallow: /x',
  );
  made.visit({ url: `${C}/`, body: '7', text: 'Other port.' });
  made.robots('http://c.example', 0, 'User-agent: *\nContent-Usage: train-ai=n\nDisallow:');
  await made.close();
});
afterAll(() => rmSync(made.dir, { recursive: true }));

function exported(filter: Partial<PageFilter>): [path: string, stated: string[]][] {
  const reader = made.read();
  const archive = new ArchiveReader(segmentPaths(reader, made.folders));
  const pages = [...corpusPages(reader, archive, { ...EVERY_PAGE, ...filter }, () => {}, 'Saunter')];
  reader.close();
  return pages.map(({ page }) => [new URL(page.url).pathname, page.aiPreferences]);
}

test('a page has the preferences that the robots.txt in force stated for it, beside its own', () => {
  expect(exported({})).toEqual([
    ['/first', ['noai', 'content-signal: search=yes, ai-train=no']],
    ['/second', ['content-signal: search=yes, ai-train=no']],
    ['/third', ['content-signal: search=yes, ai-train=no']], // the copy rules while the server fails
    ['/fourth', []], // the file is gone
    ['/closed', ['content-usage: train-ai=n']],
    ['/open/x', ['content-usage: train-ai=y']], // the longest path counts
    ['/', []], // rules belong to an origin
  ]);
});

test('the filter of an export knows them', () => {
  expect(exported({ aiPreference: 'drop' }).map(([path]) => path)).toEqual(['/fourth', '/open/x', '/']);
  expect(exported({ aiPreference: 'only' })).toHaveLength(5);
});
