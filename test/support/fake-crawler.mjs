// A crawler of a hundred lines with the command line and the directory of the real one, honest unless told otherwise:
// it is what the kill test itself is tested with. `--bug NAME` makes it break one promise.
import {
  appendFileSync,
  existsSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

/** @typedef {{ url: string, links: string[] }} Row */

const text = /** @type {const} */ ({ type: 'string', default: '' });
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...{
      dir: text,
      delay: text,
      resolve: text,
      scope: text,
      patience: text,
      contact: text,
      config: text,
      format: text,
    },
    ...{ 'allow-private': text, json: /** @type {const} */ ({ type: 'boolean' }), addresses: text, bug: text },
  },
});
const [command, ...seeds] = positionals;
const store = join(flags.dir, 'crawl.sqlite');

/** @returns {Row[]} */
function rows() {
  if (!existsSync(store)) return [];
  const lines = readFileSync(store, 'utf8').split('\n');
  return lines.slice(0, -1).map((line) => JSON.parse(line));
}

if (command === 'export') {
  for (const row of rows())
    if (!row.url.endsWith('/robots.txt')) process.stdout.write(`${JSON.stringify({ url: row.url })}\n`);
} else if (command === 'verify') {
  process.exitCode = flags.bug === 'unverifiable' ? 1 : 0;
} else {
  await crawl();
}

async function crawl() {
  const pause = flags.bug === 'hasty' ? 5 : Number.parseInt(flags.delay, 10) + 5;
  const addresses = JSON.parse(readFileSync(flags.addresses, 'utf8'));
  mkdirSync(join(flags.dir, 'warc'), { recursive: true });
  /** @type {Set<string>} */
  const known = new Set();
  /** @type {Set<string>} */
  const done = new Set();
  /** @type {Map<string, string[]>} */
  const queues = new Map();
  /** @type {Promise<void>[]} */
  const loops = [];
  const log = join(flags.dir, 'crawl.sqlite-wal');
  /** @type {Row[]} */
  let batch = [];
  let segment = 0;
  let left = 0;

  /** @param {string} url */
  const add = (url) => {
    if (known.has(url) || (url.includes('/private/') && flags.bug !== 'forbidden')) return;
    known.add(url);
    if (done.has(url)) return;
    const { host, pathname } = new URL(url);
    if (!queues.has(host)) {
      queues.set(host, []);
      if (pathname !== '/robots.txt') add(new URL('/robots.txt', url).href);
      loops.push(crawlHost(host));
    }
    queues.get(host)?.push(url);
    left++;
  };
  const commit = () => {
    if (batch.length === 0) return;
    const lines = batch.map((row) => `${JSON.stringify(row)}\n`).join('');
    batch = [];
    writeFileSync(log, lines);
    appendFileSync(store, flags.bug === 'twice' ? lines + lines : lines);
    const closed = join(flags.dir, 'warc', `${process.pid}-${segment++}.warc.gz`);
    writeFileSync(`${closed}.open`, lines);
    fdatasyncSync(openSync(`${closed}.open`, 'r'));
    renameSync(`${closed}.open`, closed);
  };
  /** @param {string} host */
  const crawlHost = async (host) => {
    const queue = queues.get(host) ?? [];
    await sleep(pause);
    while (left > 0) {
      const url = queue.shift();
      if (url === undefined) {
        await sleep(10);
        continue;
      }
      const { status, body } = await get(url, addresses);
      const links = [...body.matchAll(/href="([^"]+)"/g)].map(
        (match) => new URL(/** @type {string} */ (match[1]), url).href,
      );
      if (status === 200) batch.push({ url, links: flags.bug === 'lose' ? [] : links });
      for (const link of links) add(link);
      left--;
      await sleep(pause);
    }
  };

  const before = rows();
  const held = openSync(store, 'a'); // seen by whoever watches for the scan
  await sleep(50);
  for (const { url } of before) done.add(url);
  for (const { links } of before) for (const link of links) add(link);
  for (const seed of seeds) add(seed);
  const timer = setInterval(() => flags.bug !== 'lazy' && commit(), 100);
  for (let i = 0; i < loops.length; i++) await loops[i];
  clearInterval(timer);
  commit();
  fdatasyncSync(held);
  process.stdout.write(`${JSON.stringify({ pages: rows().length, pending: 0 })}\n`);
}

/**
 * @param {string} url
 * @param {Record<string, string>} addresses
 * @returns {Promise<{ status: number | undefined, body: string }>}
 */
function get(url, addresses) {
  const { hostname, port, pathname, host } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ host: addresses[hostname], port, path: pathname, headers: { host } }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, body }));
    });
    sent.on('error', reject);
    sent.end();
  });
}
