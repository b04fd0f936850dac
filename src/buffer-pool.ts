/**
 * Buffers of bodies that are used again. A page takes some 150 KB of them for a few milliseconds. Left to the garbage
 * collector, which counts them beside a heap of 13 MB, they made it mark that heap every 75 pages: an eighth of a page
 * worker's time (docs/decisions/021-less-work-a-page.md). Those that are too large to be kept go back to the system when
 * they are given back, not when the collector comes: it comes late to a thread that is busy with a body of 50 MB
 * (docs/decisions/027-memory-under-hostile-servers.md).
 */

/** Bytes of the buffers that are kept: each is at most half as large again as the one before it. */
const SIZES = [16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512].map((kib) => kib * 1024);
/** Less than this comes out of the runtime's own slab. */
const SMALL = 4 * 1024;
/** Bytes from which on a buffer is made larger than {@link MAPPED}, whose pages nobody writes to and so nobody has. */
const VERY_LARGE = 1024 * 1024;
/** What is larger than 32 MiB the C library maps, and unmaps when it is freed. Memory of smaller buffers goes back to a heap
 * of its own, whose gaps the system does not get back: 200 MiB, with bodies of 15 MB. */
const MAPPED = 33 * 1024 * 1024;

/**
 * Frees the memory of a buffer; every view of it is empty from here on. What is sent through a port nobody reads from is
 * taken from the sender and dropped at once. (`ArrayBuffer.prototype.transfer(0)`, which means just this, came with Node 22.)
 */
const free = ((): ((buffer: ArrayBuffer) => void) => {
  const { port1, port2 } = new MessageChannel();
  port1.close();
  port2.close();
  return (buffer) => port1.postMessage(null, [buffer]);
})();

interface Kept {
  readonly buffer: Buffer;
  readonly size: number;
  isFree: boolean;
}

export class BufferPool {
  readonly #free: Kept[][] = SIZES.map(() => []);
  /** All that were made here and are still there: the runtime's slabs, which many share, may be as large as one of ours. */
  readonly #made = new WeakMap<ArrayBufferLike, Kept>();
  /** Those that are too large to be used again. */
  readonly #large = new WeakSet<ArrayBufferLike>();
  readonly #most: number;
  #bytes = 0;

  /** @param most bytes of buffers that wait to be used again */
  constructor(most: number) {
    this.#most = most;
  }

  /** Bytes that wait to be used again. */
  get bytes(): number {
    return this.#bytes;
  }

  /** A buffer of at least `size` bytes, up to half as many again, with anything in it. */
  take(size: number): Buffer {
    const at = size < SMALL ? -1 : SIZES.findIndex((bytes) => bytes >= size);
    if (at < 0) return size < SMALL ? Buffer.allocUnsafe(size) : this.#makeLarge(size);
    const kept = this.#free[at].pop() ?? this.#make(at);
    kept.isFree = false;
    this.#bytes -= kept.buffer.length;
    return kept.buffer;
  }

  #makeLarge(size: number): Buffer {
    const buffer = Buffer.allocUnsafeSlow(size < VERY_LARGE ? size : Math.max(size, MAPPED));
    this.#large.add(buffer.buffer);
    return buffer;
  }

  #make(at: number): Kept {
    const buffer = Buffer.allocUnsafeSlow(SIZES[at]);
    const kept = { buffer, size: at, isFree: true };
    this.#made.set(buffer.buffer, kept);
    this.#bytes += buffer.length;
    return kept;
  }

  /** Takes a buffer back, of which `bytes` may be a part. Nobody may look at any part of it from here on. What is none of
   * this pool's, or too much, is left to the collector. */
  give(bytes: Buffer): void {
    if (this.#large.delete(bytes.buffer)) free(bytes.buffer as ArrayBuffer);
    else this.#keep(bytes);
  }

  #keep(bytes: Buffer): void {
    const kept = this.#made.get(bytes.buffer);
    if (kept === undefined || kept.isFree || this.#bytes + kept.buffer.length > this.#most) return;
    kept.isFree = true;
    this.#bytes += kept.buffer.length;
    this.#free[kept.size].push(kept);
  }
}

/** The bodies of this thread. */
export const bodyBuffers = new BufferPool(8 * 1024 * 1024);
