import { describe, expect, test } from 'vitest';
import { decode, sniffCharset, toUtf8 } from '../../src/parse/charset.js';
import { encodingOfLabel } from '../../src/parse/encoding-labels.js';
import { charsetParameter, parseMimeType, serializeMimeType } from '../../src/parse/mime-type.js';
import { parsePage } from '../../src/parse/page.js';

const sniff = (body: string | Buffer, contentType?: string): string => {
  const { charset, source } = sniffCharset(Buffer.from(body as string, 'latin1'), contentType);
  return `${charset} ${source}`;
};

describe('the encoding of a page', () => {
  test('mark beats header beats meta beats bytes', () => {
    expect(sniff('\xef\xbb\xbf<meta charset=koi8-r>', 'text/html; charset=gbk')).toBe('utf-8 bom');
    expect(sniff('<meta charset=koi8-r>', 'text/html; charset=gbk')).toBe('gbk header');
    expect(sniff('<meta charset=koi8-r>caf\xc3\xa9')).toBe('koi8-r meta');
    expect(sniff('caf\xc3\xa9')).toBe('utf-8 detected');
    expect(sniff('caf\xe9')).toBe('windows-1252 default');
    expect(sniff('cafe')).toBe('windows-1252 default');
  });
  test('a header label that nobody knows is passed over', () => {
    expect(sniff('<meta charset=koi8-r>', 'text/html; charset=none')).toBe('koi8-r meta');
  });
  test('a meta past the first 1,024 bytes still counts', () => {
    expect(sniff(`<script>${'x'.repeat(5000)}</script><meta charset=windows-1251>`)).toBe('windows-1251 meta');
  });
  test('declarations in comments do not count, http-equiv needs its pragma, XML declarations count', () => {
    expect(sniff('<!-- <meta charset=koi8-r> -->\xe9')).toBe('windows-1252 default');
    expect(sniff('<meta content="text/html; charset=koi8-r">\xe9')).toBe('windows-1252 default');
    expect(sniff('<meta http-equiv=content-type content="text/html; charset=koi8-r">')).toBe('koi8-r meta');
    expect(sniff('<?xml version="1.0" encoding="koi8-r"?>')).toBe('koi8-r meta');
  });
  test('a declared UTF-16 that can be read as ASCII is UTF-8', () => {
    expect(sniff('<meta charset=utf-16>')).toBe('utf-8 meta');
  });
  test.each([
    ['windows-1251', 'Погода в Москве на завтра: переменная облачность, без осадков, ветер слабый до умеренного'],
    ['koi8-r', 'Погода в Москве на завтра: переменная облачность, без осадков, ветер слабый до умеренного'],
    ['shift_jis', '東京の天気は明日も晴れのち曇りで、気温は平年並みになるでしょう。'],
    ['euc-jp', '東京の天気は明日も晴れのち曇りで、気温は平年並みになるでしょう。'],
    ['euc-kr', '서울의 내일 날씨는 대체로 맑고 기온은 평년과 비슷하겠습니다. 바람은 약하게 불겠습니다.'],
    ['gbk', '北京明天天气晴转多云，气温与常年同期相比略高，风力不大，适合出行和户外活动。'],
    ['windows-1253', 'Ο καιρός στην Αθήνα αύριο θα είναι αίθριος με λίγες νεφώσεις το απόγευμα'],
    ['utf-16le', 'Weather in London tomorrow will be fair.'],
  ])('%s is recognised undeclared', async (charset, text) => {
    const iconv = (await import('iconv-lite')).default;
    const body = iconv.encode(`<p>${text}</p>`, charset);
    expect(sniffCharset(body).charset).toBe(charset);
    expect(parsePage({ body, url: 'http://host.example/' }).text).toBe(text);
  });
});

describe('decoding', () => {
  test('a large body is decoded in pieces to what each of its bytes is by itself', () => {
    for (const charset of ['windows-1252', 'x-user-defined']) {
      const unit = Array.from({ length: 256 }, (_, byte) => decode(Buffer.from([byte]), charset));
      for (const [from, count] of [
        [0, 256],
        [0x20, 0x60],
      ]) {
        const bytes = Buffer.from(Uint8Array.from({ length: 600_001 }, (_, i) => from + (Math.imul(i, 7919) % count)));
        const expected = Array.from(bytes, (byte) => unit[byte]).join('');
        expect(decode(bytes, charset) === expected).toBe(true);
      }
    }
    expect(decode(Buffer.from([0x41, 0x80, 0xff]), 'x-user-defined')).toBe('A\uf780\uf7ff');
  });
  test('windows-1252 has its own signs at 0x80 to 0x9F', () => {
    expect(decode(Buffer.from([0x80, 0x93, 0x81, 0x9f, 0xe9]), 'windows-1252')).toBe('€“\x81Ÿé');
  });
  test('euc-kr has the syllables of code page 949', () => {
    expect(decode(Buffer.from([0x81, 0x41, 0xb0, 0xa1]), 'euc-kr')).toBe('갂가');
  });
  test('an ASCII byte after a broken lead byte survives: no tag is swallowed', () => {
    for (const charset of ['shift_jis', 'euc-kr', 'gbk', 'euc-jp', 'big5']) {
      expect(decode(Buffer.from([0xe0, 0x3c, 0x61, 0x3e]), charset)).toBe('\ufffd<a>');
    }
  });
  test('a trail byte that looks like markup is none', () => {
    const body = Buffer.from([0x3c, 0x70, 0x3e, 0x83, 0x5c, 0x83, 0x3c]); // "ソ" ends in a backslash
    expect(parsePage({ body, url: 'http://host.example/', contentType: 'text/html; charset=shift_jis' }).text).toBe(
      'ソ\ufffd<',
    );
  });
  test('UTF-8 bytes are not copied', () => {
    const body = Buffer.from('é');
    expect(toUtf8(body, 'utf-8')).toBe(body);
  });
});

describe('labels and types', () => {
  test('every encoding of the standard has a label, and can be decoded', () => {
    const names = 'iso-2022-jp iso-8859-8-i x-mac-cyrillic replacement euc-jp big5 koi8-u x-user-defined'.split(' ');
    expect(names.map((name) => encodingOfLabel(name.toUpperCase()))).toEqual(names);
    const jis = Buffer.from('\x1b$BF|K\\\x1b(B', 'latin1');
    expect(decode(jis, encodingOfLabel('csISO2022JP')!)).toBe('日本');
    expect(decode(Buffer.from([0xe0]), encodingOfLabel('logical')!)).toBe('א');
    expect(decode(Buffer.from([0xe0]), encodingOfLabel('x-mac-ukrainian')!)).toBe('а');
    expect(decode(jis, encodingOfLabel('hz-gb-2312')!)).toBe('\ufffd');
  });
  test('labels ignore case and white space around them only', () => {
    expect(encodingOfLabel(' Latin1\n')).toBe('windows-1252');
    expect(encodingOfLabel('l a t i n 1')).toBeNull();
  });
  test('types serialise as the standard says', () => {
    const type = parseMimeType(' Text/HTML ; Charset="a\\"b"; charset=x; =y; z');
    expect(type && serializeMimeType(type)).toBe('text/html;charset="a\\"b"');
    expect(parseMimeType('text/')).toBeNull();
  });
  test('a charset is found in headers that are no types', () => {
    expect(charsetParameter('charset=utf-8')).toBe('utf-8');
    expect(charsetParameter('text/html; x="charset=utf-7;"; charset=""; charset=utf-8')).toBe('utf-8');
    expect(charsetParameter('text/html; mycharset=utf-8')).toBeNull();
  });
});
