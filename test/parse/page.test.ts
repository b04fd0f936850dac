import { describe, expect, test } from 'vitest';
import { LinkFlag, type PageInput, type PageOptions, parsePage } from '../../src/parse/page.js';

const parse = (html: string, input: Partial<PageInput> = {}, options?: PageOptions) =>
  parsePage(
    { body: Buffer.from(html), url: 'http://host.example/dir/page', contentType: 'text/html; charset=utf-8', ...input },
    options,
  );

describe('base', () => {
  test('the first base with a valid href counts, resolved against the page', () => {
    expect(parse('<base target=x><base href="/b/"><base href="/c/">').base).toBe('http://host.example/b/');
  });
  test('an invalid, data or javascript base leaves the page its own URL', () => {
    for (const href of ['http://[', 'data:,x', 'javascript:x']) {
      expect(parse(`<base href="${href}">`).base).toBe('http://host.example/dir/page');
    }
  });
  test('a base in a comment, script, template or noscript is none', () => {
    const html =
      '<!--<base href=/a/>--><script><base href=/b/></script><template><base href=/c/></template><noscript><base href=/d/></noscript>';
    expect(parse(html).base).toBe('http://host.example/dir/page');
  });
});

describe('links', () => {
  const html =
    '<link rel="Canonical" href="/c"><link rel=stylesheet href=/s.css><link rel=alternate hreflang=de href=/de>' +
    '<link rel=alternate type="application/rss+xml" href=/feed><a href=" /x&amp;y\t" rel="NOFOLLOW ugc">one  <b>two</b>\n</a>' +
    '<map><area href=/area></map><iframe src=/frame></iframe><a>none</a><a href="">self</a><template><a href=/no></a></template>';

  test('have flags by kind and rel, in document order, decoded and trimmed', () => {
    const { links } = parse(html);
    expect(links.hrefs).toEqual(['/c', '/de', '/feed', '/x&y', '/area', '/frame', '']);
    expect([...links.flags]).toEqual([
      LinkFlag.canonical,
      LinkFlag.alternate,
      LinkFlag.alternate | LinkFlag.feed,
      LinkFlag.anchor | LinkFlag.nofollow | LinkFlag.ugc,
      LinkFlag.anchor | LinkFlag.area,
      LinkFlag.frame,
      LinkFlag.anchor,
    ]);
    expect(links.hreflangs.get(1)).toBe('de');
  });
  test('have their text when asked', () => {
    expect(parse(html, {}, { anchorText: true }).links.texts).toEqual(['', '', '', 'one two', '', '', 'self']);
    expect(parse(html).links.texts).toBeUndefined();
  });
  test('an unclosed anchor ends where the next begins', () => {
    expect(parse('<a href=1>one<a href=2>two', {}, { anchorText: true }).links.texts).toEqual(['one', 'two']);
  });
  test('are cut at the cap, and say so', () => {
    const { links } = parse('<a href=x>'.repeat(30), { limits: { links: 20 } });
    expect([links.hrefs.length, links.flags.length, links.truncated]).toEqual([20, 20, true]);
  });
  test('canonical is the first, absolute', () => {
    expect(parse(html).canonical).toBe('http://host.example/c');
    expect(parse('<link rel=canonical href="mailto:x@y">').canonical).toBeNull();
  });
});

describe('refresh', () => {
  test('goes to an absolute URL after whole seconds', () => {
    expect(parse('<meta http-equiv=Refresh content="3.9; URL=\'next\'">').refresh).toEqual({
      delay: 3,
      url: 'http://host.example/dir/next',
    });
  });
  test('is none for a reload, in noscript, or with a sign before the number', () => {
    for (const html of [
      '<meta http-equiv=refresh content=5>',
      '<noscript><meta http-equiv=refresh content="0;url=x"></noscript>',
      '<meta http-equiv=refresh content="-1;url=x">',
    ]) {
      expect(parse(html).refresh).toBeNull();
    }
  });
});

