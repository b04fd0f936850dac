import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { webAddress } from '../../src/sim/server-address.js';
import type { SyntheticWeb, WebPlace } from '../../src/sim/web.js';
import { createBenchWeb } from '../../src/sim/web-bench.js';
import { createPoolWeb } from '../../src/sim/web-bench-pool.js';
import { createDemoWeb } from '../../src/sim/web-demo.js';
import { createKillWeb } from '../../src/sim/web-kill.js';
import { ask, bodyText, walk } from '../support/walk.js';

const place: WebPlace = { port: 8080, addressOf: webAddress };
const demo = createDemoWeb(1, place);

const at = (host: string, target: string) => `http://${host}.test:8080${target}`;

describe('every synthetic web', () => {
  test('answers the same bytes for the same seed, and others for another', () => {
    for (const create of [
      createDemoWeb,
      (seed: number, to: WebPlace) => createKillWeb({ hosts: 4, pages: 4, seed }, to),
    ]) {
      const [first, again, other] = [create(7, place), create(7, place), create(8, place)];
      const bodies = (web: SyntheticWeb) => web.seeds.map((url) => ask(web, url).body.toString('hex'));
      expect(bodies(again)).toEqual(bodies(first));
      expect(bodies(other)).not.toEqual(bodies(first));
    }
  });

  test('gives every host an address of its own, also where the hash would not', () => {
    const crowded: WebPlace = {
      port: 1,
      addressOf: (host) => `127.64.0.${host.length * 2 + (host.charCodeAt(5) % 2)}`,
    };
    const { hosts } = createKillWeb({ hosts: 8, pages: 1, seed: 1 }, crowded);
    expect(new Set(hosts.map(crowded.addressOf)).size).toBe(8);
  });
});

describe('the web of the kill test', () => {
  const web = createKillWeb({ hosts: 30, pages: 12, seed: 3 }, place);

  test('promises exactly the pages that its links lead to', () => {
    expect([...walk(web, 16).pages].sort()).toEqual(web.reachable());
    expect(web.reachable()).toHaveLength(360);
  });

  test('is never deeper than the depth cap, in its big form too', () => {
    // The depth of a page is that of its host plus that within it: 8 + 4 for 200 hosts x 50 pages.
    expect(walk(createKillWeb({ hosts: 200, pages: 1, seed: 1 }, place), 8).pages.size).toBe(200);
    expect(walk(createKillWeb({ hosts: 1, pages: 50, seed: 1 }, place), 4).pages.size).toBe(50);
  });

  test('has no two pages alike', () => {
    const bodies = web.reachable().map((url) => bodyText(ask(web, url)));
    expect(new Set(bodies).size).toBe(bodies.length);
  });
});

describe('the web of the long runs', () => {
  const web = createPoolWeb({ hosts: 2, pages: 3, seed: 3 }, place);

  test('puts pages together that decode, are all different, and lead to all that it promises', () => {
    expect([...walk(web, 16).pages].sort()).toEqual(web.reachable());
    const bodies = web.reachable().map((url) => gunzipSync(ask(web, url).body).toString());
    expect(new Set(bodies).size).toBe(6);
    for (const body of bodies) expect(body).toMatch(/^<!DOCTYPE html>[\s\S]*<\/html>\n$/);
  });

  test('calls its hosts by their addresses where it is told to, and speaks of https', () => {
    const [literal, secure] = [{ isLiteral: true }, { isSecure: true }].map((how) =>
      createPoolWeb({ hosts: 1, pages: 1, seed: 3 }, { ...place, ...how }),
    );
    expect(literal!.seeds).toEqual([`http://${webAddress('site-0.test')}:8080/`]);
    expect(secure!.seeds).toEqual(['https://site-0.group-0.test:8080/']);
  });
});

