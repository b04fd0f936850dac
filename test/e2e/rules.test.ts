/** The operator's own rules (`rules` of a config file), on the whole program. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { DnsServer } from '../support/dns-server.js';
import { crawl, removeScratches, saunter, scratch } from '../support/saunter.js';
import { links, Sites } from '../support/sites.js';

let site: Sites;
let dns: DnsServer | undefined;
afterEach(async () => {
  await dns?.stop();
  dns = undefined;
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

test('a content type that is rejected is not read: its head is archived, and the page is no failure', async () => {
  const SIZE = 3_000_000;
  const pdf = { headers: { 'Content-Type': 'application/pdf' }, body: Buffer.alloc(SIZE, '%PDF-1.4 ') };
  site = await Sites.start({
    'a.test': (target) => {
      if (target === '/') return links('/1.pdf', '/keep/2.pdf', '/3', '/4');
      if (target.endsWith('.pdf')) return { ...pdf, status: 200 };
      if (target === '/4') return { ...pdf, status: 404 };
      return target === '/robots.txt' ? { status: 404 } : target;
    },
  });
  const dir = scratch();
  const config = configFile('c.yaml', '{ accept: { prefix: "http://a.test:PORT/keep" } }'.replace('PORT', String(site.port)), '{ reject: { contentType: application/* } }'); // biome-ignore format: one line
  const { code, summary } = await crawl([site.url('a.test'), ...flags(dir, config)]);
  expect(fetched('a.test')).toEqual(['/', '/1.pdf', '/3', '/4', '/keep/2.pdf']);
  expect([code, summary.errors, summary.deadLetters]).toEqual([0, { 'body.refused': 1, 'http.gone': 1 }, 0]);
  expect(summary.pages).toBe(3);
  // of the three with such a body, one was read
  expect(summary.bytes).toBeGreaterThan(SIZE);
  expect(summary.bytes).toBeLessThan(1.5 * SIZE);
  expect(JSON.parse((await saunter(['verify', '--dir', dir, '--json'])).out)).toMatchObject({ ok: true });
}, 60_000);

test('addresses of a family that is rejected are not connected to, unless their host is accepted before', async () => {
  const names = { a: ['127.0.0.1'], aaaa: ['::1'] };
  dns = await DnsServer.start({ 'both.test': names, 'six.test': { aaaa: ['::1'] }, 'kept.test': { aaaa: ['::1'] } });
  site = await Sites.start(
    {
      'both.test': (target) => (target === '/' ? links(site.url('six.test'), site.url('kept.test')) : { status: 404 }),
      'six.test': () => 'nobody should see this',
      'kept.test': (target) => (target === '/' ? 'kept' : { status: 404 }),
    },
    ['127.0.0.1', '::1'],
  );
  const run = async (family: number) => {
    const config = configFile('c.yaml', '{ accept: { host: kept.test } }', `{ reject: { addressFamily: ${family} } }`);
    const dir = scratch();
    const { summary } = await crawl([
      ...[site.url('both.test'), '--dir', dir, '--delay', '0', '--patience', '1s', '--scope', 'any'],
      ...['--allow-private', '127.0.0.0/8', '--allow-private', '::1/128', '--dns', dns!.address, '--config', config],
    ]);
    const { out } = await saunter(['list', 'dead', '--dir', dir, '--json']);
    return { summary, dead: out };
  };
  const six = await run(6);
  expect([six.summary.pages, six.summary.deadLetters, six.summary.errors]).toEqual([2, 1, { 'guard.family': 1 }]);
  expect(six.dead).toContain('"guard.family"');
  expect(site.log.map(({ host, address }) => `${host} ${address}`)).not.toContain('six.test ::1');
  expect(new Set(site.log.map(({ host, address }) => `${host} ${address}`))).toEqual(
    new Set(['both.test 127.0.0.1', 'kept.test ::1']),
  );
  site.log.length = 0;
  expect((await run(4)).summary.pages).toBe(3);
  expect(new Set(site.log.map(({ address }) => address))).toEqual(new Set(['::1']));
}, 60_000);
