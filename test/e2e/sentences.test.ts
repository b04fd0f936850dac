import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/engines/database.js';
import { DnsServer } from '../support/dns-server.js';
import { afterBegin, configFile, type Ran, removeScratches, saunter, scratch, start } from '../support/saunter.js';
import { links, Sites } from '../support/sites.js';

let site: Sites;
let dns: DnsServer;
const dir = () => join(scratch(), 'crawl');
const OPENED = ['--allow-private', '127.0.0.0/8', '--delay', '0'];

beforeAll(async () => {
  site = await Sites.start(
    {
      'a.test': (target) => (target === '/' ? links('/one', '/two') : target.length > 4 ? undefined : `page ${target}`),
      'one.test': () => 'the only page',
      'patient.test': (target) => (target === '/robots.txt' ? 'User-agent: *\nCrawl-delay: 300' : 'patient'),
      'closed.test': (target) => (target === '/robots.txt' ? 'User-agent: saunter\nDisallow: /' : 'forbidden'),
      'slow.test': () => ({ body: 'at last', wait: 3000 }),
      'links.test': (target) => (target === '/' ? links('http://public.test/') : undefined),
    },
    ['127.0.0.1'],
  );
  dns = await DnsServer.start({ 'public.test': { a: ['9.9.9.9'] }, 'broken.test': { rcode: 2 } });
});
afterAll(async () => {
  await Promise.all([site.stop(), dns.stop()]);
  removeScratches();
});

const here = (name: string) => ['--resolve', '*.test=127.0.0.1', site.url(name)];

/** Only one sentence on standard error, and no stack: what a user reads whose output goes to a file. */
async function sentence(...args: string[]): Promise<Ran> {
  const ran = await saunter(['crawl', '--workers', '1', ...args], (process) => {
    process.stderr.isTTY = false;
  });
  // a crawl that begins says so, and that is not what went wrong
  ran.err = afterBegin(ran.err);
  expect(ran.err.trimEnd().split('\n'), ran.err).toHaveLength(1);
  expect(ran.err).not.toMatch(/\n\s+at |Error:/);
  return ran;
}

describe('wrong usage ends with exit code 2, one sentence, and no connection', () => {
  test.each<[string, string[], string]>([
    [
      'a wrong flag',
      ['http://a.test/', '--max-depht', '3'],
      'There is no option --max-depht; the nearest is --max-depth.',
    ],
    ['no seed', [], 'There is no seed: give a URL to start from'],
    ['a host beyond this machine without a contact', ['http://9.9.9.9/'], 'A crawl of 9.9.9.9 needs --contact:'],
    [
      'no delay beyond this machine',
      ['http://9.9.9.9/', '--contact', 'me@example.org', '--delay', '0'],
      '--delay 0 is for crawls of this machine only',
    ],
  ])('%s', async (_, args, words) => {
    const inDir = args.length > 0 ? ['--dir', dir()] : [];
    const { code, err, out } = await sentence(...args, ...inDir);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(words);
  });

  test('and what was refused leaves nothing behind, in a folder of ours or of yours', async () => {
    const taken = createServer();
    const port = await new Promise<number>((resolve) =>
      taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port)),
    );
    const refused: [string[], RegExp][] = [
      [['http://9.9.9.9/'], /needs --contact/],
      [[...here('a.test'), ...OPENED, '--admin', String(port)], /cannot listen|port/i],
      [[...here('a.test'), ...OPENED, '--config', configFile({ handlers: ['x/y=./none.js'] })], /names no file/],
    ];
    for (const [args, words] of refused) {
      const [fresh, yours] = [dir(), scratch()];
      writeFileSync(join(scratch(), 'other'), '');
      for (const at of [fresh, yours]) expect((await sentence(...args, '--dir', at)).err).toMatch(words);
      expect([existsSync(fresh), readdirSync(yours)]).toEqual([false, []]);
    }
    await new Promise((resolve) => taken.close(resolve));
    const into = dir();
    const ran = await saunter(['import', 'not-there.warc', '--dir', into]);
    expect([ran.code, ran.err]).toEqual([
      2,
      'not-there.warc cannot be read: there is no such file. Nothing was imported.\n',
    ]);
    expect(existsSync(into)).toBe(false);
    const stranger = configFile({});
    expect(await saunter(['import', stranger, '--dir', into])).toMatchObject({
      ...{ code: 1, out: '' },
      err: expect.stringMatching(
        /no WARC record begins .*offset 0\.\nNothing was imported: give WARC or ARC files\.\n$/,
      ),
    });
    expect(existsSync(into)).toBe(false);
  });

  test('a seed beyond this machine among others, by its address in the DNS', async () => {
    const seeds = [site.url('127.0.0.1'), 'http://public.test/'];
    const { code, err } = await saunter([
      'crawl',
      ...seeds,
      '--dir',
      dir(),
      '--dns',
      dns.address,
      ...OPENED.slice(0, 2),
    ]);
    expect(code).toBe(2);
    expect(err).toContain('A crawl of public.test needs --contact:');
    expect(site.connections).toEqual(new Map());
  });
});

