/** `block`, `unblock`, `retry` and `drop`, on crawls that run, that stopped, and that were killed. */
import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pinnedAddress } from '../../src/fetch/pins.js';
import {
  configFile,
  crawl,
  type Running,
  removeScratches,
  saunter,
  scratch,
  start,
  summaryOf,
} from '../support/saunter.js';
import { type Asked, links, type Site, Sites } from '../support/sites.js';

const PAGES = 8;
let site: Sites;
/** Pages of `chain.test` and `line.test`, each of which links to the next: without end until a test says where it is. */
let chainEnds = Number.POSITIVE_INFINITY;
/** While true, `sick.test` answers with something that is not HTTP. */
let sick = false;
const running: Running[] = [];

/** A page that links to all others of its host. */
const flat: Site = (target, { host }) => {
  const n = target === '/' ? 0 : Number(/^\/(\d+)$/.exec(target)?.[1] ?? -1);
  if (n < 0 || n >= PAGES) return undefined;
  return links(...Array.from({ length: PAGES }, (_, i) => (i === 0 ? '/' : `/${i}`))) + host + n;
};

function chain(target: string, { host }: Asked): string | undefined {
  const n = Number(/^\/(\d*)$/.exec(target)?.[1] ?? -1);
  if (n < 0 || n >= chainEnds) return undefined;
  return `${host} ${n}${n + 1 < chainEnds ? links(`/${n + 1}`) : ''}`;
}

const HOSTS: Record<string, Site> = {
  'a.test': flat,
  'b.test': flat,
  'chain.test': chain,
  'line.test': chain,
  'hub.test': (target) => (target === '/' ? links(site.url('a.test'), site.url('b.test')) : undefined),
  'mixed.test': (target) => {
    if (target === '/robots.txt') return 'User-agent: *\nDisallow: /private';
    return target === '/' ? links('/gone', '/private') : undefined;
  },
  'sick.test': (target, request) => {
    if (target === '/robots.txt') return undefined;
    if (sick && target !== '/') return { raw: (response) => response.socket?.end('not HTTP, and never was\r\n\r\n') };
    return flat(target, request);
  },
};

beforeAll(async () => {
  site = await Sites.start(
    HOSTS,
    Object.keys(HOSTS).map((host) => pinnedAddress(host, '127.82.0.0/16')),
  );
  await saunter(['block']); // loads what is used: later, time counts
});
beforeEach(() => {
  site.log.length = 0;
  sick = false;
});
afterEach(async () => {
  for (const { child, over } of running.splice(0)) {
    child.kill('SIGKILL');
    await over;
  }
});
afterAll(async () => {
  await site.stop();
  removeScratches();
});

/** Times are shortened: retries, what an unclean stop costs, ten times the fetch time. */
const config = { 'retry.ladder': ['20ms', '20ms', '20ms', '20ms'], 'unclean.owe': '50ms', 'politeness.factor': 0 };

const command = (dir: string, seeds: readonly string[], delay: string, ...more: string[]): string[] => [
  ...[...seeds.map((host) => site.url(host)), '--dir', dir, '--delay', delay, '--scope', 'any'],
  ...['--allow-private', '127.0.0.0/8', '--resolve', '*.test=127.82.0.0/16', '--config', configFile(config)],
  ...(more.includes('--patience') ? more : ['--patience', '300ms', ...more]),
];

function begin(args: string[]): Running {
  const run = start(['crawl', '--json', '--workers', '1', ...args]);
  running.push(run);
  return run;
}

const say = async (...args: string[]) => {
  const { code, out, err } = await saunter(args);
  return { code, words: (out + err).trim() };
};

