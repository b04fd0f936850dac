import { describe, expect, test } from 'vitest';
import { toMarkdown } from '../../src/parse/markdown.js';
import { parsePage } from '../../src/parse/page.js';
import { PageScan } from '../../src/parse/scan.js';

/** Markdown of all blocks, chosen or not. */
function markdown(html: string): string {
  const scan = new PageScan();
  scan.read(Buffer.from(html), { meta() {}, baseTag() {}, link() {} }, 100, true);
  return toMarkdown(scan, scan.links.finish().hrefs, new Uint8Array(scan.text.blockCount).fill(1));
}

describe('Markdown', () => {
  test('headings, paragraphs and line breaks', () => {
    expect(markdown('<h2>A</h2><p>b<br>c</p><p>d')).toBe('## A\n\nb  \nc\n\nd');
  });
  test('lists, nested and numbered, with paragraphs inside', () => {
    expect(markdown('<ul><li>a<ul><li>b</ul><li>c</ul>')).toBe('- a\n  - b\n- c');
    expect(markdown('<ol><li>a<li><p>b<p>c</ol>')).toBe('1. a\n2. b\n\n   c');
  });
  test('links keep their targets as written, without fragments and scripts', () => {
    expect(markdown('<p>see <a href="/x?a=1&amp;b">the page</a>, <a href="#t">top</a> <a href="a (b)">c</a>')).toBe(
      'see [the page](/x?a=1&b), top [c](<a%20(b)>)',
    );
  });
  test('code, inline and in blocks, is left as it is', () => {
    expect(markdown('<p>run <code>a*b[0]</code> now<pre>x = `1`\n  y</pre>')).toBe(
      'run `a*b[0]` now\n\n```\nx = `1`\n  y\n```',
    );
  });
  test('quotes', () => {
    expect(markdown('<blockquote><p>a<p>b</blockquote>c')).toBe('> a\n\n> b\n\nc');
  });
  test('tables of data are tables, tables for layout are not', () => {
    expect(markdown('<p>x<table><tr><th>a<th>b|c<tr><td>1<td>2</table><p>y')).toBe(
      'x\n\n| a | b\\|c |\n| --- | --- |\n| 1 | 2 |\n\ny',
    );
    expect(markdown('<table><tr><td><p>a<p>b</table>')).toBe('a\n\nb');
  });
  test('what only looks like markup is escaped', () => {
    expect(markdown('<p># a<p>1. b<p>*c* [d] &lt;e>')).toBe('\\# a\n\n1\\. b\n\n\\*c\\* \\[d\\] \\<e>');
  });
  test('a page has it when asked', () => {
    const input = { body: Buffer.from('<p>Hello, <a href=x>world</a>.'), url: 'http://host.example/' };
    expect(parsePage(input, { markdown: true }).markdown).toBe('Hello, [world](x).');
    expect(parsePage(input)).not.toHaveProperty('markdown');
  });
});

describe('the whole page as Markdown', () => {
  const whole = (html: string): string => {
    const input = { body: Buffer.from(html), url: 'http://a.example/', contentType: 'text/html; charset=utf-8' };
    return parsePage(input, { markdown: 'whole' }).markdown!;
  };

  test('holds tables of contents, lists of options, link-only paragraphs and the last list', () => {
    const text =
      whole(`<title>Options</title><header><a href=/>Home</a></header><nav><a href=/other>Other</a></nav><main><h1>Options</h1>
      <ul class=toc><li><a href=#a>First part</a><li><a href=/b>Second part</a></ul>
      <dl><dt><code>--all</code><dd>Takes everything.<dt><code>--none</code><dd>Takes nothing.</dl>
      <p><a href=/more>More</a></p><ol><li><a href=/x>One</a><li>Two</ol></main><aside>Ad</aside><footer>Imprint</footer>`);
    expect(text).toBe(
      '# Options\n\n- First part\n- [Second part](/b)\n\n`--all`\n\nTakes everything.\n\n`--none`\n\nTakes nothing.\n\n[More](/more)\n\n1. [One](/x)\n2. Two',
    );
  });
  test('leaves out landmarks by name and by role, where there is no main part', () => {
    expect(whole('<div role=banner>B</div><div role=navigation>N</div><section><header><h1>H</h1></header>T<footer>F</footer></section><div role=search>S</div>')).toBe('# H\n\nT'); // biome-ignore format: one page
  });
  test('keeps contents, notes and what a tab hides inside of the article, and no side column of the main part', () => {
    expect(
      whole('<p>out<div role=main><nav>site</nav><section><h1>H</h1><nav class=contents><a href=/b>B</a></nav><aside>note</aside><div hidden>tab</div><button>Copy</button></section></div>'),
    ).toBe('# H\n\n[B](/b)\n\nnote\n\ntab'); // biome-ignore format: one page
  });
  test('is all there is, where everything is frame', () => {
    expect(whole('<nav><a href=/a>A</a></nav>')).toBe('[A](/a)');
    expect(whole('')).toBe('');
  });
});
