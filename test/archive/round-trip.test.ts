import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gzipRecord, looksCompressed } from '../../src/archive/gzip-member.js';
import { splitHttp } from '../../src/archive/http-message.js';
import { checkDigests } from '../../src/archive/record-digests.js';
import { storedHead } from '../../src/archive/stored-head.js';
import { base32, RecordIds } from '../../src/archive/warc-fields.js';
import { readRecordAt, readRecords } from '../../src/archive/warc-reader.js';
import type { WarcRecord } from '../../src/archive/warc-record.js';
import { DATE, exchange, readOutside, scratch, segmentWriter } from './exchanges.js';

/** Text that tries to break out of its line, its header or its record. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    'a\r\nWARC-Type: response',
    '\r\n\r\nWARC/1.1\r\n',
    'x\nContent-Length: 0\n\n',
    '\0\x7f\x1b[2J',
    ' <urn:uuid:x> ',
    '\ud800',
    'ä 漢 \u2028',
  ),
);
const body = fc.oneof(
  fc.uint8Array({ maxLength: 3000 }),
  fc.nat(80_000).map((n) => randomBytes(n)),
  fc.nat(80_000).map((n) => Buffer.alloc(n, 'WARC/1.1\r\nWARC-Type: response\r\n\r\n')),
  fc.constant(gzipSync('WARC/1.1\r\n'.repeat(4000))),
);
const responseHead = fc
  .array(
    fc.oneof(
      hostile,
      fc.constantFrom('Content-Length: 5', 'content-length : 1', 'Transfer-Encoding: chunked', 'TE: x', ' folded', ''),
    ),
    { maxLength: 8 },
  )
  .chain((lines) =>
    fc.constantFrom('\r\n', '\n', '').map((end) => `HTTP/1.1 200 OK${end}${lines.join(end)}${end}${end}`),
  );

async function readAll(path: string): Promise<WarcRecord[]> {
  const records: WarcRecord[] = [];
  for await (const record of readRecords(path)) records.push(record);
  return records;
}

test('whatever servers send, a record is read back as it was written and holds nothing else', async () => {
  const record = fc.record({
    path: hostile,
    address: hostile,
    head: responseHead,
    payload: body,
    truncated: fc.constantFrom(null, 'length' as const, 'time' as const, 'disconnect' as const),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 4 }), hostile, async (inputs, operator) => {
      const dir = scratch();
      const writer = segmentWriter(dir, { info: { software: 'x', operator } });
      const appended = inputs.map(({ path, address, head, payload, truncated }) => {
        const over = { address, truncated, payload: Buffer.from(payload), responseHead: Buffer.from(head, 'latin1') };
        return writer.append({ ...exchange('http://example.org/', over), url: `http://example.org/${path}` });
      });
      writer.close();
      const path = join(dir, appended[0].segment);
      const records = await readAll(path);
      expect(records.map((r) => r.type)).toEqual(['warcinfo', ...inputs.flatMap(() => ['request', 'response'])]);
      inputs.forEach(({ payload }, i) => {
        const read = records[2 * i + 2];
        expect(read.problems).toEqual([]);
        expect([read.offset, read.length, read.recordId]).toEqual([
          appended[i].offset,
          appended[i].length,
          appended[i].recordId,
        ]);
        expect(checkDigests(read)).toEqual({ block: 'pass', payload: 'pass' });
        const http = splitHttp(read, { dechunk: true })!;
        expect(http.payload.equals(Buffer.from(payload))).toBe(true);
        const lengths = http.headers.all('Content-Length');
        if (lengths.length > 0) expect(lengths).toEqual([String(payload.length)]);
        expect(http.headers.get('Transfer-Encoding')).toBeNull();
        const alone = readRecordAt(path, read.offset, read.length);
        expect(alone.block.equals(read.block)).toBe(true);
      });
    }),
    { numRuns: 60 },
  );
});

test('another reader agrees about records with hostile values', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(hostile, body), { minLength: 1, maxLength: 3 }), async (inputs) => {
      const dir = scratch();
      const writer = segmentWriter(dir);
      for (const [value, payload] of inputs) {
        const over = { address: value, payload: Buffer.from(payload) };
        writer.append({ ...exchange('http://example.org/', over), url: `http://example.org/${value}` });
      }
      writer.close();
      const records = await readOutside(join(dir, 'crawl-1-w0-00000.warc.gz'));
      expect(records.length).toBe(1 + 2 * inputs.length);
      inputs.forEach(([, payload], i) => {
        expect(records[2 * i + 2].payload.equals(Buffer.from(payload))).toBe(true);
      });
    }),
    { numRuns: 30 },
  );
});

describe('the stored head', () => {
  const stored = (head: string, length: number | null): string =>
    storedHead(Buffer.from(head, 'latin1'), length).toString('latin1');

  test('is the head that came, byte for byte, where that is true and whole', () => {
    const head = Buffer.from('HTTP/1.1 200 OK\r\nX: \xff\r\nContent-Length:  12 \r\n\r\n', 'latin1');
    expect(storedHead(head, 12)).toBe(head);
    expect(storedHead(head, null)).toBe(head);
  });

  test.each([
    [
      'a transfer coding that was removed',
      'H\r\ntransfer-encoding: chunked\r\n\r\n',
      'H\r\nX-Archive-Orig-transfer-encoding: chunked\r\n\r\n',
    ],
    [
      'a wrong length',
      'H\r\nContent-Length: 99\r\nA: b\r\n\r\n',
      'H\r\nContent-Length: 7\r\nX-Archive-Orig-Content-Length: 99\r\nA: b\r\n\r\n',
    ],
    [
      'a right length that the next line continues',
      'H\r\ncontent-length : 7\r\n folded\r\n\r\n',
      'H\r\nContent-Length: 7\r\nX-Archive-Orig-content-length : 7\r\n folded\r\n\r\n',
    ],
    [
      'two lengths',
      'H\r\nContent-Length: 7\r\ncontent-length: 7\r\n\r\n',
      'H\r\nContent-Length: 7\r\nX-Archive-Orig-Content-Length: 7\r\nX-Archive-Orig-content-length: 7\r\n\r\n',
    ],
    ['bare line feeds', 'H\nA: b\n\n', 'H\r\nA: b\r\n\r\n'],
    ['a missing end', 'H\r\nA: b', 'H\r\nA: b\r\n\r\n'],
    ['bytes behind the end', 'H\r\n\r\nrest', 'H\r\n\r\n'],
    ['empty lines before the status line', '\r\n\nH\r\n\r\n', 'H\r\n\r\n'],
    ['nothing', '', '\r\n\r\n'],
  ])('%s', (_, head, wanted) => {
    expect(stored(head, 7)).toBe(wanted);
  });
});

const MIB = 1 << 20;

test('a gzip member holds head, body and record end, at every size around the limits of stored blocks and slices', () => {
  const head = Buffer.from('WARC/1.1\r\n\r\n');
  for (const size of [0, 1, 2047, 2048, 65_534, 65_535, 65_536, 131_070, 131_071, 200_000, MIB, MIB + 1, 3 * MIB]) {
    for (const bytes of [randomBytes(size), Buffer.alloc(size, 'text ')]) {
      const member = gzipRecord(head, bytes, 1);
      expect(gunzipSync(member).equals(Buffer.concat([head, bytes, Buffer.from('\r\n\r\n')]))).toBe(true);
    }
  }
});

test('compressed bodies are told from text in any script', () => {
  const words = 'The quick brown fox jumps over the lazy dog. ';
  expect(looksCompressed(gzipSync(randomBytes(3000).toString('base64')))).toBe(true);
  expect(looksCompressed(randomBytes(5000))).toBe(true);
  for (const text of [
    words,
    'Съешь же ещё этих мягких булок. ',
    '天地玄黃宇宙洪荒日月盈昃辰宿列張',
    'いろはにほへとちりぬるを',
  ]) {
    expect(looksCompressed(Buffer.from(text.repeat(300)))).toBe(false);
  }
  expect(looksCompressed(Buffer.from(randomBytes(5000).toString('base64')))).toBe(false);
});

test('base32 is that of RFC 4648', () => {
  const vectors = ['', 'MY======', 'MZXQ====', 'MZXW6===', 'MZXW6YQ=', 'MZXW6YTB', 'MZXW6YTBOI======'];
  vectors.forEach((wanted, n) => {
    expect(base32(Buffer.from('foobar').subarray(0, n))).toBe(wanted);
  });
});

test('record ids are version 4 UUIDs of the given random bytes, and do not repeat', () => {
  let fills = 0;
  const fixed = new RecordIds((target) => target.fill(fills++ === 0 ? 0xff : 0));
  expect(fixed.next()).toBe('urn:uuid:ffffffff-ffff-4fff-bfff-ffffffffffff');
  const ids = new RecordIds();
  expect(new Set(Array.from({ length: 1000 }, () => ids.next())).size).toBe(1000);
});

describe('a damaged file', () => {
  function segment(): { path: string; bytes: Buffer; ends: number[] } {
    const dir = scratch();
    const writer = segmentWriter(dir);
    const appended = [1, 2, 3].map((n) =>
      writer.append(exchange(`http://example.org/${n}`, { payload: randomBytes(3000) })),
    );
    writer.close();
    const path = join(dir, appended[0].segment);
    return { path, bytes: readFileSync(path), ends: appended.map((a) => a.offset + a.length) };
  }

  test('cut at any place gives the records before it, then an error with the offset of the cut member', async () => {
    const { path, bytes, ends } = segment();
    for (let size = ends[1] + 1; size < bytes.length; size += 311) {
      writeFileSync(path, bytes.subarray(0, size));
      const read: WarcRecord[] = [];
      const reading = (async () => {
        for await (const record of readRecords(path)) read.push(record);
      })();
      const last = read.at(-1);
      await expect(reading).rejects.toThrow(/at offset \d+$/);
      expect(read.length).toBeGreaterThanOrEqual(5);
      expect(last ? last.offset + last.length : 0).toBeLessThanOrEqual(size);
    }
  });

  test('with any one byte changed never gives another payload without an error or a failed digest', async () => {
    const { path, bytes } = segment();
    const original = await readAll(path);
    for (let i = 0; i < bytes.length; i += 197) {
      const changed = Buffer.from(bytes);
      changed[i] ^= 0x55;
      writeFileSync(path, changed);
      const records = await readAll(path).catch(() => null);
      // What a reader ignores (gzip's time and system fields) may change; nothing else may without an error.
      if (records) expect(records.map((r) => r.block)).toEqual(original.map((r) => r.block));
    }
  });

  test('random bytes, plain or behind a gzip magic, end in an error and not in a hang', async () => {
    const path = join(scratch(), 'x.warc.gz');
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 2000 }), fc.boolean(), async (junk, gzip) => {
        const bytes = Buffer.from(junk);
        writeFileSync(path, gzip ? Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0]), bytes]) : bytes);
        const records = await readAll(path).catch((error: Error) => error.name);
        if (bytes.some((byte) => byte !== 10 && byte !== 13)) expect(records).toBe('WarcFormatError');
      }),
      { numRuns: 200 },
    );
  });
});

describe('large and unusual files', () => {
  const record = (url: string, block: Buffer): Buffer =>
    Buffer.concat([
      Buffer.from(
        `WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:x:${url}>\r\nWARC-Target-URI: <${url}>\r\n` +
          `WARC-Date: 2020-01-01T00:00:00Z\r\nContent-Type: text/plain;\r\n charset=utf-8\r\nContent-Length: ${block.length}\r\n\r\n`,
      ),
      block,
      Buffer.from('\r\n\r\n'),
    ]);
  const small = Buffer.from('small');
  const large = Buffer.alloc(12 * 1024 * 1024, 'large ');

  test('a member of any size is read in steps; a block over the limit is cut, and the next record is found', async () => {
    const path = join(scratch(), 'large.warc.gz');
    const members = [small, large, randomBytes(600_000), small].map((block, i) => gzipSync(record(`u:${i}`, block)));
    writeFileSync(path, Buffer.concat(members));
    const read: WarcRecord[] = [];
    for await (const r of readRecords(path, { blockLimit: 1000 })) read.push(r);
    expect(read.map((r) => [r.url, r.block.length, r.blockLength])).toEqual([
      ['u:0', 5, 5],
      ['u:1', 1000, large.length],
      ['u:2', 1000, 600_000],
      ['u:3', 5, 5],
    ]);
    expect(read.map((r) => r.length)).toEqual(members.map((m) => m.length));
    expect(read[0].contentType).toBe('text/plain; charset=utf-8');
    expect(readRecordAt(path, read[3].offset, read[3].length).block.toString()).toBe('small');
  });

  test('records that share a gzip member are read, and are marked as not to be sought', async () => {
    const path = join(scratch(), 'one.warc.gz');
    writeFileSync(path, gzipSync(Buffer.concat(['a:1', 'a:2', 'a:3'].map((url) => record(url, small)))));
    const read = await readAll(path);
    expect(read.map((r) => [r.url, r.offset, r.length])).toEqual([
      ['a:1', 0, 0],
      ['a:2', 0, 0],
      ['a:3', 0, 0],
    ]);
  });

  test('reading may begin at a record and stop after some', async () => {
    const path = join(scratch(), 'plain.warc');
    writeFileSync(path, Buffer.concat(['a:1', 'a:2', 'a:3'].map((url) => record(url, small))));
    const [, second] = await readAll(path);
    const read: string[] = [];
    for await (const r of readRecords(path, { offset: second.offset, limit: 1 })) read.push(r.url!);
    expect(read).toEqual(['a:2']);
  });

  test('a bomb is read without holding it', async () => {
    const path = join(scratch(), 'bomb.warc.gz');
    writeFileSync(path, gzipSync(record('u:0', Buffer.alloc(100 * 1024 * 1024)), { level: 1 }));
    const before = process.memoryUsage.rss();
    for await (const r of readRecords(path, { blockLimit: 1000 })) expect(r.block.length).toBe(1000);
    expect(process.memoryUsage.rss() - before).toBeLessThan(80 * 1024 * 1024);
  });

  test('an unchanged date and clock give the same bytes under the same random source', () => {
    const names = [1, 2].map(() => {
      const dir = scratch();
      const writer = segmentWriter(dir, { random: (target) => target.fill(3) });
      writer.append(exchange('http://example.org/', { date: DATE }));
      writer.close();
      return readFileSync(join(dir, 'crawl-1-w0-00000.warc.gz'));
    });
    expect(names[0].equals(names[1])).toBe(true);
  });
});
