import { describe, expect, test } from 'vitest';
import { addJsonLd, type PageMetadata } from '../../src/parse/metadata.js';
import { parsePage } from '../../src/parse/page.js';

const metadata = (html: string) =>
  parsePage({ body: Buffer.from(html), url: 'http://host.example/' }, { metadata: true }).metadata;

describe('metadata', () => {
  test('of Open Graph and plain meta; an author that is a URL is no name', () => {
    const html =
      '<meta property="og:title" content=" A &amp; B "><meta property="article:published_time" content="2026-01-02T03:04:05Z">' +
      '<meta property="article:author" content="https://people.example/7"><meta name="author" content="N. N."><meta itemprop=dateModified content=2026-02-01>';
    expect(metadata(html)).toEqual({
      title: 'A & B',
      published: '2026-01-02T03:04:05Z',
      author: 'N. N.',
      modified: '2026-02-01',
    });
  });
  test('of JSON-LD where meta is silent, in graphs and lists, from objects about the page only', () => {
    const graph = {
      '@graph': [
        { '@type': 'Organization', name: 'Not this' },
        {
          '@type': ['Thing', 'NewsArticle'],
          headline: 'From JSON',
          author: [{ name: 'A' }, 'B'],
          datePublished: '2026-03-01',
        },
      ],
    };
    const html = `<meta property="og:title" content="From meta"><script type="application/ld+json">${JSON.stringify(graph)}</script>`;
    expect(metadata(html)).toEqual({ title: 'From meta', author: 'A, B', published: '2026-03-01', type: 'Thing' });
  });
  test('broken, deep and odd JSON says nothing and breaks nothing', () => {
    for (const json of [
      '{',
      'null',
      '[[[]]]',
      '{"@type":"Article","author":{"name":7},"headline":[]}',
      `${'['.repeat(5000)}${']'.repeat(5000)}`,
    ]) {
      const found: PageMetadata = {};
      addJsonLd(found, json);
      expect(found.author ?? found.title).toBeUndefined();
    }
  });
  test('is not read unless asked', () => {
    expect(
      parsePage({ body: Buffer.from('<meta name=author content=x>'), url: 'http://host.example/' }),
    ).not.toHaveProperty('metadata');
  });
});
