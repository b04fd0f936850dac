/** Budgets of a crawl that goes on are those of the present run; a seed makes a host that is known a seed's host. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/engines/database.js';
import { DnsServer } from '../support/dns-server.js';
import { configFile, crawl, program, removeScratches, saunter, scratch } from '../support/saunter.js';
import { links, type Site, Sites } from '../support/sites.js';

let site: Sites;
let dns: DnsServer | null = null;
afterEach(async () => {
  await site?.stop();
  await dns?.stop();
  dns = null;
  removeScratches();
});

/** A checkpoint after each commit, or none at all. */
const every = (more: Record<string, unknown> = {}): string[] => [
  '--config',
  configFile({ 'checkpoint.rows': 1, ...more }),
];
const never = (more = {}): string[] => ['--config', configFile({ 'checkpoint.rows': 'off', ...more })];
const OPEN = ['--delay', '0', '--patience', '1s', '--allow-private', '127.0.0.0/9'];
const flags = (dir: string, ...more: string[]): string[] => [
  ...['--dir', dir, ...OPEN, '--resolve', '*.test=127.0.0.1', ...more],
];

/** Runs the same command from the checkpoint, and from all rows in a copy of the directory: both must say the same. */
async function bothWays(dir: string, more: readonly string[], config = {}) {
  expect(existsSync(join(dir, 'checkpoint', 'state'))).toBe(true);
  const copy = scratch();
  cpSync(dir, copy, { recursive: true });
  rmSync(join(copy, 'checkpoint'), { recursive: true });
  const scanned = await crawl(flags(copy, ...never(config), ...more));
  const asked = site.log.length;
  const loaded = await crawl(flags(dir, ...every(config), ...more));
  expect(loaded.err).not.toContain('checkpoint');
  const figures = ({ summary }: typeof loaded) => {
    const { pages, requests, known, pending, waiting, rejected, deadLetters } = summary;
    return { pages, requests, known, pending, waiting: waiting.budget?.urls, rejected, deadLetters };
  };
  expect(figures(scanned)).toEqual(figures(loaded));
  return { ...loaded, asked: site.log.slice(asked).map(({ host, target }) => `${host}${target}`) };
}

const eventsOf = (dir: string): string[] => {
  const db = openDatabase(join(dir, 'crawl.sqlite'), { readOnly: true });
  try {
    const sql = "SELECT name, kind FROM host_events e JOIN hosts h ON h.id = host WHERE kind IN ('seed', 'named')";
    return (db.prepare(sql).all() as { name: string; kind: string }[]).map(({ name, kind }) => `${name} ${kind}`);
  } finally {
    db.close();
  }
};

const targets = (count: number): string[] => Array.from({ length: count }, (_, i) => `/${i}`);
const tree =
  (count: number, ...others: string[]): Site =>
  (target) => {
    if (target === '/robots.txt') return { status: 404 };
    return target === '/' ? links(...targets(count), ...others) : `${target} ${'word '.repeat(20)}`;
  };

const slowly = (answer: ReturnType<Site>) => ({
  ...(typeof answer === 'string' ? { body: answer } : answer),
  wait: 50,
});

describe('a larger budget', () => {
  test.each([['1000'], ['off']])(
    'of %s admits the links that were refused, without asking twice',
    async (budget) => {
      site = await Sites.start({ 'a.test': tree(40) });
      const dir = scratch();
      const first = await crawl([site.url('a.test'), ...flags(dir, ...every(), '--budget', '10')]);
      expect([first.summary.pages, first.summary.rejected.budget]).toEqual([10, 31]);

      const same = await crawl(flags(dir, ...every(), '--budget', '10'));
      expect([same.err.includes('wider'), same.summary.pages]).toEqual([false, 10]);

      const wider = await bothWays(dir, ['--budget', budget]);
      expect(wider.err).toContain('The limits are wider than before');
      expect(wider.err).toContain('31 URLs that were refused are known now.');
      expect(wider.summary.pages).toBe(41);
      expect(wider.asked).toHaveLength(31);
      expect(JSON.parse((await saunter(['verify', '--dir', dir, '--json'])).out)).toMatchObject({ ok: true });

      const again = await crawl(flags(dir, ...every(), '--budget', budget));
      expect([again.err.includes('wider'), again.summary.pages]).toEqual([false, 41]);
    },
    60_000,
  );

  test('makes due what waited for it; a smaller one makes it wait', async () => {
    site = await Sites.start({ 'a.test': tree(0) });
    const dir = scratch();
    const seeds = targets(8).map((target) => site.url('a.test', target));
    const first = await crawl([...seeds, ...flags(dir, ...every(), '--budget', '3')]);
    expect([first.summary.pages, first.summary.waiting.budget?.urls]).toEqual([3, 5]);
    const wider = await bothWays(dir, ['--budget', '100', '--max-pages', '5']);
    expect([wider.summary.pages, wider.summary.pending]).toEqual([5, 3]);
    const narrower = await bothWays(dir, ['--budget', '6']);
    expect([narrower.summary.pages, narrower.summary.waiting.budget?.urls]).toEqual([6, 2]);
  }, 60_000);

  test('is that of the hosts whose budget it is: seeds have their own', async () => {
    site = await Sites.start({ 'a.test': (t, a) => tree(20, site.url('b.a.test'))(t, a), 'b.a.test': tree(20) });
    const dir = scratch();
    const budgets = (budget: number, seedBudget: number): string[] => every({ budget, seedBudget });
    const first = await crawl([site.url('a.test'), ...flags(dir, ...budgets(5, 10))]);
    expect([site.asked('a.test').length, site.asked('b.a.test').length, first.summary.pages]).toEqual([10, 5, 15]);
    await crawl(flags(dir, ...budgets(7, 10)));
    expect([site.asked('a.test').length, site.asked('b.a.test').length]).toEqual([10, 7]);
    await crawl(flags(dir, ...budgets(7, 12)));
    expect([site.asked('a.test').length, site.asked('b.a.test').length]).toEqual([12, 7]);
  }, 60_000);
});

