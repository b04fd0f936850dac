import { afterAll, beforeAll, expect, test } from 'vitest';
import { afterBegin, configFile, removeScratches, scratch, start, summaryOf } from '../support/saunter.js';
import { type Asked, links, Sites } from '../support/sites.js';

const HOSTS = Array.from({ length: 40 }, (_, i) => `h${i}.test`);
let site: Sites;
beforeAll(async () => {
  // slow, so that many connections stand at once
  const answer = (target: string, { host }: Asked) => {
    if (target === '/robots.txt') return undefined;
    return { body: `${target === '/' ? links('/a') : ''}<p>${target} of ${host}`, wait: 150 };
  };
  site = await Sites.start({ '*': answer }, ['0.0.0.0']);
});
afterAll(async () => {
  await site.stop();
  removeScratches();
});

/** The waits after a stop that was not clean are shortened: from 10 s for a host, from 30 s and more for a URL. */
const SHORT = { 'unclean.owe': '100ms', 'retry.ladder': ['10ms', '20ms', '30ms', '40ms'] };
const command = (dir: string) => [
  ...['crawl', ...HOSTS.map((host) => site.url(host)), '--scope', 'any', '--dir', dir, '--json', '--workers', '1'],
  ...['--resolve', '*.test=127.0.0.0/8', '--allow-private', '127.0.0.0/8', '--delay', '20ms', '--patience', '2s'],
  ...['--config', configFile(SHORT)],
];

test.concurrent.each([30, 90])(
  'with only %i file descriptors a crawl ends with one sentence that says what to raise, or comes to its end; it loses nothing',
  { timeout: 60_000 },
  async (limit) => {
    const dir = scratch();
    const first = await start(command(dir), { limit: `ulimit -n ${limit}` }).over;
    if (first.code !== 0) {
      expect(first.err).toMatch(/too many files are open.*ulimit -n/is);
      expect([first.code, afterBegin(first.err).trimEnd().split('\n').length], first.err).toEqual([1, 1]);
    }
    const second = await start(command(dir)).over;
    expect([second.code, afterBegin(second.err)]).toEqual([0, '']);
    const { pages, pending, deadLetters } = summaryOf(second);
    expect([pages, pending, deadLetters]).toEqual([2 * HOSTS.length, 0, 0]);
    expect((await start(['verify', '--dir', dir]).over).code).toBe(0);
  },
);
