import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { parseSitemap } from '../../src/parse/sitemap.js';

const parse = (content: string | Buffer) =>
  parseSitemap(Buffer.from(content as string), { url: 'http://host.example/maps/s.xml' });

describe('sitemaps', () => {
  test('urlset with hints; elements of other namespaces are passed over', () => {
    const sitemap = parse(
      '\ufeff<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><!-- <url><loc>http://no.example/</loc></url> -->' +
        '<url><image:image><image:loc>http://host.example/i.png</image:loc></image:image><loc>\n http://host.example/a?x=1&amp;y=2#f </loc>' +
        '<lastmod>2026-01-02</lastmod><priority>0.8</priority><changefreq>Daily</changefreq></url>' +
        '<url><loc><![CDATA[http://host.example/b?x=1&y=2]]></loc><priority>7</priority></url></urlset>',
    );
    expect(sitemap).toEqual({
      kind: 'urlset',
      urls: [
        { url: 'http://host.example/a?x=1&y=2', lastmod: '2026-01-02', priority: 0.8, changefreq: 'daily' },
        { url: 'http://host.example/b?x=1&y=2' },
      ],
      sitemaps: [],
      truncated: false,
    });
  });
  test('index, also with a prefix of its own', () => {
    const sitemap = parse(
      '<sm:sitemapindex><sm:sitemap><sm:loc>http://host.example/1.xml</sm:loc></sm:sitemap></sm:sitemapindex>',
    );
    expect([sitemap.kind, sitemap.sitemaps]).toEqual(['index', ['http://host.example/1.xml']]);
  });
  test('text: a URL a line', () => {
    const sitemap = parse('http://host.example/1\r\n\n  https://host.example/2 \nnonsense\n');
    expect([sitemap.kind, sitemap.urls.map((u) => u.url)]).toEqual([
      'text',
      ['http://host.example/1', 'https://host.example/2'],
    ]);
  });
  test('RSS: links, else permalinks; never the channel or Atom links in it', () => {
    const sitemap = parse(
      '<rss><channel><link>http://host.example/</link><item><atom:link href="http://no.example/"/><link>/1</link><pubDate>Mon</pubDate></item>' +
        '<item><guid>http://host.example/2</guid></item><item><guid isPermaLink="false">http://no.example/</guid></item></channel></rss>',
    );
    expect([sitemap.kind, sitemap.urls]).toEqual([
      'rss',
      [{ url: 'http://host.example/1', lastmod: 'Mon' }, { url: 'http://host.example/2' }],
    ]);
  });
  test('Atom: the alternate link of each entry', () => {
    const sitemap = parse(
      '<feed><link href="http://host.example/"/><entry><link rel="edit" href="/e"/><link rel="alternate" href="/1?a&amp;b"/><updated>2026</updated></entry></feed>',
    );
    expect([sitemap.kind, sitemap.urls]).toEqual(['atom', [{ url: 'http://host.example/1?a&b', lastmod: '2026' }]]);
  });
  test('broken XML is read as far as it goes', () => {
    const sitemap = parse(
      '<urlset><url><loc>http://host.example/1<url><loc>http://host.example/2</loc></url><url><loc>http://host.example/3</url>',
    );
    expect(sitemap.urls.map((u) => u.url)).toEqual([
      'http://host.example/1',
      'http://host.example/2',
      'http://host.example/3',
    ]);
  });
  test.each([
    ['inside of an address', '<urlset><url><loc>http://h.example/1</loc></url><url><loc>http://h.example/pag'],
    ['inside of CDATA', '<urlset><url><loc>http://h.example/1</loc></url><url><loc><![CDATA[http://h.example/pag'],
    ['behind an address', '<urlset><url><loc>http://h.example/1</loc><lastmod>20'],
  ])('a file that ends %s names no half of one', (_, text) => {
    expect(parse(text).urls).toEqual([{ url: 'http://h.example/1' }]);
  });

  test('gzip is undone, twice at most, and a cut file read as far as it goes', () => {
    const xml = `<urlset>${Array.from({ length: 500 }, (_, i) => `<url><loc>http://host.example/${i}</loc></url>`).join('')}</urlset>`;
    expect(parse(gzipSync(gzipSync(xml))).urls.length).toBe(500);
    const zipped = gzipSync(xml);
    const cut = parse(zipped.subarray(0, zipped.length / 2));
    expect(cut.urls.length).toBeGreaterThan(50);
    expect(cut.urls.length).toBeLessThan(500);
  });
  test('at 50,000 entries it stops, and says so', () => {
    const sitemap = parse('<url><loc>http://host.example/x</loc></url>'.repeat(50_010));
    expect([sitemap.urls.length, sitemap.truncated]).toEqual([50_000, true]);
  });
  test('what is no sitemap is unknown', () => {
    for (const content of ['', 'hello', '<html><a href=x>', '\x1f\x8bgarbage'])
      expect(parse(content)).toMatchObject({ kind: 'unknown', urls: [] });
  });
});
