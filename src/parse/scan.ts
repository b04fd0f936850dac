/**
 * One pass over a page: the tree construction of HTML 13.2.6 as far as it bears on links and text.
 *
 * There is no tree. Elements are rows, open ones a stack, text goes to one buffer in blocks, links to columns. What is
 * left out of the standard, and why that is safe for links and text, is listed in docs/parsing.md.
 */
import { decodeAttribute } from './character-references.js';
import { Attr, Tag, TagClass, tagClass } from './elements.js';
import { Hint, hintsOfWords, tagHints } from './hints.js';
import { LinkCollector, LinkFlag, relFlags } from './links.js';
import { Entry, OpenElements } from './open-elements.js';
import { Role, roleOf } from './roles.js';
import { BlockFlag, TextBuilder } from './text-builder.js';
import { ATTR_STRIDE, TextKind, Token, Tokenizer } from './tokenizer.js';
import { TreeRules } from './tree-rules.js';

/** What the head (or any `meta`, `link`, `base`, `html` tag) tells. */
export interface HeadVisitor {
  meta(scan: PageScan): void;
  baseTag(scan: PageScan): void;
  link(scan: PageScan): void;
  /** The content of a JSON-LD script. */
  jsonLd?(scan: PageScan, start: number, end: number): void;
}

const blockFlagOf = new Uint8Array(256);
for (const tag of [Tag.h1, Tag.h2, Tag.h3, Tag.h4, Tag.h5, Tag.h6]) blockFlagOf[tag] = BlockFlag.heading;
for (const tag of [Tag.li, Tag.dd, Tag.dt]) blockFlagOf[tag] = BlockFlag.listItem;
for (const tag of [Tag.td, Tag.th]) blockFlagOf[tag] = BlockFlag.cell;
blockFlagOf[Tag.pre] = blockFlagOf[Tag.listing] = blockFlagOf[Tag.xmp] = BlockFlag.preformatted;
blockFlagOf[Tag.blockquote] = BlockFlag.quote;
blockFlagOf[Tag.button] = BlockFlag.button;
blockFlagOf[Tag.p] = BlockFlag.paragraph;
blockFlagOf[Tag.option] = BlockFlag.option;

const TAB = 0x09;
const NEWLINE = 0x0a;

/** Titles and descriptions of drawings are shown on pointing at them only. */
function isMuted(tag: number, kind: number): boolean {
  return (tagClass[tag] & TagClass.muted) !== 0 || (kind !== 0 && (tag === Tag.title || tag === Tag.desc));
}

/** Without leading and trailing C0 controls and blanks, which the URL parser would strip (URL Standard 4.4). */
function trimControls(href: string): string {
  let start = 0;
  let end = href.length;
  while (start < end && href.charCodeAt(start) <= 0x20) start++;
  while (end > start && href.charCodeAt(end - 1) <= 0x20) end--;
  return end - start === href.length ? href : href.slice(start, end);
}

const NO_HEAD: HeadVisitor = { meta() {}, baseTag() {}, link() {} };

/** Where a title is put together. */
const titleText = new TextBuilder(4096);

/** A scan that reads one page after another: its tables are kept, since making them anew costs as much as the tags. */
export class PageScan extends TreeRules {
  readonly tokens = new Tokenizer();
  readonly text = new TextBuilder(1 << 16);
  links = new LinkCollector(0);
  title: string | null = null;
  language: string | null = null;
  /** Inside `<noscript>`: its base and refresh are for browsers without scripts, and are not followed. */
  noscript = false;
  /** Where the text of each link begins and ends in the buffer, when asked for. */
  anchorRanges: number[] | null = null;
  /** Where inline code begins and ends, when links' texts are. */
  codeRanges: number[] = [];
  /** ARIA landmarks by row, when links' texts are asked for. */
  roles: Map<number, number> | null = null;

  #head: HeadVisitor = NO_HEAD;
  #templates = 0;
  #muted = 0;
  #preformatted = 0;
  #anchor = -1;
  #rowFirstBlock = 0;

