import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load-config.js';
import { dedupeSettings, documentSettings, fetchSettings } from '../../src/embedded/parts.js';
import { systemClock } from '../../src/engines/system.js';
import type { LeaseReport } from '../../src/frontier/report.js';
import { DEFAULT_KEY_OPTIONS } from '../../src/url/normalize.js';
import { type FromWorker, SharedState, type WorkOrder } from '../../src/workers/messages.js';
import { read } from '../../src/workers/page-job.js';
import { PageWorker } from '../../src/workers/page-worker.js';
import { removeScratches, scratch } from '../support/saunter.js';

/** `/N/...` is a page of N bytes. A thread of its own: what blocks the page worker must not block the server. */
const SERVER = `
  const { parentPort } = require('node:worker_threads');
  const server = require('node:http').createServer((asked, answer) => {
    answer.setHeader('Content-Type', 'text/html');
    answer.end('<!--' + 'x'.repeat(Number(asked.url.split('/')[1]) - 10) + '-->a page');
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

let server: Worker;
let port = 0;
beforeAll(async () => {
  server = new Worker(SERVER, { eval: true });
  [port] = await once(server, 'message');
});
afterAll(async () => {
  await server.terminate();
  removeScratches();
});

/** Has a page worker of this thread fetch pages of one size, each of which takes at least 10 ms to read: ten times what it
 * does. `beforeEach` is told of each. */
async function fetchSlowly(
  pages: number,
  size: number,
  bodyBudget: number,
  watch: (shared: SharedState, isReading: boolean) => void,
): Promise<LeaseReport[]> {
  const shared = new SharedState(1);
  const dir = scratch();
  for (const folder of ['w', 't']) mkdirSync(join(dir, folder));
  const config = loadConfig();
  const reports: LeaseReport[] = [];
  let closed = (): void => {};
  const isClosed = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const post = (message: FromWorker): void => {
    if (message.type === 'reports') reports.push(...message.batch.reports);
    if (message.type === 'closed') closed();
    if (message.type !== 'held?') return;
    const answers = message.questions.map(({ lease }) => ({ lease, held: 'new' as const }));
    setImmediate(() => worker.receive({ type: 'held', answers }));
  };
  const slowRead: typeof read = (...job) => {
    watch(shared, true);
    for (const until = performance.now() + 10; performance.now() < until; );
    return read(...job);
  };
  const info = { software: 'Saunter' };
  const worker = new PageWorker(
    {
      ...{ index: 0, secret: new Uint8Array(16), keyOptions: DEFAULT_KEY_OPTIONS, agent: 'Saunter', turn: 8 },
      ...{ scope: { rules: [], fallback: 'accept' }, traps: {}, heartbeat: 1000, bodyBudget },
      ...{ ownBodies: new SharedArrayBuffer(4), shared: shared.buffer },
      fetch: fetchSettings({ config, userAgent: 'Saunter/test' }),
      archive: { warc: join(dir, 'w'), text: join(dir, 't'), prefix: 'x', maxBytes: 1e9, info },
      ...{ dedupe: dedupeSettings(config), documents: documentSettings(config) },
    },
    systemClock,
    post,
    slowRead,
  );
  const orders = Array.from({ length: pages }, (_, lease): WorkOrder => {
    const target = `http://127.0.0.1:${port}/${size}/${lease}`;
    return { lease, kind: 'page', target, connectTo: '127.0.0.1', held: null, cookie: null };
  });
  worker.receive({ type: 'work', orders });
  while (reports.length < pages) {
    watch(shared, false);
    await sleep(1);
  }
  worker.receive({ type: 'close' });
  await isClosed;
  expect(reports.every(({ code, bytes }) => code === 'ok' && bytes > size)).toBe(true);
  expect(shared.bodies).toBe(0);
  return reports;
}

test('with parsing ten times as slow, fetching goes on: the last answer has come before half of them are read', async () => {
  const readAt: number[] = [];
  const reports = await fetchSlowly(40, 2_000, 1e8, (_, isReading) => {
    if (isReading) readAt.push(systemClock.monotonic());
  });
  const lastAnswer = Math.max(...reports.map(({ ended }) => ended));
  expect(readAt.filter((at) => at < lastAnswer).length).toBeLessThan(reports.length / 2);
});

test('with parsing ten times as slow, bodies stay within their budget, but for one read of each connection and one body', async () => {
  const [pages, size, budget, small, oneRead] = [16, 300_000, 300_000, 16_384, 65_536];
  let most = 0;
  await fetchSlowly(pages, size, budget, (shared) => {
    most = Math.max(most, shared.bodies);
  });
  expect(most).toBeGreaterThan(budget);
  expect(most).toBeLessThan(budget + pages * (small + oneRead) + 2 * size);
});
