/** The built store in processes and threads of its own: killed at any moment, read by others, read beside commits. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Changes } from '../../src/changes.js';
import { openDatabase } from '../../src/engines/database.js';
import { openSqliteReader, openSqliteStore, type SqliteStore } from '../../src/engines/sqlite.js';
import { seededRandom } from '../../src/engines/system.js';
import { type Built, build } from './built.js';
import { changes, crawled, everything, hostRow, requestRow } from './rows.js';

let built: Built;
let dir: string;
let path: string;
const children: ChildProcess[] = [];
beforeAll(() => {
  built = build();
});
afterAll(() => built.remove());
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'saunter-kill-'));
  path = join(dir, 'crawl.sqlite');
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  chmodSync(dir, 0o755);
  rmSync(dir, { recursive: true });
});

/** Commits batches of 1 to 200 URLs, each with a request and a visit, until it is killed; says each that is in. */
const WRITER = `
  const { openSqliteStore } = await import(process.argv[1]);
  const store = openSqliteStore(process.argv[2], { create: true });
  const epoch = await store.beginEpoch();
  const row = (id) => ({ id, url: id, host: 0, kind: 'page', at: 1, status: 200, code: 'ok', bytes: 1 });
  let id = store.count('urls');
  for (let sequence = 1; ; sequence++) {
    const changes = { hosts: [], urls: [], requests: [], visits: [], reparsed: [], robots: [], hostEvents: [], denied: [], dead: [],
      segments: [], seeds: [], meta: [['rows', '']] };
    if (id === 0) changes.hosts.push({ id: 0, name: 'a', domain: 'a', named: true, budget: null, at: 1 });
    for (let i = (sequence * 37) % 200; i >= 0; i--, id++) {
      changes.urls.push({ ...row(id), partition: 0, keyHi: 1, keyLo: id, level: 0, depth: 0, hops: 0, via: -1, url: 'u' + id });
      changes.requests.push({ ...row(id), address: '', target: 'u' + id, started: 1, ended: 2, delay: 1, addressDelay: 1, record: null });
      changes.visits.push({ ...row(id), request: id, finalUrl: null, contentType: '', charset: '', language: '',
        title: 'a'.repeat(id % 999), contentHash: null, payloadDigest: null, simhash: null, etag: null, lastModified: null,
        record: null, text: null, changed: true, duplicateOf: -1, index: true, nextVisit: null, bodyOf: -1, history: null, links: 0, aiPreferences: null,
        parser: 1, fields: null });
    }
    changes.meta[0][1] = String(id);
    await store.commit({ epoch, sequence, changes });
    process.stdout.write(epoch + ' ' + sequence + ' ' + id + '\\n');
  }`;

const startWriter = (): ChildProcess => {
  const script = ['--input-type=module', '-e', WRITER, built.module('engines/sqlite.js'), path];
  const child = spawn(process.execPath, script, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  return child;
};

/** Kills the writer `after` ms after its first commit. @returns the last [epoch, sequence, rows] that it acknowledged. */
function killAfter(child: ChildProcess, after: number): Promise<number[]> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout!.setEncoding('latin1').on('data', (text: string) => {
      if (said === '') setTimeout(() => child.kill('SIGKILL'), after);
      said += text;
    });
    child.on('close', (code) => {
      if (code !== null) reject(new Error(`the writer ended by itself (${code})`));
      const lines = said.slice(0, said.lastIndexOf('\n')).split('\n');
      resolve(lines[lines.length - 1].split(' ').map(Number));
    });
  });
}

const total = (store: SqliteStore, table: 'urls' | 'requests' | 'visits'): number => {
  let rows = 0;
  for (const chunk of store.scan(table)) for (const { id } of chunk) if (id === rows) rows++;
  return rows;
};

/** The second thread gets its turn when the machine lets it. */
const PATIENT = { timeout: 15_000, interval: 100 };

describe('a writer that is killed', () => {
  test('has lost nothing that it acknowledged, and has left whole batches only', { timeout: 60_000 }, async () => {
    const random = seededRandom(20_260_101);
    for (let round = 1; round <= 6; round++) {
      const [epoch, sequence, rows] = await killAfter(startWriter(), random.next() * 120);
      const store = openSqliteStore(path, { create: false });
      const [lastEpoch, lastSequence] = store.lastBatch();
      expect(lastEpoch).toBe(epoch);
      expect(epoch).toBe(round);
      // One more may be in whose acknowledgement was not heard.
      expect(lastSequence - sequence).toBeOneOf([0, 1]);
      const count = store.count('urls');
      expect(count).toBeGreaterThanOrEqual(rows);
      expect(store.meta('rows')).toBe(String(count));
      for (const table of ['urls', 'requests', 'visits'] as const) expect(total(store, table)).toBe(count);
      // Every second time the log is left to the next writer, as a crash leaves it.
      if (round % 2 === 0) store.close();
    }
  });

  test('has left a store that can be read without permission to write', async () => {
    const [, , rows] = await killAfter(startWriter(), 30);
    expect(existsSync(`${path}-wal`)).toBe(true);
    expect(readAsNobody()).toBeGreaterThanOrEqual(rows);
  });
});

/** Counts the URLs as a user who may read everything and write nothing. */
function readAsNobody(): number {
  chmodSync(dir, 0o555);
  const script = `
    const { openSqliteReader } = await import(process.argv[1]);
    const { openDatabase } = await import(process.argv[2]);
    openDatabase(':memory:').close(); // loads the library while we may
    if (process.getuid() === 0) process.setuid(65534);
    const reader = openSqliteReader(process.argv[3]);
    let rows = 0;
    for (const chunk of reader.scan('urls')) rows += chunk.length;
    if (rows !== reader.count('urls')) throw new Error('a scan is short');
    process.stdout.write(String(rows));`;
  const modules = [built.module('engines/sqlite.js'), built.module('engines/database.js')];
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', script, ...modules, path]);
  expect(run.stderr.toString()).toBe('');
  return Number(run.stdout.toString());
}

