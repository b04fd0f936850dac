import { readFileSync } from 'node:fs';
import { Agent, get, type IncomingHttpHeaders } from 'node:http';
import { get as getSecure } from 'node:https';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { SyntheticServer, type SyntheticServerOptions } from '../../src/sim/server.js';
import { webAddress } from '../../src/sim/server-address.js';
import { gaps, type LoggedRequest, summarizeLog } from '../../src/sim/server-log.js';
import { plainAnswer, type SyntheticWeb } from '../../src/sim/web.js';

/** Two hosts with one page; `/slow` takes 150 ms, `/large` is more than a socket takes at once. */
const tiny: SyntheticWeb = {
  ...{ seeds: [], hosts: ['one.test', 'two.test'], down: ['off.test'], reachable: () => [] },
  answer: ({ host, target, sinceFirst }) => {
    const body = target === '/large' ? Buffer.alloc(20e6, 97) : `${host} ${target} ${sinceFirst > 0}`;
    return { ...plainAnswer('page', 200, 'text/plain', body), delay: target === '/slow' ? 150 : 0 };
  },
};

let server: SyntheticServer;
let agent: Agent;

async function start(more: Partial<SyntheticServerOptions> = {}): Promise<void> {
  server = await SyntheticServer.start(() => tiny, { addressOf: webAddress, ...more });
  agent = new Agent({ keepAlive: true });
}

afterEach(async () => {
  agent.destroy();
  await server.stop();
});

interface Fetched {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

function fetchFrom(host: string, path: string): Promise<Fetched> {
  const headers = { host: `${host}:${server.port}` };
  return new Promise((resolve, reject) => {
    get({ host: webAddress(host), port: server.port, path, headers, agent }, (response) => {
      let body = '';
      response.setEncoding('latin1').on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => resolve({ headers: response.headers, body }));
    }).on('error', reject);
  });
}

describe('the synthetic server', () => {
  test('is late by its latency, on every answer', async () => {
    await start({ latency: [40, 60] });
    await fetchFrom('one.test', '/');
    const [{ arrived, ended }] = server.log as [LoggedRequest];
    expect(ended - arrived).toBeGreaterThanOrEqual(39);
  });

  test('speaks TLS when it has a certificate', async () => {
    const [key, cert] = ['good.key', 'good.pem'].map((file) => readFileSync(`test/fixtures/tls/${file}`, 'utf8'));
    await start({ tls: { key: key!, cert: cert! } });
    const options = { host: webAddress('one.test'), port: server.port, ca: cert!, servername: 'good.test' };
    const body = await new Promise((resolve, reject) => {
      getSecure({ ...options, headers: { host: 'one.test' } }, (response) => {
        response.setEncoding('latin1').once('data', resolve);
      }).on('error', reject);
    });
    expect(body).toBe('one.test / false');
  });

  test('answers each host at its own address, over kept connections', async () => {
    await start();
    expect((await fetchFrom('one.test', '/a?b=c')).body).toBe('one.test /a?b=c false');
    expect((await fetchFrom('two.test', '/')).body).toBe('two.test / false');
    expect((await fetchFrom('one.test', '/d')).body).toBe('one.test /d true');
    expect(server.log.map(({ host, address }) => [host, address])).toEqual(
      ['one.test', 'two.test', 'one.test'].map((host) => [host, webAddress(host)]),
    );
  });

  test('refuses connections to a host that is down', async () => {
    await start();
    await expect(fetchFrom('off.test', '/')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('stamps the end when the last byte has gone out, not when the answer was begun', async () => {
    await start();
    await fetchFrom('one.test', '/slow');
    expect((await fetchFrom('one.test', '/large')).body.length).toBe(20e6);
    await sleep(5);
    const [slow, large] = server.log as [LoggedRequest, LoggedRequest];
    expect(slow.ended - slow.arrived).toBeGreaterThanOrEqual(149);
    expect(large.ended).toBeGreaterThan(large.arrived);
    expect(large.arrived).toBeGreaterThan(slow.ended);
  });

  test('logs a request whose client went away as ended then, without a status', async () => {
    await start();
    const socket = connect(server.port, webAddress('one.test'));
    socket.on('error', () => {});
    socket.write('GET /slow HTTP/1.1\r\nHost: one.test\r\n\r\n');
    await sleep(50);
    socket.resetAndDestroy();
    await sleep(150);
    const [request] = server.log;
    expect(request!.status).toBe(0);
    expect(request!.ended - request!.arrived).toBeLessThan(140);
  });

  test.each([
    'POST / HTTP/1.1\r\nHost: one.test\r\n\r\n',
    'GET / HTTP/1.1\r\n\r\n',
    'GET / HTTP/1.0\r\nHost: one.test\r\n\r\n',
    'GET http://one.test/ HTTP/1.1\r\nHost: one.test\r\n\r\n',
    `GET / HTTP/1.1\r\nX: ${'x'.repeat(70_000)}`,
  ])('hangs up on what is no proper request (%#)', async (bytes) => {
    await start();
    const socket = connect(server.port, webAddress('one.test'));
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.on('error', () => {});
    socket.write(bytes);
    await closed;
    expect(server.log).toEqual([]);
  });
});

describe('the log', () => {
  const request = (host: string, arrived: number, ended: number): LoggedRequest => ({
    ...{ host, address: '127.64.0.1', target: `/${arrived}`, kind: 'page', arrived, ended, status: 200, bytes: 10 },
  });

  test('finds the smallest gap between an end and the next start, by host and by address', () => {
    const log = [request('a', 0, 10), request('b', 40, 50), request('a', 110, 120), request('a', 300, 310)];
    expect(gaps(log, 'host')).toEqual([
      { key: 'a', requests: 3, smallestGap: 100, after: '/110', mostAtOnce: 1 },
      { key: 'b', requests: 1, smallestGap: null, after: null, mostAtOnce: 1 },
    ]);
    expect(gaps(log, 'address')).toMatchObject([{ key: '127.64.0.1', smallestGap: 30, after: '/40' }]);
  });

  test('measures from the latest end, not from the last request', () => {
    const log = [request('a', 0, 500), request('a', 100, 110), request('a', 400, 410), request('a', 600, 610)];
    expect(gaps(log, 'host')).toMatchObject([{ smallestGap: -400, mostAtOnce: 2 }]);
    expect(gaps(log.slice(0, 1).concat(log.slice(3)), 'host')).toMatchObject([{ smallestGap: 100 }]);
  });

  test('counts a request in flight as lasting until now', () => {
    expect(gaps([request('a', 0, Number.NaN), request('a', 50, 60)], 'host', 70)).toMatchObject([
      { smallestGap: -20, mostAtOnce: 2 },
    ]);
  });

  test('adds up kinds, statuses and different pages', () => {
    const log = [
      request('a', 0, 1),
      request('a', 0, 1),
      { ...request('b', 5, 6), kind: 'robots' as const, status: 500 },
    ];
    expect(summarizeLog(log)).toMatchObject({
      ...{ requests: 3, bytes: 30, kinds: { page: 2, robots: 1 }, statuses: { 200: 2, 500: 1 }, distinctPages: 1 },
    });
  });
});
