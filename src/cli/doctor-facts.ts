/** Looks at this machine for `saunter doctor`. Nothing stays behind, and nothing is asked of anybody but of a DNS server. */
import { Resolver } from 'node:dns/promises';
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, totalmem } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../config/config.js';
import { memoryLimit } from '../embedded/memory-gauge.js';
import type { Facts } from './doctor-checks.js';

/** A name that is meant for such questions (RFC 2606). */
const NAME = 'example.org';
/** ms that a DNS server may take. */
const DNS_TIME = 3_000;
const ADMIN_PORT = 8787;
const SYNCS = 5;

/** @param dir of the crawl that is meant, there or not */
export async function lookAround(dir: string, config: Config): Promise<Facts> {
  const disk = lookAtDisk(dir);
  const [dns, port] = await Promise.all([askDns(config), tryPort(config)]);
  const constrained = process.constrainedMemory?.() ?? 0;
  return {
    ...{ node: process.versions.node, platform: process.platform },
    store: await tryStore(disk.refusal === null ? disk.path : tmpdir()),
    disk,
    files: openFiles(),
    dns,
    clock: { wall: Date.now(), file: disk.written },
    memory: {
      machine: totalmem(),
      constrained: constrained > 0 && constrained < Number.MAX_SAFE_INTEGER ? constrained : null,
      limit: memoryLimit(config),
    },
    port,
  };
}

/** The folder itself, or the nearest one above it that is there. */
function placeOf(dir: string): string {
  let place = resolve(dir);
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  return place;
}

function lookAtDisk(dir: string): Facts['disk'] & { written: number | null } {
  const path = placeOf(dir);
  const none = { path, refusal: null, free: null, kind: null, syncMs: null, written: null };
  let scratch: string | null = null;
  try {
    scratch = mkdtempSync(join(path, '.saunter-doctor-'));
    const { syncMs, written } = timeSync(join(scratch, 'file'));
    const { bavail, bsize, type } = statfsSync(path);
    return { ...none, free: bavail * bsize, kind: type, syncMs, written };
  } catch (error) {
    return { ...none, refusal: (error as NodeJS.ErrnoException).code ?? (error as Error).message };
  } finally {
    if (scratch !== null) rmSync(scratch, { recursive: true, force: true });
  }
}

/** The quickest of a few small writes, and the time that the disk gave the last. */
function timeSync(path: string): { syncMs: number; written: number } {
  const file = openSync(path, 'w');
  try {
    let syncMs = Number.POSITIVE_INFINITY;
    for (let i = 0; i < SYNCS; i++) {
      const began = performance.now();
      writeSync(file, Buffer.alloc(4096, i));
      fdatasyncSync(file);
      syncMs = Math.min(syncMs, performance.now() - began);
    }
    return { syncMs, written: fstatSync(file).mtimeMs };
  } finally {
    closeSync(file);
  }
}

/** Why no store can be made in a folder, or null. */
async function tryStore(path: string): Promise<string | null> {
  let scratch: string | null = null;
  try {
    const { openDatabase } = await import('../engines/database.js');
    scratch = mkdtempSync(join(path, '.saunter-doctor-'));
    const db = openDatabase(join(scratch, 'db'), {});
    try {
      db.exec('CREATE TABLE t(x); INSERT INTO t VALUES (7)');
      const row = db.prepare('SELECT x FROM t').get() as { x: number };
      return row.x === 7 ? null : 'what was written is not what is read';
    } finally {
      db.close();
    }
  } catch (error) {
    return (error as Error).message;
  } finally {
    if (scratch !== null) rmSync(scratch, { recursive: true, force: true });
  }
}

/** The limit of this process: Node raises it as far as it may. */
function openFiles(): number | null {
  try {
    const [, soft] = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    if (soft === undefined) return null;
    return soft === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(soft);
  } catch {
    return null;
  }
}

async function askDns(config: Config): Promise<Facts['dns']> {
  const resolver = new Resolver({ timeout: DNS_TIME, tries: 1 });
  if (config.dns.length > 0) resolver.setServers([...config.dns]);
  const asked = { servers: resolver.getServers(), name: NAME };
  const began = performance.now();
  const over = setTimeout(() => resolver.cancel(), DNS_TIME);
  try {
    await resolver.resolve4(NAME);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    // an answer, if not the one that was hoped for
    if (code !== 'ENOTFOUND' && code !== 'ENODATA') return { ...asked, ms: null, fault: code || message };
  } finally {
    clearTimeout(over);
  }
  return { ...asked, ms: performance.now() - began, fault: '' };
}

/** Whether the port of the dashboard can be had. */
function tryPort({ admin, adminAddress }: Config): Promise<Facts['port']> {
  const wanted = admin !== Number.POSITIVE_INFINITY;
  const number = wanted ? admin : ADMIN_PORT;
  return new Promise((done) => {
    const server = createServer();
    server.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      const refusal = code === 'EADDRINUSE' ? 'another program has it' : code === 'EACCES' ? 'this user may not open it' : message; // biome-ignore format: short
      done({ number, wanted, refusal });
    });
    server.listen(number, adminAddress ?? '127.0.0.1', () =>
      server.close(() => done({ number, wanted, refusal: null })),
    );
  });
}
