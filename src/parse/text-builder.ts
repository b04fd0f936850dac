/**
 * The text of a page as it grows: one buffer of UTF-8 with white space collapsed, cut into blocks (lines of text that
 * the page's elements keep apart). Whole text is the buffer; main text is a choice of blocks.
 */

import { isAscii } from 'node:buffer';
import { bodyBuffers } from '../buffer-pool.js';
import { readReference, referenceEnd } from './character-references.js';

/** What a block is, as bits of {@link TextBuilder.blockFlags}. */
export const BlockFlag = {
  heading: 1,
  listItem: 2,
  cell: 4,
  preformatted: 8,
  quote: 16,
  button: 32,
  paragraph: 64,
  option: 128,
} as const;

const NOTHING = 0;
const SPACE = 1;
const LINE = 2;

// the loop of #addRun counts on these bits
const PLAIN = 0b00;
const CONTINUATION = 0b01;
const BLANKS = 0b10;
const SPECIAL = 0b11;
/** What a byte of text is: white space, a later byte of a character, or one that needs a second look: NUL, `&`, and 0xC2,
 * with which a no-break space begins. */
const byteKind = new Uint8Array(256).fill(PLAIN);
byteKind.fill(CONTINUATION, 0x80, 0xc0);
for (const c of [0x09, 0x0a, 0x0c, 0x0d, 0x20]) byteKind[c] = BLANKS;
for (const c of [0x00, 0x26, 0xc2]) byteKind[c] = SPECIAL;

/** The byte that a byte becomes: white space is a blank. */
const written = Uint8Array.from(byteKind, (kind, c) => (kind === BLANKS ? 0x20 : c));

const NO_BREAK = 0xc2;
const AMPERSAND = 0x26;
const NEWLINE = 0x0a;
const BLANK = 0x20;

/** Blocks that are kept apart: the first ones of a page that has more than any reader would go through. What follows is one
 * more. */
export const MAX_BLOCKS = 20_000;

const SMALLEST = 1 << 16;
/** What is kept from page to page. */
const KEPT_BYTES = 1 << 20;
const KEPT_BLOCKS = 1 << 13;

export class TextBuilder {
  bytes: Buffer;
  length = 0;

  blockCount = 0;
  blockStart = new Int32Array(512);
  blockEnd = new Int32Array(512);
  /** Characters that are not white space, and how many of them stand in links. */
  blockChars = new Int32Array(512);
  blockLinkChars = new Int32Array(512);
  /** White space inside the block, in runs: words, where the script has spaces, less one. */
  blockGaps = new Int32Array(512);
  /** Row of the innermost element in which the block begins. */
  blockRow = new Int32Array(512);
  blockFlags = new Int32Array(512);

  /** Set by the page: is the text now being added inside a link, and in which element? */
  inLink = false;
  row = 0;
  flags = 0;

  /** What the next block is set apart with: a line break, or a tab between the cells of a row. */
  separator: number = NEWLINE;

  #open = false;
  #pending: number = NOTHING;
  #chars = 0;
  #linkChars = 0;
  #gaps = 0;

  constructor(capacity: number) {
    this.bytes = Buffer.allocUnsafe(capacity);
  }

  /** Empties it for another page, and lets go of the room that a very large one took. */
  clear(): void {
    this.length = 0;
    this.blockCount = 0;
    this.inLink = false;
    this.row = 0;
    this.flags = 0;
    this.separator = NEWLINE;
    this.#open = false;
    this.#pending = NOTHING;
    this.release();
    if (this.blockStart.length > KEPT_BLOCKS) this.#setBlocks(() => new Int32Array(512));
  }

