import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ceilingWords, mirrorWords, summaryText } from '../../src/cli/summary.js';
import type { CrawlOptions, CrawlSummary, CrawlUi } from '../../src/crawl-options.js';
import { UserError } from '../../src/errors.js';
import { version } from '../../src/version.js';
import { FakeProcess } from './process.js';

const crawled: CrawlOptions[] = [];
/** The seeds of each. */
const given: string[][] = [];
let body: (options: CrawlOptions, ui: CrawlUi) => Promise<CrawlSummary>;
vi.mock('../../src/embedded/run.js', () => ({
  runCrawl: async (options: CrawlOptions, ui: CrawlUi) => {
    const seeds: string[] = [];
    for await (const seed of options.seeds) seeds.push(seed);
    given.push(seeds);
    crawled.push(options);
    return body(options, ui);
  },
}));
afterEach(() => {
  crawled.length = 0;
  given.length = 0;
});

const summary: CrawlSummary = {
  pages: 12,
  requests: 20,
  bytes: 123_456,
  duplicates: 1,
  nearDuplicates: 0,
  revisits: 0,
  notModified: 0,
  changed: 0,
  freshness: null,
  seen: null,
  hosts: 2,
  known: 40,
  pending: 3,
  waiting: { delay: { urls: 3, next: 5 } },
  deadLetters: 0,
  robotsDenied: 1,
  rejected: { scope: 7, depth: 2 },
  removed: { 'utm_*': 1200, ';jsessionid': 3 },
  errors: { 'read.closed': 1 },
  seconds: 12.34,
  pagesPerSecond: 0.97,
  pagesThisRun: 11,
  ceiling: { backQueues: 1024, period: 1.2, pagesPerSecond: 853.33, binds: false, bound: 0 },
  suspectedTraps: [],
  mirrors: [],
};
const seed = 'http://127.0.0.1:8000/';

