import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load-config.js';
import { built, removeScratches, saunter, scratch } from '../support/saunter.js';
import { links, Sites } from '../support/sites.js';

const GOOD = Array.from({ length: 30 }, (_, i) => `/good/${i}`);

let site: Sites;
beforeAll(async () => {
  const pages =
    (...poison: string[]) =>
    (target: string) => {
      if (target === '/') return links(...GOOD.slice(0, 15), ...poison, ...GOOD.slice(15));
      if (target === '/robots.txt') return undefined;
      return { body: `<title>${target}</title>${target}`, wait: 5 };
    };
  site = await Sites.start({
    'a.test': pages('/crash'),
    'b.test': pages('/exit'),
    'c.test': pages('/hang'),
    'd.test': pages(),
  });
});
afterAll(async () => {
  await site.stop();
  removeScratches();
});

test('pages that kill their worker become dead letters, all others are fetched, and the archive is whole', {
  timeout: 60_000,
}, async () => {
  const { runCrawl } = await built<typeof import('../../src/embedded/run.js')>('embedded/run.js');
  const dir = scratch();
  // Shortened, all of them: heartbeats from 2 s and 10 s, and two waits between attempts instead of four of 30 s to
  // 15 min.
  const config = loadConfig(
    { worker: { heartbeat: '100ms', deadAfter: '1500ms' }, 'retry.ladder': ['10ms', '10ms'] },
    { 'allow-private': ['127.0.0.0/8'], resolve: ['*.test=127.0.0.1'], delay: '0', workers: '2', scope: 'any' },
  );
  const seeds = ['a.test', 'b.test', 'c.test', 'd.test'].map((host) => site.url(host));
  const remarks: string[] = [];
  const summary = await runCrawl(
    { seeds, dir, add: false, config, userAgent: 'Saunter/test', signal: new AbortController().signal },
    { progress: () => {}, say: (sentence) => remarks.push(sentence) },
    new URL('../support/poison-thread.mjs', import.meta.url),
  );

  const good = 4 * (1 + GOOD.length);
  expect(summary).toMatchObject({ pages: good, pending: 0, deadLetters: 3, known: good + 3 });
  // three attempts each: whoever was only in the same worker is not charged
  expect(summary.errors).toMatchObject({ 'worker.crash': 6, 'worker.hang': 3 });
  const replaced = (why: string) => remarks.filter((words) => words.includes(`was replaced: ${why}`)).length;
  expect([replaced('TypeError: poison'), replaced('exit code 7')]).toEqual([3, 3]);
  expect(replaced('no heartbeat')).toBeGreaterThanOrEqual(3); // on a busy machine an innocent one may be silent too

  for (const folder of ['warc', 'text']) {
    expect(readdirSync(join(dir, folder)).filter((name) => name.endsWith('.open'))).toEqual([]);
  }
  const dead = await saunter(['list', 'dead', '--dir', dir, '--json']);
  const lines = dead.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { url: string; attempts: number });
  const paths = lines.map(({ url, attempts }) => [new URL(url).pathname, attempts]);
  expect(paths.sort()).toEqual([
    ['/crash', 3],
    ['/exit', 3],
    ['/hang', 3],
  ]);
  const verified = await saunter(['verify', '--dir', dir]);
  expect([verified.code, verified.out]).toEqual([0, expect.stringContaining('Everything agrees.')]);
});
