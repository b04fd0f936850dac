/** Parameters that the normal form removes are counted by the names of their options, and shown wherever refusals are. */
import { afterAll, expect, test } from 'vitest';
import { crawl, removeScratches, saunter, scratch } from '../support/saunter.js';
import { links, redirect, Sites } from '../support/sites.js';

let site: Sites;
afterAll(async () => {
  await site.stop();
  removeScratches();
});

test('what links lose is counted, once for each that is taken, over restarts too', async () => {
  const session = '0123456789abcdef0123';
  site = await Sites.start({
    '127.0.0.1': (target) => {
      if (target === '/robots.txt') return { body: 'Sitemap: /map.xml?fbclid=1\n' };
      if (target === '/map.xml')
        return {
          headers: { 'Content-Type': 'application/xml' },
          body: `<urlset><url><loc>${site.url('127.0.0.1', '/b?UTM_Medium=x')}</loc></url></urlset>`,
        };
      if (target === '/')
        return links(
          ...['/a?utm_source=x&utm_campaign=y&id=1', '/a?id=1&utm_source=other', `/b;jsessionid=${session}`, '/moved'],
          ...[`/c?sid=${session}&sid=7`, 'http://elsewhere.test/?utm_source=out-of-scope', '/__proto__?ref=1'],
        );
      if (target === '/moved') return redirect('/d?gclid=2');
      return ['/a?id=1', '/b', '/d'].includes(target) ? `${links('/')}<p>${target}` : undefined;
    },
  });
  const dir = scratch();
  const flags = ['--dir', dir, '--allow-private', '127.0.0.0/8', '--delay', '1ms', '--patience', '20s'];
  const first = await crawl([`${site.url('127.0.0.1')}?yclid=3`, '--max-pages', '1', ...flags]);
  const { code, summary } = await crawl([`${site.url('127.0.0.1')}?yclid=3`, ...flags]);
  expect([first.code, code]).toEqual([0, 0]);
  const removed = { yclid: 2, fbclid: 1, 'utm_*': 4, ';jsessionid': 1, sid: 1, ref: 1, gclid: 1 };
  expect(summary.removed).toEqual(removed);
  expect(summary.rejected).toEqual({ scope: 1 });
  const words = /removed +11 +parameters from links: utm_\* 4, yclid 2, /;
  const status = await saunter(['status', '--dir', dir]);
  expect(status.out).toMatch(words);
  expect(JSON.parse((await saunter(['status', '--json', '--dir', dir])).out)).toMatchObject({ removed });
  const again = await saunter(['crawl', '--workers', '1', ...flags]);
  expect(again.out).toMatch(words);
});
