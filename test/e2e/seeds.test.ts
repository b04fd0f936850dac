import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, expect, test } from 'vitest';
import { page, type RawServer, rawServer } from '../fetch/raw-server.js';
import { configFile, crawl, removeScratches, root, scratch, start, summaryOf } from '../support/saunter.js';
import { links, Sites } from '../support/sites.js';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});
afterAll(removeScratches);

async function sites(...args: Parameters<typeof Sites.start>): Promise<Sites> {
  const started = await Sites.start(...args);
  cleanups.push(() => started.stop());
  return started;
}

const LOCAL = ['--allow-private', '127.0.0.0/8', '--allow-private', '::1/128', '--delay', '0', '--patience', '20s'];

test('of five seeds, three spellings of one page, another page and one that robots forbids, three are known and two are fetched', async () => {
  const site = await sites({
    '127.0.0.1': (target) => {
      if (target === '/robots.txt') return 'User-agent: *\nDisallow: /private';
      return target.startsWith('/page') || target === '/other' ? { body: target } : 'private';
    },
  });
  const seeds = ['/page?b=2&a=1', '/page/?a=1&b=2#top', '/./page?utm_source=x&b=2&a=%31', '/other', '/private/x'];
  const { code, summary } = await crawl([
    ...seeds.map((target) => site.url('127.0.0.1', target)),
    '--dir',
    scratch(),
    ...LOCAL,
  ]);
  expect(code).toBe(0);
  expect(summary).toMatchObject({ known: 3, pages: 2, robotsDenied: 1, pending: 0, requests: 3 });
  expect(site.asked('127.0.0.1')).toEqual(['/page?b=2&a=1', '/other']);
});

test('a host name with the dot of the root is the same host: one robots.txt, one clock, and no page lost to the redirect', async () => {
  const site: Sites = await sites({
    'd.test': (target) => (target === '/' ? links(`http://d.test.:${site.port}/one`, '/two') : `page ${target}`),
    'd.test.': (target) => ({ status: 301, headers: { Location: `http://d.test:${site.port}${target}` } }),
  });
  const local = [
    '--resolve',
    '*.test=127.0.0.1',
    '--resolve',
    'd.test.=127.0.0.1',
    '--allow-private',
    '127.0.0.0/8',
    '--patience',
    '20s',
  ];
  const { code, summary } = await crawl([site.url('d.test'), '--dir', scratch(), ...local, '--delay', '300ms']);
  expect(code).toBe(0);
  expect(summary).toMatchObject({ hosts: 1, pages: 3, pending: 0, deadLetters: 0 });
  expect(site.log.filter((asked) => asked.target === '/robots.txt')).toHaveLength(1);
  const gaps = site.log.slice(1).map((asked, i) => asked.at - site.log[i].ended);
  expect(Math.min(...gaps)).toBeGreaterThan(290);
});

test('seeds come from a file too, and an IPv6 address is a host like any other', async () => {
  const site = await sites({ '[::1]': (target) => (target === '/' ? links('/a') : 'a page') }, ['::1']);
  const dir = scratch();
  const file = join(scratch(), 'seeds.txt');
  writeFileSync(file, `# mine\n\n${site.url('[::1]')}\n`);
  const { code, summary } = await crawl(['--seeds', file, '--dir', dir, ...LOCAL]);
  expect([code, summary.pages, site.asked('[::1]')]).toEqual([0, 2, ['/', '/a']]);
});

test('https is crawled like http, and a certificate that is not valid is an error by its own name', async () => {
  const fixtures = join(root, 'test/fixtures/tls');
  const secure = { key: readFileSync(join(fixtures, 'good.key')), cert: readFileSync(join(fixtures, 'good.pem')) };
  const server: RawServer = await rawServer((socket, head) => {
    if (head.startsWith('GET /robots.txt')) socket.write('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');
    else socket.write(page(head.startsWith('GET / ') ? links('/a') : 'a page'));
  }, secure);
  cleanups.push(() => server.close());
  const run = async (host: string, dir = scratch(), ...more: string[]) => {
    const seed = `https://${host}:${server.port}/`;
    const args = [
      'crawl',
      '--json',
      '--workers',
      '1',
      seed,
      '--dir',
      dir,
      '--resolve',
      `${host}=127.0.0.1`,
      ...LOCAL,
      ...more,
    ];
    return start(args, { env: { ...process.env, NODE_EXTRA_CA_CERTS: join(fixtures, 'good.pem') } }).over;
  };
  const good = await run('good.test');
  expect([good.code, summaryOf(good).pages], good.err).toEqual([0, 2]);
  const bad = await run('other.test');
  expect([bad.code, bad.err]).toEqual([
    1,
    expect.stringMatching(
      /\nNo page was fetched: what was tried has a certificate for another name \(tls\.name\)\.\n$/,
    ),
  ]);
  // told so, it fetches the pages, and each record says what was wrong
  const dir = scratch();
  const lax = await run('other.test', dir, '--config', configFile({ 'tls.invalid': 'record' }));
  expect([lax.code, summaryOf(lax).pages], lax.err).toEqual([0, 2]);
  const segments = readdirSync(join(dir, 'warc')).filter((name) => name.endsWith('.warc.gz'));
  const records = gunzipSync(readFileSync(join(dir, 'warc', segments[0]))).toString('latin1');
  expect(records.match(/\r\nSaunter-Certificate: tls\.name\r\n/g)).toHaveLength(3);
});

test.each([
  ['--scope', 'prefix'],
  ['--include', '*/docs/*'],
])('%s %s keeps pages out, not the sitemaps that name them', async (...narrow) => {
  const site = await sites({
    '127.0.0.1': (target, { host }) => {
      const at = (path: string): string => site.url(host, path);
      if (target === '/robots.txt') return `Sitemap: ${at('/maps.xml')}`;
      const body = {
        '/maps.xml': `<sitemapindex><sitemap><loc>${at('/map-1.xml')}</loc></sitemap></sitemapindex>`,
        '/map-1.xml': `<urlset><url><loc>${at('/docs/orphan')}</loc></url><url><loc>${at('/blog/x')}</loc></url></urlset>`,
      }[target];
      if (body !== undefined) return { body, headers: { 'Content-Type': 'application/xml' } };
      return links('/docs/a', '/blog/y');
    },
  });
  const { code } = await crawl([site.url('127.0.0.1', '/docs/'), '--dir', scratch(), ...narrow, ...LOCAL]);
  expect(code).toBe(0);
  const asked = site.log.map(({ target }) => target).sort();
  expect(asked).toEqual(['/docs/', '/docs/a', '/docs/orphan', '/map-1.xml', '/maps.xml', '/robots.txt']);
});
