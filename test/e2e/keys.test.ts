import { afterAll, beforeAll, expect, test } from 'vitest';
import { configFile, crawl, removeScratches, saunter, scratch } from '../support/saunter.js';
import { links, Sites } from '../support/sites.js';

let site: Sites;
const PAGES = Array.from({ length: 6 }, (_, i) => `/${i}`);

beforeAll(async () => {
  const pages = (host: string) => (target: string) => {
    if (target === '/') return `${links(...PAGES)}${host}`;
    return PAGES.includes(target) ? { body: `${host}${target}`, wait: 20 } : undefined;
  };
  site = await Sites.start({ 'a.test': pages('a'), 'b.test': pages('b') });
});
afterAll(async () => {
  await site.stop();
  removeScratches();
});

test.each(['host+ip', 'host', 'ip'])('politeness by %s is kept, and verify proves it', async (key) => {
  site.log.length = 0;
  const dir = scratch();
  // Gaps are not ten times as long as a fetch here, which would hide the delay.
  const config = configFile({ 'politeness.key': key, 'politeness.factor': 0 });
  const flags = [
    '--allow-private',
    '127.0.0.0/8',
    '--resolve',
    '*.test=127.0.0.1',
    '--delay',
    '40ms',
    '--config',
    config,
  ];
  const { code, summary } = await crawl([site.url('a.test'), site.url('b.test'), '--dir', dir, ...flags]);
  expect([code, summary.pages]).toEqual([0, 14]);
  const gapsOf = (log: typeof site.log): number[] => log.slice(1).map(({ at }, i) => at - log[i].ended);
  for (const host of ['a.test', 'b.test']) {
    expect(Math.min(...gapsOf(site.log.filter((asked) => asked.host === host)))).toBeGreaterThanOrEqual(40);
  }
  // two hosts at one address: only by host alone do they get in each other's way
  expect(Math.min(...gapsOf(site.log)) >= 40).toBe(key !== 'host');
  const verified = await saunter(['verify', '--dir', dir]);
  expect([verified.code, verified.out]).toEqual([0, expect.stringContaining('Everything agrees.')]);
});