describe('a host that was met by a link', () => {
  const SMALL = { budget: 5, seedBudget: 100 };

  async function met(): Promise<string> {
    site = await Sites.start({
      'a.test': (t, a) => tree(3, site.url('b.a.test'))(t, a),
      'b.a.test': (target, asked) => slowly(tree(30)(target, asked)),
    });
    const dir = scratch();
    const { summary } = await crawl([site.url('a.test'), ...flags(dir, ...every(SMALL))]);
    expect([site.asked('b.a.test').length, summary.rejected.budget]).toEqual([5, 26]);
    return dir;
  }

  test('and is given as a seed has the budget of seeds, also of its links that were refused', async () => {
    const dir = await met();
    const { err, summary } = await crawl([site.url('b.a.test'), ...flags(dir, ...every(SMALL), '--add')]);
    expect(err).toContain('26 URLs that were refused are known now.');
    expect(summary.pages).toBe(4 + 31);
    // it is named already: it was linked from inside an opened range
    expect(eventsOf(dir)).toEqual(['b.a.test seed']);
    // and stays what it is
    const later = await crawl(flags(dir, ...never(SMALL), '--max-depth', '17'));
    expect(later.err).not.toContain('wider');
    expect(eventsOf(dir)).toEqual(['b.a.test seed']);
  }, 60_000);

  test('is no less a seed if the crawl is killed right after', async () => {
    const dir = await met();
    const args = [program, 'crawl', '--workers', '1', site.url('b.a.test'), ...flags(dir, ...never(SMALL), '--add')];
    const child = spawn(process.execPath, args, { stdio: 'ignore' });
    const isSaid = (): boolean => {
      try {
        return eventsOf(dir).length > 0;
      } catch {
        return false; // the file is being opened
      }
    };
    while (!isSaid()) await sleep(5);
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(site.asked('b.a.test').length).toBeLessThan(31);
    const { summary } = await crawl(flags(dir, ...never({ ...SMALL, 'unclean.owe': '1s' })));
    expect(summary.pages).toBe(4 + 31);
    expect(eventsOf(dir)).toEqual(['b.a.test seed']);
  }, 90_000);

  test('is a seed when a seed redirects there, and stays one', async () => {
    site = await Sites.start({
      'a.test': (target) =>
        target === '/robots.txt' ? { status: 404 } : { status: 302, headers: { Location: site.url('www.a.test') } },
      'www.a.test': tree(30),
    });
    const dir = scratch();
    const first = await crawl([site.url('a.test'), ...flags(dir, ...every(SMALL), '--max-pages', '1')]);
    expect(first.summary.pages).toBe(1);
    expect((await bothWays(dir, ['--max-pages', '20'], SMALL)).summary.pages).toBe(20);
    expect((await crawl(flags(dir, ...never(SMALL)))).summary.pages).toBe(31);
  }, 60_000);
});

describe('a host in a range that --allow-private opens', () => {
  const byDns = (dir: string): string[] => ['--dir', dir, ...OPEN, '--dns', dns!.address, ...never()];

  test('that was met before it was named is reached once it is a seed', async () => {
    dns = await DnsServer.start({ 'a.test': { a: ['127.0.0.1'] }, 'intranet.test': { a: ['127.0.0.1'] } });
    site = await Sites.start({ 'a.test': tree(1), 'intranet.test': tree(3) });
    const dir = scratch();
    await crawl([site.url('a.test'), ...byDns(dir)]);
    // an operator's block makes it known, and does not name it
    await saunter(['block', 'intranet.test', '--dir', dir]);
    await saunter(['unblock', 'intranet.test', '--dir', dir]);
    const { summary } = await crawl([site.url('intranet.test'), '--add', ...byDns(dir)]);
    expect(summary.errors).not.toHaveProperty('guard.address');
    expect(site.asked('intranet.test').sort()).toEqual(['/', '/0', '/1', '/2']);
    expect(eventsOf(dir)).toEqual(['intranet.test named', 'intranet.test seed']);
  }, 60_000);

  test('takes back what was given up since it was not named', async () => {
    dns = await DnsServer.start({ 'a.test': { a: ['127.0.0.1'] }, 'intranet.test': { a: ['127.200.0.1'] } });
    site = await Sites.start({ 'a.test': (t, a) => tree(1, site.url('intranet.test', '/linked'))(t, a), '*': tree(1) });
    const dir = scratch();
    const first = await crawl([site.url('a.test'), ...byDns(dir), '--scope', 'any']);
    expect(first.summary.deadLetters).toBe(1);
    // as if the page that links there were in no opened range
    const db = openDatabase(join(dir, 'crawl.sqlite'));
    db.exec("UPDATE hosts SET named = 0 WHERE name = 'intranet.test'");
    db.close();
    dns.names.set('intranet.test', { a: ['127.0.0.1'] });
    const { summary } = await crawl([site.url('intranet.test'), '--add', ...byDns(dir), '--scope', 'any']);
    expect(summary.deadLetters).toBe(0);
    expect(site.asked('intranet.test').sort()).toEqual(['/', '/0', '/linked']);
  }, 60_000);
});
