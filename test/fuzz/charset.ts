/** Encodings: every input has one, and no decoder loses the ASCII bytes that markup is made of. */
import assert from 'node:assert/strict';
import { isAscii, isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { decode, sniffCharset, toUtf8 } from '../../src/parse/charset.js';
import { encodingOfLabel } from '../../src/parse/encoding-labels.js';
import { mutated } from './mutations.js';
import { bytesOf, type FuzzTarget } from './target.js';

interface Case {
  readonly body: string;
  /** An encoding's name, or any text: what the header calls it. */
  readonly label: string;
}

const ONE_BYTE = [
  'windows-1250',
  'windows-1251',
  'windows-1252',
  'iso-8859-2',
  'iso-8859-16',
  'koi8-r',
  'macintosh',
  'windows-874',
];
const MANY_BYTES = ['euc-kr', 'shift_jis', 'euc-jp', 'gbk', 'gb18030', 'big5'];
const OTHERS = ['utf-8', 'utf-16le', 'utf-16be', 'iso-2022-jp', 'x-user-defined', 'replacement'];
const PIECES = [
  ...[
    '<meta charset=',
    '<meta http-equiv=content-type content="text/html; charset=',
    '<?xml encoding="',
    '">',
    '<!--',
    '-->',
    '<',
    '>',
  ],
  ...[
    'utf-8',
    'euc-jp',
    'utf-16',
    'x-user-defined',
    'big5',
    ' ',
    '\x1b$B',
    '\x1b(B',
    '\xef\xbb\xbf',
    '\xff\xfe',
    '\xfe\xff',
  ],
  ...[
    '\x81',
    '\x8e',
    '\x8f',
    '\x80',
    '\xff',
    '\xa1\xa1',
    '\x82\xa0',
    '\xa4\xa2',
    '\xb0\xa1',
    '\xc7\xd1\xb1\xdb',
    '\x81<',
    '\x8f\xa2<',
    '\xe3\x81\x82',
  ],
];
/** Text that all three of our own decoders can have been written for. */
const CJK = [
  '\u3042\u30a2\u6f22\u5b57',
  '\ud55c\uad6d\uc5b4 \ub69d\ubc29\uac01\ud558',
  '\u65e5\u672c\u8a9e\uff01',
  'abc<a href="x">',
];

export const charsetTarget: FuzzTarget<Case> = {
  name: 'charset',
  suiteRuns: 400,
  cases: ({ pages }) => {
    const wide = MANY_BYTES.map((name) => iconv.encode(CJK.join('<p>'), name).toString('latin1'));
    return fc.record({
      body: mutated([...wide, ...pages.slice(0, 40)], PIECES, 1_500),
      label: fc.constantFrom(...ONE_BYTE, ...MANY_BYTES, ...OTHERS, '', 'nonsense', ' UTF-8 '),
    });
  },
  check({ body, label }) {
    const bytes = bytesOf(body);
    const { charset, bomLength } = sniffCharset(bytes);
    assert.equal(encodingOfLabel(charset), charset);
    assert.ok(bomLength <= 3);
    for (const name of new Set([charset, encodingOfLabel(label) ?? 'windows-1252'])) decodes(bytes, name);
    if (encodingOfLabel(label) === null || bomLength > 0) return;
    assert.equal(sniffCharset(bytes, `text/html; charset="${label}"`).charset, encodingOfLabel(label));
  },
};

function decodes(bytes: Buffer, name: string): void {
  const text = decode(bytes, name);
  const utf8 = toUtf8(bytes, name);
  if (name !== 'utf-8') assert.ok(isUtf8(utf8), `${name} gave something that is not UTF-8`);
  assert.equal(utf8.toString('utf8').replace(/^\ufeff+/, ''), text.replace(/^\ufeff+/, ''));
  assert.equal(decode(bytes, name), text, `${name} remembers what it decoded before`);
  if (ONE_BYTE.includes(name)) assert.equal(text.length, bytes.length);
  if (!ONE_BYTE.includes(name) && !MANY_BYTES.includes(name)) return;
  if (isAscii(bytes)) assert.equal(text, bytes.toString('latin1'));
  for (const mark of ['<', '>', '"', "'"]) {
    assert.equal(
      text.split(mark).length,
      bytes.toString('latin1').split(mark).length,
      `${name} lost or made a ${mark}`,
    );
  }
}
