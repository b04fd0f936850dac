/**
 * `npm run bench -- store`: what a row costs to append, how long a batch blocks the calling thread, look-ups by id, and a
 * scan of whole tables.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Changes, noChanges } from '../src/changes.js';
import { openSqliteReader, openSqliteStore } from '../src/engines/sqlite.js';
import { requestRow, urlRow, visitRow } from '../test/engines/rows.js';

const BATCH = 2_000;
const LOOKUPS = 200;
const EACH = 64;

const AT = 1_790_000_000_000;

/** Of the sizes that a crawl's rows have, and no two alike. */
const url = (id: number) =>
  urlRow(id, {
    via: id >> 3,
    url: `https://www.example${id % 977}.com/some/path/of/medium/length/article-${id}.html`,
  });
const visit = (id: number) =>
  visitRow(id, {
    url: id,
    request: id,
    at: AT + id,
    title: `The title of article ${id}, as it is found on a page`,
    payloadDigest: new Uint8Array(20).fill(id),
    etag: `"5f3a-${id}"`,
    record: { segment: 0, offset: id * 21_000, length: 21_000 },
    text: { segment: 0, offset: id * 3_000, length: 3_000 },
    nextVisit: null,
  });
const request = (id: number) =>
  requestRow(id, {
    url: id,
    target: url(id).url,
    started: AT + id,
    ended: AT + 210 + id,
    record: { segment: 0, offset: id * 21_000, length: 21_000 },
  });

/** Appends `rows` of each table, then as a crawl does, then reads. */
export async function storeBench(rows: number, say: (line: string) => void): Promise<boolean> {
  const dir = mkdtempSync(resolve('store-bench-'));
  const path = join(dir, 'crawl.sqlite');
  const store = openSqliteStore(path, { create: true, warn: say });
  const epoch = await store.beginEpoch();
  let sequence = 0;

  async function append(name: string, count: number, make: (first: number) => Changes, pause = 0): Promise<void> {
    const blocked: number[] = [];
    const cpu = process.cpuUsage();
    for (let first = 0; first < count; first += BATCH) {
      const changes = make(first);
      const started = performance.now();
      await store.commit({ epoch, sequence: ++sequence, changes });
      blocked.push(performance.now() - started);
      if (pause > 0) await sleep(pause);
    }
    const { user, system } = process.cpuUsage(cpu);
    const wall = (blocked.reduce((a, b) => a + b, 0) * 1000) / count;
    const threads = ((user + system) / count).toFixed(2);
    say(`append ${name}: ${wall.toFixed(2)} us a row (CPU of all threads ${threads}); ${quantiles(blocked)}`);
  }

  const range = <T>(first: number, make: (id: number) => T) => Array.from({ length: BATCH }, (_, i) => make(first + i));
  const hosts = [{ id: 0, name: 'www.example.com', domain: 'example.com', named: true, budget: null, at: 1 }];
  const segments = [{ id: 0, name: 'a.warc.gz', kind: 'warc' as const, at: 1, closed: false, length: 0 }];
  await store.commit({ epoch, sequence: ++sequence, changes: { ...noChanges(), hosts, segments } });
  say(`${rows} rows, batches of ${BATCH}`);
  await append('urls', rows, (first) => ({ ...noChanges(), urls: range(first, url) }));
  await append('requests', rows, (first) => ({ ...noChanges(), requests: range(first, request) }));
  await append('visits', rows, (first) => ({ ...noChanges(), visits: range(first, visit) }));
  const crawl = 'a crawl (1,600 urls, 200 requests, 200 visits a batch, one each 100 ms)';
  await append(crawl, 100 * BATCH, crawlBatches(store.count('urls'), store.count('visits')), 100);

  const lookups: number[] = [];
  for (let i = 0; i < LOOKUPS; i++) {
    const ids = Array.from({ length: EACH }, (_, k) => (i * 7919 + k * 131) % rows);
    const started = performance.now();
    await store.readUrls(ids, ids);
    lookups.push(performance.now() - started);
  }
  say(`readUrls of ${EACH}: ${quantiles(lookups)}`);
  store.close();
  const reader = openSqliteReader(path);
  for (const table of ['urls', 'requests', 'visits'] as const) {
    const started = performance.now();
    let count = 0;
    for (const chunk of reader.scan(table)) count += chunk.length;
    const us = ((performance.now() - started) * 1000) / count;
    say(`scan ${table}: ${us.toFixed(2)} us a row, ${Math.round(1e6 / us)} rows/s`);
  }
  reader.close();
  say(`${(statSync(path).size / 2 ** 20).toFixed(0)} MiB`);
  rmSync(dir, { recursive: true });
  return true;
}

/** Batches as a running crawl has them, on top of so many rows. */
function crawlBatches(urls: number, visits: number): () => Changes {
  let [u, n] = [urls, visits];
  return () => {
    const changes = noChanges();
    for (let i = 0; i < 1600; i++) changes.urls.push(url(u++));
    for (let i = 0; i < 200; i++, n++) {
      changes.requests.push({ ...request(n), url: u - 1 });
      changes.visits.push({ ...visit(n), url: u - 1 });
    }
    return changes;
  };
}

function quantiles(times: number[]): string {
  times.sort((a, b) => a - b);
  const at = (q: number) => times[Math.min(times.length - 1, Math.floor(times.length * q))]!.toFixed(1);
  return `p50 ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)}, most ${at(1)} ms`;
}
