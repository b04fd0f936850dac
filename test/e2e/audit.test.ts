/** `audit` against the log of the servers themselves: line by line, for hosts with everything that can go wrong. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pinnedAddress } from '../../src/fetch/pins.js';
import { configFile, crawl, removeScratches, saunter, scratch } from '../support/saunter.js';
import { type Asked, links, redirect, type Site, Sites } from '../support/sites.js';

let site: Sites;
/** How often each target of a host was asked. */
const asked = new Map<string, number>();

const times = (request: Asked): number => {
  const key = request.host + request.target;
  asked.set(key, (asked.get(key) ?? 0) + 1);
  return asked.get(key)!;
};

const HOSTS: Record<string, Site> = {
  // 429 with and without Retry-After, same-key and other redirects, a robots.txt behind a redirect to another host
  'busy.test': (target, request) => {
    const n = times(request);
    if (target === '/robots.txt') return redirect(site.url('rules.test', '/for-busy.txt'));
    if (target === '/') return links('/a', '/guide', '/moved', '/away', '/private/x', '/private/open', '/broken');
    if (target === '/a' && n < 3)
      return { status: n === 1 ? 429 : 503, headers: n === 1 ? { 'Retry-After': '1' } : {} };
    if (target === '/guide') return redirect('/guide/', 301);
    if (target === '/moved') return redirect('/a');
    if (target === '/away') return redirect(site.url('rules.test', '/page'));
    if (target === '/broken') return n === 1 ? { status: 500 } : 'mended';
    return target.startsWith('/private/') || ['/a', '/guide/'].includes(target) ? `page ${target}` : undefined;
  },
  'rules.test': (target) => {
    if (target === '/for-busy.txt') return { body: 'User-agent: *\n\nDisallow: /private/\nAllow: /private/open\n' };
    return target === '/page' ? 'a page' : undefined;
  },
  // a robots.txt that cannot be read at first, and forbids something afterwards
  'sick.test': (target, request) => {
    if (target === '/robots.txt') {
      if (times(request) < 3) return { status: 503 };
      return { body: 'User-agent: saunter\nCrawl-delay: 0.2\nDisallow: /no' };
    }
    return target === '/' ? links('/no', '/yes') : `page ${target}`;
  },
};
const NAMES = Object.keys(HOSTS);

interface Line {
  at: string;
  target: string;
  status: number;
  gap: number | null;
  owed: number | null;
  rule: string | null;
  line: number | null;
  because: string;
  fault: string | null;
  code: string;
}

const dir = scratch();

beforeAll(async () => {
  site = await Sites.start(
    HOSTS,
    NAMES.map((host) => pinnedAddress(host, '127.81.0.0/16')),
  );
  // times are shortened: the wait before a robots.txt is asked again, the retries, ten times the fetch time
  const config = configFile({
    ...{ 'robots.retry': '50ms', 'retry.ladder': ['50ms', '50ms', '50ms', '50ms'], 'politeness.factor': 0 },
  });
  const { code, err } = await crawl([
    ...[site.url('busy.test'), site.url('sick.test'), '--dir', dir, '--scope', 'any', '--delay', '50ms'],
    ...['--allow-private', '127.0.0.0/8', '--resolve', '*.test=127.81.0.0/16', '--patience', '20s', '--config', config],
  ]);
  expect([code, err.includes('failed')]).toEqual([0, false]);
}, 30_000);

afterAll(async () => {
  await site.stop();
  removeScratches();
});

async function audit(host: string): Promise<{ code: number | null; lines: Line[] }> {
  const { code, out } = await saunter(['audit', host, '--dir', dir, '--json']);
  return {
    code,
    lines: out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line),
  };
}

