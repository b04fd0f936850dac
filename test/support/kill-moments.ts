/**
 * When a kill test kills: waits for the moments in which a crash is most likely to lose something.
 *
 * They watch from outside (files of the crawl's directory, /proc, the server's control line), so they hold for any
 * program with the layout of DESIGN section 8. Each returns whether the moment was met; after its time it gives up, and
 * the kill happens anyway.
 */
import { existsSync, readdirSync, readlinkSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerProcess } from '../../src/sim/server-process.js';

/**
 * - `scan`: the program has opened its store and has not asked the web for anything yet
 * - `robots`: a robots.txt is being fetched
 * - `commit`: the store's log is being written
 * - `segment`: an archive file has just been closed
 * - `any`: any time
 */
export type Moment = 'scan' | 'robots' | 'commit' | 'segment' | 'any';

export interface MomentScene {
  /** Of the crawl's process. */
  readonly pid: number;
  readonly dir: string;
  readonly server: Pick<ServerProcess, 'ask'>;
  /** In [0, 1). */
  readonly random: () => number;
  /** Ends the wait: the crawl has ended by itself. */
  readonly ended: AbortSignal;
}

/** The longest that each moment is waited for. */
const PATIENCE_MS = 4000;

/** Waits for the moment; true if it was met. */
export async function awaitMoment(moment: Moment, scene: MomentScene): Promise<boolean> {
  const { dir, ended } = scene;
  switch (moment) {
    case 'any':
      await sleep(scene.random() * 300);
      return true;
    case 'robots':
      return within(scene.server.ask('next', { kind: 'robots' }), ended);
    case 'commit':
      return pollUntil(changeOf(join(dir, 'crawl.sqlite-wal')), ended);
    case 'segment':
      return within(segmentClosed(join(dir, 'warc'), ended), ended);
    case 'scan':
      return pollUntil(() => hasOpen(scene.pid, 'crawl.sqlite'), ended);
  }
}

/** True when `event` comes in time. */
async function within(event: Promise<unknown>, ended: AbortSignal): Promise<boolean> {
  const timeout = AbortSignal.any([ended, AbortSignal.timeout(PATIENCE_MS)]);
  const late = new Promise<false>((resolve) => timeout.addEventListener('abort', () => resolve(false)));
  return Promise.race([event.then(() => true), late]);
}

/** Asks every millisecond: a commit takes a few, for its sync. */
async function pollUntil(met: () => boolean, ended: AbortSignal): Promise<boolean> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!ended.aborted && Date.now() < deadline) {
    if (met()) return true;
    await sleep(1);
  }
  return false;
}

/** Says whether a file has been written since the first call. */
function changeOf(path: string): () => boolean {
  const version = () => {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? '' : `${stat.size} ${stat.mtimeNs}`;
  };
  const before = version();
  return () => version() !== before;
}

/** Resolves when a file in `folder` has lost its `.open`. */
function segmentClosed(folder: string, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (!existsSync(folder)) return;
    const known = new Set(readdirSync(folder));
    const watcher = watch(folder, { signal: ended, persistent: false }, () => {
      const closed = readdirSync(folder).filter((name) => name.endsWith('.warc.gz') && !known.has(name));
      if (closed.length === 0) return;
      watcher.close();
      resolve();
    });
    watcher.on('error', () => {});
  });
}

/** Whether a process holds a file of this name open (Linux: /proc). */
function hasOpen(pid: number, name: string): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((fd) => {
      try {
        return readlinkSync(join(folder, fd)).endsWith(`/${name}`);
      } catch {
        return false; // closed since it was listed
      }
    });
  } catch {
    return false; // not started yet, or already over
  }
}
