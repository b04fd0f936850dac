/** The same pages crawled by one peer after the other, each with a server of its own that logs what it asks. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerProcess } from '../../src/sim/server-process.js';
import { measure } from '../measure.js';
import type { Installed } from './install.js';
import type { Peer, Task } from './peers.js';

export interface RaceOptions {
  readonly hosts: number;
  readonly pages: number;
  readonly seed: number;
  /** Such as `50-300`, ms. */
  readonly latency?: string;
  /** A peer that takes longer is killed, ms. */
  readonly timeout: number;
  readonly installed: Installed;
}

/** What one crawl of one peer came to. */
export interface Lap {
  readonly name: string;
  /** Different pages that were fetched whole. */
  readonly pages: number;
  /** CPU of all its processes for each of these, ms. */
  readonly cpu: number;
  readonly pagesPerSecond: number;
  readonly seconds: number;
  /** Peak, MiB. */
  readonly rss: number;
  /** CPU of the server for each page, ms. */
  readonly serverCpu: number;
  /** All kinds; and those of pages that it had already. */
  readonly requests: number;
  readonly repeated: number;
  readonly robots: number;
  readonly mostAtOncePerHost: number;
  /** Why the figures do not count, or count less; empty if it fetched all pages and ended by itself. */
  readonly fault: string;
}

/** One lap. The server of each lap is new, so that its log is of this peer alone. */
export async function lap(peer: Peer, options: RaceOptions): Promise<Lap> {
  const { hosts, pages, seed, latency, installed, timeout } = options;
  const scratch = mkdtempSync(join(tmpdir(), 'saunter-peers-'));
  const server = await ServerProcess.start({
    ...{ web: 'bench', hosts, pages, seed, isLiteral: true },
    ...(latency === undefined ? {} : { latency }),
  });
  try {
    const task: Task = { seeds: join(scratch, 'seeds.txt'), out: join(scratch, 'out'), installed };
    mkdirSync(task.out);
    writeFileSync(task.seeds, `${server.ready.seeds.join('\n')}\n`);
    const { command, env } = peer.start(task);
    const log = join(scratch, 'log');
    const before = await server.ask('usage', {});
    const cost = await measure(command, { cwd: scratch, env, log, timeout });
    const after = await server.ask('usage', {});
    const { distinctPages, requests, kinds, mostAtOncePerHost } = await server.ask('summary', {});
    const each = (ms: number) => ms / Math.max(distinctPages, 1);
    let fault = '';
    if (cost.seconds * 1000 > timeout) fault = `did not end within ${timeout / 1000} s`;
    else if (cost.code !== 0) fault = `ended with exit code ${cost.code}: ${lastLine(log)}`;
    else if (distinctPages < hosts * pages) fault = `fetched ${distinctPages} of ${hosts * pages} pages`;
    return {
      name: peer.name,
      pages: distinctPages,
      cpu: each(cost.user + cost.system),
      pagesPerSecond: distinctPages / cost.seconds,
      ...{ seconds: cost.seconds, rss: cost.rss },
      serverCpu: each(after.user + after.system - before.user - before.system),
      ...{ requests, repeated: (kinds.page ?? 0) - distinctPages, robots: kinds.robots ?? 0, mostAtOncePerHost, fault },
    };
  } finally {
    await server.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

function lastLine(log: string): string {
  return readFileSync(log, 'utf8').trimEnd().split('\n').at(-1)!.slice(0, 200);
}
