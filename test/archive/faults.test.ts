import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ArchiveError } from '../../src/archive/archive-files.js';
import { repairSegment, SegmentArchive, syncSegments } from '../../src/archive/segment-recovery.js';
import { type Appended, SegmentWriter } from '../../src/archive/segments.js';
import { DATE, exchange } from './exchanges.js';
import { MemoryFiles } from './memory-files.js';

const DIR = '/crawl/warc';
const NAME = 'crawl-1-w0-00000.warc.gz';
const OPEN = `${DIR}/${NAME}.open`;
const CLOSED = `${DIR}/${NAME}`;

function start(files: MemoryFiles, over: { maxBytes?: number; batchBytes?: number } = {}): SegmentWriter {
  const info = { software: 'test' };
  return new SegmentWriter({
    dir: DIR,
    kind: 'warc',
    prefix: 'crawl-1-w0',
    info,
    clock: { wall: () => DATE },
    files,
    ...over,
  });
}

const pages = (writer: SegmentWriter, from: number, count: number): Appended[] =>
  Array.from({ length: count }, (_, i) => writer.append(exchange(`http://example.org/${from + i}`)));
const end = ({ offset, length }: Appended): number => offset + length;
/** The types of the records in the bytes of a segment; throws unless they are whole gzip members. */
const recordTypes = (bytes: Buffer): string[] => {
  const text = gunzipSync(bytes).toString();
  expect(text.endsWith('\r\n\r\n')).toBe(true);
  return [...text.matchAll(/^WARC-Type: (\w+)/gm)].map(([, type]) => type);
};

describe('a disk that is full', () => {
  test('the error says so, the segment ends with its last whole record, and nothing appended is lost once there is room', () => {
    const files = new MemoryFiles();
    const writer = start(files);
    pages(writer, 0, 3);
    writer.flush();
    const before = files.content(OPEN)!;
    files.room = 500;
    const later = pages(writer, 3, 3);
    expect(() => writer.flush()).toThrow(/cannot write .*no space left|no space is left on the disk/);
    expect(files.content(OPEN)!.equals(before)).toBe(true);
    expect(() => writer.flush()).toThrow(ArchiveError);
    files.room = Number.POSITIVE_INFINITY;
    writer.flush();
    expect(files.content(OPEN)!.length).toBe(end(later[2]));
    expect(recordTypes(files.content(OPEN)!).length).toBe(1 + 2 * 6);
  });

  test('what waits in memory stays bounded: append refuses, and counts nothing, while there is no room', () => {
    const files = new MemoryFiles();
    const writer = start(files, { batchBytes: 5000 });
    files.room = 0;
    let appended = 0;
    expect(() => {
      for (; appended < 1000; appended++) pages(writer, appended, 1);
    }).toThrow(/no space is left/);
    expect(appended).toBeLessThan(20);
    files.room = Number.POSITIVE_INFINITY;
    writer.close();
    expect(recordTypes(files.content(CLOSED)!).length).toBe(1 + 2 * appended);
  });

  test('a system that takes a few bytes at a time gets every byte in order', () => {
    const whole = new MemoryFiles();
    const slow = new MemoryFiles();
    slow.writeMax = 37;
    for (const files of [whole, slow]) {
      const writer = new SegmentWriter({
        ...{
          dir: DIR,
          kind: 'warc',
          prefix: 'crawl-1-w0',
          info: { software: 'test' },
          clock: { wall: () => DATE },
          files,
        },
        random: (target) => target.fill(7),
      });
      pages(writer, 0, 5);
      writer.close();
    }
    expect(slow.content(CLOSED)!.equals(whole.content(CLOSED)!)).toBe(true);
  });
});

