/**
 * The HTML tokenizer (HTML Living Standard 13.2.5) over UTF-8 bytes.
 *
 * It yields start tags with attribute ranges, end tags and text ranges; comments, doctypes and processing instructions
 * are skipped. Nothing is copied or decoded: consumers slice what they keep. Every method moves forward only, so the
 * work is linear in the input, and there is no recursion.
 *
 * Two things depend on the tree and are told by its builder: {@link Tokenizer.enterRawText} after a start tag whose
 * content is not markup, and {@link Tokenizer.foreign} while inside svg or math, where CDATA sections are text.
 */
import { packedByte } from './byte-words.js';
import { attrWords, Tag, tagWords } from './elements.js';

export const Token = { end: 0, text: 1, startTag: 2, endTag: 3 } as const;

/** How text is to be read: `data` and `rcdata` have character references; NUL is dropped in `data` only. */
export const TextKind = { data: 0, rcdata: 1, raw: 2, cdata: 3 } as const;

/** Words of one attribute in {@link Tokenizer.attributes}: id, start and end of the name, start and end of the value. A
 * value that is absent is an empty range. */
export const ATTR_STRIDE = 5;

/** Attributes kept of one tag; those after are read over. Honest tags have a few dozen. */
export const MAX_ATTRIBUTES = 1024;

const LT = 0x3c;
const GT = 0x3e;
const SLASH = 0x2f;
const DASH = 0x2d;
const BANG = 0x21;
const QUESTION = 0x3f;
const EQUALS = 0x3d;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;

/** ASCII letters are 1, HTML white space 2, other bytes 0. */
const kind = new Uint8Array(256);
for (let c = 0x41; c <= 0x5a; c++) kind[c] = kind[c | 0x20] = 1;
for (const c of [0x09, 0x0a, 0x0c, 0x0d, 0x20]) kind[c] = 2;
const LETTER = 1;
const SPACE = 2;

/** What a byte adds to a name (see `ByteWords`), or 0 where it ends one: white space, `/`, `>`. */
const nameByte = Uint8Array.from(packedByte, (packed, c) => (kind[c] === 2 || c === 0x2f || c === 0x3e ? 0 : packed));

/** Text that is longer is searched by the runtime, whose call costs as much as this many bytes read here. */
const SHORT_TEXT = 48;
const SHORT_VALUE = 64;

const NOTHING = Buffer.alloc(0);

const indexOrEnd = (index: number, end: number): number => (index < 0 ? end : index);

export class Tokenizer {
  bytes: Buffer = NOTHING;
  /** Next byte to read. */
  position = 0;
  /** True inside svg or math: `<![CDATA[` starts text. */
  foreign = false;

  /** Number of the current tag's name (see `Tag`), 0 for unlisted ones, whose name is `[nameStart, nameEnd)`. */
  tag = 0;
  nameStart = 0;
  nameEnd = 0;
  selfClosing = false;
  attributeCount = 0;
  /** `ATTR_STRIDE` numbers for each attribute, duplicates included: the first of a name counts. */
  attributes = new Int32Array(ATTR_STRIDE * 32);

  textStart = 0;
  textEnd = 0;
  textKind: number = TextKind.data;

  #end = 0;
  #rawTag = 0;
  #rawKind: number = TextKind.raw;

  /** Starts a page. @param bytes the whole of it in UTF-8, without a byte order mark */
  begin(bytes: Buffer): void {
    this.bytes = bytes;
    this.#end = bytes.length;
    this.position = 0;
    this.foreign = false;
    this.#rawTag = 0;
  }

  /** Lets go of the page. */
  end(): void {
    this.bytes = NOTHING;
  }

  /** Reads what follows as text up to the end tag of the start tag just read (`plaintext`: to the end). */
  enterRawText(textKind: number): void {
    this.#rawTag = this.tag;
    this.#rawKind = textKind;
  }

  /** The next token's type; its parts are in the fields. `Token.end` from then on when the input is used up. */
  next(): number {
    this.textKind = TextKind.data;
    if (this.#rawTag !== 0) {
      const tag = this.#rawTag;
      this.#rawTag = 0;
      if (this.#readRawText(tag)) return Token.text;
    }
    const { bytes } = this;
    const end = this.#end;
    let start = this.position;
    for (let p = start; ; ) {
      const near = Math.min(p + SHORT_TEXT, end);
      while (p < near && bytes[p] !== LT) p++;
      if (p === near && p < end) p = indexOrEnd(bytes.indexOf(LT, p), end);
      if (p >= end) break;
      const following = p + 1 < end ? bytes[p + 1] : 0;
      if (kind[following] === LETTER) {
        if (p > start) return this.#text(start, p);
        return this.#readTag(p + 1) ? Token.startTag : this.#finish();
      }
      if (following === SLASH && p + 2 < end && kind[bytes[p + 2]] === LETTER) {
        if (p > start) return this.#text(start, p);
        return this.#readTag(p + 2) ? Token.endTag : this.#finish();
      }
      // "<" before anything else is text, and so is "</" at the very end
      if (following !== BANG && following !== QUESTION && (following !== SLASH || p + 2 >= end)) {
        p++;
        continue;
      }
      if (p > start) return this.#text(start, p);
      start = p = this.position = this.#skipMarkup(p, following);
      if (this.textKind === TextKind.cdata) return Token.text;
    }
    if (end > start) return this.#text(start, end);
    return this.#finish();
  }

  #text(start: number, end: number): number {
    this.textStart = start;
    this.textEnd = end;
    this.textKind = TextKind.data;
    this.position = end;
    return Token.text;
  }

