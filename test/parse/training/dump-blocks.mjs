/** Writes the blocks of every page of a folder and their features: see README.md. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { BlockFeatures, FEATURE_STRIDE, Feature } from '../../../dist/parse/block-features.js';
import { sniffCharset, toUtf8 } from '../../../dist/parse/charset.js';
import { PageScan } from '../../../dist/parse/scan.js';
import { MAX_BLOCKS } from '../../../dist/parse/text-builder.js';

const [folder, out] = process.argv.slice(2);
mkdirSync(out, { recursive: true });
const scan = new PageScan();
const features = new BlockFeatures();
const tables = [];
const pages = [];
for (const file of readdirSync(folder)
  .filter((name) => /^text_.*\.jsonl$/.test(name))
  .sort()) {
  for (const line of readFileSync(join(folder, file), 'utf8').trim().split('\n')) {
    const page = JSON.parse(line);
    const body = gunzipSync(readFileSync(join(folder, page.html_path)));
    const { charset, bomLength } = sniffCharset(body);
    scan.read(toUtf8(body.subarray(bomLength), charset), { meta() {}, baseTag() {}, link() {} }, 0, false);
    const { text } = scan;
    features.read(scan.elements, text, scan.title ?? '');
    // which block is decided in each one's place
    const judges = [];
    for (let unit = 0; unit < features.unitCount; unit++) {
      const [from, to] = features.units.subarray(unit, unit + 2);
      judges.push(...new Array(to - from).fill((from + to) >> 1));
    }
    features.read(scan.elements, text, scan.title ?? '', false);
    const count = Math.min(text.blockCount, MAX_BLOCKS);
    tables.push(Buffer.from(features.table.subarray(0, count * FEATURE_STRIDE)));
    const blocks = [];
    for (let b = 0; b < count; b++) blocks.push(text.slice(text.blockStart[b], text.blockEnd[b]));
    const { html_path, site, corpus, expected_text, with: wanted, without } = page;
    pages.push(JSON.stringify({ html_path, site, corpus, expected_text, with: wanted, without, blocks, judges }));
  }
}
writeFileSync(join(out, 'features.bin'), Buffer.concat(tables));
writeFileSync(join(out, 'features.json'), JSON.stringify(Object.keys(Feature)));
writeFileSync(join(out, 'pages.jsonl'), pages.join('\n'));
console.log(`${pages.length} pages, ${Buffer.concat(tables).length / FEATURE_STRIDE} blocks`);
