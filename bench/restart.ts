/**
 * `npm run bench -- restart`: how long the real program takes to be back with so many known URLs, from all rows and from a
 * checkpoint. A crawl of one unreachable seed makes the directory; rows are appended to its store; then `saunter crawl` with
 * a limit that is reached already starts and stops. Needs about 130 bytes of disk a URL, and 36 for the checkpoint.
 */
import { mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { noChanges } from '../src/changes.js';
import { openSqliteStore } from '../src/engines/sqlite.js';
import { measure } from './measure.js';
import { programFile } from './program.js';

export interface RestartOptions {
  /** A directory that an earlier bench has kept, which only starts once more; null to fill a new one. */
  dir: string | null;
  urls: number;
  /** Visited pages among them. */
  pages: number;
  hosts: number;
  keep: boolean;
  say: (line: string) => void;
}

const BATCH = 20_000;
const AT = 1_700_000_000_000;
const NONE = { etag: null, lastModified: null, aiPreferences: null, fields: null, record: null, text: null };

const scatter = (n: number): number => Math.imul(Math.imul(n ^ (n >>> 16), 0x85ebca6b) ^ (n >>> 13), 0xc2b2ae35) >>> 0;

const crawl = (dir: string, ...args: string[]) =>
  measure([process.execPath, programFile, 'crawl', '--dir', dir, '--allow-private', '127.0.0.0/8', '--json', ...args]);

export async function restartBench(options: RestartOptions): Promise<boolean> {
  const { urls, say } = options;
  if (options.dir !== null) return startAgain(options.dir, say);
  const needed = urls * 170 + options.pages * 700;
  const { bavail, bsize } = statfsSync('.');
  if (bavail * bsize < 1.5 * needed) {
    say(`left out: ${urls / 1e6} million URLs need ${(1.5 * needed) / 1e9} GB of disk, and there are not so many`);
    return true;
  }
  const dir = mkdtempSync(resolve('saunter-restart-'));
  try {
    await makeGrown(dir, options);
    say(
      `${(statSync(join(dir, 'crawl.sqlite')).size / 1e9).toFixed(1)} GB of rows: ${urls / 1e6} million URLs, ${options.pages / 1e6} million pages`,
    );
    const first = await crawl(dir, '--max-pages', '1');
    say(told('from all rows, and a checkpoint written', first));
    const isSecondDone = await startAgain(dir, say);
    say(`the checkpoint takes ${(statSync(join(dir, 'checkpoint', 'state')).size / urls).toFixed(1)} bytes a URL`);
    return first.code === 0 && isSecondDone;
  } finally {
    if (options.keep) say(`kept: ${dir}`);
    else rmSync(dir, { recursive: true });
  }
}

/** Makes a crawl directory with so many rows. */
export async function makeGrown(dir: string, rows: Omit<RestartOptions, 'keep' | 'dir'>): Promise<void> {
  await crawl(dir, 'http://127.0.0.1:9999/', '--max-duration', '1s');
  await fillStore(join(dir, 'crawl.sqlite'), rows);
}

async function startAgain(dir: string, say: RestartOptions['say']): Promise<boolean> {
  const cost = await crawl(dir, '--max-pages', '1');
  say(told('from the checkpoint', cost));
  return cost.code === 0;
}

const told = (what: string, { seconds, user, system, rss }: Awaited<ReturnType<typeof measure>>): string =>
  `${what}: ${seconds.toFixed(1)} s for the whole program (${((user + system) / 1000).toFixed(1)} s of CPU), at most ${rss.toFixed(0)} MiB`;

const hostOf = (url: number, hosts: number): number => scatter(url + 77) % hosts;

/** Appends so many hosts, URLs and visited pages to the store of a crawl. */
export async function fillStore(
  path: string,
  { urls, pages, hosts, say }: Omit<RestartOptions, 'keep' | 'dir'>,
): Promise<void> {
  const store = openSqliteStore(path, { create: false, reads: 'calling' });
  const epoch = await store.beginEpoch();
  let sequence = 0;
  const commit = (changes: Partial<ReturnType<typeof noChanges>>) =>
    store.commit({ epoch, sequence: ++sequence, changes: { ...noChanges(), ...changes } });
  const firstHost = store.count('hosts');
  const row = (id: number) => ({ id, name: `www.site${id}.example`, domain: `site${id}.example` });
  await commit({
    hosts: range(firstHost, hosts, (id) => ({ ...row(id), named: false, budget: null, at: AT })),
  });
  for (let first = store.count('urls'); first < urls; first += BATCH) {
    const rows = range(first, Math.min(BATCH, urls - first), (id) => {
      const host = firstHost + hostOf(id, hosts);
      const key = { keyHi: scatter(id), keyLo: scatter(id + 0x51ed27) };
      const place = { partition: 0, host, kind: 'page', level: 1 + (id & 3), depth: 2, hops: 0, via: 0 } as const;
      return { id, ...place, ...key, url: `https://www.site${host}.example/articles/${id}.html` };
    });
    await commit({ urls: rows });
    if (first % 1e7 < BATCH) say(`  ${Math.round(first / 1e6)} million rows`);
  }
  const body = Buffer.from(`User-agent: *\n${'Disallow: /a/folder/that/is/not/for/crawlers/\n'.repeat(12)}`);
  for (let first = 0; first < hosts; first += BATCH) {
    const robots = range(firstHost + first, Math.min(BATCH, hosts - first), (host) => ({
      ...{ origin: `https://www.site${host}.example`, host, at: AT, request: -1, status: 200, body },
      ...({ code: 'ok', failures: 0, failingSince: null } as const),
    }));
    await commit({ robots });
  }
  const firstRequest = store.count('requests');
  const firstVisit = store.count('visits');
  const stride = Math.floor(urls / pages); // visited URLs lie among those that wait
  for (let done = 0; done < pages; done += BATCH) {
    const n = Math.min(BATCH, pages - done);
    const requests = range(firstRequest + done, n, (id) => ({
      ...({
        id,
        url: (id - firstRequest) * stride,
        host: firstHost + hostOf((id - firstRequest) * stride, hosts),
        address: '192.0.2.1',
        kind: 'page',
        target: `https://x.example/${id}`,
      } as const),
      ...({ started: AT + id, ended: AT + id + 200, status: 200, code: 'ok', bytes: 20_000 } as const),
      ...{ delay: 2000, addressDelay: 1000, record: null },
    }));
    const visits = range(firstVisit + done, n, (id) => ({
      ...({
        id,
        url: (id - firstVisit) * stride,
        kind: 'page',
        request: id,
        at: AT + id,
        status: 200,
        code: 'ok',
        finalUrl: null,
      } as const),
      ...{ contentType: 'text/html', charset: 'utf-8', language: 'en', title: `The title of article ${id}` },
      contentHash: hashOf(id),
      payloadDigest: hashOf(id).subarray(0, 20),
      simhash: hex(id + 3) + hex(id + 9999),
      ...NONE,
      ...{ changed: true, duplicateOf: -1, near: false, index: true, nextVisit: null, bodyOf: -1, history: null },
      ...{ bytes: 20_000, links: 100, parser: 1 },
    }));
    await commit({ requests, visits });
  }
  store.close();
}

const range = <T>(first: number, n: number, make: (id: number) => T): T[] =>
  Array.from({ length: n }, (_, i) => make(first + i));
const hex = (n: number): string => scatter(n).toString(16).padStart(8, '0');
function hashOf(id: number): Uint8Array {
  const hash = new Uint8Array(32);
  new DataView(hash.buffer).setUint32(0, scatter(id));
  new DataView(hash.buffer).setUint32(4, scatter(id + 5));
  return hash;
}