describe('the program', () => {
  it.each([[['--help']], [['-h']], [['help']]])('shows its commands for %j', async (argv) => {
    const { code, out, err } = await new FakeProcess().run(...argv);
    expect([code, err]).toEqual([0, '']);
    for (const command of ['crawl', 'demo', 'status', 'list', 'export', 'verify', 'inspect'])
      expect(out).toMatch(new RegExp(`^  ${command} `, 'm'));
  });

  it('is used wrongly without a command', async () => {
    expect((await new FakeProcess().run()).code).toBe(2);
  });

  it('refuses a demo in a folder that holds a crawl, and names a way out that the demo has', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'saunter-demo-'));
    try {
      writeFileSync(join(dir, 'crawl.sqlite'), '');
      const { code, out, err } = await new FakeProcess().run('demo', '--dir', dir);
      expect([code, out, crawled.length]).toEqual([2, '', 0]);
      expect(err).toBe(
        `${dir} holds a crawl already, and each demo is a web of its own: give another --dir, or none.\n`,
      );
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  it('tells its version', async () => {
    expect(await new FakeProcess().run('--version')).toEqual({ code: 0, out: `${version()}\n`, err: '' });
  });

  it.each([
    ['crwal', 'There is no command "crwal"; the nearest is saunter crawl.\n'],
    ['xyzzy', 'There is no command "xyzzy"; see saunter --help.\n'],
    ['--frobnicate', 'There is no option --frobnicate; see saunter --help.\n'],
  ])('answers %s with one sentence and exit code 2', async (word, sentence) => {
    expect(await new FakeProcess().run(word)).toEqual({ code: 2, out: '', err: sentence });
  });

  it.each([
    [['list', 'host'], 'There is no list of "host"; the nearest is hosts: saunter list urls|hosts|blocks|dead'],
    [['list', 'toString', '--dir', 'd'], 'There is no list of "toString": saunter list'],
    [['list'], 'What is to be listed? saunter list urls|hosts|blocks|dead'],
    [
      ['export', '--dir', 'd', '--language', 'de,german'],
      '--language cannot be "german": give tags such as de or en-GB',
    ],
    [['export', '--dir', 'd', '--out', 'pages.txt'], 'The ending of pages.txt tells no format: give --format, one of '],
    [['status', '--dir', ''], '--dir cannot be empty: --dir DIR.'],
    [['status', 'd', '--dir', 'd'], 'The directory is given twice: once with --dir, once without.'],
    [['status', 'd', 'e'], 'saunter status has no use for "e": saunter status [DIR] [options]'],
    [
      ['crawl', seed, '--politeness.factor', '0'],
      'politeness.factor is an option of the config file only: give a file with --config FILE in which politeness.factor is set',
    ],
    [['status'], 'Which crawl? Give its directory with --dir DIR.'],
  ])('answers %j with one sentence and exit code 2', async (argv, sentence) => {
    const { code, out, err } = await new FakeProcess().run(...argv);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(sentence);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('crawl', () => {
  it('hands over its arguments', async () => {
    body = async () => summary;
    const { code } = await new FakeProcess({
      stdin: '# mine\nhttp://b.test/\n\nhttp://a.test/x\r\nhttp://b.test/\n',
    }).run(
      'crawl',
      'http://a.test/x',
      '--seeds=-',
      '--dir',
      'somewhere',
      '--add',
      '--max-pages',
      '10',
      '--delay=300ms',
      '--include',
      'http://a.test/*',
      '--include=http://b.test/*',
      '--contact',
      'me@example.org',
    );
    expect(code).toBe(0);
    expect(crawled).toHaveLength(1);
    // each as often as it is given: whoever admits them knows which are known
    expect(given[0]).toEqual(['http://a.test/x', 'http://b.test/', 'http://a.test/x', 'http://b.test/']);
    expect(crawled[0]).toMatchObject({
      dir: 'somewhere',
      add: true,
      userAgent: `Saunter/${version()} (+mailto:me@example.org)`,
      config: { maxPages: 10, delay: 300, include: ['http://a.test/*', 'http://b.test/*'], patience: 180_000 },
    });
  });

  it('names its directory after the first seed, and takes a bare host name for https', async () => {
    body = async () => summary;
    await new FakeProcess().run('crawl', 'Example.org/docs', 'http://[::1]:80/');
    await new FakeProcess().run('crawl', 'http://[::1]:80/');
    expect(crawled.map(({ dir }, i) => [dir, given[i][0]])).toEqual([
      ['saunter-example.org', 'https://Example.org/docs'],
      ['saunter-___1_', 'http://[::1]:80/'],
    ]);
  });

  it('prints words, or one object as the last line with --json', async () => {
    body = async () => summary;
    const words = await new FakeProcess().run('crawl', seed);
    expect(words.out).toMatch(
      /^The crawl so far: 12 pages of 2 hosts, 20 requests, 123 kB\.\nThis run: 11 pages in 12\.3s \(1\.0 pages\/s\)\.\n/,
    );
    expect(words.out).toMatch(/^ {2}robots forbade +1 {2}URL$/m);
    expect(words.out).toMatch(/refused +9 {2}links: 7 out of scope, 2 too deep/);
    expect(words.out).toMatch(/removed +1,203 {2}parameters from links: utm_\* 1,200, ;jsessionid 3/);
    expect(words.out).toMatch(
      /^ {2}failures +1 {2}requests and look-ups that brought no page, and why \(docs\/errors\.md\):\n {4}read\.closed +1 {2}\w+ /m,
    );
    expect(words.out).not.toMatch(/budget|ceiling/);
    const json = await new FakeProcess().run('crawl', seed, '--json');
    expect(JSON.parse(json.out.trimEnd().split('\n').at(-1) ?? '')).toEqual(summary);
    expect([words.err, json.err]).toEqual(['', '']);
  });

  it('says one page and one host, and that only blocked hosts are left', async () => {
    body = async () => ({
      ...{ ...summary, pages: 1, hosts: 1, requests: 1, pagesThisRun: 1, seconds: 90 },
      waiting: { blocked: { urls: 3, next: null } },
    });
    const { out } = await new FakeProcess().run('crawl', seed);
    expect(out).toContain('All that is left is on blocked hosts; saunter unblock HOST lets it be fetched.\n');
    expect(out).toContain('The crawl so far: 1 page of 1 host, 1 request, ');
    expect(out).toContain('This run: 1 page in 1m30s (1.0 pages/s).');
  });

  it('says which budgets bound, and that the number of back queues held the crawl up', () => {
    const ceiling = { backQueues: 64, period: 2, pagesPerSecond: 32, binds: true, bound: 75 };
    const bound = { ...summary, rejected: { budget: 5 }, waiting: { budget: { urls: 3, next: 5 } }, ceiling };
    const words = summaryText(bound, 'x');
    expect(words).toMatch(/^ {2}budget +8 {2}links and URLs that budgets of hosts held back \(--budget\)$/m);
    expect(words).toMatch(
      /^ {2}ceiling +64 {2}hosts can be in play at once, too few for those with work, 32 pages\/s with a page of each in 2 s: it was so for 1m15s and is so now; raise frontier\.backQueuesMax$/m,
    );
  });

  it('advises a crawl to have more hosts only while something is left to be fetched', () => {
    expect(ceilingWords(summary.ceiling, true, 12)).toBe(
      'hosts can be in play at once, which was enough: only their delays limit the speed, a page of each in 1.2 s; more hosts make it faster',
    );
    expect(ceilingWords(summary.ceiling, true, 0)).toBe('hosts can be in play at once; no page was fetched yet');
    expect(ceilingWords(summary.ceiling, false, 12)).toMatch(/a page of each in 1\.2 s$/);
  });

  it('says how many pages call a host a mirror', () => {
    const mirror = { host: 'a.test', of: 'b.test', copies: 11, pages: 12 };
    expect(mirrorWords(mirror)).toBe('a.test of b.test (11 of 12 pages)');
    expect(mirrorWords({ ...mirror, copies: 1, pages: 1 })).toBe('a.test of b.test (by the one page fetched)');
  });

  it('counts what was refused under a name that it has no words for', () => {
    const words = summaryText({ ...summary, rejected: { 'a\u001b[31m': 2, toString: 1 } }, 'x');
    expect(words).toMatch(/refused +3 {2}links: 2 a\S*, 1 toString$/m);
    expect(words).not.toContain('\u001b');
  });

  it('shows progress on a terminal only', async () => {
    body = async (_, ui) => {
      ui.say('The seed redirects.');
      ui.progress({
        state: 'crawling',
        pages: 3,
        bytes: 9,
        hosts: 1,
        pending: 2,
        inFlight: 1,
        seconds: 2,
        pagesPerSecond: 1.5,
      });
      return summary;
    };
    expect((await new FakeProcess().run('crawl', seed)).err).toBe('');
    const live = await new FakeProcess({ tty: true }).run('crawl', seed);
    expect(live.err).toContain('The seed redirects.\n');
    expect(live.err).toContain('3 pages · 1.5/s');
    expect(live.err.endsWith('\r\x1b[2K')).toBe(true);
    const dumb = await new FakeProcess({ tty: true, env: { TERM: 'dumb' } }).run('crawl', seed);
    expect(dumb.err).not.toContain('\x1b');
  });

  it('fails with the reason when nothing was fetched', async () => {
    body = async () => ({ ...summary, pages: 0, errors: { 'connect.refused': 4 } });
    const { code, err } = await new FakeProcess().run('crawl', seed);
    expect([code, err]).toEqual([
      1,
      'No page was fetched: what was tried has a server that refuses connections (connect.refused).\n',
    ]);
    body = async () => ({ ...summary, pages: 0, errors: {}, robotsDenied: 1 });
    expect((await new FakeProcess().run('crawl', seed)).err).toContain('robots.txt forbids');
    body = async () => ({ ...summary, pages: 0, errors: {}, robotsDenied: 0, known: 0, rejected: { scope: 1 } });
    expect((await new FakeProcess().run('crawl', seed)).err).toContain('every seed was refused: 1 out of scope.');
    body = async () => ({ ...summary, pages: 0, errors: {}, robotsDenied: 0 });
    expect((await new FakeProcess().run('crawl', seed)).err).toContain('3 URLs still wait (delay 3)');
  });

  it('stops cleanly at the first Ctrl-C and at once at the second', async () => {
    const process = new FakeProcess({ tty: true });
    body = async (options) => {
      process.emit('SIGINT');
      expect(options.signal.aborted).toBe(true);
      expect(process.exits).toEqual([]);
      process.emit('SIGINT');
      return summary;
    };
    const { code, err } = await process.run('crawl', seed, '--dir', 'd');
    expect(code).toBe(130);
    expect(process.exits).toEqual([130]);
    expect(err).toContain('To go on: saunter crawl --dir d');
    expect(process.listenerCount('SIGINT') + process.listenerCount('SIGTERM')).toBe(0);
  });

  it('prints what a user did wrong, and a fault of ours, as one sentence', async () => {
    body = async () => {
      throw new UserError('The directory d is in use\x1b[31m.');
    };
    expect(await new FakeProcess().run('crawl', seed)).toEqual({
      code: 1,
      out: '',
      err: 'The directory d is in use\ufffd[31m.\n',
    });
    body = async () => {
      throw new TypeError('x is not a function');
    };
    const { code, err } = await new FakeProcess().run('crawl', seed);
    expect(code).toBe(1);
    expect(err).toBe('saunter failed: x is not a function\n');
  });

  it.each([
    [[], 'There is no seed: give a URL to start from, such as https://example.org/, or --seeds FILE.'],
    [['--dir', '/nowhere'], 'There is no seed, and /nowhere holds no crawl to go on with: give a URL to start from.'],
    [['ftp://a.test/'], '"ftp://a.test/" (the seed) is not a URL that can be crawled: give an http(s) URL.'],
    [['a b'], '"a b" (the seed) is not a URL'],
    [['mailto:me@a.test'], '"mailto:me@a.test" (the seed) is not a URL'],
    [['http://'], '"http://" (the seed) is not a URL'],
    [['--seeds', '/nowhere/seeds'], 'The seeds in /nowhere/seeds cannot be read: there is no such file'],
    [[seed, '--max-page', '3'], 'There is no option --max-page; the nearest is --max-pages.'],
    [
      [seed, '--revisit', 'sometimes'],
      '--revisit cannot be "sometimes": give one of none, adaptive, uniform, optimal.',
    ],
    [[seed, '-v'], 'There is no option -v; see saunter crawl --help.'],
    [[seed, '--max-pages'], '--max-pages needs a value: --max-pages N.'],
    [[seed, '--dir', ''], '--dir cannot be empty: --dir DIR.'],
    [[seed, '--seeds='], '--seeds cannot be empty: --seeds FILE.'],
    [[seed, '--max-pages', '--json'], '--max-pages needs a value'],
    [[seed, '--max-pages', '-5'], '--max-pages cannot be "-5": give a whole number from 1 to'],
    [[seed, '--json=yes'], '--json takes no value.'],
    [[seed, '--delay', '1s', '--delay', '2s'], '--delay is given twice.'],
    [[seed, '--delay', '5'], '--delay cannot be "5": give a duration from 0 to 1h, such as 300ms, 5s or 10m.'],
    [[seed, '--config', '/nowhere.json'], 'The config file /nowhere.json cannot be read'],
  ])('refuses %j with one sentence and exit code 2', async (argv, sentence) => {
    const { code, out, err } = await new FakeProcess().run('crawl', ...argv);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(sentence);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
    expect(crawled).toEqual([]);
  });

  it('names the line of a bad seed', async () => {
    const { err } = await new FakeProcess({ stdin: 'http://a.test/\n#\nmailto:x@y\n' }).run('crawl', '--seeds', '-');
    expect(err).toContain('"mailto:x@y" (line 3 of standard input)');
  });

  it('takes what follows -- for seeds', async () => {
    const { err } = await new FakeProcess().run('crawl', '--', '--json');
    expect(err).toContain('"--json" (the seed)');
  });
});

it('goes on quietly when nobody reads its output any more', async () => {
  body = async () => summary;
  const process = new FakeProcess();
  const running = process.run('crawl', seed);
  process.stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  expect(await running).toEqual({ code: 0, out: '', err: '' });
});
