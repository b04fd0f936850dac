import { existsSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pinnedAddress } from '../../src/fetch/pins.js';
import type { FakeProcess } from '../cli/process.js';
import {
  configFile,
  crawl,
  removeScratches,
  type Summary,
  saunter,
  scratch,
  start,
  summaryOf,
} from '../support/saunter.js';
import { type Asked, links, Sites } from '../support/sites.js';

const PAGES = 40;
const HOSTS = ['a.test', 'b.test', 'c.test'];
const LOCAL = ['--allow-private', '127.0.0.0/8', '--resolve', '*.test=127.80.0.0/16', '--patience', '20s'];

let site: Sites;
/** While true, nobody is answered. */
let hanging = false;

beforeAll(async () => {
  site = await Sites.start(
    {
      ...Object.fromEntries(HOSTS.map((host) => [host, tree])),
      'odd.test': odd,
      'hang.test': () => ({ body: 'here I am', wait: hanging ? 60_000 : 0 }),
    },
    [...HOSTS, 'odd.test', 'hang.test'].map((host) => pinnedAddress(host, '127.80.0.0/16')),
  );
});
beforeEach(() => {
  site.log.length = 0;
});
afterAll(async () => {
  await site.stop();
  removeScratches();
});

/** Page n links to 2n + 1 and 2n + 2. */
function tree(target: string, { host }: Asked): string | undefined {
  const n = target === '/' ? 0 : Number(/^\/(\d+)$/.exec(target)?.[1] ?? -1);
  if (n < 0 || n >= PAGES) return undefined;
  return links(...[2 * n + 1, 2 * n + 2].filter((m) => m < PAGES).map((m) => `/${m}`)) + host + target;
}

/** Something of everything that is counted. */
function odd(target: string) {
  if (target === '/robots.txt') return { body: 'User-agent: *\nDisallow: /secret' };
  if (target === '/') {
    return links(
      '/secret',
      '/copy',
      '/copy-2',
      '/gone',
      '/moved',
      'http://elsewhere.example/',
      'mailto:x@example.org',
      '/x/x/x/x',
    );
  }
  if (target.startsWith('/copy')) return 'the very same words';
  return target === '/moved' ? { status: 301, headers: { Location: '/copy' } } : undefined;
}

const seeds = HOSTS.map((host) => () => site.url(host));
const all = (dir: string, ...args: string[]) => [
  ...seeds.map((seed) => seed()),
  '--dir',
  dir,
  '--delay',
  '40ms',
  ...LOCAL,
  ...args,
];

/** Every page of the trees, so many times. */
const fetched = () =>
  site.log.filter(({ target }) => target !== '/robots.txt').map(({ host, target }) => host + target);

describe('a crawl that is interrupted', () => {
  test('ends with exit code 130, says how to go on, and the same command fetches each page once', async () => {
    const dir = scratch();
    const interrupted = await crawl(all(dir), (process) => interruptAfter(12, process));
    expect(interrupted.code).toBe(130);
    expect(interrupted.err).toContain('Stopping: what is open is finished and made durable.');
    expect(interrupted.err).toContain(`Stopped. To go on: saunter crawl --dir ${dir} with the same options.`);
    const { pages, pending, requests } = interrupted.summary;
    expect(pages).toBeGreaterThanOrEqual(9);
    expect(pages).toBeLessThan(3 * PAGES);
    expect([pending > 0, requests]).toEqual([true, site.log.length]);
    expect((await saunter(['verify', '--dir', dir])).code).toBe(0);

    expect((await saunter(['status', '--dir', dir])).out).toMatch(
      /^state +does not run: it stopped cleanly at 20\S+Z$/m,
    );

    const { code, summary, err } = await crawl(all(dir));
    expect(code).toBe(0);
    expect(interrupted.err).not.toContain('goes on:');
    const held = `It goes on: ${pages} pages held, ${pending} URLs wait; the last run stopped cleanly at 20`;
    expect(err).toContain(held);
    expect(summary).toMatchObject({ pages: 3 * PAGES, pending: 0, deadLetters: 0, requests: 3 * PAGES + 3 });
    expect(new Set(fetched()).size).toBe(3 * PAGES);
    expect(site.log).toHaveLength(3 * PAGES + 3); // and robots.txt once: the answer is kept
    expect((await saunter(['verify', '--dir', dir])).code).toBe(0);
  });

  test('by a real Ctrl-C does the same, and prints its figures', async () => {
    const dir = scratch();
    const running = start(['crawl', '--json', '--workers', '1', ...all(dir)]);
    while (site.log.length < 12) await pause(20);
    running.child.kill('SIGINT');
    const ran = await running.over;
    expect(ran.code).toBe(130);
    expect(ran.err.split('\n', 1)).toEqual([`Crawling into ${dir}; saunter status --dir ${dir} tells how it stands.`]);
    expect(ran.err).toMatch(
      /^Crawling .*\nStopping: .*\nStopped\. To go on: saunter crawl --dir \S+ with the same options\.\n$/,
    );
    expect(summaryOf(ran).requests).toBe(site.log.length);
    expect(readFileSync(join(dir, 'leases.open'), 'latin1')).toMatch(/^saunter leases 1\nclean \d+\n$/);
  });

  test('does not wait long for a server that does not answer, and does not hold it against it', async () => {
    const dir = scratch();
    // Without the rule that a gap is ten times as long as the fetch took: that one lasts as long as our patience.
    const config = configFile({ 'politeness.factor': 0 });
    const args = [site.url('hang.test'), '--dir', dir, '--delay', '40ms', '--config', config, ...LOCAL];
    hanging = true;
    const began = performance.now();
    const { code, summary } = await crawl(args, (process) => interruptAfter(1, process));
    expect(performance.now() - began).toBeLessThan(9_000);
    expect([code, summary.pending, summary.deadLetters]).toEqual([130, 1, 0]);
    hanging = false;
    expect(await crawl(args)).toMatchObject({ code: 0, summary: { pages: 1, pending: 0 } });
  });
});

