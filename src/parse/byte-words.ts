/**
 * A set of ASCII words with a number each, looked up by their bytes packed into numbers.
 *
 * The tokenizer meets thousands of names a page; making a string of each to look it up in a Map costs 100 ns. Instead
 * their bytes are shifted, lower-cased, through two 32-bit words while they are scanned: a word of up to eight letters
 * is then those two numbers and its length, with nothing left to compare. Of a longer one the front is compared.
 */

/** What a byte of a name is packed as: letters in lower case, and never 0, so that callers may use 0 for an end. */
export const packedByte = Uint8Array.from({ length: 256 }, (_, c) => (c >= 0x41 && c <= 0x5a ? c | 0x20 : c || 0xff));

/** Letters that two packed numbers hold. */
const PACKED = 8;

export class ByteWords {
  /** Open addressing, a quarter full: the packed ends of words, their lengths (0: free), values and whole words. */
  readonly #low: Int32Array;
  readonly #high: Int32Array;
  readonly #length: Uint8Array;
  readonly #value: Int32Array;
  readonly #words: (Buffer | null)[];
  readonly #mask: number;

  /** @param entries lower-case ASCII words with a non-zero number each; the first of two equal words wins. */
  constructor(entries: Iterable<readonly [word: string, value: number]>) {
    const list = [...entries];
    let size = 64;
    while (size < list.length * 4) size *= 2;
    this.#mask = size - 1;
    this.#low = new Int32Array(size);
    this.#high = new Int32Array(size);
    this.#length = new Uint8Array(size);
    this.#value = new Int32Array(size);
    this.#words = new Array<null>(size).fill(null);
    for (const [word, value] of list) this.#insert(Buffer.from(word, 'latin1'), value);
  }

  #insert(word: Buffer, value: number): void {
    let low = 0;
    let high = 0;
    for (const byte of word) {
      high = (high << 8) | (low >>> 24);
      low = (low << 8) | packedByte[byte];
    }
    if (this.find(low, high, word, 0, word.length) !== 0) return;
    let slot = slotOf(low, high) & this.#mask;
    while (this.#length[slot] !== 0) slot = (slot + 1) & this.#mask;
    this.#low[slot] = low;
    this.#high[slot] = high;
    this.#length[slot] = word.length;
    this.#value[slot] = value;
    if (word.length > PACKED) this.#words[slot] = word;
  }

  /**
   * The number of the word `bytes[start, end)`, compared without case, or 0.
   * @param low,high its bytes by `packedByte`, the last one lowest: `high = (high << 8) | (low >>> 24); low = (low << 8) | byte`
   */
  find(low: number, high: number, bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    for (let slot = slotOf(low, high) & this.#mask; this.#length[slot] !== 0; slot = (slot + 1) & this.#mask) {
      if (this.#low[slot] !== low || this.#high[slot] !== high || this.#length[slot] !== length) continue;
      const word = this.#words[slot];
      if (word === null || equalsFolded(word, bytes, start)) return this.#value[slot];
    }
    return 0;
  }
}

const slotOf = (low: number, high: number): number => {
  const hash = Math.imul(low ^ Math.imul(high, 0x2545f491), 0x9e3779b1);
  return hash ^ (hash >>> 15);
};

function equalsFolded(word: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let i = 0; i < word.length - PACKED; i++) if (packedByte[bytes[start + i]] !== word[i]) return false;
  return true;
}
