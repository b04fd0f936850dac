// Costs of the store: append and scan, us a row; how long a batch blocks the calling thread; look-ups by id.
// Usage: node bench/store.mjs [rows] (after `npm run build`; SAUNTER_DIST names another build)
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const dist = resolve(process.env.SAUNTER_DIST ?? 'dist');
const { openSqliteStore, openSqliteReader } = await import(join(dist, 'engines/sqlite.js'));
const { noChanges } = await import(join(dist, 'changes.js'));
const rows = Number(process.argv[2] ?? 200_000);
const BATCH = 2_000;

const dir = mkdtempSync(resolve('store-bench-'));
const path = join(dir, 'crawl.sqlite');
const store = openSqliteStore(path, { create: true, warn: console.error });
const epoch = await store.beginEpoch();
let sequence = 0;

const url = (id) => ({
  id,
  partition: 0,
  host: 0,
  keyHi: (id * 2_654_435_761) >>> 0,
  keyLo: (id * 40_503) >>> 0,
  kind: 'page',
  level: 2,
  depth: 3,
  hops: 0,
  via: id >> 3,
  url: `https://www.example${id % 977}.com/some/path/of/medium/length/article-${id}.html`,
});
const visit = (id) => ({
  id,
  url: id,
  kind: 'page',
  request: id,
  at: 1_790_000_000_000 + id,
  status: 200,
  code: 'ok',
  finalUrl: null,
  contentType: 'text/html',
  charset: 'utf-8',
  language: 'en',
  title: `The title of article ${id}, as it is found on a page`,
  contentHash: new Uint8Array(32).fill(id),
  payloadDigest: new Uint8Array(20).fill(id),
  simhash: id.toString(16).padStart(16, '0'),
  etag: `"5f3a-${id}"`,
  lastModified: 'Tue, 01 Dec 2026 10:00:00 GMT',
  record: { segment: 0, offset: id * 21_000, length: 21_000 },
  text: { segment: 0, offset: id * 3_000, length: 3_000 },
  changed: true,
  duplicateOf: -1,
  index: true,
  nextVisit: null,
  bytes: 20_480,
  links: 124,
  aiPreferences: null,
});
const request = (id) => ({
  id,
  url: id,
  host: 0,
  address: '192.0.2.7',
  kind: 'page',
  target: url(id).url,
  started: 1_790_000_000_000 + id,
  ended: 1_790_000_000_210 + id,
  status: 200,
  code: 'ok',
  bytes: 20_480,
  delay: 2_100,
  addressDelay: 1_000,
  record: { segment: 0, offset: id * 21_000, length: 21_000 },
});

const quantiles = (times) => {
  times.sort((a, b) => a - b);
  const at = (q) => times[Math.min(times.length - 1, Math.floor(times.length * q))].toFixed(1);
  return `p50 ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)}, most ${at(1)} ms`;
};

async function append(name, count, make, pause) {
  const blocked = [];
  const cpu = process.cpuUsage();
  for (let first = 0; first < count; first += BATCH) {
    const changes = make(first);
    const started = performance.now();
    const committed = store.commit({ epoch, sequence: ++sequence, changes });
    await committed;
    blocked.push(performance.now() - started);
    if (pause > 0) await sleep(pause);
  }
  const { user, system } = process.cpuUsage(cpu);
  const wall = (blocked.reduce((a, b) => a + b, 0) * 1000) / count;
  const threads = ((user + system) / count).toFixed(2);
  console.log(`append ${name}: ${wall.toFixed(2)} us a row (CPU of all threads ${threads}); ${quantiles(blocked)}`);
}

const range = (first, make) => Array.from({ length: BATCH }, (_, i) => make(first + i));
await store.commit({
  epoch,
  sequence: ++sequence,
  changes: {
    ...noChanges(),
    hosts: [{ id: 0, name: 'www.example.com', domain: 'example.com', named: true, budget: null, at: 1 }],
    segments: [{ id: 0, name: 'a.warc.gz', kind: 'warc', at: 1, closed: false, length: 0 }],
  },
});
console.log(`Node ${process.version}, ${rows} rows, batches of ${BATCH}`);
await append('urls', rows, (first) => ({ ...noChanges(), urls: range(first, url) }), 0);
await append('requests', rows, (first) => ({ ...noChanges(), requests: range(first, request) }), 0);
await append('visits', rows, (first) => ({ ...noChanges(), visits: range(first, visit) }), 0);
await append(
  'a crawl (1,600 urls, 200 requests, 200 visits a batch, one each 100 ms)',
  100 * BATCH,
  (() => {
    let [u, n] = [store.count('urls'), store.count('visits')];
    return () => {
      const changes = noChanges();
      for (let i = 0; i < 1600; i++) changes.urls.push(url(u++));
      for (let i = 0; i < 200; i++, n++) {
        changes.requests.push({ ...request(n), url: u - 1 });
        changes.visits.push({ ...visit(n), url: u - 1 });
      }
      return changes;
    };
  })(),
  100,
);

const lookups = [];
for (let i = 0; i < 200; i++) {
  const ids = Array.from({ length: 64 }, (_, k) => (i * 7919 + k * 131) % rows);
  const started = performance.now();
  await store.readUrls(ids, ids);
  lookups.push(performance.now() - started);
}
console.log(`readUrls of 64: ${quantiles(lookups)}`);
store.close();
const reader = openSqliteReader(path);
for (const table of ['urls', 'requests', 'visits']) {
  const started = performance.now();
  let count = 0;
  for (const chunk of reader.scan(table)) count += chunk.length;
  const us = ((performance.now() - started) * 1000) / count;
  console.log(`scan ${table}: ${us.toFixed(2)} us a row, ${Math.round(1e6 / us)} rows/s`);
}
reader.close();
console.log(`${(statSync(path).size / 2 ** 20).toFixed(0)} MiB`);
rmSync(dir, { recursive: true });
