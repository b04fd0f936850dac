// The suite of raw answers of broken servers: who serves them on loopback, what is asked, and what is right.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/** @typedef {Record<string, any>} Case */
/** @typedef {{ port: number, close: () => void }} Served */

/**
 * Serves the cases at `/ID/dir/page`: by the server that came with them, if there is one, or by our own.
 * @param {readonly Case[]} cases
 * @param {string | null} dir the folder of outside cases
 * @returns {Promise<Served>}
 */
export async function serveRaw(cases, dir) {
  const script = dir === null ? '' : join(dir, 'http_raw_server.py');
  return existsSync(script) ? theirs(script) : ours(cases);
}

/** @param {string} script @returns {Promise<Served>} */
async function theirs(script) {
  const child = spawn('python3', [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const [port] = await once(lines, 'line', { signal: AbortSignal.timeout(10_000) });
  return { port: Number(port), close: () => void child.kill() };
}

/** @param {readonly Case[]} cases @returns {Promise<Served>} */
async function ours(cases) {
  const byId = new Map(cases.map((c) => [String(c.id), c]));
  let port = 0;
  const server = net.createServer(async (socket) => {
    socket.on('error', () => {});
    const [head] = await once(socket, 'data').catch(() => ['']);
    const found = byId.get(String(head).split('/')[1]);
    for (const segment of found?.segments ?? []) {
      if (segment.delay_ms > 0) await sleep(segment.delay_ms);
      const text = Buffer.from(segment.b64, 'base64').toString('latin1').replaceAll('PORT', String(port));
      socket.write(Buffer.from(text, 'latin1'));
    }
    if (found?.close !== 'rst') socket.end();
    else setTimeout(() => socket.resetAndDestroy(), 50);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = /** @type {net.AddressInfo} */ (server.address()).port;
  return { port, close: () => server.close() };
}

/** The answer of `inspect fetch`, in the words of the cases. @param {Case} _ @param {Case} answer */
export const tellRaw = (_, { status, error, bodySha1, length, truncated, location, retryAfterMs }) => ({
  status,
  error,
  truncated,
  location,
  wait: retryAfterMs,
  body: bodySha1 === null || length === 0 ? 'empty' : (BODIES.get(bodySha1) ?? bodySha1),
  retry: error !== null && /^(read|connect)\./.test(error),
});

const PAGE = `<html><head><title>t</title></head><body><p>${'hello world '.repeat(40)}</p></body></html>`;
const BODIES = new Map([
  [sha1(PAGE), 'full'],
  [sha1(PAGE.slice(0, 100)), 'first 100 bytes'],
]);

/** @param {string} text */
function sha1(text) {
  return createHash('sha1').update(text).digest('hex');
}

/** ms; a date that is far away is cut at a day. @type {Readonly<Record<string, number | null>>} */
const WAITS = { '5 s': 5000, ignored: null, 'RFC 850 date': 24 * 3600 * 1000 };

/** Whether all that is wanted came of it. @param {Case} c @param {Case} got */
export function isRightRaw({ want }, got) {
  const isBroken = got.error !== null || got.truncated;
  const checks = [
    want.status === undefined || got.status === want.status || (isBroken && / or error/.test(want.body ?? '')),
    want.error !== true || got.error !== null,
    want.error_or_truncated !== true || isBroken,
    want.error_or_full !== true || isBroken || got.body === 'full',
    want.retry !== true || got.retry,
    want.wait === undefined || got.wait === WAITS[want.wait],
    want.body === undefined || isRightBody(want.body, got),
    want.to === undefined || isRightTarget(want.to, got.location),
  ];
  return checks.every(Boolean);
}

/** @param {string} want @param {Case} got */
function isRightBody(want, got) {
  if (/ or error/.test(want) && got.error !== null) return true;
  if (want === 'empty' || want === 'first 100 bytes') return got.error === null && got.body === want;
  return got.error === null && got.body === 'full' && got.truncated === want.includes('flagged truncated');
}

/** @param {string | null} want @param {string | null} location */
function isRightTarget(want, location) {
  if (want === null) return location === null;
  if (location === null) return false;
  const { pathname } = new URL(location);
  // relative to the page, which lies in a folder of its own
  if (want.startsWith('relative: ')) return pathname.endsWith(want.slice('relative: '.length));
  return want.replace(' (optional)', '').split(' or ').includes(pathname);
}
