/**
 * Links on their way from a page worker to the owner of their host: keys and texts in two flat buffers, no object per
 * link. The owner looks up the key first and reads the text of the few links that are new.
 */

/** What a link is, as bits. */
export const LinkFlag = { sitemap: 1 } as const;

const WORDS = 4; // key high, key low, offset of the text, length | flags << 16 | hint << 24

export interface PackedLinks {
  readonly words: Uint32Array;
  /** The fetch forms, one after the other. A normalised URL is ASCII. */
  readonly text: Uint8Array;
}

export const linkKeyHi = (links: PackedLinks, i: number): number => links.words[i * WORDS];
export const linkKeyLo = (links: PackedLinks, i: number): number => links.words[i * WORDS + 1];
export const linkFlags = (links: PackedLinks, i: number): number => (links.words[i * WORDS + 3] >>> 16) & 0xff;

/** `<priority>` of a sitemap entry, or null. */
export function linkPriority(links: PackedLinks, i: number): number | null {
  const hint = links.words[i * WORDS + 3] >>> 24;
  return hint === 0 ? null : (hint - 1) / 100;
}

/** The fetch form. A string of its own: a slice would keep the whole batch alive. */
export function linkUrl(links: PackedLinks, i: number): string {
  const start = links.words[i * WORDS + 2];
  const length = links.words[i * WORDS + 3] & 0xffff;
  return Buffer.from(links.text.buffer, links.text.byteOffset + start, length).latin1Slice();
}

/** Collects links; `take` hands over what was packed since. Buffers grow and are used again. */
export class LinkPacker {
  #words = new Uint32Array(4096 * WORDS);
  #text = Buffer.allocUnsafeSlow(1 << 18);
  #count = 0;
  #end = 0;

  get count(): number {
    return this.#count;
  }

  /** Adds a link. `url` is an ASCII fetch form shorter than 64 KiB. */
  add(keyHi: number, keyLo: number, url: string, flags = 0, priority: number | null = null): void {
    this.#reserve(url.length);
    this.#text.write(url, this.#end, 'latin1');
    this.#append(keyHi, keyLo, url.length, flags, priority);
  }

  /** The same for a URL whose bytes are at hand: `length` of `url`. */
  addBytes(keyHi: number, keyLo: number, url: Uint8Array, length: number): void {
    this.#reserve(length);
    const text = this.#text;
    const end = this.#end;
    for (let i = 0; i < length; i++) text[end + i] = url[i];
    this.#append(keyHi, keyLo, length, 0, null);
  }

  #reserve(bytes: number): void {
    if ((this.#count + 1) * WORDS > this.#words.length) this.#growWords();
    if (this.#end + bytes > this.#text.length) this.#growText(bytes);
  }

  #append(keyHi: number, keyLo: number, length: number, flags: number, priority: number | null): void {
    const hint = priority === null ? 0 : 1 + Math.round(100 * Math.min(Math.max(priority, 0), 1));
    const at = this.#count++ * WORDS;
    this.#words[at] = keyHi;
    this.#words[at + 1] = keyLo;
    this.#words[at + 2] = this.#end;
    this.#words[at + 3] = length | (flags << 16) | (hint << 24);
    this.#end += length;
  }

  /** Copies out what was added; the packer is empty afterwards. */
  take(): PackedLinks {
    const packed = {
      words: this.#words.slice(0, this.#count * WORDS),
      text: Uint8Array.prototype.slice.call(this.#text, 0, this.#end),
    };
    this.#count = 0;
    this.#end = 0;
    return packed;
  }

  #growWords(): void {
    const grown = new Uint32Array(this.#words.length * 2);
    grown.set(this.#words);
    this.#words = grown;
  }

  #growText(more: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#text.length * 2, this.#end + more));
    this.#text.copy(grown, 0, 0, this.#end);
    this.#text = grown;
  }
}
