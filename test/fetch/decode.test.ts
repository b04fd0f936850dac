import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode } from '../../src/fetch/decode.js';

const MIB = 1 << 20;
const CAPS = { decoded: 20 * MIB, ratio: 200, ratioFrom: MIB };
const text = Buffer.from(Array.from({ length: 3000 }, (_, i) => `<p>paragraph ${i * 7919} of a page</p>\n`).join(''));

interface Case {
  id: string;
  file: string;
  content_encoding: string | null;
  expected_sha1: string;
  expected_len: number;
}

const fixtures = new URL('../fixtures/http_compressed/', import.meta.url);
const cases = readFileSync(new URL('cases.jsonl', fixtures), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Case);

describe('bodies that other crawlers stumbled over', () => {
  it.each(cases.map((c) => [`${c.file} as ${c.content_encoding}`, c] as const))('%s', async (_, c) => {
    const payload = readFileSync(new URL(c.file, fixtures));
    const result = await decode(payload, c.content_encoding?.split(', ') ?? [], CAPS, true);
    expect(result.body.length).toBe(c.expected_len);
    expect(createHash('sha1').update(result.body).digest('hex')).toBe(c.expected_sha1);
  });
});

describe('a coded body', () => {
  const codings: [string, (input: Buffer) => Buffer][] = [
    ['gzip', zlib.gzipSync],
    ['deflate', zlib.deflateSync],
    ['deflate', zlib.deflateRawSync],
    ['br', zlib.brotliCompressSync],
  ];

  it.each(codings)('in %s comes out as it went in', async (coding, encode) => {
    const result = await decode(encode(text), [coding], CAPS);
    expect(result).toMatchObject({ code: 'ok', cut: false, damaged: false });
    expect(result.body.equals(text)).toBe(true);
  });

  it.each(codings)('in %s that was cut short is decoded as far as it goes', async (coding, encode) => {
    const whole = encode(text);
    const { code, body } = await decode(whole.subarray(0, whole.length >> 1), [coding], CAPS);
    expect(code).toBe('ok');
    expect(body.length).toBeGreaterThan(text.length / 4);
    expect(body.equals(text.subarray(0, body.length))).toBe(true);
  });

  it.each(codings)('in %s with something appended to it is decoded', async (coding, encode) => {
    const { code, body } = await decode(Buffer.concat([encode(text), Buffer.from('<!-- cached -->')]), [coding], CAPS);
    expect(code).toBe('ok');
    expect(body.equals(text)).toBe(true);
  });

  it.each(codings)('in %s that goes bad in the middle keeps what came before', async (coding, encode) => {
    const bad = Buffer.from(encode(text));
    bad.fill(0xff, bad.length >> 1, (bad.length >> 1) + 64);
    const { code, body } = await decode(bad, [coding], CAPS);
    expect(code).toBe('ok');
    let same = 0;
    while (same < body.length && body[same] === text[same]) same++;
    expect(same).toBeGreaterThan(text.length / 4);
  });

  it.each(codings)('in %s over the cap gives exactly the cap', async (coding, encode) => {
    const caps = { decoded: 50_000, ratio: 200, ratioFrom: MIB };
    const result = await decode(encode(text), [coding], caps);
    expect(result).toMatchObject({ code: 'ok', cut: true });
    expect(result.body.equals(text.subarray(0, 50_000))).toBe(true);
  });

  it.each(codings)('in %s of exactly the cap is not cut', async (coding, encode) => {
    const caps = { decoded: text.length, ratio: 200, ratioFrom: MIB };
    expect(await decode(encode(text), [coding], caps)).toMatchObject({ code: 'ok', cut: false });
  });

  it('with several gzip members is all of them, also when the last is cut or followed by junk', async () => {
    const [a, b] = [text.subarray(0, 40_000), text.subarray(40_000)];
    const members = Buffer.concat([zlib.gzipSync(a), zlib.gzipSync(b)]);
    for (const input of [members, Buffer.concat([members, Buffer.from('junk')])]) {
      expect((await decode(input, ['gzip'], CAPS)).body.equals(text)).toBe(true);
    }
    const cut = await decode(members.subarray(0, -100), ['gzip'], CAPS);
    expect(cut.body.length).toBeGreaterThan(40_000);
  });

  it('with every optional field in its gzip header and a bad checksum is decoded', async () => {
    const header = Buffer.from([0x1f, 0x8b, 8, 4 | 8 | 16 | 2, 0, 0, 0, 0, 0, 3, 3, 0, 1, 2, 3]);
    const names = Buffer.from('name\0comment\0\x12\x34', 'latin1');
    const input = Buffer.concat([header, names, zlib.deflateRawSync(text), Buffer.alloc(8, 0x55)]);
    const result = await decode(input, ['gzip'], CAPS);
    expect(result).toMatchObject({ code: 'ok', damaged: true });
    expect(result.body.equals(text)).toBe(true);
  });

  it('that was never coded is used as it is', async () => {
    for (const coding of ['gzip', 'deflate', 'br', 'zstd', 'x-gzip']) {
      const { code, body } = await decode(text, [coding], CAPS);
      expect([coding, code, body.equals(text)]).toEqual([coding, 'ok', true]);
    }
  });

  it('labelled with another coding than it has is decoded by what it is', async () => {
    for (const [label, input] of [
      ['br', zlib.gzipSync(text)],
      ['deflate', zlib.gzipSync(text)],
      ['gzip', zlib.deflateSync(text)],
    ] as const) {
      expect((await decode(input, [label], CAPS)).body.equals(text), label).toBe(true);
    }
  });

  it('with a label that means nothing is used as it is', async () => {
    for (const label of ['utf-8', 'none', 'text/html', 'binary', '__proto__', 'constructor']) {
      expect((await decode(text, [label], CAPS)).body.equals(text)).toBe(true);
    }
  });

  it('of noise fails, with a code', async () => {
    const noise = Buffer.concat([Buffer.from([0x1f, 0x8b]), Buffer.alloc(10, 0xfe)]);
    for (const coding of ['gzip', 'br', 'compress']) {
      expect(await decode(noise, [coding], CAPS)).toMatchObject({ code: 'decode.failed' });
    }
  });

  it('that nobody labelled is gunzipped only when sniffing is asked for, and noise behind the magic stays', async () => {
    const input = zlib.gzipSync(text);
    expect((await decode(input, [], CAPS)).body.equals(input)).toBe(true);
    expect((await decode(input, [], CAPS, true)).body.equals(text)).toBe(true);
    const noise = Buffer.concat([Buffer.from([0x1f, 0x8b, 8]), Buffer.alloc(10, 0xfe)]);
    expect((await decode(noise, [], CAPS, true)).body.equals(noise)).toBe(true);
  });
});

