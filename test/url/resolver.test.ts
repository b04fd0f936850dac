import { isDeepStrictEqual } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createNormalizer, normalizeUrl } from '../../src/url/normalize.js';
import { cases } from './cases.js';
import { referenceForm } from './reference.js';

const normalizer = createNormalizer();

function outcome(base: string, href: string) {
  const result = normalizer.resolver(base).resolve(href);
  return result.url === null ? result.reason : { url: result.url, fetch: result.fetch, host: result.host };
}

const BASES = [
  'http://a.com',
  'https://www.example.com/a/b/page.html?x=1&utm_source=y#z',
  'http://a.com:8080/a//b/',
  'http://u:p@A.com./x;jsessionid=0123456789abcdef/y%7e/z[1]',
  'http://[::1]/a/../b',
  'data:text/html,x',
  'not a url',
];

describe('a page’s links', () => {
  it('resolve as `new URL` resolves them, on links of real pages', () => {
    let links = 0;
    const wrong: unknown[] = [];
    for (const [base, hrefs] of cases<[string, string[]]>('links')) {
      const resolver = normalizer.resolver(base);
      for (const href of hrefs) {
        const result = resolver.resolve(href);
        const got = result.url === null ? result.reason : { url: result.url, fetch: result.fetch, host: result.host };
        const expected = referenceForm(href, base);
        if (!isDeepStrictEqual(got, expected)) wrong.push({ base, href, got, expected });
        links++;
      }
    }
    expect(wrong).toEqual([]);
    expect(links).toBeGreaterThan(2_000);
  });

  it('resolve as `new URL` resolves them, whatever they are made of', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '/',
        '//',
        './',
        '../',
        '.',
        '..',
        '?',
        '#',
        ':',
        'a',
        'b.html',
        'http:',
        'https://',
        'b.com',
        'a.com:80',
        '%2e',
        '%41',
        ';',
        '&',
        '=',
        '\\',
        ' ',
        '\n',
        "'",
        '[',
        'é',
        '@',
        'HTTP://',
        'mailto:',
        '.well-known',
        'xn--',
        '1.2',
      ),
      fc.string({ maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...BASES), fc.array(piece, { maxLength: 7 }), (base, pieces) => {
        const href = pieces.join('');
        return isDeepStrictEqual(outcome(base, href), referenceForm(href, URL.canParse(base) ? base : undefined));
      }),
      { numRuns: 10_000, seed: 7 },
    );
  });

  it('give the same answer again after any other link', () => {
    const resolver = normalizer.resolver('https://a.com/x/y');
    const hrefs = [
      'https://b.com/1',
      'https://b.com/2',
      'https://b.com.evil.com/',
      'z',
      '//b.com',
      'https://b.com',
      '?q',
      '#f',
      '',
    ];
    const alone = hrefs.map((href) => normalizeUrl(href, 'https://a.com/x/y'));
    for (let round = 0; round < 2; round++) expect(hrefs.map((href) => resolver.resolve(href))).toEqual(alone);
  });

  it('still resolve when the base is no URL, if they are absolute', () => {
    const resolver = normalizer.resolver('::');
    expect(resolver.resolve('https://b.com/x').url).toBe('https://b.com/x');
    expect(resolver.resolve('/x')).toEqual({ url: null, reason: 'syntax' });
    expect(resolver.resolve('#x')).toEqual({ url: null, reason: 'syntax' });
  });

  it('cost no more than they are long, even a million of them on a base of any length', () => {
    const resolver = normalizer.resolver(`http://a.com/${'x/'.repeat(2_000_000)}`);
    expect(resolver.resolve('a')).toEqual({ url: null, reason: 'syntax' });
    const long = normalizer.resolver(`http://a.com/${'x/'.repeat(2_000)}`);
    expect(long.resolve('y'.repeat(200))).toMatchObject({ url: null, reason: 'length' });
  });
});

describe('authorities that are remembered', () => {
  // 4,000 links of 60 KB each to other hosts, as hostile pages may have: they held 118 MB here while a part kept the whole
  it('keep no link alive, however long it is', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const own = createNormalizer();
    const tail = '#'.padEnd(60_000, 'x');
    const held = (): number => {
      collect();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const before = held();
    for (let i = 0; i < 4_000; i++) {
      const link = Buffer.from(`https://host-${i}.example.com/p${tail}`).latin1Slice();
      const { url } = own.resolver('http://a.com/').resolve(link);
      if (url !== `https://host-${i}.example.com/p`) throw new Error(`${link.slice(0, 80)} became ${url}`);
    }
    const grown = held() - before;
    expect(own.resolver('http://a.com/').resolve('//host-1.example.com/q').url).toBe('http://host-1.example.com/q');
    expect(grown).toBeLessThan(40e6);
  });

  it('are those that a name server could know: a longer one is parsed, to the same end', () => {
    const href = `https://${'a.'.repeat(200)}com/x`;
    expect(normalizer.resolver('http://a.com/').resolve(href)).toEqual(normalizeUrl(href));
  });
});

describe('queries in a page that is not UTF-8', () => {
  it('are encoded in the page’s charset, as the web platform tests say', () => {
    for (const [charset, input, expected] of cases<[string, string, string]>('charset')) {
      const result = normalizer.resolver('http://a.com/', charset).resolve(`?${input}#`);
      expect([charset, input, result.url !== null && result.fetch]).toEqual([
        charset,
        input,
        `http://a.com/?${expected}`,
      ]);
    }
  });

  it.each([
    ['shift_jis', '/日?q=日本#日', '/%E6%97%A5?q=%93%FA%96{'],
    ['euc-jp', '?日', '?%C6%FC'],
    ['iso-2022-jp', '?a日b', '?a%1B$BF|%1B(Bb'],
    ['gbk', '?中', '?%D6%D0'],
    ['gb18030', '?中', '?%D6%D0'],
    ['big5', '?中', '?%A4%A4'],
    ['euc-kr', '?한', '?%C7%D1'],
    ['windows-1251', '?я', '?%FF'],
    ['windows-1252', '?é€', '?%E9%80'],
    ['koi8-r', '?я', '?%D1'],
    ['iso-8859-2', '?ł', '?%B3'],
    ['utf-16le', '?é', '?%C3%A9'],
    ['no-such-charset', '?é', '?%C3%A9'],
  ])('in %s: %s', (charset, href, expected) => {
    const result = normalizer.resolver('http://a.com/', charset).resolve(href);
    expect(result.url !== null && result.fetch).toBe(`http://a.com/${expected.replace(/^\//, '')}`);
  });
});