describe('directives', () => {
  test('of all sources add up and the stricter wins', () => {
    const { robots } = parse('<meta name=ROBOTS content="index, nofollow"><meta name=robots content=noarchive>', {
      xRobotsTag: ['noindex, max-snippet: 20', 'max-snippet:50'],
    });
    expect(robots).toMatchObject({ index: false, follow: false, archive: false, maxSnippet: 20 });
  });
  test('for another agent are not ours', () => {
    const input = { agent: 'Saunter', xRobotsTag: ['otherbot: noindex, nofollow', 'saunter: noarchive'] };
    const { robots } = parse('<meta name=otherbot content=none><meta name=saunter content=nosnippet>', input);
    expect(robots).toMatchObject({ index: true, follow: true, archive: false, snippet: false });
  });
  test('unavailable_after reads dates with and without commas, the earliest counts', () => {
    const input = {
      xRobotsTag: ['unavailable_after: Friday, 25-Jun-27 15:00:00 GMT, nofollow', 'unavailable_after: 2026-06-25'],
    };
    const { robots } = parse('', input);
    expect(robots.unavailableAfter).toBe(Date.UTC(2026, 5, 25));
    expect(robots.follow).toBe(false);
  });
  test('AI opt-outs are recorded, in the words used', () => {
    const page = parse('<meta name=robots content="noai, noimageai"><meta name=tdm-reservation content=1>', {
      xRobotsTag: ['noai'],
    });
    expect(page.aiPreferences).toEqual(['noai', 'noimageai', 'tdm-reservation=1']);
  });
});

describe('whole text', () => {
  const text = (html: string): string => parse(html, {}, { mainText: false }).text;
  test('keeps a line per block, a tab between cells, and the lines of pre', () => {
    expect(text('<h1>A</h1><p>b<br>c</p>d<div>e<div>f</div></div>')).toBe('A\nb\nc\nd\ne\nf');
    expect(text('<table><tr><td>1<td>2<tr><td>3<td><p>4</table>after')).toBe('1\t2\n3\t4\nafter');
    expect(text('<pre>a\n  b\tc</pre>x')).toBe('a\n  b\tc\nx');
  });
  test('collapses white space, no-break spaces too, and joins inline elements', () => {
    expect(text(' a \n\t b&nbsp;\u00a0c <b>d</b><i>e</i> ')).toBe('a b c de');
  });
  test('leaves out scripts, styles, templates, form values and titles, and keeps noscript', () => {
    expect(
      text(
        '<title>t</title><script>s</script><style>s</style><template>t</template><textarea>v</textarea><noscript>n</noscript>',
      ),
    ).toBe('n');
  });
  test('decodes references as the standard does', () => {
    expect(text('&amp;&lt;&copy2&notit;&#x80;&#65&unknown; &')).toBe('&<©2¬it;€A&unknown; &');
  });
  test('is the same whatever misnesting there is', () => {
    expect(text('<b><p>a</b>b</p>c')).toBe('ab\nc');
    expect(text('<ul><li>a<li>b</ul><dl><dt>c<dd>d</dl>')).toBe('a\nb\nc\nd');
  });
  test('malformed UTF-8 becomes a replacement character', () => {
    expect(parse('', { body: Buffer.from([0x61, 0xff, 0x62]) }).text).toBe('a\ufffdb');
  });
  test('title and language', () => {
    const page = parse('<html lang=de-AT><svg><title>no</title></svg><title> A &amp;\n B </title><title>C</title>');
    expect([page.title, page.language]).toEqual(['A & B', 'de-AT']);
  });
});

describe('main text', () => {
  const paragraph = (i: number): string =>
    `<p>The ${i}th walk along the river began at dawn, when the mist still lay over the meadows, and it led us past three old mills.</p>`;
  const page =
    '<body><header><a href=/>Home</a> <a href=/news>News</a></header><nav class="menu"><ul><li><a href=/1>Walks</a><li><a href=/2>Maps</a></ul></nav>' +
    `<main><article><h1>Walking by the river</h1>${[1, 2, 3, 4, 5, 6].map(paragraph).join('')}<pre>let x = 1;\nlet y = 2;</pre></article></main>` +
    '<aside class=sidebar><h3>Related</h3><ul><li><a href=/3>Ten walks you must see this year</a><li><a href=/4>Why we walk</a></ul></aside>' +
    '<div class="cookie-banner">We use cookies. <button>Accept</button></div><footer><p>Copyright 2026. All rights reserved.</p></footer>';

  test('is the article without menus, side column, banner and footer', () => {
    const { mainText } = parse(page);
    for (let i = 1; i <= 6; i++) expect(mainText).toContain(`The ${i}th walk`);
    for (const word of ['Home', 'Maps', 'Ten walks', 'cookies', 'Copyright', 'Accept'])
      expect(mainText).not.toContain(word);
  });
  test('of a page of a few words is those words', () => {
    expect(parse('<p>Hello, world.</p>').mainText).toBe('Hello, world.');
  });
});
