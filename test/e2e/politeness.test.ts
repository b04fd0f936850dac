/** The rules of politeness over real sockets: shared addresses, CDNs, rules that do not fit into memory, scores. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { configFile, crawl, removeScratches, saunter, scratch } from '../support/saunter.js';
import { type Asked, links, Sites } from '../support/sites.js';

const HOSTS = 12;
const PAGES = 5;
let site: Sites;
/** Some of it: it compiles to more than the least memory for rules. */
const LONG_ROBOTS = `User-agent: *\n${Array.from({ length: 9_000 }, (_, i) => `Disallow: /private/${i}/x\n`).join('')}`;
let robots: string | undefined;

beforeAll(async () => {
  site = await Sites.start({
    '*': (target, { host }) => {
      if (target === '/robots.txt') return robots;
      if (target === '/') return links('/private/7/x', ...Array.from({ length: PAGES }, (_, i) => `/${i}`)) + host;
      return /^\/\d$/.test(target) ? { body: `${host}${target}`, wait: 60 } : undefined;
    },
  });
});
beforeEach(() => {
  site.log.length = 0;
  robots = undefined;
});
afterAll(async () => {
  await site.stop();
  removeScratches();
});

/** Crawls the roots of hosts, all of which live at one address. */
async function crawlAll(hosts: readonly string[], config: Record<string, unknown>, dir = scratch()) {
  const flags = ['--allow-private', '127.0.0.0/8', '--resolve', '*.test=127.0.0.1', '--delay', '60ms'];
  const file = configFile({ 'politeness.factor': 0, ...config });
  const seeds = hosts.map((host) => site.url(host));
  const ran = await crawl([...seeds, '--dir', dir, '--scope', 'host', ...flags, '--config', file]);
  const verified = await saunter(['verify', '--dir', dir]);
  expect([ran.code, verified.code, verified.out]).toEqual([0, 0, expect.stringContaining('Everything agrees.')]);
  return { ...ran, dir };
}

/** The most requests that were under way at one moment. */
function mostAtOnce(log: readonly Asked[]): number {
  return Math.max(...log.map(({ at }) => log.filter((other) => other.at <= at && at < other.ended).length));
}

const names = (domainOf: (i: number) => string): string[] =>
  Array.from({ length: HOSTS }, (_, i) => `h${i}.${domainOf(i)}`);
const everyHost = (log: readonly Asked[]): Asked[][] =>
  [...new Set(log.map(({ host }) => host))].map((name) => log.filter(({ host }) => host === name));

test('an address of many domains has two requests at once, never more, and verify proves it', async () => {
  const hosts = names((i) => `site${i}.test`);
  const { summary } = await crawlAll(hosts, { 'politeness.sharedFrom': 3, 'politeness.sharedGap': '20ms' });
  expect(summary.pages).toBe(HOSTS * (PAGES + 1));
  expect(mostAtOnce(site.log)).toBe(2);
  expect(mostAtOnce(site.log.slice(0, 3))).toBe(1);
  for (const asked of everyHost(site.log)) expect(mostAtOnce(asked)).toBe(1);
}, 30_000);

test.each(['0', '10ms'])(
  'a Crawl-delay holds from the robots.txt that brings it on, with --delay %s',
  async (delay) => {
    robots = 'User-agent: *\nCrawl-delay: 0.4\n';
    const dir = scratch();
    const flags = ['--allow-private', '127.0.0.0/8', '--resolve', '*.test=127.0.0.1', '--max-pages', '3'];
    const { code } = await crawl([site.url('a.test'), '--dir', dir, '--scope', 'host', '--delay', delay, ...flags]);
    const { out } = await saunter(['verify', '--dir', dir]);
    expect([code, out]).toEqual([0, expect.stringContaining('Everything agrees.')]);
    const gaps = site.log.slice(1).map(({ at }, i) => at - site.log[i].ended);
    expect(gaps.length).toBeGreaterThanOrEqual(3);
    expect(Math.min(...gaps)).toBeGreaterThan(390);
  },
);

test('an address on the list of CDNs has four requests at once to a domain, one to a host', async () => {
  const list = join(scratch(), '..', `cdn-${process.pid}.txt`);
  writeFileSync(list, '# ours\n127.0.0.0/8\n');
  const { summary } = await crawlAll(
    names(() => 'large.test'),
    { 'politeness.cdn': list },
  );
  expect(summary.pages).toBe(HOSTS * (PAGES + 1));
  expect(mostAtOnce(site.log)).toBeGreaterThan(2);
  expect(mostAtOnce(site.log)).toBeLessThanOrEqual(4);
  for (const asked of everyHost(site.log)) expect(mostAtOnce(asked)).toBe(1);
}, 30_000);

test('rules that do not fit into memory are read again, and forbid what they forbade, also after a restart', async () => {
  robots = LONG_ROBOTS;
  const config = { 'politeness.key': 'host', 'robots.memory': '1MiB' };
  const hosts = ['a.test', 'b.test', 'c.test', 'd.test'];
  const { summary, dir } = await crawlAll(hosts, config);
  expect(summary).toMatchObject({ pages: hosts.length * (PAGES + 1), robotsDenied: hosts.length, pending: 0 });
  expect(site.log.some(({ target }) => target.startsWith('/private/'))).toBe(false);
  const again = await crawlAll(hosts, config, dir);
  expect(again.summary).toMatchObject({ pages: summary.pages, robotsDenied: hosts.length });
}, 30_000);

test('a score of the config gives the order, and status tells the ceiling', async () => {
  const module = join(scratch(), '..', `score-${process.pid}.mjs`);
  writeFileSync(module, 'export default ({ url }) => (url.endsWith("/3") ? 1 : 4);\n');
  const { summary, dir } = await crawlAll(['a.test'], { score: module });
  expect(summary.ceiling).toMatchObject({ backQueues: 1024, binds: false, bound: 0 });
  const listed = await saunter(['status', '--dir', dir, '--json']);
  const { ceiling } = JSON.parse(listed.out) as { ceiling: { period: number; pagesPerSecond: number } };
  expect(ceiling.period).toBeGreaterThanOrEqual(0.06);
  expect(ceiling.pagesPerSecond).toBeCloseTo(1024 / ceiling.period, -2);
  expect((await saunter(['status', '--dir', dir])).out).toMatch(
    /^ceiling +1,024 +hosts can be in play at once, which was enough: only their delays limit the speed, a page of each in [\d.]+ s$/m,
  );
}, 30_000);
