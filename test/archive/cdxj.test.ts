import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CdxjEntry, CdxjWriter, cdxjLine } from '../../src/archive/cdxj.js';
import { sortCdxj } from '../../src/archive/line-sort.js';
import { surtKey } from '../../src/archive/surt.js';
import { readRecordAt } from '../../src/archive/warc-reader.js';
import { DATE, exchange, scratch, segmentWriter } from './exchanges.js';

const ID32 = '0123456789abcdefghijklemopqrstuv';

describe('SURT keys', () => {
  // Facts from the tests of internetarchive/surt, pywb and WaybackURLKeyMaker.
  test.each([
    ['http://www.archive.org/', 'org,archive)/'],
    ['http://archive.org', 'org,archive)/'],
    ['https://archive.org:443/', 'org,archive)/'],
    ['https://www.archive.org:80/', 'org,archive:80)/'],
    ['http://archive.org/goo/', 'org,archive)/goo'],
    ['http://archive.org/goo/?', 'org,archive)/goo'],
    ['http://archive.org/goo/?b&a', 'org,archive)/goo?a&b'],
    ['http://archive.org/goo/?a=2&b&a=1', 'org,archive)/goo?a=1&a=2&b'],
    ['http://archive.org/index.html?b=b&a=b&b=a&a=a', 'org,archive)/index.html?a=a&a=b&b=a&b=b'],
    ['http://www34.archive.org/Index.HTML#x', 'org,archive)/index.html'],
    ['http://www2foo.com/', 'com,www2foo)/'],
    ['http://user:pw@archive.org/', 'org,archive)/'],
    [
      `http://archive.org/index.php?PHPSESSID=${ID32}&action=profile;u=4221`,
      'org,archive)/index.php?action=profile;u=4221',
    ],
    [`http://a.org/?x=y&jsessionid=${ID32}0`, `org,a)/?jsessionid=${ID32}0&x=y`],
    ['http://a.org/?CFID=1169580&CFTOKEN=48630702&dtstamp=22', 'org,a)/?dtstamp=22'],
    ['http://a.org/(S(4hqa0555fwsecu455xqckv45))/mileg.aspx', 'org,a)/mileg.aspx'],
    ['http://a.org/(4hqa0555fwsecu455xqckv45)/mileg.aspx', 'org,a)/mileg.aspx'],
    ['http://host.com//twoslashes?more//slashes', 'com,host)/twoslashes?more//slashes'],
    ['http://host/%25%32%35', 'host)/%25'],
    ['http://host.com/ab%23cd', 'com,host)/ab%23cd'],
    ['dns:archive.org', 'dns:archive.org'],
    [
      'http://visit.webhosting.yahoo.com/visit.gif?&r=http%3A//web.archive.org/&b=Netscape%205.0%20%28Windows%3B%20en-US%29&j=true',
      'com,yahoo,webhosting,visit)/visit.gif?&b=netscape%205.0%20(windows;%20en-us)&j=true&r=http://web.archive.org/',
    ],
  ])('%s', (url, key) => {
    expect(surtKey(url)).toBe(key);
  });

  test('are one printable token for any URL, and the same for http, https and www', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), fc.string({ unit: 'binary' }), (url, tail) => {
        for (const key of [surtKey(url + tail), surtKey(tail)]) expect(key).toMatch(/^[\x21-\x7e]+$/);
        expect(surtKey(url.replace(/^http:/, 'https:'))).toBe(surtKey(url.replace(/^https:/, 'http:')));
      }),
      { numRuns: 300 },
    );
  });

  test('take linear time', () => {
    const start = performance.now();
    for (const part of ['%25', 'sid=', 'cfid=a&cftoken=', '/(', 'www1.', '&', '%2525']) {
      surtKey(`http://a.org/${part.repeat(30_000)}.aspx?${part.repeat(30_000)}`);
    }
    expect(performance.now() - start).toBeLessThan(3000);
  });
});

const entry: CdxjEntry = {
  ...{ url: 'http://www.example.org/a?b=1', date: DATE, status: 200, contentType: 'Text/HTML; charset=utf-8' },
  ...{
    revisit: false,
    payloadDigest: new Uint8Array(20),
    offset: 1234,
    length: 567,
    segment: 'crawl-1-w0-00000.warc.gz',
  },
};

