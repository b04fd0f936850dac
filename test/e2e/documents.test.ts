import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ExportedPage } from '../../src/corpus/pages.js';
import { pdf } from '../support/pdf.js';
import { configFile, crawl, removeScratches, saunter, scratch } from '../support/saunter.js';
import { type Answer, links, Sites } from '../support/sites.js';

const handler = new URL('../support/handler.mjs', import.meta.url).pathname;
const as = (type: string, body: string | Buffer, headers: Record<string, string> = {}): Answer => ({
  ...{ body, headers: { 'Content-Type': type, ...headers } },
});
const RSS = '<rss><channel><title>Feed</title><item><title>Entry</title><link>/from-feed</link></item></channel></rss>';
const PNG = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
const SITE: Record<string, string | Answer> = {
  '/page.xhtml': as('application/xhtml+xml', '<html xmlns="x"><title>X</title><p>In XHTML</p></html>'),
  '/plain.txt': as('text/plain; charset=iso-8859-1', Buffer.from('Gr\xf6\xdfe', 'latin1')),
  '/feed': as('application/rss+xml', RSS, { 'X-Robots-Tag': 'noai' }),
  '/feed.html': as('text/html', RSS),
  '/data.json': as('application/json', '{"title":"Data","words":["some","words"]}', { 'Content-Usage': 'train-ai=n' }),
  '/paper.pdf': as('application/pdf', pdf([{ lines: ['In a PDF'], link: '/from-pdf' }], 'Paper')),
  '/packed.pdf': as('application/pdf', gzipSync(pdf([{ lines: ['Packed'] }])), { 'Content-Encoding': 'gzip' }),
  '/lying.html': as('text/html', pdf([{ lines: ['Called HTML'] }])),
  '/untyped': { raw: (r) => r.writeHead(200).end('<html><title>Untyped</title><p>No type at all') },
  '/picture.html': as('text/html', PNG),
  '/hidden.pdf': as('application/pdf', pdf([{ lines: ['Hidden'] }]), { 'X-Robots-Tag': 'noindex' }),
  '/broken.pdf': as('application/pdf', '%PDF-1.7 broken'),
  '/picture.png': as('image/png', PNG),
  '/mine': as('x/y', 'words of mine'),
  '/function': as('x/z', 'words'),
  '/refused': 'Refused',
  '/hang': as('x/y', 'hang'),
  '/exit': as('x/y', 'exit'),
  '/from-feed': 'F',
  '/from-pdf': 'P',
  '/from-handler': 'H',
};

let site: Sites;
beforeAll(async () => {
  site = await Sites.start({
    '*': (target) => (target === '/' ? links(...Object.keys(SITE).slice(0, -3)) : SITE[target]),
  });
});
afterAll(async () => {
  await site.stop();
  removeScratches();
});

test('each type gives its text, links and facts; what cannot be read costs its own page only', async () => {
  const dir = scratch();
  // a config file with functions; shortened: 30 s for a document
  const config = join(scratch(), 'my.config.mjs');
  writeFileSync(
    config,
    `export default {
      document: { time: '2s' },
      handlers: { 'x/y': ${JSON.stringify(handler)}, 'X/Z': ({ bytes }) => ({ text: 'a function has ' + Buffer.from(bytes) }) },
      hooks: { fetch: ({ url }) => !url.endsWith('/refused'), outcome: ({ url, code }) => globalThis.outcomes.set(url, code) },
      score: ({ url }) => { globalThis.scored.add(url); return 2; },
    };`,
  );
  const [outcomes, scored] = [new Map<string, string>(), new Set<string>()];
  Object.assign(globalThis, { outcomes, scored });
  const url = (path: string): string => site.url('127.0.0.1', path);
  const common = [
    '--dir',
    dir,
    '--config',
    config,
    '--delay',
    '0',
    '--patience',
    '20s',
    '--allow-private',
    '127.0.0.0/8',
  ];
  const { code, summary, err } = await crawl([url('/'), ...common]);
  expect(code, err).toBe(0);
  expect(summary).toMatchObject({ pending: 0, deadLetters: 1, errors: { 'body.type': 1 } });
  expect([outcomes.get(url('/refused')), outcomes.get(url('/mine'))]).toEqual(['guard.hook', 'ok']);
  expect(scored).toContain(url('/mine'));

  const { out } = await saunter(['export', '--dir', dir]);
  const pages = new Map(out.trim().split('\n').map((line) => [JSON.parse(line).url as string, JSON.parse(line) as ExportedPage])); // biome-ignore format: short
  const page = (path: string) => pages.get(url(path));
  expect(page('/page.xhtml')).toMatchObject({ title: 'X', text: 'In XHTML' });
  expect(page('/plain.txt')).toMatchObject({ text: 'Größe', charset: 'windows-1252' });
  expect(page('/feed')).toMatchObject({ title: 'Feed', text: 'Feed\nEntry', aiPreferences: ['noai'] });
  expect(page('/feed.html')).toMatchObject({ text: '', duplicateOf: url('/feed') });
  expect(page('/data.json')).toMatchObject({ title: 'Data', text: 'Data\nsome\nwords', aiPreferences: ['content-usage: train-ai=n'] }); // biome-ignore format: short
  expect(page('/paper.pdf')).toMatchObject({ title: 'Paper', text: 'In a PDF', fields: { author: 'Ada', pages: '1' } });
  expect(page('/packed.pdf')).toMatchObject({ text: 'Packed' });
  expect(page('/lying.html')).toMatchObject({ text: 'Called HTML', contentType: 'text/html' });
  expect(page('/untyped')).toMatchObject({ title: 'Untyped', text: 'No type at all', contentType: '' });
  expect(page('/picture.html')).toMatchObject({ text: '', charset: '' });
  expect(page('/broken.pdf')).toMatchObject({ text: '', fields: { error: expect.any(String) } });
  expect(page('/mine')).toMatchObject({ title: 'handled', text: 'words of mine', fields: { url: url('/mine') } });
  expect(page('/function')).toMatchObject({ text: 'a function has words' });
  expect(page('/hang')).toMatchObject({ text: '', fields: { error: 'its reader needed more than 2 s' } });
  expect(page('/exit')).toMatchObject({ text: '', fields: { error: 'its reader ended' } });
  for (const path of ['/from-feed', '/from-pdf', '/from-handler']) expect(page(path)?.status).toBe(200);
  for (const path of ['/hidden.pdf', '/picture.png']) expect(page(path)).toBeUndefined();
  expect(JSON.parse((await saunter(['verify', '--dir', dir, '--json'])).out)).toMatchObject({ ok: true });
}, 60_000);

test('a handler that is not there is said before anything is fetched', async () => {
  const config = configFile({ handlers: ['x/y=./not-there.js'] });
  const { code, err } = await saunter([
    'crawl',
    site.url('127.0.0.1'),
    '--dir',
    scratch(),
    '--config',
    config,
    '--delay',
    '0',
  ]);
  expect(code).toBe(2);
  expect(err).toContain('x/y=./not-there.js names no file');
});
