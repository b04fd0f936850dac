import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createNormalizer, DEFAULT_KEY_OPTIONS, hostOf, normalizeUrl } from '../../src/url/normalize.js';
import { cases } from './cases.js';
import { referenceForm } from './reference.js';

const TOKEN = '0123456789abcdef';

/** `[normal form, fetch form]`, or the reason of a refusal. */
function forms(input: string, base?: string): [string, string] | string {
  const result = normalizeUrl(input, base);
  return result.url === null ? result.reason : [result.url, result.fetch];
}
const normal = (input: string) => normalizeUrl(input).url;

describe('the normal form', () => {
  it('joins the spellings of one page and leaves the request its own', () => {
    expect(forms('HTTP://User:pw@Example.COM.:80/a/../b%7e/?b=2&a=1#top')).toEqual([
      'http://example.com/b~?a=1&b=2',
      'http://example.com./b%7e/?b=2&a=1',
    ]);
  });

  it.each([
    ['the default port', 'https://a.com:443/x', 'https://a.com/x'],
    ['the fragment', 'http://a.com/x#y?z', 'http://a.com/x'],
    ['credentials', 'http://u:p@a.com/x', 'http://a.com/x'],
    ['an empty query', 'http://a.com/x?', 'http://a.com/x'],
    ['empty pieces of a query', 'http://a.com/x?&&a=1&', 'http://a.com/x?a=1'],
    ['a trailing slash', 'http://a.com/x/?q=1', 'http://a.com/x?q=1'],
    ['the root dot of a host', 'http://a.com./x', 'http://a.com/x'],
  ])('drops %s', (_, input, expected) => expect(normal(input)).toBe(expected));

  it.each([
    ['another port', 'http://a.com:8080/x'],
    ['the root slash', 'http://a.com/'],
    ['several trailing slashes, which are another path', 'http://a.com/x//'],
    ['a value that is empty', 'http://a.com/x?a='],
    ['a parameter without a value', 'http://a.com/x?a'],
    ['a plus, which is not %20', 'http://a.com/x?a=b+c'],
    ['encoded delimiters', 'http://a.com/a%2Fb%3Fc?d%26e%3Df=g%23h'],
    ['an encoded percent sign', 'http://example.com/cmp/Supermercados-Dia%25'],
    ['an encoded query in a query', 'http://a.com/?a%26b%3Dc=d%26e%3Df'],
    ['a semicolon in a query', 'https://foo.com/search?q=tl;dr'],
    ['the case of a path', 'http://a.com/A/b'],
    ['an index page', 'http://a.com/index.html'],
    ['www', 'http://www.a.com/'],
  ])('keeps %s', (_, input) => expect(normal(input)).toBe(input));

  it('spells a host as the WHATWG standard does', () => {
    expect(normal('http://BÜCHER.example/')).toBe('http://xn--bcher-kva.example/');
    expect(normal('https://example%2Ecom/')).toBe('https://example.com/');
    expect(normal('http://0x7f.1/')).toBe('http://127.0.0.1/');
    expect(normal('http://[0:0::1]:80/')).toBe('http://[::1]/');
    expect(hostOf('http://[::1]:8080/')).toBe('[::1]');
    expect(hostOf('mailto:a@b.c')).toBeNull();
  });

  it('decodes unreserved characters, upper-cases the digits of others and encodes what may not be raw', () => {
    expect(normal('http://a.com/%41%7e%2d%c3%a9%2f?x=%5f%26')).toBe('http://a.com/A~-%C3%A9%2F?x=_%26');
    expect(normal('http://a.com/a[1]|é?b[]=^{`}|\\')).toBe('http://a.com/a%5B1%5D%7C%C3%A9?b%5B%5D=%5E%7B%60%7D%7C%5C');
    expect(normal('http://a.com/100%?a=%zz&b=%4')).toBe('http://a.com/100%25?a=%25zz&b=%254');
    expect(normal('http://a.com/%%341')).toBe('http://a.com/%2541');
  });

  it('sorts a query by name, then value, and not by what stands between them', () => {
    expect(normal('http://a.com/?b&a=2&a-b=1&a=1&a')).toBe('http://a.com/?a&a=1&a=2&a-b=1&b');
  });

  it('keeps an empty query and empty pieces in the request', () => {
    expect(forms('http://a.com/x?')).toEqual(['http://a.com/x', 'http://a.com/x?']);
    expect(forms('http://a.com/x?&b&&a')).toEqual(['http://a.com/x?a&b', 'http://a.com/x?&b&&a']);
  });
});

