/** URLs: normal form and fetch form are what a second reading of the rules says, are stable, and share one key. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseUrl } from '../../src/parse-url.js';
import { UrlKeyer } from '../../src/url/key.js';
import { createNormalizer, normalizeUrl } from '../../src/url/normalize.js';
import { referenceForm, standardUrl } from '../url/reference.js';
import { fixture } from './corpus.js';
import { mutated } from './mutations.js';
import type { FuzzTarget } from './target.js';

interface Case {
  readonly href: string;
  readonly base: string;
}

const TOKEN = 'A0123456789abcdef';
const PIECES = [
  ...[
    '/',
    '//',
    '\\',
    '?',
    '#',
    '&',
    '=',
    ';',
    ':',
    '@',
    '.',
    '..',
    '/./',
    '/../',
    '%',
    '%2e',
    '%2E%2e',
    '%61',
    '%7E',
    '%2F',
    '%25',
    '%c3%a9',
    '%ff',
    ' ',
    '\t',
    '\n',
  ],
  ...[
    '\0',
    '\x7f',
    '|',
    '^',
    '{',
    '}',
    '"',
    '<',
    '>',
    '[',
    ']',
    '[::1]',
    '127.1',
    '0x7f.1',
    '1.2.3.4',
    '\u00e9',
    '\u6f22',
    '\ud83d\ude00',
    '\ud800',
    '\u3002',
    'b\u00fccher',
    'xn--',
    ':80',
    ':443',
    ':0',
    ':99999',
  ],
  ...[
    'utm_source=1',
    'UTM_x',
    'fbclid=',
    'ref',
    `sid=${TOKEN}`,
    `;jsessionid=${TOKEN}`,
    `;jsessionid=${TOKEN}.n1`,
    '/..;',
    'http:',
    'https://',
    'HTTP://',
    'mailto:',
    'javascript:',
    'data:,',
    '+',
    'a=1',
    'b',
    'u:p@',
  ],
];
const BASES = [
  'http://host.example/dir/page?q#f',
  'https://host.example',
  'http://u:p@b\u00fccher.example:8080/a/b;c/../d',
  'http://1.2.3.4./x',
];

const keyer = new UrlKeyer(new Uint8Array(16));

export const urlTarget: FuzzTarget<Case> = {
  name: 'url',
  suiteRuns: 1_500,
  cases: () => {
    const lines = (name: string): unknown[] =>
      fixture(`url/${name}.jsonl`)
        .toString('utf8')
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text));
    const sources = lines('wpt')
      .flatMap((row) => (row as (string | null)[]).slice(0, 2))
      .filter((text) => text !== null && text !== '');
    const pieces = fc
      .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 3 })), { maxLength: 10 })
      .map((all) => all.join(''));
    return fc.record({
      href: fc.oneof(
        pieces,
        fc
          .tuple(fc.constantFrom('http://a.com', 'https://A.com./', 'http://h.example/p?', '//x.y'), pieces)
          .map((all) => all.join('')),
        mutated(sources as string[], PIECES, 1_000, 4),
      ),
      base: fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...BASES) },
        { weight: 1, arbitrary: mutated(BASES, PIECES, 1_000, 3) },
      ),
    });
  },
  check({ href, base }) {
    // A base that is no URL is none: absolute links still resolve.
    const against = parseUrl(base)?.href;
    const expected = referenceForm(href, against);
    const result = createNormalizer().resolver(base).resolve(href);
    if (result.url === null) {
      if (result.reason !== 'length') assert.equal(result.reason, expected, '(expected: the second reading)');
      return;
    }
    assert.deepEqual(
      { url: result.url, fetch: result.fetch, host: result.host },
      expected,
      '(expected: the second reading)',
    );
    assert.match(result.url, /^https?:\/\/[!-~]+$/);
    assert.deepEqual(normalizeUrl(href, against), result, 'a resolver and a single link differ');

    const again = normalizeUrl(result.url);
    assert.equal(again.url, result.url, 'the normal form is not its own');
    const fetched = normalizeUrl(result.fetch);
    assert.ok(fetched.url !== null);
    assert.deepEqual(
      [fetched.url, fetched.fetch, fetched.host],
      [result.url, result.fetch, result.host],
      'the fetch form is another page',
    );
    assert.equal(keyer.hex(fetched.url), keyer.hex(result.url));
    if (result.removed.length === 0) {
      const url = standardUrl(href, against);
      url.username = url.password = url.hash = '';
      assert.equal(result.fetch, url.href.replace(/#$/, ''), '(expected: new URL)');
    }
  },
};
