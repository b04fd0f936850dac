/** Content codings: cut, doubled, damaged or mislabelled, a body comes out within its caps, or a code does. */
import assert from 'node:assert/strict';
import zlib from 'node:zlib';
import fc from 'fast-check';
import { decode } from '../../src/fetch/decode.js';
import { bytesOf, type FuzzTarget } from './target.js';

interface Case {
  readonly coding: 'gzip' | 'deflate' | 'raw' | 'br' | 'plain';
  readonly labels: readonly string[];
  /** What is done to the coded bytes. */
  readonly how: 'whole' | 'cut' | 'doubled' | 'tail' | 'damaged';
  readonly at: number;
  readonly junk: string;
  readonly size: number;
  readonly decoded: number;
  readonly sniff: boolean;
}

const TEXT = Buffer.from(Array.from({ length: 700 }, (_, i) => `<p>paragraph ${i * 7919} of a page</p>\n`).join(''));
const CODERS: Readonly<Record<Case['coding'], (input: Buffer) => Buffer>> = {
  gzip: (input) => zlib.gzipSync(input),
  deflate: (input) => zlib.deflateSync(input),
  raw: (input) => zlib.deflateRawSync(input),
  br: (input) => zlib.brotliCompressSync(input),
  plain: (input) => input,
};
const LABELS: Readonly<Record<Case['coding'], readonly string[]>> = {
  ...{ gzip: ['gzip'], deflate: ['deflate'], raw: ['deflate'], br: ['br'], plain: [] },
};

function change(coded: Buffer, { how, at, junk }: Case): Buffer {
  const place = at % (coded.length + 1);
  if (how === 'cut') return coded.subarray(0, place);
  if (how === 'doubled') return Buffer.concat([coded, coded]);
  if (how === 'tail') return Buffer.concat([coded, bytesOf(junk)]);
  if (how === 'whole') return coded;
  return Buffer.concat([coded.subarray(0, place), bytesOf(junk), coded.subarray(place + junk.length)]);
}

export const decodeTarget: FuzzTarget<Case> = {
  name: 'decode',
  suiteRuns: 250,
  cases: () =>
    fc.record({
      coding: fc.constantFrom(...(Object.keys(CODERS) as Case['coding'][])),
      labels: fc.oneof(
        { weight: 3, arbitrary: fc.constant(['own']) },
        {
          weight: 1,
          arbitrary: fc.array(fc.constantFrom('gzip', 'deflate', 'br', 'zstd', 'compress', 'nothing', '__proto__'), {
            maxLength: 6,
          }),
        },
      ),
      how: fc.constantFrom<Case['how'][]>('whole', 'cut', 'doubled', 'tail', 'damaged'),
      at: fc.nat(40_000),
      junk: fc.uint8Array({ minLength: 1, maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
      size: fc.oneof(fc.nat(200), fc.nat(TEXT.length)),
      decoded: fc.constantFrom(1, 500, 1_000_000),
      sniff: fc.boolean(),
    }),
  async check(input) {
    const text = TEXT.subarray(0, input.size);
    const coded = change(CODERS[input.coding](text), input);
    const own = input.labels.length === 1 && input.labels[0] === 'own';
    const labels = own ? LABELS[input.coding] : input.labels;
    const caps = { decoded: input.decoded, ratio: 200, ratioFrom: 100_000 };
    const { code, body, cut } = await decode(coded, labels, caps, input.sniff);
    assert.ok(['ok', 'decode.failed', 'decode.bomb'].includes(code));
    assert.ok(body.length <= input.decoded);
    if (code !== 'ok') assert.equal(body.length, 0);
    if (!own || code !== 'ok') {
      if (own && (input.how === 'whole' || input.how === 'cut' || input.how === 'tail'))
        assert.equal(input.how === 'whole', false, 'a whole body was refused');
      return;
    }
    const wanted = text.subarray(0, input.decoded);
    if (input.how === 'whole') assert.ok(body.equals(wanted), 'a whole body came out as another');
    if (input.how === 'whole') assert.equal(cut, text.length > input.decoded);
    if (input.how === 'cut' && input.coding !== 'raw' && input.coding !== 'br' && coded.length > 20) {
      assert.ok(body.equals(text.subarray(0, body.length)), 'a cut body is no beginning of the whole');
    }
    if (input.how === 'doubled' && input.coding === 'gzip') {
      assert.ok(
        body.equals(Buffer.concat([text, text]).subarray(0, input.decoded)),
        'two members are not the two texts',
      );
    }
    if (input.how === 'tail' && input.coding === 'gzip' && text.length > 0) {
      assert.ok(body.subarray(0, text.length).equals(wanted), 'junk behind a body changed it');
    }
  },
};
