/**
 * What the cases are made from: pages, answers, archives. The fixtures of the suite, pages of the synthetic web, and, for
 * a soak, the HTML files of a folder that it is told.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { createDemoWeb } from '../../src/sim/web-demo.js';

export interface Corpus {
  /** Pages as `latin1` strings. */
  readonly pages: readonly string[];
}

/** npm and Vitest both run in the package's folder; the compiled soak does not know where it came from. */
const FIXTURES = resolve('test/fixtures');
export const fixture = (name: string): Buffer => readFileSync(join(FIXTURES, name));

const LARGEST_PAGE = 2 * 1024 * 1024;
/** Markup that real pages have too seldom. */
const ODD_PAGE =
  '<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>A title &amp; more</title><base href="/b/"><link rel=canonical href=/c>' +
  '<script>if (a < b) "</p>"</script><style>p>a{}</style></head><body><nav class="menu nav"><ul><li><a href="/1">One</a><li><a href=/2>Two</a></ul></nav>' +
  '<main><h1>A title</h1><p>Some words of text, and <b>more of <i>them</b></i> &lt;here&gt; &#8212; &nbsp; enough to be prose, one would think, by any measure.' +
  '<table><tr><td>1<td>2<tr><th>3</table><svg><title>x</title><![CDATA[y]]></svg><select><option>a<option>b</select><pre>\n a\n  b</pre>' +
  '<template><a href=/no></a></template><noscript><a href=/yes></a></noscript><textarea></textarea></main><!-- end --></body></html>';

/** @param directory a folder of HTML files, searched through; null for what the suite has */
export function loadCorpus(directory: string | null = null): Corpus {
  const pages = [ODD_PAGE, ...warcPages(), ...syntheticPages()];
  pages.push(gunzipSync(fixture('http_compressed/html-gzip.bin')).toString('latin1'));
  pages.push(brotliDecompressSync(fixture('http_compressed/html-br.bin')).toString('latin1'));
  if (directory !== null) {
    for (const name of readdirSync(directory, { recursive: true }) as string[]) {
      const path = join(directory, name);
      if (!/\.html?(\.gz)?$/i.test(name) || statSync(path).size > LARGEST_PAGE) continue;
      const bytes = readFileSync(path);
      pages.push((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1'));
    }
  }
  return { pages };
}

/** The bodies that look like pages in a plain archive of the fixtures. */
function warcPages(): string[] {
  const text = fixture('warc/webrecorder+warcio__example-iana.org-chunked.warc').toString('latin1');
  return text.split(/^WARC\/1\.\d\r\n/m).filter((part) => /<html/i.test(part));
}

/** Pages of the demo's web that came without a content coding. */
function syntheticPages(): string[] {
  const web = createDemoWeb(1, { port: 80, addressOf: (host) => host });
  return web.reachable().flatMap((url) => {
    const { host, pathname, search } = new URL(url);
    const request = { host, target: pathname + search, headers: {}, sinceFirst: 1e9 };
    const { headers, body } = web.answer(request);
    const isPlain = !Object.keys(headers).some((name) => name.toLowerCase() === 'content-encoding');
    return isPlain && body.includes('<') ? [body.toString('latin1')] : [];
  });
}
