/** A disk in memory that can be full, broken, or lose its power. */
import { basename, dirname } from 'node:path';
import type { ArchiveFiles } from '../../src/archive/archive-files.js';

interface Inode {
  bytes: Buffer;
  /** What a power cut leaves. */
  synced: Buffer;
}

const failure = (code: string): Error => Object.assign(new Error(code), { code });

export class MemoryFiles implements ArchiveFiles {
  /** The names that the process sees, and those that a power cut leaves. */
  names = new Map<string, Inode>();
  durable = new Map<string, Inode>();
  /** Bytes that still fit. */
  room = Number.POSITIVE_INFINITY;
  /** At most this many bytes are taken by one write. */
  writeMax = Number.POSITIVE_INFINITY;
  /** Operations that fail, with their code. */
  failing: Partial<Record<keyof ArchiveFiles, string>> = {};
  #open = new Map<number, Inode>();
  #next = 3;

  /** Only what was synced is left. `renamed`: whether directory changes that were not synced happened all the same. */
  powerCut(renamed: boolean): void {
    this.names = new Map(renamed ? this.names : this.durable);
    for (const inode of this.names.values()) inode.bytes = Buffer.from(inode.synced);
    this.#open.clear();
  }

  content(path: string): Buffer | undefined {
    return this.names.get(path)?.bytes;
  }

  create(path: string): number {
    this.#check('create');
    if (this.names.has(path)) throw failure('EEXIST');
    this.names.set(path, { bytes: Buffer.alloc(0), synced: Buffer.alloc(0) });
    return this.edit(path);
  }

  edit(path: string): number {
    const inode = this.names.get(path);
    if (inode === undefined) throw failure('ENOENT');
    this.#open.set(this.#next, inode);
    return this.#next++;
  }

  write(fd: number, parts: readonly Buffer[], position: number): number {
    this.#check('write');
    const inode = this.#open.get(fd)!;
    const bytes = Buffer.concat(parts).subarray(0, Math.min(this.room, this.writeMax));
    if (bytes.length === 0) throw failure('ENOSPC');
    this.room -= bytes.length;
    const size = Math.max(inode.bytes.length, position + bytes.length);
    const next = Buffer.concat([inode.bytes, Buffer.alloc(size - inode.bytes.length)]);
    bytes.copy(next, position);
    inode.bytes = next;
    return bytes.length;
  }

  truncate(fd: number, length: number): void {
    this.#check('truncate');
    const inode = this.#open.get(fd)!;
    this.room += inode.bytes.length - length;
    inode.bytes = inode.bytes.subarray(0, length);
  }

  sync(fd: number): void {
    this.#check('sync');
    const inode = this.#open.get(fd)!;
    inode.synced = Buffer.from(inode.bytes);
  }

  close(fd: number): void {
    this.#open.delete(fd);
  }

  rename(from: string, to: string): void {
    this.#check('rename');
    this.names.set(to, this.names.get(from)!);
    this.names.delete(from);
  }

  remove(path: string): void {
    this.names.delete(path);
  }

  size(path: string): number | null {
    return this.names.get(path)?.bytes.length ?? null;
  }

  list(dir: string): string[] {
    return [...this.names.keys()].filter((path) => dirname(path) === dir).map((path) => basename(path));
  }

  syncDirectory(dir: string): void {
    this.#check('syncDirectory');
    for (const path of this.durable.keys()) if (dirname(path) === dir) this.durable.delete(path);
    for (const [path, inode] of this.names) if (dirname(path) === dir) this.durable.set(path, inode);
  }

  async syncPath(path: string): Promise<boolean> {
    this.#check('syncPath');
    const inode = this.names.get(path);
    if (inode === undefined) return false;
    inode.synced = Buffer.from(inode.bytes);
    return true;
  }

  #check(operation: keyof ArchiveFiles): void {
    const code = this.failing[operation];
    if (code) throw failure(code);
  }
}
