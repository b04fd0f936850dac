/** Where an export goes. What bears the final name is whole: everything is written under another name first. */
import { once } from 'node:events';
import { createWriteStream, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { createGzip, type Gzip } from 'node:zlib';
import { UserError } from '../errors.js';
import { writeFault } from '../file-fault.js';
import { makeFolders } from '../folders.js';

/** Takes bytes, and waits while they cannot be written. */
export interface Output {
  write(bytes: string | Uint8Array): Promise<void>;
}

const PART = '.part';
/** Small writes are gathered up to this, bytes or characters. */
const GATHERED = 128 * 1024;

const cannotWrite = (path: string, cause: unknown): UserError =>
  cause instanceof UserError
    ? cause
    : new UserError(`${path} cannot be written: ${writeFault(cause, path)}. Give another --out.`, 1, { cause });

/**
 * Writes a file through `body`, which says whether it came to its end; only then the file gets its name. Otherwise
 * nothing is left.
 * @returns what `body` returned
 * @throws UserError if the disk refuses; whatever `body` throws
 */
export async function writeFileWhole(
  path: string,
  options: { gzip: boolean },
  body: (output: Output) => Promise<boolean>,
): Promise<boolean> {
  const temporary = path + PART;
  const file = new FileOutput(temporary, options.gzip);
  try {
    const isWhole = await body(file);
    await file.end();
    if (isWhole) renameSync(temporary, path);
    return isWhole;
  } catch (error) {
    if (file.failure !== null) throw cannotWrite(path, file.failure);
    throw (error as NodeJS.ErrnoException).syscall === undefined ? error : cannotWrite(path, error);
  } finally {
    file.destroy();
    rmSync(temporary, { force: true });
  }
}

class FileOutput implements Output {
  /** The first error of the stream. */
  failure: Error | null = null;
  readonly #file: ReturnType<typeof createWriteStream>;
  readonly #gzip: Gzip | null;
  #strings: string[] = [];
  #length = 0;

  constructor(path: string, gzip: boolean) {
    this.#file = createWriteStream(path, { highWaterMark: 4 * GATHERED });
    this.#gzip = gzip ? createGzip({ level: 6 }) : null;
    this.#gzip?.pipe(this.#file);
    this.#file.on('error', (error) => this.#fail(error));
    this.#gzip?.on('error', (error) => this.#fail(error));
  }

  async write(bytes: string | Uint8Array): Promise<void> {
    if (typeof bytes !== 'string') {
      await this.#flush();
      await this.#put(bytes);
      return;
    }
    this.#strings.push(bytes);
    this.#length += bytes.length;
    if (this.#length >= GATHERED) await this.#flush();
  }

  async end(): Promise<void> {
    await this.#flush();
    (this.#gzip ?? this.#file).end();
    await finished(this.#file);
  }

  destroy(): void {
    this.#gzip?.destroy();
    this.#file.destroy();
  }

  async #flush(): Promise<void> {
    if (this.#length === 0) return;
    const text = this.#strings.join('');
    this.#strings = [];
    this.#length = 0;
    await this.#put(text);
  }

  async #put(bytes: string | Uint8Array): Promise<void> {
    if (this.failure !== null) throw this.failure;
    const head = this.#gzip ?? this.#file;
    if (!head.write(bytes)) await once(head, 'drain');
  }

  #fail(error: Error): void {
    this.failure ??= error;
    // whoever waits for the gzip stream to drain would wait for ever
    this.#gzip?.destroy(error);
  }
}

/** Marks a folder that we began and did not finish: nobody else's folder is ever removed. */
const MARK = '.saunter-export-unfinished';

/** Where the folder that is replaced lies while the new one takes its name. */
const OLD = '.part.old';

/** What an export writes: folders of files whose names end in ten digits of their own. */
const OURS = /^[a-z0-9_-]{1,80}-[0-9a-f]{10}\.md$/;

/** @throws UserError (usage) for a folder that is not empty and may not be replaced */
function checkRoom(folder: string, replaces: boolean): void {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return;
  if (!replaces) {
    throw new UserError(`${folder} is not empty: give --replace to write an earlier export anew, or name a new folder with --out.`, 2); // biome-ignore format: one sentence
  }
  const foreign = foreignIn(folder);
  if (foreign === null) return;
  throw new UserError(`${folder} cannot be replaced, since no export wrote its ${foreign}: name a new folder with --out, or move that away.`, 2); // biome-ignore format: one sentence
}

/** The first entry of a folder that no export wrote; null if there is none. */
function foreignIn(path: string): string | null {
  for (const host of readdirSync(path, { withFileTypes: true })) {
    if (host.name === MARK) continue;
    if (!host.isDirectory()) return host.name;
    const files = readdirSync(join(path, host.name), { withFileTypes: true });
    const file = files.find((entry) => !entry.isFile() || !OURS.test(entry.name));
    if (file !== undefined) return join(host.name, file.name);
  }
  return null;
}

/**
 * The same for a folder of files: it must not exist yet, or be empty, or hold what an export wrote and be replaced.
 * @param replaces a folder of files that are all of an earlier export makes room, once the new one is whole
 * @param body gets the folder to write into
 */
export async function writeFolderWhole(
  path: string,
  replaces: boolean,
  body: (folder: string) => Promise<boolean>,
): Promise<boolean> {
  const name = path.replace(/[/\\]+$/, '');
  const temporary = name + PART;
  const old = name + OLD;
  checkRoom(path, replaces);
  if (replaces) checkRoom(old, true);
  if (existsSync(temporary) && !existsSync(join(temporary, MARK))) {
    throw new UserError(`${temporary} is in the way: the export is written there first. Remove or rename it.`, 2);
  }
  try {
    rmSync(temporary, { recursive: true, force: true });
    makeFolders(temporary);
    writeFileSync(join(temporary, MARK), '');
    const isWhole = await body(temporary);
    if (isWhole) {
      if (replaces) rmSync(old, { recursive: true, force: true });
      if (existsSync(path) && replaces) renameSync(path, old);
      else if (existsSync(path)) rmSync(path, { recursive: true });
      renameSync(temporary, path);
      rmSync(join(path, MARK)); // last: what a crash on the way leaves is known for ours
      if (replaces) rmSync(old, { recursive: true, force: true });
    }
    return isWhole;
  } catch (error) {
    throw (error as NodeJS.ErrnoException).syscall === undefined ? error : cannotWrite(path, error);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}