test('a refused crawl leaves no thread behind: the process ends', async () => {
  const refused = start(['crawl', 'http://9.9.9.9/', '--dir', dir()]);
  expect(await refused.over).toEqual({ code: 2, out: '', err: expect.stringContaining('needs --contact') });
});

describe('a crawl that comes to nothing ends with exit code 1 and says why', () => {
  test.each<[string, string[], string]>([
    [
      'a server that refuses connections',
      ['http://127.0.0.33:9999/'],
      'No page was fetched: what was tried has a server that refuses connections (connect.refused).',
    ],
    [
      'a host name that does not exist',
      ['http://nowhere.test/'],
      'No page was fetched: what was tried has a host name that does not exist (dns.nxdomain).',
    ],
    [
      'a resolver that fails',
      ['http://broken.test/'],
      'No page was fetched: what was tried has a host name that could not be resolved (dns.failed).',
    ],
  ])('%s', async (_, seeds, words) => {
    const { code, err } = await sentence(...seeds, '--dir', dir(), '--dns', dns.address, '--patience', '1s', ...OPENED);
    expect([code, err]).toEqual([1, `${words}\n`]);
  });

  test('a seed that robots.txt forbids', async () => {
    const { code, err } = await sentence(...here('closed.test'), '--dir', dir(), ...OPENED);
    expect([code, err]).toEqual([1, 'No page was fetched: robots.txt forbids every URL that is known.\n']);
    expect(site.asked('closed.test', true)).toEqual(['/robots.txt']);
  });

  test('a link beyond this machine, without a contact, has no address', async () => {
    const flags = ['--dir', dir(), '--scope', 'any', '--patience', '1s', '--json', '--dns', dns.address, ...OPENED];
    const { code, out } = await saunter([
      'crawl',
      '--resolve',
      'links.test=127.0.0.1',
      site.url('links.test'),
      ...flags,
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      pages: 1,
      pending: 1,
      waiting: { dns: { urls: 1 } },
      errors: { 'dns.failed': 1 },
    });
  });
});