  #finish(): number {
    this.position = this.#end;
    return Token.end;
  }

  /** Comments, doctypes, processing instructions, `</>`; a CDATA section in foreign content becomes text. */
  #skipMarkup(p: number, following: number): number {
    const { bytes } = this;
    if (following === BANG) {
      if (bytes[p + 2] === DASH && bytes[p + 3] === DASH) return this.#skipComment(p + 4);
      if (this.foreign && startsWith(bytes, p + 2, '[CDATA[')) {
        const close = bytes.indexOf(']]>', p + 9, 'latin1');
        this.textStart = p + 9;
        this.textEnd = close < 0 ? this.#end : close;
        this.textKind = TextKind.cdata;
        return close < 0 ? this.#end : close + 3;
      }
      return bytes[p + 2] === GT ? p + 3 : this.#skipBogus(p + 2);
    }
    return this.#skipBogus(following === SLASH ? p + 2 : p + 1);
  }

  /** A bogus comment ends at the next `>`, whatever stands between (13.2.5.41). */
  #skipBogus(from: number): number {
    const close = from < this.#end ? this.bytes.indexOf(GT, from) : -1;
    return close < 0 ? this.#end : close + 1;
  }

  /** A comment ends at `-->` or `--!>`; `<!-->` and `<!--->` are whole (13.2.5.43 to 13.2.5.51). */
  #skipComment(from: number): number {
    const { bytes } = this;
    if (bytes[from] === GT) return from + 1;
    if (bytes[from] === DASH && bytes[from + 1] === GT) return from + 2;
    for (let p = from; ; ) {
      const close = p < this.#end ? bytes.indexOf(GT, p) : -1;
      if (close < 0) return this.#end;
      // both dashes belong to the comment's content or end, never to its "<!--" (the short forms are handled above)
      if (close - 2 >= from && bytes[close - 1] === DASH && bytes[close - 2] === DASH) return close + 1;
      if (close - 3 >= from && bytes[close - 1] === BANG && bytes[close - 2] === DASH && bytes[close - 3] === DASH) {
        return close + 1;
      }
      p = close + 1;
    }
  }

  /** Reads a tag from its name on. False if the input ends inside it: such a tag is no token. */
  #readTag(nameStart: number): boolean {
    const { bytes } = this;
    const end = this.#end;
    let p = nameStart;
    let low = 0;
    let high = 0;
    for (; p < end; p++) {
      const c = nameByte[bytes[p]];
      if (c === 0) break;
      high = (high << 8) | (low >>> 24);
      low = (low << 8) | c;
    }
    this.nameStart = nameStart;
    this.nameEnd = p;
    this.tag = tagWords.find(low, high, bytes, nameStart, p);
    this.attributeCount = 0;
    this.selfClosing = false;
    if (p < end && bytes[p] === GT) {
      this.position = p + 1;
      return true;
    }
    return this.#readAttributes(p);
  }

  /** 13.2.5.32 to 13.2.5.40. */
  #readAttributes(from: number): boolean {
    const { bytes } = this;
    const end = this.#end;
    let p = from;
    for (;;) {
      // before attribute name
      let c = 0;
      for (; p < end; p++) {
        c = bytes[p];
        if (kind[c] !== SPACE && (c !== SLASH || bytes[p + 1] === GT)) break;
      }
      if (p >= end) return false;
      if (c === GT || c === SLASH) {
        this.selfClosing = c === SLASH;
        this.position = c === SLASH ? p + 2 : p + 1;
        return true;
      }
      // attribute name; a leading "=" belongs to it
      const nameStart = p;
      let high = 0;
      let low = packedByte[c];
      for (p++; p < end; p++) {
        c = bytes[p];
        const packed = nameByte[c];
        if (packed === 0 || c === EQUALS) break;
        high = (high << 8) | (low >>> 24);
        low = (low << 8) | packed;
      }
      const nameEnd = p;
      while (p < end && kind[bytes[p]] === SPACE) p++;
      let valueStart = nameEnd;
      let valueEnd = nameEnd;
      if (p < end && bytes[p] === EQUALS) {
        p++;
        while (p < end && kind[bytes[p]] === SPACE) p++;
        if (p >= end) return false;
        const quote = bytes[p];
        valueStart = p;
        if (quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE) {
          valueStart = ++p;
          valueEnd = this.#quoteEnd(p, quote);
          if (valueEnd >= end) return false;
          p = valueEnd + 1;
        } else {
          while (p < end && kind[bytes[p]] !== SPACE && bytes[p] !== GT) p++;
          valueEnd = p;
        }
      }
      this.#addAttribute(
        attrWords.find(low, high, bytes, nameStart, nameEnd),
        nameStart,
        nameEnd,
        valueStart,
        valueEnd,
      );
    }
  }

  /** Where the next `quote` is, or the end of the input. */
  #quoteEnd(from: number, quote: number): number {
    const { bytes } = this;
    const near = Math.min(this.#end, from + SHORT_VALUE);
    let p = from;
    // four at a time: most values are longer, and the loop itself costs as much as a byte
    for (; p + 4 <= near; p += 4) {
      if (bytes[p] === quote) return p;
      if (bytes[p + 1] === quote) return p + 1;
      if (bytes[p + 2] === quote) return p + 2;
      if (bytes[p + 3] === quote) return p + 3;
    }
    for (; p < near; p++) if (bytes[p] === quote) return p;
    return near === this.#end ? near : indexOrEnd(bytes.indexOf(quote, near), this.#end);
  }

  #addAttribute(id: number, nameStart: number, nameEnd: number, valueStart: number, valueEnd: number): void {
    if (this.attributeCount === MAX_ATTRIBUTES) return;
    const at = this.attributeCount * ATTR_STRIDE;
    if (at === this.attributes.length) {
      const grown = new Int32Array(at * 2);
      grown.set(this.attributes);
      this.attributes = grown;
    }
    const { attributes } = this;
    attributes[at] = id;
    attributes[at + 1] = nameStart;
    attributes[at + 2] = nameEnd;
    attributes[at + 3] = valueStart;
    attributes[at + 4] = valueEnd;
    this.attributeCount++;
  }

  /** Text up to the matching end tag, which is the next token. False if there is none. */
  #readRawText(tag: number): boolean {
    const start = this.position;
    const close =
      tag === Tag.plaintext ? this.#end : tag === Tag.script ? this.#scriptEnd(start) : this.#rawEnd(start, tag);
    if (close === start) return false;
    this.#text(start, close);
    this.textKind = this.#rawKind;
    return true;
  }

  #rawEnd(start: number, tag: number): number {
    for (let p = start; ; p++) {
      p = p < this.#end ? this.bytes.indexOf(LT, p) : -1;
      if (p < 0) return this.#end;
      if (this.bytes[p + 1] === SLASH && this.#isName(p + 2, tag)) return p;
    }
  }

  /** The script data states (13.2.5.15 to 13.2.5.31): inside `<!--`, a `<script` makes its `</script` harmless. */
  #scriptEnd(start: number): number {
    const { bytes } = this;
    const end = this.#end;
    let escaped = 0; // 1 after "<!--", 2 after "<script" inside it
    let escapedFrom = 0;
    for (let p = start; p < end; p++) {
      if (escaped === 0) {
        p = bytes.indexOf(LT, p);
        if (p < 0) return end;
      }
      const c = bytes[p];
      if (c === LT) {
        if (bytes[p + 1] === SLASH && this.#isName(p + 2, Tag.script)) {
          if (escaped < 2) return p;
          escaped = 1;
        } else if (escaped === 0 && bytes[p + 1] === BANG && bytes[p + 2] === DASH && bytes[p + 3] === DASH) {
          escaped = 1;
          escapedFrom = p + 2;
          p += 3;
        } else if (escaped === 1 && this.#isName(p + 1, Tag.script)) {
          escaped = 2;
        }
      } else if (c === GT && bytes[p - 1] === DASH && bytes[p - 2] === DASH && p - 2 >= escapedFrom) {
        escaped = 0;
      }
    }
    return end;
  }

  /** Is `bytes[p...]` the name of `tag`, ended as a tag name must be? */
  #isName(p: number, tag: number): boolean {
    const { bytes } = this;
    let low = 0;
    let high = 0;
    let q = p;
    for (; q < this.#end && q - p < 10 && kind[bytes[q]] === LETTER; q++) {
      high = (high << 8) | (low >>> 24);
      low = (low << 8) | packedByte[bytes[q]];
    }
    if (q >= this.#end || q === p) return false;
    const c = bytes[q];
    return (kind[c] === SPACE || c === SLASH || c === GT) && tagWords.find(low, high, bytes, p, q) === tag;
  }
}

function startsWith(bytes: Uint8Array, at: number, ascii: string): boolean {
  for (let i = 0; i < ascii.length; i++) if (bytes[at + i] !== ascii.charCodeAt(i)) return false;
  return true;
}
