/**
 * Sorts a file of lines by their bytes in bounded memory: sorted runs, then merges (Knuth, TAOCP 5.4).
 */
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface SortOptions {
  /** Bytes of lines held at once. Default 32 MiB (some 5 times that in memory). */
  runBytes?: number;
  /** Runs merged at once. Default 64. */
  fanIn?: number;
}

/** Sorts the file in place, all or nothing. A last line without LF gets one. Needs free disk of twice the file. */
export async function sortCdxj(path: string, options: SortOptions = {}): Promise<void> {
  const { runBytes = 32 * 1024 * 1024, fanIn = 64 } = options;
  const folder = await mkdtemp(join(dirname(path), '.sort-'));
  let next = 0;
  const fresh = (): string => join(folder, String(next++));
  try {
    let runs: string[] = [];
    for await (const lines of runsOf(path, runBytes)) {
      const run = fresh();
      await writeLines(run, lines.sort());
      runs.push(run);
    }
    if (runs.length === 0) return;
    while (runs.length > 1) {
      const merged: string[] = [];
      for (let i = 0; i < runs.length; i += fanIn) {
        const group = runs.slice(i, i + fanIn);
        const run = fresh();
        await writeLines(run, merge(group.map((file) => linesOf(file))));
        for (const file of group) await rm(file);
        merged.push(run);
      }
      runs = merged;
    }
    await rename(runs[0], path);
    await syncDirectory(dirname(path));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Lines as byte strings (latin1), without LF: the order of such strings is the order of their bytes. */
async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(path, { encoding: 'latin1', highWaterMark: 256 * 1024 })) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

async function* runsOf(path: string, runBytes: number): AsyncGenerator<string[]> {
  let lines: string[] = [];
  let bytes = 0;
  for await (const line of linesOf(path)) {
    lines.push(line);
    bytes += line.length + 1;
    if (bytes < runBytes) continue;
    yield lines;
    lines = [];
    bytes = 0;
  }
  if (lines.length > 0) yield lines;
}

/** One step of a merge: of a few dozen runs the least is found by looking at them all. */
async function* merge(runs: AsyncGenerator<string>[]): AsyncGenerator<string> {
  const heads: { line: string; run: AsyncGenerator<string> }[] = [];
  for (const run of runs) {
    const { value, done } = await run.next();
    if (!done) heads.push({ line: value, run });
  }
  while (heads.length > 0) {
    let least = 0;
    for (let i = 1; i < heads.length; i++) if (heads[i].line < heads[least].line) least = i;
    yield heads[least].line;
    const { value, done } = await heads[least].run.next();
    if (done) heads.splice(least, 1);
    else heads[least].line = value;
  }
}

async function writeLines(path: string, lines: Iterable<string> | AsyncIterable<string>): Promise<void> {
  const file: FileHandle = await open(path, 'wx');
  try {
    let batch: string[] = [];
    let size = 0;
    for await (const line of lines) {
      batch.push(line, '\n');
      size += line.length;
      if (size < 256 * 1024) continue;
      await file.appendFile(batch.join(''), 'latin1');
      batch = [];
      size = 0;
    }
    await file.appendFile(batch.join(''), 'latin1');
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Makes renames in a directory durable. */
export async function syncDirectory(dir: string): Promise<void> {
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
