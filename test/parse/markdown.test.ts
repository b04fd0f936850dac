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
