import { describe, expect, test } from 'vitest';
import { chooseBlocks, joinBlocks } from '../../src/parse/main-text.js';
import { parsePage } from '../../src/parse/page.js';
import { PageScan } from '../../src/parse/scan.js';
import { parseSitemap } from '../../src/parse/sitemap.js';
import { workOf } from './work.js';

const HEAD = { meta() {}, baseTag() {}, link() {} };

const HOSTILE: Record<string, (size: number) => string> = {
  'a run of <': (n) => '<'.repeat(n),
  'a run of "<a "': (n) => '<a '.repeat(n / 3),
  'a run of &': (n) => '&'.repeat(n),
  'a run of "&a"': (n) => '&a'.repeat(n / 2),
  'a run of "&#"': (n) => '&#'.repeat(n / 2),
  'one endless numeric reference': (n) => `&#${'9'.repeat(n)}`,
  'one endless name': (n) => `&${'a'.repeat(n)}`,
  blanks: (n) => ' '.repeat(n),
  'blanks in a tag': (n) => `<a${' '.repeat(n)}`,
  'an unclosed quote': (n) => `<a href="${'x'.repeat(n)}`,
  'many unclosed quotes': (n) => '<a href="'.repeat(n / 9),
  'an unclosed comment': (n) => `<!--${'-'.repeat(n)}`,
  'many openings of comments': (n) => '<!--'.repeat(n / 4),
  'comment ends that are none': (n) => `<!--${'->'.repeat(n / 2)}`,
  'bogus comments': (n) => '</ '.repeat(n / 3),
  'processing instructions': (n) => '<?'.repeat(n / 2),
  'unclosed script': (n) => `<script>${'</scrip'.repeat(n / 7)}`,
  'escaped script': (n) => `<script><!--${'<script '.repeat(n / 8)}`,
  'unclosed title': (n) => `<title>${'</titl'.repeat(n / 6)}`,
  'unclosed CDATA in svg': (n) => `<svg>${'<![CDATA['.repeat(n / 9)}`,
  'nested div': (n) => '<div>'.repeat(n / 5),
  'end tags without starts': (n) => '<div>'.repeat(n / 20) + '</p></li></td></h1></b>'.repeat(n / 30),
  'end tags that a cell keeps from their starts': (n) =>
    `<div><table><tr><td>${'<span>'.repeat(n / 12)}${'</div>'.repeat(n / 12)}`,
  'nested tables': (n) => '<table><tr><td>'.repeat(n / 15),
  'nested svg': (n) => '<svg><desc>'.repeat(n / 11),
  'breaking out of deep svg again and again': (n) => `${'<svg><g><g><g><p>'.repeat(n / 17)}`,
  attributes: (n) => `<a ${'x=1 '.repeat(n / 4)}>`,
  'distinct attributes': (n) => `<a ${Array.from({ length: n / 10 }, (_, i) => `a${i}`).join(' ')}>`,
  'long class': (n) => `<div class="${'nav-'.repeat(n / 4)}">`,
  options: (n) => `<select>${'<option>x'.repeat(n / 9)}`,
  items: (n) => '<li>x'.repeat(n / 5),
  templates: (n) => '<template>'.repeat(n / 10),
};

describe('hostile pages', () => {
  test.each(Object.keys(HOSTILE))('%s: twice the input takes at most 2.5 times the work', (name) => {
    const make = HOSTILE[name];
    const small = workOf(Buffer.from(make(6000)));
    const large = workOf(Buffer.from(make(12000)));
    expect(large).toBeLessThanOrEqual(small * 2.5);
    expect(large).toBeLessThanOrEqual(12000 * 12);
  });

  test.each(Object.keys(HOSTILE))('%s: half a megabyte is parsed whole, text and directives included', (name) => {
    const body = Buffer.from(HOSTILE[name](500_000));
    const started = process.cpuUsage();
    const page = parsePage({ body, url: 'http://host.example/' });
    const { user } = process.cpuUsage(started);
    expect(page.links.hrefs.length).toBeLessThanOrEqual(10_000);
    // generous: it catches what is quadratic, on any machine
    expect(user / 1000).toBeLessThan(1000);
  });

  test('100,000 nested elements with text have a main text', () => {
    const body = Buffer.from(`${'<div>'.repeat(100_000)}<p>${'Some words of text, and more of them. '.repeat(20)}</p>`);
    expect(parsePage({ body, url: 'http://host.example/' }).mainText).toContain('Some words of text');
  });

  test('a page of more blocks than are told apart has all its text, a line each', () => {
    const lines = Array.from({ length: 25_000 }, (_, i) => `line ${i}`);
    const page = parsePage({ body: Buffer.from(`<p>${lines.join('<p>')}`), url: 'http://host.example/' });
    expect(page.text).toBe(lines.join('\n'));
  });

  test('a page of more elements, or deeper ones, than are kept has its text and links', () => {
    const body = Buffer.from(`${'<div>'.repeat(70_000)}${'<p></p>'.repeat(300_000)}<a href="/x">end</a>`);
    const page = parsePage({ body, url: 'http://host.example/' });
    expect(page.text).toBe('end');
    expect(page.links.hrefs).toEqual(['/x']);
    expect(parsePage({ body: Buffer.from('<p>next</p>'), url: 'http://host.example/' }).text).toBe('next');
  });

  test.each([
    ['a run of <', '<'],
    ['unclosed entries', '<url><loc>http://host.example/'],
    ['openings of comments', '<!--'],
    ['openings of CDATA', '<loc><![CDATA['],
    ['references', '<loc>&amp;&#'],
  ])('a sitemap of %s ends', (_, piece) => {
    const sitemap = parseSitemap(Buffer.from(piece.repeat(2_000_000 / piece.length)), {
      url: 'http://host.example/s.xml',
    });
    expect(sitemap.urls.length).toBeLessThanOrEqual(50_000);
  });

  test('main text of a page without blocks is empty', () => {
    const scan = new PageScan();
    scan.read(Buffer.from('<div></div>'), HEAD, 10, false);
    expect(joinBlocks(scan.text, chooseBlocks(scan.elements, scan.text, ''))).toBe('');
  });
});
