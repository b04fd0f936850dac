/**
 * The file of a checkpoint: blocks of bytes, each with its length and its CRC, the first of which says whose they are and
 * the last how many they were. Written under a temporary name, made durable, renamed (DESIGN 8): what bears the name is
 * whole, or damaged in a way that reading finds.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { diskFiles } from '../archive/archive-files.js';

/** What a block holds. Numbers are part of the format: a new kind takes a new one. */
export const BlockKind = {
  identity: 1,
  rest: 2,
  hostFacts: 3,
  hostTimes: 4,
  urlMarks: 5,
  urlHosts: 6,
  seen: 7,
  revisitDue: 8,
  revisitVisits: 9,
  revisitRates: 10,
  revisitSpans: 11,
  keptColumn: 12,
  keptContents: 13,
  keptPrints: 14,
  keptRepeats: 15,
  keptProbes: 16,
  robots: 17,
  failures: 18,
  addresses: 19,
  queries: 20,
  end: 99,
} as const;
export type BlockKind = (typeof BlockKind)[keyof typeof BlockKind];

export interface Block {
  kind: number;
  /** The row of its first entry, or the place of a segment. */
  at: number;
  /** Depth of a segment, else 0. */
  extra: number;
  payload: Uint8Array;
}

/** Written in the byte order of the machine: on another one it is no checkpoint. */
const MAGIC = 0x31504353;
const HEADER = 32;
/** No block is larger. */
const LARGEST = 64 * 2 ** 20;
/** Bytes after which the disk gets to write what it has: one long sync at the end would hold up the store's commits. */
const SYNC_EVERY = 32 * 2 ** 20;

function headerOf({ kind, at, extra, payload }: Block): Uint8Array {
  const bytes = new Uint8Array(HEADER);
  const words = new Uint32Array(bytes.buffer);
  words[0] = MAGIC;
  words[1] = kind;
  new Float64Array(bytes.buffer)[1] = at;
  words[4] = extra;
  words[5] = payload.length;
  words[6] = crc32(payload, crc32(bytes.subarray(0, 24)));
  return bytes;
}

export class CheckpointWriter {
  readonly #path: string;
  readonly #file: FileHandle;
  #blocks = 0;
  #unsynced = 0;

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /** Begins a file beside `path`. */
  static async begin(path: string): Promise<CheckpointWriter> {
    await mkdir(dirname(path), { recursive: true });
    return new CheckpointWriter(path, await open(`${path}.new`, 'w', 0o644));
  }

  /** Appends a block. Its payload must not change until this resolves. */
  async block(kind: number, payload: Uint8Array, at = 0, extra = 0): Promise<void> {
    const header = headerOf({ kind, at, extra, payload });
    this.#blocks++;
    await this.#write(header);
    await this.#write(payload);
    this.#unsynced += payload.length;
    if (this.#unsynced < SYNC_EVERY) return;
    this.#unsynced = 0;
    await this.#file.datasync();
  }

  /** Ends the file and makes it durable; nobody finds it yet. */
  async end(): Promise<void> {
    await this.block(BlockKind.end, new Uint8Array(0), this.#blocks);
    await this.#file.sync();
    await this.#file.close();
  }

  /** Puts the file in the place of the last one. */
  async publish(): Promise<void> {
    await rename(`${this.#path}.new`, this.#path);
    diskFiles.syncDirectory(dirname(this.#path));
  }

  /** Removes what was written. */
  async abandon(): Promise<void> {
    await this.#file.close().catch(() => {});
    await rm(`${this.#path}.new`, { force: true }).catch(() => {});
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, at, bytes.length - at);
      at += bytesWritten;
    }
  }
}

/** Why a checkpoint is not used: what follows "The checkpoint is not used: ". */
export class CheckpointFault extends Error {
  override readonly name = 'CheckpointFault';
}

/**
 * The blocks of a file in order, each checked; a payload is valid until the next block. Nothing is known to be whole before
 * the last one has come.
 * @param onProgress bytes read, and of how many
 * @throws CheckpointFault for any damage
 */
export function* readCheckpoint(
  path: string,
  onProgress: (done: number, total: number) => void = () => {},
): Generator<Block> {
  const fd = openSync(path, 'r');
  try {
    const { size } = fstatSync(fd);
    let done = 0;
    let room = new Uint8Array(2 ** 21);
    for (let blocks = 0; ; blocks++) {
      const header = new Uint8Array(HEADER);
      readExactly(fd, header);
      const words = new Uint32Array(header.buffer);
      const [magic, kind, , , extra, length, crc, unused] = words;
      if (magic !== MAGIC || length > LARGEST || unused !== 0) throw new CheckpointFault('it is damaged');
      if (length > room.length) room = new Uint8Array(length);
      const payload = room.subarray(0, length);
      readExactly(fd, payload);
      if (crc32(payload, crc32(header.subarray(0, 24))) !== crc) throw new CheckpointFault('it is damaged');
      const at = new Float64Array(header.buffer)[1];
      done += HEADER + length;
      onProgress(done, size);
      if (kind === BlockKind.end) {
        if (at !== blocks || done !== size) throw new CheckpointFault('it is damaged');
        return;
      }
      yield { kind, at, extra, payload };
    }
  } finally {
    closeSync(fd);
  }
}

function readExactly(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    const read = readSync(fd, bytes, at, bytes.length - at, null);
    if (read === 0) throw new CheckpointFault('it was cut short');
    at += read;
  }
}