  /** Reads a page of UTF-8. What the page before left is gone. */
  read(source: Buffer, head: HeadVisitor, linkLimit: number, anchorText: boolean): void {
    this.tokens.begin(source);
    this.text.clear();
    this.elements.clear();
    this.elements.add(Tag.other, -1, 0);
    this.links = new LinkCollector(linkLimit);
    this.title = this.language = null;
    this.noscript = false;
    this.anchorRanges = anchorText ? [] : null;
    this.codeRanges = [];
    this.roles = anchorText ? new Map() : null;
    this.#head = head;
    this.#templates = this.#muted = this.#preformatted = this.#rowFirstBlock = 0;
    this.#anchor = -1;
    this.#run();
    if (this.open.isHuge) this.open = new OpenElements();
  }

  #run(): void {
    const { tokens } = this;
    for (let type = tokens.next(); type !== Token.end; type = tokens.next()) {
      if (type === Token.text) this.#addText();
      else if (type === Token.startTag) this.#startTag();
      else this.#endTag();
    }
    this.#endAnchor();
    this.popTo(0);
    this.text.finish();
  }

  /** The value of the first attribute `id` of the current tag, decoded, or null. */
  attribute(id: number): string | null {
    const { tokens } = this;
    const { attributes } = tokens;
    for (let at = 0, end = tokens.attributeCount * ATTR_STRIDE; at < end; at += ATTR_STRIDE) {
      if (attributes[at] === id) return this.attributeValue(attributes[at + 3], attributes[at + 4]);
    }
    return null;
  }

  attributeValue(start: number, end: number): string {
    const { bytes } = this.tokens;
    let wide = false;
    let odd = false;
    for (let i = start; i < end; i++) {
      const c = bytes[i];
      if (c >= 0x80) wide = true;
      else if (c === 0x26 || c === 0 || c === 0x0d) odd = true;
    }
    const value = wide ? bytes.utf8Slice(start, end) : bytes.latin1Slice(start, end);
    return odd ? decodeAttribute(value.replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd')) : value;
  }

  // -- text

  #addText(): void {
    const { tokens, text, open } = this;
    if (this.#templates > 0 || this.#muted > 0) return;
    const references = tokens.textKind < TextKind.raw;
    text.row = open.topRow;
    if (this.#preformatted > 0) text.addPreformatted(tokens.bytes, tokens.textStart, tokens.textEnd, references);
    else text.add(tokens.bytes, tokens.textStart, tokens.textEnd, references);
  }

  /** Content that is not markup: title is kept, script and style go, the rest is text if it shows. */
  #rawContent(tag: number, textKind: number): void {
    const { tokens } = this;
    const isJsonLd = tag === Tag.script && this.#head.jsonLd !== undefined && this.#isJsonLd();
    tokens.enterRawText(textKind);
    const shows = tag === Tag.xmp || tag === Tag.plaintext;
    if (shows) return;
    const position = tokens.position;
    if (tokens.next() !== Token.text || tokens.textStart !== position || tokens.textKind !== textKind) {
      // no content: what was read is the end tag
      if (tag === Tag.title) this.#setTitle(0, 0);
      return;
    }
    if (tag === Tag.title) this.#setTitle(tokens.textStart, tokens.textEnd);
    else if (isJsonLd) this.#head.jsonLd?.(this, tokens.textStart, tokens.textEnd);
    tokens.next();
  }

  #isJsonLd(): boolean {
    return this.#templates === 0 && this.attribute(Attr.type)?.trim().toLowerCase() === 'application/ld+json';
  }

  #setTitle(start: number, end: number): void {
    if (this.title !== null || this.#templates > 0) return;
    titleText.clear();
    titleText.add(this.tokens.bytes, start, end, true);
    this.title = titleText.slice(0, titleText.length);
  }

  // -- links

  #anchorTag(tag: number): void {
    if (this.#templates > 0) return;
    if (tag === Tag.a) this.#endAnchor();
    const { tokens } = this;
    const { attributes } = tokens;
    let href: string | null = null;
    let flags: number = tag === Tag.area ? LinkFlag.anchor | LinkFlag.area : LinkFlag.anchor;
    let relSeen = false;
    let hreflang: string | null = null;
    for (let at = 0, end = tokens.attributeCount * ATTR_STRIDE; at < end; at += ATTR_STRIDE) {
      const id = attributes[at];
      if (id === Attr.href && href === null) href = this.attributeValue(attributes[at + 3], attributes[at + 4]);
      else if (id === Attr.rel && !relSeen) {
        relSeen = true;
        flags |= relFlags(this.attributeValue(attributes[at + 3], attributes[at + 4]));
      } else if (id === Attr.hreflang && hreflang === null) {
        hreflang = this.attributeValue(attributes[at + 3], attributes[at + 4]);
      }
    }
    if (href === null) return;
    const index = this.addLink(href, flags);
    if (index >= 0 && hreflang !== null) this.links.hreflangs.set(index, hreflang);
    if (tag === Tag.a) {
      this.text.inLink = true;
      this.#anchor = index;
      if (index >= 0) this.anchorRanges?.push(this.text.length, -1);
    }
  }

  /** Adds a link of any kind; returns its index or -1. */
  addLink(href: string, flags: number): number {
    const index = this.links.add(trimControls(href), flags);
    if (index >= 0 && !(flags & LinkFlag.anchor && !(flags & LinkFlag.area))) this.anchorRanges?.push(0, 0);
    return index;
  }

  #endAnchor(): void {
    this.text.inLink = false;
    if (this.#anchor >= 0 && this.anchorRanges !== null) this.anchorRanges[this.#anchor * 2 + 1] = this.text.length;
    this.#anchor = -1;
  }

  #codeTag(opens: boolean): void {
    if (this.anchorRanges === null || this.#templates > 0 || this.#preformatted > 0) return;
    const isOpen = this.codeRanges.length % 2 === 1;
    if (isOpen !== opens) this.codeRanges.push(this.text.length);
  }

  // -- start tags

  #startTag(): void {
    const { tokens, open } = this;
    let { tag } = tokens;
    if (open.inForeign && this.staysForeign(tag)) {
      if (tag === Tag.a || tag === Tag.area) this.#anchorTag(tag);
      if (!tokens.selfClosing) this.#push(tag, this.foreignKind(tag));
      return;
    }
    if (tag === Tag.image) tag = Tag.img;
    if (open.innermost(Tag.select) >= 0 && this.ignoredInSelect(tag)) return;
    const bits = tagClass[tag];
    if (bits & TagClass.block) {
      if (this.#templates === 0) this.text.breakBlock();
      this.closeImplied(tag, bits);
    }
    if (bits & TagClass.formatting) {
      if (tag === Tag.a) this.#anchorTag(tag);
      else if (tag === Tag.code || tag === Tag.tt) this.#codeTag(true);
      return;
    }
    if (bits & TagClass.void) {
      this.#voidTag(tag);
      return;
    }
    if ((bits & TagClass.ruled) === 0) {
      this.#push(tag, 0);
      return;
    }
    switch (tag) {
      case Tag.html:
      case Tag.body:
        if (this.#templates === 0) this.language ??= this.attribute(Attr.lang) ?? this.attribute(Attr['xml:lang']);
        return;
      case Tag.head:
        return;
      case Tag.title:
      case Tag.textarea:
        this.#rawContent(tag, TextKind.rcdata);
        return;
      case Tag.iframe:
        this.#frame();
        this.#rawContent(tag, TextKind.raw);
        return;
      case Tag.script:
      case Tag.style:
      case Tag.noembed:
      case Tag.noframes:
        this.#rawContent(tag, TextKind.raw);
        return;
      case Tag.xmp:
      case Tag.plaintext:
        this.#rawContent(tag, TextKind.raw);
        break;
      case Tag.caption:
      case Tag.colgroup:
      case Tag.tbody:
      case Tag.td:
      case Tag.tfoot:
      case Tag.th:
      case Tag.thead:
      case Tag.tr:
        if (!open.isOpen(Tag.table) && !open.isOpen(Tag.template)) return;
        break;
      case Tag.noscript:
        this.noscript = true;
        break;
      case Tag.button:
        if (open.inScope(Tag.button) >= 0) this.popTo(open.inScope(Tag.button));
        break;
      case Tag.option:
      case Tag.optgroup:
        if (open.topTag === Tag.option) this.popTo(open.depth - 1);
        break;
    }
    if (tag !== Tag.svg && tag !== Tag.math) this.#push(tag, 0);
    else if (!tokens.selfClosing) this.#push(tag, tag === Tag.math ? Entry.foreign | Entry.math : Entry.foreign);
  }

  #voidTag(tag: number): void {
    switch (tag) {
      case Tag.br:
        if (this.#templates === 0) this.text.lineBreak();
        return;
      case Tag.area:
        this.#anchorTag(tag);
        return;
      case Tag.frame:
        this.#frame();
        return;
      case Tag.img:
        this.text.space();
        return;
    }
    if (this.#templates > 0) return;
    if (tag === Tag.meta) this.#head.meta(this);
    else if (tag === Tag.link) this.#head.link(this);
    else if (tag === Tag.base) this.#head.baseTag(this);
  }

  #frame(): void {
    if (this.#templates > 0) return;
    const src = this.attribute(Attr.src);
    if (src !== null) this.addLink(src, LinkFlag.frame);
  }

  /** Opens an element: a row, an entry on the stack, and what its name and attributes say about its purpose. */
  #push(tag: number, kind: number): void {
    const { open, elements, text, tokens } = this;
    if (open.isFull) return;
    const hints =
      this.#templates > 0 ? 0 : tokens.attributeCount === 0 ? tagHints[tag] : tagHints[tag] | this.#attributeHints();
    if (hints & Hint.hidden) text.breakBlock();
    const row = elements.add(tag, open.topRow, hints);
    if (this.roles !== null && tokens.attributeCount > 0) this.#note(row);
    open.push(tag, row, kind, text.flags);
    tokens.foreign = kind !== 0;
    if (isMuted(tag, kind)) this.#muted++;
    if (tag === Tag.template && kind === 0) this.#templates++;
    const flags = kind === 0 ? blockFlagOf[tag] : 0;
    if (flags & BlockFlag.preformatted) this.#preformatted++;
    text.flags |= flags;
    if (tag === Tag.tr) this.#rowFirstBlock = text.blockCount;
    else if (tag === Tag.td || tag === Tag.th) {
      if (text.blockCount > this.#rowFirstBlock) text.separator = TAB;
      this.#endAnchor();
    }
  }

  #note(row: number): void {
    const role = roleOf(this.attribute(Attr.role));
    if (role !== Role.none) this.roles?.set(row, role);
  }

  protected override closed(tag: number, row: number, kind: number, saved: number): void {
    const { text } = this;
    const bits = tagClass[tag];
    if (isMuted(tag, kind)) this.#muted--;
    if (tag === Tag.template && kind === 0) this.#templates--;
    if (this.#templates === 0 && (bits & TagClass.block || this.elements.hints[row] & Hint.hidden)) text.breakBlock();
    text.flags = saved;
    if ((bits & TagClass.stateful) === 0) return;
    if (kind === 0 && blockFlagOf[tag] & BlockFlag.preformatted) this.#preformatted--;
    if (tag === Tag.tr) text.separator = NEWLINE;
    else if (tag === Tag.td || tag === Tag.th) this.#endAnchor();
  }

  protected override hasFontAttribute(): boolean {
    return (
      this.attribute(Attr.color) !== null || this.attribute(Attr.face) !== null || this.attribute(Attr.size) !== null
    );
  }

  protected override encodingAttribute(): string | null {
    return this.attribute(Attr.encoding);
  }

  #endTag(): void {
    const { tag } = this.tokens;
    if (tag === Tag.a && this.#templates === 0) this.#endAnchor();
    else if (tag === Tag.code || tag === Tag.tt) this.#codeTag(false);
    else if (tag === Tag.noscript) this.noscript = false;
    else if (tag === Tag.br && this.#templates === 0) this.text.lineBreak();
    else if (tag === Tag.p && this.#templates === 0) this.text.breakBlock();
    if (tagClass[tag] & TagClass.formatting && !this.open.inForeign) return;
    this.closeElement(tag);
  }

  #attributeHints(): number {
    const { tokens } = this;
    const { attributes, bytes } = tokens;
    let hints = 0;
    for (let at = 0, end = tokens.attributeCount * ATTR_STRIDE; at < end; at += ATTR_STRIDE) {
      const start = attributes[at + 3];
      const stop = attributes[at + 4];
      switch (attributes[at]) {
        case Attr.class:
        case Attr.id:
        case Attr.role:
        case Attr.itemprop:
          hints |= hintsOfWords(bytes, start, stop);
          break;
        case Attr.hidden:
          hints |= Hint.hidden;
          break;
        case Attr.style:
          if (
            stop > start &&
            /display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden/i.test(
              bytes.latin1Slice(start, Math.min(stop, start + 500)),
            )
          )
            hints |= Hint.hidden;
          break;
      }
    }
    return hints;
  }
}
