/** Packed links: what is unpacked is what was packed, however it was handed over in between. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  LinkPacker,
  linkFlags,
  linkKeyHi,
  linkKeyLo,
  linkPriority,
  linkUrl,
  type PackedLinks,
} from '../../src/url/packed-links.js';
import type { FuzzTarget } from './target.js';

interface Link {
  readonly hi: number;
  readonly lo: number;
  readonly url: string;
  readonly flags: number;
  readonly priority: number | null;
  /** What was packed so far is handed over before this one. */
  readonly take: boolean;
}

const half = fc.integer({ min: 0, max: 0xffff_ffff });
const ascii = fc.string({ unit: fc.constantFrom(...'abc/?=&%~'), maxLength: 60 });

export const packedLinksTarget: FuzzTarget<readonly Link[]> = {
  name: 'packed-links',
  suiteRuns: 150,
  cases: () =>
    fc.array(
      fc.record({
        hi: half,
        lo: half,
        url: fc.oneof(
          { weight: 30, arbitrary: ascii },
          { weight: 1, arbitrary: fc.integer({ min: 60_000, max: 65_535 }).map((size) => 'x'.repeat(size)) },
        ),
        flags: fc.nat(255),
        priority: fc.option(fc.integer({ min: 0, max: 100 }).map((n) => n / 100)),
        take: fc.boolean(),
      }),
      { maxLength: 60 },
    ),
  check(links) {
    const packer = new LinkPacker();
    const batches: PackedLinks[] = [];
    for (const { hi, lo, url, flags, priority, take } of links) {
      if (take) batches.push(packer.take());
      packer.add(hi, lo, url, flags, priority);
    }
    batches.push(packer.take());
    assert.equal(packer.count, 0);
    const [plain, fromBytes] = [new LinkPacker(), new LinkPacker()];
    for (const { hi, lo, url } of links) {
      plain.add(hi, lo, url);
      fromBytes.addBytes(hi, lo, Buffer.from(`${url} and more`), url.length);
    }
    assert.deepEqual(fromBytes.take(), plain.take());
    const unpacked = batches.flatMap((batch) =>
      Array.from({ length: batch.words.length / 4 }, (_, i) => ({
        ...{ hi: linkKeyHi(batch, i), lo: linkKeyLo(batch, i), url: linkUrl(batch, i) },
        ...{ flags: linkFlags(batch, i), priority: linkPriority(batch, i) },
      })),
    );
    assert.deepEqual(
      unpacked,
      links.map(({ take: _, ...link }) => link),
    );
  },
};
