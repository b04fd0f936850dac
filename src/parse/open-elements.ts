/**
 * The stack of open elements, and every element ever opened, in flat arrays.
 *
 * Questions such as "is a `p` open in button scope?" are asked at every tag, and the naive answer walks the stack, which
 * is quadratic on hostile pages. Here each entry remembers the entry of its own name below it and the nearest scope
 * boundary and special element below it, so each question is two array reads, and each pop is paid by its push.
 */
import { TAG_COUNT, Tag, TagClass, tagClass } from './elements.js';

/** Elements that get a row, and that can be open at once: honest pages have a hundredth of that. Further ones count as their
 * parent, or do not bound anything; their text and links are read all the same. It bounds memory. */
const MAX_ROWS = 1 << 18;
const MAX_DEPTH = 1 << 16;

/** Rows whose room is kept from page to page: allocating a page's columns anew costs as much as reading its tags. */
const KEPT_ROWS = 1 << 15;
const KEPT_DEPTH = 1 << 12;

/** Growable columns, one row an element in document order. Row 0 is the document. */
export class Elements {
  count = 0;
  tag = new Uint8Array(1024);
  parent = new Int32Array(1024);
  /** What its name, class, id and role say about its purpose (bits of `Hint`). */
  hints = new Int32Array(1024);

  /** Empties the table for another page, and lets go of the room that a very large one took. */
  clear(): void {
    this.count = 0;
    if (this.tag.length <= KEPT_ROWS) return;
    this.tag = new Uint8Array(1024);
    this.parent = new Int32Array(1024);
    this.hints = new Int32Array(1024);
  }

  add(tag: number, parent: number, hints: number): number {
    if (this.count === this.tag.length) {
      if (this.count === MAX_ROWS) return parent;
      this.#grow();
    }
    const row = this.count++;
    this.tag[row] = tag;
    this.parent[row] = parent;
    this.hints[row] = hints;
    return row;
  }

  #grow(): void {
    const size = this.tag.length * 2;
    this.tag = grown(this.tag, new Uint8Array(size));
    this.parent = grown(this.parent, new Int32Array(size));
    this.hints = grown(this.hints, new Int32Array(size));
  }
}

function grown<T extends Uint8Array | Int32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** What an entry is besides its name (bits). */
export const Entry = {
  /** An svg or math element. */
  foreign: 1,
  /** A foreign element whose content is HTML again (13.2.4.2, "HTML integration point"). */
  htmlInside: 2,
  /** mi, mo, mn, ms, mtext: HTML inside but for two names. */
  mathText: 4,
  /** A foreign element of math; one of svg else. */
  math: 8,
} as const;

/** No entry: also the floor of every search. */
const NONE = -1;

/** Numbers of an entry: its name, row, kind and what its owner saved, then the positions to which the innermost entry of its
 * name, scope boundary, special element, barrier and HTML element go back when it is popped. */
const ENTRY = 16;
const TAG = 0;
const ROW = 1;
const KIND = 2;
const SAVED = 3;
const SAME = 4;
const SCOPE = 5;
const SPECIAL = 6;
const BARRIER = 7;
const HTML = 8;

export class OpenElements {
  depth = 0;
  /** The innermost entry: its name, its row in {@link Elements}, and bits of {@link Entry}. */
  topTag: number = Tag.other;
  topRow = 0;
  topKind = 0;
  /** Innermost special element other than address, div and p: an `li` does not close an outer one past it. */
  barrier = NONE;
  #entries = new Int32Array(128 * ENTRY);
  /** Innermost open entry of each name. */
  readonly #innermost = new Int32Array(TAG_COUNT).fill(NONE);
  #scope = NONE;
  #html = NONE;
  #special = NONE;

  /** Is the stack deeper than is worth keeping for another page? */
  get isHuge(): boolean {
    return this.#entries.length > KEPT_DEPTH * ENTRY;
  }

  /** Can no more be opened? */
  get isFull(): boolean {
    return this.depth === MAX_DEPTH;
  }

  /** Opens an entry. @param saved for the owner: what to restore when it is popped */
  push(tag: number, row: number, kind: number, saved: number): void {
    const at = this.depth++;
    const e = at * ENTRY;
    if (e === this.#entries.length) this.#entries = grown(this.#entries, new Int32Array(e * 2));
    const entries = this.#entries;
    entries[e + TAG] = this.topTag = tag;
    entries[e + ROW] = this.topRow = row;
    entries[e + KIND] = this.topKind = kind;
    entries[e + SAVED] = saved;
    entries[e + SAME] = this.#innermost[tag];
    entries[e + SCOPE] = this.#scope;
    entries[e + SPECIAL] = this.#special;
    entries[e + BARRIER] = this.barrier;
    entries[e + HTML] = this.#html;
    this.#innermost[tag] = at;
    const bits = tagClass[tag];
    if (bits & TagClass.scope) this.#scope = at;
    if (kind === 0) this.#html = at;
    if (bits & TagClass.special) {
      this.#special = at;
      if (tag !== Tag.address && tag !== Tag.div && tag !== Tag.p) this.barrier = at;
    }
  }

  /** Removes the innermost entry and returns what its owner saved. */
  pop(): number {
    const at = --this.depth;
    const e = at * ENTRY;
    const entries = this.#entries;
    this.#innermost[this.topTag] = entries[e + SAME];
    this.#scope = entries[e + SCOPE];
    this.#special = entries[e + SPECIAL];
    this.barrier = entries[e + BARRIER];
    this.#html = entries[e + HTML];
    const saved = entries[e + SAVED];
    if (at === 0) this.topTag = this.topRow = this.topKind = 0;
    else {
      this.topTag = entries[e - ENTRY + TAG];
      this.topRow = entries[e - ENTRY + ROW];
      this.topKind = entries[e - ENTRY + KIND];
    }
    return saved;
  }

  /** Is the innermost open element an svg or math one? */
  get inForeign(): boolean {
    return (this.topKind & Entry.foreign) !== 0;
  }

  /** Does a start tag `tag` in the innermost (foreign) element follow the ordinary rules? */
  isIntegrationPointFor(tag: number): boolean {
    if (this.topKind & Entry.htmlInside) return true;
    if (this.topKind & Entry.mathText) return tag !== Tag.mglyph && tag !== Tag.malignmark;
    return tag === Tag.svg && this.topTag === Tag['annotation-xml'] && (this.topKind & Entry.math) !== 0;
  }

  /** Position of `tag` among the foreign elements above the innermost HTML one, or -1. */
  foreignOnTop(tag: number): number {
    const at = this.#innermost[tag];
    return at > this.#html ? at : NONE;
  }

  /** Position of the innermost `tag`, or -1. */
  innermost(tag: number): number {
    return this.#innermost[tag];
  }

  isOpen(tag: number): boolean {
    return this.#innermost[tag] !== NONE;
  }

  /** Position of `tag` if it is open in scope, else -1 (13.2.4.2). */
  inScope(tag: number): number {
    const at = this.#innermost[tag];
    return at >= this.#scope ? at : NONE;
  }

  /** Position that an ordinary end tag closes: no special element may stand above it (13.2.6.4.7, "any other end tag"). */
  ordinary(tag: number): number {
    const at = this.#innermost[tag];
    return at > this.#special ? at : NONE;
  }
}
