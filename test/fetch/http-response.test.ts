import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HeaderList, parseHead } from '../../src/fetch/http-headers.js';
import { ResponseReader } from '../../src/fetch/http-response.js';

const MIB = 1 << 20;
const read = (text: string | Buffer, cut: readonly number[] = [], limit = 5 * MIB, maxHeaderBytes = 65536) => {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'latin1') : text;
  const reader = new ResponseReader({ maxHeaderBytes, plan: () => ({ limit, stop: false, error: null }) });
  let at = 0;
  for (const end of [...cut, bytes.length]) {
    // A copy that is overwritten afterwards, as the shared read buffer is.
    const part = Buffer.from(bytes.subarray(at, end));
    if (!reader.done && part.length > 0) reader.push(part);
    part.fill(0xee);
    at = end;
  }
  reader.end();
  return reader;
};
/** What must not depend on how the bytes were split. */
const summary = (reader: ResponseReader) => ({
  status: reader.head?.status,
  fields: reader.head && [...reader.head.headers],
  head: reader.headBytes.toString('latin1'),
  error: reader.error,
  truncated: reader.truncated,
  body: reader.takeBody().toString('latin1'),
});
const ok = (fields: string, body: string): string => `HTTP/1.1 200 OK\r\n${fields}\r\n${body}`;

