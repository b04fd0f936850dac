/**
 * The main text as Markdown (CommonMark with pipe tables): headings, lists, quotes, code, tables, links.
 */
import { Tag } from './elements.js';
import type { PageScan } from './scan.js';

/** Ancestors looked at for each block; deeper nesting of lists and quotes is flattened. */
const MAX_STEPS = 64;
const MAX_NESTING = 8;

/** What a block's ancestors make of it. Rows are those of the scan's elements; -1 for none. */
interface Place {
  heading: number;
  item: number;
  ordered: boolean;
  listDepth: number;
  quoteDepth: number;
  pre: number;
  tableRow: number;
  table: number;
}

/** Writes the chosen blocks. `hrefs` are the page's links in the order of the scan. */
export function toMarkdown(scan: PageScan, hrefs: readonly string[], chosen: Uint8Array): string {
  return new MarkdownWriter(scan, hrefs).write(chosen);
}

class MarkdownWriter {
  readonly #scan: PageScan;
  readonly #spans: Spans;
  readonly #parts: string[] = [];
  #previous: Place | null = null;
  /** Cells of the row being written. */
  #cells: string[] = [];
  #tableOfHeader = -1;
  readonly #numbers = new Map<number, number>();

  constructor(scan: PageScan, hrefs: readonly string[]) {
    this.#scan = scan;
    this.#spans = new Spans(scan, hrefs);
  }

  write(chosen: Uint8Array): string {
    const { blockStart, blockEnd, blockRow } = this.#scan.text;
    for (let block = 0; block < chosen.length; block++) {
      if (chosen[block] === 0) continue;
      const place = this.#placeOf(blockRow[block]);
      if (this.#cells.length > 0 && place.tableRow !== this.#previous?.tableRow) this.#endRow();
      this.#writeBlock(place, blockStart[block], blockEnd[block]);
      this.#previous = place;
    }
    this.#endRow();
    return this.#parts.join('').trim();
  }

  #placeOf(row: number): Place {
    const { tag, parent } = this.#scan.elements;
    const place: Place = {
      heading: 0,
      item: -1,
      ordered: false,
      listDepth: 0,
      quoteDepth: 0,
      pre: -1,
      tableRow: -1,
      table: -1,
    };
    for (let at = row, steps = 0; at > 0 && steps < MAX_STEPS; at = parent[at], steps++) {
      const name = tag[at];
      if (name >= Tag.h1 && name <= Tag.h6) place.heading ||= name - Tag.h1 + 1;
      else if (name === Tag.li && place.item < 0) place.item = at;
      else if (name === Tag.ul || name === Tag.ol) {
        if (place.listDepth++ === 0) place.ordered = name === Tag.ol;
      } else if (name === Tag.blockquote) place.quoteDepth++;
      else if (name === Tag.pre && place.pre < 0) place.pre = at;
      else if (name === Tag.tr && place.tableRow < 0) place.tableRow = at;
      else if (name === Tag.table && place.table < 0) place.table = at;
    }
    place.listDepth = Math.min(place.listDepth, MAX_NESTING);
    place.quoteDepth = Math.min(place.quoteDepth, MAX_NESTING);
    return place;
  }

  #writeBlock(place: Place, start: number, end: number): void {
    const { text } = this.#scan;
    if (place.pre >= 0) {
      const code = text.slice(start, end);
      const fence = '`'.repeat(Math.max(3, longestRun(code) + 1));
      this.#paragraph(place, `${fence}\n${code}\n${fence}`);
    } else if (place.tableRow >= 0 && this.#isData(place, start)) {
      this.#cells.push(this.#spans.render(start, end).replace(/\n/g, ' ').replaceAll('|', '\\|'));
    } else {
      const inline = this.#spans.render(start, end);
      if (place.heading > 0) this.#paragraph(place, `${'#'.repeat(place.heading)} ${inline.replace(/\n/g, ' ')}`);
      else this.#paragraph(place, escapeStart(inline).replace(/\n/g, '  \n'));
    }
  }

  /** A table's rows are written as such if a row has several cells: tables for layout have one. */
  #isData(place: Place, start: number): boolean {
    if (this.#cells.length > 0) return true;
    const { text, elements } = this.#scan;
    const end = text.bytes.indexOf(0x0a, start);
    const line = text.bytes.subarray(start, end < 0 ? text.length : Math.min(end, text.length));
    return line.includes(0x09) && elements.tag[place.tableRow] === Tag.tr;
  }

  #endRow(): void {
    if (this.#cells.length === 0) return;
    const table = this.#previous?.table ?? -1;
    const isFirst = table !== this.#tableOfHeader;
    this.#parts.push(`${isFirst && this.#parts.length > 0 ? '\n\n' : '\n'}| ${this.#cells.join(' | ')} |`);
    if (isFirst) this.#parts.push(`\n|${' --- |'.repeat(this.#cells.length)}`);
    this.#tableOfHeader = table;
    this.#cells = [];
  }

  /** A block with the marks of its quotes and lists before each line. */
  #paragraph(place: Place, body: string): void {
    const quote = '> '.repeat(place.quoteDepth);
    const nested = Math.max(0, place.listDepth - 1);
    let first = quote + '  '.repeat(nested);
    let rest = first;
    const isItem = place.item >= 0 && place.listDepth > 0;
    if (isItem) {
      const isNew = place.item !== this.#previous?.item;
      const mark = place.ordered ? `${this.#numberOf(place.item)}. ` : '- ';
      rest = first + ' '.repeat(mark.length);
      first = isNew ? first + mark : rest;
    }
    const tight = isItem && this.#previous !== null && this.#previous.item >= 0 && place.item !== this.#previous.item;
    if (this.#parts.length > 0) this.#parts.push(tight ? '\n' : '\n\n');
    this.#parts.push(first + body.replace(/\n/g, `\n${rest}`));
  }

  #numberOf(item: number): number {
    const list = this.#scan.elements.parent[item];
    const { item: previous } = this.#previous ?? { item: -1 };
    const number = (this.#numbers.get(list) ?? 0) + (previous === item ? 0 : 1);
    this.#numbers.set(list, number);
    return number;
  }
}

