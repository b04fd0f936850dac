/** Nothing leads a crawl to what it listens at itself, or to the services that it uses: DESIGN 7. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DnsServer } from '../support/dns-server.js';
import { configFile, crawl, removeScratches, saunter, scratch } from '../support/saunter.js';
import { links, redirect, type Site, Sites } from '../support/sites.js';

/** Everything is open: what is refused here is refused as our own. */
const OPEN = ['--scope', 'any', '--allow-private', '0.0.0.0/0', '--allow-private', '::/0'];

const servers: Sites[] = [];
let dns: DnsServer;

async function sites(...args: Parameters<typeof Sites.start>): Promise<Sites> {
  const started = await Sites.start(...args);
  servers.push(started);
  return started;
}

beforeAll(async () => {
  dns = await DnsServer.start({
    'inside.test': { a: ['127.0.0.1'] },
    'mapped.test': { aaaa: ['::ffff:127.0.0.1'] },
    'alias.test': { cname: 'inside.test' },
  });
});
afterAll(async () => {
  await Promise.all([...servers.map((server) => server.stop()), dns.stop()]);
  removeScratches();
});

/** A port that nobody listens at. */
async function freePort(): Promise<number> {
  const site = await Sites.start({});
  await site.stop();
  return site.port;
}

const run = (...args: string[]) =>
  crawl(['--dir', scratch(), '--delay', '1ms', '--contact', 'mailto:test@example.org', '--patience', '5s', ...args]);

/** A site that leads to `away` by a link, a redirect, a sitemap of its own and one elsewhere; another one has its
 * robots.txt there. */
async function leading(away: (target: string) => string, ...more: string[]): Promise<Sites> {
  const home: Site = (target) => {
    if (target === '/robots.txt') return { body: `Sitemap: ${away('/sitemap.xml')}` };
    if (target === '/') return links('/moved', away('/link'), site.url('127.0.0.2'), ...more);
    return target === '/moved' ? redirect(away('/moved')) : undefined;
  };
  const site = await sites(
    {
      '127.0.0.1': home,
      '127.0.0.2': (target) => (target === '/robots.txt' ? redirect(away('/robots.txt')) : 'must not be asked for'),
    },
    ['127.0.0.1', '127.0.0.2'],
  );
  return site;
}

describe('the dashboard and API of a crawl are not fetched by it', () => {
  test.each(['127.0.0.1', '0.0.0.0', '::'])(
    'listening at %s: no seed, link, redirect, robots.txt or sitemap',
    async (at) => {
      const port = await freePort();
      const away = (target: string, host = '127.0.0.1') => `http://${host}:${port}${target}`;
      const hosts = ['localhost', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '0.0.0.0', 'inside.test', 'mapped.test', 'alias.test']; // biome-ignore format: one line
      const site = await leading(away, ...hosts.map((host) => away(`/?${host.replace(/\W/g, '')}`, host)));
      const { summary } = await run(
        ...['--dns', dns.address, '--config', configFile({ adminAddress: at }), '--admin', String(port), ...OPEN],
        ...[site.url('127.0.0.1'), away('/'), away('/healthz')],
      );
      expect([summary.pages, summary.hosts]).toEqual([1, 8]);
      // two seeds, a link, a redirect, a sitemap and the spellings; and a robots.txt, of which nobody may go on
      expect(summary.errors).toEqual({ 'guard.own': 5 + hosts.length + 1 });
      expect(summary.deadLetters).toBe(5 + hosts.length);
      expect(summary.waiting).toMatchObject({ robots: { urls: 1 } });
      expect(site.asked('127.0.0.2', true)).toEqual(['/robots.txt']);
    },
  );
});

test('the receiver of traces gets traces and no visit, by its address or by its name', async () => {
  const receiver = await sites({ '*': () => 'you should not be here' }, ['127.0.0.1']);
  const site = await leading((target) => receiver.url('localhost', target), receiver.url('127.0.0.1', '/address'));
  const config = configFile({ 'trace.endpoint': receiver.url('localhost', '/v1/traces'), 'trace.share': '100%' });
  const { summary } = await run('--config', config, ...OPEN, site.url('127.0.0.1'));
  expect([summary.pages, summary.errors]).toEqual([1, { 'guard.own': 5 }]);
  expect(new Set(receiver.log.map(({ target }) => target))).toEqual(new Set(['/v1/traces']));
});

test('a DNS server of --dns is not fetched from', async () => {
  const port = Number(dns.address.split(':')[1]);
  const same = await sites({ '*': () => 'you should not be here' }, ['127.0.0.1'], port);
  const site = await leading((target) => same.url('inside.test', target), same.url('127.0.0.1', '/address'));
  const { summary } = await run('--dns', dns.address, ...OPEN, site.url('127.0.0.1'));
  expect([summary.pages, summary.errors]).toEqual([1, { 'guard.own': 5 }]);
  expect(same.connections).toEqual(new Map());
});

test('inspect fetch says whose socket it is', async () => {
  const config = configFile({ admin: 18_790 });
  const { out } = await saunter([
    ...['inspect', 'fetch', '--config', config, '--allow-private', '127.0.0.0/8', 'http://[::ffff:127.0.0.1]:18790/'],
  ]);
  expect(out).toContain('port 18790 belongs to this crawler');
  expect(out).toContain('guard.own');
});