describe('removals', () => {
  it.each(['utm_source=x', 'UTM_Medium', 'utm%5Fid=1', 'fbclid=1', 'gclid=', 'ref=home', 'mc_cid=1', 'igshid=2'])(
    'take %s off the key and off the request',
    (parameter) => {
      expect(forms(`http://a.com/x/?z=1&${parameter}&b=2`)).toEqual([
        'http://a.com/x?b=2&z=1',
        'http://a.com/x/?z=1&b=2',
      ]);
      expect(forms(`http://a.com/x?${parameter}`)).toEqual(['http://a.com/x', 'http://a.com/x']);
    },
  );

  it.each([`sid=${TOKEN}`, `SESSIONID=${TOKEN}`, `phpsessid=${TOKEN}`, `ASPSESSIONIDQQ=${TOKEN}`])(
    'take session %s',
    (parameter) => expect(forms(`http://a.com/?${parameter}&a`)).toEqual(['http://a.com/?a', 'http://a.com/?a']),
  );

  it.each([
    'sid=about-us-and-our-friends',
    'sid=123',
    'sid',
    `sid=${TOKEN}-1`,
    'referer=x',
    'utm=1',
    'side=0123456789abcdef',
  ])('leave %s, which may name a page', (parameter) =>
    expect(normal(`http://a.com/?${parameter}`)).toBe(`http://a.com/?${parameter}`),
  );

  it('take the session of a servlet out of a path, its route with it', () => {
    for (const session of [`;jsessionid=${TOKEN}`, `;JSESSIONID=${TOKEN}.node1`, `;jsessionid=${TOKEN}!-18!2`]) {
      expect(forms(`http://a.com/cart${session}?b&a`)).toEqual(['http://a.com/cart?a&b', 'http://a.com/cart?b&a']);
      expect(forms(`http://a.com/a${session};v=1/b`)).toEqual(['http://a.com/a;v=1/b', 'http://a.com/a;v=1/b']);
    }
    expect(normal('http://a.com/cart;jsessionid=short')).toBe('http://a.com/cart;jsessionid=short');
  });

  it('resolve the dot segment that a session hid', () => {
    expect(forms(`http://a.com/a/b/..;jsessionid=${TOKEN}/c`)).toEqual(['http://a.com/a/c', 'http://a.com/a/c']);
  });

  it('are counted under the names of the options, so that a page cannot invent counters', () => {
    const result = normalizeUrl(`http://a.com/x;jsessionid=${TOKEN}?utm_a=1&utm_b=2&REF=3&PHPSESSID=${TOKEN}`);
    expect(result.url).toBe('http://a.com/x');
    expect(result.url !== null && result.removed).toEqual([';jsessionid', 'utm_*', 'utm_*', 'ref', 'PHPSESSID']);
    const untouched = normalizeUrl('http://a.com/');
    expect(untouched.url !== null && untouched.removed).toEqual([]);
  });

  it('are those of the options that the crawl was started with', () => {
    const { normalize } = createNormalizer({
      ...DEFAULT_KEY_OPTIONS,
      trackingParameters: ['x*'],
      sessionTokenLength: 4,
    });
    expect(normalize('http://a.com/?utm_id=1&xyz=2&sid=abcd').url).toBe('http://a.com/?utm_id=1');
  });
});

describe('refusals', () => {
  it.each([
    ['syntax', 'http://'],
    ['syntax', '/relative/without/a/base'],
    ['syntax', 'http://a b/'],
    ['syntax', 'http://a.com:99999/'],
    ['scheme', 'mailto:a@b.c'],
    ['scheme', 'javascript:void(0)'],
    ['scheme', 'ftp://a.com/'],
    ['host', 'http://./'],
    ['host', 'http://1.1../'],
    ['length', `http://a.com/${'x'.repeat(5_000)}`],
    ['length', `http://a.com/#${'x'.repeat(70_000)}`],
  ])('say %s of %s', (reason, input) => expect(forms(input)).toBe(reason));

  it('show how the WHATWG parser writes what is refused', () => {
    expect(normalizeUrl('FTP://A.com/x y')).toEqual({ url: null, reason: 'scheme', href: 'ftp://a.com/x%20y' });
    expect(normalizeUrl('http://a.com../')).toEqual({ url: null, reason: 'host', href: 'http://a.com../' });
  });

  it('do not count a long fragment', () => {
    expect(normal(`http://a.com/#${'x'.repeat(60_000)}`)).toBe('http://a.com/');
  });
});

