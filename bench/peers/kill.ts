/** `kill -9` in the middle of a crawl, then the same crawl again: what was lost, and what was fetched twice. */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServerProcess } from '../../src/sim/server-process.js';
import type { Command, Peer, Task } from './peers.js';
import type { RaceOptions } from './race.js';

export interface KillOutcome {
  readonly name: string;
  /** Pages that the server had answered when the signal was sent. */
  readonly before: number;
  /** Pages that were never fetched, before or after. */
  readonly lost: number;
  /** Requests for pages that had been answered whole before. */
  readonly twice: number;
  /** Of the second run. */
  readonly seconds: number;
  readonly fault: string;
}

/** Kills the peer when half of the pages have been served. */
export async function killLap(peer: Peer, options: RaceOptions): Promise<KillOutcome> {
  const { hosts, pages, seed, installed, timeout } = options;
  const total = hosts * pages;
  const scratch = mkdtempSync(join(tmpdir(), 'saunter-peers-'));
  const server = await ServerProcess.start({ web: 'bench', hosts, pages, seed, isLiteral: true });
  try {
    const task: Task = { seeds: join(scratch, 'seeds.txt'), out: join(scratch, 'out'), installed };
    mkdirSync(task.out);
    writeFileSync(task.seeds, `${server.ready.seeds.join('\n')}\n`);
    const half = server.ask('pages', { pages: total / 2 });
    const killed = await runUntil(
      peer.start(task),
      scratch,
      Promise.race([half, sleep(timeout, undefined, { ref: false })]),
    );
    const { distinctPages: before } = await server.ask('summary', {});
    const started = performance.now();
    const ended = await runUntil((peer.again ?? peer.start)(task), scratch, sleep(timeout, undefined, { ref: false }));
    const { distinctPages, kinds } = await server.ask('summary', {});
    let fault = '';
    if (killed !== 'killed') fault = `ended by itself before the kill, with ${before} pages`;
    else if (ended === 'killed') fault = `did not end within ${timeout / 1000} s`;
    else if (ended !== 0) fault = `ended with exit code ${ended}`;
    return {
      ...{ name: peer.name, before, lost: total - distinctPages, twice: (kinds.page ?? 0) - distinctPages },
      ...{ seconds: (performance.now() - started) / 1000, fault },
    };
  } finally {
    await server.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The exit code of the command, or that it was killed when `moment` came first. */
async function runUntil({ command, env }: Command, cwd: string, moment: Promise<unknown>): Promise<number | 'killed'> {
  const file = openSync(join(cwd, 'log'), 'a');
  const child = spawn(command[0]!, command.slice(1), {
    ...{ cwd, env: { ...process.env, ...env }, stdio: ['ignore', file, file], detached: true },
  });
  closeSync(file);
  let isKilled = false;
  const exit = new Promise<number>((resolve, reject) => {
    child.on('error', reject).on('exit', (code) => resolve(code ?? -1));
  });
  void moment.then(() => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    isKilled = true;
    process.kill(-child.pid!, 'SIGKILL');
  });
  const code = await exit;
  return isKilled ? 'killed' : code;
}