describe('the reader of an answer', () => {
  const answers: Record<string, string> = {
    length: ok('Content-Length: 5\r\n', 'hello'),
    chunked: ok('Transfer-Encoding: chunked\r\n', '3;ext="a"\r\nhel\r\n2\r\nlo\r\n0\r\nTrailer: x\r\n\r\n'),
    'bare LF': 'HTTP/1.1 200 OK\nA: b\nTransfer-Encoding: chunked\n\n5\nhello\n0\n\n',
    interim: `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${ok('Content-Length: 5\r\n', 'hello')}`,
    junk: `\r\n\r\nleft over</html>${ok('Content-Length: 5\r\n', 'hello')}`,
    folded: ok('X: a\r\n  b\r\n\tc\r\nNoColon\r\n: no name\r\nContent-Length : 5\r\n', 'hello'),
    'until close': ok('Set-Cookie: a\r\nSet-Cookie: b\r\n', 'hello'),
    foreign: 'SSH-2.0-OpenSSH_9.2\r\n',
    'broken chunk': ok('Transfer-Encoding: chunked\r\n', '5\r\nhello\r\nzz\r\nxx'),
    'no reason': 'HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello',
    'extra bytes': ok('Content-Length: 5\r\n', 'hello world'),
  };

  it.each(Object.entries(answers))('gives the same for any split of the same bytes: %s', (name, text) => {
    const whole = summary(read(text));
    expect(
      summary(
        read(
          text,
          Array.from({ length: text.length }, (_, i) => i),
        ),
      ),
    ).toEqual(whole);
    for (let at = 1; at < text.length; at++) expect(summary(read(text, [at]))).toEqual(whole);
    if (name !== 'foreign') expect(whole.body).toBe('hello');
  });

  it('gives the same for any split of mutated answers, and always comes to an end within its caps', () => {
    const texts = Object.values(answers);
    const mutation = fc.tuple(
      fc.nat(400),
      fc.constantFrom('\r', '\n', ':', ' ', '\0', '0', '-', 'f', ',', 'ÿ', 'HTTP/'),
    );
    const property = fc.property(
      fc.nat(texts.length - 1),
      fc.array(mutation, { maxLength: 4 }),
      fc.array(fc.nat(400), { maxLength: 6 }),
      (which, mutations, cuts) => {
        let text = texts[which];
        for (const [at, what] of mutations)
          text = text.slice(0, at % text.length) + what + text.slice((at % text.length) + 1);
        const split = cuts.map((cut) => cut % text.length).sort((a, b) => a - b);
        const whole = summary(read(text, [], 4));
        expect(summary(read(text, split, 4))).toEqual(whole);
        expect(whole.body.length).toBeLessThanOrEqual(4);
        expect(whole.error !== null || whole.status !== undefined).toBe(true);
      },
    );
    fc.assert(property, { numRuns: 3000 });
  });

  it('keeps the head as it came and drops what stood before it', () => {
    const head = 'HTTP/1.1 200 OK\r\nX-Odd :  caf\xe9 \r\nContent-Length: 2\r\n\r\n';
    expect(read(`junk\r\n${head}hi`).headBytes.toString('latin1')).toBe(head);
  });

  it('refuses what is not HTTP', () => {
    for (const text of [
      '<html>HTTP/0.9</html>',
      'HTTP/1.1 2000 OK\r\n\r\n',
      'HTTP/1.1 99 X\r\n\r\n',
      'x'.repeat(5000),
    ]) {
      expect(read(text).error, text.slice(0, 40)).toBe('http.malformed');
    }
    expect(read('HTTP/1.1 200 OK\r\nA: b\r\n').error).toBe('read.closed');
    expect(read('').error).toBe('read.closed');
  });

  it('finds a status line behind at most 1 KiB of junk', () => {
    expect(read(`${'x'.repeat(1024)}${ok('Content-Length: 2\r\n', 'hi')}`).error).toBeNull();
    expect(read(`${'x'.repeat(1100)}${ok('Content-Length: 2\r\n', 'hi')}`).error).toBe('http.malformed');
  });

  it('caps all heads of an answer together', () => {
    const big = `X: ${'a'.repeat(70_000)}\r\n`;
    expect(read(ok(big, '')).error).toBe('http.headers');
    expect(read(ok(big, ''), [10, 1000, 20_000, 60_000]).error).toBe('http.headers');
    expect(read('HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n'.repeat(3000)).error).toBe('http.headers');
    expect(read(`HTTP/1.1 200 OK\r\n${'A: b\r\n'.repeat(30_000)}\r\n`).error).toBe('http.headers');
    expect(read(ok(`X: ${'a'.repeat(60_000)}\r\nContent-Length: 2\r\n`, 'hi')).error).toBeNull();
  });

  it('reads a head that comes byte by byte in linear time', () => {
    const text = ok(`${'A: b\r\n'.repeat(10_000)}Content-Length: 2\r\n`, 'hi');
    const started = performance.now();
    expect(
      read(
        text,
        Array.from({ length: text.length }, (_, i) => i),
      ).error,
    ).toBeNull();
    expect(performance.now() - started).toBeLessThan(1000);
  });

  it('ends the message where RFC 9112 says', () => {
    const body = (text: string) => {
      const reader = read(text);
      return { ...summary(reader), reusable: reader.reusable };
    };
    expect(body('HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nhello')).toMatchObject({
      body: '',
      reusable: false,
    });
    expect(body('HTTP/1.1 204 No Content\r\n\r\n')).toMatchObject({ body: '', reusable: true });
    expect(body(ok('Content-Length: 3\r\nContent-Length: 3, 3\r\n', 'abc'))).toMatchObject({
      body: 'abc',
      reusable: true,
    });
    expect(body(ok('Content-Length: 3\r\nContent-Length: 4\r\n', 'abcd')).error).toBe('http.malformed');
    expect(body(ok('Content-Length: abc\r\n', 'abcd'))).toMatchObject({
      body: 'abcd',
      truncated: null,
      reusable: false,
    });
    expect(body(ok('Content-Length: 1\r\nTransfer-Encoding: chunked\r\n', '2\r\nab\r\n0\r\n\r\n'))).toMatchObject({
      body: 'ab',
      reusable: false,
    });
    expect(body(ok('Transfer-Encoding: identity\r\nContent-Length: 3\r\n', 'abc'))).toMatchObject({
      body: 'abc',
      reusable: true,
    });
    expect(body(ok('Content-Length: 9\r\n', 'abc'))).toMatchObject({
      body: 'abc',
      truncated: 'disconnect',
      reusable: false,
    });
  });

  it('reads the transfer codings that servers really send', () => {
    const chunked = '2\r\nhi\r\n0\r\n\r\n';
    for (const [fields, body] of [
      ['Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', chunked],
      ['Transfer-Encoding: Chunked\r\n', chunked],
      ['Transfer-Encoding: chunked, identity\r\n', chunked],
      ['Transfer-Encoding: something\r\nContent-Length: 2\r\n', 'hi and more'],
      ['Transfer-Encoding: \r\nContent-Length: 2\r\n', 'hi'],
    ]) {
      expect(summary(read(ok(fields, body))), fields).toMatchObject({ body: 'hi', error: null, truncated: null });
    }
    expect(read(`HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`).takeBody().toString()).toBe('hi');
  });

  it('keeps a connection only where the answer leaves it clean', () => {
    const reusable = (text: string) => read(text).reusable;
    expect(reusable(ok('Content-Length: 2\r\n', 'hi'))).toBe(true);
    expect(reusable(ok('Content-Length: 2\r\nConnection: Keep-Alive, Close\r\n', 'hi'))).toBe(false);
    expect(reusable('HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi')).toBe(false);
    expect(reusable('HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nhi')).toBe(true);
    expect(reusable(ok('', 'hi'))).toBe(false);
    expect(reusable(ok('Content-Length: 2\r\n', 'hi!'))).toBe(false);
    expect(reusable('HTTP/1.1 101 Switching Protocols\r\n\r\n')).toBe(false);
  });

  it('removes chunking leniently and keeps what came before a fault', () => {
    const chunked = (text: string) => {
      const { body, truncated, error } = summary(read(ok('Transfer-Encoding: chunked\r\n', text)));
      return [body, truncated, error];
    };
    expect(chunked('5\r\nhello0\r\n\r\n')).toEqual(['hello', null, null]);
    expect(chunked('5\r\nhello\r\n0')).toEqual(['hello', 'disconnect', null]);
    expect(chunked('5\r\nhello\r\n0\r\n')).toEqual(['hello', null, null]);
    expect(chunked('5\r\nhelloworld\r\n0\r\n\r\n')).toEqual(['hello', 'disconnect', null]);
    expect(chunked('-5\r\nhello\r\n0\r\n\r\n')).toEqual(['', null, 'http.malformed']);
    expect(chunked('ffffffffffffffff\r\nhello')).toEqual(['', null, 'http.malformed']);
    expect(chunked('fffffffff\r\nhello')).toEqual(['hello', 'disconnect', null]);
    expect(chunked(`5;${'x'.repeat(5000)}\r\nhello\r\n0\r\n\r\n`)).toEqual(['', null, 'http.malformed']);
    expect(chunked(`5\r\nhello\r\n0\r\n${'T: x\r\n'.repeat(20_000)}\r\n`)).toEqual(['hello', null, null]);
  });

  it('keeps exactly the cap of a body that is longer, and does not call a body of exactly the cap cut', () => {
    const ten = '0123456789';
    for (const text of [
      ok('Content-Length: 10\r\n', ten),
      ok('', ten),
      ok('Transfer-Encoding: chunked\r\n', `4\r\n0123\r\n6\r\n456789\r\n0\r\n\r\n`),
    ]) {
      expect(summary(read(text, [], 4))).toMatchObject({ body: '0123', truncated: 'length' });
      expect(summary(read(text, [], 10))).toMatchObject({ body: ten, truncated: null });
    }
  });

  it('stops a body that is all framing', () => {
    const text = ok('Transfer-Encoding: chunked\r\n', `1;${'x'.repeat(4000)}\r\na\r\n`.repeat(100));
    expect(summary(read(text, [100_000, 200_000, 300_000], 1000)).truncated).toBe('length');
  });
});

describe('header fields', () => {
  it('cannot pollute or collide with what objects inherit', () => {
    const { headers } = parseHead('HTTP/1.1 200 OK\r\n__proto__: x\r\nconstructor: y\r\nToString: z\r\n\r\n')!;
    expect(headers.get('__proto__')).toBe('x');
    expect(headers.get('tostring')).toBe('z');
    expect(headers.get('hasownproperty')).toBeNull();
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  it('keep every byte and give the first, the last or all values of a name', () => {
    const { headers, reason } = parseHead('HTTP/1.1 200 Tr\xe8s bien\r\nA: \xc3\xa0\r\na: 2\r\n\r\n')!;
    expect([headers.get('a'), headers.last('a'), headers.all('a'), reason]).toEqual([
      '\xc3\xa0',
      '2',
      ['\xc3\xa0', '2'],
      'Tr\xe8s bien',
    ]);
    expect(new HeaderList([['Vary', 'A , ,b']]).tokens('vary')).toEqual(['a', 'b']);
  });
});
