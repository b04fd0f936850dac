/**
 * The head of an HTTP/1 answer: its status line and its header fields, read as browsers read them.
 *
 * Lines end at LF, with or without CR (RFC 9112, 2.2). A folded line joins the one before it with one space (5.2); a
 * line without a colon is dropped; spaces before the colon are dropped (5.1 lets a proxy do that). Text is Latin-1, one
 * character per byte, so no byte is lost.
 */

const HT = 0x09;
const CR = 0x0d;
const SP = 0x20;

/** A status line: version, code of exactly three digits, reason (may be missing). `ICY` is how SHOUTcast says HTTP/1.0. */
const STATUS_LINE = /^(?:HTTP(?:\/(\d)(?:\.(\d+))?)?|ICY)[ \t]+(\d{3})(?!\d)[ \t]*(.*)$/i;

/** Header fields in the order they came. Names are lower-case. Kept in flat arrays: no name can reach a prototype, and
 * no name can collide with another by hash. */
export class HeaderList {
  readonly #names: string[];
  readonly #values: string[];

  constructor(fields: Iterable<readonly [string, string]> = []) {
    this.#names = [];
    this.#values = [];
    for (const [name, value] of fields) this.append(name, value);
  }

  append(name: string, value: string): void {
    this.#names.push(name.toLowerCase());
    this.#values.push(value);
  }

  /** Joins a folded line to the last field; a fold before the first field is dropped. */
  fold(text: string): void {
    const last = this.#values.length - 1;
    if (last >= 0) this.#values[last] += this.#values[last] === '' ? text : ` ${text}`;
  }

  get size(): number {
    return this.#names.length;
  }

  /** The first value of a field (`name` in lower case), or null. Where a server repeats Location or ETag, the first
   * one counts, as it does for curl. */
  get(name: string): string | null {
    const at = this.#names.indexOf(name);
    return at < 0 ? null : this.#values[at];
  }

  /** The last value of a field, or null: what the Fetch standard takes of several Content-Type fields. */
  last(name: string): string | null {
    const at = this.#names.lastIndexOf(name);
    return at < 0 ? null : this.#values[at];
  }

  /** Every value of a field, in order. */
  all(name: string): string[] {
    return this.#values.filter((_, i) => this.#names[i] === name);
  }

  /** The members of a comma-separated list field over all its lines: trimmed, lower-case, without empty ones. */
  tokens(name: string): string[] {
    if (this.get(name) === null) return [];
    return this.all(name)
      .flatMap((value) => value.split(','))
      .map((token) => trimBlanks(token).toLowerCase())
      .filter((token) => token !== '');
  }

  *[Symbol.iterator](): IterableIterator<[string, string]> {
    for (let i = 0; i < this.#names.length; i++) yield [this.#names[i], this.#values[i]];
  }
}

export interface ResponseHead {
  /** Minor version of HTTP/1.x; 0 for anything older or unnamed. */
  readonly minor: number;
  readonly status: number;
  readonly reason: string;
  readonly headers: HeaderList;
}

/** Reads a whole head, from the `H` of the status line to the empty line (which may be missing), given as Latin-1.
 * Returns null where the first line is no status line. Linear time. */
export function parseHead(text: string): ResponseHead | null {
  let lineEnd = endOfLine(text, 0);
  const status = STATUS_LINE.exec(text.slice(0, withoutCr(text, 0, lineEnd)));
  if (status === null || Number(status[3]) < 100) return null;
  const headers = new HeaderList();
  while (lineEnd < text.length) {
    const start = lineEnd + 1;
    lineEnd = endOfLine(text, start);
    const end = withoutCr(text, start, lineEnd);
    if (end > start) readField(text, start, end, headers);
  }
  return {
    minor: minorVersion(status[1], status[2]),
    status: Number(status[3]),
    reason: trimBlanks(status[4]),
    headers,
  };
}

function readField(text: string, start: number, end: number, headers: HeaderList): void {
  if (isBlank(text.charCodeAt(start))) {
    headers.fold(trimBlanks(text.slice(start, end)));
    return;
  }
  const colon = text.indexOf(':', start);
  if (colon <= start || colon >= end) return;
  headers.append(trimBlanks(text.slice(start, colon)), trimBlanks(text.slice(colon + 1, end)));
}

function endOfLine(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at < 0 ? text.length : at;
}

function withoutCr(text: string, start: number, end: number): number {
  return end > start && text.charCodeAt(end - 1) === CR ? end - 1 : end;
}

function minorVersion(major: string | undefined, minor: string | undefined): number {
  if (major === undefined || major === '0') return 0;
  return major === '1' ? Number(minor ?? 0) : 1;
}

const isBlank = (code: number): boolean => code === SP || code === HT || code === CR;

/** Trims spaces, tabs and stray CRs; never U+00A0, which is half of a UTF-8 letter in Latin-1 clothes. */
export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

/** The media type of the last Content-Type that names one (`text/html`), lower-case and without parameters; '' where
 * none does. */
export const mediaTypeOf = (headers: HeaderList): string => mediaTypeIn(headers.last('content-type'));

/** The same of the value of a header. */
export function mediaTypeIn(value: string | null): string {
  if (value === null) return '';
  const type = /^[^;,\s]*/.exec(value)![0].toLowerCase();
  return type.includes('/') ? type : '';
}

/** The Location field, ready to be resolved against the URL that was asked for; null where there is none or it is
 * empty. Bytes over 0x7F become `%XX` as they came: for UTF-8 that is what a URL parser makes of them anyway, and a
 * Latin-1 path keeps the octets its server knows. */
export function locationOf(headers: HeaderList): string | null {
  const value = headers.get('location');
  if (value === null || value === '') return null;
  return value.replace(/[\x80-\xff]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}
