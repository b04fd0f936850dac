import { existsSync, readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openSqliteReader } from '../../src/engines/sqlite.js';
import { pinnedAddress } from '../../src/fetch/pins.js';
import { afterBegin, configFile, crawl, removeScratches, saunter, scratch, start } from '../support/saunter.js';
import { type Asked, links, Sites } from '../support/sites.js';

const PAGES = 18;
const HOSTS = ['a.test', 'b.test'];
let site: Sites;

beforeAll(async () => {
  site = await Sites.start(
    Object.fromEntries(HOSTS.map((host) => [host, tree])),
    HOSTS.map((host) => pinnedAddress(host, '127.80.0.0/16')),
  );
});
beforeEach(() => {
  site.log.length = 0;
});
afterAll(async () => {
  await site.stop();
  removeScratches();
});

/** Page n links to 2n + 1 and 2n + 2, and has 3 KB of text that no other page has and that does not compress well. */
function tree(target: string, { host }: Asked): string | undefined {
  const n = target === '/' ? 0 : Number(/^\/(\d+)$/.exec(target)?.[1] ?? -1);
  if (n < 0 || n >= PAGES) return undefined;
  let state = n + host.charCodeAt(0) * 1000;
  const words = Array.from({ length: 500 }, () => {
    state = (state * 48271) % 2147483647;
    return state.toString(36);
  });
  return `${links(...[2 * n + 1, 2 * n + 2].filter((m) => m < PAGES).map((m) => `/${m}`))}<p>${words.join(' ')}</p>`;
}

/** Small segments and batches, so that there are many of each; the debt of hosts after an unclean stop is shortened
 * from 10 s, the waits between attempts from 30 s and more. */
const command = (dir: string): string[] => [
  ...[...HOSTS.map((host) => site.url(host)), '--dir', dir, '--delay', '5ms', '--patience', '3s'],
  ...['--allow-private', '127.0.0.0/8', '--resolve', '*.test=127.80.0.0/16'],
  ...[
    '--config',
    configFile({
      ...{ 'segment.bytes': '64KiB', 'batch.time': '20ms', 'politeness.factor': 0 },
      ...{ 'unclean.owe': '100ms', 'retry.ladder': ['10ms', '20ms', '30ms', '40ms'] },
    }),
  ],
];

const hook = (env: Record<string, string>) => ({
  env: { ...process.env, ...env, NODE_OPTIONS: `--import=${new URL('../support/disk.mjs', import.meta.url).href}` },
});

/** URLs whose visit the store has, in order. */
function acknowledged(dir: string): string[] {
  if (!existsSync(join(dir, 'crawl.sqlite'))) return [];
  const store = openSqliteReader(join(dir, 'crawl.sqlite'));
  const urls = [...store.scan('urls')].flat().map(({ url }) => url);
  const visited = [...store.scan('visits')].flat().map(({ url }) => urls[url]);
  store.close();
  return visited;
}

/** Goes on until the end, on a good disk: nothing that was acknowledged is lost, or fetched again. */
async function goesOn(dir: string): Promise<void> {
  const before = acknowledged(dir);
  site.log.length = 0;
  const { code, summary, err } = await crawl(command(dir));
  expect([code, summary.pages, summary.pending, summary.deadLetters], err).toEqual([0, HOSTS.length * PAGES, 0, 0]);
  expect(acknowledged(dir).slice(0, before.length)).toEqual(before);
  const again = site.log.map(({ host, target }) => site.url(host, target)).filter((url) => before.includes(url));
  expect(again).toEqual([]);
  const verified = await saunter(['verify', '--dir', dir]);
  expect([verified.code, verified.out]).toEqual([0, expect.stringContaining('Everything agrees.')]);
}