describe('audit', () => {
  test.each(NAMES)('of %s agrees line by line with the log of its server', async (host) => {
    const { code, lines } = await audit(host);
    const log = site.log.filter((request) => request.host === host);
    expect(lines.map(({ target }) => target)).toEqual(log.map(({ target }) => site.url(host, target)));
    expect(log.length).toBeGreaterThan(1);
    for (const [i, { gap, owed, fault }] of lines.entries()) {
      expect(fault).toBeNull();
      if (i === 0) continue;
      expect(gap! + 2).toBeGreaterThanOrEqual(owed!);
      // the server's own clock: what the crawler calls a gap is never shorter than it says
      expect(log[i].at - log[i - 1].ended + 3).toBeGreaterThanOrEqual(owed!);
      expect(Math.abs(log[i].at - log[i - 1].ended - gap!)).toBeLessThan(200);
    }
    expect(code).toBe(0);
  });

  test('names the answer and the rule of each request', async () => {
    const { lines } = await audit('busy.test');
    const of = (target: string) => lines.filter((line) => line.target === site.url('busy.test', target));
    expect(of('/a').map(({ status }) => status)).toEqual([429, 503, 200]);
    expect(of('/broken').map(({ status }) => status)).toEqual([500, 200]);
    expect(of('/guide')[0]).toMatchObject({ status: 301, code: 'redirect.same', because: 'no rule matches' });
    expect(of('/guide/')).toHaveLength(1);
    expect(of('/private/open')[0]).toMatchObject({ rule: 'Allow: /private/open', line: 4 });
    expect(of('/private/x')).toEqual([]);
    expect(of('/robots.txt')[0].because).toBe('robots.txt itself is always allowed');
    const afterThrottle = lines[lines.indexOf(of('/a')[0]) + 1];
    expect(afterThrottle.owed).toBeGreaterThanOrEqual(1000);
    const { lines: rules } = await audit('rules.test');
    expect(rules.find(({ target }) => target.endsWith('/page'))?.because).toBe('robots.txt answered 404: no rules');
  });

  test('shows that nothing was asked of a host while its robots.txt could not be read', async () => {
    const { lines } = await audit('sick.test');
    expect(lines.map(({ target, status }) => [new URL(target).pathname, status])).toEqual([
      ['/robots.txt', 503],
      ['/robots.txt', 503],
      ['/robots.txt', 200],
      ['/', 200],
      ['/yes', 200],
    ]);
    expect(lines.at(-1)!.owed).toBe(200);
  });

  test('says the same in words, with what happened to the host', async () => {
    const { code, out } = await saunter(['audit', site.url('busy.test'), '--dir', dir]);
    expect(code).toBe(0);
    expect(out).toMatch(/after [\d,]+ ms \(owed 1,000\)/);
    expect(out).toContain('[line 4: Allow: /private/open]');
    expect(out).toMatch(/throttled until .*: status 429/);
    expect(out).toContain('None came before its delay was over, and robots.txt allowed each of them.');
  });

  test('of a part of the time or of the paths, with the page that linked to each', async () => {
    const { lines } = await audit('busy.test');
    const part = async (...flags: string[]) => {
      const { out } = await saunter(['audit', 'busy.test', '--dir', dir, '--json', ...flags]);
      return out.trim().split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Line & { via: string | null }); // biome-ignore format: short
    };
    const half = lines[Math.floor(lines.length / 2)].at;
    const local = new Date(Date.parse(half) + 3_600_000).toISOString().replace('Z', '+01:00');
    const [before, after] = [await part('--to', half), await part('--from', local)];
    expect([...before, ...after].map(({ target }) => target)).toEqual(lines.map(({ target }) => target));
    expect(before.length).toBeGreaterThan(0);
    const private_ = await part('--path', '/private/*');
    expect(private_.map(({ target, via }) => [target, via])).toEqual([
      [site.url('busy.test', '/private/open'), site.url('busy.test', '/')],
    ]);
    expect((await part('--path', '/'))[0].via).toBeNull();
    const said = await saunter(['audit', 'busy.test', '--dir', dir]);
    expect(said.out).toContain(`linked from ${site.url('busy.test', '/')}`);
    expect(said.out).toMatch(/the smallest gap was [\d,]+ ms\. Times are UTC\.$/m);
    expect(said.out).toContain('1 URL was denied by robots.txt and never asked for: saunter list urls');
    const none = await saunter(['audit', 'busy.test', '--dir', dir, '--path', '/nowhere']);
    expect(none.out).toContain('No such request was made to busy.test.');
    expect((await saunter(['audit', 'busy.test', '--dir', dir, '--from', 'noon'])).code).toBe(2);
  });

  test('of a host that was never met is an error', async () => {
    const { code, err } = await saunter(['audit', 'never.test', '--dir', dir]);
    expect([code, err.trim()]).toEqual([1, 'This crawl has never met the host never.test.']);
  });
});
