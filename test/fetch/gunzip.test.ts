import { gunzipSync, gzipSync, constants as zlib } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BufferPool } from '../../src/buffer-pool.js';
import { BodyBuffer } from '../../src/fetch/http-body.js';
import { gunzipAtOnce, gunzipBeginning } from '../../src/gunzip.js';
import { ZlibEngine } from '../../src/zlib-engine.js';

const LIMIT = 1 << 20;
const content = fc.oneof(
  fc.uint8Array({ maxLength: 3_000 }).map((bytes) => Buffer.from(bytes)),
  fc.nat(300_000).map((length) => Buffer.alloc(length, 'much of the web is said twice, ')),
);
const edit = fc.record({ at: fc.nat(3_000), byte: fc.nat(255) });
const tail = fc.constantFrom('', '\0\0\0', 'junk', 'second member');

test('an engine that is kept answers as gunzipSync, or not at all, whatever came before', () => {
  expect(ZlibEngine.gunzip().isUsable && ZlibEngine.gzip(1).isUsable).toBe(true);
  let answers = 0;
  fc.assert(
    fc.property(
      content,
      fc.array(edit, { maxLength: 2 }),
      fc.nat(60),
      fc.boolean(),
      tail,
      fc.constantFrom(zlib.Z_FINISH, zlib.Z_SYNC_FLUSH),
      (plain, edits, cut, isCut, behind, finishFlush) => {
        let input = gzipSync(plain, { level: 1 });
        if (behind !== '') {
          input = Buffer.concat([input, behind === 'second member' ? gzipSync('and more') : Buffer.from(behind)]);
        }
        for (const { at, byte } of edits) if (at < input.length) input[at] = byte;
        if (isCut) input = input.subarray(0, Math.max(0, input.length - cut));
        let expected: Buffer | null;
        try {
          expected = gunzipSync(input, { finishFlush, maxOutputLength: LIMIT });
        } catch {
          expected = null;
        }
        const answer = gunzipAtOnce(input, LIMIT, finishFlush);
        if (answer === null) return;
        answers++;
        expect(expected?.equals(answer)).toBe(true);
      },
    ),
    { numRuns: 300 },
  );
  expect(answers).toBeGreaterThan(50);
});

test('no more comes out than the limit, and the beginning of cut bytes fits the room for it', () => {
  const input = gzipSync(Buffer.alloc(50_000, 'a page'));
  expect(gunzipAtOnce(input, 50_000, zlib.Z_FINISH)?.length).toBe(50_000);
  expect(gunzipAtOnce(input, 49_999, zlib.Z_FINISH)).toBeNull();
  const lying = Buffer.from(input);
  lying.writeUInt32LE(10, lying.length - 4);
  expect(gunzipAtOnce(lying, 50_000, zlib.Z_FINISH)).toBeNull();
  const room = Buffer.alloc(100);
  expect(gunzipBeginning(input.subarray(0, 60), room)?.toString('latin1', 0, 12)).toBe('a pagea page');
  expect(gunzipBeginning(Buffer.from('no gzip'), room)).toBeNull();
});

test('no two holders have the same memory, and what waits is bounded', () => {
  const most = 256 * 1024;
  const pool = new BufferPool(most);
  const held: Buffer[] = [];
  const slab = Buffer.allocUnsafeSlow(64 * 1024).subarray(0, 100);
  const memories = new Set<ArrayBufferLike>([slab.buffer]);
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(700_000), fc.nat()), { maxLength: 60 }), (steps) => {
      for (const [takes, size, which] of steps) {
        if (takes || held.length === 0) {
          const buffer = pool.take(size);
          expect(buffer.length).toBeGreaterThanOrEqual(size);
          if (size < 4096) continue;
          expect(memories.has(buffer.buffer)).toBe(false);
          memories.add(buffer.buffer);
          held.push(buffer);
        } else {
          const [buffer] = held.splice(which % held.length, 1);
          memories.delete(buffer.buffer);
          pool.give(buffer.subarray(0, 10));
          pool.give(buffer); // by mistake
          pool.give(slab); // somebody else's
        }
        expect(pool.bytes).toBeLessThanOrEqual(most);
      }
    }),
    { numRuns: 50 },
  );
});

test('a body is handed out once: taken again it is empty, and bytes that come late go elsewhere', () => {
  for (const size of [100, 5_000, 40_000]) {
    const body = new BodyBuffer(1e6);
    body.append(Buffer.alloc(size, 'a'), 0, size);
    const taken = body.take();
    expect(body.take().length).toBe(0);
    body.append(Buffer.alloc(size, 'b'), 0, size);
    expect(taken.equals(Buffer.alloc(size, 'a'))).toBe(true);
  }
});

test('a large buffer is freed when it is given back, whatever part of it is given; nobody else is', () => {
  const pool = new BufferPool(1 << 20);
  const before = process.memoryUsage().arrayBuffers;
  for (let round = 0; round < 100; round++) {
    const large = pool.take(8 << 20);
    const part = large.subarray(100, 200);
    pool.give(part);
    expect([large.length, part.length]).toEqual([0, 0]);
    pool.give(large); // twice does no harm
  }
  // 100 of them are 3.3 GB, had they waited for the collector
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1 << 30);
  const foreign = Buffer.alloc(8 << 20, 1);
  pool.give(foreign);
  expect([foreign.length, foreign[0]]).toEqual([8 << 20, 1]);
});
