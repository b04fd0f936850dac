/**
 * What a body is, whatever its Content-Type says (MIME Sniffing Standard, https://mimesniff.spec.whatwg.org/, section 7).
 */
import { parseMimeType } from './mime-type.js';

/** Bytes that are looked at (5.2). */
const RESOURCE_HEADER = 1445;

/** Content-Type headers that old servers send with everything (7, "check-for-apache-bug"). */
const APACHE = new Set([
  'text/plain',
  'text/plain; charset=ISO-8859-1',
  'text/plain; charset=iso-8859-1',
  'text/plain; charset=UTF-8',
]);

const UNKNOWN = new Set(['unknown/unknown', 'application/unknown', '*/*']);

/**
 * The computed type of a body: `type/subtype` in lower case.
 *
 * As the standard has it, with one addition: a body that calls itself text and begins as a PDF, or holds bytes that no
 * text has behind the signature of a picture, archive, font or film, is that. Browsers show such a page as garbage; a corpus
 * would keep the garbage.
 *
 * @param contentType the header as it came, null without one
 * @param nosniff `X-Content-Type-Options: nosniff` came with it
 */
export function sniffType(contentType: string | null, body: Uint8Array, nosniff = false): string {
  const header = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, RESOURCE_HEADER));
  const supplied = contentType === null ? null : (parseMimeType(contentType)?.essence ?? null);
  if (supplied === null || UNKNOWN.has(supplied)) return identifyUnknown(header, !nosniff);
  if (nosniff) return supplied;
  if (APACHE.has(contentType ?? '')) return textOrBinary(header);
  if (isXml(supplied)) return supplied;
  const binary = supplied.startsWith('text/') ? signatureOf(header) : null;
  if (binary !== null) return binary;
  return supplied === 'text/html' ? feedOrHtml(header) : supplied;
}

/** An XML MIME type (4.6). */
export const isXml = (essence: string): boolean =>
  essence === 'text/xml' || essence === 'application/xml' || essence.endsWith('+xml');

// -- 7.1, identifying an unknown type -----------------------------------------------------------------------------------

/** Followed by a blank or `>`, after white space, whatever the case. */
const TAGS = [
  ...['<!DOCTYPE HTML', '<HTML', '<HEAD', '<SCRIPT', '<IFRAME', '<H1', '<DIV', '<FONT', '<TABLE', '<A', '<STYLE'],
  ...['<TITLE', '<B', '<BODY', '<BR', '<P', '<!--'],
];

function identifyUnknown(header: Buffer, scriptable: boolean): string {
  if (scriptable) {
    const start = skipSpace(header, 0);
    const text = header.toString('latin1', start, start + 16).toUpperCase();
    for (const tag of TAGS) {
      if (!text.startsWith(tag)) continue;
      const next = text[tag.length];
      if (tag === '<!--' || next === ' ' || next === '>') return 'text/html';
    }
    if (header.toString('latin1', start, start + 5) === '<?xml') return 'text/xml';
    if (header.toString('latin1', 0, 5) === '%PDF-') return 'application/pdf';
  }
  if (header.toString('latin1', 0, 11) === '%!PS-Adobe-') return 'application/postscript';
  if (hasByteOrderMark(header)) return 'text/plain';
  return matchSignature(header) ?? (hasBinaryBytes(header) ? 'application/octet-stream' : 'text/plain');
}

// -- 7.2, text or binary ------------------------------------------------------------------------------------------------

function textOrBinary(header: Buffer): string {
  if (hasByteOrderMark(header) || !hasBinaryBytes(header)) return 'text/plain';
  return matchSignature(header) ?? 'application/octet-stream';
}

function hasByteOrderMark(header: Buffer): boolean {
  const [a, b, c] = header;
  return (a === 0xfe && b === 0xff) || (a === 0xff && b === 0xfe) || (a === 0xef && b === 0xbb && c === 0xbf);
}

/** Binary data bytes (3). */
function hasBinaryBytes(header: Buffer): boolean {
  for (const byte of header) {
    if (byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f)) return true;
  }
  return false;
}

// -- 7.3, feed or HTML --------------------------------------------------------------------------------------------------

function feedOrHtml(header: Buffer): string {
  const text = header.toString('latin1');
  let p = text.startsWith('\xef\xbb\xbf') ? 3 : 0;
  for (;;) {
    p = skipSpace(header, p);
    if (text[p] !== '<') return 'text/html';
    p++;
    const end = text.startsWith('!--', p) ? '-->' : text[p] === '!' ? '>' : text[p] === '?' ? '?>' : null;
    if (end === null) break;
    const close = text.indexOf(end, p);
    if (close < 0) return 'text/html';
    p = close + end.length;
  }
  if (text.startsWith('rss', p)) return 'application/rss+xml';
  if (text.startsWith('feed', p)) return 'application/atom+xml';
  const isRdf =
    text.startsWith('rdf:RDF', p) &&
    text.includes('http://purl.org/rss/1.0/', p) &&
    text.includes('http://www.w3.org/1999/02/22-rdf-syntax-ns#', p);
  return isRdf ? 'application/rss+xml' : 'text/html';
}

// -- 6, patterns --------------------------------------------------------------------------------------------------------

/** Signature (a dot is any byte), and the type. PDF stands here too: see {@link sniffType}. */
const SIGNATURES: readonly (readonly [pattern: string, type: string])[] = [
  ['%PDF-', 'application/pdf'],
  ['\0\0\x01\0', 'image/x-icon'],
  ['\0\0\x02\0', 'image/x-icon'],
  ['BM', 'image/bmp'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['RIFF....WEBPVP', 'image/webp'],
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['FORM....AIFF', 'audio/aiff'],
  ['ID3', 'audio/mpeg'],
  ['OggS\0', 'application/ogg'],
  ['MThd\0\0\0\x06', 'audio/midi'],
  ['RIFF....AVI ', 'video/avi'],
  ['RIFF....WAVE', 'audio/wave'],
  ['\x1a\x45\xdf\xa3', 'video/webm'],
  ['....ftypmp4', 'video/mp4'],
  ['\x1f\x8b\x08', 'application/x-gzip'],
  ['PK\x03\x04', 'application/zip'],
  ['Rar \x1a\x07\0', 'application/x-rar-compressed'],
  ['Rar!\x1a\x07', 'application/x-rar-compressed'],
  ['\0\x01\0\0', 'font/ttf'],
  ['OTTO', 'font/otf'],
  ['ttcf', 'font/collection'],
  ['wOFF', 'font/woff'],
  ['wOF2', 'font/woff2'],
];

/** The type of what is not text. A PDF may hold no byte that says so. */
function signatureOf(header: Buffer): string | null {
  if (/^%PDF-\d\.\d/.test(header.toString('latin1', 0, 8))) return 'application/pdf';
  return hasBinaryBytes(header) ? matchSignature(header) : null;
}

function matchSignature(header: Buffer): string | null {
  const text = header.toString('latin1', 0, 16);
  for (const [pattern, type] of SIGNATURES) {
    if (text.length < pattern.length) continue;
    let i = 0;
    while (i < pattern.length && (pattern[i] === text[i] || pattern[i] === '.')) i++;
    if (i === pattern.length) return type;
  }
  return null;
}

function skipSpace(header: Buffer, from: number): number {
  let p = from;
  while (header[p] === 0x09 || header[p] === 0x0a || header[p] === 0x0c || header[p] === 0x0d || header[p] === 0x20)
    p++;
  return p;
}
