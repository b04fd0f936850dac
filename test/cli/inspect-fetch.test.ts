import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RawServer, rawServer, sleep } from '../fetch/raw-server.js';
import { FakeProcess } from './process.js';

const folder = mkdtempSync(join(tmpdir(), 'saunter-inspect-fetch-'));
const HERE = ['--allow-private', '127.0.0.0/8'];
const sha1 = (text: string) => createHash('sha1').update(text).digest('hex');

let server: RawServer;
let atOnce = 0;
let mostAtOnce = 0;
const heads: string[] = [];

beforeAll(async () => {
  server = await rawServer(async (socket, head) => {
    heads.push(head);
    mostAtOnce = Math.max(mostAtOnce, ++atOnce);
    await sleep(20);
    atOnce--;
    const answer = ANSWERS[head.split(' ')[1]] ?? 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n';
    socket.end(answer);
  });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const ANSWERS: Record<string, string> = {
  '/page': 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello',
  '/cut': 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 50\r\n\r\nhello',
  '/moved': 'HTTP/1.1 302 Found\r\nLocation: ../page?a=b c\r\nContent-Length: 0\r\n\r\n',
  '/mail': 'HTTP/1.1 302 Found\r\nLocation: mailto:a@b.test\r\nContent-Length: 0\r\n\r\n',
  '/slash': 'HTTP/1.1 301 Moved\r\nLocation: /slash/\r\nContent-Length: 0\r\n\r\n',
  '/busy': 'HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n',
  '/junk': 'nothing that could be HTTP, at any length at all, and then some more of it\r\n\r\n',
  '/image': 'HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 5\r\n\r\nhello',
};

const NOTHING = { bodySha1: null, length: 0, truncated: false, location: null, retryAfterMs: null };

async function ask(flags: string[], ...cases: unknown[]): Promise<Record<string, unknown>[]> {
  const stdin = cases.map((line) => JSON.stringify(line)).join('\n');
  const { out } = await new FakeProcess({ stdin }).run('inspect', 'fetch', ...flags);
  return out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('a request that is inspected', () => {
  it('gives what came of it, in order, one at a time for a host', async () => {
    const paths = Object.keys(ANSWERS).concat('/none');
    const answers = await ask(HERE, ...paths.map((path) => ({ id: path, url: server.url + path })));
    const plain = { ...NOTHING, error: null, bodySha1: sha1('') };
    const hello = { ...plain, bodySha1: sha1('hello'), length: 5 };
    expect(answers).toEqual([
      { id: '/page', ...hello, status: 200 },
      { id: '/cut', ...hello, status: 200, truncated: true },
      { id: '/moved', ...plain, status: 302, location: `${server.url}/page?a=b%20c` },
      { id: '/mail', ...plain, status: 302, error: 'redirect.invalid' },
      { id: '/slash', ...plain, status: 301, location: `${server.url}/slash/` },
      { id: '/busy', ...plain, status: 429, retryAfterMs: 7000 },
      { id: '/junk', ...NOTHING, status: null, error: 'http.malformed' },
      { id: '/image', ...plain, status: 200, error: 'body.type', truncated: true },
      { id: '/none', ...plain, status: 404 },
    ]);
    expect(mostAtOnce).toBe(1);
    expect(heads.every((head) => /\r\nUser-Agent: Saunter\/[\d.]+\r\n/.test(head))).toBe(true);
    expect(heads.every((head) => head.includes('\r\nConnection: close\r\n'))).toBe(true);
  });

  it('goes to the address that --resolve gives, where hosts that share one wait for each other', async () => {
    mostAtOnce = 0;
    const cases = ['a.test', 'b.test', 'c.test'].map((host) => ({ url: `http://${host}:${server.port}/page` }));
    const answers = await ask([...HERE, '--resolve', '*.test=127.0.0.1'], ...cases);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(mostAtOnce).toBe(1);
  });

  it('is not made where a guard refuses it', async () => {
    const before = heads.length;
    const answers = await ask(
      [],
      { url: `${server.url}/page` },
      { url: 'http://127.0.0.1:25/' },
      { url: 'http://[::ffff:10.0.0.1]/' },
      { id: 4, url: 'ftp://a.test/' },
      { id: 5, url: 7 },
      { id: 6 },
    );
    expect(answers.map(({ error }) => error)).toEqual([
      'guard.address',
      'guard.port',
      'guard.address',
      'ftp://a.test/ is no http(s) URL',
      'url must be a string',
      'file, content or content_b64 is missing',
    ]);
    expect(heads.length).toBe(before);
  });

  it('does not leave this machine without a contact', async () => {
    const [answer] = await ask(['--resolve', '*=203.0.114.1'], { url: 'http://far.test/' });
    expect(answer.error).toContain('needs --contact');
  });

  it('is explained in words', async () => {
    const run = async (path: string) =>
      (await new FakeProcess().run('inspect', 'fetch', server.url + path, ...HERE)).out;
    expect(await run('/slash')).toMatch(/redirect +to .*\/slash\/, another spelling of the same page/);
    expect(await run('/moved')).toMatch(/another page/);
    expect(await run('/busy')).toMatch(/Retry-After +7s/);
    expect(await run('/cut')).toMatch(/cut +by the server/);
    expect(await run('/page')).toMatch(/decoded +5 bytes, SHA-1 [0-9a-f]{40}/);
    const { out } = await new FakeProcess().run('inspect', 'fetch', `${server.url}/page`);
    expect(out).toMatch(/no request +127\.0\.0\.1 is a loopback address: open its range with --allow-private/);
  });
});

describe('a body that is inspected', () => {
  it('is decoded as its codings say, and sniffed where they lie', async () => {
    const file = join(folder, 'x.gz');
    writeFileSync(file, gzipSync('hello'));
    const hello = { status: null, error: null, bodySha1: sha1('hello'), length: 5, truncated: false };
    const content_b64 = Buffer.from('hello').toString('base64');
    const answers = await ask(
      [],
      { file, contentEncoding: 'gzip' },
      { file },
      { content_b64, contentEncoding: 'gzip' },
      { content: 'hello', contentEncoding: null },
      { content_b64: gzipSync(Buffer.alloc(30 << 20)).toString('base64'), contentEncoding: 'gzip' },
    );
    expect(answers.slice(0, 4)).toEqual(Array(4).fill({ ...NOTHING, ...hello }));
    expect(answers[4].error).toBe('decode.bomb');
  });
});
