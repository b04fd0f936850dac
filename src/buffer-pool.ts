/**
 * Buffers of bodies that are used again. A page takes some 150 KB of them for a few milliseconds. Left to the garbage
 * collector, which counts them beside a heap of 13 MB, they made it mark that heap every 75 pages: an eighth of a page
 * worker's time (docs/decisions/021-less-work-a-page.md).
 */

/** Bytes of the buffers that are kept: each is at most half as large again as the one before it. */
const SIZES = [16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512].map((kib) => kib * 1024);
/** Less than this comes out of the runtime's own slab. */
const SMALL = 4 * 1024;

interface Kept {
  readonly buffer: Buffer;
  readonly size: number;
  isFree: boolean;
}

export class BufferPool {
  readonly #free: Kept[][] = SIZES.map(() => []);
  /** All that were made here and are still there: the runtime's slabs, which many share, may be as large as one of ours. */
  readonly #made = new WeakMap<ArrayBufferLike, Kept>();
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
    if (at < 0) return Buffer.allocUnsafe(size);
    const kept = this.#free[at].pop() ?? this.#make(at);
    kept.isFree = false;
    this.#bytes -= kept.buffer.length;
    return kept.buffer;
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
    const kept = this.#made.get(bytes.buffer);
    if (kept === undefined || kept.isFree || this.#bytes + kept.buffer.length > this.#most) return;
    kept.isFree = true;
    this.#bytes += kept.buffer.length;
    this.#free[kept.size].push(kept);
  }
}

/** The bodies of this thread. */
export const bodyBuffers = new BufferPool(8 * 1024 * 1024);
