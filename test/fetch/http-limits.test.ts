/** The client on a socket: limits of time and of size. Servers are raw TCP on loopback. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { CAPS, cleanups, get, MIB, makeClient, SHORT, serve } from './client.js';
import { type Answer, page, sleep } from './raw-server.js';

describe('a limit of time', () => {
  const answerSlowly: Answer = (socket, head) => {
    if (head.includes('/silent')) return;
    if (head.includes('/foreign')) socket.write('SSH-2.0-x\r\n');
    else socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nbegin');
    const bytes = Buffer.alloc(head.includes('/fast') ? 4000 : 1, '.');
    if (head.includes('/stall') || head.includes('/foreign')) return;
    const timer = setInterval(() => socket.write(bytes), 10);
    socket.on('close', () => clearInterval(timer));
  };

  it.each([
    ['for the first byte', '/silent', 'read.first-byte', null, 150],
    ['for the whole', '/fast', 'read.timeout', 'time', 600],
    ['for a slow answer', '/drip', 'read.slow', 'time', 200],
    ['for a stalled answer', '/stall', 'read.slow', 'time', 200],
    ['for something that is not HTTP', '/foreign', 'http.malformed', 'time', 200],
  ] as const)('%s ends in its code and keeps what came', async (_, path, code, truncated, ms) => {
    const server = await serve(answerSlowly);
    const result = await get(makeClient({ timeouts: SHORT }), server.url + path);
    expect(result.code).toBe(code);
    if (truncated && result.status === 200) {
      expect(result.truncated).toBe(truncated);
      expect(result.body.toString().startsWith('begin')).toBe(true);
    }
    expect(result.ended - result.started).toBeGreaterThanOrEqual(ms);
    expect(result.ended - result.started).toBeLessThan(ms + 1500);
  });

  it('does not wait for the end of a framing whose body is complete', async () => {
    const body = 'Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n';
    const server = await serve(`HTTP/1.1 200 OK\r\n${body}`);
    const result = await get(makeClient(), server.url);
    expect(result).toMatchObject({ code: 'ok', truncated: null });
    expect(result.ended - result.started).toBeLessThan(2000);
  });

  it('for the connection ends in its code', async () => {
    // Listens with the shortest queue and never accepts: the kernel answers a few and lets the rest wait.
    const script = `const s = require('net').createServer().listen({port: 0, host: '127.0.0.1', backlog: 1}, () => {
      require('fs').writeSync(1, String(s.address().port)); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); });`;
    const child = spawn(process.execPath, ['-e', script]);
    cleanups.push(async () => void child.kill('SIGKILL'));
    const [port] = await once(child.stdout, 'data');
    const client = makeClient({ timeouts: SHORT });
    const results = await Promise.all(Array.from({ length: 6 }, () => get(client, `http://127.0.0.1:${port}/`)));
    const codes = results.map((result) => result.code);
    expect(codes).toContain('connect.timeout');
    expect(new Set(codes).size).toBeLessThanOrEqual(2);
  });

  it('does not count time in which this thread was busy', async () => {
    const server = await serve(page('hi'));
    const client = makeClient({ timeouts: SHORT });
    const pending = get(client, server.url);
    for (let turn = 0; turn < 3; turn++) {
      const until = performance.now() + 400;
      while (performance.now() < until);
      await sleep(0);
    }
    const result = await pending;
    expect(result.code).toBe('ok');
    expect(result.ended - result.started).toBeGreaterThan(300);
    expect(result.blocked).toBeGreaterThan(300);
  });
});

describe('a limit of size', () => {
  it('cuts a body at exactly the cap and says so', async () => {
    const server = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const flood = () => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65536, 'x')));
      };
      socket.on('drain', flood);
      flood();
    });
    const result = await get(makeClient(), server.url, { caps: { ...CAPS, wire: 100_000 } });
    expect(result).toMatchObject({ code: 'ok', truncated: 'length', payloadTruncated: 'length' });
    expect(result.body.length).toBe(100_000);
    expect(result.bytes).toBeLessThan(300_000);
  });

  it('cuts a decoded body at exactly the cap, while the payload is whole', async () => {
    const gz = zlib.gzipSync(Buffer.from(Array.from({ length: 20_000 }, (_, i) => `${i * i} `).join('')));
    const server = await serve((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${gz.length}\r\n\r\n`);
      socket.write(gz);
    });
    const result = await get(makeClient(), server.url, { caps: { ...CAPS, decoded: 10_000 } });
    expect(result).toMatchObject({ code: 'ok', truncated: 'length', payloadTruncated: null });
    expect([result.body.length, result.payload.equals(gz)]).toEqual([10_000, true]);
  });

  it('stops before a body that is announced as too long, or of a type that nobody wants', async () => {
    const server = await serve((socket, head) => {
      const type = head.includes('/video') ? 'Video/MP4; x=y' : 'application/pdf';
      socket.write(
        `HTTP/1.1 ${head.includes('/404') ? 404 : 200} X\r\nContent-Type: ${type}\r\nContent-Length: 2000\r\n\r\n`,
      );
      socket.write('x'.repeat(2000));
    });
    const asked: string[] = [];
    const accept = (type: string) => asked.push(type) > 0 && type !== 'video/mp4';
    const caps = { ...CAPS, wire: 1000, accept };
    const client = makeClient();
    expect(await get(client, `${server.url}/`, { caps })).toMatchObject({
      code: 'body.length',
      truncated: 'length',
      status: 200,
    });
    expect(await get(client, `${server.url}/video`, { caps })).toMatchObject({
      code: 'body.type',
      truncated: 'length',
    });
    expect(await get(client, `${server.url}/404`, { caps })).toMatchObject({ code: 'http.gone', truncated: 'length' });
    expect(asked).toEqual(['application/pdf', 'video/mp4']);
    const cut = await get(client, `${server.url}/`, { caps: { ...caps, lengthStops: false } });
    expect([cut.code, cut.body.length]).toEqual(['ok', 1000]);
    const capsFor = (type: string) => (type === 'application/pdf' ? { wire: 3000 } : {});
    expect(await get(client, `${server.url}/`, { caps: { ...caps, capsFor } })).toMatchObject({
      code: 'ok',
      truncated: null,
    });
  });

  it('refuses a bomb', async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(8 * MIB));
    const server = await serve((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`);
      socket.write(bomb);
    });
    const result = await get(makeClient(), server.url);
    expect(result).toMatchObject({ code: 'decode.bomb', status: 200 });
    expect([result.body.length, result.payload.equals(bomb)]).toEqual([0, true]);
  });

  it('refuses endless headers', async () => {
    const server = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('X: y\r\n'.repeat(2000)), 1);
      socket.on('close', () => clearInterval(timer));
    });
    expect(await get(makeClient(), server.url)).toMatchObject({ code: 'http.headers', status: 0 });
  });

  it('pauses reading while the byte budget is spent, and everyone still gets on', async () => {
    const server = await serve(page('x'.repeat(400_000)));
    const budget = {
      used: 0,
      most: 0,
      first: null as object | null,
      take(bytes: number): void {
        budget.used += bytes;
        budget.most = Math.max(budget.most, budget.used);
      },
      mayReceive(reader: object): boolean {
        if (budget.used < 500_000) return true;
        budget.first ??= reader;
        return budget.first === reader;
      },
      turn: () => null,
      delivered(reader: object, taken: number): void {
        budget.used -= taken;
        if (budget.first === reader) budget.first = null;
      },
    };
    const client = makeClient({ budget, timeouts: { whole: 4000, slowAfter: 80 } });
    const results = await Promise.all(Array.from({ length: 12 }, () => get(client, server.url)));
    expect(results.map((result) => [result.code, result.body.length])).toEqual(Array(12).fill(['ok', 400_000]));
    expect(budget.used).toBe(0);
    // 12 bodies at once would be 4.8 MB; a paused one may have had one read of 64 KiB more.
    expect(budget.most).toBeLessThan(500_000 + 400_000 + 12 * 65_536);
  });

  it("does not count the time in which it did not read for want of room as its server's", async () => {
    const server = await serve(page('x'.repeat(400_000)));
    const until = performance.now() + 400;
    const budget = {
      take: () => {},
      mayReceive: () => performance.now() > until,
      turn: () => null,
      delivered: () => {},
    };
    const client = makeClient({ budget });
    const { code, started, ended, blocked } = await get(client, server.url);
    expect([code, ended - started > 300, blocked > 200, ended - started >= blocked]).toEqual(['ok', true, true, true]);
  });
});
