// CPU of the HTTP client, a keep-alive request, beside node:http doing the same: `npm run build`, then
// `node bench/http-client.mjs [requests] [rounds]` (SAUNTER_DIST names another build). The server is another process, so
// only the client is counted.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { join, resolve } from 'node:path';
import zlib from 'node:zlib';

const { HttpClient } = await import(join(resolve(process.env.SAUNTER_DIST ?? 'dist'), 'fetch/http.js'));

const requests = Number(process.argv[2] ?? 3000);
const rounds = Number(process.argv[3] ?? 5);
const CONNECTIONS = 16;
const HEADERS = { 'User-Agent': 'Saunter/bench', Accept: 'text/html,*/*;q=0.8' };
const CAPS = { wire: 5 << 20, decoded: 20 << 20, ratio: 200, ratioFrom: 1 << 20, lengthStops: true };

const SERVER = `
const net = require('node:net'); const zlib = require('node:zlib');
let text = ''; let x = 1;
while (text.length < 100_000) { x = (x * 1103515245 + 12345) & 0x7fffffff; text += '<p>w' + x % 20000 + ' x' + (x >> 8) % 20000 + '</p>\\n'; }
const head = (length, more) => 'HTTP/1.1 200 OK\\r\\nServer: bench\\r\\nDate: Sun, 06 Nov 1994 08:49:37 GMT\\r\\nContent-Type: text/html; charset=utf-8\\r\\nETag: "abc"\\r\\n' + more + 'Content-Length: ' + length + '\\r\\n\\r\\n';
const gz = zlib.gzipSync(text, { level: 9 });
const page = Buffer.concat([Buffer.from(head(gz.length, 'Content-Encoding: gzip\\r\\n')), gz]);
const small = Buffer.from(head(300, '') + 'x'.repeat(300));
net.createServer((s) => { s.on('error', () => {}); s.on('data', (d) => s.write(d.includes('/small') ? small : page)); })
  .listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;

const server = spawn(process.execPath, ['-e', SERVER]);
const port = Number(String((await once(server.stdout, 'data'))[0]));

const client = new HttpClient();
const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });

const ours = async (path, lane) => {
  const url = `http://host${lane}.test:${port}${path}`;
  const { code } = await client.fetch({ url, address: '127.0.0.1', headers: Object.entries(HEADERS), caps: CAPS });
  if (code !== 'ok') throw new Error(code);
};
const nodes = (path) =>
  new Promise((done, reject) => {
    const headers = { ...HEADERS, 'Accept-Encoding': 'gzip, br, deflate' };
    const request = http.get({ host: '127.0.0.1', port, path, agent, headers }, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.on('end', () => {
        const payload = Buffer.concat(parts);
        const coded = response.headers['content-encoding'] === 'gzip';
        done(coded ? zlib.gunzipSync(payload, { chunkSize: 128 * 1024 }) : payload);
      });
    });
    request.on('error', reject);
  });

/** CPU milliseconds a request, user and system. */
async function measure(fetchOne, path) {
  let begun = 0;
  const lane = async (_, index) => {
    while (begun++ < requests) await fetchOne(path, index);
  };
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / requests;
}

const CASES = [
  ['300 bytes, ours', ours, '/small'],
  ['300 bytes, node:http', nodes, '/small'],
  ['100 KB gzip, ours', ours, '/page'],
  ['100 KB gzip, node:http', nodes, '/page'],
];
const best = new Map();
for (let round = 0; round < rounds; round++) {
  for (const [name, fetchOne, path] of CASES) {
    best.set(name, Math.min(best.get(name) ?? Infinity, await measure(fetchOne, path)));
  }
}
console.log(`best of ${rounds} rounds of ${requests} requests over ${CONNECTIONS} connections, ms of CPU a request`);
for (const [name, ms] of best) console.log(`${name.padEnd(24)} ${ms.toFixed(4)}`);
await client.close();
agent.destroy();
server.kill();
