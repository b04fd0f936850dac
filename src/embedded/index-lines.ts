/** The lines of `warc/index.cdxj` written anew from the rows and the records they name: after a power cut that took
 * some of the index with it. */
import { join } from 'node:path';
import { cdxjLine } from '../archive/cdxj.js';
import { splitHttp } from '../archive/http-message.js';
import { parseSha1Label } from '../archive/warc-fields.js';
import { readRecordAt } from '../archive/warc-reader.js';
import type { RecordPointer } from '../changes.js';
import type { StoreReader } from '../engines/ports.js';

export async function* indexLines(store: StoreReader, dir: string): AsyncGenerator<string> {
  const names = new Map<number, string>();
  for (const chunk of store.scan('segments')) for (const { id, name } of chunk) names.set(id, name);
  for (const { pointer, url } of answers(store)) {
    const { segment: id, offset, length } = pointer;
    const segment = names.get(id)!;
    const record = readRecordAt(join(dir, segment), offset, length);
    const http = splitHttp(record);
    yield cdxjLine({
      url: url ?? record.url ?? '',
      date: Date.parse(record.headers.get('WARC-Date') ?? ''),
      status: http?.status ?? 0,
      contentType: http?.headers.get('Content-Type') ?? '',
      revisit: record.type === 'revisit',
      payloadDigest: parseSha1Label(record.headers.get('WARC-Payload-Digest') ?? ''),
      ...{ offset, length, segment },
    });
  }
}

/** Every archived answer: of a request of ours, or imported (the URL is the record's then). */
function* answers(store: StoreReader): Generator<{ pointer: RecordPointer; url: string | null }> {
  for (const chunk of store.scan('requests')) {
    for (const { record, target } of chunk) if (record !== null) yield { pointer: record, url: target };
  }
  for (const chunk of store.scan('visits')) {
    for (const { record, request } of chunk) if (record !== null && request < 0) yield { pointer: record, url: null };
  }
}
