/** A crawl that goes on within wider limits finds the links again that it refused, without asking for a page twice. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type Limits, widened } from '../../src/embedded/limits.js';
import { configFile, crawl, removeScratches, saunter, scratch } from '../support/saunter.js';
import { links, redirect, Sites } from '../support/sites.js';

let site: Sites;
afterEach(async () => {
  await site?.stop();
  removeScratches();
});

const flags = (dir: string, ...more: string[]): string[] => [
  ...['--dir', dir, '--delay', '0', '--patience', '1s', '--allow-private', '127.0.0.0/8'],
  ...['--resolve', '*.test=127.0.0.1', ...more],
];

test('a larger depth, an exclusion that is gone, a wider scope', async () => {
  site = await Sites.start({
    'a.test': (target) => {
      if (target === '/')
        return links('/1', '/x/1', 'http://b.test:PORT/'.replace('PORT', String(site.port)), '/moved', '/no');
      if (target === '/1') return links('/2');
      if (target === '/2') return links('/3');
      if (target === '/moved') return redirect(`http://b.test:${site.port}/redirected`);
      if (target === '/no') return { headers: { 'X-Robots-Tag': 'nofollow' }, body: links('/hidden') };
      return target === '/robots.txt' ? { status: 404 } : target;
    },
    'b.test': (target) => (target === '/robots.txt' ? { status: 404 } : target),
  });
  const dir = scratch();
  const first = await crawl([site.url('a.test'), ...flags(dir, '--max-depth', '1', '--exclude', '*/x/*')]);
  expect(first.summary.pages).toBe(3);
  const refused = first.summary.rejected;
  expect(Object.values(refused).reduce((sum, count) => sum + count)).toBe(4);
  expect(refused.depth).toBe(1);

  const asked = site.log.length;
  const same = await crawl(flags(dir, '--max-depth', '1', '--exclude', '*/x/*'));
  expect(same.err).not.toContain('wider');
  expect(site.log).toHaveLength(asked);

  const wider = await crawl(flags(dir, '--max-depth', '3', '--scope', 'any'));
  expect(wider.err).toContain('The limits are wider than before');
  expect(wider.err).toContain('4 URLs that were refused are known now.');
  // what is deeper was not known before: it comes from the new pages
  const fetched = (host: string) =>
    site
      .asked(host)
      .filter((target) => target !== '/robots.txt')
      .sort();
  expect(fetched('a.test')).toEqual(['/', '/1', '/2', '/3', '/moved', '/no', '/x/1']);
  expect(fetched('b.test')).toEqual(['/', '/redirected']);
  // what was refused was counted when it was met
  expect(wider.summary.rejected).toEqual(refused);
  expect(JSON.parse((await saunter(['verify', '--dir', dir, '--json'])).out)).toMatchObject({ ok: true });

  const again = await crawl(flags(dir, '--max-depth', '3', '--scope', 'any'));
  expect(again.err).not.toContain('wider');
}, 60_000);

test('a link that a second limit refuses, once the first does not, is found again when that is wider too', async () => {
  site = await Sites.start({
    'a.test': (target) => {
      if (target === '/') return links('/1');
      if (target === '/1') return links(`http://b.test:${site.port}/deep`);
      return target === '/robots.txt' ? { status: 404 } : target;
    },
    'b.test': (target) => (target === '/robots.txt' ? { status: 404 } : target),
  });
  const dir = scratch();
  await crawl([site.url('a.test'), ...flags(dir, '--max-depth', '1')]);
  const scope = await crawl(flags(dir, '--max-depth', '1', '--scope', 'any'));
  expect(scope.err).toContain('0 URLs that were refused are known now.');
  expect(scope.summary.rejected).toEqual({ scope: 1 });
  const depth = await crawl(flags(dir, '--max-depth', '2', '--scope', 'any'));
  expect(depth.err).toContain('1 URL that was refused is known now.');
  expect(site.asked('b.test')).toEqual(['/deep']);
}, 60_000);

test('nothing is read again for a limit that refused nothing', async () => {
  site = await Sites.start({
    'a.test': (target) => (target === '/robots.txt' ? { status: 404 } : links('http://b.test/')),
  });
  const dir = scratch();
  await crawl([site.url('a.test'), ...flags(dir)]);
  const { err, summary } = await crawl(flags(dir, '--budget', 'off', '--max-depth', '20'));
  expect([err.includes('wider'), summary.rejected]).toEqual([false, { scope: 1 }]);
}, 60_000);

const LISTED = 'listed.test';
test.each([
  ['hosts', { 'domain.hosts': 2 }, { 'domain.hosts': 3 }, 1],
  ['queries', { 'trap.queries': 3 }, { 'trap.queries': 100 }, 7],
  ['length', { 'trap.urlLength': 60 }, {}, 1],
  ['repeat', { 'trap.repeat': 1 }, {}, 1],
  ['blocked', { blocklist: ['LIST'] }, {}, 1],
  ['full', { 'memory.limit': '64MiB' }, {}, 30],
])(
  'what was refused as %s is found again',
  async (reason, small, large, count) => {
    const others: Record<string, string[]> = {
      hosts: ['http://b.a.test/', 'http://c.a.test/', 'http://d.a.test/'],
      queries: Array.from({ length: 10 }, (_, i) => `/list?page=${i}`),
      length: [`/${'x'.repeat(80)}`],
      repeat: ['/y/y/z'],
      blocked: [`http://${LISTED}/`],
      full: Array.from({ length: 30 }, (_, i) => `/full/${i}`),
    };
    // links of a page that lies deep, on a host with many pages, have a level that is refused early
    const deep = reason === 'full' ? 4 : 1;
    const fillers = reason === 'full' ? Array.from({ length: 200 }, (_, i) => `/filler${i}`) : [];
    site = await Sites.start({
      '*': (target) => {
        if (target === '/robots.txt') return { status: 404 };
        const at = target === '/' ? 0 : Number(target.slice('/chain'.length));
        if (at === deep - 1) {
          return links(...others[reason].map((url) => url.replace('.test/', `.test:${site.port}/`)));
        }
        return at < deep ? links(`/chain${at + 1}`, ...(at === 0 ? fillers : [])) : target;
      },
    });
    const list = join(scratch(), 'list.txt');
    writeFileSync(list, `${LISTED}\n`);
    const named = Object.fromEntries(
      Object.entries(small).map(([name, value]) => [name, Array.isArray(value) ? [list] : value]),
    );
    const dir = scratch();
    const all = (config: Record<string, unknown>): string[] => [
      ...flags(dir, '--scope', 'any', '--max-depth', '100', '--config', configFile(config)),
    ];
    const first = await crawl([site.url('a.test'), ...all(named)]);
    const { [reason]: refused } = first.summary.rejected;
    expect(refused).toBeGreaterThan(0);
    const second = await crawl(all({ ...large }));
    expect(second.err).toMatch(new RegExp(`\\b${count} URLs? that (?:was|were) refused (?:is|are) known now\\.`));
    expect((await crawl(all({ ...large }))).err).not.toContain('wider');
  },
  60_000,
);

const SCOPE = ['scope', 'rules', 'include', 'exclude'];
test.each([
  [{}, {}, []],
  [{ depth: 2 }, { depth: 3 }, ['depth']],
  [{ depth: 3 }, { depth: 2 }, []],
  [{ scope: 'host' }, { scope: 'domain' }, SCOPE],
  [{ scope: 'any' }, { scope: 'prefix' }, []],
  [{ include: ['a'] }, {}, SCOPE],
  [{ include: ['a'] }, { include: ['a', 'b'] }, SCOPE],
  [{ include: ['a', 'b'] }, { include: ['a'] }, []],
  [{}, { include: ['a'] }, []],
  [{}, { rules: [{ accept: { host: ['a'] } }] }, SCOPE],
  [{ rules: [{ accept: { host: ['a'] } }] }, {}, []],
  [{}, { rules: [{ reject: { host: ['a'] } }] }, []],
  [{ rules: [{ reject: { host: ['a'] } }] }, {}, SCOPE],
  [{ exclude: ['a'] }, {}, SCOPE],
  [{ exclude: ['a'] }, { exclude: ['a', 'b'] }, []],
  [{ budget: 10 }, { budget: 11 }, ['budget']],
  [{ budget: 10 }, { budget: null }, ['budget']],
  [{ budget: null }, { budget: 1e12 }, []],
  [{ budget: 11 }, { budget: 10 }, []],
  [{ budget: 10, seedBudget: 10 }, { budget: 9, seedBudget: 11 }, ['budget']],
  [{}, { budget: null }, []], // a store of before limits had it
  [
    { hosts: 1, queries: 1, length: 1, repeat: 1 },
    { hosts: 2, queries: 2, length: 2, repeat: 2 },
    ['hosts', 'queries', 'length', 'repeat'],
  ],
  [{ memory: [80, 90] }, { memory: [80, 91] }, []],
  [{ memory: [80, 90] }, { memory: [90, 90] }, ['full']],
  [{ blocklist: ['a'] }, { blocklist: ['a', 'b'] }, []],
  [{ blocklist: ['a', 'b'] }, { blocklist: ['b'] }, ['blocked']],
] as [Partial<Limits>, Partial<Limits>, string[]][])('from %j to %j takes back %j', (before, now, reasons) => {
  const limits = { scope: 'domain', depth: 16, include: [], exclude: [] } as const;
  expect([...widened({ ...limits, ...before }, { ...limits, ...now })]).toEqual(reasons);
});
