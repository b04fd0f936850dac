import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DnsServer } from '../support/dns-server.js';
import { FORBIDDEN_HOSTS } from '../support/guard-spellings.js';
import { configFile, crawl, removeScratches, scratch } from '../support/saunter.js';
import { links, redirect, Sites } from '../support/sites.js';

/** An address of loopback that is never opened. */
const CLOSED = '127.200.0.1';
/** What is opened where something is: 127.0.0.0 to 127.127.255.255. */
const OPENED = ['--allow-private', '127.0.0.0/9'];

/** Listens where no crawl may come: every test ends with a look at its connections. */
let trap: Sites;
let dns: DnsServer;
const servers: Sites[] = [];

async function sites(...args: Parameters<typeof Sites.start>): Promise<Sites> {
  const started = await Sites.start(...args);
  servers.push(started);
  return started;
}

beforeAll(async () => {
  trap = await sites({ '*': () => 'you should not be here' }, ['127.0.0.1', CLOSED, '::1']);
  dns = await DnsServer.start({
    'inside.test': { a: ['127.0.0.1'] },
    'inside6.test': { aaaa: ['::1'] },
    'mapped.test': { aaaa: ['::ffff:127.0.0.1'] },
    'metadata.test': { a: ['169.254.169.254'] },
    'alias.test': { cname: 'inside.test' },
    'office.test': { a: ['10.0.0.1', '192.168.0.1'], aaaa: ['fd00::1'] },
    'closed.test': { a: [CLOSED] },
    'mixed.test': { a: [CLOSED, '127.0.0.1'] },
  });
});
afterAll(async () => {
  await Promise.all([...servers.map((server) => server.stop()), dns.stop()]);
  removeScratches();
});

/** Delays of 1 ms, since an address that is not of this machine needs one. */
const run = (...args: string[]) =>
  crawl(['--dir', scratch(), '--delay', '1ms', '--contact', 'mailto:test@example.org', '--patience', '20s', ...args]);

const REFUSED = 'has an address that is not public (guard.address)';

describe('by default no connection is made to a place that is not the public web', () => {
  test('by none of its spellings as a seed', async () => {
    const { code, err, summary } = await run(...FORBIDDEN_HOSTS.map((host) => `http://${host}:${trap.port}/`));
    expect([code, summary.pages, summary.requests, summary.pending]).toEqual([1, 0, 0, 0]);
    expect(summary.known).toBeGreaterThan(80);
    expect(summary.deadLetters).toBe(summary.known);
    expect(summary.errors).toEqual({ 'guard.address': summary.known });
    expect(err).toContain(REFUSED);
    expect(trap.connections).toEqual(new Map());
  });

  test.each(['localhost', 'inside.test', 'inside6.test', 'mapped.test', 'metadata.test', 'alias.test', 'office.test'])(
    'by the address of %s',
    async (name) => {
      const { code, err, summary } = await run('--dns', dns.address, trap.url(name));
      expect([code, summary.requests, summary.deadLetters]).toEqual([1, 0, 1]);
      expect(err).toContain(REFUSED);
      expect(trap.connections).toEqual(new Map());
    },
  );

  test('by a pin of the operator', async () => {
    const { code, summary } = await run('--resolve', '*.test=127.0.0.1', trap.url('pinned.test'));
    expect([code, summary.requests, summary.errors]).toEqual([1, 0, { 'guard.address': 1 }]);
    expect(trap.connections).toEqual(new Map());
  });
});

