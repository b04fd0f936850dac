/** The export as Parquet: columns with types, in row groups of bounded size. */
import { gzipSync } from 'node:zlib';
import type { StreamFormat } from './formats.js';
import type { ExportedPage } from './pages.js';

/** A row group ends with so many rows, or characters of text: it is in memory until then. */
const GROUP_ROWS = 10_000;
const GROUP_TEXT = 12_000_000;

type SchemaElement = Record<string, unknown> & { name: string };

const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } };
const text = (name: string): SchemaElement => ({ name, ...TEXT, repetition_type: 'REQUIRED' });
const textOrNull = (name: string): SchemaElement => ({ name, ...TEXT, repetition_type: 'OPTIONAL' });
const whole = (name: string): SchemaElement => ({ name, type: 'INT32', repetition_type: 'REQUIRED' });

/** One column: its elements of the schema, and its value of a page. */
interface Column {
  schema: readonly SchemaElement[];
  value: (page: ExportedPage) => unknown;
}

const COLUMNS: readonly Column[] = [
  { schema: [text('url')], value: (page) => page.url },
  { schema: [text('finalUrl')], value: (page) => page.finalUrl },
  {
    schema: [
      {
        ...{ name: 'fetchedAt', type: 'INT64', converted_type: 'TIMESTAMP_MILLIS', repetition_type: 'REQUIRED' },
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
      },
    ],
    value: (page) => new Date(page.fetchedAt),
  },
  { schema: [whole('status')], value: (page) => page.status },
  { schema: [text('contentType')], value: (page) => page.contentType },
  { schema: [text('charset')], value: (page) => page.charset },
  { schema: [text('language')], value: (page) => page.language },
  { schema: [text('title')], value: (page) => page.title },
  { schema: [text('text')], value: (page) => page.text },
  { schema: [textOrNull('contentHash')], value: (page) => page.contentHash },
  { schema: [textOrNull('simhash')], value: (page) => page.simhash },
  { schema: [whole('depth')], value: (page) => page.depth },
  { schema: [textOrNull('duplicateOf')], value: (page) => page.duplicateOf },
  {
    schema: [
      {
        ...{ name: 'aiPreferences', repetition_type: 'REQUIRED', num_children: 1 },
        ...{ converted_type: 'LIST', logical_type: { type: 'LIST' } },
      },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      text('element'),
    ],
    value: (page) => page.aiPreferences,
  },
  { schema: [textOrNull('fields')], value: (page) => (page.fields === undefined ? null : JSON.stringify(page.fields)) },
];

/** Columns as in the other formats; `aiPreferences` is a list, `fields` an object as JSON. Gzip, which every reader knows.
 * @param software named as the file's author */
export async function parquet(software: string): Promise<StreamFormat> {
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer');
  const bytes = new ByteWriter();
  const schema = [{ name: 'page', num_children: COLUMNS.length }, ...COLUMNS.flatMap((column) => column.schema)];
  const writer = new ParquetWriter({
    ...{ writer: bytes, schema: schema as never, codec: 'GZIP', createdBy: software },
    compressors: { GZIP: (input: Uint8Array) => gzipSync(input, { level: 6 }) },
  });
  let rows: ExportedPage[] = [];
  let characters = 0;
  /** What the library has written since the last call: its buffer is used again. */
  const take = (): Uint8Array => {
    const taken = Buffer.from(bytes.getBytes());
    bytes.index = 0;
    return taken;
  };
  const endGroup = (): Uint8Array => {
    if (rows.length === 0) return take();
    const columnData = COLUMNS.map(({ schema: [{ name }], value }) => ({ name, data: rows.map(value) }));
    writer.write({ columnData, rowGroupSize: rows.length });
    rows = [];
    characters = 0;
    return take();
  };
  return {
    head: () => '',
    page: ({ page }) => {
      rows.push(page);
      characters += page.text.length;
      return rows.length >= GROUP_ROWS || characters >= GROUP_TEXT ? endGroup() : '';
    },
    tail: () => {
      const last = endGroup();
      writer.finish();
      return Buffer.concat([last, take()]);
    },
  };
}
