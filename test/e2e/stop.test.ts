/** SIGTERM in each phase of a crawl: what is open is made durable, and the same command goes on. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { configFile, crawl, removeScratches, saunter, scratch, start } from '../support/saunter.js';
import { links, Sites } from '../support/sites.js';

const PAGES = 12;
const HOSTS = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];
afterAll(removeScratches);

/** Page n links to 2n + 1 and 2n + 2. @param slow what takes its time */
const open = (slow: (target: string) => number) =>
  Sites.start(
    {
      '*': (target, { host }) => {
        if (target === '/robots.txt') return { status: 404, wait: slow(target) };
        const n = target === '/' ? 0 : Number(target.slice(1));
        const next = [2 * n + 1, 2 * n + 2].filter((m) => m < PAGES).map((m) => `/${m}`);
        return { body: `${links(...next)}<p>${target} of ${host}`, wait: slow(target) };
      },
    },
    HOSTS,
  );

const command = (dir: string, site: Sites): string[] => [
  ...HOSTS.map((host) => site.url(host)),
  ...['--dir', dir, '--delay', '30ms', '--patience', '1s', '--allow-private', '127.0.0.0/8'],
  // small archive files, so that they are closed in the midst of things; nothing is owed for a slow answer
  ...['--config', configFile({ 'segment.bytes': '64KiB', 'batch.time': '20ms', 'politeness.factor': 0 })],
];

interface Phase {
  readonly name: string;
  readonly slow?: (target: string) => number;
  /** Whether it has come. */
  readonly when: (dir: string, site: Sites) => boolean;
}

const PHASES: readonly Phase[] = [
  { name: 'while it opens its directory', when: (dir) => existsSync(join(dir, 'lock')) },
  { name: 'when its store is there', when: (dir) => existsSync(join(dir, 'crawl.sqlite')) },
  {
    name: 'while robots.txt is awaited',
    slow: (target) => (target === '/robots.txt' ? 300 : 0),
    when: (_, site) => site.log.length > 0,
  },
  { name: 'while pages are awaited', slow: (target) => (target === '/' ? 300 : 0), when: (_, site) => asked(site) > 0 },
  {
    name: 'while a server says nothing at all',
    slow: (target) => (target === '/3' ? 60_000 : 0),
    when: (_, site) => site.log.some(({ target }) => target === '/3'),
  },
  { name: 'in the midst of everything', when: (_, site) => asked(site) > 2 * PAGES },
  { name: 'right before the end', when: (_, site) => asked(site) >= 3 * PAGES - 1 },
];

const asked = (site: Sites): number => site.log.filter(({ target }) => target !== '/robots.txt').length;

describe('a crawl that is told to end', () => {
  test.concurrent.each(PHASES)(
    'SIGTERM $name ends the crawl cleanly, and the same command fetches what is left, each page once',
    { timeout: 40_000 },
    async ({ slow, when }) => {
      let isSlow = true;
      const site = await open((target) => (isSlow ? (slow?.(target) ?? 0) : 0));
      const dir = join(scratch(), 'crawl');
      const running = start(['crawl', '--workers', '1', ...command(dir, site)]);
      while (!when(dir, site) && running.child.exitCode === null) await pause(2);
      running.child.kill('SIGTERM');
      const { code, err } = await running.over;
      // before it listens for signals the system ends it; at the very end it may have finished already
      expect([130, null, 0]).toContain(code);
      expect(err).not.toMatch(/failed|Error|unhandled/);
      isSlow = false;
      const { code: last, summary } = await crawl(command(dir, site));
      expect([last, summary.pages, summary.pending, summary.deadLetters]).toEqual([0, 3 * PAGES, 0, 0]);
      const done = site.log.filter(({ target, ended }) => target !== '/robots.txt' && !Number.isNaN(ended));
      const places = done.map(({ host, target }) => host + target);
      // what was cut off in mid-answer is asked for again, nothing else
      expect(places.length - new Set(places).size).toBeLessThanOrEqual(HOSTS.length);
      expect((await saunter(['verify', '--dir', dir])).code).toBe(0);
      await site.stop();
    },
  );
});
