import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { built } from '../support/saunter.js';

const saunter = await built<typeof import('../../src/index.js')>('index.js');

test('the parts work by themselves, from the entrance of the package', () => {
  expect(saunter.normalizeUrl('HTTP://Example.org:80/a/../b/?utm_source=x#y')).toMatchObject({
    ...{ url: 'http://example.org/b', fetch: 'http://example.org/b/', host: 'example.org' },
  });
  expect(saunter.normalizeUrl('mailto:me@example.org')).toMatchObject({ url: null, reason: 'scheme' });
  expect(saunter.hostOf('https://Example.ORG./x')).toBe('example.org');
  const rules = saunter.parseRobots('User-agent: *\nDisallow: /private\nCrawl-delay: 2', 'Saunter');
  expect([rules.allows('/'), rules.allows('/private/x'), rules.crawlDelayMs]).toEqual([true, false, 2000]);
  const body = Buffer.from('<title>T</title><a href="/x">to x</a>');
  const page = saunter.parsePage({ body, url: 'http://a.example/' }, { anchorText: true });
  expect([page.title, page.links.hrefs, page.links.texts]).toEqual(['T', ['/x'], ['to x']]);
  expect(page.links.flags[0] & saunter.LinkFlag.anchor).toBe(saunter.LinkFlag.anchor);
  const sitemap = saunter.parseSitemap(Buffer.from('http://a.example/one\n'), { url: 'http://a.example/sitemap.txt' });
  expect(sitemap).toMatchObject({ kind: 'text', urls: [{ url: 'http://a.example/one' }] });
});

test('texts that share most words have near fingerprints, others do not', () => {
  const words = Array.from({ length: 200 }, (_, i) => `word${i}`);
  const print = (list: readonly string[]) => saunter.simhash(list.join(' '))!;
  const near = saunter.hammingDistance(print(words), print([...words.slice(1), 'another']));
  const far = saunter.hammingDistance(print(words), print(words.map((word) => `${word}x`)));
  expect(near).toBeLessThan(far);
  expect(saunter.simhash('too short')).toBeNull();
});

test('a Bloom filter of the size that is told never forgets a key', () => {
  const filter = new saunter.BloomFilter(saunter.bloomSize(1000, 0.01));
  const keys = Array.from({ length: 1000 }, (_, i) => createHash('sha256').update(`${i}`).digest());
  for (const key of keys) filter.add(key.readUInt32LE(0), key.readUInt32LE(4));
  for (const key of keys) expect(filter.has(key.readUInt32LE(0), key.readUInt32LE(4))).toBe(true);
  expect(filter.fillRatio).toBeGreaterThan(0.4);
});

test('the frontier leases robots.txt of an origin first, and asks for the address before', () => {
  const options = saunter.frontierOptions(saunter.loadConfig({ delay: '1s', workers: 1 }));
  const frontier = new saunter.Frontier(options, { next: () => 0.5 });
  const changes = saunter.noChanges();
  const host = frontier.addHost('a.example', 'a.example', null, false, 0);
  const url = frontier.add(host, 0, false, 0);
  const turn = () => frontier.next(0, Int32Array.of(8), 8, changes);
  expect(turn()).toMatchObject({ leases: [], resolve: [host] });
  frontier.resolved(host, { addresses: ['192.0.2.1'], until: 1e9 }, 0, changes);
  const [request] = turn().load;
  const text = { id: url, url: 'http://a.example/', kind: 'page', depth: 0, hops: 0, last: null } as const;
  frontier.loaded(request, [text], 0);
  expect(turn().leases).toMatchObject([{ kind: 'robots', target: 'http://a.example/robots.txt' }]);
});