describe('any bytes under any label', () => {
  it('come out as something within the caps, or as a code', async () => {
    const small = text.subarray(0, 3000);
    const seeds = [
      small,
      zlib.gzipSync(small),
      zlib.deflateSync(small),
      zlib.deflateRawSync(small),
      zlib.brotliCompressSync(small),
    ];
    const labels = fc.array(fc.constantFrom('gzip', 'deflate', 'br', 'zstd', 'compress', 'nothing'), { maxLength: 3 });
    const mutations = fc.array(fc.tuple(fc.nat(4000), fc.nat(255)), { maxLength: 5 });
    const property = fc.asyncProperty(
      fc.nat(4),
      labels,
      mutations,
      fc.boolean(),
      async (which, codings, changes, sniff) => {
        const input = Buffer.from(seeds[which]);
        for (const [at, byte] of changes) input[at % input.length] = byte;
        const { code, body } = await decode(input, codings, { decoded: 2000, ratio: 200, ratioFrom: 1000 }, sniff);
        expect(['ok', 'decode.failed', 'decode.bomb']).toContain(code);
        expect(body.length).toBeLessThanOrEqual(2000);
      },
    );
    await fc.assert(property, { numRuns: 400 });
  });
});

describe('a decompression bomb', () => {
  const zeros = Buffer.alloc(32 * MIB);
  const bombs: [string, string[], Buffer][] = [
    ['gzip', ['gzip'], zlib.gzipSync(zeros)],
    ['deflate', ['deflate'], zlib.deflateSync(zeros)],
    ['brotli', ['br'], zlib.brotliCompressSync(zeros, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } })],
    ['gzip in gzip', ['gzip', 'gzip'], zlib.gzipSync(zlib.gzipSync(zeros))],
    ['unlabelled gzip', [], zlib.gzipSync(zeros)],
    ['gzip with junk behind it', ['gzip'], Buffer.concat([zlib.gzipSync(zeros), Buffer.from('junk')])],
  ];

  it.each(bombs)('in %s is recognised before it takes memory', async (_, codings, input) => {
    const before = process.memoryUsage().external;
    const result = await decode(input, codings, CAPS, true);
    expect(result).toMatchObject({ code: 'decode.bomb' });
    expect(result.body.length).toBe(0);
    expect(process.memoryUsage().external - before).toBeLessThan(24 * MIB);
  });

  it('of many layers is refused', async () => {
    expect(await decode(text, Array(6).fill('gzip'), CAPS)).toMatchObject({ code: 'decode.failed' });
  });

  it('is not suspected in a page that is small or compresses well within the ratio', async () => {
    const repetitive = Buffer.alloc(MIB - 1, 'abc');
    expect(await decode(zlib.gzipSync(repetitive), ['gzip'], CAPS)).toMatchObject({ code: 'ok', cut: false });
    const padded = Buffer.concat([zeros.subarray(0, 4 * MIB), Buffer.from(text.toString('base64'))]);
    expect(await decode(zlib.gzipSync(padded), ['gzip'], CAPS)).toMatchObject({ code: 'ok', cut: false });
  });

  it('made of ten thousand gzip members does not take long', async () => {
    const many = Buffer.concat(Array(10_000).fill(zlib.gzipSync('x')));
    const started = performance.now();
    await decode(Buffer.concat([many, Buffer.from('junk')]), ['gzip'], CAPS);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});
