import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import iconv from 'iconv-lite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ExportedPage } from '../../src/corpus/pages.js';
import { pinnedAddress } from '../../src/fetch/pins.js';
import { configFile, crawl, type Ran, removeScratches, type Summary, saunter, scratch } from '../support/saunter.js';
import { type Asked, links, redirect, type Site, Sites } from '../support/sites.js';

const DELAY = 30;
/** Of bodies on the wire, in this crawl. */
const CAP = 65_536;
const russian = 'Съешь ещё этих мягких французских булок';
const japanese = 'いろはにほへと ちりぬるを';
const page = (words: string, head = ''): string =>
  `<!doctype html><html><head>${head}<title>t</title></head><p>${words}</p></html>`;
const typed = (type: string, body: string | Buffer, headers: Record<string, string> = {}) => ({
  headers: { 'Content-Type': type, ...headers },
  body,
});

let site: Sites;
let ran: Ran & { summary: Summary };
let exported: Map<string, ExportedPage>;
let dir: string;
/** Of `throttle.test`. */
let refusals = 0;

const SITES: Record<string, Site> = {
  'same.test': (target) => ({ '/': links('/dir'), '/dir': redirect('/dir/', 301), '/dir/': 'a directory' })[target],
  'cookie.test': (target, { headers }) => {
    if (target === '/') return links('/consent', '/loop', '/never', '/b');
    if (target === '/b') return headers.cookie === undefined ? 'no cookie is kept' : { status: 400 };
    if (target === '/consent' && headers.cookie === 'ok=1') return 'welcome';
    if (target === '/consent') return redirect('/consent', 302, { 'Set-Cookie': 'ok=1; Path=/; HttpOnly' });
    if (target === '/loop') return redirect('/loop');
    return target === '/never' ? redirect('/never', 302, { 'Set-Cookie': 'again=1' }) : undefined;
  },
  'chain.test': (target) => {
    const n = Number(/^\/(\d*)$/.exec(target)?.[1] ?? Number.NaN);
    return Number.isNaN(n) ? undefined : redirect(`/${n + 1}`);
  },
  'old.test': (target) => (target === '/' ? redirect(site.url('new.example', '/home'), 308) : undefined),
  'new.example': (target) =>
    ({ '/home': links('/more', '/gone-away'), '/more': 'more', '/gone-away': redirect(site.url('third.example')) })[
      target
    ],
  'third.example': () => 'out of scope',
  'unasked.test': (target) => (target === '/' ? { status: 304, headers: { ETag: '"x"' } } : undefined),
  'directives.test': (target) => {
    if (target === '/') return `${links('/meta', '/header', '/noindex')}<a rel="ugc nofollow" href="/rel">no</a>`;
    if (target === '/meta') return page(links('/behind-meta'), '<meta name="robots" content="nofollow">');
    if (target === '/header') return { headers: { 'X-Robots-Tag': 'nofollow' }, body: links('/behind-header') };
    if (target === '/noindex') return page(links('/behind-noindex'), '<meta name="saunter" content="noindex">');
    return target.startsWith('/behind') ? page(target) : undefined;
  },
  'slowly.test': (target) => {
    if (target === '/robots.txt') return 'User-agent: *\nCrawl-delay: 0.4\n';
    return target === '/' ? links('/1', '/2') : page(target);
  },
  'throttle.test': (target) => {
    if (target === '/robots.txt') return undefined;
    if (target === '/') return links('/1');
    return refusals++ < 1 ? { status: 429, headers: { 'Retry-After': '1' } } : page('let in');
  },
  'big.test': (target) => {
    if (target === '/') return links('/announced', '/endless');
    if (target === '/announced') return typed('text/html', page('x '.repeat(CAP)));
    if (target !== '/endless') return undefined;
    return {
      raw: (response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end(page('word '.repeat(CAP))),
    };
  },
  'coded.test': (target) => {
    if (target === '/') return links('/gzip', '/br', '/broken', '/liar', '/half', '/early');
    if (target === '/gzip') return typed('text/html', gzipSync(page('in gzip')), { 'Content-Encoding': 'gzip' });
    if (target === '/br')
      return typed('text/html', brotliCompressSync(page('in brotli')), { 'Content-Encoding': 'br' });
    if (target === '/broken')
      return typed('text/html', Buffer.from('1f8b0800000000000003ffffffffffff', 'hex'), { 'Content-Encoding': 'gzip' });
    if (target === '/liar') return typed('text/html', page('not in gzip'), { 'Content-Encoding': 'gzip' });
    const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n';
    if (target === '/half') return { raw: ({ socket }) => socket?.end(`${head}Content-Length: 99\r\n\r\nhalf`) };
    return target === '/early' ? { raw: ({ socket }) => socket?.end(head) } : undefined;
  },
  'map.test': (target) => {
    const at = (path: string) => site.url('map.test', path);
    if (target === '/robots.txt') return `Sitemap: ${at('/index.xml')}\nUser-agent: *\nDisallow: /closed`;
    if (target === '/') return page('no links');
    if (target === '/index.xml')
      return typed(
        'application/xml',
        `<sitemapindex><sitemap><loc>${at('/map.xml.gz')}</loc></sitemap></sitemapindex>`,
      );
    if (target === '/map.xml.gz')
      return typed(
        'application/gzip',
        gzipSync(
          `<urlset>${['/hidden/1', '/hidden/2', '/closed/1'].map((path) => `<url><loc>${at(path)}</loc></url>`).join('')}</urlset>`,
        ),
      );
    return target.startsWith('/hidden/') ? page(target) : undefined;
  },
  'charsets.test': (target) => {
    if (target === '/') return links('/1251', '/sjis', '/utf16');
    if (target === '/1251')
      return typed('text/html; charset=windows-1251', iconv.encode(page(russian), 'windows-1251'));
    if (target === '/sjis')
      return typed('text/html', iconv.encode(page(japanese, '<meta charset="shift_jis">'), 'shift_jis'));
    return target === '/utf16'
      ? typed('text/html', Buffer.concat([Buffer.of(0xff, 0xfe), iconv.encode(page(japanese), 'utf-16le')]))
      : undefined;
  },
  'failing.test': (target) => (target === '/' ? { status: 500 } : undefined),
  'image.test': (target) => {
    if (target === '/') return links('/picture');
    return target === '/picture' ? typed('image/png', Buffer.alloc(30_000)) : undefined;
  },
};

beforeAll(async () => {
  const hosts = Object.keys(SITES);
  site = await Sites.start(
    SITES,
    hosts.map((host) => pinnedAddress(host, '127.80.0.0/16')),
  );
  dir = join(scratch(), 'crawl');
  mkdirSync(dir);
  const seeds = hosts.filter((host) => host.endsWith('.test')).map((host) => site.url(host));
  const config = configFile({
    'body.text.wire': CAP,
    // shortened from 30 s to 15 min; gaps are not ten times as long as a fetch, so that the log shows the other rules
    'retry.ladder': ['10ms', '20ms', '30ms', '40ms'],
    'politeness.factor': 0,
  });
  const flags = [
    '--allow-private',
    '127.0.0.0/8',
    '--resolve',
    '*=127.80.0.0/16',
    '--delay',
    `${DELAY}ms`,
    '--patience',
    '5s',
  ];
  ran = await crawl([...seeds, '--dir', dir, '--config', config, ...flags]);
  const { out } = await saunter(['export', '--dir', dir, '--format', 'jsonl']);
  const pages = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as ExportedPage);
  exported = new Map(pages.map((entry) => [entry.url.replace(`:${site.port}`, ''), entry]));
}, 60_000);
afterAll(async () => {
  await site.stop();
  removeScratches();
});

