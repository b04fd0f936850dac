import { rmSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { Finding } from '../../src/corpus/finding.js';
import { checkNear } from '../../src/corpus/verify-near.js';
import { MadeCrawl, type MadeVisit } from './made-crawl.js';

const crawls: MadeCrawl[] = [];
afterAll(() => {
  for (const crawl of crawls) rmSync(crawl.dir, { recursive: true });
});

/** Faults that are found in a crawl of these pages, each with a fingerprint. */
async function faults(...visits: (MadeVisit['visit'] & { simhash: string | null })[]): Promise<string[]> {
  const made = visits.map((visit, i) => ({ url: `http://a.test/${i}`, body: `<p>${i}`, visit }));
  const crawl = await MadeCrawl.of(made);
  crawls.push(crawl);
  const finding = new Finding('rows');
  const reader = crawl.read();
  checkNear(reader, finding);
  reader.close();
  return finding.examples;
}

const page = '00000000000000ff';

test('a near-duplicate lies within three bits of the page that it names', async () => {
  expect(await faults({ simhash: page }, { simhash: '00000000000000f8', near: true, duplicateOf: 0 })).toEqual([]);
  const wrong = await faults({ simhash: page }, { simhash: '00000000000000f0', near: true, duplicateOf: 0 });
  expect(wrong).toEqual(['visit 1 is called a near-duplicate of URL 0, which has no page near to it']);
  expect(await faults({ simhash: page }, { simhash: null, near: true, duplicateOf: 0 })).toHaveLength(1);
  expect(await faults({ simhash: page }, { simhash: null, duplicateOf: 0 })).toEqual([]);
});
