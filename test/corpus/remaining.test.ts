/** `saunter plan --dir`: what a crawl still has to do, from its rows. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { type Changes, noChanges } from '../../src/changes.js';
import { crawlPlanText, planCrawl } from '../../src/cli/plan-crawl.js';
import { readInputs } from '../../src/cli/plan-inputs.js';
import { remaining } from '../../src/corpus/remaining.js';
import { crawlDirectory } from '../../src/embedded/directory.js';
import { MemoryStore } from '../../src/engines/memory.js';
import { hostRow, requestRow, urlRow, visitRow } from '../engines/rows.js';

const START = 1_800_000_000_000;
const dir = mkdtempSync(join(tmpdir(), 'saunter-plan-'));
writeFileSync(join(dir, 'some.warc.gz'), Buffer.alloc(40_000));
afterAll(() => rmSync(dir, { recursive: true }));

let store: MemoryStore;
let sequence: number;

const begin = (): void => {
  store = new MemoryStore();
  store.beginEpochNow();
  sequence = 0;
};
beforeEach(begin);

const commit = (changes: Partial<Changes>): void => {
  store.commitNow({ epoch: 1, sequence: ++sequence, changes: { ...noChanges(), ...changes } });
};

/** Two hosts; `pages` of the first were fetched, 2 s from one to the next, each (or each second) with a new URL. */
function crawled(pages: number, links: 0 | 0.5 | 1): void {
  let urls = 0;
  const url = (): ReturnType<typeof urlRow> => urlRow(urls, { host: urls++ % 2, via: -1 });
  commit({ hosts: [hostRow(0), hostRow(1)], urls: Array.from({ length: 2 * pages }, url) });
  for (let page = 0; page < pages; page++) {
    const started = START + page * 2000;
    commit({
      requests: [
        requestRow(page, { url: 2 * page, host: 0, started, ended: started + 500, delay: 1500, bytes: 8_000 }),
      ],
      visits: [visitRow(page, { url: 2 * page, request: page, at: started, nextVisit: null })],
      urls: links * (page + 1) - Math.floor(links * page) >= 1 ? [url()] : [],
    });
  }
}

test('what waits, on which hosts, and how long each takes by what was seen of it', () => {
  crawled(40, 0);
  const left = remaining(store, 1, START);
  expect(left).toMatchObject({ pages: 40, known: 80, pending: 40, pageBytes: 8_000, fetchSeconds: 0.5, novelty: 0 });
  // the second host was never asked: a fetch as long as elsewhere, and the delay
  expect(left.hosts).toEqual([{ host: store.at('hosts', [1])[0].name, pending: 40, period: 1.5, seconds: 60 }]);
  expect(left.pagesToCome).toBe(40);
  expect(left.pagesPerSecond).toBeCloseTo(0.5, 1);
});

test('pages that bring new URLs make more of them to come; one or more each, and nothing says how many', () => {
  crawled(40, 1);
  expect(remaining(store, 1, START)).toMatchObject({ pagesToCome: null, pending: 80 });
  begin();
  crawled(200, 0.5);
  const { novelty, pending, pagesToCome } = remaining(store, 1, START);
  expect(novelty).toBeCloseTo(0.5, 1);
  expect(pagesToCome! / pending).toBeCloseTo(2, 0);
});

test('one large host is named, with what to ask its owner for', () => {
  commit({
    hosts: [hostRow(0), hostRow(1)],
    urls: Array.from({ length: 100_000 }, (_, i) => urlRow(i, { host: i < 10 ? 1 : 0 })),
  });
  const plan = planCrawl(store, crawlDirectory(dir), readInputs(new Map([['delay', '2s']])), START);
  expect(plan.warnings.map(({ code }) => code)).toEqual(['huge-host', 'few-hosts']);
  expect(plan.warnings[0].says).toMatch(
    /alone takes 2\.31 days .*Ask its owner for a sitemap with dates, a feed, or an export/,
  );
  expect(plan.seconds.slowestHost).toBe(99_990 * 2);
});

test('says it in words, with the disk that the rest takes', () => {
  crawled(40, 0);
  const plan = planCrawl(store, crawlDirectory(dir), readInputs(new Map()), START);
  expect(plan.disk).toMatchObject({ used: 40_000, toCome: 40_000 });
  const text = crawlPlanText(plan);
  expect(text).toContain('40 pages are there, 40 URLs are pending on 1 host; last request 2027-01-15T');
  expect(text).toContain('If that stays so, 40 pages are to come, and take 60 s and 40 kB of disk.');
});

test('counts are not rounded, and what waits for an operator is no work to come', () => {
  commit({
    hosts: [hostRow(0), hostRow(1)],
    urls: Array.from({ length: 1_235 }, (_, i) => urlRow(i, { host: i < 1_234 ? 0 : 1 })),
    hostEvents: [{ host: 0, at: START, kind: 'blocked', until: 0, value: 0, words: 'its owner asked' }],
  });
  const plan = planCrawl(store, crawlDirectory(dir), readInputs(new Map()), START);
  expect(plan.remaining).toMatchObject({ pending: 1_235, hosts: 1, pagesToCome: 1 });
  const text = crawlPlanText(plan);
  expect(text).toContain('0 pages are there, 1,235 URLs are pending on 1 host; nothing was asked yet.');
  expect(text).toContain('1,234 of them wait, since 1 host is blocked (they are not in what follows).');
  expect(text).toContain('If that stays so, 1 page is to come');
});
