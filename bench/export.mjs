// What an export costs: a crawl of N generated records (default 1,000,000) is written in each streaming format by the
// built program, and the peak memory of that process is taken.
//
//   node bench/export.mjs [N] [FORMAT...]      KEEP=DIR leaves the generated crawl there, and uses it again
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SegmentWriter } from '../dist/archive/segments.js';
import { noChanges } from '../dist/changes.js';
import { EXPORT_FORMATS } from '../dist/corpus/export.js';
import { openSqliteStore } from '../dist/engines/sqlite.js';

const program = fileURLToPath(new URL('../bin/saunter.js', import.meta.url));
const [count = '1000000', ...formats] = process.argv.slice(2);
const dir = process.env.KEEP ?? mkdtempSync(join(tmpdir(), 'saunter-bench-'));
if (!existsSync(join(dir, 'crawl.sqlite'))) await generate(dir, Number(count));

const streaming = EXPORT_FORMATS.filter((format) => format !== 'markdown');
for (const format of formats.length > 0 ? formats : streaming) {
  const out = join(dir, `pages.${format}`);
  const args = [
    '-f',
    '%e %U %S %M',
    process.execPath,
    program,
    'export',
    '--dir',
    dir,
    '--format',
    format,
    '--out',
    out,
  ];
  const { status, stderr } = spawnSync('/usr/bin/time', args, { encoding: 'utf8' });
  const [seconds, user, system, kib] = stderr.trim().split('\n').at(-1).split(' ').map(Number);
  if (status !== 0) throw new Error(stderr);
  const cpu = (((user + system) / Number(count)) * 1e6).toFixed(0);
  const size = (statSync(out).size / 2 ** 20).toFixed(0);
  console.log(
    `${format.padEnd(9)} ${seconds.toFixed(1)} s  ${cpu} us a page  ${(kib / 1024).toFixed(0)} MiB peak  ${size} MiB out`,
  );
  rmSync(out);
}
if (!process.env.KEEP) rmSync(dir, { recursive: true });

/** Records as a crawl leaves them: texts of some 1,500 characters, URLs met in another order than fetched.
 * @param {string} root
 * @param {number} n */
async function generate(root, n) {
  mkdirSync(join(root, 'warc'), { recursive: true });
  mkdirSync(join(root, 'text'), { recursive: true });
  const store = openSqliteStore(join(root, 'crawl.sqlite'), { create: true, reads: 'calling' });
  const clock = { wall: () => 1.79e12 };
  const info = { software: 'bench/1' };
  const writer = new SegmentWriter({ dir: join(root, 'text'), kind: 'text', prefix: 'bench-1-0', info, clock });
  const epoch = await store.beginEpoch();
  const words = 'saunter crawls the web politely one page after another while hosts rest between two requests'.split(
    ' ',
  );
  const segments = new Map();
  let sequence = 0;
  for (let first = 0; first < n; first += 5000) {
    const c = noChanges();
    if (first === 0) c.hosts.push({ id: 0, name: 'a.example', domain: 'example', named: true, budget: null, at: 1 });
    for (let id = first; id < Math.min(n, first + 5000); id++) {
      const url = `https://a.example/section-${id % 97}/a-page-of-the-bench/number-${id}.html`;
      c.urls.push({
        ...{
          id,
          partition: 0,
          host: 0,
          keyHi: id,
          keyLo: id,
          kind: 'page',
          level: 2,
          depth: id % 9,
          hops: 0,
          via: -1,
          url,
        },
      });
    }
    for (let id = first; id < Math.min(n, first + 5000); id++) {
      // fetched in another order than met, within what is known
      const url = first + (((id - first) * 2741) % Math.min(5000, n - first));
      let text = `Page ${id}\n`;
      for (let i = 0; text.length < 1500; i++) text += `${words[(id * 7 + i * i) % words.length]} `;
      const refersTo = 'urn:uuid:11111111-1111-4111-8111-111111111111';
      const at = writer.appendConversion({ url: `https://a.example/${id}`, date: 1.79e12, text, refersTo });
      if (!segments.has(at.segment)) {
        segments.set(at.segment, segments.size);
        c.segments.push({ id: segments.size - 1, name: at.segment, kind: 'text', at: 1, closed: false, length: 0 });
      }
      c.visits.push({
        ...{ id, url, kind: 'page', request: -1, at: 1.79e12 + id, status: 200, code: 'ok', finalUrl: null },
        ...{ contentType: 'text/html; charset=utf-8', charset: 'utf-8', language: 'en', title: `Page ${id}` },
        contentHash: new Uint8Array(32).fill(id & 255),
        payloadDigest: new Uint8Array(20),
        ...{ simhash: id.toString(16).padStart(16, '0'), etag: null, lastModified: null, record: null },
        text: { segment: segments.get(at.segment), offset: at.offset, length: at.length },
        ...{ changed: true, duplicateOf: -1, index: true, nextVisit: null, bytes: 20_000, links: 120 },
        ...{ aiPreferences: null, parser: 1, fields: null },
      });
    }
    writer.flush();
    await store.commit({ epoch, sequence: ++sequence, changes: c });
  }
  writer.close();
  store.close();
}
