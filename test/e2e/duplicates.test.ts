/** Repeated pages over more than one run: what an earlier run kept is known to the next. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ExportedPage } from '../../src/corpus/pages.js';
import { drawTopic, paragraph } from '../../src/sim/pages.js';
import { randomFor } from '../../src/sim/web-random.js';
import { createVocabulary } from '../../src/sim/web-words.js';
import { configFile, crawl, removeScratches, saunter, scratch } from '../support/saunter.js';
import { Sites } from '../support/sites.js';

const vocabulary = createVocabulary(1, 'latin', 20_000);
const story = (seed: number): string => {
  const random = randomFor(seed, 'story');
  const topic = drawTopic(vocabulary, random);
  return Array.from({ length: 30 }, () => `<p>${paragraph(vocabulary, topic, random, 6)}`).join('\n');
};
const page = (words: string, ...targets: readonly string[]): string =>
  `<!doctype html><title>t</title>${words}${targets.map((to) => `<p><a href="${to}">${to}</a>`).join('')}`;

let site: Sites;
beforeAll(async () => {
  const first = story(1);
  const reprint = first.replace('<p>', '<p>Reprinted. ');
  site = await Sites.start({
    'one.test': (target) => ({ '/': page(first, '/more'), '/more': page(story(2)) })[target],
    'two.test': (target) =>
      ({ '/': page(story(3), '/copy', '/reprint'), '/copy': page(first, '/more'), '/reprint': page(reprint, '/last') })[
        target
      ] ?? (target === '/last' ? page(story(4)) : undefined),
  });
});
afterAll(async () => {
  await site.stop();
  removeScratches();
});

test.each([
  ['drop', 'demote', ['/', '/copy', '/last', '/reprint']],
  ['drop', 'drop', ['/', '/copy', '/reprint']],
  ['follow', 'follow', ['/', '/copy', '/last', '/more', '/reprint']],
])('a second run knows the pages of the first (exact %s, near %s)', async (exact, near, followed) => {
  const dir = join(scratch(), 'crawl');
  const config = configFile({ dedupe: { exact, near } });
  const flags = ['--delay', '0', '--allow-private', '127.0.0.0/8', '--resolve', '*.test=127.0.0.1', '--patience', '0'];
  const run = (host: string) => crawl([site.url(host), '--add', '--dir', dir, '--config', config, ...flags]);
  expect((await run('one.test')).summary).toMatchObject({ pages: 2, duplicates: 0, nearDuplicates: 0 });
  const before = site.log.length;
  const { summary } = await run('two.test');
  expect(summary).toMatchObject({ duplicates: 1, nearDuplicates: 1 });
  const status = await saunter(['status', '--dir', dir]);
  expect(status.out).toMatch(/^duplicates +1 {3}and 1 near-duplicate$/m);
  const { out } = await saunter(['export', '--dir', dir, '--format', 'jsonl', '--host', 'two.test']);
  const pages = out.trimEnd().split('\n').map((line) => JSON.parse(line) as ExportedPage); // biome-ignore format: short
  const repeats = pages.filter(({ duplicateOf }) => duplicateOf !== null);
  expect(repeats.map(({ url, duplicateOf, text }) => [new URL(url).pathname, duplicateOf, text]).sort()).toEqual([
    ['/copy', site.url('one.test'), ''],
    ['/reprint', site.url('one.test'), ''],
  ]);
  const asked = site.log.slice(before).filter(({ target }) => target !== '/robots.txt');
  expect(asked.map(({ target }) => target).sort()).toEqual(followed);
  expect((await saunter(['verify', '--dir', dir])).out).toContain('Everything agrees.');
});
