import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PatternError } from '../../src/pattern-parser.js';
import { compileGlob } from '../../src/url/glob.js';
import { Pattern } from '../../src/url/pattern.js';

describe('globs', () => {
  it('match as the regular expression that they stand for', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 12 });
    const glob = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*'), maxLength: 8 });
    fc.assert(
      fc.property(glob, text, (pattern, url) => {
        const expected = new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(url);
        expect([pattern, url, compileGlob(pattern)(url)]).toEqual([pattern, url, expected]);
      }),
      { numRuns: 5_000, seed: 9 },
    );
  });

  it('take the whole URL, and every character but * as it is', () => {
    expect(compileGlob('http://a.com/?')('http://a.com/?')).toBe(true);
    expect(compileGlob('http://a.com/?')('http://a.com/x')).toBe(false);
    expect(compileGlob('a.com')('http://a.com/')).toBe(false);
    expect(compileGlob('HTTPS://WWW.A.com/B*')('https://www.a.com/Bc')).toBe(true);
  });

  it('stay linear where going back would not', () => {
    const matches = compileGlob(`${'*a'.repeat(400)}*b`);
    const url = 'a'.repeat(1_000);
    const start = performance.now();
    for (let i = 0; i < 100; i++) expect(matches(url)).toBe(false);
    expect(performance.now() - start).toBeLessThan(1_000);
  });
});

describe('patterns', () => {
  it('match as RegExp does', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      '.',
      '\\d',
      '\\w',
      '[ab]',
      '[^a]',
      '[a-c1-3]',
      '(a|b)',
      '(?:ab|)',
      '^',
      '$',
      '\\.',
      '1',
      '()',
    );
    const quantifier = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,2}', '{0,}', '+?');
    const term = fc.tuple(atom, quantifier).map(([a, q]) => (a === '^' || a === '$' ? a : a + q));
    const sequence = fc.array(term, { maxLength: 5 }).map((terms) => terms.join(''));
    const nested = fc.tuple(sequence, sequence, quantifier).map(([x, y, q]) => `(${x}|${y})${q}`);
    const pattern = fc.tuple(sequence, fc.oneof(nested, sequence), sequence).map((parts) => parts.join(''));
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', '.', '/'), maxLength: 8 });
    fc.assert(
      fc.property(
        pattern,
        fc.array(text, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        (source, texts, ignoreCase) => {
          const ours = new Pattern(source, ignoreCase);
          const theirs = new RegExp(source, ignoreCase ? 'i' : '');
          for (const each of texts) expect([source, each, ours.test(each)]).toEqual([source, each, theirs.test(each)]);
        },
      ),
      { numRuns: 3_000, seed: 10 },
    );
  });

  it('read URLs as one would write them', () => {
    const pattern = new Pattern('^https?://[^/]*\\.example\\.com/(?:news|blog)/\\d{4}/.*[?&]page=\\d+$', true);
    expect(pattern.test('https://www.EXAMPLE.com/news/2024/x?page=2')).toBe(true);
    expect(pattern.test('https://www.example.com/news/24/x?page=2')).toBe(false);
  });

  it.each(['(a+)+$', '^(a|a)*$', '(.*)*x', '.*.*.*.*.*x', '([a-z]+)*\\d'])('stay linear on %s', (source) => {
    const pattern = new Pattern(source);
    const start = performance.now();
    expect(pattern.test(`${'a'.repeat(5_000)}!`)).toBe(false);
    expect(performance.now() - start).toBeLessThan(1_000);
  });

  it('stay bounded in memory when every text leads to new states', () => {
    const pattern = new Pattern('(a|b)*a(a|b){12}c');
    let text = '';
    for (let i = 0; i < 20_000; i++) text += (i * 2_654_435_761) % 3 === 0 ? 'a' : 'b';
    expect(pattern.test(text)).toBe(false);
    expect(pattern.test(`${text}a${'b'.repeat(12)}c`)).toBe(true);
  });

  it.each([
    '(',
    ')',
    '[a',
    '*a',
    'a**',
    'a{3,2}',
    '(?=a)',
    '(?<n>a)',
    '\\1',
    '\\b',
    '\\',
    '[b-a]',
    'é',
    'x'.repeat(1_001),
    '(a{999}){999}',
    '('.repeat(51) + ')'.repeat(51),
  ])('refuse %s with a reason', (source) => expect(() => new Pattern(source)).toThrow(PatternError));

  it('do not count nothing to a million', () => {
    expect(new Pattern('(((){9999}){9999}){9999}').test('x')).toBe(true);
  });
});
