/** Our WARC files replayed page by page in a browser, by the library behind ReplayWeb.page: bodies are equal byte for byte. */
import { once } from 'node:events';
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ExportedPage } from '../../src/corpus/pages.js';
import { pdf } from '../support/pdf.js';
import { crawl, removeScratches, saunter, scratch } from '../support/saunter.js';
import { type Answer, links, Sites } from '../support/sites.js';

/** Debian's package `chromium`. Without it there is nothing to test with. */
const CHROMIUM = '/usr/bin/chromium';
// The last four keep it from talking to anybody but us.
const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...[
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-domain-reliability',
  ],
];
const require = createRequire(import.meta.url);
/** The library's service worker, made to be served as it is. */
const LIBRARY = join(dirname(require.resolve('@webrecorder/wabac')), 'sw.js');

const long = 'Größe, 漢字 and \ud83d\ude42. '.repeat(5_000);
const as = (type: string, body: string | Buffer, headers: Record<string, string> = {}): Answer => ({
  ...{ body, headers: { 'Content-Type': type, ...headers } },
});
const SITE: Record<string, Answer | string> = {
  '/plain': 'plain',
  '/gzip': as('text/html', gzipSync(`<title>gzip</title>${long}`), { 'Content-Encoding': 'gzip' }),
  '/brotli': as('text/html', brotliCompressSync(`<title>br</title>${long}`), { 'Content-Encoding': 'br' }),
  '/chunked': { raw: (r) => r.writeHead(200, { 'Transfer-Encoding': 'chunked' }).end(`<p>one${long}`) },
  '/untyped': { raw: (r) => r.writeHead(200).end('<p>no type') },
  '/latin1': as('text/html; charset=iso-8859-1', Buffer.from('<p>Gr\xf6\xdfe \x80', 'latin1')),
  '/wrong-charset': as('text/html; charset=utf-8', Buffer.from([0x3c, 0x70, 0x3e, 0xff, 0x00, 0xfe])),
  '/a%20path/%C3%BC?q=%26&z=1': '<p>odd URL',
  '/paper.pdf': as('application/pdf', pdf([{ lines: ['In a PDF'] }])),
  '/data.json': as('application/json', '{"a":"b c"}'),
  '/twin': 'plain',
};

/** What of a browser is used: its types are not those of Node. */
interface Window {
  location: { origin: string };
  navigator: {
    serviceWorker: {
      register(url: string, options: { scope: string }): Promise<unknown>;
      ready: Promise<unknown>;
      controller: { postMessage(message: unknown): void } | null;
      addEventListener(event: string, listener: (event: { data: { msg_type: string; name: string } }) => void): void;
    };
  };
}

interface Replayed {
  status: number;
  hash: string;
}

let site: Sites;
let server: Server;
let browser: Browser;
let dir: string;
describe.skipIf(!existsSync(CHROMIUM))('in a browser', () => {
  beforeAll(async () => {
    site = await Sites.start({ '*': (target) => (target === '/' ? links(...Object.keys(SITE)) : SITE[target]) });
    dir = join(scratch(), 'crawl');
    const flags = ['--dir', dir, '--delay', '0', '--patience', '1s', '--allow-private', '127.0.0.0/8'];
    const { summary } = await crawl([site.url('127.0.0.1'), ...flags]);
    expect(summary).toMatchObject({ pages: Object.keys(SITE).length + 1, duplicates: 1, pending: 0 });
    await site.stop();
    server = createServer(serve).listen(0, '127.0.0.1');
    await once(server, 'listening');
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    server.close();
    removeScratches();
  });

  test('every page is replayed with the very bytes that the crawl hashed', async () => {
    const { out } = await saunter(['export', '--dir', dir, '--noindex', 'keep']);
    const pages = out.trim().split('\n').map((line) => JSON.parse(line) as ExportedPage); // biome-ignore format: short
    const segments = readdirSync(join(dir, 'warc')).filter((name) => name.endsWith('.warc.gz'));
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const replayed: Replayed[] = await page.evaluate(replay, { segments, urls: pages.map(({ finalUrl }) => finalUrl) });
    expect(pages.map(({ url }, i) => [url, replayed[i]])).toEqual(
      pages.map(({ url, contentHash }) => [url, { status: 200, hash: contentHash }]),
    );
  }, 60_000);
});

/** Runs in the browser: gives the segments to the library's service worker, and asks it for each URL as it was (`id_`). */
async function replay({ segments, urls }: { segments: string[]; urls: string[] }): Promise<Replayed[]> {
  const { location, navigator } = globalThis as unknown as Window;
  const container = navigator.serviceWorker;
  await container.register('/sw.js', { scope: '/' });
  await container.ready;
  if (container.controller === null)
    await new Promise<unknown>((resolve) => container.addEventListener('controllerchange', resolve));
  for (const [i, name] of segments.entries()) {
    const added = new Promise((resolve) => {
      container.addEventListener('message', ({ data }) => {
        if (data.msg_type === 'collAdded' && data.name === `c${i}`) resolve(null);
      });
    });
    const file = { sourceUrl: `${location.origin}/warc/${name}` };
    container.controller?.postMessage({ msg_type: 'addColl', name: `c${i}`, file, skipExisting: false });
    await added;
  }
  const answers: Replayed[] = [];
  for (const url of urls) {
    let answer: Replayed = { status: 0, hash: '' };
    for (let i = 0; i < segments.length && answer.status !== 200; i++) {
      const response = await fetch(`/w/c${i}/id_/${url}`);
      const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', await response.arrayBuffer()));
      answer = {
        status: response.status,
        hash: Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join(''),
      };
    }
    answers.push(answer);
  }
  return answers;
}

/** An empty page, the library's service worker, and the segments, by ranges. */
function serve({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
  if (url === '/') response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>replay</title>');
  else if (url === '/sw.js') response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(readFileSync(LIBRARY));
  else if (url.startsWith('/warc/')) {
    const path = join(dir, url);
    const { size } = statSync(path);
    const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
    const range = { start: Number(from), end: to === '' ? size - 1 : Number(to) };
    const length = { 'Content-Length': range.end - range.start + 1 };
    if (headers.range === undefined) response.writeHead(200, { ...length, 'Accept-Ranges': 'bytes' });
    else response.writeHead(206, { ...length, 'Content-Range': `bytes ${range.start}-${range.end}/${size}` });
    createReadStream(path, range).pipe(response);
  } else response.writeHead(404).end();
}
