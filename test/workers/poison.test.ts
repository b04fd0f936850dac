import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load-config.js';
import { openDatabase } from '../../src/engines/database.js';
import { pinnedAddress } from '../../src/fetch/pins.js';
import { built, removeScratches, type Summary, saunter, scratch } from '../support/saunter.js';
import { links, type Site, Sites } from '../support/sites.js';

const GOOD = Array.from({ length: 30 }, (_, i) => `/good/${i}`);
const MANY = Array.from({ length: 100 }, (_, i) => `/good/${i}`);
/** Each at an address of its own, so that they are fetched at the same time. */
const HOSTS = ['p.test', 'q.test', 'r.test', 's.test', 't.test'];
const NETWORK = '127.81.0.0/16';

let site: Sites;
let apart: Sites;
beforeAll(async () => {
  const pages =
    (good: readonly string[], wait: number, ...poison: string[]) =>
    (target: string, { host }: { host: string }) => {
      const half = good.length / 2;
      if (target === '/') return `${links(...good.slice(0, half), ...poison, ...good.slice(half))}${host}`;
      if (target === '/robots.txt') return undefined;
      return { body: `<title>${target}</title>${target} of ${host}`, wait };
    };
  site = await Sites.start({
    'a.test': pages(GOOD, 5, '/crash'),
    'b.test': pages(GOOD, 5, '/exit'),
    'c.test': pages(GOOD, 5, '/hang'),
    'd.test': pages(GOOD, 5),
  });
  const innocent = pages(MANY, 40);
  const poisonous =
    (path: string, wait = 0): Site =>
    (target, asked) =>
      target === '/' ? { body: links(path), wait } : innocent(target, asked);
  apart = await Sites.start(
    {
      ...Object.fromEntries(HOSTS.map((host) => [host, innocent])),
      ...{ 'x.test': poisonous('/crash'), 'y.test': poisonous('/hang', 500) }, // the other has died by then
    },
    [...HOSTS, 'x.test', 'y.test'].map((host) => pinnedAddress(host, NETWORK)),
  );
});
afterEach(() => {
  apart.log.length = 0;
});
afterAll(async () => {
  await site.stop();
  await apart.stop();
  removeScratches();
});

interface Letter {
  url: string;
  code: string;
  attempts: number;
}

async function letters(dir: string): Promise<Letter[]> {
  const { out } = await saunter(['list', 'dead', '--dir', dir, '--json']);
  const lines = out.trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Letter).sort((a, b) => (a.url < b.url ? -1 : 1));
}

/** The requests of a crawl, in their order. */
function requestsOf(dir: string): { path: string; code: string; ended: number }[] {
  const db = openDatabase(join(dir, 'crawl.sqlite'), { readOnly: true });
  try {
    const rows = db.prepare('SELECT target, code, ended FROM requests ORDER BY id').all();
    return (rows as { target: string; code: string; ended: number }[]).map(({ target, code, ended }) => ({
      ...{ path: new URL(target).pathname, code, ended },
    }));
  } finally {
    db.close();
  }
}

async function expectWhole(dir: string): Promise<void> {
  for (const folder of ['warc', 'text']) {
    expect(readdirSync(join(dir, folder)).filter((name) => name.endsWith('.open'))).toEqual([]);
  }
  const verified = await saunter(['verify', '--dir', dir]);
  expect([verified.code, verified.out]).toEqual([0, expect.stringContaining('Everything agrees.')]);
}

