/** The client on a socket: requests, statuses, reuse, faults. Servers are raw TCP on loopback. */
import type net from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { parseTarget } from '../../src/fetch/http-messages.js';
import { CAPS, cleanups, get, makeClient, serve } from './client.js';
import { page, sleep } from './raw-server.js';

describe('a request', () => {
  it('says what it was told, in the URL exactly as spelt, and nothing that could end a line', async () => {
    const server = await serve(page('hi'));
    const url = `http://www.example.test:${server.port}/a/%7Eb/?z=1&a=%2f#fragment`;
    const headers = [
      ['User-Agent', 'Saunter/1'],
      ['X-Evil', 'a\r\nX-Injected: 1'],
      ['X:Y', '1'],
      ['Host', 'other.test'],
    ] as const;
    const result = await get(makeClient(), url.replace('#fragment', ''), { headers, cookie: 'a=b' });
    const lines = [
      'GET /a/%7Eb/?z=1&a=%2f HTTP/1.1',
      `Host: www.example.test:${server.port}`,
      'User-Agent: Saunter/1',
      'Accept-Encoding: gzip, br, deflate',
      'Cookie: a=b',
      'Connection: keep-alive',
    ];
    expect(server.requests).toEqual([`${lines.join('\r\n')}\r\n\r\n`]);
    expect(result.requestHead.toString()).toBe(server.requests[0]);
    expect(result).toMatchObject({ code: 'ok', status: 200, reason: 'OK', reused: false, truncated: null });
    expect(result.responseHead.toString()).toBe(
      'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\n',
    );
    expect(result.bytes).toBe(result.responseHead.length + 2);
    expect(result.started).toBeLessThanOrEqual(result.firstByte);
    expect(result.firstByte).toBeLessThanOrEqual(result.ended);
  });

  it('is not split by an odd URL, and goes without fragment and credentials', async () => {
    const server = await serve(page('hi'));
    const client = makeClient({ maxIdleSockets: 0 });
    await get(client, `http://user:pass@a.test:${server.port}/x y\r\nX: 1#top`);
    await get(client, `http://a.test:${server.port}?q`);
    expect(server.requests.map((head) => head.split('\r\n')[0])).toEqual([
      'GET /x%20yX:%201 HTTP/1.1',
      'GET /?q HTTP/1.1',
    ]);
    expect(server.requests.join()).not.toContain('pass');
    expect(server.requests[0]).toContain('Connection: close');
  });

  it('goes where the URL says, to the port that the scheme implies', () => {
    expect(parseTarget('https://a.test/?q#f')).toMatchObject({
      secure: true,
      port: 443,
      authority: 'a.test',
      path: '/?q',
    });
    expect(parseTarget('http://a.test:80/')).toMatchObject({ secure: false, port: 80, authority: 'a.test' });
    expect(parseTarget('http://[::1]:8080')).toMatchObject({ host: '[::1]', authority: '[::1]:8080', path: '/' });
    expect(parseTarget('http://B\u00fccher.test/\u00fc')).toMatchObject({
      host: 'xn--bcher-kva.test',
      path: '/%C3%BC',
    });
    expect(parseTarget('http://a.test:0/')).toBeNull();
  });

  it('is refused without a connection where URL or address are none', async () => {
    const client = makeClient();
    for (const url of ['ftp://a.test/', 'nonsense', 'http://a.test:99999/', '']) {
      expect(await get(client, url)).toMatchObject({ code: 'connect.failed', requestHead: Buffer.alloc(0) });
    }
    // A name would be looked up, and the address guard never asked.
    expect(await get(client, 'http://localhost/', { address: 'localhost' })).toMatchObject({ code: 'connect.failed' });
  });

  it('is not made to an address and port that are refused together, nor on a connection', async () => {
    const server = await serve(page('hi'));
    const other = await serve(page('hi'));
    const refuses = (host: string, address: string, port: number) =>
      port === server.port ? `${host} ${address} is ours` : null;
    const client = makeClient({ refuses });
    const refused = await get(client, `http://a.test:${server.port}/`);
    expect(refused).toMatchObject({ code: 'guard.own', detail: 'a.test 127.0.0.1 is ours', status: 0 });
    expect(await get(client, `http://a.test:${other.port}/`)).toMatchObject({ code: 'ok' });
    expect([server.connections, other.connections]).toEqual([0, 1]);
  });

  it('is not sent when the lease has ended, and the connection is kept', async () => {
    const server = await serve(page('hi'));
    const client = makeClient();
    const result = await get(client, server.url, { allowed: () => false });
    expect(result).toMatchObject({ code: 'lease.returned', requestHead: Buffer.alloc(0), status: 0 });
    expect(await get(client, server.url)).toMatchObject({ code: 'ok' });
    expect([server.requests.length, server.connections]).toEqual([1, 1]);
  });

  it('ends when it is aborted, before and while it runs', async () => {
    const server = await serve((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'));
    const client = makeClient();
    const controller = new AbortController();
    const pending = get(client, server.url, { signal: controller.signal });
    await sleep(50);
    controller.abort();
    expect(await pending).toMatchObject({ code: 'lease.returned', status: 200, truncated: 'disconnect' });
    expect(await get(client, server.url, { signal: controller.signal })).toMatchObject({ code: 'lease.returned' });
    expect(server.requests.length).toBe(1);
  });

  it("survives faults in its caller's functions", async () => {
    const server = await serve(page('hi'));
    const client = makeClient();
    const fail = (): never => {
      throw new Error('oops');
    };
    for (const more of [{ allowed: fail }, { caps: { ...CAPS, accept: fail } }, { caps: { ...CAPS, capsFor: fail } }]) {
      expect(await get(client, server.url, more)).toMatchObject({ code: 'worker.crash', detail: 'Error: oops' });
    }
    expect(client.active).toBe(0);
  });
});

describe('a status', () => {
  it('decides the code, whatever becomes of the body', async () => {
    const server = await serve((socket, head) => {
      const status = head.split(/[/ ]/)[2];
      const broken = 'Content-Encoding: gzip\r\nContent-Length: 10\r\n\r\n\x1f\x8b\xff\xff\xff\xff\xff\xff\xff\xff';
      socket.end(`HTTP/1.1 ${status} X\r\nLocation: /there\r\n${broken}`, 'latin1');
    });
    const client = makeClient({ maxIdleSockets: 0 });
    const wanted: Record<number, string> = {
      301: 'redirect',
      304: 'not-modified',
      401: 'http.client',
      404: 'http.gone',
      410: 'http.gone',
      429: 'http.throttled',
      500: 'http.server',
      503: 'http.throttled',
      599: 'http.server',
      600: 'http.status',
      999: 'http.status',
      200: 'decode.failed',
    };
    for (const [status, code] of Object.entries(wanted)) {
      const result = await get(client, `${server.url}/${status}`);
      expect([status, result.code, result.location]).toEqual([status, code, status === '301' ? '/there' : null]);
    }
  });

  it('of redirection without a target is no redirect', async () => {
    const server = await serve('HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n');
    expect(await get(makeClient(), server.url)).toMatchObject({ code: 'http.status', location: null });
  });
});

describe('a kept connection', () => {
  it('carries the next request to the same scheme, host, port and address, and no other', async () => {
    const server = await serve(page('hi'));
    const client = makeClient();
    const reused = [];
    for (const host of ['a.test', 'a.test', 'b.test', 'a.test']) {
      reused.push((await get(client, `http://${host}:${server.port}/`)).reused);
    }
    expect(reused).toEqual([false, true, false, true]);
    expect([server.connections, client.idle]).toEqual([2, 2]);
    const elsewhere = await get(client, `http://a.test:${server.port}/`, { address: '127.0.0.2' });
    expect(elsewhere).toMatchObject({ code: 'connect.refused', reused: false });
  });

  it('that the server closes while it is idle is not used again', async () => {
    const server = await serve((socket) => {
      socket.write(page('hi'));
      setTimeout(() => socket.end(), 20);
    });
    const client = makeClient();
    for (let i = 0; i < 3; i++) {
      expect(await get(client, server.url)).toMatchObject({ code: 'ok', reused: false });
      await vi.waitFor(() => expect(client.idle).toBe(0));
    }
  });

  it('that dies under a request costs no second request: the lease goes back, the next one has a fresh connection', async () => {
    for (const die of [(s: net.Socket) => s.end(), (s: net.Socket) => s.resetAndDestroy()]) {
      const server = await serve((socket, _, count) => (count === 2 ? die(socket) : socket.write(page('hi'))));
      const client = makeClient();
      await get(client, server.url);
      const second = await get(client, server.url);
      expect(second).toMatchObject({ code: 'lease.returned', reused: true, status: 0 });
      expect(second.requestHead.length).toBeGreaterThan(0);
      expect([server.requests.length, server.connections]).toEqual([2, 1]);
      expect(await get(client, server.url)).toMatchObject({ code: 'ok', reused: false });
      // Such a server gets a connection a request from now on.
      expect(client.idle).toBe(0);
    }
  });

  it('that dies within an answer is a broken answer, as on a fresh one', async () => {
    const server = await serve((socket, _, count) => {
      if (count === 1) socket.write(page('hi'));
      else socket.end('HTTP/1.1 200 OK\r\nContent-Le');
    });
    const client = makeClient();
    await get(client, server.url);
    expect(await get(client, server.url)).toMatchObject({ code: 'read.closed', reused: true });
  });

  it('on which something comes unasked is closed', async () => {
    const server = await serve((socket) => {
      socket.write(page('hi'));
      setTimeout(() => socket.write(page('poison')), 20);
    });
    const client = makeClient();
    await get(client, server.url);
    await vi.waitFor(() => expect(client.idle).toBe(0));
    const next = await get(client, server.url);
    expect([next.reused, next.body.toString()]).toEqual([false, 'hi']);
  });

  it('is given up after the idle limit, or a second before the server would', async () => {
    const server = await serve((socket, head) =>
      socket.write(page('hi', head.includes('/hint') ? 'Keep-Alive: max=100, timeout=2\r\n' : '')),
    );
    const now = { ms: 1000 };
    const client = makeClient({ idleMs: 5000, clock: () => now.ms });
    const reusedAfter = async (path: string, ms: number) => {
      await get(client, server.url + path);
      now.ms += ms;
      return (await get(client, server.url + path)).reused;
    };
    expect(await reusedAfter('/', 4999)).toBe(true);
    expect(await reusedAfter('/', 5000)).toBe(false);
    expect(await reusedAfter('/hint', 999)).toBe(true);
    expect(await reusedAfter('/hint', 1000)).toBe(false);
  });

  it('makes room for others: the least recently used goes first', async () => {
    const server = await serve(page('hi'));
    const client = makeClient({ maxIdleSockets: 2 });
    const visit = async (host: string) => (await get(client, `http://${host}.test:${server.port}/`)).reused;
    for (const host of ['a', 'b', 'a', 'c']) await visit(host);
    expect(client.idle).toBe(2);
    expect([await visit('a'), await visit('c'), await visit('b')]).toEqual([true, true, false]);
  });

  it('is closed by itself when nobody asks for it again', async () => {
    const server = await serve(page('hi'));
    const client = makeClient({ idleMs: 30, timeouts: { whole: 40 } });
    await get(client, server.url);
    await vi.waitFor(() => expect(client.idle).toBe(0));
  });
});

describe('a fault', () => {
  it('of the connection ends in its code', async () => {
    const server = await serve(page('hi'));
    await server.close();
    cleanups.splice(cleanups.length - 1);
    expect(await get(makeClient(), server.url)).toMatchObject({
      code: 'connect.refused',
      detail: 'ECONNREFUSED',
      truncated: null,
    });
  });

  it('never escapes, and leaves no socket behind', async () => {
    const server = await serve((socket, _, count) => {
      if (count % 4 === 0) socket.resetAndDestroy();
      else if (count % 4 === 1) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf');
      else if (count % 4 === 2) socket.end();
      else socket.write(page('hi'));
    });
    const client = makeClient();
    const results = await Promise.all(
      Array.from({ length: 80 }, (_, i) => get(client, `http://h${i}.test:${server.port}`)),
    );
    expect(new Set(results.map((result) => result.code))).toEqual(new Set(['ok', 'read.closed', 'read.reset']));
    await client.close();
    expect([client.active, client.idle]).toEqual([0, 0]);
  });

  it('of the client closing ends what is under way', async () => {
    const server = await serve(() => {});
    const client = makeClient();
    const pending = get(client, server.url);
    await sleep(30);
    await client.close();
    expect(await pending).toMatchObject({ code: 'lease.returned' });
    expect(await get(client, server.url)).toMatchObject({ code: 'lease.returned', requestHead: Buffer.alloc(0) });
    await client.close();
  });
});
