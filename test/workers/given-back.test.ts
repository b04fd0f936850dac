/** Buffers are used again, and large ones freed: nobody may look at one that was given back. */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load-config.js';
import { openDatabase } from '../../src/engines/database.js';
import { pdf } from '../support/pdf.js';
import { built, removeScratches, saunter, scratch } from '../support/saunter.js';
import { type Answer, links, Sites } from '../support/sites.js';

/** Each at an address of its own, so that they are fetched at the same time. */
const HOSTS = ['a.test', 'b.test'];
const ADDRESSES = HOSTS.map((_, host) => `127.0.0.${host + 1}`);
const TARGETS = [
  ...['/plain', '/again', '/near', '/gzip', '/br', '/deflate', '/raw', '/twice', '/members', '/lies', '/cut', '/tail'],
  ...['/large', '/large-gzip', '/large-br', '/large-cut', '/large-lies', '/noise', '/transfer', '/chunks'],
  ...['/latin', '/utf-16', '/json', '/text', '/feed', '/pdf', '/missing', '/empty', '/moved'],
];

/** Prose of its own for each `n`. */
const prose = (n: number, words: number): string =>
  Array.from({ length: words }, (_, i) => `w${(n * 7919 + i * i * 31) % 9973}`).join(' ');
const article = (n: number, words = 300, more = ''): string =>
  `<!doctype html><html lang="en"><title>Page ${n}</title><main><h1>Page ${n}</h1><p>${prose(n, words)}${more}</p>` +
  `${links('/plain')}</main>`;
const noise = (n: number, length: number): Buffer => {
  const bytes = Buffer.alloc(length);
  for (let i = 0, state = n; i < length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[i] = state >>> 24;
  }
  return bytes;
};
const coded = (coding: string, body: Buffer): Answer => ({ headers: { 'Content-Encoding': coding }, body });
const typed = (type: string, body: string | Buffer): Answer => ({ headers: { 'Content-Type': type }, body });
const lying = (body: Buffer): Buffer => Buffer.concat([body.subarray(0, -4), Buffer.from([9, 0, 0, 0])]);

/** What a host answers; pages of different hosts have nothing in common. */
function answer(host: number, target: string): string | Answer | undefined {
  const n = 1000 * host + TARGETS.indexOf(target) + 1;
  const page = article(n);
  const large = target.startsWith('/large') || target === '/chunks' ? article(n, 100_000) : '';
  switch (target) {
    case '/robots.txt':
      return typed(
        'text/plain',
        `User-agent: *\nDisallow: /no\nSitemap: ${site.url(HOSTS[host], '/sitemap.xml.gz')}\n`,
      );
    case '/sitemap.xml.gz': {
      const entries = Array.from({ length: 2_000 }, (_, i) => `<url><loc>/no/${i}/${prose(i, 80)}</loc></url>`);
      return typed('application/gzip', gzipSync(gzipSync(`<urlset>${entries.join('')}</urlset>`)));
    }
    case '/':
      return `${links(...TARGETS)}<p>${prose(n, 100)}`;
    case '/plain':
    case '/again':
      return article(1000 * host + 500);
    case '/near':
      return article(1000 * host + 500, 300, ' and one word more');
    case '/gzip':
      return coded('gzip', gzipSync(page));
    case '/br':
      return coded('br', brotliCompressSync(page));
    case '/deflate':
      return coded('deflate', deflateSync(page));
    case '/raw':
      return coded('deflate', deflateRawSync(page));
    case '/twice':
      return coded('gzip, gzip', gzipSync(gzipSync(article(n, 1_000))));
    case '/members':
      return coded('gzip', Buffer.concat([gzipSync(page), gzipSync(prose(n + 1, 200))]));
    case '/lies':
      return coded('gzip', lying(gzipSync(page)));
    case '/cut':
      return coded('gzip', gzipSync(page).subarray(0, -200));
    case '/tail':
      return coded('gzip', Buffer.concat([gzipSync(page), Buffer.from('and a counter')]));
    case '/large':
      return large;
    case '/large-gzip':
      return coded('gzip', gzipSync(large));
    case '/large-br':
      return coded('br', brotliCompressSync(large, { params: { 1: 3 } }));
    case '/large-cut':
      return coded('gzip', gzipSync(large).subarray(0, -5000));
    case '/large-lies':
      return coded('gzip', lying(gzipSync(large)));
    case '/noise':
      return { body: noise(n, 1_500_000) };
    case '/transfer':
      return {
        raw: ({ socket }) => {
          const body = gzipSync(page);
          socket?.write('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: gzip\r\n\r\n');
          socket?.end(body);
        },
      };
    case '/chunks':
      return {
        raw: (response) => {
          for (let at = 0; at < large.length; at += 50_000) response.write(large.slice(at, at + 50_000));
          response.end();
        },
      };
    case '/latin':
      return typed('text/html; charset=windows-1252', Buffer.from(page.replaceAll('w1', '\xe9\xdf'), 'latin1'));
    case '/utf-16':
      return typed('text/html; charset=utf-16le', Buffer.from(page.replaceAll('w1', '\u03b1'), 'utf16le'));
    case '/json':
      return typed('application/json', JSON.stringify({ title: prose(n, 5), text: prose(n, 400) }));
    case '/text':
      return typed('text/plain', prose(n, 100_000));
    case '/feed':
      return typed(
        'application/rss+xml',
        `<rss><channel><title>${n}</title><item><title>${prose(n, 9)}</title><link>/plain</link></item></channel></rss>`,
      );
    case '/pdf':
      return typed('application/pdf', pdf([{ lines: [prose(n, 8)] }]));
    case '/missing':
      return { status: 404, body: article(n, 500) };
    case '/empty':
      return '';
    case '/moved':
      return { status: 302, headers: { Location: '/plain' }, body: page };
    default:
      return undefined;
  }
}

