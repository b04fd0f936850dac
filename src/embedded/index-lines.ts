/** The lines of `warc/index.cdxj` written anew from the rows and the records they name: after a power cut that took
 * some of the index with it. */
import { join } from 'node:path';
import { cdxjLine } from '../archive/cdxj.js';
import { splitHttp } from '../archive/http-message.js';
import { readRecordAt } from '../archive/warc-reader.js';
import type { StoreReader } from '../engines/ports.js';

export async function* indexLines(store: StoreReader, dir: string): AsyncGenerator<string> {
  const names = new Map<number, string>();
  for (const chunk of store.scan('segments')) for (const { id, name } of chunk) names.set(id, name);
  for (const chunk of store.scan('requests')) {
    for (const { record: at, target, status } of chunk) {
      if (at === null) continue;
      const segment = names.get(at.segment)!;
      const record = readRecordAt(join(dir, segment), at.offset, at.length);
      const digest = record.headers.get('WARC-Payload-Digest');
      yield cdxjLine({
        url: target,
        date: Date.parse(record.headers.get('WARC-Date') ?? ''),
        status,
        contentType: splitHttp(record)?.headers.get('Content-Type') ?? '',
        revisit: record.type === 'revisit',
        payloadDigest: digest === null ? null : fromBase32(digest.replace(/^sha1:/i, '')),
        offset: at.offset,
        length: at.length,
        segment,
      });
    }
  }
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648 base 32 without padding. */
function fromBase32(text: string): Buffer {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const letter of text.toUpperCase()) {
    held = (held << 5) | ALPHABET.indexOf(letter);
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >>> bits) & 0xff);
  }
  return Buffer.from(bytes);
}
