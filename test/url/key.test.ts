import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyHex, UrlKeyer } from '../../src/url/key.js';

const SECRET = Uint8Array.from({ length: 16 }, (_, i) => i);

/** SipHash-1-3 a second time, from the paper, on 64-bit integers. */
function sipHash13(secret: Uint8Array, message: Uint8Array): bigint {
  const word = (bytes: Uint8Array, at: number) =>
    [...bytes.subarray(at, at + 8)].reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  const rotate = (x: bigint, by: bigint) => BigInt.asUintN(64, (x << by) | (x >> (64n - by)));
  const k0 = word(secret, 0);
  const k1 = word(secret, 8);
  const v = [k0 ^ 0x736f6d6570736575n, k1 ^ 0x646f72616e646f6dn, k0 ^ 0x6c7967656e657261n, k1 ^ 0x7465646279746573n];
  const half = (a: number, b: number, by: bigint) => {
    v[a] = BigInt.asUintN(64, v[a] + v[b]);
    v[b] = rotate(v[b], by) ^ v[a];
  };
  const round = () => {
    half(0, 1, 13n);
    v[0] = rotate(v[0], 32n);
    half(2, 3, 16n);
    half(0, 3, 21n);
    half(2, 1, 17n);
    v[2] = rotate(v[2], 32n);
  };
  const padded = new Uint8Array((message.length & ~7) + 8);
  padded.set(message);
  padded[padded.length - 1] = message.length;
  for (let at = 0; at < padded.length; at += 8) {
    v[3] ^= word(padded, at);
    round();
    v[0] ^= word(padded, at);
  }
  v[2] ^= 0xffn;
  for (let i = 0; i < 3; i++) round();
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

const hex64 = (value: bigint) => value.toString(16).padStart(16, '0');

describe('keys', () => {
  it('are the published SipHash-1-3 of every length from 0 to 63 bytes', () => {
    const vectors = readFileSync(new URL('../fixtures/url/siphash13.txt', import.meta.url), 'utf8')
      .trim()
      .split('\n');
    expect(vectors).toHaveLength(64);
    const keyer = new UrlKeyer(SECRET);
    vectors.forEach((vector, length) => {
      keyer.hashBytes(Uint8Array.from({ length }, (_, i) => i));
      const littleEndian = Buffer.from(vector, 'hex').reverse().toString('hex');
      expect([length, keyHex(keyer.hi, keyer.lo)]).toEqual([length, littleEndian]);
    });
  });

  it('are the SipHash-1-3 of the UTF-8 of any text under any secret', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 16, maxLength: 16 }),
        fc.oneof(fc.string({ maxLength: 200 }), fc.string({ unit: 'binary', maxLength: 50 })),
        (secret, text) => {
          expect(new UrlKeyer(secret).hex(text)).toBe(hex64(sipHash13(secret, new TextEncoder().encode(text))));
        },
      ),
      { numRuns: 500, seed: 8 },
    );
  });

  it('do not depend on what was hashed before', () => {
    const keyer = new UrlKeyer(SECRET);
    const fresh = (text: string) => new UrlKeyer(SECRET).hex(text);
    for (const text of ['x'.repeat(10_000), '', 'é', 'http://a.com/', 'x'.repeat(9), 'x'.repeat(16)]) {
      expect(keyer.hex(text)).toBe(fresh(text));
    }
  });

  it('come as two unsigned halves and as sixteen digits', () => {
    const keyer = new UrlKeyer(new Uint8Array(16));
    const hex = keyer.hex('http://example.com/');
    expect(hex).toMatch(/^[0-9a-f]{16}$/);
    expect(keyHex(keyer.hi, keyer.lo)).toBe(hex);
    expect(keyer.hi).toBeGreaterThanOrEqual(0);
    expect(keyHex(0, 1)).toBe('0000000000000001');
  });

  it('need a secret of 128 bits', () => {
    expect(() => new UrlKeyer(new Uint8Array(8))).toThrow(RangeError);
  });
});