describe('a crawl with checkpoints', () => {
  test('goes on from the last one after a clean stop and after kill -9, and fetches each page once', async () => {
    const dir = scratch();
    const times = { 'unclean.owe': '100ms', 'retry.ladder': ['100ms', '100ms'] }; // after the kill
    const config = configFile({ 'checkpoint.rows': 1, ...times });
    const interrupted = await crawl(all(dir, '--config', config), (process) => interruptAfter(12, process));
    const checkpoint = join(dir, 'checkpoint', 'state');
    expect([interrupted.code, existsSync(checkpoint)]).toEqual([130, true]);
    const killed = start(['crawl', '--json', '--workers', '1', ...all(dir), '--config', config]);
    while (site.log.length < 40) await pause(20);
    const status = async (...more: string[]) => (await saunter(['status', '--dir', dir, ...more])).out;
    expect(await status()).toMatch(new RegExp(`^state +runs, process ${killed.child.pid} since 20\\S+Z$`, 'm'));
    expect(JSON.parse(await status('--json'))).toMatchObject({ running: { pid: killed.child.pid, holder: 'crawl' } });
    killed.child.kill('SIGKILL');
    await killed.over;
    expect(await status()).toMatch(
      /^state +does not run: it was killed, after 20\S+Z; saunter crawl goes on with it$/m,
    );
    expect(JSON.parse(await status('--json'))).toMatchObject({ running: null, stopped: null, killed: true });
    const committed = readFileSync(checkpoint);

    const last = await crawl(all(dir, '--config', config));
    expect(last.err).not.toContain('checkpoint');
    expect(last.err).toMatch(/It goes on: \d+ pages held, \d+ URLs? waits?; the last run was killed\./);
    expect(last.summary).toMatchObject({ pages: 3 * PAGES, pending: 0, deadLetters: 0 });
    expect(new Set(fetched()).size).toBe(3 * PAGES);
    expect((await saunter(['verify', '--dir', dir])).code).toBe(0);
    expect(readFileSync(checkpoint).equals(committed)).toBe(false);

    truncateSync(checkpoint, 1000);
    const damaged = await crawl(all(dir, '--config', config));
    expect(damaged.err).toContain('The checkpoint is not used: it was cut short. All rows are read instead.');
    expect(damaged.summary).toMatchObject({ pages: 3 * PAGES, pending: 0 });
    const { seconds: _, pagesPerSecond: __, ...figures } = damaged.summary as Summary & Record<string, unknown>;
    expect((await crawl(all(dir, '--config', configFile({ 'checkpoint.rows': 'off' })))).summary).toMatchObject(
      figures,
    );
  });
});

