/** A client and raw servers that end with the test, for tests of the client on a socket. */
import { afterEach } from 'vitest';
import { type FetchRequest, type FetchResult, HttpClient, type HttpClientOptions } from '../../src/fetch/http.js';
import { type Answer, type RawServer, rawServer } from './raw-server.js';

export const MIB = 1 << 20;
export const CAPS = { wire: 5 * MIB, decoded: 20 * MIB, ratio: 200, ratioFrom: MIB, lengthStops: true };
export const SHORT = { connect: 150, tls: 150, firstByte: 150, whole: 600, slowAfter: 200 };

export const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

export function makeClient(options: HttpClientOptions = {}): HttpClient {
  const client = new HttpClient(options);
  cleanups.unshift(() => client.close());
  return client;
}

export async function serve(answer: Answer | string): Promise<RawServer> {
  const server = await rawServer(typeof answer === 'string' ? (socket) => socket.write(answer, 'latin1') : answer);
  cleanups.push(() => server.close());
  return server;
}

export const get = (client: HttpClient, url: string, more: Partial<FetchRequest> = {}): Promise<FetchResult> =>
  client.fetch({ url, address: '127.0.0.1', headers: [['User-Agent', 'test']], caps: CAPS, ...more });
