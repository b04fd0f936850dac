import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { base32 } from '../../src/archive/warc-fields.js';
import {
  codedPage,
  DATE,
  exchange,
  type OutsideRecord,
  readOutside,
  scratch,
  seeded,
  segmentWriter,
} from './exchanges.js';

const sha1 = (bytes: Buffer): string => `sha1:${base32(createHash('sha1').update(bytes).digest())}`;

test('another reader finds every record, with the right digests, dates and links between records', async () => {
  const dir = scratch();
  const writer = segmentWriter(dir);
  const random = seeded(7);
  const coded = codedPage('https://example.org/coded?x=1', 60_000, random);
  const first = writer.append(coded);
  const plain = writer.append(
    exchange('http://example.org/plain', { address: '2001:db8::1', payload: Buffer.alloc(70_000, 'ab ') }),
  );
  const again = writer.append({
    ...coded,
    url: 'https://example.org/copy',
    payloadDigest: first.payloadDigest,
    revisit: {
      profile: 'identical-payload-digest',
      refersTo: { url: coded.url, date: DATE, recordId: first.recordId },
    },
  });
  const notModified = writer.append(
    exchange('https://example.org/coded?x=1', {
      payload: Buffer.alloc(0),
      responseHead: Buffer.from('HTTP/1.1 304 Not Modified\r\nETag: "a"\r\nContent-Length: 777\r\n\r\n'),
      revisit: { profile: 'server-not-modified', refersTo: { url: coded.url, date: DATE } },
    }),
  );
  writer.append(exchange('https://example.org/cut', { truncated: 'length' }));
  writer.close();

  const records = await readOutside(join(dir, 'crawl-1-w0-00000.warc.gz'));
  expect(records.map((r) => r.type)).toEqual([
    'warcinfo',
    ...[
      'request',
      'response',
      'request',
      'response',
      'request',
      'revisit',
      'request',
      'revisit',
      'request',
      'response',
    ],
  ]);
  const find = (id: string): OutsideRecord => records.find((r) => r.headers.get('WARC-Record-ID') === `<${id}>`)!;
  for (const [appended, record] of [first, plain, again, notModified].map((a) => [a, find(a.recordId)] as const)) {
    expect([record.offset, record.length]).toEqual([appended.offset, appended.length]);
    expect(record.headers.get('WARC-Date')).toBe('2026-01-31T23:59:58.123Z');
    const request = records[records.indexOf(record) - 1];
    expect(request.headers.get('WARC-Concurrent-To')).toBe(`<${appended.recordId}>`);
    expect(request.headers.get('WARC-Target-URI')).toBe(record.headers.get('WARC-Target-URI'));
  }

  const stored = find(first.recordId);
  expect(stored.payload.equals(coded.payload)).toBe(true);
  expect(gunzipSync(stored.payload).length).toBeGreaterThanOrEqual(60_000);
  expect(stored.headers.get('WARC-Payload-Digest')).toBe(sha1(coded.payload));
  expect(stored.headers.get('WARC-IP-Address')).toBe('127.0.0.1');
  expect(stored.httpHeaders.get('X-Archive-Orig-Transfer-Encoding')).toBe('chunked');
  expect(stored.httpHeaders.has('Transfer-Encoding')).toBe(false);
  expect(find(plain.recordId).headers.get('WARC-IP-Address')).toBe('2001:db8::1');
  expect(find(plain.recordId).payload.length).toBe(70_000);

  const revisit = find(again.recordId);
  expect(revisit.payload.length).toBe(0);
  expect(Object.fromEntries(revisit.headers)).toMatchObject({
    'WARC-Profile': 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest',
    'WARC-Payload-Digest': sha1(coded.payload),
    'WARC-Refers-To': `<${first.recordId}>`,
    'WARC-Refers-To-Target-URI': 'https://example.org/coded?x=1',
    'WARC-Refers-To-Date': '2026-01-31T23:59:58.123Z',
    'WARC-Truncated': 'length',
  });
  const unchanged = find(notModified.recordId);
  expect(unchanged.headers.get('WARC-Profile')).toBe('http://netpreserve.org/warc/1.1/revisit/server-not-modified');
  expect(unchanged.httpHeaders.get('Content-Length')).toBe('777');
  expect(records.at(-1)!.headers.get('WARC-Truncated')).toBe('length');
});

test('the warcinfo record names the file, the software and who to ask', async () => {
  const dir = scratch();
  const writer = segmentWriter(dir);
  writer.append(exchange('http://example.org/'));
  writer.close();
  const [info] = await readOutside(join(dir, 'crawl-1-w0-00000.warc.gz'));
  expect(info.headers.get('WARC-Filename')).toBe('crawl-1-w0-00000.warc.gz');
  const text = info.payload.toString();
  for (const line of [
    'software: Saunter/0.1.0',
    'format: WARC File Format 1.1',
    'robots: obey',
    'operator: mailto:ops@example.org',
  ]) {
    expect(text).toContain(`${line}\r\n`);
  }
});

test('a text becomes a conversion record that refers to its page', async () => {
  const dir = scratch();
  const writer = segmentWriter(dir, { kind: 'text', prefix: 'crawl-1-w0' });
  const text = 'Größe 漢字 🙂\n'.repeat(50);
  const { recordId } = writer.appendConversion({
    ...{ url: 'http://example.org/ä b', date: DATE, text, language: 'de' },
    refersTo: 'urn:uuid:11111111-1111-4111-8111-111111111111',
  });
  writer.close();
  const [, record] = await readOutside(join(dir, 'crawl-1-w0-00000.text.warc.gz'));
  expect(record.payload.toString()).toBe(text);
  expect(Object.fromEntries(record.headers)).toMatchObject({
    'WARC-Type': 'conversion',
    'WARC-Record-ID': `<${recordId}>`,
    'WARC-Refers-To': '<urn:uuid:11111111-1111-4111-8111-111111111111>',
    'WARC-Target-URI': 'http://example.org/%C3%A4%20b',
    'Content-Type': 'text/plain; charset=utf-8',
    'WARC-Block-Digest': sha1(Buffer.from(text)),
    'WARC-Identified-Content-Language': 'de',
  });
});
