/** The operator's own rules (`rules` of a config file), on the whole program. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { crawl, removeScratches, saunter, scratch } from '../support/saunter.js';
import { links, Sites } from '../support/sites.js';

let site: Sites;
afterEach(async () => {
  await site?.stop();
  removeScratches();
});

const flags = (dir: string, config: string, ...more: string[]): string[] => [
  ...['--dir', dir, '--delay', '0', '--patience', '1s', '--allow-private', '127.0.0.0/8'],
  ...['--resolve', '*.test=127.0.0.1', '--config', config, ...more],
];

/** A config file of these lines; returns its path. */
function configFile(name: string, ...lines: string[]): string {
  const path = join(scratch(), name);
  writeFileSync(path, `rules:\n${lines.map((line) => `  - ${line}\n`).join('')}`);
  return path;
}

const fetched = (host: string) => site.asked(host).filter((target) => target !== '/robots.txt').sort(); // biome-ignore format: short

test('the first that a URL meets decides; what meets none goes on to exclude and scope; more open ones find links again', async () => {
  const front = () =>
    links(
      ...['/a', '/print/1', '/keep/print/2', '/x.zip', '/keep/x.zip'],
      ...[`http://b.test:${site.port}/`, `http://c.test:${site.port}/`, `http://sub.d.test:${site.port}/deep`],
    );
  const server = (target: string) => (target === '/robots.txt' ? { status: 404 } : target);
  site = await Sites.start({
    'a.test': (target) => (target === '/' ? front() : server(target)),
    'b.test': server,
    'c.test': server,
    'sub.d.test': server,
  });
  const dir = scratch();
  const rules = [
    '{ accept: { glob: "*/keep/*" } }',
    '{ reject: { regexp: "/print/[0-9]+$" } }',
    '{ accept: { host: b.test } }',
  ];
  const first = await crawl([
    site.url('a.test'),
    ...flags(dir, configFile('first.yaml', ...rules), '--exclude', '*.zip'),
  ]);
  expect(fetched('a.test')).toEqual(['/', '/a', '/keep/print/2', '/keep/x.zip']);
  expect([fetched('b.test'), fetched('c.test'), fetched('sub.d.test')]).toEqual([['/'], [], []]);
  expect(first.summary.rejected).toEqual({ rules: 1, exclude: 1, scope: 2 });

  const more = configFile('more.yaml', ...rules, '{ reject: { prefix: "http://a.test/a" } }');
  const narrower = await crawl(flags(dir, more, '--exclude', '*.zip'));
  expect(narrower.err).not.toContain('wider');

  const last = configFile('last.yaml', rules[0], rules[2], '{ accept: { domain: d.test } }');
  const wider = await crawl(flags(dir, last, '--exclude', '*.zip'));
  expect(wider.err).toContain('2 URLs that were refused are known now.');
  expect(fetched('a.test')).toContain('/print/1');
  expect([fetched('c.test'), fetched('sub.d.test')]).toEqual([[], ['/deep']]);
}, 60_000);

test('seeds do not widen a rule that accepts hosts, and are fetched whatever rules say', async () => {
  site = await Sites.start({
    'a.test': (target) => (target === '/' ? links('/a') : target === '/robots.txt' ? { status: 404 } : target),
  });
  const dir = scratch();
  const config = configFile('c.yaml', '{ accept: { host: b.test } }', '{ reject: { host: a.test } }');
  const { summary } = await crawl([site.url('a.test'), ...flags(dir, config)]);
  expect(fetched('a.test')).toEqual(['/']);
  expect(summary.rejected).toEqual({ rules: 1 });
}, 60_000);

test('saunter config shows them, and where they come from', async () => {
  const config = configFile('c.yaml', '{ reject: { regexp: /print/ } }');
  const { out } = await saunter(['config', '--config', config, 'rules']);
  expect(out).toContain(`{"reject":{"regexp":["/print/"]}}  ${config}, line 1`);
  const wrong = configFile('wrong.yaml', '{ reject: { regexp: /print/ } }', '{ reject: { regex: /print/ } }');
  const { err, code } = await saunter(['config', '--config', wrong]);
  expect([code, err]).toEqual([2, expect.stringContaining('line 3) has no condition "regex": the nearest is regexp.')]);
}, 60_000);
