/**
 * `npm run bench -- fetch`: CPU of the HTTP client for a request over a connection that is kept, with and without TLS,
 * beside `node:http` and `node:https` doing the same. The server is another process, so only the client is counted.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { HttpClient } from '../src/fetch/http.js';
import { makeCertificate } from './certificate.js';

const REQUESTS = 3000;
const ROUNDS = 5;
const CONNECTIONS = 16;
const HEADERS = { 'User-Agent': 'Saunter/bench', Accept: 'text/html,*/*;q=0.8' };
const CAPS = { wire: 5 << 20, decoded: 20 << 20, ratio: 200, ratioFrom: 1 << 20, lengthStops: true };
const SERVER = resolve('bench/fetch-server.mjs');

type Fetch = (path: string, lane: number) => Promise<void>;

/** Prints the least of some rounds for each client and kind of answer. */
export async function fetchBench(say: (line: string) => void): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'saunter-fetch-'));
  const { key, cert } = makeCertificate(folder);
  const [plain, secure] = await Promise.all([startServer(), startServer(key, cert)]);
  // nobody signed the certificate; it is looked at all the same
  const client = new HttpClient({ tls: { rejectUnauthorized: false } });
  const agents = [new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS })];
  const secureAgent = new https.Agent({ keepAlive: true, maxSockets: CONNECTIONS, rejectUnauthorized: false });
  const clients: readonly (readonly [name: string, fetch: Fetch])[] = [
    ['ours', ours(client, 'http', plain.port)],
    ['node:http', nodes(http, { port: plain.port, agent: agents[0]! })],
    ['ours, TLS', ours(client, 'https', secure.port)],
    ['node:https', nodes(https, { port: secure.port, agent: secureAgent })],
  ];
  try {
    const best = new Map<string, number>();
    for (let round = 0; round < ROUNDS; round++) {
      for (const [path, what] of [
        ['/small', '300 bytes'],
        ['/page', '100 KB gzip'],
      ] as const) {
        for (const [name, fetchOne] of clients) {
          const label = `${what}, ${name}`;
          best.set(label, Math.min(best.get(label) ?? Infinity, await measure(fetchOne, path)));
        }
      }
    }
    say(`least of ${ROUNDS} rounds of ${REQUESTS} requests over ${CONNECTIONS} connections, ms CPU a request`);
    for (const [label, ms] of best) say(`${label}: ${ms.toFixed(4)}`);
  } finally {
    await client.close();
    for (const agent of [...agents, secureAgent]) agent.destroy();
    for (const { process } of [plain, secure]) process.kill();
    rmSync(folder, { recursive: true });
  }
  return true;
}

async function startServer(...files: string[]): Promise<{ process: ChildProcess; port: number }> {
  const server = spawn(process.execPath, [SERVER, ...files], { stdio: ['ignore', 'pipe', 'inherit'] });
  return { process: server, port: Number(String((await once(server.stdout, 'data'))[0])) };
}

/** A name for each lane, so that it keeps a connection of its own. */
function ours(client: HttpClient, scheme: string, port: number): Fetch {
  return async (path, lane) => {
    const url = `${scheme}://host${lane}.group-0.test:${port}${path}`;
    const { code } = await client.fetch({ url, address: '127.0.0.1', headers: Object.entries(HEADERS), caps: CAPS });
    if (code !== 'ok') throw new Error(code);
  };
}

function nodes(module: typeof http | typeof https, options: http.RequestOptions): Fetch {
  return (path) =>
    new Promise((done, reject) => {
      const headers = { ...HEADERS, 'Accept-Encoding': 'gzip, br, deflate' };
      const request = module.get({ ...options, host: '127.0.0.1', path, headers }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => {
          const payload = Buffer.concat(parts);
          if (response.headers['content-encoding'] === 'gzip') gunzipSync(payload, { chunkSize: 128 * 1024 });
          done();
        });
      });
      request.on('error', reject);
    });
}

/** CPU milliseconds a request, user and system. */
async function measure(fetchOne: Fetch, path: string): Promise<number> {
  let begun = 0;
  const lane = async (_: unknown, index: number) => {
    while (begun++ < REQUESTS) await fetchOne(path, index);
  };
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / REQUESTS;
}