let site: Sites;
let usual: Outputs;
beforeAll(async () => {
  site = await Sites.start(
    Object.fromEntries(HOSTS.map((name, host) => [name, (target: string) => answer(host, target)])),
    ADDRESSES,
  );
  usual = await outputs();
}, 60_000);
afterAll(async () => {
  await site.stop();
  removeScratches();
});

interface Outputs {
  dir: string;
  rows: unknown[];
}

/** All that a crawl makes of the pages, in an order that is always the same. */
async function outputs(script?: URL): Promise<Outputs> {
  const { runCrawl } = await built<typeof import('../../src/embedded/run.js')>('embedded/run.js');
  const dir = scratch();
  const config = loadConfig(
    { patience: '1ms' },
    {
      'allow-private': ['127.0.0.0/8'],
      resolve: HOSTS.map((name, host) => `${name}=${ADDRESSES[host]}`),
      delay: '0',
      workers: '2',
      scope: 'host',
    },
  );
  await runCrawl(
    {
      ...{ seeds: HOSTS.map((host) => site.url(host)), dir, add: false, config, userAgent: 'Saunter/test' },
      signal: new AbortController().signal,
    },
    { progress: () => {}, say: () => {} },
    script,
  );
  const out = join(dir, 'pages.jsonl');
  expect((await saunter(['export', '--dir', dir, '--format', 'jsonl', '--out', out])).code).toBe(0);
  const db = openDatabase(join(dir, 'crawl.sqlite'), { readOnly: true });
  try {
    const visits = db
      .prepare(
        `SELECT u.url, v.kind, v.status, v.code, v.content_type, v.charset, v.language, v.title, hex(v.content_hash) AS hash,
          hex(v.payload_digest) AS digest, v.simhash, v.links, v.bytes, v.fields, d.url AS duplicate
        FROM visits v JOIN urls u ON u.id = v.url LEFT JOIN urls d ON d.id = v.duplicate_of ORDER BY u.url`,
      )
      .all();
    const known = db.prepare('SELECT url FROM urls ORDER BY url').all();
    return { dir, rows: [...visits, ...known, ...textsOf(out)] };
  } finally {
    db.close();
  }
}

const textsOf = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { url: string; text: string })
    .map(({ url, text }) => `${url} ${text.length} ${hash('sha1', text)}`)
    .sort();

const thread = (name: string): URL => new URL(`../support/${name}.mjs`, import.meta.url);

test('a crawl whose buffers are spoilt when they are given back gives what any crawl gives', {
  timeout: 60_000,
}, async () => {
  const spoilt = await outputs(thread('spoilt-thread'));
  expect(usual.rows.length).toBeGreaterThan(2 * HOSTS.length * TARGETS.length);
  expect(spoilt.rows).toEqual(usual.rows);
  const verified = await saunter(['verify', '--dir', spoilt.dir]);
  expect([verified.code, verified.out]).toEqual([0, expect.stringContaining('Everything agrees.')]);
});

test('and one whose bodies are given back too early does not', { timeout: 60_000 }, async () => {
  const early = await outputs(thread('spoilt-early-thread'));
  expect(early.rows).not.toEqual(usual.rows);
});
