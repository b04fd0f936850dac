/** A crawl that goes on within wider limits finds the links again that it refused, without asking for a page twice. */
import { afterEach, expect, test } from 'vitest';
import { isWider } from '../../src/embedded/readmit.js';
import { crawl, removeScratches, saunter, scratch } from '../support/saunter.js';
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

test.each([
  [{}, {}, false],
  [{ depth: 2 }, { depth: 3 }, true],
  [{ depth: 3 }, { depth: 2 }, false],
  [{ scope: 'host' }, { scope: 'domain' }, true],
  [{ scope: 'any' }, { scope: 'prefix' }, false],
  [{ include: ['a'] }, {}, true],
  [{ include: ['a'] }, { include: ['a', 'b'] }, true],
  [{ include: ['a', 'b'] }, { include: ['a'] }, false],
  [{}, { include: ['a'] }, false],
  [{}, { rules: [{ accept: { host: ['a'] } }] }, true],
  [{ rules: [{ accept: { host: ['a'] } }] }, {}, false],
  [{}, { rules: [{ reject: { host: ['a'] } }] }, false],
  [{ rules: [{ reject: { host: ['a'] } }] }, {}, true],
  [{ exclude: ['a'] }, {}, true],
  [{ exclude: ['a'] }, { exclude: ['a', 'b'] }, false],
] as const)('from %j to %j is wider: %s', (before, now, wider) => {
  const limits = { scope: 'domain', depth: 16, include: [], exclude: [] } as const;
  expect(isWider({ ...limits, ...before }, { ...limits, ...now })).toBe(wider);
});
