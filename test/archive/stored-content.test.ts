import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gzipRecord, storedContent } from '../../src/archive/gzip-member.js';

const LIMIT = 1 << 20;
const bytes = fc.uint8Array({ maxLength: 2_000 }).map((content) => Buffer.from(content));

test('stored blocks are read as zlib reads them', () => {
  fc.assert(
    fc.property(bytes, bytes, fc.nat(200_000), (head, body, more) => {
      const long = Buffer.concat([body, Buffer.alloc(more, 'stored, and longer than one block')]);
      for (const member of [gzipRecord(head, body, 0), gzipSync(long, { level: 0 })]) {
        expect(storedContent(member, LIMIT)?.equals(gunzipSync(member))).toBe(true);
      }
    }),
    { numRuns: 60 },
  );
});

test('whatever else a member is, it is left to zlib: never other bytes, never more than the limit', () => {
  const edit = fc.record({ at: fc.nat(3_000), byte: fc.nat(255) });
  fc.assert(
    fc.property(
      bytes,
      fc.array(edit, { maxLength: 3 }),
      fc.nat(40),
      fc.constantFrom(0, 1, 6),
      (content, edits, cut, level) => {
        const whole = gzipSync(content, { level });
        const member = Buffer.from(whole.subarray(0, whole.length - cut));
        for (const { at, byte } of edits) if (at < member.length) member[at] = byte;
        const read = storedContent(member, LIMIT);
        if (read !== null) expect(read.equals(gunzipSync(member))).toBe(true);
      },
    ),
    { numRuns: 400 },
  );
  const member = gzipSync(Buffer.alloc(5_000, 'x'), { level: 0 });
  expect(storedContent(member, 5_000)).toHaveLength(5_000);
  expect(storedContent(member, 4_999)).toBeNull();
});
