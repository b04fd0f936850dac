/**
 * `npm run bench -- archive`: what archiving a page costs in user + system time (both halves of an exchange, hashing, flush
 * in batches of 8), the bytes that it takes on disk, and what reading it back costs.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { SegmentWriter } from '../src/archive/segments.js';
import { readRecordAt, readRecords } from '../src/archive/warc-reader.js';
import type { Exchange } from '../src/archive/warc-writer.js';

const PAGES = 1500;
/** The median of these is printed: what else runs on the machine disturbs some. */
const BLOCKS = 15;
const VARIANTS = 40;

let state = 11;
function random(): number {
  state = (state * 48271) % 2147483647;
  return state / 2147483647;
}

/** 100 KB of HTML that gzip brings to some 22 KB. */
function page(): Buffer {
  const words = Array.from({ length: 2500 }, () =>
    random()
      .toString(36)
      .slice(2, 4 + Math.floor(random() * 7)),
  );
  let html = '<!doctype html><title>bench</title>';
  while (html.length < 100_000) {
    html += `<div class="item"><a class="link" href="/section/${words[Math.floor(random() * 2500)]}">`;
    for (let i = 0; i < 12; i++) html += `${words[Math.floor(random() ** 2 * 2500)]} `;
    html += '</a></div>\n<p class="text">The quick brown fox jumps over the lazy dog, as foxes will.</p>\n';
  }
  return Buffer.from(html);
}

const requestHead = Buffer.from(
  'GET /section/article-12345 HTTP/1.1\r\nHost: www.example.org\r\nUser-Agent: Saunter/0.1.0 (+https://example.org/bot)\r\n' +
    'Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\nAccept-Encoding: gzip, br, deflate\r\nConnection: keep-alive\r\n\r\n',
);

function exchanges(coded: boolean): Exchange[] {
  return Array.from({ length: VARIANTS }, (_, i) => {
    const html = page();
    const payload = coded ? gzipSync(html) : html;
    const responseHead = Buffer.from(
      'HTTP/1.1 200 OK\r\nDate: Sun, 12 Apr 2026 12:59:16 GMT\r\nServer: nginx\r\nVary: Accept-Encoding\r\n' +
        `Content-Type: text/html; charset=utf-8\r\n${coded ? 'Content-Encoding: gzip\r\n' : ''}` +
        'Transfer-Encoding: chunked\r\nConnection: keep-alive\r\nCache-Control: max-age=600\r\nETag: "abc-12345678"\r\n\r\n',
    );
    const url = `https://www.example.org/section/article-${i}`;
    return {
      url,
      address: '93.184.216.34',
      date: 1_700_000_000_000,
      requestHead,
      responseHead,
      payload,
      truncated: null,
    };
  });
}

async function run(name: string, pages: Exchange[], level: number): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'bench-archive-'));
  const info = { software: 'bench' };
  const clock = { wall: () => Date.now() };
  const writer = new SegmentWriter({ dir, kind: 'warc', prefix: 'bench', info, clock, level });
  const at = [];
  for (let i = 0; i < 1500; i++) at.push(writer.append(pages[i % pages.length]));
  writer.flush();
  const blocks: number[] = [];
  for (let b = 0; b < BLOCKS; b++) {
    const before = process.cpuUsage();
    for (let i = 0; i < PAGES / BLOCKS; i++) {
      at.push(writer.append(pages[i % pages.length]));
      if (i % 8 === 7) writer.flush();
    }
    writer.flush();
    const { user, system } = process.cpuUsage(before);
    blocks.push((user + system) / (PAGES / BLOCKS) / 1000);
  }
  blocks.sort((a, b) => a - b);
  writer.close();
  const path = join(dir, at[0].segment);
  const size = statSync(path).size / at.length;

  const beforeScan = process.cpuUsage();
  let records = 0;
  for await (const record of readRecords(path)) records += record.block.length > 0 ? 1 : 0;
  const scan = process.cpuUsage(beforeScan);
  const beforeSeek = process.cpuUsage();
  for (const { segment, offset, length } of at) readRecordAt(join(dir, segment), offset, length);
  const seek = process.cpuUsage(beforeSeek);
  rmSync(dir, { recursive: true });

  const ms = (usage: NodeJS.CpuUsage, count: number): string => ((usage.user + usage.system) / count / 1000).toFixed(3);
  return (
    `${name}: write ${blocks[BLOCKS >> 1]!.toFixed(3)} ms CPU a page (least ${blocks[0]!.toFixed(3)}), ${(size / 1024).toFixed(1)} KiB;` +
    ` read through ${ms(scan, records)} ms a record, read one ${ms(seek, at.length)} ms`
  );
}

/** Archives pages as they came, compressed and not, at two levels. */
export async function archiveBench(say: (line: string) => void): Promise<boolean> {
  const coded = exchanges(true);
  const mean = coded.reduce((sum, { payload }) => sum + payload.length, 0) / coded.length;
  say(`${PAGES} pages of 100 KB, coded mean ${(mean / 1024).toFixed(1)} KiB`);
  const identity = exchanges(false);
  await run('compiling', coded, 1);
  for (const level of [1, 6]) {
    say(await run(`gzip-coded, level ${level}`, coded, level));
    say(await run(`not coded, level ${level}`, identity, level));
  }
  return true;
}
