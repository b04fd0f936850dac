import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DocumentReader, DocumentSettings } from '../../src/workers/document-reader.js';
import { pdf } from '../support/pdf.js';
import { built } from '../support/saunter.js';

const MIB = 1024 * 1024;
const module = new URL('../support/handler.mjs', import.meta.url).href;
const settings: DocumentSettings = {
  handlers: [
    { mediaType: 'x/y', module },
    { mediaType: 'x/gone', module: new URL('gone.mjs', import.meta.url).href },
  ],
  // short, for the tests
  ...{ pdfPages: 3, time: 6_000, memory: 64 * MIB },
};
let reader: DocumentReader;
beforeAll(async () => {
  const { DocumentReader } = await built<typeof import('../../src/workers/document-reader.js')>('workers/document-reader.js'); // biome-ignore format: short
  reader = new DocumentReader(settings);
});
afterAll(() => reader.close());

const read = (bytes: Buffer | string, mediaType = 'x/y') =>
  reader.read(mediaType, { bytes: Buffer.from(bytes), url: 'http://a.example/x', contentType: mediaType });

describe('a document that is read apart', () => {
  test('PDF: text by pages up to the cap, title, links, fields', async () => {
    const pages = ['One, on two lines', 'Two', 'Three', 'Four'].map((line, i) => ({ lines: [line, 'and more'], ...(i === 1 && { link: 'http://b.example/in-pdf' }) })); // biome-ignore format: short
    expect(await read(pdf(pages, 'The title'), 'application/pdf')).toEqual({
      answer: {
        ...{ text: 'One, on two lines\nand more\nTwo\nand more\nThree\nand more', title: 'The title', language: '' },
        ...{ links: ['http://b.example/in-pdf'], fields: { author: 'Ada', pages: '4' } },
      },
    });
  });

  test('many at once are read one after another', async () => {
    const answers = await Promise.all(['a', 'b', 'c'].map((text) => read(text)));
    expect(answers).toEqual(
      ['a', 'b', 'c'].map((text) => ({
        answer: {
          ...{ text, title: 'handled', language: '', links: ['/from-handler'] },
          fields: { url: 'http://a.example/x' },
        },
      })),
    );
  });

  test.each([
    ['throw', 'cannot read this'],
    ['hang', 'its reader needed more than 6 s'],
    ['wait', 'its reader needed more than 6 s'],
    ['exit', 'its reader ended'],
    ['later', 'its reader crashed: too late'],
    ['heap', 'its reader ran out of memory'],
    ['buffers', 'its reader took too much memory'],
  ])('one that does «%s» fails with a sentence, and the next one is read', async (word, failure) => {
    const [bad, good] = await Promise.all([read(word), read('good')]);
    expect(bad).toEqual({ failure });
    expect(good).toMatchObject({ answer: { text: 'good' } });
  });

  test('that is no PDF, or whose handler is missing, fails with a sentence', async () => {
    expect(await read('%PDF-1.4 and nothing else', 'application/pdf')).toEqual({ failure: expect.any(String) });
    expect(await read('x', 'x/gone')).toEqual({ failure: expect.stringContaining('gone.mjs') });
    expect(await read('x', 'x/z')).toEqual({ failure: 'nobody handles x/z' });
  });

  test('is given up when the crawl stops', async () => {
    const waiting = [read('wait'), read('never begun')];
    reader.cancel();
    expect(await Promise.all([...waiting, read('too late')])).toEqual(
      Array(3).fill({ failure: 'the crawl was stopped' }),
    );
  });
});