/** URLs out of the pieces that the rules are about. */
const path = fc.array(
  fc.oneof(
    fc.constantFrom(
      '/',
      '//',
      '.',
      '..',
      '%2e',
      '%2E%2e',
      ';',
      `;jsessionid=${TOKEN}`,
      '%',
      '%4',
      '%41',
      '%7e',
      '%c3',
      '%2f',
      '[',
      '|',
      "'",
      '^',
      '{',
      'é',
      ' ',
      '\\',
      '\t',
    ),
    fc.string({ maxLength: 4 }),
  ),
  { maxLength: 10 },
);
const query = fc.array(
  fc.oneof(
    fc.constantFrom(
      '&',
      '=',
      '&&',
      'a',
      'b=1',
      'a=',
      'utm_x=1',
      'ref',
      `&sid=${TOKEN}`,
      '%26',
      '%61',
      '%',
      "'",
      '[]',
      '?',
      '/',
      'é',
      '+',
    ),
    fc.string({ maxLength: 4 }),
  ),
  { maxLength: 10 },
);
const authority = fc.constantFrom(
  'a.com',
  'A.com.',
  'a.com:80',
  'u:p@a.com:8080',
  '[::1]',
  '1.2.3.4',
  'bücher.de',
  'a..b',
  'x_y',
  '127.1.',
);
const url = fc
  .tuple(
    fc.constantFrom('http://', 'https://', 'HTTP:'),
    authority,
    path,
    fc.option(query),
    fc.constantFrom('', '#', '#f?/'),
  )
  .map(([scheme, host, p, q, hash]) => `${scheme}${host}/${p.join('')}${q === null ? '' : `?${q.join('')}`}${hash}`);

describe('for any URL', () => {
  it('the normal form and the request are what a second reading of the rules says', () => {
    fc.assert(
      fc.property(url, (input) => {
        const result = normalizeUrl(input);
        const expected = referenceForm(input);
        expect(
          result.url === null ? result.reason : { url: result.url, fetch: result.fetch, host: result.host },
        ).toEqual(expected);
      }),
      { numRuns: 3_000, seed: 5 },
    );
  });

  it('the normal form is its own, and the request is itself again and has the same key', () => {
    fc.assert(
      fc.property(url, (input) => {
        const first = normalizeUrl(input);
        if (first.url === null) return;
        expect(normal(first.url)).toBe(first.url);
        expect(forms(first.fetch)).toEqual([first.url, first.fetch]);
        expect(first.url).toMatch(/^https?:\/\/[!-~]+$/);
      }),
      { numRuns: 3_000, seed: 6 },
    );
  });
});

describe('outside cases', () => {
  it('the request is what the WHATWG parser makes of every http(s) case of the web platform tests', () => {
    for (const [input, base, expected] of cases<[string, string | null, string | null]>('wpt')) {
      const result = normalizeUrl(input, base ?? undefined);
      if (result.url === null) {
        // Two names that end in an empty label are refused beyond the standard.
        expect([input, result.href ?? null]).toEqual([input, expected]);
        continue;
      }
      const href = new URL(expected!);
      href.username = '';
      href.password = '';
      expect([input, result.fetch]).toEqual([input, href.href.replace(/#.*/, '')]);
    }
  });

  it('host names are mapped as IDNA says, less the root dot', () => {
    for (const [input, expected] of cases<[string, string | null]>('idna')) {
      const result = normalizeUrl(`https://${input}/x`);
      const host = result.url === null ? null : result.host;
      const wanted = expected?.endsWith('..') || expected === '.' ? null : (expected?.replace(/\.$/, '') ?? null);
      expect([input, host]).toEqual([input, wanted]);
    }
  });

  it('other normalisers agree where their rules are ours', () => {
    const all = cases<[string, string, string]>('normalizers');
    expect(all.length).toBeGreaterThan(200);
    for (const [rule, input, expected] of all) expect([rule, input, normal(input)]).toEqual([rule, input, expected]);
  });

  it('no two inputs that six implementations keep apart share a key, but where two rules meet', () => {
    // Two inputs are together if one implementation writes both alike, or by way of a third input: dropping
    // credentials, say, and dropping dot segments join what no single implementation that does one of the two joins.
    const rows = cases<[string, ...(string | null)[]]>('crosscheck');
    const together = new UnionFind(rows.length);
    const first = new Map<string, number>();
    rows.forEach(([, ...results], i) => {
      results.forEach((result, implementation) => {
        if (result === null) return;
        const key = `${implementation} ${result}`;
        together.join(i, first.get(key) ?? i);
        if (!first.has(key)) first.set(key, i);
      });
    });
    const holder = new Map<string, number>();
    const unexplained: string[][] = [];
    rows.forEach(([input], i) => {
      const key = normal(input);
      if (key === null) return;
      const other = holder.get(key) ?? i;
      holder.set(key, other);
      if (together.root(i) !== together.root(other)) unexplained.push([rows[other][0], input]);
    });
    expect(holder.size).toBeGreaterThan(350);
    // The one that is left: dot segments resolved here, and a trailing slash trimmed there.
    expect(unexplained).toEqual([['http://test.example/./../foo', 'http://test.example/./foo/.']]);
  });
});

class UnionFind {
  private readonly parents: number[];
  constructor(size: number) {
    this.parents = Array.from({ length: size }, (_, i) => i);
  }
  root(i: number): number {
    let at = i;
    while (this.parents[at] !== at) at = this.parents[at];
    return at;
  }
  join(i: number, j: number): void {
    this.parents[this.root(i)] = this.root(j);
  }
}
