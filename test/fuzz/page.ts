/**
 * Pages: no crash, the same answer whatever was read before, links as parse5 has them, linear work. The differences that
 * are left out here are those that docs/parsing.md lists.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { detectLanguage } from '../../src/parse/language.js';
import { LinkFlag, type ParsedPage, parsePage } from '../../src/parse/page.js';
import { parse5Reading } from '../parse/parse5-links.js';
import { workOf } from '../parse/work.js';
import { mutated } from './mutations.js';
import { bytesOf, type FuzzTarget } from './target.js';

export const PAGE_PIECES = [
  ...[
    '<',
    '>',
    '"',
    "'",
    '&',
    '&#',
    '&amp',
    '<!--',
    '-->',
    '--!>',
    '</',
    '/>',
    '\0',
    '\r',
    '=',
    '\x80',
    '\xef\xbf\xbd',
  ],
  ...[
    '<svg>',
    '</svg>',
    '<math>',
    '</math>',
    '<mi>',
    '<desc>',
    '<title>',
    '</title>',
    '<foreignObject>',
    '<![CDATA[',
    ']]>',
  ],
  ...[
    '<annotation-xml encoding="text/html">',
    '<template>',
    '</template>',
    '<noscript>',
    '</noscript>',
    '<select>',
    '</select>',
  ],
  ...[
    '<option>',
    '<optgroup>',
    '<textarea>',
    '</textarea>',
    '<xmp>',
    '<iframe src=f1>',
    '</iframe>',
    '<plaintext>',
    '<script>',
  ],
  ...[
    '</script>',
    '<style>',
    '</style>',
    '<table>',
    '</table>',
    '<tr>',
    '<td>',
    '</td>',
    '<caption>',
    '<colgroup>',
    '<p>',
    '</p>',
  ],
  ...[
    '<b>',
    '</b>',
    '<i>',
    '<a href=x1>',
    "<a href='x2' rel=nofollow>",
    '</a>',
    '<area href=x3>',
    '<base href=/b/>',
    '<br>',
    '</br>',
  ],
  ...[
    '<button>',
    '</button>',
    '<li>',
    '<ul>',
    '</ul>',
    '<dd>',
    '<h1>',
    '</h2>',
    '<pre>\n',
    '<form>',
    '</form>',
    '<object>',
    '</object>',
  ],
  ...[
    '<font color=red>',
    '<input type=hidden>',
    '<body lang=fr>',
    '</body>',
    '</html>',
    '<head>',
    '</head>',
    '<ruby>',
    '<rt>',
  ],
  ...[
    '<meta charset=koi8-r>',
    '<meta name=robots content=noindex>',
    '<link rel=canonical href=/c>',
    '<hr>',
    '<nobr>',
    '<marquee>',
  ],
];
const URL = 'http://host.example/dir/page';
const EVERYTHING = { anchorText: true, markdown: true, metadata: true };
/** Read between two readings of a case: it leaves as much behind as a page can. */
const OTHER = Buffer.from(
  '<title>other</title><base href=//elsewhere.example><svg><title><select><table><td><a href=/left><pre><noscript><template><p hidden>words',
);

function read(body: Buffer): ParsedPage {
  return parsePage({ body, url: URL, contentType: 'text/html; charset=utf-8' }, EVERYTHING);
}

const anchorsOf = ({ links }: ParsedPage): string[] =>
  [...new Set(links.hrefs.filter((_, i) => links.flags[i] & LinkFlag.anchor))].sort();

export const pageTarget: FuzzTarget<string> = {
  name: 'page',
  suiteRuns: 250,
  cases: ({ pages }) =>
    fc.oneof(
      { weight: 3, arbitrary: mutated(pages, PAGE_PIECES) },
      {
        weight: 1,
        arbitrary: fc
          .array(fc.constantFrom(...PAGE_PIECES, 'text ', ' '), { maxLength: 24 })
          .map((all) => all.join('')),
      },
    ),
  check(html) {
    const body = bytesOf(html);
    const page = read(body);
    assert.equal(page.links.flags.length, page.links.hrefs.length);
    assert.equal(page.links.texts?.length, page.links.hrefs.length);
    assert.match(detectLanguage(page.text, page.language), /^[a-z]{0,3}$/);
    parsePage({ body: OTHER, url: 'http://other.example/' });
    assert.deepEqual(read(body), page, 'the same bytes gave another answer');

    const plain = parsePage({ body, url: URL, contentType: 'text/html; charset=utf-8' }, { mainText: false });
    assert.deepEqual(plain.links.hrefs, page.links.hrefs, 'links depend on what else is asked for');
    assert.equal(plain.text, page.text, 'the text depends on what else is asked for');

    const ours = anchorsOf(page);
    const theirs = parse5Reading(new TextDecoder(page.charset).decode(body));
    if (theirs.noscriptInHead && /<svg|<math/i.test(html)) return;
    if (theirs.frameset)
      assert.deepEqual(
        theirs.links.filter((link) => !ours.includes(link)),
        [],
      );
    else assert.deepEqual(ours, theirs.links, 'links (actual: ours, expected: parse5)');
  },
};

/** The same pieces again and again: twice as often is at most 2.5 times the work. Bytes looked at, not time. */
export const pageWorkTarget: FuzzTarget<string> = {
  name: 'page-work',
  suiteRuns: 40,
  cases: () =>
    fc
      .array(fc.oneof(fc.constantFrom(...PAGE_PIECES), fc.constantFrom('x', ' ', '<a ', '<!-', '&a', 'x="')), {
        minLength: 1,
        maxLength: 5,
      })
      .map((pieces) => pieces.join('')),
  check(unit) {
    const times = Math.ceil(4_000 / unit.length);
    const small = workOf(bytesOf(unit.repeat(times)));
    const large = workOf(bytesOf(unit.repeat(2 * times)));
    assert.ok(large <= 2.5 * small, `${small} bytes were looked at, of twice the input ${large}`);
  },
};
