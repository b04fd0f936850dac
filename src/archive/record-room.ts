import { bodyBuffers } from '../buffer-pool.js';

/**
 * Where records are put together that are then written in one call: one buffer after the other in a larger one, which is
 * used again when all of them are written. A page's records take 30 KB.
 */
export class RecordRoom {
  readonly #size: number;
  #bytes: Buffer;
  #at = 0;
  /** The room of a record that is being put together. */
  #open: Buffer;

  /** @param size bytes; a larger record gets room of its own, out of {@link bodyBuffers} */
  constructor(size: number) {
    this.#size = size;
    this.#bytes = Buffer.allocUnsafeSlow(size);
    this.#open = this.#bytes;
  }

  /** Room for a record of `most` bytes or fewer, and perhaps more than that. */
  open(most: number): Buffer {
    if (this.#at + most > this.#bytes.length && most <= this.#size) {
      // what is in the full one is still to be written
      this.#bytes = Buffer.allocUnsafeSlow(this.#size);
      this.#at = 0;
    }
    this.#open = most > this.#size ? bodyBuffers.take(most) : this.#bytes.subarray(this.#at);
    return this.#open;
  }

  /** The record that `open` was asked for is `length` bytes long. */
  close(length: number): Buffer {
    const record = this.#open.subarray(0, length);
    if (record.buffer === this.#bytes.buffer) this.#at += length;
    this.#open = this.#bytes;
    return record;
  }

  /** Nobody reads a record any more. */
  clear(): void {
    this.#at = 0;
  }
}
