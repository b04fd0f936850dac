/**
 * What went wrong in other crawlers (`fixtures/issues.jsonl`: the trigger and the right behaviour, restated from public
 * issue threads), and what holds here: each has a test that is named after the property, in this file or elsewhere.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { WarcWriter } from '../src/archive/warc-writer.js';
import { decode } from '../src/fetch/decode.js';
import { encodeRequest, parseTarget } from '../src/fetch/http-messages.js';
import { ResponseReader } from '../src/fetch/http-response.js';
import { parseRobots } from '../src/fetch/robots.js';
import { sniffCharset } from '../src/parse/charset.js';
import { parsePage } from '../src/parse/page.js';
import { parseSitemap } from '../src/parse/sitemap.js';
import { normalizeUrl } from '../src/url/normalize.js';

const page = (html: string, url = 'http://host.example/foo/bar') => parsePage({ body: Buffer.from(html), url });
const normal = (url: string, base?: string) => normalizeUrl(url, base).url;
const asked = (robots: string, agent: string, ...urls: string[]) => {
  const rules = parseRobots(robots, agent);
  return [rules.crawlDelayMs, ...urls.map((url) => rules.allows(url))];
};
const CAPS = { decoded: 1 << 20, ratio: 200, ratioFrom: 1 << 20 };

/** By the id of the issue: the property, and its check. */
const HERE: Record<string, [property: string, check: () => unknown]> = {
  '108c47b3ac25': [
    'a Crawl-delay before every group is ignored, and the rules behind it count',
    () =>
      expect(asked('Crawl-delay: 1\n\nUser-agent: *\nDisallow: /*.aspx\n', 'x', '/', '/x.aspx')).toEqual([
        ...[null, true, false],
      ]),
  ],
  '215197b8e359': [
    'a Crawl-delay that is a word is ignored, and its group is not',
    () => expect(asked('User-agent: *\nCrawl-delay: word\nDisallow: /x', 'x', '/x')).toEqual([null, false]),
  ],
  '7badd95bc7fc': [
    'a Crawl-delay belongs to the crawler it stands under',
    () => {
      const robots =
        'User-agent: *\nDisallow: /info/*\nSitemap: https://h/s.xml\nUser-agent: AhrefsBot\nCrawl-delay: 10\nUser-agent: deepcrawl\nDisallow: /';
      expect([asked(robots, 'ourbot'), asked(robots, 'AhrefsBot')]).toEqual([[null], [10_000]]);
    },
  ],
  '63d3476101d3': [
    'what is said to others is not said to us',
    () => {
      const robots = 'User-agent: *\nAllow: /\nUser-agent: Mediapartners-Google\nDisallow: /\nCrawl-delay: 5';
      expect(asked(robots, 'x', '/', '/a')).toEqual([null, true, true]);
    },
  ],
  '5a05ac0738d7': [
    '$ is the end of the URL with its query, and ? is itself',
    () => {
      const robots = 'User-agent: *\nDisallow: /*.print$\nDisallow: /*.print?';
      expect(asked(robots, 'x', '/a.print', '/a.print?x', '/a.printer')).toEqual([null, false, false, true]);
    },
  ],
  '2ac70e55506e': [
    'the group of everybody is found behind more than a hundred others',
    () => {
      const others = Array.from({ length: 150 }, (_, i) => `User-agent: bot${i}\nDisallow:\n`).join('\n');
      expect(asked(`${others}\nUser-agent: *\nDisallow: /form/`, 'x', '/form/x')).toEqual([null, false]);
    },
  ],
  '25a41d9b1486': ['no delay is null, not a number', () => expect(asked('', 'x', '/')).toEqual([null, true])],
  '61b19b5a4b4d': [
    'the Host header is that of the URL that is asked for',
    () => {
      const request = { url: 'http://b.test/', address: '127.0.0.1', headers: [], caps: { wire: 1, ...CAPS } };
      const head = encodeRequest(
        parseTarget('http://b.test/')!,
        { ...request, caps: { ...request.caps, lengthStops: true } },
        true,
      );
      expect(head.toString()).toContain('\r\nHost: b.test\r\n');
    },
  ],
  a2c50292b331: [
    'links of a redirected page are resolved against where it led',
    () =>
      expect(normal(page('<a href="x">', 'http://h.test/new/dir/').links.hrefs[0], 'http://h.test/new/dir/')).toBe(
        'http://h.test/new/dir/x',
      ),
  ],
  '76a6915a5062': [
    'links are resolved against the base of the page',
    () => {
      const { base, links } = page('<base href="/"><a href="page.php">');
      expect(normal(links.hrefs[0], base)).toBe('http://host.example/page.php');
    },
  ],
  '681ead7b3fe3': [
    'blanks around a link are no part of it',
    () => expect(normal(page('<a href=" http://t.example/ ">').links.hrefs[0])).toBe('http://t.example/'),
  ],
  cd43d77f218f: [
    'an og:url is no link',
    () => expect(page('<meta property="og:url" content="http://a.test/x">').links.hrefs).toEqual([]),
  ],
  '9333ef654260': [
    'a host is percent-decoded, then IDNA',
    () => {
      expect(normal('https://example%2Ecom/')).toBe('https://example.com/');
      expect(normal('https://www.0251-sachverst%c3%a4ndiger.de/')).toBe('https://www.xn--0251-sachverstndiger-ozb.de/');
    },
  ],
  '2b4ba7f27caa': [
    'an encoded percent sign stays one',
    () =>
      expect(normal('http://example.com/cmp/Supermercados-Dia%25')).toBe('http://example.com/cmp/Supermercados-Dia%25'),
  ],
  c3dddd5a3e3a: [
    'encoded separators of a query stay encoded',
    () => expect(normal('http://h.test/?a%26b%3Dc=d%26e%3Df')).toBe('http://h.test/?a%26b%3Dc=d%26e%3Df'),
  ],
  a36a2577c05b: [
    'relative links of a page with an encoded path resolve',
    () => expect(normal('x', 'http://h.test/index.php/%D9%85%D8%AE')).toBe('http://h.test/index.php/x'),
  ],
  b15e454e9494: [
    'a gzipped list of URLs is a sitemap',
    () => {
      const list = gzipSync('http://h.test/a\nhttp://h.test/b\n');
      const { urls } = parseSitemap(list, { url: 'http://h.test/urllist.txt.gz' });
      expect(urls.map(({ url }) => url)).toEqual(['http://h.test/a', 'http://h.test/b']);
    },
  ],
  ceaef53880af: [
    'noise behind a gzip magic is no sitemap, and throws nothing',
    () => {
      const noise = Buffer.from([0x1f, 0x8b, 7, 1, 9, 200, 3, 77, 12, 255, 0, 4]);
      expect(parseSitemap(noise, { url: 'http://h.test/s.gz' })).toMatchObject({ kind: 'unknown', urls: [] });
    },
  ],
  dd46f8fc4145: [
    'the order of the attributes of a meta element does not matter',
    () => {
      const html = '<meta content="text/html; charset=utf-8" http-equiv="Content-Type">';
      expect(sniffCharset(Buffer.from(html)).charset).toBe('utf-8');
    },
  ],
  fe555051536f: [
    'a meta charset counts where the header names none, by the encoding that its label means',
    () => expect(sniffCharset(Buffer.from('<meta charset=gb2312>'), 'text/html').charset).toMatch(/^gb(k|18030)$/),
  ],
  '25d55a77933d': [
    'two bytes say nothing about their encoding, and break nothing',
    () => expect(sniffCharset(Buffer.from([0xd6, 0xd0])).source).not.toMatch(/header|meta|bom/),
  ],
  '101b25e99eae': [
    'an empty body is not decoded',
    async () => expect(await decode(Buffer.alloc(0), ['gzip'], CAPS)).toMatchObject({ code: 'ok', damaged: false }),
  ],
  '5985c0dc4134': [
    'the entity is the same however it was chunked',
    () => {
      const read = (...chunks: string[]) => {
        const plan = () => ({ limit: 1000, stop: false, error: null });
        const reader = new ResponseReader({ maxHeaderBytes: 1000, plan });
        const coded = [...chunks, ''].map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');
        reader.push(Buffer.from(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${coded}`));
        return reader.takeBody().toString();
      };
      expect([read('hello world'), read('hel', 'lo ', 'world')]).toEqual(['hello world', 'hello world']);
    },
  ],
  '9a7ee8a9c8d2': [
    'a record says why its body is not whole',
    () => {
      const [requestHead, responseHead] = ['GET / HTTP/1.1\r\n\r\n', 'HTTP/1.1 200 OK\r\n\r\n'].map((head) =>
        Buffer.from(head),
      );
      for (const truncated of ['length', 'time', 'disconnect'] as const) {
        const exchange = {
          url: 'http://h.test/',
          address: '',
          date: 0,
          requestHead,
          responseHead,
          payload: Buffer.from('x'),
          truncated,
        };
        const record = gunzipSync(new WarcWriter().exchange(exchange).bytes).toString();
        expect(record).toContain(`\r\nWARC-Truncated: ${truncated}\r\n`);
      }
    },
  ],
};

/** By the id of the issue: the file whose test has the property, and words of its name. */
const ELSEWHERE: Record<string, [file: string, words: string]> = {
  c75084f7b7e2: ['e2e/audit.test.ts', 'shows that nothing was asked of a host while its robots.txt could not be read'],
  '9b60d4495855': ['admit/decisions.test.ts', 'is followed across hosts, each hop at the clock of its host'],
  d9304d7db8f8: ['fetch/robots.test.ts', 'matches runs of * in linear time'],
  c82213e96e50: ['zoo/kinds/crawl-delay.ts', 'Asks for a day between requests.'],
  '02e8d2b3944a': ['admit/decisions.test.ts', 'sets its Crawl-delay from the request on that brought it'],
  '82087783ef56': ['fetch/robots.test.ts', 'reads decimals of Crawl-delay, and null where there is none'],
  d4d2fe4bed82: ['e2e/answers.test.ts', 'Crawl-delay is obeyed from robots.txt on'],
  '058d43670fab': ['admit/decisions.test.ts', 'rotates hosts and gives nothing for a host inside its delay'],
  '61429a4d7d8e': ['kill/kill.test.ts', 'a crawl killed ten times loses no page'],
  fc442cc68da5: [
    'e2e/resume.test.ts',
    'ends with exit code 130, says how to go on, and the same command fetches each page once',
  ],
  b5cf04a67ed9: ['zoo/kinds/redirect-and-link.ts', 'Asks for the target once.'],
  cf852c9854f2: ['e2e/answers.test.ts', 'of a seed take its new domain into the scope, and say so; others do not'],
  '1114b03cbe39': ['fetch/resolver.test.ts', 'an address that has moved is used after its time'],
  '2d9047a90ba9': ['fixtures/http_raw/cases.jsonl', 'redirect_utf8_raw'],
  '6b0a5cf2e7d2': ['e2e/answers.test.ts', 'to itself carry a cookie back once, and no cookie anywhere else'],
  c79e3e26cedc: ['parse/page.test.ts', 'is none for a reload, in noscript, or with a sign before the number'],
  '6b2377ddf5b7': ['e2e/answers.test.ts', 'to itself carry a cookie back once, and no cookie anywhere else'],
  '4b7f9285ed43': ['fixtures/http_raw/cases.jsonl', 'two_equal_content_lengths'],
  '3983c3a5ebe5': ['fixtures/http_raw/cases.jsonl', 'ce_gzip_trailing_text'],
  f21c5aea1d2a: ['fetch/decode.test.ts', 'is recognised before it takes memory'],
  c2d01f293f43: ['fetch/decode.test.ts', 'over the cap gives exactly the cap'],
  e8ab4b1b7cb7: ['fetch/decode.test.ts', 'that was never coded is used as it is'],
  '0ceec203aa0f': ['fetch/http-date.test.ts', 'goes back as a validator in the strict form'],
  '72b80100ce50': ['revisit/plan.test.ts', 'adaptive: intervals double while nothing changes'],
  ff527e90eba7: ['fetch/fetcher.test.ts', 'asks whether a page has changed, with a strict date and the tag as it came'],
  c987249a0489: ['admit/page-change.test.ts', 'a page has changed if its text moved by more than three bits'],
  ef3b3690b55c: ['e2e/revisit.test.ts', '304s are used'],
  '0afe7c10780b': ['archive/outside-reader.test.ts', 'X-Archive-Orig-Transfer-Encoding'],
};

/** What does not apply, and why. */
const NOT_OURS: Record<string, string> = {
  '7f718bfeed6c': 'no cookies are kept; one goes back once, to the URL that set it',
  aa489deb6804: 'pictures are not crawled, so no srcset is read',
};

const text = readFileSync(new URL('fixtures/issues.jsonl', import.meta.url), 'utf8');
const issues = text
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as { id: string; category: string; trigger: string; right: string });

describe('what went wrong elsewhere', () => {
  test('has a test or a reason, each once', () => {
    const known = [HERE, ELSEWHERE, NOT_OURS].flatMap((table) => Object.keys(table));
    expect(known.sort()).toEqual(issues.map(({ id }) => id).sort());
  });

  test('that is tested in another file is tested there', () => {
    const missing = Object.values(ELSEWHERE).filter(
      ([file, words]) => !readFileSync(new URL(file, import.meta.url), 'utf8').includes(words),
    );
    expect(missing).toEqual([]);
  });

  const rows = issues
    .filter(({ id }) => Object.hasOwn(HERE, id))
    .map(({ id, category }) => [category, HERE[id][0], id] as const);
  test.each(rows)('%s: %s', async (_category, _property, id) => {
    await HERE[id][1]();
  });
});