/** ms between the end of each request to a host and the start of the next. */
function gaps(host: string, kinds: (asked: Asked) => boolean = () => true): number[] {
  const log = site.log.filter((asked) => asked.host === host && kinds(asked));
  return log.slice(1).map((asked, i) => asked.at - log[i].ended);
}

test('the crawl ends well, and what it kept agrees with itself', async () => {
  expect([ran.code, ran.summary.pending], ran.err).toEqual([0, 0]);
  const { code, out } = await saunter(['verify', '--dir', dir]);
  expect([code, out]).toEqual([0, expect.stringContaining('Everything agrees.')]);
});

describe('redirects', () => {
  test('to another spelling of the same page keep the lease, wait the delay, and end in one page', () => {
    expect(site.asked('same.test')).toEqual(['/', '/dir', '/dir/']);
    expect(exported.get('http://same.test/dir')).toMatchObject({
      finalUrl: site.url('same.test', '/dir/'),
      status: 200,
    });
    expect(Math.min(...gaps('same.test'))).toBeGreaterThanOrEqual(DELAY);
  });

  test('to itself carry a cookie back once, and no cookie anywhere else', () => {
    const asked = site.log
      .filter(({ host }) => host === 'cookie.test')
      .map(({ target, headers }) => [target, headers.cookie]);
    const of = (path: string) => asked.filter(([target]) => target === path);
    expect(of('/consent')).toEqual([
      ['/consent', undefined],
      ['/consent', 'ok=1'],
    ]);
    expect(of('/never')).toEqual([
      ['/never', undefined],
      ['/never', 'again=1'],
    ]);
    expect(of('/loop')).toEqual([['/loop', undefined]]);
    expect(of('/b')).toEqual([['/b', undefined]]);
    expect(exported.has('http://cookie.test/consent')).toBe(true);
    expect(ran.summary.errors['redirect.chain']).toBe(2);
  });

  test('in a row end after ten', () => {
    expect(site.asked('chain.test')).toEqual(['/', ...Array.from({ length: 10 }, (_, i) => `/${i + 1}`)]);
    expect(ran.summary.rejected.redirects).toBe(1);
  });

  test('of a seed take its new domain into the scope, and say so; others do not', () => {
    expect(ran.err).toContain('A seed redirects to new.example: it is in scope from now on.');
    expect(site.asked('new.example').sort()).toEqual(['/gone-away', '/home', '/more']);
    expect(site.asked('third.example', true)).toEqual([]);
    expect(exported.get('http://new.example/more')).toMatchObject({ depth: 1 });
  });
});