describe('from an opened range nothing leads out of it', () => {
  test('no link, redirect, robots.txt or sitemap', async () => {
    const away = (target: string) => trap.url(CLOSED, target);
    const site = await sites(
      {
        '127.0.0.1': (target) => {
          if (target === '/robots.txt') return { body: `Sitemap: ${away('/sitemap.xml')}\nSitemap: /sitemap.xml\n` };
          if (target === '/sitemap.xml')
            return {
              headers: { 'Content-Type': 'application/xml' },
              body: `<urlset><url><loc>${away('/from-sitemap')}</loc></url></urlset>`,
            };
          if (target === '/')
            return links('/moved', away('/link'), trap.url('[::1]'), trap.url('closed.test'), site.url('127.0.0.2'));
          if (target === '/moved') return redirect(away('/moved'));
          return undefined;
        },
        // its robots.txt lies elsewhere: no answer, so nothing of it
        '127.0.0.2': (target) => (target === '/robots.txt' ? redirect(away('/robots.txt')) : 'must not be asked for'),
      },
      ['127.0.0.1', '127.0.0.2'],
    );
    const { code, summary } = await run('--scope', 'any', '--dns', dns.address, ...OPENED, site.url('127.0.0.1'));
    expect([code, summary.pages]).toEqual([0, 1]);
    expect(summary.errors['guard.address']).toBeGreaterThanOrEqual(4);
    expect(summary.rejected['sitemap-host']).toBe(1);
    expect(summary.waiting).toMatchObject({ robots: { urls: 1 } });
    expect(site.asked('127.0.0.1')).toEqual(expect.arrayContaining(['/', '/moved', '/sitemap.xml']));
    expect(site.asked('127.0.0.2', true)).toEqual(['/robots.txt']);
    expect(trap.connections).toEqual(new Map());
  });

  test('no redirect of a seed, though it widens the scope', async () => {
    const site = await sites({ '127.0.0.1': (target) => (target === '/' ? redirect(trap.url(CLOSED)) : undefined) });
    const { code, err, summary } = await run(...OPENED, site.url('127.0.0.1'));
    expect([code, summary.errors]).toEqual([1, { 'guard.address': 1 }]);
    expect(err).toContain(REFUSED);
    expect(trap.connections).toEqual(new Map());
  });

  test('no sitemap that the operator names', async () => {
    const site = await sites({ '127.0.0.1': (target) => (target === '/' ? 'a page' : undefined) });
    const { code, summary } = await run(
      ...OPENED,
      '--sitemap',
      trap.url(CLOSED, '/sitemap.xml'),
      site.url('127.0.0.1'),
    );
    expect([code, summary.pages, summary.errors['guard.address']]).toEqual([0, 1, 1]);
    expect(trap.connections).toEqual(new Map());
  });
});

test('of several addresses only those are connected to that the guard lets through', async () => {
  const site = await sites({ 'mixed.test': (target) => (target === '/' ? 'a page' : undefined) }, [
    '127.0.0.1',
    CLOSED,
  ]);
  const { code } = await run(...OPENED, '--dns', dns.address, site.url('mixed.test'));
  expect(code).toBe(0);
  expect([...site.connections.keys()]).toEqual(['127.0.0.1']);
});

test('a name that moves to a private address while it is crawled is not followed there', async () => {
  dns.names.set('rebind.test', { a: ['127.0.0.1'], ttl: 0 });
  const site = await sites(
    {
      'rebind.test': (target) => {
        if (target === '/') return links('/next');
        if (target === '/robots.txt') dns.names.set('rebind.test', { a: [CLOSED], ttl: 0 });
        return 'a page';
      },
    },
    ['127.0.0.1', CLOSED],
  );
  // The shortest TTL is shortened from 5 min, so that the name is asked for again within the crawl.
  const config = configFile({ 'resolver.ttlMin': '300ms', delay: '250ms' });
  const { summary } = await crawl([
    '--dir',
    scratch(),
    '--config',
    config,
    '--patience',
    '20s',
    ...OPENED,
    '--dns',
    dns.address,
    site.url('rebind.test'),
  ]);
  expect([...site.connections.keys()]).toEqual(['127.0.0.1']);
  expect(summary.errors['guard.address']).toBe(1);
});

test('no seed, link, sitemap or redirect leads to a port that browsers do not fetch from', async () => {
  const mail = await sites({ '*': () => 'this is not the web' }, ['127.0.0.77'], 10080);
  const away = (target: string) => mail.url('127.0.0.77', target);
  const site = await sites(
    {
      '127.0.0.1': (target) => {
        if (target === '/robots.txt') return { body: `Sitemap: ${away('/sitemap.xml')}` };
        if (target === '/') return links('/moved', away('/link'), site.url('127.0.0.2'));
        return target === '/moved' ? redirect(away('/moved')) : undefined;
      },
      '127.0.0.2': (target) => (target === '/robots.txt' ? redirect(away('/robots.txt')) : 'must not be asked for'),
    },
    ['127.0.0.1', '127.0.0.2'],
  );
  const { summary } = await run('--scope', 'any', ...OPENED, site.url('127.0.0.1'), away('/'));
  expect(summary.rejected).toEqual({ port: 4 });
  expect(summary.waiting).toMatchObject({ robots: { urls: 1 } });
  expect(site.asked('127.0.0.2', true)).toEqual(['/robots.txt']);
  expect(mail.connections).toEqual(new Map());
});