describe('a crawl with a Bloom filter', () => {
  test('fetches each page once over an interruption, builds its filter anew, and says how full it is', async () => {
    const dir = scratch();
    const bloom = { 'seen.filter': 'bloom', 'seen.bloomKeys': 1000, 'seen.bloomEpoch': '1s' };
    const args = all(dir, '--config', configFile(bloom));
    const interrupted = await crawl(args, (process) => interruptAfter(12, process));
    expect(interrupted.code).toBe(130);
    const { summary, code } = await crawl(args);
    expect(code).toBe(0);
    expect(summary).toMatchObject({ pages: 3 * PAGES, known: 3 * PAGES, pending: 0 });
    expect(new Set(fetched()).size).toBe(fetched().length);
    expect(summary).toMatchObject({ seen: { inserted: 3 * PAGES, design: 1000, overfull: false } });
    const status = await saunter(['status', '--dir', dir]);
    expect(status.out).toContain('made for 1,000, ');
    expect(status.out).toMatch(/of new URLs are skipped/);
    // an exact run goes on with it
    expect((await crawl(all(dir))).summary).toMatchObject({ pages: 3 * PAGES, known: 3 * PAGES, seen: null });
  });

  test('says in words that it is overfull, and goes on with one twice as large', async () => {
    const dir = scratch();
    const config = configFile({ 'seen.filter': 'bloom', 'seen.bloomKeys': 1000 });
    const seeds = Array.from({ length: 1100 }, (_, i) => `${site.url('a.test')}missing-${i}`);
    const ran = await crawl([...seeds, '--max-duration', '1s', '--dir', dir, '--config', config, ...LOCAL]);
    expect(ran.err).toContain('The Bloom filter of URLs holds 1,');
    expect(ran.err).toContain('give the next run a larger seen.bloomKeys');
    expect(ran.summary).toMatchObject({ seen: { design: 2000, epoch: 2, overfull: false } });
  });

  test('does not go with revisits', async () => {
    const config = configFile({ 'seen.filter': 'bloom' });
    const { code, err } = await saunter(['crawl', ...all(scratch(), '--config', config, '--revisit', 'adaptive')]);
    expect([code, err]).toEqual([2, expect.stringContaining('A crawl that revisits needs seen.filter exact')]);
  });
});

describe('limits', () => {
  test('--max-pages is exact and counts the whole crawl', async () => {
    const dir = scratch();
    for (const [limit, total] of [
      [10, 10],
      [10, 10],
      [25, 25],
      [1000, 3 * PAGES],
    ]) {
      const { code, summary } = await crawl(all(dir, '--max-pages', String(limit)));
      expect([code, summary.pages]).toEqual([0, total]);
      expect(fetched()).toHaveLength(total);
    }
    expect(new Set(fetched()).size).toBe(3 * PAGES);
  });

  test('--max-duration ends a run, and the next goes on', async () => {
    const dir = scratch();
    const run = () => crawl([site.url('a.test'), '--dir', dir, '--delay', '150ms', ...LOCAL, '--max-duration', '4s']);
    const { code, summary } = await run();
    expect(code).toBe(0);
    expect(summary.seconds).toBeGreaterThanOrEqual(4);
    expect(summary.seconds).toBeLessThan(10);
    expect(summary.pending).toBeGreaterThan(0);
    const next = await run();
    expect(next.summary.pages).toBeGreaterThan(summary.pages);
    expect(new Set(fetched()).size).toBe(fetched().length);
  });
});

describe('a crawl that has ended', () => {
  test('does nothing when it is run again, exits 0, and counts what it counted', async () => {
    const dir = scratch();
    const args = [site.url('odd.test'), '--dir', dir, '--delay', '0', ...LOCAL];
    const first = await crawl(args);
    expect(first.code).toBe(0);
    expect(first.summary).toMatchObject({ pages: 3, duplicates: 1, robotsDenied: 1, errors: { 'http.gone': 1 } });
    expect(first.summary.rejected).toMatchObject({ scope: 1, scheme: 1, repeat: 1 });
    const asked = site.log.length;
    for (let run = 0; run < 2; run++) {
      const again = await crawl(args);
      expect(again.code).toBe(0);
      const { seconds: _, pagesPerSecond: __, ceiling: ___, pagesThisRun: ____, ...figures } = again.summary;
      expect(first.summary).toMatchObject(figures);
    }
    expect(site.log).toHaveLength(asked);
    expect(existsSync(join(dir, 'warc', 'index.cdxj'))).toBe(true);
  });

  test('prints one object with the fields that scripts rely on, in their order', async () => {
    const { out } = await crawl([site.url('odd.test'), '--dir', scratch(), '--delay', '0', ...LOCAL]);
    const lines = out.trimEnd().split('\n');
    expect(lines).toHaveLength(1);
    const summary = JSON.parse(lines[0]) as Record<string, unknown>;
    expect(Object.keys(summary).join(' ')).toBe(
      'pages requests bytes duplicates nearDuplicates hosts known pending waiting deadLetters robotsDenied rejected errors seconds pagesPerSecond ' +
        'pagesThisRun revisits notModified changed freshness ceiling seen suspectedTraps mirrors removed',
    );
    const empty = Object.entries(summary).filter(([, value]) => value === null || value === undefined);
    expect(empty).toEqual([
      ['freshness', null], // of a crawl that does not revisit
      ['seen', null], // and whose keys are exact
    ]);
  });
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function interruptAfter(requests: number, process: FakeProcess): void {
  const timer = setInterval(() => {
    if (site.log.length < requests) return;
    clearInterval(timer);
    process.emit('SIGINT');
  }, 10);
}