describe('directives', () => {
  test('keep nofollow links out of the frontier and noindex pages out of exports', () => {
    expect(site.asked('directives.test').sort()).toEqual(['/', '/behind-noindex', '/header', '/meta', '/noindex']);
    expect(exported.has('http://directives.test/noindex')).toBe(false);
    expect(exported.has('http://directives.test/meta')).toBe(true);
    expect(ran.summary.rejected.nofollow).toBeGreaterThanOrEqual(1);
  });
});

describe('politeness, by the log of the server', () => {
  test('no host is asked before its delay is over', () => {
    for (const host of Object.keys(SITES)) {
      for (const gap of gaps(host)) expect([host, gap >= DELAY, gap]).toEqual([host, true, gap]);
    }
  });

  test('Crawl-delay is obeyed from robots.txt on', () => {
    expect(site.asked('slowly.test')).toHaveLength(3);
    expect(Math.min(...gaps('slowly.test'))).toBeGreaterThanOrEqual(400);
  });

  test('Retry-After is obeyed, and not charged to the URL', () => {
    expect(site.asked('throttle.test')).toEqual(['/', '/1', '/1']);
    expect(gaps('throttle.test').at(-1)).toBeGreaterThanOrEqual(1000);
    expect(exported.get('http://throttle.test/1')).toMatchObject({ status: 200 });
    expect(ran.summary.errors['http.throttled']).toBe(1);
  });
});

describe('bodies', () => {
  test('that announce more than the cap are not read; endless ones are cut at it and kept', () => {
    expect(site.asked('big.test')).toEqual(['/', '/announced', '/endless']);
    expect(ran.summary.errors['body.length']).toBe(1);
    expect(exported.has('http://big.test/announced')).toBe(false);
    const { text } = exported.get('http://big.test/endless')!;
    expect(text.length).toBeGreaterThan(CAP * 0.9);
    expect(text.length).toBeLessThanOrEqual(CAP);
  });

  test('are read in gzip and brotli, as they are where the coding is a lie, and as far as they came', () => {
    expect(exported.get('http://coded.test/gzip')?.text).toContain('in gzip');
    expect(exported.get('http://coded.test/br')?.text).toContain('in brotli');
    expect(exported.get('http://coded.test/liar')?.text).toContain('not in gzip');
    expect(exported.get('http://coded.test/half')?.text).toBe('half');
    expect(exported.has('http://coded.test/broken')).toBe(false);
    expect(ran.summary.errors['decode.failed']).toBe(1);
  });

  test('are read in their charset, wherever it is declared', () => {
    expect(exported.get('http://charsets.test/1251')).toMatchObject({
      charset: 'windows-1251',
      text: expect.stringContaining(russian),
    });
    expect(exported.get('http://charsets.test/sjis')).toMatchObject({
      charset: 'shift_jis',
      text: expect.stringContaining(japanese),
    });
    expect(exported.get('http://charsets.test/utf16')).toMatchObject({
      charset: 'utf-16le',
      text: expect.stringContaining(japanese),
    });
  });

  test('of a type that nobody reads are left on the wire', () => {
    expect(ran.summary.errors['body.type']).toBe(1);
    expect(exported.has('http://image.test/picture')).toBe(false);
  });
});

test('sitemaps that robots.txt names lead to pages that no page links to, as far as robots allow', () => {
  expect(site.asked('map.test').sort()).toEqual(['/', '/hidden/1', '/hidden/2', '/index.xml', '/map.xml.gz']);
  expect(exported.get('http://map.test/hidden/1')).toMatchObject({ depth: 1 });
  expect(ran.summary.robotsDenied).toBe(1);
});

test('an answer of 304 that nobody asked for is no page and no failure', () => {
  expect(site.asked('unasked.test')).toEqual(['/']);
  expect(exported.has('http://unasked.test/')).toBe(false);
});

test('servers that fail are asked five times, then the URL is a dead letter', async () => {
  expect(site.asked('failing.test')).toEqual(Array(5).fill('/'));
  expect(site.asked('coded.test').filter((target) => target === '/early')).toHaveLength(5);
  expect(ran.summary).toMatchObject({ deadLetters: 2, errors: { 'http.server': 5, 'read.closed': 5 } });
  const { out } = await saunter(['list', 'dead', '--dir', dir, '--json']);
  const dead = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { url: string; code: string; attempts: number });
  expect(dead.map(({ code, attempts }) => [code, attempts]).sort()).toEqual([
    ['http.server', 5],
    ['read.closed', 5],
  ]);
});