describe('a line', () => {
  test('has the key, 14 digits and the fields that replay tools read', () => {
    expect(cdxjLine(entry)).toBe(
      'org,example)/a?b=1 20260131235958 {"url":"http://www.example.org/a?b=1","mime":"text/html","status":"200",' +
        `"digest":"sha1:${'A'.repeat(32)}","length":"567","offset":"1234","filename":"crawl-1-w0-00000.warc.gz"}\n`,
    );
  });

  test('of a revisit says so; one without payload has no digest; a type that is none is unknown', () => {
    const line = cdxjLine({ ...entry, revisit: true, payloadDigest: null });
    expect(JSON.parse(line.split(' ').slice(2).join(' '))).toMatchObject({ mime: 'warc/revisit' });
    expect(line).not.toContain('digest');
    expect(cdxjLine({ ...entry, contentType: 'a b\nc' })).toContain('"mime":"unk"');
  });

  test('is one line of ASCII whatever the URL is, and its JSON gives the URL back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (tail) => {
        const url = `http://example.org/${tail}`;
        const line = cdxjLine({ ...entry, url });
        expect(line).toMatch(/^[\x21-\x7e]+ \d{14} \{[\x20-\x7e]+\}\n$/);
        expect(JSON.parse(line.slice(line.indexOf('{'))).url).toBe(url);
      }),
    );
  });

  test('leads to its record', () => {
    const dir = scratch();
    const writer = segmentWriter(dir);
    const appended = [1, 2, 3].map((n) => writer.append(exchange(`http://example.org/${n}`)));
    writer.close();
    for (const a of appended) {
      const { offset, length, segment } = a;
      const line = cdxjLine({ ...entry, ...{ offset, length, segment, payloadDigest: a.payloadDigest } });
      const fields = JSON.parse(line.slice(line.indexOf('{')));
      const record = readRecordAt(join(dir, fields.filename), Number(fields.offset), Number(fields.length));
      expect(record.recordId).toBe(a.recordId);
      expect(record.headers.get('WARC-Payload-Digest')).toBe(fields.digest);
    }
  });
});

describe('the index', () => {
  const lines = Array.from({ length: 20 }, (_, i) =>
    cdxjLine({ ...entry, url: `http://example.org/${(i * 7) % 20}`, offset: i }),
  );

  test('is cut at its committed length after a crash', async () => {
    const path = join(scratch(), 'index.cdxj');
    const writer = await CdxjWriter.open(path, 0, () => []);
    await writer.append(lines.slice(0, 10));
    const committed = writer.length;
    await writer.append([...lines.slice(10), 'torn li']);
    await writer.close();
    const again = await CdxjWriter.open(path, committed, () => expect.fail('nothing is missing'));
    expect(again.length).toBe(committed);
    await again.append(lines.slice(10));
    await again.close();
    expect(readFileSync(path, 'latin1')).toBe(lines.join(''));
  });

  test('is written anew from the rows where committed lines are missing', async () => {
    const path = join(scratch(), 'index.cdxj');
    const writer = await CdxjWriter.open(path, 0, () => []);
    await writer.append(lines);
    const committed = writer.length;
    await writer.close();
    truncateSync(path, committed - 300);
    const again = await CdxjWriter.open(path, committed, () => lines);
    expect(again.length).toBe(committed);
    await again.close();
    expect(readFileSync(path, 'latin1')).toBe(lines.join(''));
    expect(readdirSync(dirname(path))).toEqual(['index.cdxj']);
  });

  test('is sorted by bytes, at any size of runs, keeps its length and leaves nothing behind', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.stringMatching(/^[\x20-\x7e]{0,40}$/), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 2, max: 5 }),
        async (content, runBytes, fanIn) => {
          const path = join(scratch(), 'index.cdxj');
          const text = content.map((line) => `${line}\n`).join('');
          writeFileSync(path, text);
          await sortCdxj(path, { runBytes, fanIn });
          const sorted = [...content].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
          expect(readFileSync(path, 'latin1')).toBe(sorted.map((line) => `${line}\n`).join(''));
          expect(readdirSync(dirname(path))).toEqual(['index.cdxj']);
        },
      ),
      { numRuns: 25 },
    );
  });

  test('sorting an empty index changes nothing', async () => {
    const path = join(scratch(), 'index.cdxj');
    writeFileSync(path, '');
    await sortCdxj(path);
    expect(readFileSync(path).length).toBe(0);
  });
});
