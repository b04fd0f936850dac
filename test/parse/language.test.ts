import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { detectLanguage } from '../../src/parse/language.js';

/** Articles of the Universal Declaration of Human Rights. */
const texts = JSON.parse(readFileSync(new URL('../fixtures/languages/udhr.json', import.meta.url), 'utf8')) as Record<
  string,
  string
>;

/** Languages that only the page itself can tell from their neighbours. */
const DECLARED_ONLY = new Set(['gl', 'id', 'mk', 'sw']);

describe('the language of a text', () => {
  test.each(Object.keys(texts).filter((code) => !DECLARED_ONLY.has(code)))('%s is known by its text alone', (code) => {
    expect(detectLanguage(texts[code], null)).toBe(code);
  });

  test.each(Object.keys(texts).filter((code) => !DECLARED_ONLY.has(code) && code !== 'en'))(
    '%s is known although the template of its page says English',
    (code) => {
      expect(detectLanguage(texts[code], 'en-US')).toBe(code);
    },
  );

  test.each([...DECLARED_ONLY])('%s is believed when declared, in any case and with a region', (code) => {
    expect(detectLanguage(texts[code], `${code.toUpperCase()}_xx`)).toBe(code);
    expect(detectLanguage(texts.ja, code)).toBe('ja');
  });

  test('a close call goes to the language that is declared', () => {
    const neither = 'Blorg vimmel tander skorre ploftig wendel harmist gobbe trunden slarvig mondel kister.';
    for (const code of ['sv', 'da', 'no', 'nl']) expect(detectLanguage(neither, code)).not.toBe('');
    expect(detectLanguage(texts.no, 'nb-NO')).toBe('nb');
    expect(detectLanguage(texts.hr, 'sr-Latn')).toBe('sr');
    expect(detectLanguage(texts.zh, 'yue-Hans')).toBe('yue');
  });

  test('a text of a few letters has the declared language, or none', () => {
    expect(detectLanguage('404 not found', 'fr')).toBe('fr');
    expect(detectLanguage('404 not found', null)).toBe('');
    expect(detectLanguage('1234 5678 9012 3456 — 7890 ?', 'de-AT')).toBe('de');
    expect(detectLanguage('', 'no language at all')).toBe('');
  });

  test('only the first thousand characters count', () => {
    expect(detectLanguage(texts.fi.slice(0, 500).repeat(2) + texts.en.repeat(50), null)).toBe('fi');
  });

  test('any text and any declaration give a code or nothing', () => {
    const anything = fc.string({ unit: 'binary', maxLength: 300 });
    fc.assert(
      fc.property(anything, fc.option(fc.string({ maxLength: 50 })), (text, declared) => {
        expect(detectLanguage(text, declared)).toMatch(/^(?:[a-z]{2,3})?$/);
      }),
    );
  });
});