  /** Adds `source[start, end)` with white space collapsed and, if `references`, character references decoded. */
  add(source: Buffer, start: number, end: number, references: boolean): void {
    for (let p = start; p < end; ) {
      p = this.#addRun(source, p, end);
      if (p >= end) return;
      const c = source[p];
      const text = c === AMPERSAND && references ? readReference(source, p, end) : null;
      if (text !== null) {
        p = referenceEnd;
        this.#addDecoded(text);
      } else if (c === NO_BREAK && p + 1 < end && source[p + 1] === 0xa0) {
        this.space();
        p += 2;
      } else {
        if (c !== 0) this.#copy(source, p, p + 1);
        p++;
      }
    }
  }

  /** Adds bytes up to the first that needs a second look, and returns its place. The hot loop of the whole parser: it has no
   * branch on what a byte is, since words are of any length and every wrong guess of the processor costs ten bytes. */
  #addRun(source: Buffer, start: number, end: number): number {
    let p = start;
    while (p < end && byteKind[source[p]] === BLANKS) p++;
    if (p > start) this.space();
    if (p >= end || byteKind[source[p]] === SPECIAL) return p;
    this.#ensure(end - p + 2);
    let at = this.#startText();
    const { bytes } = this;
    let chars = 0;
    let gaps = 0;
    let inGap = 0;
    for (; p < end; p++) {
      const c = source[p];
      const kind = byteKind[c];
      if (kind === SPECIAL) break;
      const blank = kind >> 1;
      bytes[at] = written[c];
      at += 1 ^ (blank & inGap); // a further blank stays in place and is written over
      gaps += blank & (inGap ^ 1);
      chars += 1 ^ (kind & 1) ^ blank;
      inGap = blank;
    }
    if (inGap === 1) this.space();
    this.length = at - inGap;
    this.#gaps += gaps - inGap;
    this.#chars += chars;
    if (this.inLink) this.#linkChars += chars;
    return p;
  }

  /** Opens a block, or writes the white space that was waiting for text. Returns where text goes; there must be room. */
  #startText(): number {
    let at = this.length;
    if (!this.#open) at = this.#openBlock(at);
    else if (this.#pending !== NOTHING) {
      this.bytes[at++] = this.#pending === LINE ? NEWLINE : BLANK;
      this.#gaps++;
    }
    this.#pending = NOTHING;
    return at;
  }

  #addDecoded(text: Buffer): void {
    if (text.length === 1 && text[0] <= BLANK) {
      if (byteKind[text[0]] === BLANKS) this.space();
    } else if (text.length === 2 && text[0] === 0xc2 && text[1] === 0xa0) this.space();
    else this.#copy(text, 0, text.length);
  }

  /** Adds text as it is, line breaks included (`pre`). */
  addPreformatted(source: Buffer, start: number, end: number, references: boolean): void {
    let p = start;
    while (p < end) {
      const from = p;
      while (p < end && source[p] !== AMPERSAND && source[p] !== NEWLINE && source[p] !== 0x0d && source[p] !== 0) p++;
      if (p > from) this.#copySpaced(source, from, p);
      if (p >= end) return;
      const c = source[p];
      const text = c === AMPERSAND && references ? readReference(source, p, end) : null;
      if (text !== null) {
        p = referenceEnd;
        this.#copy(text, 0, text.length);
        continue;
      }
      if (c === AMPERSAND) this.#copy(source, p, p + 1);
      else if (c !== 0 && !(c === 0x0d && source[p + 1] === NEWLINE)) this.#verbatimNewline();
      p++;
    }
  }

  #copySpaced(source: Buffer, from: number, to: number): void {
    const before = this.#open ? this.#chars : 0; // a block that is not open yet has none, whatever the last one had
    this.#copy(source, from, to);
    let blanks = 0;
    for (let i = from; i < to; i++) if (source[i] === BLANK || source[i] === 0x09) blanks++;
    this.#chars = Math.max(before, this.#chars - blanks);
    this.#gaps += blanks > 0 ? 1 : 0;
  }

  #verbatimNewline(): void {
    if (!this.#open) return;
    this.#ensure(1);
    this.bytes[this.length++] = NEWLINE;
    this.#gaps++;
  }

  /** White space: one blank if text follows in the same block. */
  space(): void {
    if (this.#pending === NOTHING) this.#pending = SPACE;
  }

  /** A line break inside a block (`br`). */
  lineBreak(): void {
    this.#pending = LINE;
  }

  /** Ends the block, if there is one. What follows starts on a line of its own. */
  breakBlock(): void {
    if (this.blockCount === MAX_BLOCKS && this.#open) {
      this.#pending = LINE;
      return;
    }
    this.#pending = NOTHING;
    if (!this.#open) return;
    this.#endBlock();
  }

  /** Ends the text. */
  finish(): void {
    if (this.#open) this.#endBlock();
  }

  #endBlock(): void {
    this.#open = false;
    const at = this.blockCount++;
    this.blockEnd[at] = this.length;
    this.blockChars[at] = this.#chars;
    this.blockLinkChars[at] = this.#linkChars;
    this.blockGaps[at] = this.#gaps;
  }

  /** The text of `[start, end)`. */
  slice(start: number, end: number): string {
    return decodeText(this.bytes, start, end);
  }

  #copy(source: Buffer, from: number, to: number): void {
    const size = to - from;
    this.#ensure(size + 1);
    const { bytes } = this;
    let at = this.#startText();
    let continuation = 0;
    for (let i = from; i < to; i++) {
      const c = source[i];
      if (c >= 0x80 && c < 0xc0) continuation++;
      bytes[at++] = c;
    }
    this.length = at;
    this.#chars += size - continuation;
    if (this.inLink) this.#linkChars += size - continuation;
  }

  #openBlock(at: number): number {
    this.#open = true;
    this.#chars = 0;
    this.#linkChars = 0;
    this.#gaps = 0;
    if (this.blockCount === this.blockStart.length) this.#growBlocks();
    if (at > 0) this.bytes[at++] = this.separator;
    this.separator = NEWLINE;
    this.blockStart[this.blockCount] = at;
    this.blockRow[this.blockCount] = this.row;
    this.blockFlags[this.blockCount] = this.flags;
    return at;
  }

  #ensure(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const size = Math.max(this.bytes.length * 2, this.length + more);
    const grown = size > KEPT_BYTES ? bodyBuffers.take(size) : Buffer.allocUnsafe(size);
    this.bytes.copy(grown, 0, 0, this.length);
    bodyBuffers.give(this.bytes);
    this.bytes = grown;
  }

  /** Lets go of the bytes of a very large page: nobody looks at them any more. */
  release(): void {
    if (this.bytes.length <= KEPT_BYTES) return;
    bodyBuffers.give(this.bytes);
    this.bytes = Buffer.allocUnsafe(SMALLEST);
  }

  #growBlocks(): void {
    this.#setBlocks((from) => {
      const to = new Int32Array(from.length * 2);
      to.set(from);
      return to;
    });
  }

  #setBlocks(change: (column: Int32Array) => Int32Array<ArrayBuffer>): void {
    this.blockStart = change(this.blockStart);
    this.blockEnd = change(this.blockEnd);
    this.blockChars = change(this.blockChars);
    this.blockLinkChars = change(this.blockLinkChars);
    this.blockGaps = change(this.blockGaps);
    this.blockRow = change(this.blockRow);
    this.blockFlags = change(this.blockFlags);
  }
}

/** Bytes of Latin-1 from which on Node keeps a string outside of the heap. */
const OUTSIDE = 1_000_000;

/** The text of UTF-8 bytes. */
export function decodeText(bytes: Buffer, start: number, end: number): string {
  // ASCII is copied, UTF-8 decoded: 11 against 49 us for 60 KB; but what Node copies of a large one lies outside of V8's heap,
  // where it leaves gaps
  const size = end - start;
  const isPlain = size > 1024 && size < OUTSIDE && isAscii(bytes.subarray(start, end));
  return isPlain ? bytes.latin1Slice(start, end) : bytes.utf8Slice(start, end);
}