describe('a disk that breaks', () => {
  test('a write error leaves whole records; if even the cut fails, the writer writes no more', () => {
    const files = new MemoryFiles();
    const writer = start(files);
    pages(writer, 0, 1);
    writer.flush();
    files.failing = { write: 'EIO', truncate: 'EIO' };
    pages(writer, 1, 1);
    expect(() => writer.flush()).toThrow(/the disk reported an error/);
    files.failing = {};
    expect(() => writer.flush()).toThrow(/the disk reported an error/);
    expect(() => pages(writer, 2, 1)).toThrow(ArchiveError);
  });

  test('a failed sync is an error, and a segment whose closing failed is not called closed', async () => {
    const files = new MemoryFiles();
    const writer = start(files);
    pages(writer, 0, 1);
    writer.flush();
    files.failing = { syncPath: 'EIO', sync: 'EIO' };
    await expect(syncSegments(DIR, [NAME], files)).rejects.toThrow(/cannot sync .*the disk reported an error/);
    expect(() => writer.close()).toThrow(/cannot close/);
    expect(writer.takeClosed()).toEqual([]);
    expect(() => pages(writer, 1, 1)).toThrow(ArchiveError);
  });

  test('a segment that cannot be created refuses the record and leaves the writer usable', () => {
    const files = new MemoryFiles();
    files.failing = { create: 'ENOSPC' };
    const writer = start(files);
    expect(() => pages(writer, 0, 1)).toThrow(/cannot create .*no space/);
    files.failing = {};
    expect(pages(writer, 0, 1)[0].segment).toBe('crawl-1-w0-00001.warc.gz');
  });
});

describe('a power cut', () => {
  test('at any moment loses nothing that was synced, whether or not unsynced renames happened', async () => {
    for (const renamed of [false, true]) {
      for (let stop = 0; stop < 24; stop++) {
        const files = new MemoryFiles();
        const writer = start(files, { maxBytes: 4000 });
        const committed = new Map<string, number>();
        const urls: string[] = [];
        // Each step appends a page; each third one flushes, syncs and commits what came so far.
        let open: Appended[] = [];
        for (let step = 0; step < stop; step++) {
          open.push(...pages(writer, step, 1));
          if (step % 3 !== 2) continue;
          writer.flush();
          await syncSegments(DIR, [...new Set(open.map((a) => a.segment))], files);
          for (const a of open) committed.set(a.segment, end(a));
          urls.push(...open.map((_, i) => `http://example.org/${step - open.length + 1 + i}`));
          open = [];
        }
        files.powerCut(renamed);
        const archive = new SegmentArchive({ warc: DIR, text: '/crawl/text', prefix: 'crawl', files });
        await archive.recover(committed);
        const found = [...committed.keys()]
          .sort()
          .map((name) => gunzipSync(files.content(`${DIR}/${name}`)!).toString());
        const responses = [...found.join('').matchAll(/WARC-Type: response\r\n(?:.+\r\n)*?WARC-Target-URI: (.+)\r\n/g)];
        expect(responses.map((m) => m[1])).toEqual(urls);
        expect(files.list(DIR).sort()).toEqual([...committed.keys()].sort());
        expect(await archive.recover(committed)).toEqual([]);
      }
    }
  });
});

