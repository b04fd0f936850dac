/**
 * The rules of HTML tree construction (13.2.6) that decide which elements are open: implied ends, scopes, `select`, svg
 * and math. What to do with an element is the subclass's business (scan.ts).
 *
 * Formatting elements (`b`, `i`, `a`...) are no entries of the stack but states of the subclass, so misnesting needs no
 * adoption agency. `html`, `head` and `body` are no entries either: their tags may be left out or repeated anywhere.
 */
import { Tag, TagClass, tagClass } from './elements.js';
import { Elements, Entry, OpenElements } from './open-elements.js';
import type { Tokenizer } from './tokenizer.js';

export abstract class TreeRules {
  open = new OpenElements();
  readonly elements = new Elements();
  abstract readonly tokens: Tokenizer;

  /** Called for each element as it is closed, innermost first; `saved` is what was given when it was opened. */
  protected abstract closed(tag: number, row: number, kind: number, saved: number): void;
  /** Does the current start tag have a `color`, `face` or `size`? */
  protected abstract hasFontAttribute(): boolean;
  /** The value of the current tag's `encoding`. */
  protected abstract encodingAttribute(): string | null;

  /** Closes entries until `depth` remain. */
  protected popTo(depth: number): void {
    while (this.open.depth > depth) this.#popTop();
  }