test('pages that kill their worker become dead letters, all others are fetched, and the archive is whole', {
  timeout: 60_000,
}, async () => {
  const { runCrawl } = await built<typeof import('../../src/embedded/run.js')>('embedded/run.js');
  const dir = scratch();
  // Shortened, all of them: heartbeats from 2 s and 10 s, and the waits between attempts from 30 s to 15 min.
  const config = loadConfig(
    { worker: { heartbeat: '100ms', deadAfter: '1500ms' }, 'retry.ladder': ['10ms', '10ms', '10ms', '10ms'] },
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
  // two attempts each, the second in quarantine: whoever was only in the same worker is not charged
  expect(summary.errors).toMatchObject({
    ...{ 'worker.crash': 2, 'worker.hang': 1, 'worker.crash-alone': 2, 'worker.hang-alone': 1 },
  });
  const saying = (words: string) => remarks.filter((remark) => remark.includes(words)).length;
  expect([saying('was replaced: TypeError: poison'), saying('was replaced: exit code 7')]).toEqual([1, 1]);
  expect(saying('was replaced: no heartbeat')).toBeGreaterThanOrEqual(1); // on a busy machine an innocent one may be silent too
  for (const [url, why] of [
    [site.url('a.test', '/crash'), 'TypeError: poison'],
    [site.url('b.test', '/exit'), 'exit code 7'],
    [site.url('c.test', '/hang'), 'no heartbeat'],
  ]) {
    expect(saying(`${url} killed a page worker again, its own, and is given up: ${why}`)).toBe(1);
  }
  expect(await letters(dir)).toMatchObject([
    { url: site.url('a.test', '/crash'), code: 'worker.crash-alone', attempts: 2 },
    { url: site.url('b.test', '/exit'), code: 'worker.crash-alone', attempts: 2 },
    { url: site.url('c.test', '/hang'), code: 'worker.hang-alone', attempts: 2 },
  ]);
  await expectWhole(dir);
});

test('a page that kills its worker is requested twice, and its second death costs no other page a request', {
  timeout: 60_000,
}, async () => {
  const { runCrawl } = await built<typeof import('../../src/embedded/run.js')>('embedded/run.js');
  const dir = scratch();
  const config = loadConfig(
    { worker: { heartbeat: '100ms', deadAfter: '2s' }, 'retry.ladder': ['1s', '1s', '1s', '1s'] },
    { 'allow-private': ['127.0.0.0/8'], resolve: [`*.test=${NETWORK}`], delay: '0', workers: '1', scope: 'any' },
  );
  const summary = await runCrawl(
    {
      ...{ seeds: [...HOSTS, 'x.test', 'y.test'].map((host) => apart.url(host)), dir, add: false, config },
      ...{ userAgent: 'Saunter/test', signal: new AbortController().signal },
    },
    { progress: () => {}, say: () => {} },
    new URL('../support/poison-thread.mjs', import.meta.url),
  );
  expect(summary).toMatchObject({ pages: HOSTS.length * (1 + MANY.length) + 2, pending: 0, deadLetters: 2 });
  const poison = ['/crash', '/hang'].map((target) => apart.log.filter((asked) => asked.target === target));
  expect(poison.map((asked) => asked.length)).toEqual([2, 2]);

  // whoever came back unfetched was in the worker that a page killed for the first time
  const rows = requestsOf(dir);
  const first = rows.filter(({ code }) => code === 'worker.crash' || code === 'worker.hang');
  const returned = rows.filter(({ code }) => code === 'lease.returned');
  expect(first.map(({ path }) => path)).toEqual(['/crash', '/hang']);
  expect(returned.length).toBeGreaterThan(0);
  expect(returned.filter(({ ended }) => !first.some((death) => death.ended === ended))).toEqual([]);
  const asked = apart.log.filter(({ target }) => target.startsWith('/good/'));
  expect(asked.length).toBeLessThanOrEqual(HOSTS.length * MANY.length + returned.length);
  const second = Math.max(...poison.map(([, again]) => again.at));
  expect(asked.some(({ at }) => at > second)).toBe(true); // others were under way when it died again
  await expectWhole(dir);
});

test('after kill -9 between its attempts the page is in quarantine still', { timeout: 60_000 }, async () => {
  const dir = scratch();
  const settings = JSON.stringify({ delay: '0', workers: 1, scope: 'any', 'retry.ladder': ['4s', '1s', '1s', '1s'] });
  const run = () => {
    const script = fileURLToPath(new URL('../support/poison-crawl.mjs', import.meta.url));
    const child = spawn(process.execPath, [script, dir, settings, apart.url('x.test')]);
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    const over = new Promise<void>((resolve) => child.on('close', () => resolve()));
    return { child, over, said: () => out };
  };
  const first = run();
  await expect.poll(first.said, { timeout: 20_000 }).toContain('was replaced: TypeError: poison');
  await sleep(1_000); // its row is committed, and its second attempt is not due yet
  first.child.kill('SIGKILL');
  await first.over;
  const again = run();
  await again.over;
  const summary = JSON.parse(again.said().trimEnd().split('\n').at(-1)!) as Summary;
  expect(summary).toMatchObject({ pages: 1, pending: 0, deadLetters: 1 });
  expect(summary.errors).toMatchObject({ 'worker.crash': 1, 'worker.crash-alone': 1 });
  expect(again.said()).not.toContain('was replaced');
  expect(apart.asked('x.test').filter((target) => target === '/crash')).toHaveLength(2);
  expect(await letters(dir)).toMatchObject([{ code: 'worker.crash-alone', attempts: 2 }]);
  await expectWhole(dir);
});