describe('repair', () => {
  function crashed(): { files: MemoryFiles; appended: Appended[]; bytes: Buffer } {
    const files = new MemoryFiles();
    const writer = start(files);
    const appended = pages(writer, 0, 3);
    writer.flush();
    return { files, appended, bytes: files.content(OPEN)! };
  }

  test('leaves exactly the committed records, wherever in the last one the file was cut', () => {
    const { appended, bytes } = crashed();
    const committed = end(appended[1]);
    for (let size = committed; size <= bytes.length; size++) {
      const files = new MemoryFiles();
      files.names.set(OPEN, { bytes: bytes.subarray(0, size), synced: bytes });
      const done = repairSegment(DIR, NAME, committed, files);
      expect(done).toEqual({ name: NAME, length: committed, cut: size - committed });
      expect(files.content(CLOSED)!.equals(bytes.subarray(0, committed))).toBe(true);
      expect(files.content(OPEN)).toBeUndefined();
    }
    expect(recordTypes(bytes.subarray(0, committed))).toEqual([
      'warcinfo',
      'request',
      'response',
      'request',
      'response',
    ]);
  });

  test('may be stopped anywhere and run again', () => {
    const { appended, bytes } = crashed();
    const committed = end(appended[0]);
    for (const operation of ['truncate', 'sync', 'rename', 'syncDirectory'] as const) {
      const files = new MemoryFiles();
      files.names.set(OPEN, { bytes, synced: bytes });
      files.failing = { [operation]: 'EIO' };
      expect(() => repairSegment(DIR, NAME, committed, files)).toThrow(/cannot repair/);
      files.failing = {};
      repairSegment(DIR, NAME, committed, files);
      expect(files.content(CLOSED)!.equals(bytes.subarray(0, committed))).toBe(true);
      expect(repairSegment(DIR, NAME, committed, files)).toBeNull();
    }
  });

  test('a segment that was closed before its last rows were committed is cut too', () => {
    const { files, appended, bytes } = crashed();
    files.rename(OPEN, CLOSED);
    expect(repairSegment(DIR, NAME, end(appended[0]), files)).toEqual({
      ...{ name: NAME, length: end(appended[0]), cut: bytes.length - end(appended[0]) },
    });
    expect(files.content(CLOSED)!.length).toBe(end(appended[0]));
  });

  test('removes a segment of this crawl that nothing refers to, and leaves files of others alone', async () => {
    const { files } = crashed();
    files.names.set(`${DIR}/crawl-1-w1-00000.warc.gz`, { bytes: Buffer.from('x'), synced: Buffer.from('x') });
    files.names.set(`${DIR}/elsewhere.warc.gz`, { bytes: Buffer.from('x'), synced: Buffer.from('x') });
    files.names.set(`${DIR}/index.cdxj`, { bytes: Buffer.from('x'), synced: Buffer.from('x') });
    await new SegmentArchive({ warc: DIR, text: '/crawl/text', prefix: 'crawl', files }).recover(new Map());
    expect(files.list(DIR).sort()).toEqual(['elsewhere.warc.gz', 'index.cdxj']);
  });

  test('refuses, and touches nothing, where committed bytes are missing', () => {
    const { files, bytes } = crashed();
    expect(() => repairSegment(DIR, NAME, bytes.length + 1, files)).toThrow(/too short: \d+ bytes are there/);
    expect(files.content(OPEN)!.equals(bytes)).toBe(true);
    expect(() => repairSegment(DIR, 'gone.warc.gz', 10, files)).toThrow(/missing/);
  });
});

test('a segment is closed before it would grow over its limit, and the next begins with a warcinfo', () => {
  const files = new MemoryFiles();
  const writer = start(files, { maxBytes: 6000 });
  const appended = pages(writer, 0, 40);
  writer.close();
  const closed = writer.takeClosed();
  expect(closed.length).toBeGreaterThan(2);
  for (const { name, length } of closed) {
    const bytes = files.content(`${DIR}/${name}`)!;
    expect(bytes.length).toBe(length);
    expect(length).toBeLessThanOrEqual(6000);
    expect(recordTypes(bytes)[0]).toBe('warcinfo');
    expect(length).toBe(Math.max(...appended.filter((a) => a.segment === name).map(end)));
  }
  expect(files.list(DIR).some((name) => name.endsWith('.open'))).toBe(false);
});

test('a writer without records leaves no file', () => {
  const files = new MemoryFiles();
  const writer = start(files);
  writer.flush();
  writer.close();
  expect(files.list(DIR)).toEqual([]);
});

test('a segment never replaces a file that is there', () => {
  const files = new MemoryFiles();
  files.names.set(CLOSED, { bytes: Buffer.from('precious'), synced: Buffer.from('precious') });
  const writer = start(files);
  expect(() => pages(writer, 0, 1)).toThrow(/exists already/);
  pages(writer, 0, 1);
  writer.close();
  expect(files.content(CLOSED)!.toString()).toBe('precious');
});