describe('a disk that fails stops the crawl with one sentence, and loses nothing that was acknowledged:', () => {
  const NO_ROOM = 'no space is left on the disk; free some, then run the same command again to go on';
  test.each<[string, object, RegExp]>([
    [
      'a segment cannot grow',
      { call: 'writev', file: '-\\d+\\.warc\\.gz\\.open$', after: 6, code: 'ENOSPC' },
      RegExp(`^cannot write .*: ${NO_ROOM}`),
    ],
    [
      'a text segment cannot grow',
      { call: 'writev', file: 'text\\.warc\\.gz\\.open$', after: 4, code: 'ENOSPC' },
      RegExp(NO_ROOM),
    ],
    [
      'a segment cannot be synced',
      { call: 'sync', file: 'warc\\.gz\\.open$', after: 4, code: 'EIO' },
      /^cannot (sync|close) .*: the disk reported an error/,
    ],
    [
      'the index cannot grow',
      { call: 'append', file: 'index\\.cdxj$', after: 4, code: 'ENOSPC' },
      RegExp(`index.cdxj: ${NO_ROOM}`),
    ],
    [
      'the list of leases cannot grow',
      { call: 'write', file: 'leases\\.open', after: 12, code: 'ENOSPC' },
      RegExp(`^cannot write .*leases.open: ${NO_ROOM}`),
    ],
    [
      'the list of leases cannot be made',
      { call: 'write', file: 'leases\\.open', after: 1, code: 'ENOSPC' },
      RegExp(`^cannot write .*leases.open: ${NO_ROOM}`),
    ],
  ])('%s', async (_, fault, sentence) => {
    const dir = scratch();
    const ran = await start(['crawl', '--workers', '1', ...command(dir)], hook({ DISK_FAULT: JSON.stringify(fault) }))
      .over;
    const [code, err] = [ran.code, afterBegin(ran.err)];
    expect(err).toMatch(sentence);
    expect([code, err.trimEnd().split('\n').length], err).toEqual([1, 1]);
    expect(acknowledged(dir).length).toBeLessThan(HOSTS.length * PAGES);
    await goesOn(dir);
  });

  test('the store cannot grow', async () => {
    const dir = scratch();
    // bash counts in KiB; segments end before, so that it is the store that meets the limit
    const ran = await start(['crawl', '--workers', '1', ...command(dir)], { limit: 'ulimit -f 80' }).over;
    const [code, err] = [ran.code, afterBegin(ran.err)];
    expect(err).toMatch(
      /^The disk failed under .*crawl\.sqlite \(could not write it\)\. Check the disk and its free space/,
    );
    expect([code, err.trimEnd().split('\n').length], err).toEqual([1, 1]);
    await goesOn(dir);
  });
});

describe('a power cut that takes every byte that was not synced', () => {
  test.each([12, 32])('after %i requests loses nothing that was acknowledged', async (requests) => {
    const dir = scratch();
    const journal = join(scratch(), 'journal');
    const running = start(['crawl', '--workers', '2', ...command(dir)], hook({ DISK_JOURNAL: journal }));
    while (site.log.length < requests) await new Promise((resolve) => setTimeout(resolve, 2));
    running.child.kill('SIGKILL');
    await running.over;
    const before = acknowledged(dir);
    expect(before.length).toBeGreaterThan(requests / 3);
    expect(cutPower(dir, journal)).toBeGreaterThan(0);
    expect(acknowledged(dir)).toEqual(before);
    await goesOn(dir);
  });
});

/** Cuts all files but those of SQLite (it syncs by itself) at their last synced byte; returns how many bytes went. */
function cutPower(dir: string, journal: string): number {
  const synced = new Map<string, number>();
  for (const line of readFileSync(journal, 'utf8').trimEnd().split('\n')) {
    const [, bytes, path] = /^(\d+) (.*)$/.exec(line)!;
    const name = basename(path).replace(/\.(open|new)$/, '');
    synced.set(name, Math.max(synced.get(name) ?? 0, Number(bytes)));
  }
  let lost = 0;
  for (const folder of [join(dir, 'warc'), join(dir, 'text'), dir]) {
    for (const file of readdirSync(folder)) {
      if (!/\.warc\.gz|cdxj$|leases/.test(file)) continue;
      const path = join(folder, file);
      const keep = synced.get(file.replace(/\.open$/, '')) ?? 0;
      const { size } = statSync(path);
      if (size > keep) truncateSync(path, keep);
      lost += Math.max(size - keep, 0);
    }
  }
  return lost;
}
