import { readFileSync } from 'node:fs';
import net from 'node:net';
import type tls from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { HttpClient, type HttpClientOptions } from '../../src/fetch/http.js';
import { page, type RawServer, rawServer } from './raw-server.js';

const fixtures = new URL('../fixtures/tls/', import.meta.url);
const cert = readFileSync(new URL('good.pem', fixtures));
const key = readFileSync(new URL('good.key', fixtures));
const CAPS = { wire: 5 << 20, decoded: 20 << 20, ratio: 200, ratioFrom: 1 << 20, lengthStops: true };

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function setUp(options: HttpClientOptions = { tls: { ca: cert } }, secure: tls.TlsOptions = { key, cert }) {
  const seen: { name: string | false | null; resumed: boolean }[] = [];
  const server: RawServer = await rawServer((socket) => {
    const secure = socket as tls.TLSSocket & { servername: string | false | null };
    seen.push({ name: secure.servername, resumed: secure.isSessionReused() });
    socket.write(page('secret '.repeat(20_000)));
  }, secure);
  const client = new HttpClient(options);
  cleanups.push(
    () => client.close(),
    () => server.close(),
  );
  const get = (host: string, port = server.port) =>
    client.fetch({ url: `https://${host}:${port}/`, address: '127.0.0.1', headers: [], caps: CAPS });
  return { server, seen, get };
}

describe('https', () => {
  it('names the host, keeps the connection, and resumes the session on a new one', async () => {
    const { get, seen, server } = await setUp({ tls: { ca: cert }, maxIdleSockets: 1 });
    const first = await get('good.test');
    expect([first.code, first.body.length]).toEqual(['ok', 140_000]);
    expect(await get('good.test')).toMatchObject({ code: 'ok', reused: true });
    await get('127.0.0.1');
    expect(await get('good.test')).toMatchObject({ code: 'ok', reused: false });
    expect(server.connections).toBe(3);
    expect(seen[0]).toEqual({ name: 'good.test', resumed: false });
    expect(seen[2].name || null).toBeNull();
    expect(seen[3]).toEqual({ name: 'good.test', resumed: true });
  });

  it('refuses a certificate of an unknown issuer or for another name, unless told otherwise', async () => {
    const strict = await setUp({});
    expect(await strict.get('good.test')).toMatchObject({ code: 'tls.untrusted', status: 0 });
    const trusting = await setUp();
    expect(await trusting.get('other.test')).toMatchObject({ code: 'tls.name' });
    expect(await trusting.get('good.test')).toMatchObject({ code: 'ok', certificate: null });
    const lax = await setUp({ tls: { rejectUnauthorized: false } });
    expect(await lax.get('other.test')).toMatchObject({ code: 'ok' });
  });

  it('knows each fault of a certificate by a code of its own, refused or recorded, on kept and new connections', async () => {
    const faults = { expired: 'tls.expired', early: 'tls.expired', elsewhere: 'tls.name', good: 'tls.untrusted' };
    const ca = readFileSync(new URL('authority.pem', fixtures));
    for (const [name, fault] of Object.entries({ ...faults, trusted: null })) {
      const own = { key, cert: readFileSync(new URL(`${name}.pem`, fixtures)) };
      const refusing = await setUp({ tls: { ca } }, own);
      const refused = await refusing.get('a.zoo.test');
      expect([name, refused.code, refused.requestHead.length > 0]).toEqual([name, fault ?? 'ok', fault === null]);
      const recording = await setUp({ tls: { ca, rejectUnauthorized: false }, maxIdleSockets: 1 }, own);
      // on a new connection, on the kept one, and on a new one that could resume the session of the first
      for (const host of ['a.zoo.test', 'a.zoo.test', 'b.zoo.test', 'a.zoo.test']) {
        expect(await recording.get(host), name).toMatchObject({ code: 'ok', certificate: fault });
      }
      expect(recording.server.connections).toBe(3);
    }
  });

  it('ends in a code where the server speaks no TLS, closes, or says nothing', async () => {
    const { get } = await setUp({ timeouts: { tls: 100 } });
    for (const answer of ['HTTP/1.1 400 Bad Request\r\n\r\n', '', null]) {
      const plain = net.createServer((socket) => {
        socket.on('error', () => {});
        if (answer !== null) socket.end(answer);
        else cleanups.push(async () => void socket.destroy());
      });
      plain.listen(0, '127.0.0.1');
      await new Promise((resolve) => plain.once('listening', resolve));
      const { port } = plain.address() as net.AddressInfo;
      expect(await get('good.test', port), String(answer)).toMatchObject({ code: 'tls.failed' });
      plain.close();
    }
  });
});
