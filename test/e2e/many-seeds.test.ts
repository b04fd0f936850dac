import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load-config.js';
import type { CrawlOptions } from '../../src/crawl-options.js';
import { openDatabase } from '../../src/engines/database.js';
import { built, crawl, program, removeScratches, saunter, scratch } from '../support/saunter.js';
import { links, Sites } from '../support/sites.js';

/** More than are admitted together. */
const MANY = 10_000;
const CHUNK = 4096;

let site: Sites;
beforeAll(async () => {
  site = await Sites.start({
    '*': (target, { host }) => (target.startsWith('/seed') ? links(`/from${target}`) : `${host} ${target}`),
  });
});
afterAll(async () => {
  await site.stop();
  removeScratches();
});

const seeds = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, i) => site.url(`h${(from + i) % 100}.test`, `/seed${from + i}`));

function listOf(lines: readonly string[]): string {
  const file = join(scratch(), 'seeds.txt');
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
  return file;
}

const LOCAL = ['--resolve', '*.test=127.0.0.1', '--allow-private', '127.0.0.0/8'];
/** Long enough for a few requests of each host. */
const SHORT = ['--max-duration', '2s'];

const rowsOf = (dir: string, sql: string): Record<string, unknown>[] => {
  const db = openDatabase(join(dir, 'crawl.sqlite'), { readOnly: true });
  try {
    return db.prepare(sql).all() as Record<string, unknown>[];
  } finally {
    db.close();
  }
};
/** Admits seeds and fetches nothing: it is interrupted before it begins. */
async function begin(dir: string, given: readonly string[], flags: Record<string, string> = {}): Promise<void> {
  const { runCrawl } = await built<typeof import('../../src/embedded/run.js')>('embedded/run.js');
  const config = loadConfig(
    {},
    { 'allow-private': ['127.0.0.0/8'], resolve: ['*.test=127.0.0.1'], workers: '1', ...flags },
  );
  const options = { seeds: given, dir, add: false, config, userAgent: 'Saunter/test', signal: AbortSignal.abort() };
  await runCrawl(options, { progress: () => {}, say: () => {} });
}

const seedsKnown = (dir: string): number => {
  const [{ n }] = rowsOf(dir, 'SELECT count(DISTINCT u.url) AS n FROM seeds s JOIN urls u ON u.id = s.url');
  return Number(n);
};

test('seeds that are still being admitted when the crawl is killed are lost by none: the same list goes on', {
  timeout: 120_000,
}, async () => {
  const dir = scratch();
  const all = seeds(MANY);
  const child = spawn(process.execPath, [program, 'crawl', '--workers', '1', '--seeds', '-', '--dir', dir, ...LOCAL], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin.on('error', () => {}); // it is killed while it reads
  child.stdin.write(
    all
      .slice(0, 2 * CHUNK + 100)
      .map((line) => `${line}\n`)
      .join(''),
  );
  for (let known = 0; known < 2 * CHUNK; await sleep(50)) {
    known = existsSync(join(dir, 'checkpoint')) || existsSync(join(dir, 'leases.open')) ? seedsKnown(dir) : 0;
  }
  child.kill('SIGKILL');
  await once(child, 'close');
  expect(seedsKnown(dir)).toBe(2 * CHUNK);
  // without --add: it had not come to the end of its seeds
  const { summary } = await crawl(['--seeds', listOf(all), '--dir', dir, ...LOCAL, ...SHORT]);
  expect(seedsKnown(dir)).toBe(MANY);
  expect(summary.known).toBeGreaterThanOrEqual(MANY);
  // now it has, and another list is another crawl
  const { code: refused, err } = await saunter(['crawl', '--seeds', listOf(seeds(1, MANY)), '--dir', dir, ...LOCAL]);
  expect([refused, err]).toEqual([2, expect.stringContaining('holds a crawl with other seeds')]);
  expect(seedsKnown(dir)).toBe(MANY);
});

test('Ctrl-C stops a crawl that waits for more seeds, and what was read is kept', { timeout: 120_000 }, async () => {
  const dir = scratch();
  const args = [program, 'crawl', '--workers', '1', '--seeds', '-', '--dir', dir, ...LOCAL];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'ignore'] });
  child.stdin.on('error', () => {});
  child.stdin.write(
    seeds(CHUNK + 10)
      .map((line) => `${line}\n`)
      .join(''),
  );
  for (let known = 0; known < CHUNK; await sleep(50))
    known = existsSync(join(dir, 'leases.open')) ? seedsKnown(dir) : 0;
  child.kill('SIGINT'); // its input stays open
  const [code] = await once(child, 'close');
  expect([code, seedsKnown(dir)]).toEqual([130, CHUNK]);
});

