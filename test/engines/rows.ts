/** Rows for the store's tests: every field set, or every field that may be empty empty. */
import type { Changes, HostRow, ReparsedRow, RequestRow, SegmentRow, UrlRow, VisitRow } from '../../src/changes.js';
import { noChanges } from '../../src/changes.js';

const NOW = 1_790_000_000_123;

export const hostRow = (id: number, over: Partial<HostRow> = {}): HostRow => ({
  id,
  name: `www${id}.example.org`,
  domain: 'example.org',
  named: false,
  budget: 10_000,
  at: NOW,
  ...over,
});

export const urlRow = (id: number, over: Partial<UrlRow> = {}): UrlRow => ({
  id,
  partition: 0,
  host: 0,
  keyHi: (id * 2_654_435_761) >>> 0,
  keyLo: (id * 40_503) >>> 0,
  kind: 'page',
  level: 2,
  depth: 3,
  hops: 0,
  via: id - 1,
  url: `https://www0.example.org/a/page/of/middling/length/number-${id}.html`,
  ...over,
});

export const requestRow = (id: number, over: Partial<RequestRow> = {}): RequestRow => ({
  id,
  url: -1,
  host: 0,
  address: '192.0.2.7',
  kind: 'page',
  target: 'https://www0.example.org/a/page',
  started: NOW,
  ended: NOW + 210,
  status: 200,
  code: 'ok',
  bytes: 20_480,
  delay: 2_100,
  addressDelay: 1_000,
  record: null,
  ...over,
});

export const visitRow = (id: number, over: Partial<VisitRow> = {}): VisitRow => ({
  id,
  url: 0,
  kind: 'page',
  request: -1,
  at: NOW + 300,
  status: 200,
  code: 'ok',
  finalUrl: null,
  contentType: 'text/html',
  charset: 'utf-8',
  language: 'en',
  title: `Title of page ${id}`,
  contentHash: new Uint8Array(32).fill(id & 0xff),
  payloadDigest: new Uint8Array(20).fill((id + 1) & 0xff),
  simhash: id.toString(16).padStart(16, '0'),
  etag: `"${id}"`,
  lastModified: 'Tue, 01 Dec 2026 10:00:00 GMT',
  record: null,
  text: null,
  changed: true,
  duplicateOf: -1,
  near: false,
  index: true,
  nextVisit: NOW + 86_400_000,
  bodyOf: -1,
  history: null,
  bytes: 20_480,
  links: 124,
  aiPreferences: null,
  parser: 1,
  fields: null,
  ...over,
});

export const reparsedRow = (id: number, over: Partial<ReparsedRow> = {}): ReparsedRow => ({
  id,
  visit: 0,
  at: NOW,
  parser: 2,
  charset: 'utf-8',
  language: 'de',
  title: 'read again',
  simhash: null,
  text: null,
  index: true,
  links: 3,
  aiPreferences: null,
  fields: null,
  ...over,
});

export const segmentRow = (id: number, over: Partial<SegmentRow> = {}): SegmentRow => ({
  id,
  name: `crawl-0-${id}.warc.gz`,
  kind: 'warc',
  at: NOW,
  closed: false,
  length: 0,
  ...over,
});

export const changes = (over: Partial<Changes>): Changes => ({ ...noChanges(), ...over });

/** One row at least of every table, with edges of every field. */
export function everything(): Changes {
  const pointer = { segment: 1, offset: 2 ** 40, length: 77 };
  return {
    hosts: [
      hostRow(0),
      hostRow(1, { name: 'xn--bcher-kva.example', domain: 'xn--bcher-kva.example', named: true, budget: null }),
    ],
    urls: [
      urlRow(0, { via: -1, keyHi: 0xffff_ffff, keyLo: 0xffff_ffff, url: 'https://example.org/?q=ä%20\u{1f600}' }),
      urlRow(1, { partition: 255, host: 1, keyHi: 0, keyLo: 0, kind: 'sitemap', level: 4, depth: 16, hops: 10 }),
    ],
    requests: [
      requestRow(0, { url: 1, record: { segment: 0, offset: 0, length: 1 } }),
      requestRow(1, {
        host: 1,
        kind: 'robots',
        address: '',
        status: 0,
        code: 'connect.refused',
        delay: 1234.5,
        bytes: 0,
      }),
    ],
    visits: [
      visitRow(0, { record: pointer, text: pointer, request: 0, changed: false, finalUrl: 'https://example.org/b/' }),
      visitRow(1, {
        url: 1,
        kind: 'sitemap',
        contentHash: null,
        payloadDigest: null,
        simhash: null,
        etag: null,
        lastModified: null,
        index: false,
        nextVisit: null,
        bodyOf: 0,
        history: '60+',
        duplicateOf: 0,
        near: true,
        title: '',
        charset: '',
        aiPreferences: '{"train-ai":"n"}',
        parser: 7,
        fields: '{"author":"ä"}',
      }),
    ],
    reparsed: [
      reparsedRow(0, { text: pointer, simhash: 'ffffffffffffffff' }),
      reparsedRow(1, { visit: 1, index: false, aiPreferences: '["noai"]', fields: '{}', charset: '', title: '' }),
    ],
    robots: [
      {
        origin: 'https://www0.example.org:8443',
        host: 0,
        at: NOW,
        request: 1,
        status: 200,
        code: 'ok',
        body: Uint8Array.from([0xef, 0xbb, 0xbf, 0, 255, 10]),
        failures: 0,
        failingSince: null,
      },
      {
        origin: 'http://b.example',
        host: 1,
        at: NOW,
        request: -1,
        status: 503,
        code: 'http.throttled',
        body: null,
        failures: 3,
        failingSince: NOW - 5,
      },
      {
        origin: 'http://c.example',
        host: 1,
        at: NOW,
        request: -1,
        status: 200,
        code: 'ok',
        body: new Uint8Array(0),
        failures: 0,
        failingSince: null,
      },
    ],
    hostEvents: [{ host: 1, at: NOW, kind: 'asleep', until: NOW + 3_600_000, value: 1.5, words: 'ten times 429' }],
    denied: [
      { url: 0, at: NOW, denied: true },
      { url: 0, at: NOW + 1, denied: false },
    ],
    dead: [
      { url: 1, at: NOW, dead: true, code: 'read.timeout', history: [{ at: NOW, code: 'read.timeout', status: 0 }] },
      { url: 1, at: NOW + 1, dead: false, code: 'ok', history: [] },
    ],
    segments: [
      segmentRow(0),
      segmentRow(1, { kind: 'text', name: 'crawl-0-1.text.warc.gz' }),
      segmentRow(0, { closed: true, length: 2 ** 30 }),
    ],
    seeds: [{ url: 1 }, { url: 0 }],
    meta: [['scope', '["example.org"]']],
  };
}

/** A batch's worth of a crawl: `count` URLs, and for each a request and a visit. Refers to host 0 and segment 0, which
 * the first one brings. */
export function crawled(first: number, count: number): Changes {
  const c = noChanges();
  if (first === 0) {
    c.hosts.push(hostRow(0));
    c.segments.push(segmentRow(0));
  }
  for (let id = first; id < first + count; id++) {
    const record = { segment: 0, offset: id * 1000, length: 1000 };
    c.urls.push(urlRow(id));
    c.requests.push(requestRow(id, { url: id, record }));
    c.visits.push(visitRow(id, { url: id, request: id, record }));
  }
  return c;
}