test('a crawl that was stopped can be read without permission to write', async () => {
  const store = openSqliteStore(path, { create: true });
  await store.commit({ epoch: await store.beginEpoch(), sequence: 1, changes: crawled(0, 50) });
  store.close();
  expect(readAsNobody()).toBe(50);
});

test('a running crawl can be read by another process, whole batches at a time', async () => {
  const writer = startWriter();
  await new Promise((resolve) => writer.stdout!.once('data', resolve));
  for (let i = 0; i < 15; i++) {
    const reader = openSqliteReader(path);
    const counts = (['urls', 'requests', 'visits'] as const).map((table) => reader.count(table));
    expect(new Set([...counts, Number(reader.meta('rows'))]).size).toBe(1);
    expect([...reader.scan('urls')].flat()).toHaveLength(counts[0]);
    reader.close();
  }
});

async function openBuilt(warn?: (sentence: string) => void): Promise<SqliteStore> {
  const module = (await import(built.module('engines/sqlite.js'))) as { openSqliteStore: typeof openSqliteStore };
  return module.openSqliteStore(path, { create: true, reads: 'thread', warn });
}

describe('the second thread', () => {
  let store: SqliteStore;
  beforeEach(async () => {
    store = await openBuilt();
  });
  afterEach(() => store.close());

  test('finds what was committed right before, and rejects what was not', async () => {
    const epoch = await store.beginEpoch();
    for (let i = 0; i < 30; i++) {
      await store.commit({ epoch, sequence: i + 1, changes: crawled(i * 100, 100) });
      const newest = i * 100 + 99;
      const [[found], [visit]] = await Promise.all([store.readUrls([newest], [newest]), store.readVisits([newest])]);
      expect([found.id, found.last?.etag, visit.visit]).toEqual([newest, `"${newest}"`, newest]);
      expect(visit.contentHash).toEqual(crawled(newest, 1).visits[0].contentHash);
    }
    await expect(store.readUrls([3000], [-1])).rejects.toThrow('URL 3000 is not committed');
    await expect(store.readVisits([-1])).rejects.toThrow(RangeError);
  });

  test('answers many questions in their order', async () => {
    const epoch = await store.beginEpoch();
    await store.commit({ epoch, sequence: 1, changes: crawled(0, 1000) });
    const order: number[] = [];
    const asked = Array.from({ length: 500 }, async (_, i) => {
      const [{ id }] = await store.readUrls([i], [-1]);
      order.push(id);
    });
    await Promise.all(asked);
    expect(order).toEqual(Array.from({ length: 500 }, (_, i) => i));
  });

  test('keeps the log short while commits follow one another', async () => {
    const epoch = await store.beginEpoch();
    for (let i = 0; i < 60; i++) await store.commit({ epoch, sequence: i + 1, changes: crawled(i * 100, 100) });
    await store.readUrls([0], [-1]);
    // All of it is some 3 MB, written many times over page by page.
    expect(statSync(`${path}-wal`).size).toBeLessThan(12 * 2 ** 20);
    expect(statSync(path).size).toBeGreaterThan(2 ** 18);
  });

  test('names a reader that keeps the log from being used again, once', async () => {
    store.close();
    const said: string[] = [];
    store = await openBuilt((sentence) => said.push(sentence));
    const epoch = await store.beginEpoch();
    let sequence = 0;
    const robots = Array.from({ length: 10 }, (_, i) => ({
      ...everything().robots[0],
      at: i,
      body: new Uint8Array(500_000),
    }));
    const commit = (over: Partial<Changes>) => store.commit({ epoch, sequence: ++sequence, changes: changes(over) });
    await commit({ hosts: [hostRow(0)], requests: [requestRow(0), requestRow(1)] });
    const viewer = openDatabase(path, { readOnly: true });
    viewer.exec('BEGIN; SELECT count(*) FROM hosts');
    for (let i = 0; i < 24; i++) await commit({ robots });
    await vi.waitFor(async () => {
      await commit({ robots: robots.slice(0, 1) });
      expect(said).toHaveLength(1);
    }, PATIENT);
    expect(said[0]).toMatch(/crawl\.sqlite-wal has grown to \d+(\.\d+)? MB because another program keeps a read/);
    for (let i = 0; i < 8; i++) await commit({ robots: robots.slice(0, 1) });
    viewer.exec('COMMIT');
    viewer.close();
    const grown = statSync(`${path}-wal`).size;
    // The next checkpoints find nobody in their way.
    await vi.waitFor(async () => {
      await commit({ robots: robots.slice(0, 1) });
      expect(statSync(`${path}-wal`).size).toBeLessThan(grown);
    }, PATIENT);
    expect(said).toHaveLength(1);
  });

  test('closing leaves one file, and rejects what waits', async () => {
    const epoch = await store.beginEpoch();
    await store.commit({ epoch, sequence: 1, changes: crawled(0, 100) });
    await store.readUrls([1], [1]);
    const waiting = store.readUrls([1], [1]);
    store.close();
    await expect(waiting).rejects.toThrow('the store was closed');
    expect([existsSync(`${path}-wal`), existsSync(`${path}-shm`)]).toEqual([false, false]);
  });
});
