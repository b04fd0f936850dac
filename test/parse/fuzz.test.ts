import fc from 'fast-check';
import { expect, test } from 'vitest';
import { detectLanguage } from '../../src/parse/language.js';
import { parsePage } from '../../src/parse/page.js';
import { parseSitemap } from '../../src/parse/sitemap.js';

const PAGE =
  '<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>A title &amp; more</title><base href="/b/"><link rel=canonical href=/c>' +
  '<script>if (a < b) "</p>"</script><style>p>a{}</style></head><body><nav class="menu nav"><ul><li><a href="/1">One</a><li><a href=/2>Two</a></ul></nav>' +
  '<main><h1>A title</h1><p>Some words of text, and <b>more of <i>them</b></i> &lt;here&gt; &#8212; &nbsp; enough to be prose, one would think, by any measure.' +
  '<table><tr><td>1<td>2<tr><th>3</table><svg><title>x</title><![CDATA[y]]></svg><select><option>a<option>b</select><pre>\n a\n  b</pre>' +
  '<template><a href=/no></a></template><noscript><a href=/yes></a></noscript><textarea></textarea></main><!-- end --></body></html>';
const SITEMAP =
  '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://host.example/?a=1&amp;b=2</loc>' +
  '<lastmod>2024-01-01</lastmod><priority>0.5</priority></url><url><loc><![CDATA[http://host.example/x]]></loc></url></urlset>';

/** Bytes cut out, doubled, or written over by ones that mean something. */
const mutated = (source: string) =>
  fc
    .array(
      fc.record({
        at: fc.nat(source.length),
        remove: fc.nat(40),
        insert: fc.oneof(
          fc.constantFrom(
            '<',
            '>',
            '"',
            "'",
            '&',
            '&#',
            '<!--',
            '-->',
            '</',
            '/>',
            '\0',
            '\r',
            '<svg>',
            '</table>',
            ']]>',
          ),
          fc.nat(source.length - 30).map((from) => source.slice(from, from + 30)),
          fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
        ),
      }),
      { minLength: 1, maxLength: 12 },
    )
    .map((edits) => {
      let text = source;
      for (const { at, remove, insert } of edits) text = text.slice(0, at) + insert + text.slice(at + remove);
      return Buffer.from(text, 'latin1');
    });

test('a mutated page is parsed, and the same bytes give the same answer whatever was parsed before', () => {
  fc.assert(
    fc.property(mutated(PAGE), (body) => {
      const input = { body, url: 'http://host.example/' };
      const page = parsePage(input, { anchorText: true, markdown: true, metadata: true });
      expect(page.links.flags).toHaveLength(page.links.hrefs.length);
      expect(detectLanguage(page.text, page.language)).toMatch(/^[a-z]{0,3}$/);
      parsePage({ body: Buffer.from(PAGE), url: 'http://host.example/' });
      expect(parsePage(input, { anchorText: true, markdown: true, metadata: true })).toEqual(page);
    }),
    { numRuns: 400 },
  );
});

test('a mutated sitemap is read as far as it goes', () => {
  fc.assert(
    fc.property(mutated(SITEMAP), (body) => {
      const sitemap = parseSitemap(body, { url: 'http://host.example/sitemap.xml' });
      for (const { url } of sitemap.urls) expect(typeof url).toBe('string');
      expect(sitemap.urls.length + sitemap.sitemaps.length).toBeLessThan(50);
    }),
    { numRuns: 400 },
  );
});