test('a line that is no URL is named, what stands before it has joined, and the list goes on when it is mended', {
  timeout: 120_000,
}, async () => {
  const dir = scratch();
  const all = seeds(MANY);
  const broken = [...all.slice(0, 9_000), 'mailto:x@y', ...all.slice(9_000)];
  const file = listOf(broken);
  const { code, err } = await saunter(['crawl', '--seeds', file, '--dir', dir, ...LOCAL]);
  expect([code, err]).toEqual([2, expect.stringContaining(`"mailto:x@y" (line 9001 of ${file})`)]);
  expect(seedsKnown(dir)).toBe(2 * CHUNK);
  await crawl(['--seeds', listOf(all), '--dir', dir, ...LOCAL, ...SHORT]);
  expect(seedsKnown(dir)).toBe(MANY);
  // among the first it is found before anything is begun
  const other = join(scratch(), 'none');
  expect((await saunter(['crawl', '--seeds', listOf(['mailto:x@y']), '--dir', other, ...LOCAL])).code).toBe(2);
  expect(existsSync(other)).toBe(false);
});

test('a list that was admitted whole is not read again, and one that grew needs --add', {
  timeout: 120_000,
}, async () => {
  const { runCrawl } = await built<typeof import('../../src/embedded/run.js')>('embedded/run.js');
  const dir = scratch();
  const config = loadConfig(
    {},
    { 'allow-private': ['127.0.0.0/8'], resolve: ['*.test=127.0.0.1'], workers: '1', 'max-duration': '1s' },
  );
  let read = 0;
  const run = (count: number, digest: string | null, more: Partial<CrawlOptions> = {}) => {
    read = 0;
    function* given() {
      for (const seed of seeds(count)) {
        read++;
        yield seed;
      }
    }
    const options = {
      dir,
      add: false,
      config,
      userAgent: 'Saunter/test',
      signal: new AbortController().signal,
      ...more,
    };
    const ui = { progress: () => {}, say: () => {} };
    return runCrawl({ ...options, seeds: given(), seedsDigest: async () => digest }, ui);
  };
  await run(MANY, 'one');
  expect([read, seedsKnown(dir)]).toEqual([MANY, MANY]);
  await run(MANY, 'one');
  expect([read, seedsKnown(dir)]).toEqual([CHUNK, MANY]);
  await run(MANY, null); // nothing tells whether it is the same
  expect([read, seedsKnown(dir)]).toEqual([MANY, MANY]);
  await expect(run(MANY + 1, 'two')).rejects.toThrow('holds a crawl with other seeds');
  expect(seedsKnown(dir)).toBe(MANY);
  await run(MANY + 1, 'two', { add: true });
  expect(seedsKnown(dir)).toBe(MANY + 1);
  // interrupted on the way, it goes on
  const aborted = AbortSignal.abort();
  await run(MANY + 9_000, 'three', { add: true, signal: aborted });
  expect(seedsKnown(dir)).toBe(MANY + 1);
  await run(MANY + 9_000, 'three');
  expect(seedsKnown(dir)).toBe(MANY + 9_000);
});

test.each(['domain', 'host', 'prefix'])(
  'without its seeds a crawl goes on within the scope (%s) that they drew',
  {
    timeout: 120_000,
  },
  async (scope) => {
    const dir = scratch();
    const far = site.url('elsewhere.org', '/seed/x');
    const server = await Sites.start(
      { '*': (target) => (target === '/seed1' ? links('/seed1/more', far) : 'a page') },
      ['127.0.0.1'],
      0,
    );
    try {
      const seed = server.url('h1.test', '/seed1');
      const flags = ['--dir', dir, ...LOCAL, '--resolve', '*.org=127.0.0.1', '--scope', scope, '--patience', '5s'];
      await begin(dir, [seed], { scope });
      const { summary } = await crawl(flags);
      expect(summary).toMatchObject({ known: 2, pages: 2, rejected: { scope: 1 } });
    } finally {
      await server.stop();
    }
  },
);

test('a store of before there was a table of seeds opens, and its seeds still draw the scope', {
  timeout: 120_000,
}, async () => {
  const dir = scratch();
  const flags = ['--dir', dir, ...LOCAL, '--patience', '5s'];
  const seed = site.url('h7.test', '/seed7');
  await begin(dir, [seed]);
  const db = openDatabase(join(dir, 'crawl.sqlite'));
  db.exec(`DROP TABLE seeds; INSERT INTO meta VALUES ('seeds', '${JSON.stringify([seed])}');
    UPDATE meta SET value = '4' WHERE key = 'schema'; PRAGMA user_version = 4`);
  db.close();
  const { summary } = await crawl([seed, ...flags]);
  expect(summary).toMatchObject({ known: 2, pages: 2, rejected: {} });
});

test('a program may give seeds as they come', { timeout: 120_000 }, async () => {
  const { createCrawler } = await built<typeof import('../../src/index.js')>('index.js');
  async function* given() {
    for (const seed of seeds(MANY)) yield seed;
  }
  const options = { allowPrivate: ['127.0.0.0/8'], resolve: ['*.test=127.0.0.1'], workers: 1, maxDuration: '1s' };
  const dir = scratch();
  await createCrawler({ seeds: given(), dir, ...options }).run();
  expect(seedsKnown(dir)).toBe(MANY);
  const bad = createCrawler({ seeds: new Set(['mailto:x@y']), dir: scratch(), ...options });
  await expect(bad.run()).rejects.toThrow('"mailto:x@y" (seeds[0])');
});
