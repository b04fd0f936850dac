/** The quarantine of the pool, with threads that make no request (`test/support/fake-page-thread.mjs`). */
import { afterEach, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load-config.js';
import { dedupeSettings, documentSettings, fetchSettings } from '../../src/embedded/parts.js';
import { systemClock } from '../../src/engines/system.js';
import type { Lease } from '../../src/frontier/lease.js';
import { DEFAULT_KEY_OPTIONS } from '../../src/url/normalize.js';
import { WorkerPool } from '../../src/workers/pool.js';

/** What was reported of a lease: `at` is how many its thread had then, `thread` which one it was. */
interface Told {
  lease: number;
  code: string;
  at: number;
  thread: number;
}

const pools: WorkerPool[] = [];
afterEach(async () => {
  for (const pool of pools.splice(0)) {
    pool.abort();
    await pool.close();
  }
});

/** One worker and the quarantine. */
function start({ deadAfter = 60_000, agent = 'Saunter', skew = { ms: 0 } } = {}) {
  const config = loadConfig();
  const told: Told[] = [];
  const givenUp: string[] = [];
  const replaced: number[] = [];
  const segments: string[] = [];
  const fatal: string[] = [];
  const pool = new WorkerPool(
    {
      ...{ secret: new Uint8Array(16), keyOptions: DEFAULT_KEY_OPTIONS, agent, turn: 8, traps: {} },
      scope: { rules: [], fallback: 'accept' },
      fetch: fetchSettings({ config, userAgent: 'Saunter/test' }),
      archive: { warc: '', text: '', prefix: 'x', maxBytes: 1e9, info: { software: 'Saunter' } },
      ...{ dedupe: dedupeSettings(config), documents: documentSettings(config) },
    },
    {
      ...{ workers: 1, concurrency: 8, bodyBudget: 500, heartbeat: 20, deadAfter },
      clock: { ...systemClock, monotonic: () => systemClock.monotonic() + skew.ms },
      script: new URL('../support/fake-page-thread.mjs', import.meta.url),
    },
    {
      reports: ({ reports }) => {
        for (const { lease, code, status: at, bytes: thread } of reports) told.push({ lease, code, at, thread });
      },
      ...{ held: () => {}, near: () => {} },
      segments: (closed) => segments.push(...closed.map(({ name }) => name)),
      fatal: (message) => fatal.push(message),
      replaced: (worker) => replaced.push(worker),
      givenUp: (url, why) => givenUp.push(`${url}: ${why.split('\n', 1)[0]}`),
    },
  );
  pools.push(pool);
  const codeOf = (lease: number) => told.find((report) => report.lease === lease)?.code;
  return { pool, told, givenUp, replaced, segments, fatal, codeOf };
}

const lease = (id: number, path: string, alone = false): Lease => ({
  ...{ id, kind: 'page', url: id, host: 0, address: 0, connectTo: '127.0.0.1', target: `http://a.test${path}` },
  ...{ origin: 0, redirects: 0, depth: 0, hops: 0, last: null, conditional: false, cookie: null, worker: 0, alone },
  granted: 0,
});

const SOON = { timeout: 10_000, interval: 5 };

test('a page that crashes its own worker takes nothing from the others, and is given up', async () => {
  const { pool, told, givenUp, replaced, codeOf } = start();
  pool.submit([lease(1, '/slow'), lease(2, '/crash', true)]);
  await expect.poll(() => codeOf(2), SOON).toBe('worker.crash-alone');
  expect(givenUp).toEqual(['http://a.test/crash: TypeError: poison']);
  expect(replaced).toEqual([]);
  pool.submit([lease(3, '/ok')]);
  await expect.poll(() => codeOf(3), SOON).toBe('ok');
  expect(told.map(({ lease }) => lease)).toEqual([2, 3]);
  expect(told[1].at).toBe(2); // the same thread, which still has the first
});

test('one that hangs it is found by its heartbeat, and what it held of bodies is given back', async () => {
  const { pool, givenUp, codeOf } = start({ deadAfter: 300 });
  pool.submit([lease(1, '/slow'), lease(2, '/hang', true)]);
  await expect.poll(() => pool.bodies, SOON).toBe(1_000);
  expect([pool.isFull, pool.room()[0]]).toEqual([true, 7]);
  await expect.poll(() => codeOf(2), SOON).toBe('worker.hang-alone');
  expect(givenUp).toHaveLength(1);
  await expect.poll(() => pool.bodies, SOON).toBe(0);
  expect([pool.isFull, pool.room()[0]]).toEqual([false, 7]);
});

test('one that kills it while nothing is parsed is charged too: it was alone', async () => {
  const { pool, givenUp, codeOf } = start();
  pool.submit([lease(1, '/unnoted', true)]);
  await expect.poll(() => codeOf(1), SOON).toBe('worker.crash-alone');
  expect(givenUp).toEqual(['http://a.test/unnoted: exit code 7']);
});

test('pages in quarantine are read one after the other, and a death does not stop the next', async () => {
  const { pool, told, codeOf } = start();
  pool.submit([lease(1, '/ok', true), lease(2, '/crash', true), lease(3, '/ok', true), lease(4, '/ok', true)]);
  await expect.poll(() => codeOf(4), SOON).toBe('ok');
  expect(told.map(({ lease, code }) => `${lease} ${code}`)).toEqual(['1 ok', '2 worker.crash-alone', '3 ok', '4 ok']);
  expect(told.filter(({ code }) => code === 'ok').map(({ at }) => at)).toEqual([1, 1, 1]);
});

test('a worker that does not come up charges nobody, and is not started for ever', async () => {
  const { pool, told, replaced, fatal, codeOf } = start({ agent: 'stillborn' });
  pool.submit([lease(1, '/ok', true)]);
  await expect.poll(() => codeOf(1), SOON).toBe('lease.returned');
  expect(replaced).toEqual([1]);
  for (let id = 2; fatal.length === 0 && id < 40; id++) {
    pool.submit([lease(id, '/ok', true)]);
    await expect.poll(() => fatal.length > 0 || codeOf(id) !== undefined, SOON).toBe(true);
  }
  expect(fatal).toEqual(['page workers keep dying; the last one said: exit code 9']);
  expect(new Set(told.map(({ code }) => code))).toEqual(new Set(['lease.returned']));
});

test('its worker is ended when it is idle, with its segments, and started again for the next page', async () => {
  const skew = { ms: 0 };
  const { pool, told, segments, codeOf } = start({ deadAfter: 600_000, skew });
  pool.submit([lease(1, '/ok', true)]);
  await expect.poll(() => codeOf(1), SOON).toBe('ok');
  expect(segments).toEqual([]);
  skew.ms = 31_000;
  await expect.poll(() => segments, SOON).toEqual(['x-1']);
  pool.submit([lease(2, '/ok', true)]);
  await expect.poll(() => codeOf(2), SOON).toBe('ok');
  expect(told[1].thread).not.toBe(told[0].thread);
  await pool.close();
  expect(segments.slice(1).sort()).toEqual(['x-0', 'x-2']);
});

test('a stop ends what it reads, and what waits for it returns unfetched', async () => {
  const { pool, codeOf } = start();
  pool.submit([lease(1, '/slow', true), lease(2, '/slow', true)]);
  pool.abort();
  expect(codeOf(2)).toBe('lease.returned');
  await expect.poll(() => codeOf(1), SOON).toBe('lease.returned');
  await pool.close();
});
