import zlib from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig, userAgent } from '../../src/config/load-config.js';
import { fetchSettings } from '../../src/embedded/parts.js';
import { createFetcher, type FetchKind } from '../../src/fetch/fetcher.js';
import { HttpClient } from '../../src/fetch/http.js';
import { type RawServer, rawServer } from './raw-server.js';

const MIB = 1 << 20;
let server: RawServer;
const client = new HttpClient();
const agent = userAgent('0.1.0', 'https://example.org/bot');
/** The caps of a crawl that sets none. */
const { caps, pdf } = fetchSettings({ config: loadConfig(), userAgent: agent });

/** The path says the answer: `/TYPE/LENGTH`, where the type has a dot for its slash. */
beforeAll(async () => {
  server = await rawServer((socket, head) => {
    const [, type, length] = head.split(' ')[1].split('/');
    if (head.includes('If-None-Match: W/"v1"')) socket.write('HTTP/1.1 304 Not Modified\r\n\r\n');
    else {
      const gz = zlib.gzipSync('<urlset/>');
      const body = length === 'gz' ? gz : Buffer.alloc(Number(length), 'x');
      socket.write(
        `HTTP/1.1 200 OK\r\nContent-Type: ${type.replace('.', '/')}\r\nContent-Length: ${body.length}\r\n\r\n`,
      );
      socket.write(body);
    }
  });
});
afterAll(async () => {
  await client.close();
  await server.close();
});

const fetcher = createFetcher({ userAgent: agent, client, caps, pdf, accepts: (type) => !type.startsWith('video/') });
const get = (kind: FetchKind, path: string, more: object = {}) =>
  fetcher.fetch({ kind, url: `${server.url}${path}`, address: '127.0.0.1', ...more });

describe('the crawler', () => {
  it('says who it is, how to reach its owner, and what it wants', async () => {
    await get('page', '/text.html/10');
    const head = server.requests.at(-1)!;
    expect(head).toContain('\r\nUser-Agent: Saunter/0.1.0 (+https://example.org/bot)\r\n');
    expect(head).toContain('\r\nAccept: text/html');
    expect(head).not.toContain('If-');
  });

  it('asks whether a page has changed, with a strict date and the tag as it came', async () => {
    const validators = { etag: 'W/"v1"', lastModified: 'Friday, 22-Dec-17 07:51:19 GMT' };
    expect(await get('page', '/text.html/10', validators)).toMatchObject({ code: 'not-modified', status: 304 });
    expect(server.requests.at(-1)).toContain('\r\nIf-Modified-Since: Fri, 22 Dec 2017 07:51:19 GMT\r\n');
    await get('page', '/text.html/10', { etag: '', lastModified: 'rubbish' });
    expect(server.requests.at(-1)).not.toContain('If-');
  });

  it('has caps for each kind of resource', async () => {
    expect(await get('page', `/text.html/${5 * MIB}`)).toMatchObject({ code: 'ok', truncated: null });
    expect(await get('page', `/text.html/${5 * MIB + 1}`)).toMatchObject({ code: 'body.length' });
    expect(await get('page', `/application.pdf/${5 * MIB + 1}`)).toMatchObject({ code: 'ok', truncated: null });
    expect(await get('page', '/video.mp4/10')).toMatchObject({ code: 'body.type' });
    expect(await get('sitemap', `/text.xml/${5 * MIB + 1}`)).toMatchObject({ code: 'ok', truncated: null });
    const robots = await get('robots', `/text.plain/${MIB}`);
    expect([robots.code, robots.truncated, robots.body.length]).toEqual(['ok', 'length', 500 * 1024]);
  });

  it('leaves the body of a page unread whose type its operator does not want', async () => {
    const refuses = (type: string, url: string) => type === 'text/css' && url.endsWith('/9');
    const picky = createFetcher({ userAgent: agent, client, caps, pdf, refuses });
    const of = (kind: FetchKind, path: string) =>
      picky.fetch({ kind, url: `${server.url}${path}`, address: '127.0.0.1' });
    expect(await of('page', '/text.css/9')).toMatchObject({ code: 'body.refused', status: 200, truncated: 'length' });
    expect((await of('page', '/text.css/9')).body).toHaveLength(0);
    expect(await of('page', '/text.css/8')).toMatchObject({ code: 'ok' });
    expect(await of('sitemap', '/text.css/9')).toMatchObject({ code: 'ok' });
  });

  it('gunzips a sitemap that is a gzip document, and leaves such a page alone', async () => {
    expect((await get('sitemap', '/application.x-gzip/gz')).body.toString()).toBe('<urlset/>');
    expect((await get('page', '/application.x-gzip/gz')).body[0]).toBe(0x1f);
  });

  it('can be given other caps', async () => {
    const small = createFetcher({ userAgent: agent, client, pdf, caps: { ...caps, page: { ...caps.page, wire: 10 } } });
    const job = { kind: 'page', url: `${server.url}/text.html/11`, address: '127.0.0.1' } as const;
    expect(await small.fetch(job)).toMatchObject({ code: 'body.length' });
  });
});
