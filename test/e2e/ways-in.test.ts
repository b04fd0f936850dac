/** Every way that we know to reach an address inside, through the connector: it counts, and connects to nothing. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { page, type RawServer, rawServer } from '../fetch/raw-server.js';
import { DnsServer } from '../support/dns-server.js';
import { FORBIDDEN_HOSTS } from '../support/guard-spellings.js';
import { program, removeScratches, scratch } from '../support/saunter.js';

/** Names that lead inside, by each kind of answer. */
const NAMES = {
  'a.test': { a: ['127.0.0.1'] },
  'aaaa.test': { aaaa: ['::1'] },
  'mapped.test': { aaaa: ['::ffff:10.0.0.1'] },
  'nat64.test': { aaaa: ['64:ff9b::a9fe:a9fe'] },
  'sixtofour.test': { aaaa: ['2002:7f00:1::'] },
  'metadata.test': { a: ['169.254.169.254'] },
  'alias.test': { cname: 'a.test' },
  'unspecified.test': { a: ['0.0.0.0'] },
  'many.test': { a: ['10.0.0.1', '192.168.0.1', '172.16.0.1'] },
};
/** Other ways to write the same URL. */
const SPELLINGS = [
  'HTTP://127.0.0.1:8080/',
  'http:127.0.0.1:8080',
  'http:/127.0.0.1:8080/',
  'http:\\\\127.0.0.1:8080\\',
  'http://user:secret@127.0.0.1:8080/',
  'http://example.org@127.0.0.1:8080/',
  'http://127.0.0.1:8080\\@example.org/',
  ' http://127.0.0.1:8080/ ',
  'http://127.\t0.\n0.1:8080/',
  'https://[::1]:8443/',
  'http://localhost:8080/',
  'http://LOCALHOST.:8080/',
];
const WAYS = [
  ...FORBIDDEN_HOSTS.map((host) => `http://${host}:8080/`),
  ...Object.keys(NAMES).map((name) => `http://${name}:8080/`),
  ...SPELLINGS,
];
/** Opens everything to URLs that the operator typed: the guard is off. */
const GUARD_OFF = ['--allow-private', '0.0.0.0/0', '--allow-private', '::/0'];

let dns: DnsServer;
beforeAll(async () => {
  dns = await DnsServer.start(NAMES);
});
afterAll(async () => {
  await dns.stop();
  removeScratches();
});

/** Asks for URLs as the crawler would, in a process of its own. @returns the outcome of each, and what was connected to */
async function ask(urls: readonly string[], flags: readonly string[], env: NodeJS.ProcessEnv, hook = true) {
  const log = join(scratch(), 'connects');
  const child = spawn(
    process.execPath,
    [
      ...(hook ? ['--import', new URL('../support/connector.mjs', import.meta.url).href] : []),
      ...[program, 'inspect', 'fetch', '--dns', dns.address, '--contact', 'mailto:test@example.org', '--delay', '1ms'],
      ...flags,
    ],
    { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, CONNECTOR_LOG: log, ...env } },
  );
  child.stdin.end(urls.map((url) => JSON.stringify({ url })).join('\n'));
  const lines = (await text(child.stdout)).trimEnd().split('\n');
  const answers = lines.map((line) => JSON.parse(line) as { error: string | null; status: number | null });
  const connects = existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : [];
  return { answers, connects, codes: [...new Set(answers.map(({ error }) => error))] };
}

describe('of all ways to an address inside', () => {
  test('there are at least 120', () => expect(new Set(WAYS).size).toBeGreaterThanOrEqual(120));

  test('none reaches the connector', async () => {
    const { answers, connects, codes } = await ask(WAYS, [], {});
    expect([answers.length, codes, connects]).toEqual([WAYS.length, ['guard.address'], []]);
  });

  test('each reaches it once the guard is off: it is the guard that keeps them out', async () => {
    const { answers, connects, codes } = await ask(WAYS, GUARD_OFF, {});
    expect([answers.length, codes]).toEqual([WAYS.length, ['connect.refused']]);
    expect(connects.length).toBe(WAYS.length);
    expect(connects.filter((line) => !/ (8080|8443)$/.test(line))).toEqual([]);
  });
});

test('every spelling of loopback reaches a real listener with the guard off, and none with it on', async () => {
  const server = net.createServer((socket) => socket.on('error', () => {}).destroy());
  let connections = 0;
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '::', resolve));
  const { port } = server.address() as net.AddressInfo;
  const hosts = FORBIDDEN_HOSTS.filter((host) =>
    /^127\.|^\[::1\]$|^\[::ffff:7f/.test(new URL(`http://${host}/`).hostname),
  );
  // all but the last address, which the system takes for a broadcast
  const urls = hosts.filter((host) => host !== '127.16777215').map((host) => `http://${host}:${port}/`);
  expect(urls.length).toBeGreaterThan(30);
  expect((await ask(urls, [], {}, false)).codes).toEqual(['guard.address']);
  expect(connections).toBe(0);
  await ask(urls, GUARD_OFF, {}, false);
  server.close();
  expect(connections).toBe(urls.length);
});

test('proxies of the environment are not used', async () => {
  let proxied = 0;
  const proxy = net.createServer((socket) => {
    proxied++;
    socket.on('error', () => {}).destroy();
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const site: RawServer = await rawServer((socket) => socket.end(page('direct')));
  const url = `http://127.0.0.1:${(proxy.address() as net.AddressInfo).port}`;
  const names = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'];
  const env = { ...Object.fromEntries(names.map((name) => [name, url])), NODE_USE_ENV_PROXY: '1', no_proxy: '' };
  const { answers } = await ask([`${site.url}/`], ['--allow-private', '127.0.0.0/8'], env, false);
  proxy.close();
  await site.close();
  expect([answers[0].status, answers[0].error, site.connections, proxied]).toEqual([200, null, 1, 0]);
});
