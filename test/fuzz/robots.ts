/** robots.txt: what it allows is what a second, simple reading of RFC 9309 says; noise is no rule and no crash. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseRobots } from '../../src/fetch/robots.js';
import { mutated } from './mutations.js';
import { plainRules, plainVerdict } from './robots-reading.js';
import { bytesOf, type FuzzTarget } from './target.js';

interface Case {
  readonly file: string;
  readonly urls: readonly string[];
}

const TOKEN = 'Saunter';
const pathPiece = fc.constantFrom(
  ...[
    'a',
    'b',
    '/',
    '*',
    '%61',
    '%2F',
    '%2f',
    '~',
    '%7E',
    '$',
    '\u00c3\u00a9',
    '%C3%A9',
    '?',
    '=',
    '&',
    '%',
    '%4',
    '"',
    ';',
    '%2A',
    '%24',
    '.php',
  ],
);
const path = fc.array(pathPiece, { maxLength: 8 }).map((parts) => `/${parts.join('')}`);
/** Lines that mean to us what they mean to the RFC: its own fields, spelt right; other records; noise. */
const line = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom('Allow: ', 'Disallow: ', 'disallow:', ' ALLOW :'), path)
      .map((parts) => parts.join('')),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'User-agent: *',
      'User-agent: saunter',
      'USER-AGENT:Saunter/2.0',
      'User-agent: other',
      'user-agent: * x',
      'User-agent:',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      'Crawl-delay: 3',
      'Sitemap: /s.xml',
      'Noindex: /x',
      'Content-Signal: ai-train=no',
      '# note',
      'Disallow:',
      'Allow: a',
      'Disallow: *',
      'x',
      ':',
      '\0',
    ),
  },
);
const file = fc
  .tuple(
    fc.array(fc.tuple(line, fc.constantFrom('', ' # why', '\t')), { maxLength: 14 }),
    fc.constantFrom('\n', '\r\n', '\r'),
  )
  .map(([lines, end]) => lines.map(([text, tail]) => text + tail).join(end));

/** What we forgive beyond the RFC (docs/robots.md): files that have any of it are no matter for the second reading. */
const FORGIVEN =
  /^[\t-\r ]*<|useragent|user agent|diss?all?ow|disalow|diasllow|disallaw|index\.html?|^\s*\S+\s+\S+\s*$|^[^:]{250}|^.{16000}/im;
const isForgiven = (text: string): boolean =>
  FORGIVEN.test(
    text
      .replace(/^[\t-\r ]*(?:dis)?allow[\t-\r ]*:/gim, '')
      .replace(/^[^\r\n]*?:[^\r\n]*$/gm, (l) => l.replace(/\s/g, '_')),
  );

const SOURCES = [
  'User-agent: *\nDisallow: /private/\nDisallow: /*?print=\nAllow: /private/welcome\nCrawl-delay: 2\n\nUser-agent: saunter\nDisallow: /*.pdf$\nAllow: /a%62c\nSitemap: http://h.example/s.xml\n',
];

export const robotsTarget: FuzzTarget<Case> = {
  name: 'robots',
  suiteRuns: 1_000,
  cases: () =>
    fc.record({
      file: fc.oneof(
        { weight: 4, arbitrary: file },
        {
          weight: 1,
          arbitrary: mutated(SOURCES, [
            '\n',
            '\r',
            ':',
            '#',
            '*',
            '$',
            '%',
            '\0',
            '\xff',
            '\xef\xbb\xbf',
            'Disallow: /',
            'User-agent: ',
            '<p>',
            ' ',
          ]),
        },
      ),
      urls: fc.array(fc.oneof(path, fc.constantFrom('/', '/robots.txt', '/private/x?print=1', '/x.pdf', '/abc')), {
        minLength: 1,
        maxLength: 6,
      }),
    }),
  check({ file, urls }) {
    const bytes = bytesOf(file);
    const rules = parseRobots(bytes, `Mozilla/5.0 (compatible; ${TOKEN}/1.0; +http://x.example)`);
    assert.ok(rules.crawlDelayMs === null || rules.crawlDelayMs >= 0);
    assert.ok(rules.bytes > 0);
    const byToken = parseRobots(bytes, TOKEN);
    const reading = isForgiven(file) || /^\xff\xfe|^\xfe\xff/.test(file) ? null : plainRules(file, TOKEN);
    for (const url of urls) {
      const { allowed, line: number } = rules.match(url);
      assert.equal(
        rules.match(url).allowed,
        byToken.allows(url),
        'the token and the whole User-Agent are two crawlers',
      );
      if (reading !== null) assert.equal(allowed, plainVerdict(reading, url), `${url} (expected: the second reading)`);
      if (number !== null) assert.ok(number >= 1 && number <= file.split(/\r\n|\r|\n/).length, `line ${number}`);
    }
  },
};
