/** One case of `inspect`: its fields as JSON or flags give them, checked where they are read. */
import { readFileSync, statSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** One case, as its JSON says it. */
export type Case = Readonly<Record<string, unknown>>;

/** What is said about a case in words: a label, and a line. */
export type Row = readonly [label: string, text: string];

/** Something that can be inspected. */
export interface InspectKind {
  /** The field that the operand of the command line stands for. */
  readonly subject: string;
  /** The fields that it reads; all others are copied to the answer. */
  readonly reads: readonly string[];
  /** The fields of DESIGN 11. Throws an Error that says which field is wrong. */
  answer(input: Case): Record<string, unknown> | Promise<Record<string, unknown>>;
  /** The same, and why, for reading. */
  explain(input: Case): Row[] | Promise<Row[]>;
}

/** Bytes of a file that are looked at, as it is and gunzipped. */
const LARGEST_BYTES = 256 * 1024 * 1024;

/** A field of a case is missing or is what it cannot be: wrong usage where the case came by arguments. */
export class WrongCase extends TypeError {
  readonly field: string;
  constructor(field: string, what: string) {
    super(what);
    this.field = field;
  }
}

/** A field that is a string, or undefined where it is missing or null. */
export function optional(input: Case, field: string): string | undefined {
  const value = input[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new WrongCase(field, `${field} must be a string`);
  return value;
}

export function required(input: Case, field: string, called = field): string {
  const value = optional(input, field);
  if (value === undefined) throw new WrongCase(field, `${called} is missing`);
  return value;
}

/** The bytes of a case: inline as text (`html`) or base64 (`html_b64`), or a file, gunzipped by its magic number. */
export function bytesOf(input: Case, inline: string): Buffer {
  const bytes = plainBytesOf(input, inline);
  const isFile = optional(input, inline) === undefined && optional(input, `${inline}_b64`) === undefined;
  const isZipped = isFile && bytes[0] === 0x1f && bytes[1] === 0x8b;
  return isZipped ? gunzipSync(bytes, { maxOutputLength: LARGEST_BYTES }) : bytes;
}

/** The same, as they lie in the file. */
export function plainBytesOf(input: Case, inline: string): Buffer {
  const text = optional(input, inline);
  if (text !== undefined) return Buffer.from(text, 'utf8');
  const base64 = optional(input, `${inline}_b64`);
  if (base64 !== undefined) return Buffer.from(base64, 'base64');
  const file = required(input, 'file', `file, ${inline} or ${inline}_b64`);
  const { size } = statSync(file);
  if (size > LARGEST_BYTES) throw new RangeError(`${file} is larger than 256 MiB`);
  return readFileSync(file);
}

/** Headers as an object or as a list of pairs; names in lower case. */
export function headersOf(headers: unknown): [name: string, value: string][] {
  if (headers === undefined || headers === null) return [];
  if (typeof headers !== 'object') throw new WrongCase('headers', 'headers must be an object or a list of pairs');
  const pairs: unknown[] = Array.isArray(headers) ? headers : Object.entries(headers);
  return pairs.flatMap((pair) => {
    if (!Array.isArray(pair)) throw new WrongCase('headers', 'headers must be an object or a list of pairs');
    const values: unknown[] = Array.isArray(pair[1]) ? pair[1] : [pair[1]];
    return values.map((value): [string, string] => [String(pair[0]).toLowerCase(), String(value)]);
  });
}