describe('a block', () => {
  test('ends the requests to a host that is being crawled, and holds across a kill until it is taken back', async () => {
    const dir = scratch();
    const args = command(dir, ['chain.test', 'line.test'], '50ms', '--max-depth', '1000');
    const first = begin(args);
    await expect.poll(() => site.asked('chain.test').length, { timeout: 10_000 }).toBeGreaterThan(2);
    const blocked = await say('block', 'Chain.test', '--reason', 'its owner asked', '--dir', dir);
    expect(blocked).toEqual({ code: 0, words: expect.stringMatching(/^chain\.test is blocked; [01] URLs? waits?\.$/) });
    const atBlock = site.asked('chain.test').length;
    const others = site.asked('line.test').length;
    expect((await say('block', 'chain.test', '--dir', dir)).words).toContain('was blocked already');
    await expect.poll(() => site.asked('line.test').length, { timeout: 10_000 }).toBeGreaterThan(others + 3);
    first.child.kill('SIGKILL');
    await first.over;
    // one may have been in flight when it was blocked
    const asked = site.asked('chain.test').length;
    expect(asked - atBlock).toBeLessThanOrEqual(1);
    expect(lstatSync(join(dir, 'control.sock')).isSocket()).toBe(true);

    chainEnds = Math.max(asked, new Set(site.asked('line.test')).size) + 3;
    const second = await crawl(args);
    expect(site.asked('chain.test').length).toBe(asked);
    expect(new Set(site.asked('line.test')).size).toBe(chainEnds);
    expect([second.summary.waiting.blocked.urls, second.summary.pending]).toEqual([1, 1]);

    const status = await say('status', '--dir', dir);
    expect(status.words).toMatch(
      / 1 {3}of 1 host blocked \(saunter list blocks says why, saunter unblock HOST ends it\)$/m,
    );
    const blocks = await say('list', 'blocks', '--dir', dir);
    expect(blocks.words).toMatch(/^chain\.test\t20\S+Z\t-\t1\tits owner asked$/);
    const onTerminal = await saunter(['list', 'blocks', '--dir', dir], ({ stdout }) => {
      stdout.isTTY = true;
    });
    expect(onTerminal.out.split('\n')[0]).toBe('host\tsince\tuntil\tpending\treason');
    const hosts = (await say('list', 'hosts', '--dir', dir)).words.split('\n').map((line) => line.split('\t'));
    expect(hosts.map((columns) => [columns[0], ...columns.slice(-2)]).sort()).toEqual([
      ['chain.test', '1', 'blocked'],
      ['line.test', '0', 'done'],
    ]);
    const audit = await say('audit', 'chain.test', '--dir', dir);
    expect(audit).toEqual({ code: 0, words: expect.stringContaining('blocked: its owner asked') });

    expect(await say('unblock', 'chain.test', '--dir', dir)).toEqual({
      code: 0,
      words: 'chain.test is unblocked; URLs that waited: 1.',
    });
    expect((await say('unblock', 'chain.test', '--dir', dir)).words).toBe('chain.test was not blocked.');
    const third = await crawl(args);
    expect(third.summary).toMatchObject({ pending: 0, pages: 2 * chainEnds });
    expect(new Set(site.asked('chain.test')).size).toBe(chainEnds);
    expect((await say('verify', '--dir', dir)).words).toContain('Everything agrees.');
  }, 40_000);

  test('with an end is a pause, also of a crawl that is not running when it ends', async () => {
    const dir = scratch();
    const args = command(dir, ['a.test', 'b.test'], '20ms');
    const run = begin(command(dir, ['a.test', 'b.test'], '100ms', '--patience', '10s'));
    await expect.poll(() => site.asked('a.test').length, { timeout: 10_000 }).toBeGreaterThan(1);
    const paused = await say('block', 'a.test', '--for', '1s', '--dir', dir);
    expect(paused.words).toMatch(/^a\.test is blocked until 20\d\d-\d\d-\d\dT[\d:.]+Z; /);
    expect(summaryOf(await run.over)).toMatchObject({ pages: 2 * PAGES, pending: 0, waiting: {} });

    expect((await say('block', 'b.test', '--for', '50ms', '--dir', dir)).words).toContain('b.test is blocked until');
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect((await say('unblock', 'b.test', '--dir', dir)).words).toBe('b.test was not blocked.');
    expect((await say('block', 'b.test', '--for', '1h', '--dir', dir)).code).toBe(0);
    expect((await crawl(args)).code).toBe(0);
    const audit = await say('audit', 'a.test', '--dir', dir);
    expect(audit.words.match(/^.*blocked/gm)).toHaveLength(2);
    expect((await say('block', 'b.test', '--for', 'soon', '--dir', dir)).code).toBe(2);
    expect((await say('verify', '--dir', dir)).words).toContain('Everything agrees.');
  }, 40_000);

  test('of a whole list holds for what lies below its names, and as long as the list is given', async () => {
    const dir = scratch();
    const list = join(scratch(), 'list.txt');
    mkdirSync(join(list, '..'), { recursive: true });
    writeFileSync(list, '# a list\n*.A.test # and below\n0.0.0.0 elsewhere.test other.test\n');
    const withList = (seeds: string[]): string[] =>
      command(dir, seeds, '20ms').map((arg) =>
        arg.endsWith('.json') ? configFile({ ...config, blocklist: list }) : arg,
      );
    const first = await crawl(withList(['hub.test']));
    expect(first.summary).toMatchObject({ pages: 1 + PAGES, pending: 0, rejected: { blocked: 1 } });
    expect(site.asked('a.test', true)).toEqual([]);

    // met first, listed later: it waits; without the list it goes on
    const other = scratch();
    const at = (args: string[]): string[] => args.map((arg) => (arg === dir ? other : arg));
    await crawl([...at(command(dir, ['a.test'], '20ms')), '--max-pages', '2']);
    const asked = site.asked('a.test', true).length;
    const waiting = await crawl(at(withList(['a.test'])));
    expect(waiting.summary.waiting.blocked.urls).toBeGreaterThan(0);
    expect(site.asked('a.test', true)).toHaveLength(asked);
    expect((await crawl(at(command(dir, ['a.test'], '20ms')))).summary).toMatchObject({ pages: PAGES, pending: 0 });
  }, 40_000);

  test('of a host that was not met yet keeps its links, and fetches nothing', async () => {
    const dir = scratch();
    await crawl(command(dir, ['hub.test'], '20ms', '--max-depth', '0'));
    const unmet = 'a.test is blocked; this crawl has not met that host';
    expect((await say('block', site.url('a.test'), '--dir', dir)).words).toBe(`${unmet}.`);
    const mistyped = await say('block', 'hubb.test', '--for', '1h', '--dir', dir);
    expect(mistyped.words).toMatch(
      /^hubb\.test is blocked until \S+Z; this crawl has not met that host \(it knows hub\.test\)\.$/,
    );
    expect((await say('list', 'blocks', '--dir', dir)).words.split('\n')).toHaveLength(2);
    // neither is a host of the crawl
    expect((await say('status', '--dir', dir)).words).toMatch(/^pages +1 {3}of 1 host,/m);
    expect((await crawl(command(dir, ['hub.test'], '20ms', '--max-depth', '0'))).summary.hosts).toBe(1);

    site.log.length = 0;
    const other = scratch();
    const first = begin(command(other, ['hub.test', 'b.test'], '100ms', '--patience', '1s'));
    await expect.poll(() => site.asked('b.test').length, { timeout: 10_000 }).toBeGreaterThan(0);
    const before = site.asked('a.test', true).length;
    expect((await say('block', 'a.test', '--dir', other, '--json')).words).toContain('"changed":1');
    expect((await say('block', 'bb.test', '--dir', other)).words).toContain('not met that host (it knows b.test).');
    const summary = summaryOf(await first.over);
    expect([summary.waiting.blocked.urls > 0, summary.hosts]).toEqual([true, 3]);
    expect(site.asked('a.test', true).length - before).toBeLessThanOrEqual(1);
    expect(new Set(site.asked('b.test')).size).toBe(PAGES);
  }, 30_000);
});

