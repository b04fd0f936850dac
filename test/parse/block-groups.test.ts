import { expect, test } from 'vitest';
import { BlockGroups } from '../../src/parse/block-groups.js';
import { HeadCollector } from '../../src/parse/head.js';
import { parsePage } from '../../src/parse/page.js';
import { PageRows } from '../../src/parse/page-rows.js';
import { PageScan } from '../../src/parse/scan.js';
import { findUnits } from '../../src/parse/units.js';

const url = 'http://host.example/';
const scan = new PageScan();
const rows = new PageRows();
const groups = new BlockGroups();

/** Reads a page, and finds its units by how they begin. */
function read(html: string): (beginning: string) => number {
  scan.read(Buffer.from(html), new HeadCollector(url, 'x', false), 100, false);
  const { text, elements } = scan;
  rows.read(elements, text, text.blockCount);
  const units = new Int32Array(text.blockCount + 1);
  const count = findUnits(elements, text, text.blockCount, units);
  groups.read(elements, text, rows, units, count);
  const texts = Array.from({ length: count }, (_, u) => text.slice(text.blockStart[units[u]], text.blockEnd[units[u]]));
  return (beginning) => texts.findIndex((block) => block.startsWith(beginning));
}

const prose = (word: string): string => `${word} ${'says a long sentence about the matter, '.repeat(4)}and ends.`;

test('blocks in elements of the same names and hints are alike, others are not', () => {
  const find = read(`<main><p>${prose('One')}<p>${prose('Two')}<p>Three</main><ul><li>four<li>five</ul><h2>six</h2>`);
  expect(['One', 'Two', 'Three', 'four', 'six'].map((b) => groups.blocksAlike(find(b)))).toEqual([3, 3, 3, 2, 1]);
  const [one, two, three] = scan.text.blockChars;
  expect(groups.charsAlike(find('One'))).toBe(one + two + three);
});

test('a text that a page has several times is known, wherever it stands', () => {
  const find = read(
    `<h2>A picture of a large fox</h2><p>A picture of a large fox<h3>A picture of a large fix</h3>no<h4>no</h4>`,
  );
  expect(groups.timesSaid(find('A picture of a large fox'))).toBe(2);
  expect(groups.timesSaid(find('A picture of a large fix'))).toBe(1);
  expect(groups.timesSaid(find('no'))).toBe(1); // too short to say anything
});

test('the prose of the element that has most of it is bounded by its first and last block', () => {
  const find = read(
    `<div>${prose('Aside')}</div><main><h1>Head</h1><p>${prose('One')}<p>${prose('Middle')}<p>${prose('More')}<p>short<p>${prose('Two')}<p>end</main>`,
  );
  expect([groups.firstProse, groups.lastProse, groups.lastBlock]).toEqual(['One', 'Two', 'end'].map(find));
  expect(groups.proseBlocks).toBe(5);
});

test('tables of one page do not show through on the next, be it larger or smaller', () => {
  const many = Array.from({ length: 5000 }, (_, i) => `<p>Paragraph number ${i}`).join('');
  expect(groups.blocksAlike(read(many)('Paragraph number 7'))).toBe(5000);
  const find = read('<p>Paragraph number 7<p>Paragraph number 8');
  expect([groups.blocksAlike(find('Para')), groups.timesSaid(find('Para')), groups.proseBlocks]).toEqual([2, 1, 0]);
});

test('every page that has text has a main text', () => {
  for (const html of [
    'x',
    '<nav><a href=a>Home</a> <a href=b>News</a></nav>',
    '<footer>(c) 2026</footer>',
    '<p>1<p>2',
  ]) {
    const { text, mainText } = parsePage({ body: Buffer.from(html), url });
    expect(mainText).not.toBe('');
    for (const line of mainText.split('\n')) expect(text.split('\n')).toContain(line);
  }
  expect(parsePage({ body: Buffer.from('<p> </p>'), url }).mainText).toBe('');
});
