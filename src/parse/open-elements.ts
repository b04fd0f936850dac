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
} as const;

/** No entry: also the floor of every search. */
const NONE = -1;

export class OpenElements {
  depth = 0;
  tag = new Uint8Array(256);
  /** Row in {@link Elements}. */
  row = new Int32Array(256);
  /** Bits of {@link Entry}. */
  kind = new Uint8Array(256);
  /** For the owner: what to restore when the entry is popped. */
  saved = new Int32Array(256);
  /** Innermost special element other than address, div and p: an `li` does not close an outer one past it. */
  barrier = NONE;
  #sameBelow = new Int32Array(256);
  #barrierBelow = new Int32Array(256);
  #htmlBelow = new Int32Array(256);
  #scopeBelow = new Int32Array(256);
  #specialBelow = new Int32Array(256);
  /** Innermost open entry of each name. */
  readonly #innermost = new Int32Array(TAG_COUNT).fill(NONE);
  #scope = NONE;
  #html = NONE;
  #special = NONE;

  /** Is the stack deeper than is worth keeping for another page? */
  get isHuge(): boolean {
    return this.tag.length > KEPT_DEPTH;
  }

  /** Can no more be opened? */
  get isFull(): boolean {
    return this.depth === MAX_DEPTH;
  }

  push(tag: number, row: number, kind: number, saved: number): void {
    if (this.depth === this.tag.length) this.#grow();
    const at = this.depth++;
    this.tag[at] = tag;
    this.row[at] = row;
    this.kind[at] = kind;
    this.saved[at] = saved;
    this.#barrierBelow[at] = this.barrier;
    this.#htmlBelow[at] = this.#html;
    this.#sameBelow[at] = this.#innermost[tag];
    this.#scopeBelow[at] = this.#scope;
    this.#specialBelow[at] = this.#special;
    this.#innermost[tag] = at;
    const bits = tagClass[tag];
    if (bits & TagClass.scope) this.#scope = at;
    if (kind === 0) this.#html = at;
    if (bits & TagClass.special) {
      this.#special = at;
      if (tag !== Tag.address && tag !== Tag.div && tag !== Tag.p) this.barrier = at;
    }
  }

  /** Removes the top entry and returns its row. */
  pop(): number {
    const at = --this.depth;
    this.#innermost[this.tag[at]] = this.#sameBelow[at];
    this.#scope = this.#scopeBelow[at];
    this.#special = this.#specialBelow[at];
    this.barrier = this.#barrierBelow[at];
    this.#html = this.#htmlBelow[at];
    return this.row[at];
  }

  get topTag(): number {
    return this.depth === 0 ? Tag.other : this.tag[this.depth - 1];
  }
  get topRow(): number {
    return this.depth === 0 ? 0 : this.row[this.depth - 1];
  }

  /** Is the innermost open element an svg or math one? */
  get inForeign(): boolean {
    return this.depth > 0 && (this.kind[this.depth - 1] & Entry.foreign) !== 0;
  }

  /** Does a start tag `tag` in the innermost (foreign) element follow the ordinary rules? */
  isIntegrationPointFor(tag: number): boolean {
    const kind = this.kind[this.depth - 1];
    if (kind & Entry.htmlInside) return true;
    if (kind & Entry.mathText) return tag !== Tag.mglyph && tag !== Tag.malignmark;
    return tag === Tag.svg && this.topTag === Tag['annotation-xml'];
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

  #grow(): void {
    const size = this.depth * 2;
    this.tag = grown(this.tag, new Uint8Array(size));
    this.row = grown(this.row, new Int32Array(size));
    this.kind = grown(this.kind, new Uint8Array(size));
    this.saved = grown(this.saved, new Int32Array(size));
    this.#barrierBelow = grown(this.#barrierBelow, new Int32Array(size));
    this.#htmlBelow = grown(this.#htmlBelow, new Int32Array(size));
    this.#sameBelow = grown(this.#sameBelow, new Int32Array(size));
    this.#scopeBelow = grown(this.#scopeBelow, new Int32Array(size));
    this.#specialBelow = grown(this.#specialBelow, new Int32Array(size));
  }
}
