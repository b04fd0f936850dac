import fc from 'fast-check';
import { expect, test } from 'vitest';
import { filePath } from '../../src/corpus/markdown-files.js';

const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9]|conin\$|conout\$)(?:\.|$)/i;
const url = fc
  .tuple(
    fc.constantFrom(
      'a.example',
      'con.example',
      'nul',
      '[::1]:8080',
      'xn--bcher-kva.example:81',
      'a..b.example',
      '127.0.0.1',
    ),
    fc.oneof(
      fc.webPath(),
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.constantFrom('nul', 'CON.html', '..', '../..', 'a b/ü?x=%'),
    ),
    fc.webQueryParameters(),
  )
  .map(([host, path, query]) => `http://${host}/${path}?${query}`)
  .filter((text) => URL.canParse(text));

test('a file has a name that is one and the same on every system', () => {
  fc.assert(
    fc.property(url, (text) => {
      for (const part of filePath(text)) {
        expect(part).toMatch(/^[a-z0-9_][a-z0-9._-]*$/);
        expect(part).not.toMatch(DEVICE);
        expect(part).not.toMatch(/[.\s]$/);
        expect(part.length).toBeLessThanOrEqual(120);
      }
    }),
  );
});

test('names that differ in case, marks or what was left out stay apart; the same URL has the same name', () => {
  const urls = [
    '/A',
    '/a',
    '/a/',
    '/ä',
    '/a?',
    '/a?b',
    '/a%20b',
    '/a-b',
    '/',
    `/${'x'.repeat(500)}`,
    `/${'x'.repeat(501)}`,
  ];
  const names = urls.map((path) => filePath(`http://a.example${path}`).join('/'));
  expect(new Set(names).size).toBe(urls.length);
  expect(filePath('http://a.example/docs/Getting%20started')).toEqual([
    'a.example',
    'docs-getting-started-8850dd04f6.md',
  ]);
});
