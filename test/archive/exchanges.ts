/** Exchanges and writers for the tests of the archive. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { WARCParser } from 'warcio';
import { type SegmentOptions, SegmentWriter } from '../../src/archive/segments.js';
import type { Exchange } from '../../src/archive/warc-writer.js';

export const DATE = Date.UTC(2026, 0, 31, 23, 59, 58, 123);

export function exchange(url: string, over: Partial<Exchange> = {}): Exchange {
  const payload = over.payload ?? Buffer.from(`<p>${url}</p>`);
  return {
    url,
    address: '127.0.0.1',
    date: DATE,
    requestHead: Buffer.from(`GET ${new URL(url).pathname} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`),
    responseHead: Buffer.from(
      `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${payload.length}\r\n\r\n`,
    ),
    payload,
    truncated: null,
    ...over,
  };
}

/** Uniform in (0, 1), the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

/** A page that came gzip-coded: words of a small random vocabulary, `bytes` before coding. */
export function codedPage(url: string, bytes: number, random: () => number): Exchange {
  let html = '';
  while (html.length < bytes)
    html += `<a href="/${Math.floor(random() * 1e9).toString(36)}">${random().toString(36)}</a>\n`;
  const payload = gzipSync(html);
  const head = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n`;
  return exchange(url, { payload, responseHead: Buffer.from(head) });
}

export const scratch = (): string => mkdtempSync(join(tmpdir(), 'archive-'));

export function segmentWriter(dir: string, over: Partial<SegmentOptions> = {}): SegmentWriter {
  const info = { software: 'Saunter/0.1.0', operator: 'mailto:ops@example.org', userAgent: 'Saunter/0.1.0 (+x)' };
  return new SegmentWriter({ dir, kind: 'warc', prefix: 'crawl-1-w0', info, clock: { wall: () => DATE }, ...over });
}

export interface OutsideRecord {
  type: string;
  headers: Map<string, string>;
  httpHeaders: Map<string, string>;
  statusLine: string;
  payload: Buffer;
  offset: number;
  length: number;
}

/** What warcio.js reads in a file. */
export async function readOutside(path: string): Promise<OutsideRecord[]> {
  const parser = new WARCParser([new Uint8Array(readFileSync(path))], { keepHeadersCase: true });
  const records: OutsideRecord[] = [];
  for await (const record of parser) {
    const payload = Buffer.from(await record.readFully(false));
    await record.skipFully();
    records.push({
      type: record.warcType ?? '',
      headers: new Map(record.warcHeaders.headers.entries()),
      httpHeaders: new Map(record.httpHeaders?.headers.entries() ?? []),
      statusLine: record.httpHeaders?.statusline ?? '',
      payload,
      offset: parser.offset,
      length: parser.recordLength,
    });
  }
  return records;
}
