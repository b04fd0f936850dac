import { expect, test } from 'vitest';
import { csv, jsonLines } from '../../src/corpus/formats.js';
import type { CorpusPage, ExportedPage } from '../../src/corpus/pages.js';
import { parseCsv } from '../support/csv.js';

/** A title that sets the window's, changes colours, clears the screen (in C0 and C1) and rings. */
const TITLE = '\x1b]0;owned\x07\x1b[31mred\x9b2J\x7f\x00 "quoted",\r\n=cmd()';
const exported = {
  ...{ url: 'http://a.test/', finalUrl: 'http://a.test/', fetchedAt: '2026-01-01T00:00:00.000Z', status: 200 },
  ...{ contentType: '=text\x1b[0m', charset: 'utf-8', language: 'en', title: TITLE, text: `@SUM(1)\x1b[2J\n${TITLE}` },
  ...{ contentHash: null, simhash: null, depth: 0, duplicateOf: null, aiPreferences: null },
} as unknown as ExportedPage;
const page = { page: exported, refersTo: null } as unknown as CorpusPage;

const controls = (text: string): number[] =>
  [...text]
    .map((character) => character.codePointAt(0)!)
    .filter((c) => (c < 32 && ![9, 10, 13].includes(c)) || (c >= 127 && c < 160));

test('no cell of CSV holds a control character that a terminal would obey, or begins a formula', () => {
  const { head, page: row } = csv();
  const text = `${head()}${row(page)}`;
  expect(controls(text)).toEqual([]);
  const cells = parseCsv(text)[1];
  expect(cells.filter((cell) => /^[=+\-@\t\r\n]/.test(cell))).toEqual([]);
  expect(cells).toContain(TITLE.replace(/[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f]/g, '\ufffd'));
});

test('no line of JSON holds a control character, and none is lost', () => {
  const line = String(jsonLines().page(page));
  expect(controls(line)).toEqual([]);
  expect(line.indexOf('\n')).toBe(line.length - 1);
  expect(JSON.parse(line)).toEqual(exported);
});
