/** Requests and answers in WARC and ARC files of any tool, as this crawler would have archived them. */
import { type HttpMessage, splitHttp } from '../archive/http-message.js';
import { escapeUri, parseSha1Label } from '../archive/warc-fields.js';
import { readRecords } from '../archive/warc-reader.js';
import type { WarcRecord } from '../archive/warc-record.js';
import type { Exchange } from '../archive/warc-writer.js';

/** An answer, with its request where the file has it. */
export interface ForeignExchange {
  url: string;
  /** Wall ms. */
  date: number;
  address: string;
  /** Empty where the file has none. */
  requestHead: Buffer;
  http: HttpMessage;
  truncated: Exchange['truncated'];
  /** A revisit: SHA-1 of the payload that was not stored again, empty if it has another kind of digest; else null. */
  repeats: Buffer | null;
}

const NO_BYTES = Buffer.alloc(0);

/**
 * The HTTP answers of a file, in order. What is no answer to a request (warcinfo, metadata, DNS, whole resources) is
 * passed over; `onSkipped` is told its type. Throws `WarcFormatError` where the file is damaged, after all before it.
 */
export async function* foreignExchanges(
  path: string,
  onSkipped: (type: string) => void,
): AsyncGenerator<ForeignExchange> {
  let request: WarcRecord | null = null;
  // some tools write the request behind the answer
  let waiting: ForeignExchange | null = null;
  let fault: unknown = null;
  const records = readRecords(path);
  for (;;) {
    const next = await records.next().catch((error) => {
      fault = error; // what waits comes first
      return null;
    });
    if (next === null || next.done) break;
    const record = next.value;
    if (record.type === 'request') {
      if (waiting !== null && waiting.requestHead.length === 0 && belongs(record, waiting)) {
        waiting.requestHead = record.block;
      } else request = record;
      continue;
    }
    if (waiting !== null) yield waiting;
    waiting = exchangeOf(record, request);
    if (waiting === null && record.type !== 'warcinfo' && record.type !== 'arc_header') onSkipped(record.type);
    if (waiting !== null) request = null;
  }
  if (waiting !== null) yield waiting;
  if (fault !== null) throw fault;
}

const belongs = (request: WarcRecord, { url }: ForeignExchange): boolean => escapeUri(request.url ?? '') === url;

function exchangeOf(record: WarcRecord, request: WarcRecord | null): ForeignExchange | null {
  if (record.type !== 'response' && record.type !== 'revisit') return null;
  const http = splitHttp(record, { dechunk: true });
  const { url } = record;
  if (http === null || http.status === 0 || url === null || !/^https?:/i.test(url)) return null;
  const date = Date.parse(record.date ?? '');
  const digest = record.headers.get('WARC-Payload-Digest');
  const isWhole = record.block.length === record.blockLength;
  return {
    url: escapeUri(url),
    ...{ http, date: Number.isNaN(date) ? 0 : date },
    address: record.headers.get('WARC-IP-Address') ?? '',
    requestHead: request !== null && request.url === url ? request.block : NO_BYTES,
    truncated: isWhole ? truncation(record.headers.get('WARC-Truncated')) : 'length',
    repeats: record.type === 'revisit' ? (parseSha1Label(digest ?? '') ?? NO_BYTES) : null,
  };
}

function truncation(value: string | null): Exchange['truncated'] {
  const word = value?.toLowerCase();
  if (word === undefined) return null;
  return word === 'time' || word === 'disconnect' ? word : 'length';
}
