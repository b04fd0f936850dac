import { expect, test } from 'vitest';
import { type Brought, hasChanged } from '../../src/admit/page-change.js';
import type { LastVisit } from '../../src/engines/ports.js';

const hash = (n: number): Uint8Array => new Uint8Array(32).fill(n);
const body = { visit: 3, at: 0, target: '', contentHash: hash(1), payloadDigest: null, simhash: '00000000000000ff' };
const last: LastVisit = {
  ...{ visit: 4, at: 0, nextVisit: 1, history: null, found: true, duplicateOf: -1, etag: null, lastModified: null },
  body,
};
const isChanged = (over: Partial<Brought>, before = last): boolean =>
  hasChanged(before, { page: 'body', contentHash: hash(2), simhash: '00000000000000ff', ...over });

test('a page has changed if its text moved by more than three bits', () => {
  expect(isChanged({})).toBe(false);
  expect(isChanged({ simhash: '00000000000007ff' })).toBe(false);
  expect(isChanged({ simhash: '0000000000000fff' })).toBe(true);
  expect(isChanged({ simhash: '80000000000007ff' })).toBe(true);
});

test('where there is no text to compare, another body is a change', () => {
  expect(isChanged({ simhash: null })).toBe(true);
  expect(isChanged({ contentHash: hash(1), simhash: null })).toBe(false);
  expect(isChanged({}, { ...last, body: { ...body, simhash: null } })).toBe(true);
});

test('a 304 is no change, and neither is a page that is still gone; one that comes or goes is', () => {
  const gone = { ...last, found: false };
  expect(isChanged({ page: 'same', contentHash: null, simhash: null })).toBe(false);
  expect(isChanged({ page: 'none', contentHash: null, simhash: null }, gone)).toBe(false);
  expect(isChanged({ page: 'none', contentHash: null, simhash: null })).toBe(true);
  expect(isChanged({}, gone)).toBe(true);
});
