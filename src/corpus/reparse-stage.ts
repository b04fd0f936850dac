/**
 * The parse stage over the archive: a body is read back from its record, parsed as if it had just come, and its text is
 * kept if it is another than before.
 */
import type { Appended, SegmentWriter } from '../archive/segments.js';
import { bodyBuffers } from '../buffer-pool.js';
import type { RecordPointer } from '../changes.js';
import type { DecodeCaps } from '../fetch/decode.js';
import {
  type DocumentAnswer,
  type DocumentInput,
  type HandledDocument,
  readDocument,
  readingOf,
} from '../parse/documents.js';
import { documentOf, factsOf, type HeavyTypes, type ParsedFacts } from '../parse/stage.js';
import { type ArchiveReader, bodyOf } from './archive-reader.js';

/** One visit to be read again. */
export interface ReparseOrder {
  visit: number;
  /** The exact URL that answered. */
  url: string;
  /** Wall ms of the visit. */
  at: number;
  /** Its response. A `revisit` has no body of its own. */
  record: RecordPointer;
  /** The text in force. */
  text: RecordPointer | null;
  /** Another page has this content, or nearly, and its text: none is kept. */
  isDuplicate: boolean;
}

/** What came of it. `facts` is null for a record that holds no body of its own (a `revisit`). `text`: `same` as the one in force, none, or a new record in a segment known by its file name. */
export interface ReparseResult {
  visit: number;
  facts: ParsedFacts | null;
  text: 'same' | null | Pick<Appended, 'segment' | 'offset' | 'length'>;
}

export interface ReparseParts {
  archive: ArchiveReader;
  text: SegmentWriter;
  caps: DecodeCaps;
  agent: string;
  /** The least of a text that gets a fingerprint. */
  shingles: number;
  heavy: HeavyTypes;
  /** Reads documents of heavy types. */
  documents: { read(mediaType: string, document: HandledDocument): Promise<DocumentAnswer> };
  /** Reads the others; tests put another parser here. */
  read?: typeof readDocument;
}

/** Reads one visit again. Rejects only if the archive cannot be read or written. */
export async function reparse(order: ReparseOrder, parts: ReparseParts): Promise<ReparseResult> {
  const { archive, agent } = parts;
  const record = archive.record(order.record);
  const { visit } = order;
  const archived = record.type === 'response' ? await bodyOf(record, parts.caps) : null;
  if (archived === null) return { visit, facts: null, text: 'same' };
  const { headers } = archived.http;
  const { mediaType, input } = documentOf(archived.body, order.url, headers, agent);
  const isCut = record.headers.get('WARC-Truncated') !== null;
  const answer =
    parts.heavy.has(mediaType) && !order.isDuplicate ? await readApart(mediaType, input, isCut, parts) : null;
  const reading = answer === null ? (parts.read ?? readDocument)(mediaType, input) : answer.reading;
  const facts = factsOf(reading, headers, answer?.failure ?? null, parts.shingles);
  bodyBuffers.give(record.block);
  if (archived.body.buffer !== record.block.buffer) bodyBuffers.give(archived.body);
  const text = order.isDuplicate ? '' : (reading?.text ?? '');
  return { visit, facts, text: keep(text, order, facts, record.recordId, parts) };
}

async function readApart(mediaType: string, input: DocumentInput, isCut: boolean, { documents }: ReparseParts) {
  if (isCut) return { reading: null, failure: 'it is longer than what is read of its type' };
  const document = { bytes: input.body, url: input.url, contentType: input.contentType ?? '' };
  const answer = await documents.read(mediaType, document);
  if ('failure' in answer) return { reading: null, failure: answer.failure };
  return { reading: readingOf(answer.answer, input), failure: null };
}

/** Writes the text, unless the one in force says the same. */
function keep(
  text: string,
  order: ReparseOrder,
  { language }: ParsedFacts,
  recordId: string | null,
  { archive, text: writer }: ReparseParts,
): ReparseResult['text'] {
  if (text === '' || recordId === null) return order.text === null ? 'same' : null;
  const block = Buffer.from(text);
  if (order.text !== null && archive.holds(order.text, block)) return 'same';
  const { segment, offset, length } = writer.appendConversion({
    ...{ url: order.url, date: order.at, text: block, refersTo: recordId },
    language: language === '' ? null : language,
  });
  return { segment, offset, length };
}
