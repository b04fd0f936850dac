/** `saunter show`: what was stored of a URL comes out again. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configFile, crawl, removeScratches, saunter, scratch } from '../support/saunter.js';
import { links, Sites } from '../support/sites.js';

const BYTES = Buffer.from(Array.from({ length: 512 }, (_, i) => i % 256));
const HOSTILE = `<title>\x1b]0;mine\x07</title>${links('/bytes', '/zipped', '/copy', '/gone', '/private', '/unwanted')}\u202egrün\r\nend`;
/** More than is read back of a body. */
const LONG = 64 * 2 ** 20 + 1000;
let site: Sites;
let dir: string;

beforeAll(async () => {
  site = await Sites.start(
    {
      'a.test': (target) => {
        if (target === '/robots.txt') return 'User-agent: *\nDisallow: /private';
        if (target === '/') return { body: HOSTILE, headers: { 'Content-Type': 'text/html; charset=utf-8' } };
        if (target === '/long') return { body: Buffer.alloc(LONG, 'word '), headers: { 'Content-Type': 'text/plain' } };
        if (target === '/bytes') return { body: BYTES, headers: { 'Content-Type': 'application/pdf' } };
        if (target === '/unwanted') return { body: BYTES, headers: { 'Content-Type': 'application/octet-stream' } };
        const headers = { 'Content-Type': 'text/plain; charset=iso-8859-1', 'X-Odd': 'a\x9bb' };
        const body = Buffer.from('caf\xe9', 'latin1');
        if (target === '/zipped') return { body: gzipSync(body), headers: { ...headers, 'Content-Encoding': 'gzip' } };
        if (target === '/copy') return { body, headers };
        return { status: 404, body: 'nothing here' };
      },
    },
    ['127.0.0.1'],
  );
  dir = scratch();
  const opened = ['--resolve', '*.test=127.0.0.1', '--allow-private', '127.0.0.0/8', '--delay', '0'];
  expect((await crawl([site.url('a.test'), '--dir', dir, ...opened])).code).toBe(0);
}, 60_000);
afterAll(async () => {
  await site.stop();
  removeScratches();
});

const run = (isTerminal: boolean, args: string[]) =>
  saunter(['show', '--dir', dir, ...args], ({ stdout, stderr }) => {
    stdout.isTTY = isTerminal;
    stderr.isTTY = false;
  });
const show = (target: string, ...flags: string[]) => run(false, [site.url('a.test', target), ...flags]);
const onTerminal = (target: string, ...flags: string[]) => run(true, [site.url('a.test', target), ...flags]);
const bytesOf = (out: string): Buffer => Buffer.from(out, 'latin1');

describe('what was stored of a URL', () => {
  test('goes to a pipe byte by byte, without its codings, also a copy and an error page', async () => {
    expect(bytesOf((await show('/bytes')).out)).toEqual(BYTES);
    expect(bytesOf((await show('/')).out).toString()).toBe(HOSTILE);
    for (const same of ['/zipped', '/copy']) expect((await show(same)).out).toBe('caf\xe9');
    expect(await show('/gone')).toEqual({ code: 0, out: 'nothing here', err: '' });
  });

  test('is text on a terminal, in its own encoding, and steers nothing; what is no text is refused', async () => {
    const { code, out } = await onTerminal('/');
    expect([code, out]).toEqual([0, `${HOSTILE.replace(/[\x1b\x07\u202e]/g, '\ufffd').replace('\r\n', '\n')}\n`]);
    expect((await onTerminal('/zipped')).out).toBe('café\n');
    expect(await onTerminal('/bytes')).toEqual({
      code: 1,
      out: '',
      err: 'This is application/pdf, 512 B: send it to a file (> FILE).\n',
    });
  });

  test('has a head, harmless too', async () => {
    const { out } = await show('/copy', '--head');
    expect(out).toMatch(/^HTTP\/1\.1 200 OK\n/);
    expect(out).toContain('a\ufffdb\n');
    expect((await show('/gone', '--head')).out).toMatch(/^HTTP\/1\.1 404 /);
  });

  test('is missed in words', async () => {
    const words = async (...argv: string[]) => (await run(false, argv)).err;
    expect(await words()).toBe('Which URL? saunter show URL --dir DIR.\n');
    expect(await words('never.test')).toMatch(/^"never\.test" is no URL: give all of it, such as https:/);
    expect(await words('http://never.test/')).toContain('does not know the URL http://never.test/');
    expect(await words(site.url('a.test', '/private'))).toContain('robots.txt forbids it');
    expect(await words(site.url('a.test', '/unwanted'))).toMatch(
      /^No body was kept: \S+ is of a type that nobody handles \(body\.type\); --head/,
    );
  });

  test('is cut where it is very long, and says so', async () => {
    const at = scratch();
    const config = configFile({ 'body.text.decoded': '100MiB', 'body.text.wire': '100MiB' });
    const opened = ['--resolve', '*.test=127.0.0.1', '--allow-private', '127.0.0.0/8', '--delay', '0'];
    const url = site.url('a.test', '/long');
    expect((await crawl([url, '--dir', at, '--config', config, '--max-pages', '1', ...opened])).code).toBe(0);
    const { code, out, err } = await saunter(['show', url, '--dir', at], ({ stdout }) => {
      stdout.isTTY = false;
    });
    expect([code, out.length, err]).toEqual([
      1,
      64 * 2 ** 20,
      expect.stringContaining('Only the first 67.1 MB were written'),
    ]);
  }, 60_000);
});