/** Links and inline code by their places in the text, met in order. */
class Spans {
  readonly #scan: PageScan;
  readonly #hrefs: readonly string[];
  #link = 0;
  #code = 0;

  constructor(scan: PageScan, hrefs: readonly string[]) {
    this.#scan = scan;
    this.#hrefs = hrefs;
  }

  /** The text of `[start, end)` with its links and code marked. Calls go forward. */
  render(start: number, end: number): string {
    const anchors = this.#scan.anchorRanges ?? [];
    const codes = this.#scan.codeRanges;
    while (this.#link < anchors.length && anchors[this.#link + 1] <= start) this.#link += 2;
    while (this.#code < codes.length && (codes[this.#code + 1] ?? end) <= start) this.#code += 2;
    let out = '';
    let at = start;
    for (let link = this.#link; link < anchors.length && at < end; link += 2) {
      if (anchors[link + 1] <= anchors[link]) continue;
      if (anchors[link] >= end) break;
      const from = Math.max(anchors[link], at);
      const to = Math.min(anchors[link + 1], end);
      if (to <= from) continue;
      out += this.#plain(at, from) + this.#linked(from, to, this.#hrefs[link / 2]);
      at = to;
    }
    return out + this.#plain(at, end);
  }

  #linked(from: number, to: number, href: string): string {
    const label = this.#plain(from, to);
    const words = label.trim();
    if (words === '' || href === '' || /^(?:#|javascript:)/i.test(href)) return label;
    const target = /[\s()<>]/.test(href) ? `<${href.replace(/[\s<>]/g, encodeURIComponent)}>` : href;
    const lead = label.slice(0, label.length - label.trimStart().length);
    return `${lead}[${words}](${target})${label.slice(lead.length + words.length)}`;
  }

  #plain(from: number, to: number): string {
    const codes = this.#scan.codeRanges;
    let out = '';
    let at = from;
    for (let code = this.#code; code < codes.length && codes[code] < to; code += 2) {
      const start = Math.max(codes[code], at);
      const end = Math.min(codes[code + 1] ?? to, to);
      if (end <= start) continue;
      const words = this.#scan.text.slice(start, end);
      const inner = words.trim();
      out += escapeInline(this.#scan.text.slice(at, start));
      const tick = '`'.repeat(longestRun(inner) + 1);
      out += inner === '' ? words : words.replace(inner, () => `${tick}${inner}${tick}`);
      at = end;
    }
    return out + escapeInline(this.#scan.text.slice(at, to));
  }
}

function escapeInline(text: string): string {
  return text.replace(/[\\`*[\]<]/g, '\\$&');
}

/** What would make a paragraph a heading, list, quote or rule. */
function escapeStart(text: string): string {
  return text.replace(/^(?=[#>+=-])/, '\\').replace(/^(\d{1,9})(?=[.)](?:\s|$))/, '$1\\');
}

/** Backticks in the longest run of them. */
function longestRun(text: string): number {
  let longest = 0;
  for (let at = text.indexOf('`'); at >= 0; at = text.indexOf('`', at)) {
    let end = at;
    while (text[end] === '`') end++;
    longest = Math.max(longest, end - at);
    at = end;
  }
  return longest;
}
