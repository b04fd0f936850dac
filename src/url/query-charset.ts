/**
 * Queries of links in pages that are not UTF-8.
 *
 * The WHATWG URL Standard encodes the query of a link, and only the query, in the encoding of its document
 * ("percent-encode after encoding"): in a Shift_JIS page `?q=\u65e5` asks for `?q=%93%FA`. What the encoding lacks
 * becomes a numeric character reference, `%26%238224%3B`.
 */
import iconv from 'iconv-lite';

/** Encodings whose documents have UTF-8 URLs ("get an output encoding", WHATWG Encoding Standard). */
const UTF8_OUTPUT = new Set(['utf-8', 'utf8', 'utf-16le', 'utf-16be', 'utf-16', 'replacement', 'x-user-defined']);

/** WHATWG names that the encoder knows under another one: the superset that browsers use. */
const ENCODER_NAME: Readonly<Record<string, string>> = {
  gbk: 'cp936',
  gb2312: 'cp936',
  big5: 'cp950',
  shift_jis: 'cp932',
  'euc-kr': 'cp949',
  'iso-8859-1': 'windows-1252',
  'iso-8859-8-i': 'iso-8859-8',
  'x-mac-cyrillic': 'maccyrillic',
};

/**
 * For a document's encoding (WHATWG name), a function that returns a link with its query encoded, or undefined where
 * queries are UTF-8 or the encoding is unknown: then the URL parser does it.
 */
export function queryEncoder(charset: string): ((href: string) => string) | undefined {
  const label = charset.toLowerCase();
  if (UTF8_OUTPUT.has(label)) return undefined;
  if (label === 'iso-2022-jp') return (href) => encodeQuery(href, /[^\0-\x0d\x10-\x1a\x1c-\x7f]/, encodeIso2022Jp);
  const name = ENCODER_NAME[label] ?? label;
  if (!iconv.encodingExists(name)) return undefined;
  return (href) => encodeQuery(href, /[^\0-\x7f]/, (query) => encodeByCharacter(query, name));
}

function encodeQuery(href: string, foreign: RegExp, encode: (query: string) => string): string {
  const start = href.indexOf('?') + 1;
  if (start === 0) return href;
  const hash = href.indexOf('#');
  if (hash >= 0 && hash < start) return href;
  const query = href.slice(start, hash < 0 ? undefined : hash);
  if (!foreign.test(query)) return href;
  return href.slice(0, start) + encode(query) + (hash < 0 ? '' : href.slice(hash));
}

/** An encoder without state: one code point at a time, which tells at once what the encoding lacks. */
function encodeByCharacter(query: string, name: string): string {
  let out = '';
  for (const character of query) {
    if (character.charCodeAt(0) < 128) {
      out += character;
      continue;
    }
    const bytes = iconv.encode(character, name);
    out += bytes.length === 1 && bytes[0] === 0x3f ? reference(character.codePointAt(0)!) : percentEncode(bytes);
  }
  return out;
}

/** ISO-2022-JP switches between ASCII and JIS X 0208; the latter is EUC-JP without its high bits. */
function encodeIso2022Jp(query: string): string {
  const TO_ASCII = '%1B(B';
  const TO_JIS = '%1B$B';
  let out = '';
  let jis = false;
  const ascii = (text: string) => {
    out += jis ? TO_ASCII + text : text;
    jis = false;
  };
  for (const character of query) {
    const code = character.codePointAt(0)!;
    // Shift and escape characters would forge a switch (WHATWG Encoding Standard, ISO-2022-JP encoder).
    if (code === 0x0e || code === 0x0f || code === 0x1b) ascii(reference(0xfffd));
    else if (code < 128) ascii(character);
    else {
      const bytes = iconv.encode(character, 'euc-jp');
      if (bytes.length === 2 && bytes[0] >= 0xa1) {
        if (!jis) out += TO_JIS;
        jis = true;
        out += percentEncode(bytes.map((byte) => byte & 0x7f));
      } else ascii(reference(code));
    }
  }
  ascii('');
  return out;
}

/** A numeric character reference, percent-encoded: `&#8224;`. */
function reference(code: number): string {
  return `%26%23${code}%3B`;
}

/** Percent-encodes what the special-query set names (WHATWG URL Standard, section 1.3). */
function percentEncode(bytes: Uint8Array): string {
  let out = '';
  for (const byte of bytes) {
    const raw = byte > 0x20 && byte < 0x7f && !`"#<>'`.includes(String.fromCharCode(byte));
    out += raw ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return out;
}
