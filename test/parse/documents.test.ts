import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DocumentInput, DocumentRegistry, handled, readDocument, readingOf } from '../../src/parse/documents.js';
import { readJson } from '../../src/parse/json-text.js';
import { sniffType } from '../../src/parse/sniff.js';

const input = (
  body: string | Buffer,
  contentType: string | null,
  over: Partial<DocumentInput> = {},
): DocumentInput => ({
  ...{ body: Buffer.from(body), url: 'http://a.example/dir/doc', contentType, xRobotsTag: [], agent: 'saunter' },
  ...over,
});
const read = (body: string | Buffer, contentType: string | null, over: Partial<DocumentInput> = {}) =>
  readDocument(sniffType(contentType, Buffer.from(body)), input(body, contentType, over));

const RSS = `<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
  xmlns:media="http://search.yahoo.com/mrss/"><channel><title>News &amp; notes</title><language>en-us</language>
  <image><url>http://a.example/i.png</url></image>
  <item><title><![CDATA[First <b>item</b>]]></title><link>http://a.example/1</link><media:title>not this</media:title>
    <description>&lt;p&gt;What &lt;i&gt;happened&lt;/i&gt;.&lt;/p&gt;</description>
    <content:encoded><![CDATA[<p>All of it</p>]]></content:encoded></item>
  <item><title>Second</title><guid>http://a.example/2</guid><content:encoded><![CDATA[<p>Only this</p>]]></content:encoded></item>
  </channel></rss>`;
const ATOM = `<feed xmlns="http://www.w3.org/2005/Atom"><title type="text">Log</title><entry><title>One</title>
  <link rel="alternate" href="/one"/><summary type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">A <b>bold</b> move</div></summary>
  </entry></feed>`;

describe('documents by type', () => {
  test('HTML and XHTML: links, text, directives', () => {
    const page = '<html lang="fr"><title>T</title><p>Bonjour <a href="x">lien</a></p></html>';
    for (const type of ['text/html', 'application/xhtml+xml', 'application/xml', null]) {
      const reading = read(page, type, { xRobotsTag: ['noindex'] });
      expect(reading).toMatchObject({ title: 'T', language: 'fr', text: 'Bonjour lien', robots: { index: false } });
      expect(reading?.links.hrefs).toEqual(['x']);
    }
  });

  test('plain text in the encoding that it says, or that it is in', () => {
    expect(read('Größe', 'text/plain; charset=utf-8')).toMatchObject({ text: 'Größe', charset: 'utf-8' });
    expect(read(Buffer.from('Gr\xf6\xdfe', 'latin1'), 'text/plain; charset=latin1')?.text).toBe('Größe');
    expect(read(Buffer.from('\ufeffzwei', 'utf16le'), 'text/plain')?.text).toBe('zwei');
    expect(read('# Title\n', 'text/markdown')?.text).toBe('# Title\n');
    expect(read('# Title\n', 'text/markdown', { xRobotsTag: ['noindex, nofollow'] })?.robots).toMatchObject({
      ...{ index: false, follow: false },
    });
  });

  test('a feed gives its entries as links, their titles and summaries as text', () => {
    for (const type of ['application/rss+xml', 'text/xml', 'text/html', 'application/xml; charset=utf-8']) {
      const reading = read(RSS, type);
      expect(reading).toMatchObject({ title: 'News & notes', language: 'en-us' });
      expect(reading?.text).toBe('News & notes\nFirst item\nWhat happened.\nSecond\nOnly this');
      expect(reading?.links.hrefs).toEqual(['http://a.example/1', 'http://a.example/2']);
    }
    const atom = read(ATOM, 'application/atom+xml');
    expect(atom?.text).toBe('Log\nOne\nA bold move');
    expect(atom?.links.hrefs).toEqual(['http://a.example/one']);
  });

  test('a sitemap that was met as a page gives its links; other XML is not read', () => {
    const sitemap = read('<urlset><url><loc>http://a.example/s</loc></url></urlset>', 'application/xml');
    expect([sitemap?.links.hrefs, sitemap?.text]).toEqual([['http://a.example/s'], '']);
    expect(read('<svg/>', 'image/svg+xml')).toBeNull();
    expect(read('', 'text/xml')).toBeNull();
  });

  test('JSON gives its string values as text, without keys, numbers, and what nobody wrote', () => {
    const json = {
      ...{ id: 7, title: 'A "title"', url: 'https://a.example/', name: 'n', data: 'data:text/plain,x', empty: '' },
      nested: [{ title: 'inner', body: 'Two\nlines 漢字 \ud83d\ude42', code: '12345', more: ['x', 'y'] }],
    };
    for (const type of ['application/json', 'application/ld+json; charset=utf-8', 'text/json']) {
      const reading = read(JSON.stringify(json, null, 1), type);
      expect(reading?.title).toBe('A "title"');
      expect(reading?.text).toBe('A "title"\nn\ninner\nTwo\nlines 漢字 🙂\nx\ny');
    }
  });

  test.each([['image/png'], ['application/octet-stream'], ['text/css'], ['text/javascript'], ['application/pdf']])(
    "%s is nobody's here",
    (type) => {
      expect(read('words', type)).toBeNull();
    },
  );
});