describe('the web of the demo', () => {
  const { pages, kinds } = walk(demo, 20);
  const reachable = demo.reachable();

  test('is as large as it says', () => {
    expect(demo.hosts.length).toBeGreaterThanOrEqual(40);
    expect(reachable.length).toBeGreaterThanOrEqual(1000);
    expect(new Set([...demo.hosts, ...demo.down].map(webAddress)).size).toBe(demo.hosts.length + demo.down.length);
  });

  test('leads to every page that it promises, or names it in a sitemap', () => {
    // A page that needs a cookie first is the one that a walk without cookies misses.
    expect(reachable.filter((url) => !pages.has(url))).toEqual([at('moved', '/consent')]);
    expect(ask(demo, at('moved', '/consent'), { cookie: 'consent=yes' }).status).toBe(200);
  });

  test('promises nothing beyond what it leads to but what is not to be followed', () => {
    const promised = new Set(reachable);
    expect([...pages].filter((url) => !promised.has(url))).toEqual([at('notice', '/unfollowed')]);
  });

  test('has traps without an end, forbidden pages, redirects, a robots.txt that fails and links to nowhere', () => {
    expect(walk(demo, 30).kinds.get('trap')).toBeGreaterThan(kinds.get('trap')!);
    for (const kind of ['forbidden', 'redirect', 'missing', 'sitemap']) expect(kinds.get(kind)).toBeGreaterThan(0);
    expect(ask(demo, at('broken', '/robots.txt')).status).toBe(500);
    expect(ask(demo, at('calendar', '/month/9999-12')).kind).toBe('trap');
  });

  test('has a mirror of the same bytes, exact copies and near-copies', () => {
    const body = (host: string, target: string) => bodyText(ask(demo, at(host, target)));
    expect(body('mirror', '/article/7')).toBe(body('library', '/article/7'));
    expect(body('press', '/copy/3')).toBe(body('press', '/news/3'));
    const [news, draft] = [body('press', '/news/3').split(' '), body('press', '/draft/3').split(' ')];
    expect(draft).toHaveLength(news.length);
    expect(draft.filter((word, index) => word !== news[index])).toEqual(['draft-3']);
  });

  test('has a host that refuses at first and says for how long', () => {
    const refusal = ask(demo, at('busy', '/'), {}, 0);
    expect([refusal.status, refusal.headers['Retry-After']]).toEqual([429, '1']);
    expect(ask(demo, at('busy', '/'), {}, 5000).status).toBe(200);
  });

  test('gives a new session to every page that links', () => {
    const sessions = ['/', '/item/1', '/item/2'].map(
      (target) => /sid=(\w+)/.exec(bodyText(ask(demo, at('shop', target))))![1],
    );
    expect(new Set(sessions).size).toBe(3);
  });

  test('answers 304 to its own validators and no others', () => {
    const url = at('harbour', '/');
    const { ETag = '', 'Last-Modified': lastModified = '' } = ask(demo, url).headers;
    expect(ask(demo, url, { 'if-none-match': ETag }).status).toBe(304);
    expect(ask(demo, url, { 'if-none-match': '"other"', 'if-modified-since': lastModified }).status).toBe(200);
    expect(ask(demo, url, { 'if-modified-since': lastModified }).status).toBe(304);
  });

  test('answers gzip and brotli to those who accept them only', () => {
    const plain = bodyText(ask(demo, at('harbour', '/')));
    const zipped = ask(demo, at('harbour', '/'), { 'accept-encoding': 'br, gzip;q=0.5' });
    expect(zipped.headers['Content-Encoding']).toBe('gzip');
    expect(gunzipSync(zipped.body).toString('latin1')).toBe(plain);
    const brotli = ask(demo, at('orchard', '/'), { 'accept-encoding': 'gzip, br' });
    expect(brotli.headers['Content-Encoding']).toBe('br');
    expect(brotliDecompressSync(brotli.body).toString('latin1')).toBe(bodyText(ask(demo, at('orchard', '/'))));
  });

  test.each([
    ['mlyn', 'iso-8859-2', /[ąęłńśżźčř]/],
    ['kniga', 'koi8-r', /[а-я]{3}/],
    ['shinbun', 'shift_jis', /[ぁ-ん]{2}/],
    ['bunko', 'utf-8', /[ぁ-ん]{2}/],
  ])('writes %s in %s without losing a letter', (host, charset, letters) => {
    const text = new TextDecoder(charset, { fatal: true }).decode(ask(demo, at(host, '/')).body);
    expect(text).toMatch(letters);
    expect(text).not.toMatch(/[?\uFFFD]/);
  });
});

describe('the web of the bench', () => {
  test('has the pages of DESIGN section 13', async () => {
    const web = await createBenchWeb({ hosts: 8, pages: 10, seed: 1 }, place);
    const { bytes, gzipBytes, anchors, tags, distance } = web.figures;
    expect(bytes).toBeGreaterThan(95_000);
    expect(bytes).toBeLessThan(105_000);
    expect(gzipBytes).toBeGreaterThan(20_000);
    expect(gzipBytes).toBeLessThan(25_000);
    expect(anchors).toBeGreaterThanOrEqual(120);
    expect(tags).toBeGreaterThanOrEqual(1500);
    expect(distance).toBeGreaterThan(8);
    expect([...walk(web, 3).pages].sort()).toEqual(web.reachable());
  });
});
