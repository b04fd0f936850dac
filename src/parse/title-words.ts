/** The words of a page's title, to know its headline by. */

/** Words of a title that are kept; titles are cut where they become advertisements. */
const MAX_WORDS = 64;
const SLOTS = 256;
/** Bytes of a heading, and of a title, that are read. */
const MAX_BYTES = 512;

const EMPTY = 0;

/** 1 for a byte of a word: ASCII letters and digits, and every byte of other scripts. */
const isWord = new Uint8Array(256);
isWord.fill(1, 0x30, 0x3a).fill(1, 0x41, 0x5b).fill(1, 0x61, 0x7b).fill(1, 0x80);

export class TitleWords {
  readonly #slots = new Int32Array(SLOTS);
  #count = 0;

  set(title: string): void {
    if (this.#count > 0) this.#slots.fill(EMPTY);
    this.#count = 0;
    const bytes = Buffer.from(title.slice(0, MAX_BYTES), 'utf8');
    this.#eachWord(bytes, 0, bytes.length, true);
  }

  /** How much of the text is the title's: its bytes in words that the title has, less those in others. */
  likeness(bytes: Uint8Array, start: number, end: number): number {
    return this.#count === 0 ? 0 : this.#eachWord(bytes, start, Math.min(end, start + MAX_BYTES), false);
  }

  #eachWord(bytes: Uint8Array, start: number, end: number, add: boolean): number {
    let likeness = 0;
    let hash = 0;
    let length = 0;
    for (let p = start; p <= end; p++) {
      const c = p < end ? bytes[p] : 0;
      if (isWord[c] === 1) {
        hash = Math.imul(hash ^ (c | 0x20), 0x01000193) + length;
        length++;
      } else if (length > 0) {
        if (add) this.#add(hash | 1);
        else likeness += this.#has(hash | 1) ? length : -length;
        hash = length = 0;
      }
    }
    return likeness;
  }

  #add(hash: number): void {
    if (this.#count === MAX_WORDS || this.#has(hash)) return;
    let slot = (hash ^ (hash >>> 16)) & (SLOTS - 1);
    while (this.#slots[slot] !== EMPTY) slot = (slot + 1) & (SLOTS - 1);
    this.#slots[slot] = hash;
    this.#count++;
  }

  #has(hash: number): boolean {
    let slot = (hash ^ (hash >>> 16)) & (SLOTS - 1);
    for (; this.#slots[slot] !== EMPTY; slot = (slot + 1) & (SLOTS - 1)) if (this.#slots[slot] === hash) return true;
    return false;
  }
}
