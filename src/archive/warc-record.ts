/**
 * A record as it is read, from whatever tool wrote it: WARC 0.17 to 1.1 and ARC 1 and 2.
 */

/** A file is not what it should be at a place. `offset` is a byte offset in the file (for gzip: of the member). */
export class WarcFormatError extends Error {
  override readonly name = 'WarcFormatError';
  readonly path: string;
  readonly offset: number;
  constructor(path: string, offset: number, what: string, options?: ErrorOptions) {
    super(`${path}: ${what} at offset ${offset}`, options);
    this.path = path;
    this.offset = offset;
  }
}

/** Header fields in their order; names are compared without case, and may repeat. */
export class HeaderFields implements Iterable<[name: string, value: string]> {
  readonly #fields: [name: string, value: string][] = [];

  /** Lines without their ends. A line that begins with white space continues the one before (RFC 9112 5.2, WARC 1.1 4);
   * a line without a colon is left out and noted in `problems`. */
  static parse(lines: readonly string[], problems: string[]): HeaderFields {
    const fields = new HeaderFields();
    for (const line of lines) {
      const last = fields.#fields.at(-1);
      if (line.startsWith(' ') || line.startsWith('\t')) {
        if (last) last[1] += ` ${line.trim()}`;
        continue;
      }
      const colon = line.indexOf(':');
      if (colon > 0) fields.add(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
      else problems.push(`a header line without a name: ${JSON.stringify(line.slice(0, 80))}`);
    }
    return fields;
  }

  add(name: string, value: string): void {
    this.#fields.push([name, value]);
  }

  /** The first value of that name, or null. */
  get(name: string): string | null {
    const lower = name.toLowerCase();
    for (const [n, value] of this.#fields) if (n.toLowerCase() === lower) return value;
    return null;
  }

  all(name: string): string[] {
    const lower = name.toLowerCase();
    return this.#fields.filter(([n]) => n.toLowerCase() === lower).map(([, value]) => value);
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.#fields[Symbol.iterator]();
  }
}

/** What stands before the block of a record. */
export interface RecordHead {
  format: 'warc' | 'arc';
  /** `1.1`, `1.0`, `0.18`; for ARC the version of the file, `1` or `2`. */
  version: string;
  /** WARC-Type in lower case; in an ARC `arc_header` for the first record and `response` for the others. */
  type: string;
  /** The record's own fields. For an ARC they are made from its header line, under the WARC names. */
  headers: HeaderFields;
  /** WARC-Target-URI, without the angle brackets that some tools put around it, blanks as %20; null if there is none. */
  url: string | null;
  /** WARC-Date as it stands (for an ARC: in that form); null if there is none. */
  date: string | null;
  /** `urn:uuid:...`: WARC-Record-ID without its angle brackets; null if there is none. */
  recordId: string | null;
  contentType: string | null;
  /** Bytes of the block. */
  blockLength: number;
  /** What is wrong with the record and did not stop the reader, in words. */
  problems: string[];
}

export interface WarcRecord extends RecordHead {
  /** Where the record (its gzip member) begins in the file, and its bytes there with everything up to the next one.
   * `length` is 0 for a record that shares its gzip member with others: it cannot be read by itself. */
  offset: number;
  length: number;
  /** The block, or its first bytes: `block.length < blockLength` if it is over the reader's limit. */
  block: Buffer;
}

const bare = (value: string | null): string | null => value?.replace(/^<(.*)>$/s, '$1') ?? null;

/** Parses the lines of a WARC record's head; the first is its version line. Throws a plain Error whose message says
 * what is wrong. */
export function parseWarcHead(lines: readonly string[]): RecordHead {
  const version = /^WARC\/([01]\.\d{1,3})\s*$/.exec(lines[0])?.[1];
  if (version === undefined) throw new Error(`no WARC record begins (found ${JSON.stringify(lines[0].slice(0, 60))})`);
  const problems: string[] = [];
  const headers = HeaderFields.parse(lines.slice(1), problems);
  const length = headers.get('Content-Length');
  if (length === null || !/^\d{1,15}$/.test(length)) throw new Error(`Content-Length is missing or wrong (${length})`);
  const type = headers.get('WARC-Type');
  if (type === null) problems.push('WARC-Type is missing');
  const recordId = bare(headers.get('WARC-Record-ID'));
  if (recordId === null) problems.push('WARC-Record-ID is missing');
  const url = bare(headers.get('WARC-Target-URI'));
  if (url?.includes(' ')) problems.push('WARC-Target-URI has blanks');
  return {
    format: 'warc',
    version,
    type: type?.toLowerCase() ?? 'unknown',
    headers,
    url: url?.replaceAll(' ', '%20') ?? null,
    date: headers.get('WARC-Date'),
    recordId,
    contentType: headers.get('Content-Type'),
    blockLength: Number(length),
    problems,
  };
}

const ARC_ADDRESS = /^[0-9a-f.:]+$/i;

/**
 * Parses the header line of an ARC record: URL, address, date (14 digits), content type, ... , length, separated by
 * single blanks (ARC File Format, Internet Archive 1996; version 2 has five more fields before the length). A length
 * that is no number is read as 0, as other readers do, and noted. Null if this is no ARC header line.
 */
export function parseArcLine(line: string): RecordHead | null {
  const parts = line.trimEnd().split(' ');
  let at = 1;
  while (at < parts.length && !(ARC_ADDRESS.test(parts[at]) && /^\d{8,18}$/.test(parts[at + 1] ?? ''))) at++;
  if (parts.length - at < 4) return null;
  const problems: string[] = [];
  const [address, digits] = [parts[at], parts[at + 1]];
  const rest = parts.slice(at + 2, -1);
  const isVersion2 = rest.length >= 6 && /^\d{3}$/.test(rest.at(-5) ?? '');
  const contentType = (isVersion2 ? rest.slice(0, -5) : rest).join(' ');
  const url = parts.slice(0, at).join('%20');
  const length = parts.at(-1) ?? '';
  const isLength = /^\d{1,15}$/.test(length);
  if (!isLength) problems.push(`the length ${JSON.stringify(length)} is read as 0`);
  const d = digits.slice(0, 14).padEnd(14, '0');
  const date = `${d.slice(0, 4)}-${d.slice(4, 6)}-${d.slice(6, 8)}T${d.slice(8, 10)}:${d.slice(10, 12)}:${d.slice(12)}Z`;
  const headers = new HeaderFields();
  headers.add('WARC-Target-URI', url);
  headers.add('WARC-Date', date);
  headers.add('WARC-IP-Address', address);
  headers.add('Content-Type', contentType);
  headers.add('Content-Length', isLength ? length : '0');
  return {
    format: 'arc',
    version: isVersion2 ? '2' : '1',
    type: url.startsWith('filedesc:') ? 'arc_header' : 'response',
    headers,
    url,
    date,
    recordId: null,
    contentType,
    blockLength: isLength ? Number(length) : 0,
    problems,
  };
}
