import { afterAll, beforeAll, expect, test } from 'vitest';
import { DnsServer } from '../support/dns-server.js';
import { configFile, crawl, removeScratches, scratch } from '../support/saunter.js';
import { links, Sites } from '../support/sites.js';

let dns: DnsServer;
let site: Sites;
beforeAll(async () => {
  const known = { a: ['127.0.0.1'], ttl: 0 };
  dns = await DnsServer.start({ 'known.test': known, 'new.test': { a: ['127.0.0.2'] } });
  site = await Sites.start(
    {
      'known.test': (target) => {
        if (target === '/robots.txt') return undefined;
        if (target !== '/') return `page ${target}`;
        // from here on no name server says a word
        dns.names.set('known.test', { silent: true });
        dns.names.set('new.test', { silent: true });
        return links(...Array.from({ length: 15 }, (_, i) => `/${i}`), site.url('new.test'));
      },
      'new.test': () => 'nobody can find me',
    },
    ['127.0.0.1', '127.0.0.2'],
  );
});
afterAll(async () => {
  await Promise.all([dns.stop(), site.stop()]);
  removeScratches();
});

test('name servers that fall silent in mid-crawl stop nobody whose address is known; the others wait, and nothing is lost', async () => {
  // Shortened: the least TTL from 5 min, so that the known name is asked for again meanwhile; the time for an answer from 5 s.
  const config = configFile({
    'resolver.ttlMin': '200ms',
    'timeout.dns': '300ms',
    'retry.ladder': ['1h'],
    'host.offline': ['1h'],
  });
  const { code, summary } = await crawl([
    ...[site.url('known.test'), '--scope', 'any', '--dir', scratch(), '--config', config, '--dns', dns.address],
    ...['--allow-private', '127.0.0.0/8', '--delay', '60ms', '--patience', '2s'],
  ]);
  expect([code, summary.pages, summary.deadLetters]).toEqual([0, 16, 0]);
  expect([summary.pending, Object.keys(summary.waiting).length]).toEqual([1, 1]);
  expect(summary.errors['dns.timeout']).toBeGreaterThanOrEqual(1);
  expect(site.asked('new.test', true)).toEqual([]);
});