test('the strings of JSON are those that JSON.parse gives', () => {
  const strings = (value: unknown): string[] =>
    typeof value === 'string'
      ? [value]
      : value && typeof value === 'object'
        ? Object.values(value).flatMap(strings)
        : [];
  // keys that look like numbers are enumerated first, whatever their place
  const json = fc
    .jsonValue({ maxDepth: 4, noUnicodeString: false } as never)
    .filter((value) => !/"\d+":/.test(JSON.stringify(value)));
  fc.assert(
    fc.property(json, (value) => {
      const wanted = strings(value).map((s) => s.trim()).filter((s) => /\p{L}/u.test(s) && !/^(?:[a-z][a-z0-9+.-]{1,20}:)?\/\/\S*$|^(?:data|mailto|urn):\S*$/i.test(s)); // biome-ignore format: the rule
      expect(readJson(JSON.stringify(value)).text).toBe(wanted.join('\n'));
    }),
  );
});

test('no document makes a reader throw, and none takes long', () => {
  const types = ['text/html', 'application/xml', 'application/rss+xml', 'application/json', 'text/plain'];
  fc.assert(
    fc.property(fc.constantFrom(...types), fc.string({ unit: 'binary', maxLength: 500 }), (type, body) => {
      readDocument(type, input(`<rss><item><title>${body}`, type));
      readDocument(type, input(body, type));
    }),
  );
  for (const piece of ['<', '<a', '"', '\\"', '<item><title>', '<![CDATA[', '[', '<!--', '&amp;', '{"a":']) {
    for (const type of types) {
      const body = (type.endsWith('xml') ? '<rss>' : '') + piece.repeat(2_000_000 / piece.length);
      const start = process.cpuUsage();
      readDocument(type, input(body, type));
      expect(process.cpuUsage(start).user / 1000, `${type} ${piece}`).toBeLessThan(3_000);
    }
  }
}, 60_000);

describe('a handler of the user', () => {
  test('gets bytes and URL, and gives text, links and fields', async () => {
    const registry = new DocumentRegistry().handle('Application/EPUB+zip', async ({ bytes, url, contentType }) => ({
      ...{ text: `${bytes.length} ${url} ${contentType}`, title: ' A \n B ', links: ['next', 'http://b.example/'] },
      fields: { author: 'Ada', pages: 3, free: true },
    }));
    const document = { bytes: Buffer.from('abc'), url: 'http://a.example/x', contentType: 'application/epub+zip' };
    const answer = await registry.read('application/epub+zip', document);
    const reading = readingOf(answer, input('abc', 'application/epub+zip'));
    expect(reading).toMatchObject({ text: '3 http://a.example/x application/epub+zip', title: 'A B' });
    expect(reading.links.hrefs).toEqual(['next', 'http://b.example/']);
    expect(reading.fields).toEqual({ author: 'Ada', pages: '3', free: 'true' });
    await expect(registry.read('image/png', document)).rejects.toThrow('nobody handles image/png');
  });

  test('is held to its bounds, whatever it gives', () => {
    fc.assert(
      fc.property(fc.anything(), (answer) => {
        const { text, title, language, links, fields } = handled(answer);
        expect([typeof text, typeof title, typeof language]).toEqual(['string', 'string', 'string']);
        expect(links!.every((link) => typeof link === 'string')).toBe(true);
        expect(Object.values(fields ?? {}).every((value) => typeof value === 'string')).toBe(true);
      }),
    );
    expect(handled({ text: 'x'.repeat(30_000_000) }).text).toHaveLength(20 * 1024 * 1024);
    expect(handled({ links: Array(20_000).fill('x') }).links).toHaveLength(10_000);
  });
});
