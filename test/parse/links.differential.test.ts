import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LinkFlag, parsePage } from '../../src/parse/page.js';
import { parse5Links } from './parse5-links.js';

function ourLinks(html: string): string[] {
  const { links } = parsePage({
    body: Buffer.from(html, 'utf8'),
    url: 'http://host.example/',
    contentType: 'text/html; charset=utf-8',
  });
  return [...new Set(links.hrefs.filter((_, i) => links.flags[i] & LinkFlag.anchor))].sort();
}

/** Pieces whose combinations reach the corners of tree construction that bear on links. */
const PIECES = [
  '<a href=',
  '<A HREF="',
  'x1',
  '"',
  "'",
  '>',
  '/>',
  '<area href=y2>',
  '<a href="z3">',
  '</a>',
  '<div>',
  '</div>',
  '<p>',
  '</p>',
  '<table>',
  '</table>',
  '<tr>',
  '<td>',
  '</td>',
  '<caption>',
  '<tbody>',
  '<select>',
  '</select>',
  '<option>',
  '<optgroup>',
  '<svg>',
  '</svg>',
  '<math>',
  '</math>',
  '<title>',
  '</title>',
  '<style>',
  '</style>',
  '<desc>',
  '<foreignObject>',
  '</foreignObject>',
  '<mi>',
  '<mtext>',
  '<annotation-xml encoding="text/html">',
  '<![CDATA[',
  ']]>',
  '<!--',
  '-->',
  '--!>',
  '<!-',
  '<script>',
  '</script>',
  '<textarea>',
  '</textarea>',
  '<xmp>',
  '</xmp>',
  '<iframe>',
  '</iframe>',
  '<noscript>',
  '</noscript>',
  '<template>',
  '</template>',
  '<plaintext>',
  '<b>',
  '</b>',
  '<i>',
  '<li>',
  '<ul>',
  '</ul>',
  '<button>',
  '<h1>',
  '</h1>',
  '<br>',
  '</br>',
  '<input>',
  '<form>',
  '</form>',
  'text ',
  ' ',
  '&amp;',
  '&',
  '\0',
  '=',
  '<',
  '</',
  '<?',
  '\n',
  '\t',
  '<font color=red>',
  '<body>',
  '</body>',
  '</html>',
  '<head>',
  '</head>',
  '<object>',
  '</object>',
  '<base href=/b/>',
];

describe('links agree with parse5', () => {
  test('when a select is never closed: what follows is ignored', () => {
    for (const html of [
      '<div><select></div><a href=x>',
      '<table><td><select></td><td><a href=x>',
      '<select></table></p><a href=x>',
      '<p><select><hr><a href=x>',
    ]) {
      expect(ourLinks(html)).toEqual(parse5Links(html));
    }
  });

  test('on any sequence of awkward pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }), (pieces) => {
        const html = pieces.join('');
        expect(ourLinks(html)).toEqual(parse5Links(html));
      }),
      { numRuns: 1500 },
    );
  });

  test('on arbitrary short text in tags and attributes', () => {
    const text = fc.string({ unit: fc.constantFrom(...'<>/="\' &;#x41anf\t\n\0é'), maxLength: 30 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        const html = `<p>${a}<a href="${b}">${a}</a>`;
        expect(ourLinks(html)).toEqual(parse5Links(html));
      }),
      { numRuns: 1000 },
    );
  });
});
