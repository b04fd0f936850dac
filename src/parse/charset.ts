/**
 * Which encoding a page is in, and its bytes as UTF-8.
 *
 * The order is the HTML standard's (13.2.3.2): byte order mark, Content-Type, the first 1,024 bytes, then what browsers
 * do late (a `meta` further down), then a guess from the bytes.
 */
import { isAscii } from 'node:buffer';
import iconv from 'iconv-lite';
import { detectEncoding } from './charset-detect.js';
import { encodingOfLabel } from './encoding-labels.js';
import { charsetParameter } from './mime-type.js';
import { prescanMeta } from './prescan.js';
import { decodeEucJp, decodeEucKr, decodeShiftJis } from './two-byte-decoders.js';

export type CharsetSource = 'bom' | 'header' | 'meta' | 'detected' | 'default';

export interface Charset {
  /** Name of the encoding by the Encoding Standard, in lower case. */
  charset: string;
  source: CharsetSource;
  /** Bytes of the byte order mark, to be skipped. */
  bomLength: number;
}

/** Bytes in which the standard looks for a declaration, and in which we do: pages put scripts before it. */
const PRESCAN = 1024;
const LATE_PRESCAN = 64 * 1024;

/** The encoding of `body`. Total: every input has one, `windows-1252` at worst. */
export function sniffCharset(body: Buffer, contentType?: string): Charset {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf)
    return { charset: 'utf-8', source: 'bom', bomLength: 3 };
  if (body[0] === 0xfe && body[1] === 0xff) return { charset: 'utf-16be', source: 'bom', bomLength: 2 };
  if (body[0] === 0xff && body[1] === 0xfe) return { charset: 'utf-16le', source: 'bom', bomLength: 2 };
  const label = contentType === undefined ? null : charsetParameter(contentType);
  const header = label === null ? null : encodingOfLabel(label);
  if (header !== null) return { charset: header, source: 'header', bomLength: 0 };
  const declared = prescanMeta(body, 0, PRESCAN) ?? (body.length > PRESCAN ? prescanMeta(body, 0, LATE_PRESCAN) : null);
  if (declared !== null) return { charset: declared, source: 'meta', bomLength: 0 };
  const detected = detectEncoding(body);
  if (detected !== null) return { charset: detected, source: 'detected', bomLength: 0 };
  return { charset: 'windows-1252', source: 'default', bomLength: 0 };
}

/** `body` as UTF-8. The bytes themselves when they are UTF-8 (malformed sequences are replaced when text is sliced) or
 * plain ASCII in an encoding that contains it. */
export function toUtf8(body: Buffer, charset: string): Buffer {
  if (charset === 'utf-8') return body;
  if (!NOT_ASCII_BASED.has(charset) && isAscii(body)) return body;
  return Buffer.from(decode(body, charset), 'utf8');
}

const NOT_ASCII_BASED = new Set(['utf-16le', 'utf-16be', 'iso-2022-jp', 'replacement']);

/** Text of `bytes` in one of the Encoding Standard's encodings, without a byte order mark. Malformed input becomes U+FFFD. */
export function decode(bytes: Buffer, charset: string): string {
  switch (charset) {
    case 'windows-1252':
      return decodePieces(bytes, /[\x80-\x9f]/, windows1252);
    case 'euc-kr':
      return decodeEucKr(bytes);
    case 'shift_jis':
      return decodeShiftJis(bytes);
    case 'euc-jp':
      return decodeEucJp(bytes);
    case 'x-user-defined':
      return decodePieces(bytes, /[\x80-\xff]/, userDefined);
    case 'iso-8859-16':
      return iconv.decode(bytes, 'iso-8859-16');
    case 'replacement':
      return bytes.length === 0 ? '' : '\ufffd';
    default:
      return decoderOf(charset).decode(bytes);
  }
}

const decoders = new Map<string, InstanceType<typeof TextDecoder>>();

function decoderOf(charset: string): InstanceType<typeof TextDecoder> {
  let decoder = decoders.get(charset);
  if (decoder === undefined) {
    decoder = new TextDecoder(charset, { ignoreBOM: false });
    decoders.set(charset, decoder);
  }
  return decoder;
}

/** 0x80 to 0x9F; Node 20's TextDecoder has control characters there. */
const WINDOWS_1252_HIGH =
  '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f' +
  '\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';

/** Bytes that are decoded at once. */
const PIECE = 256 * 1024;
const tableOf = (unitOf: (byte: number) => number): Uint16Array =>
  Uint16Array.from({ length: 256 }, (_, i) => unitOf(i));
const windows1252 = tableOf((byte) => (byte >= 0x80 && byte < 0xa0 ? WINDOWS_1252_HIGH.charCodeAt(byte - 0x80) : byte));
const userDefined = tableOf((byte) => (byte < 0x80 ? byte : 0xf700 + byte));

/** Most pieces are Latin-1. Those with what is `other` go through a table: `replace`, on a large body that is full of what it
 * looks for, takes seconds and half a gigabyte. */
function decodePieces(bytes: Buffer, other: RegExp, table: Uint16Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE) {
    const end = Math.min(at + PIECE, bytes.length);
    const piece = bytes.latin1Slice(at, end);
    text += other.test(piece) ? decodeByTable(bytes.subarray(at, end), table) : piece;
  }
  return text;
}

function decodeByTable(bytes: Buffer, table: Uint16Array): string {
  const units = new Uint16Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) units[i] = table[bytes[i]];
  return Buffer.from(units.buffer).toString('utf16le');
}