describe('retry', () => {
  test('takes dead letters back, one or all, on a crawl that stopped and on one that runs', async () => {
    const dir = scratch();
    const args = command(dir, ['sick.test'], '20ms');
    sick = true;
    const { summary } = await crawl(args);
    expect([summary.deadLetters, summary.pages]).toEqual([PAGES - 1, 1]);
    const one = site.url('sick.test', '/3');
    expect((await say('retry', one, '--dir', dir)).words).toBe('1 URL is pending again.');
    expect((await say('retry', one, '--dir', dir)).words).toBe(
      `There is no dead letter of ${one}. It is pending: a crawl fetches it when its turn comes.`,
    );
    expect((await say('retry', site.url('sick.test', '/'), '--dir', dir)).words).toContain(
      ' It was fetched. A standing crawl',
    );
    expect((await say('list', 'urls', '--dir', dir)).words).toContain(`pending\t`);
    sick = false;
    expect((await crawl(args)).summary).toMatchObject({ deadLetters: PAGES - 2, pages: 2 });

    const run = begin(command(dir, ['sick.test', 'b.test'], '100ms', '--add', '--patience', '2s'));
    await expect.poll(() => site.asked('b.test').length, { timeout: 10_000 }).toBeGreaterThan(0);
    expect((await say('retry', '--host', 'sick.test', '--dir', dir)).words).toBe(
      `${PAGES - 2} URLs are pending again.`,
    );
    expect((await say('retry', '--all', '--dir', dir)).words).toBe('There is no dead letter.');
    expect(summaryOf(await run.over)).toMatchObject({ deadLetters: 0, pages: 2 * PAGES });
    expect((await say('verify', '--dir', dir)).words).toContain('Everything agrees.');
  }, 40_000);

  test('leaves letters alone that were dropped, also of a crawl that was killed, until their URL is named', async () => {
    const dir = scratch();
    const args = command(dir, ['sick.test'], '20ms');
    const dead = async (): Promise<number> => (await say('list', 'dead', '--dir', dir)).words.split('\n').length;
    sick = true;
    await crawl(args);
    const [one, other] = ['/3', '/4'].map((target) => site.url('sick.test', target));
    expect((await say('drop', one, '--dir', dir)).words).toBe('Dead letters dropped: 1.');
    expect((await say('drop', one, '--dir', dir)).words).toBe(
      `There is no dead letter of ${one}. It is dropped already; --undo brings its letter back, saunter retry the URL.`,
    );
    expect((await say('drop', other, '--undo', '--dir', dir)).words).toBe(
      `There is no dropped letter of ${other}. It is dead, and its letter was never dropped.`,
    );
    expect(await dead()).toBe(PAGES - 2);
    expect((await crawl(args)).summary.deadLetters).toBe(PAGES - 2);

    const run = begin(command(dir, ['sick.test', 'b.test'], '100ms', '--add', '--patience', '20s'));
    await expect.poll(() => site.asked('b.test').length, { timeout: 10_000 }).toBeGreaterThan(0);
    expect((await say('drop', '--host', 'sick.test', '--dir', dir)).words).toBe(`Dead letters dropped: ${PAGES - 2}.`);
    run.child.kill('SIGKILL');
    await run.over;
    expect((await say('list', 'dead', '--dir', dir)).words).toBe('There are no dead letters.');
    expect((await say('retry', '--all', '--dir', dir)).words).toBe('There is no dead letter.');
    expect((await say('retry', other, '--dir', dir)).words).toBe('1 URL is pending again.');
    expect((await say('drop', '--all', '--undo', '--dir', dir)).words).toBe(`Dead letters brought back: ${PAGES - 2}.`);
    sick = false;
    expect((await crawl(args)).summary).toMatchObject({ deadLetters: PAGES - 2, pages: 2 + PAGES });
    expect((await say('verify', '--dir', dir)).words).toContain('Everything agrees.');
  }, 40_000);

  test('of a URL that is no dead letter says how it stands, and what can be done', async () => {
    const dir = scratch();
    await crawl(command(dir, ['mixed.test'], '20ms'));
    await crawl(command(dir, ['a.test'], '20ms', '--add', '--max-pages', '2'));
    const retried = async (url: string) => (await say('retry', url, '--dir', dir)).words;
    expect(await retried(site.url('mixed.test', '/gone'))).toContain(
      ' It has its answer: it does not exist (404 or 410) (http.gone), which asking again would not change at once. A standing',
    );
    expect(await retried(site.url('mixed.test', '/private'))).toContain(
      ' robots.txt forbids it; it is fetched when that',
    );
    await say('block', 'a.test', '--dir', dir);
    expect(await retried(site.url('a.test', '/7'))).toContain(
      ' It is pending, of a host that is blocked (saunter list blocks says why, saunter unblock HOST ends it).',
    );
  }, 20_000);

  test('that cannot be done says why', async () => {
    const dir = scratch();
    await crawl(command(dir, ['hub.test'], '20ms', '--max-depth', '0'));
    const usage = 'What should be tried again? Give one of URL, --host HOST and --all.';
    expect(await say('retry', '--dir', dir)).toEqual({ code: 2, words: usage });
    expect(await say('retry', '--all', '--host', 'a.test', '--dir', dir)).toEqual({ code: 2, words: usage });
    expect((await say('drop', '--dir', dir)).words).toBe(usage.replace('tried again', 'dropped'));
    expect(await say('retry', '--host', 'never.test', '--dir', dir)).toEqual({
      code: 1,
      words: 'This crawl has never met the host never.test.',
    });
    expect(await say('retry', 'http://never.test/', '--dir', dir)).toEqual({
      code: 1,
      words:
        'This crawl does not know the URL http://never.test/: it was never a seed, and no page that was read links to it.',
    });
    expect((await say('block', '--dir', dir)).words).toContain('Which host?');
    expect((await say('block', 'a b', '--dir', dir)).words).toBe(
      '"a b" is no host name: give one such as www.example.org.',
    );
    expect((await say('block', 'a.test/path', '--dir', dir)).code).toBe(2);
    expect((await say('unblock', 'never.test', '--dir', dir)).code).toBe(1);
    expect((await say('block', 'a.test', '--dir', scratch())).words).toContain('holds no crawl');
  }, 20_000);
});
