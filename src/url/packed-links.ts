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

/** Gives lent links back ({@link LinkPacker.lend}): nobody may look at them from here on. */
export function returnLinks({ words }: PackedLinks): void {
  if (words.buffer instanceof SharedArrayBuffer) Atomics.store(new Int32Array(words.buffer, 0, 1), 0, FREE);
}

/** The state of a {@link Room}, its first word. */
const FREE = 0;
const LENT = 1;
/** What a room holds at first. It grows with its links; one that grew beyond the last is not kept. */
const LINKS = 4_096;
const TEXT = 256 * 1024;
const TEXT_KEPT = 4 * 1024 * 1024;
/** Rooms that are lent or wait. */
const ROOMS = 8;

/** The memory of one batch, which two threads look at. */
class Room {
  readonly words: Uint32Array;
  readonly text: Buffer;
  readonly #state: Int32Array;

  constructor(links: number, text: number) {
    const words = new SharedArrayBuffer(4 * (1 + WORDS * links));
    this.#state = new Int32Array(words, 0, 1);
    this.words = new Uint32Array(words, 4);
    this.text = Buffer.from(new SharedArrayBuffer(text));
  }

  get isFree(): boolean {
    return Atomics.load(this.#state, 0) === FREE;
  }

  lend(): void {
    Atomics.store(this.#state, 0, LENT);
  }
}

/** Collects links; {@link take} and {@link lend} hand over what was packed since. */
export class LinkPacker {
  #room = new Room(LINKS, TEXT);
  /** Others, lent or free again. */
  readonly #rooms: Room[] = [];
  #count = 0;
  #end = 0;

  get count(): number {
    return this.#count;
  }

  /** Adds a link. `url` is an ASCII fetch form shorter than 64 KiB. */
  add(keyHi: number, keyLo: number, url: string, flags = 0, priority: number | null = null): void {
    this.#reserve(url.length);
    this.#room.text.write(url, this.#end, 'latin1');
    this.#append(keyHi, keyLo, url.length, flags, priority);
  }

  /** The same for a URL whose bytes are at hand: `length` of `url`. */
  addBytes(keyHi: number, keyLo: number, url: Uint8Array, length: number): void {
    this.#reserve(length);
    const { text } = this.#room;
    const end = this.#end;
    for (let i = 0; i < length; i++) text[end + i] = url[i];
    this.#append(keyHi, keyLo, length, 0, null);
  }

  #append(keyHi: number, keyLo: number, length: number, flags: number, priority: number | null): void {
    const hint = priority === null ? 0 : 1 + Math.round(100 * Math.min(Math.max(priority, 0), 1));
    const { words } = this.#room;
    const at = this.#count++ * WORDS;
    words[at] = keyHi;
    words[at + 1] = keyLo;
    words[at + 2] = this.#end;
    words[at + 3] = length | (flags << 16) | (hint << 24);
    this.#end += length;
  }

  /** Copies out what was added; the packer is empty afterwards. */
  take(): PackedLinks {
    const { words, text } = this.#room;
    const packed = {
      words: words.slice(0, this.#count * WORDS),
      text: Uint8Array.prototype.slice.call(text, 0, this.#end),
    };
    this.#count = this.#end = 0;
    return packed;
  }

  /**
   * Lends what was added, to another thread too, until {@link returnLinks}; the packer is empty afterwards. Copies would be
   * memory that the other thread's collector counts and nobody gives back: for the links of some 600 pages it marked
   * the whole heap of the main thread, every second (docs/decisions/021-less-work-a-page.md).
   */
  lend(): PackedLinks {
    const { words, text } = this.#room;
    const packed = { words: words.subarray(0, this.#count * WORDS), text: text.subarray(0, this.#end) };
    if (this.#count > 0) this.#change();
    this.#count = this.#end = 0;
    return packed;
  }

  /** Goes on in another room. */
  #change(): void {
    this.#room.lend();
    if (this.#room.text.length <= TEXT_KEPT) this.#rooms.push(this.#room);
    const free = this.#rooms.findIndex((room) => room.isFree);
    this.#room = free < 0 ? new Room(LINKS, TEXT) : this.#rooms.splice(free, 1)[0];
    // a borrower who died gives nothing back
    if (this.#rooms.length > ROOMS) this.#rooms.shift();
  }

  #reserve(bytes: number): void {
    const { words, text } = this.#room;
    const [links, room] = [words.length / WORDS, text.length];
    const [hasLinks, hasText] = [this.#count < links, this.#end + bytes <= room];
    if (hasLinks && hasText) return;
    this.#room = new Room(hasLinks ? links : links * 2, hasText ? room : Math.max(room * 2, this.#end + bytes));
    this.#room.words.set(words.subarray(0, this.#count * WORDS));
    text.copy(this.#room.text, 0, 0, this.#end);
  }
}