describe('a directory that cannot be used ends with one sentence', () => {
  /** Tests may run as root, whom permissions do not stop: these stop everybody. */
  test.each<[string, (dir: string) => string, string]>([
    ['below a file', (dir) => join(dir, 'file', 'crawl'), 'crawl: a part of the path is a file, not a directory'],
    ['in a file system that is not for files', () => '/sys/saunter', 'cannot create /sys/saunter: '],
    [
      'where the system lets nobody make a folder',
      () => '/proc/saunter',
      'cannot create /proc/saunter: the system lets nobody make a folder there',
    ],
    ['with a folder where the store should be', (dir) => join(dir, 'folder'), 'crawl.sqlite could not be opened.'],
    [
      'with a file where the archive should be',
      (dir) => join(dir, 'occupied'),
      'warc: a file of that name is in the way',
    ],
    ['with the store of another program', (dir) => join(dir, 'foreign'), 'is not a Saunter store'],
    ['of a newer version', (dir) => join(dir, 'newer'), 'was written by a newer Saunter (store version 99;'],
  ])('%s', async (_, path, words) => {
    const at = scratch();
    writeFileSync(join(at, 'file'), '');
    mkdirSync(join(at, 'folder', 'crawl.sqlite'), { recursive: true });
    mkdirSync(join(at, 'occupied'));
    writeFileSync(join(at, 'occupied', 'warc'), '');
    mkdirSync(join(at, 'foreign'));
    writeFileSync(join(at, 'foreign', 'crawl.sqlite'), 'x'.repeat(5000));
    mkdirSync(join(at, 'newer'));
    const store = openDatabase(join(at, 'newer', 'crawl.sqlite'));
    store.exec(`CREATE TABLE t (a); PRAGMA application_id = ${0x534e5452}; PRAGMA user_version = 99`);
    store.close();
    const { code, err } = await sentence(...here('a.test'), '--dir', path(at), ...OPENED);
    expect([code, err]).toEqual([1, expect.stringContaining(words)]);
  });

  test('below folders that are not there, which are made one by one', async () => {
    const at = join(scratch(), 'one', 'two', 'three');
    const { code } = await saunter(['crawl', '--workers', '1', ...here('one.test'), '--dir', at, ...OPENED]);
    expect([code, existsSync(join(at, 'crawl.sqlite'))]).toEqual([0, true]);
  });

  test('in use by another crawl, which goes on', async () => {
    const args = [...here('slow.test'), '--dir', dir(), ...OPENED];
    const first = start(['crawl', '--workers', '1', ...args]);
    while (site.asked('slow.test', true).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    const { code, err } = await sentence(...args);
    expect(code).toBe(1);
    expect(err).toMatch(new RegExp(`^directory \\S+ is in use by process ${first.child.pid} since .*: wait`));
    first.child.kill('SIGKILL');
    await first.over;
  });
});

test('a file in a folder that is not there names the folder', async () => {
  const at = dir();
  expect((await sentence(...here('one.test'), '--dir', at, ...OPENED, '--log', '/nowhere/x.log')).err).toBe(
    'The log /nowhere/x.log cannot be written: there is no folder /nowhere.\n',
  );
  expect((await saunter(['crawl', '--workers', '1', ...here('one.test'), '--dir', at, ...OPENED])).code).toBe(0);
  const exported = await saunter(['export', '--dir', at, '--out', '/nowhere/x.jsonl']);
  expect(exported.err).toContain(
    '/nowhere/x.jsonl cannot be written: there is no folder /nowhere. Give another --out.',
  );
});

test('a directory may stand without --dir, and is named where a command has no place for it', async () => {
  const at = dir();
  expect((await saunter(['crawl', '--workers', '1', ...here('one.test'), '--dir', at, ...OPENED])).code).toBe(0);
  for (const command of ['status', 'verify', 'export']) expect((await saunter([command, at])).code).toBe(0);
  expect((await saunter(['list', 'urls', at])).err).toContain(`has no use for "${at}" (did you mean --dir ${at}?)`);
});

test('a crawl takes other seeds only with --add, and other key options never', async () => {
  const at = dir();
  const run = (...args: string[]) =>
    saunter(['crawl', '--workers', '1', '--json', '--dir', at, '--patience', '1s', ...OPENED, ...args]);
  expect((await run(...here('a.test'))).code).toBe(0);
  const stranger = await run(...here('links.test'));
  expect([stranger.code, stranger.out]).toEqual([2, '']);
  expect(stranger.err).toContain(
    `holds a crawl with other seeds (${site.url('links.test')} is not one of them): give --add`,
  );
  const keyed = await run(...here('a.test'), '--config', configFile({ 'url.tracking': ['fbclid'] }));
  expect([keyed.code, keyed.out]).toEqual([2, '']);
  expect(keyed.err).toContain('cannot go on: url.tracking was ["utm_*"');
  const added = await run('--add', ...here('links.test'));
  expect(JSON.parse(added.out)).toMatchObject({ pages: 4 });
  // both are its seeds now, in any spelling, and without any it goes on too
  expect((await run('--resolve', '*.test=127.0.0.1', `${site.url('a.test')}?utm_source=x`)).code).toBe(0);
  expect((await run('--resolve', '*.test=127.0.0.1')).code).toBe(0);
  expect(site.asked('a.test')).toEqual(['/', '/one', '/two']);
});

test('an export of nothing says which filter left out the pages', async () => {
  const at = dir();
  expect((await saunter(['crawl', '--workers', '1', '--dir', at, ...here('a.test'), ...OPENED])).code).toBe(0);
  const none = async (...filters: string[]) => {
    const { code, out, err } = await saunter(['export', '--dir', at, ...filters], (process) => {
      process.stderr.isTTY = false;
    });
    expect([code, out]).toEqual([0, '']);
    return err;
  };
  expect(await none('--language', 'de')).toBe('No page was exported: --language de left out all 3 pages.\n');
  expect(await none('--min-words', '900')).toBe('No page was exported: --min-words 900 left out all 3 pages.\n');
  expect(await none('--host', 'b.test', '--language', 'de')).toBe(
    'No page was exported: --host b.test left out all 3 pages.\n',
  );
});

test('a store whose small facts are damaged is named, with what to do', async () => {
  const at = dir();
  expect((await saunter(['crawl', '--workers', '1', '--dir', at, ...here('a.test'), ...OPENED])).code).toBe(0);
  const damage = (name: string, value: string): void => {
    const store = openDatabase(join(at, 'crawl.sqlite'));
    store.prepare('UPDATE meta SET value = ? WHERE key = ?').run(value, name);
    store.close();
  };
  const words = (name: string) =>
    `The store of this crawl is damaged: its entry "${name}" (table meta) is not what a crawl writes there.`;
  damage('ceiling', '{"backQueues":');
  const status = await saunter(['status', '--dir', at]);
  expect([status.code, status.err]).toEqual([1, expect.stringContaining(words('ceiling'))]);
  damage('openings', '["no object"]');
  const { code, err } = await sentence(...here('a.test'), '--dir', at, ...OPENED);
  expect([code, err]).toEqual([1, expect.stringContaining(words('openings'))]);
});

test('a crawl whose rest waits says until when, for which host, and how it would wait', async () => {
  const at = dir();
  const args = [...here('patient.test'), '--dir', at, ...OPENED, '--patience', '1s'];
  const { code, out } = await saunter(['crawl', '--workers', '1', ...args]);
  expect(code).toBe(1);
  const due = 'due at 20\\S+Z \\(in (?:5m|4m\\d+s)\\)';
  expect(out).toMatch(
    new RegExp(`^What is left waits for longer than --patience 1s: the next is ${due}\\. The same command goes on`),
  );
  const asks = 'asks for 5m between requests \\(Crawl-delay\\) and is';
  expect(out).toMatch(new RegExp(`^ {2}patient\\.test ${asks} ${due}; --patience 6m would wait for it\\.$`, 'm'));
  const status = (await saunter(['status', at])).out;
  expect(status).toMatch(/ 1 {3}of 1 host that asks for a long delay .*; the first until 20\S+Z$/m);
  expect(status).not.toContain('faster');
});

test('an address that is not public is named, with the ranges that are open', async () => {
  const refused = async (...args: string[]) => (await sentence('--dir', dir(), '--patience', '1s', ...args)).err;
  const literal = await refused('http://127.0.0.10:8000/', '--allow-private', '127.0.0.1');
  expect(literal).toContain('has an address that is not public (guard.address): 127.0.0.10. Open are only 127.0.0.1.');
  const pinned = await refused('http://x.test:8000/', '--resolve', 'x.test=127.0.0.10');
  expect(pinned).toContain('(guard.address): x.test is 127.0.0.10.');
});

// last: it asks the site, whose log others look at
test.each([
  [
    'is not public',
    ['http://127.0.0.1:8080/', 'http://[::1]/'],
    '(guard.address): 127.0.0.1, ::1. If it is yours, open its range',
  ],
  [
    'has a port of no web server',
    ['http://127.0.0.1:25/'],
    'every seed was refused: 1 to ports where no web server lives. Pages live at 80, 443',
  ],
])('a crawl each of whose seeds %s leaves nothing behind', async (_, seeds, words) => {
  const [fresh, yours] = [dir(), scratch()];
  for (const at of [fresh, yours]) {
    const { code, err, out } = await saunter(['crawl', ...seeds, '--dir', at, '--patience', '1s']);
    expect([code, out]).toEqual([1, expect.stringContaining('Nothing was asked for, so nothing is kept.')]);
    expect(err).toContain(words);
  }
  expect([existsSync(fresh), readdirSync(yours)]).toEqual([false, []]);
  // one that may be asked is kept, and so is a crawl that was there before
  const kept = dir();
  expect((await saunter(['crawl', ...here('a.test'), ...OPENED, '--dir', kept])).code).toBe(0);
  await saunter(['crawl', ...seeds, '--add', '--dir', kept, '--patience', '1s']);
  expect(existsSync(join(kept, 'crawl.sqlite'))).toBe(true);
});
