/** Sitemaps and feeds: read as far as they go, inside their bounds, and gzip says nothing about what is in it. */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { readFeed, xmlRoot } from '../../src/parse/feed.js';
import { parseSitemap, type Sitemap } from '../../src/parse/sitemap.js';
import { mutated } from './mutations.js';
import { bytesOf, type FuzzTarget } from './target.js';

interface Case {
  readonly body: string;
  /** Where the file is cut off, modulo its length. */
  readonly cut: number;
}

const SOURCES = [
  '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://host.example/?a=1&amp;b=2</loc>' +
    '<lastmod>2024-01-01</lastmod><priority>0.5</priority><image:image><image:loc>http://host.example/i.png</image:loc></image:image></url>' +
    '<!-- <url><loc>http://no.example/</loc></url> --><url><loc><![CDATA[http://host.example/x]]></loc><changefreq>Daily</changefreq></url></urlset>',
  '<sm:sitemapindex xmlns:sm="x"><sm:sitemap><sm:loc>http://host.example/1.xml.gz</sm:loc><sm:lastmod>2020</sm:lastmod></sm:sitemap></sm:sitemapindex>',
  '<rss><channel><title>T &amp; t</title><link>http://host.example/</link><item><title><![CDATA[<b>One</b>]]></title><link>/1</link><guid>urn:x</guid>' +
    '<description>&lt;p&gt;text</description><pubDate>Mon</pubDate></item><item><guid isPermaLink="true">http://host.example/2</guid></item></channel></rss>',
  '<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title><entry><link rel="edit" href="/e"/><link rel="alternate" href="/1?a&amp;b"/><updated>2026</updated>' +
    '<summary type="xhtml"><div>words</div></summary></entry><entry><link href="x y"/><published>2025</published></entry></feed>',
  'http://host.example/1\r\n\n  https://host.example/2#x \nwww.host.example/3\nnonsense\n',
  '<rdf:RDF><channel/><item rdf:about="a"><title>x</title><link>http://host.example/r</link></item></rdf:RDF>',
];
const PIECES = [
  ...[
    '<',
    '>',
    '</',
    '/>',
    '<url>',
    '</url>',
    '<loc>',
    '</loc>',
    '<item>',
    '<entry>',
    '<sitemap>',
    '<link href="/z"/>',
    '<!--',
    '-->',
    '<![CDATA[',
  ],
  ...[
    ']]>',
    '<?',
    '?>',
    '&amp;',
    '&',
    '&#',
    '&#x110000;',
    '\0',
    '\r\n',
    '\xef\xbb\xbf',
    '\xff\xfe',
    '\x1f\x8b',
    'http://',
    '__proto__',
    '<!DOCTYPE x [<!ENTITY a "b">]>',
  ],
  ...['<constructor>', '<x:urlset>', '<urlset>', '<guid isPermaLink=false>', ' href=', ' rel="alternate"', '\u00e9'],
];
const AT = { url: 'http://host.example/maps/sitemap.xml' };
const MAX_URL = 8192;

const listsOf = ({ urls, sitemaps }: Sitemap): string[][] => [sitemaps, urls.map(({ url }) => url)];

export const sitemapTarget: FuzzTarget<Case> = {
  name: 'sitemap',
  suiteRuns: 400,
  cases: () =>
    fc.record({
      body: fc.oneof(
        mutated(SOURCES, PIECES),
        mutated(
          SOURCES.map((text) => text.repeat(20)),
          PIECES,
        ),
      ),
      cut: fc.nat(100_000),
    }),
  check({ body, cut }) {
    const bytes = bytesOf(body);
    const whole = parseSitemap(bytes, AT);
    for (const entry of whole.urls) {
      assert.ok(entry.url.length <= 3 * MAX_URL && /^https?:\/\//i.test(entry.url), entry.url);
      assert.ok(entry.priority === undefined || (entry.priority >= 0 && entry.priority <= 1));
    }
    for (const url of whole.sitemaps) assert.match(url, /^https?:\/\//i);
    assert.deepEqual(parseSitemap(bytes, AT), whole);
    if (body.slice(0, 2) !== '\x1f\x8b') assert.deepEqual(parseSitemap(gzipSync(bytes), AT), whole);

    // What a cut takes away is the end: of each list, all before the last that is left are the same.
    const xml = { ...AT, contentType: 'text/xml; charset=utf-8' };
    const parts = listsOf(parseSitemap(bytes.subarray(0, cut % (bytes.length + 1)), xml));
    for (const [i, all] of listsOf(parseSitemap(bytes, xml)).entries()) {
      const part = parts[i]!.slice(0, -1);
      assert.deepEqual(part, all.slice(0, part.length), 'a cut file has other entries');
    }

    const text = bytes.toString('utf8');
    assert.equal(typeof xmlRoot(text), 'string');
    const feed = readFeed(text, (html) => html);
    for (const { title, summary } of feed.entries) assert.ok(title.length + summary.length < 1_000_000);
  },
};
