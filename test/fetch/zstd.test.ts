/** The reader of zstd for Nodes without one; where Node has one, the same bytes must give the same. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode } from '../../src/fetch/decode.js';
import { unzstd } from '../../src/fetch/zstd.js';

const MIB = 1 << 20;
const page = readFileSync(
  new URL('../fixtures/http_compressed/html-zstd-streaming-no-content-size.bin', import.meta.url),
);

const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
/** Window of 8 MiB, no option. */
const PLAIN = [...MAGIC, 0, 0x68];
const block = (type: 0 | 1 | 2, size: number, bytes: readonly number[] | Buffer, isLast = true): Buffer => {
  const header = Buffer.alloc(3);
  header.writeUIntLE((size << 3) | (type << 1) | (isLast ? 1 : 0), 0, 3);
  return Buffer.concat([header, Buffer.from(bytes)]);
};
const raw = (text: string, isLast = true): Buffer => block(0, text.length, Buffer.from(text), isLast);
const frame = (head: readonly number[], ...blocks: Buffer[]): Buffer => Buffer.concat([Buffer.from(head), ...blocks]);
const textOf = async (input: Buffer, limit = MIB) => {
  const got = await unzstd(input, limit);
  return got === null ? null : [got.body.toString('latin1'), got.state];
};

describe('a zstd body', () => {
  it('is read whatever its header says of size, checksum and window, over several frames, up to what is none', async () => {
    const sized = frame([...MAGIC, 0x20, 5], raw('hello'));
    const checked = frame([...MAGIC, 0x04, 0x68], raw('hello'), Buffer.from([1, 2, 3, 4]));
    const lying = frame([...MAGIC, 0xc0, 0xff, 255, 255, 255, 255, 255, 255, 255, 127], raw('hello'));
    const skippable = Buffer.from([0x57, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 9, 9, 9]);
    for (const input of [sized, checked, lying]) expect(await textOf(input)).toEqual(['hello', 'whole']);
    const many = Buffer.concat([sized, skippable, checked, Buffer.from('<!-- cached -->')]);
    expect(await textOf(many)).toEqual(['hellohello', 'whole']);
  });

  it('that was cut short anywhere gives the blocks that came whole', async () => {
    const whole = frame(PLAIN, raw('one ', false), block(1, 3, [0x78], false), raw(' two'));
    expect(await textOf(whole)).toEqual(['one xxx two', 'whole']);
    for (let cut = 0; cut < whole.length; cut++) {
      const got = await textOf(whole.subarray(0, cut));
      if (got === null) expect(cut).toBeLessThan(13);
      else expect(['one ', 'one xxx']).toContain(got[0]);
    }
  });

  it('over its limit gives exactly the limit, and of the limit exactly is whole', async () => {
    const got = await decode(page, ['zstd'], { decoded: 50_000, ratio: 200, ratioFrom: MIB });
    expect([got.code, got.cut, got.body.length]).toEqual(['ok', true, 50_000]);
    const { body } = await decode(page, ['zstd'], { decoded: MIB, ratio: 200, ratioFrom: MIB });
    expect(body.subarray(0, 50_000).equals(got.body)).toBe(true);
    expect(await textOf(frame(PLAIN, block(1, 9, [0x61])), 9)).toEqual(['a'.repeat(9), 'whole']);
    expect(await textOf(frame(PLAIN, block(1, 9, [0x61])), 8)).toEqual(['a'.repeat(8), 'over']);
  });

  it('that needs a dictionary, or is none at all, is not read', async () => {
    expect(await textOf(frame([...MAGIC, 1, 0x68, 7], raw('hello')))).toBeNull();
    expect(await textOf(frame([...MAGIC, 8, 0x68], raw('hello')))).toBeNull();
    expect(await textOf(Buffer.from('<html>'))).toBeNull();
    expect(await textOf(frame(PLAIN, block(2, 5, Buffer.from('junk!'))))).toBeNull();
  });

  it('that is a bomb is recognised before it takes memory', async () => {
    const blocks = Array.from({ length: 100_000 }, (_, i) => block(1, 128 * 1024, [0], i === 99_999));
    const before = process.memoryUsage().rss;
    const result = await decode(frame(PLAIN, ...blocks).subarray(0, 50_000), ['zstd'], {
      ...{ decoded: 20 * MIB, ratio: 20, ratioFrom: MIB },
    });
    expect(result).toMatchObject({ code: 'decode.bomb' });
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * MIB);
  });

  it('of any bytes comes out as something within the limit, or as nothing', async () => {
    const changes = fc.array(fc.tuple(fc.nat(page.length - 1), fc.nat(255)), { maxLength: 4 });
    const property = fc.asyncProperty(changes, fc.nat(page.length), async (mutations, cut) => {
      const input = Buffer.from(page.subarray(0, cut));
      for (const [at, byte] of mutations) if (at < cut) input[at] = byte;
      const got = await unzstd(input, 60_000);
      expect(got?.body.length ?? 0).toBeLessThanOrEqual(60_000);
    });
    await fc.assert(property, { numRuns: 300 });
  });
});
