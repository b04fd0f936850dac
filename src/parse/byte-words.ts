/**
 * A set of ASCII words with a number each, looked up by bytes.
 *
 * The tokenizer meets thousands of names a page; making a string of each to look it up in a Map costs 100 ns, hashing
 * the bytes while they are scanned costs one multiplication a byte. Look-ups verify every byte: no false matches.
 */

const EMPTY = 0;

/** The hash of no bytes; feed it lower-cased bytes with {@link hashByte}. */
export const HASH_SEED = 0x811c9dc5 | 0;

/** One step of FNV-1a. The hash only spreads words over slots: equality is always checked. */
export function hashByte(hash: number, lowerByte: number): number {
  return Math.imul(hash ^ lowerByte, 0x01000193);
}

export class ByteWords {
  readonly #slots: Int16Array;
  readonly #mask: number;
  readonly #words: Uint8Array[] = [];
  readonly #values: number[] = [];

  /** @param entries lower-case ASCII words with a non-zero number each; the first of two equal words wins. */
  constructor(entries: Iterable<readonly [word: string, value: number]>) {
    const list = [...entries];
    let size = 64;
    while (size < list.length * 4) size *= 2;
    this.#slots = new Int16Array(size);
    this.#mask = size - 1;
    this.#words.push(new Uint8Array(0));
    this.#values.push(EMPTY);
    for (const [word, value] of list) this.#insert(Buffer.from(word, 'latin1'), value);
  }

  #insert(word: Uint8Array, value: number): void {
    let hash = HASH_SEED;
    for (const byte of word) hash = hashByte(hash, byte);
    if (this.find(word, 0, word.length, hash) !== EMPTY) return;
    let slot = (hash ^ (hash >>> 15)) & this.#mask;
    while (this.#slots[slot] !== EMPTY) slot = (slot + 1) & this.#mask;
    this.#slots[slot] = this.#words.length;
    this.#words.push(word);
    this.#values.push(value);
  }

  /** The number of the word at `bytes[start, end)`, compared without case, or 0. `hash` is that of its lower-cased
   * bytes. Probe sequences are short: a quarter of the slots is in use at most. */
  find(bytes: Uint8Array, start: number, end: number, hash: number): number {
    let slot = (hash ^ (hash >>> 15)) & this.#mask;
    for (let index = this.#slots[slot]; index !== EMPTY; index = this.#slots[slot]) {
      const word = this.#words[index];
      if (word.length === end - start && equalsFolded(word, bytes, start)) return this.#values[index];
      slot = (slot + 1) & this.#mask;
    }
    return EMPTY;
  }
}

function equalsFolded(word: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let i = 0; i < word.length; i++) {
    let byte = bytes[start + i];
    if (byte >= 0x41 && byte <= 0x5a) byte |= 0x20;
    if (byte !== word[i]) return false;
  }
  return true;
}