  /** Closes the innermost entry. */
  #popTop(): void {
    const { open } = this;
    const { topTag: tag, topRow: row, topKind: kind } = open;
    this.closed(tag, row, kind, open.pop());
    this.tokens.foreign = open.inForeign;
  }

  /** Closes what a start tag ends by itself: `p`, items, cells, rows, headings (13.2.6.4.7, 13.2.6.4.9 to 15). */
  protected closeImplied(tag: number, bits: number): void {
    const { open } = this;
    if (bits & TagClass.heading && tagClass[open.topTag] & TagClass.heading) this.popTo(open.depth - 1);
    if (bits & TagClass.implies && this.#closesRelated(tag)) return;
    if (bits & TagClass.closesP) {
      const at = open.inScope(Tag.p);
      if (at > open.innermost(Tag.button)) this.popTo(at);
    }
  }

  /** Items, cells and rows end those before them. True if the tag ends nothing else. */
  #closesRelated(tag: number): boolean {
    const { open } = this;
    switch (tag) {
      case Tag.li: {
        const at = open.innermost(Tag.li);
        if (at >= 0 && at >= open.barrier) this.popTo(at);
        break;
      }
      case Tag.dd:
      case Tag.dt: {
        const at = Math.max(open.innermost(Tag.dd), open.innermost(Tag.dt));
        if (at >= 0 && at >= open.barrier) this.popTo(at);
        break;
      }
      case Tag.td:
      case Tag.th:
        this.#popInTable(Tag.td, Tag.th, Tag.caption);
        return true;
      case Tag.tr:
        this.#popInTable(Tag.tr, Tag.caption, Tag.colgroup);
        return true;
      case Tag.tbody:
      case Tag.thead:
      case Tag.tfoot:
      case Tag.caption:
        this.#popInTable(Tag.tbody, Tag.thead, Tag.tfoot);
        this.#popInTable(Tag.tr, Tag.caption, Tag.colgroup);
        return true;
      case Tag.table: {
        const table = open.innermost(Tag.table);
        const cell = Math.max(open.innermost(Tag.td), open.innermost(Tag.th), open.innermost(Tag.caption));
        if (table > cell && table > open.innermost(Tag.template)) this.popTo(table);
        break;
      }
    }
    return false;
  }

  #popInTable(a: number, b: number, c: number): void {
    const { open } = this;
    const boundary = Math.max(open.innermost(Tag.table), open.innermost(Tag.template));
    let lowest = open.depth;
    const atA = open.innermost(a);
    if (atA > boundary) lowest = atA;
    const atB = open.innermost(b);
    if (atB > boundary && atB < lowest) lowest = atB;
    const atC = open.innermost(c);
    if (atC > boundary && atC < lowest) lowest = atC;
    if (lowest < open.depth) this.popTo(lowest);
  }

  /** In an open `select` most tags are ignored, links among them (an `hr` stands there, but closes
   * nothing around it): 13.2.6.4.16 of the standard that browsers have implemented for twenty years. True if this one is. */
  protected ignoredInSelect(tag: number): boolean {
    const { open } = this;
    const select = open.innermost(Tag.select);
    if (open.innermost(Tag.template) > select) return false;
    switch (tag) {
      case Tag.option:
      case Tag.optgroup:
      case Tag.script:
      case Tag.template:
        return false;
      case Tag.select:
        this.popTo(select);
        return true;
      case Tag.input:
      case Tag.keygen:
      case Tag.textarea:
        this.popTo(select);
        return false;
      case Tag.caption:
      case Tag.table:
      case Tag.tbody:
      case Tag.tfoot:
      case Tag.thead:
      case Tag.tr:
      case Tag.td:
      case Tag.th:
        if (!open.isOpen(Tag.table)) return true;
        this.popTo(select);
        return false;
      default:
        return true;
    }
  }

  // -- svg and math (13.2.6.5)

  /** Leaves svg or math content if the start tag `tag` breaks out of it. True if the tag opens a foreign element. */
  protected staysForeign(tag: number): boolean {
    const { open } = this;
    if (open.isIntegrationPointFor(tag)) return false;
    if ((tagClass[tag] & TagClass.breakout) === 0 && !(tag === Tag.font && this.hasFontAttribute())) return true;
    while (open.inForeign && !open.isIntegrationPointFor(tag)) this.popTo(open.depth - 1);
    return false;
  }

  /** What kind of entry an element inside of a foreign one is: of the same namespace, and perhaps an integration point. */
  protected foreignKind(tag: number): number {
    const isMath = (this.open.topKind & Entry.math) !== 0;
    const kind = isMath ? Entry.foreign | Entry.math : Entry.foreign;
    switch (tag) {
      case Tag.foreignobject:
      case Tag.desc:
      case Tag.title:
        return isMath ? kind : kind | Entry.htmlInside;
      case Tag.mi:
      case Tag.mo:
      case Tag.mn:
      case Tag.ms:
      case Tag.mtext:
        return isMath ? kind | Entry.mathText : kind;
      case Tag['annotation-xml']: {
        const encoding = this.encodingAttribute()?.toLowerCase();
        const isHtml = encoding === 'text/html' || encoding === 'application/xhtml+xml';
        return isMath && isHtml ? kind | Entry.htmlInside : kind;
      }
      default:
        return kind;
    }
  }

  // -- end tags

  /** Closes what the end tag `tag` closes. Formatting elements, `br` and `p` without a start are the caller's. */
  protected closeElement(tag: number): void {
    const { open } = this;
    // nearly every end tag ends the innermost element, and then all rules below agree
    if (tag === open.topTag && open.depth > 0) {
      this.#popTop();
      return;
    }
    if (this.#keptFromSelect(tag)) return;
    if (open.inForeign) {
      if (tag === Tag.p || tag === Tag.br) while (open.inForeign) this.popTo(open.depth - 1);
      const at = open.foreignOnTop(tag);
      if (at >= 0) {
        this.popTo(at);
        return;
      }
    }
    const at = this.#closes(tag);
    if (at >= 0) this.popTo(at);
  }

  /** An open `select` ignores all end tags but its own kind's; those of a table around it close it first. */
  #keptFromSelect(tag: number): boolean {
    const { open } = this;
    const select = open.innermost(Tag.select);
    if (select < 0 || open.innermost(Tag.template) > select) return false;
    switch (tag) {
      case Tag.option:
      case Tag.optgroup:
      case Tag.select:
      case Tag.template:
        return false;
      case Tag.caption:
      case Tag.table:
      case Tag.tbody:
      case Tag.tfoot:
      case Tag.thead:
      case Tag.tr:
      case Tag.td:
      case Tag.th:
        if (open.innermost(tag) < 0) return true;
        this.popTo(select);
        return false;
      default:
        return true;
    }
  }

  #closes(tag: number): number {
    const { open } = this;
    switch (tag) {
      case Tag.template:
      case Tag.select:
        return open.innermost(tag);
      case Tag.p: {
        const at = open.inScope(tag);
        return at > open.innermost(Tag.button) ? at : -1;
      }
      case Tag.li: {
        const at = open.inScope(tag);
        return at > Math.max(open.innermost(Tag.ul), open.innermost(Tag.ol)) ? at : -1;
      }
      case Tag.td:
      case Tag.th:
      case Tag.tr:
      case Tag.tbody:
      case Tag.thead:
      case Tag.tfoot:
      case Tag.caption: {
        const at = open.innermost(tag);
        return at > Math.max(open.innermost(Tag.table), open.innermost(Tag.template)) ? at : -1;
      }
      case Tag.table: {
        const at = open.innermost(tag);
        return at > open.innermost(Tag.template) ? at : -1;
      }
      case Tag.h1:
      case Tag.h2:
      case Tag.h3:
      case Tag.h4:
      case Tag.h5:
      case Tag.h6:
        return Math.max(
          open.inScope(Tag.h1),
          open.inScope(Tag.h2),
          open.inScope(Tag.h3),
          open.inScope(Tag.h4),
          open.inScope(Tag.h5),
          open.inScope(Tag.h6),
        );
      default:
        return tagClass[tag] & TagClass.special ? open.inScope(tag) : open.ordinary(tag);
    }
  }
}
