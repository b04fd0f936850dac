import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type DemoCrawlSummary, demoReport, startDemoWeb } from '../../src/sim/demo.js';
import { type LoggedRequest, summarizeLog } from '../../src/sim/server-log.js';

const summary: DemoCrawlSummary = {
  ...{ pages: 1234, requests: 1500, bytes: 5e6, duplicates: 38, nearDuplicates: 1, hosts: 49, known: 2000 },
  ...{
    waiting: { robots: { urls: 2 } },
    robotsDenied: 57,
    rejected: { depth: 2, scope: 9, nofollow: 6 },
    seconds: 21.34,
  },
  pagesPerSecond: 57.8,
};
const request = (arrived: number, kind: LoggedRequest['kind']): LoggedRequest => ({
  ...{ host: 'a.test', address: '127.64.0.1', target: '/', kind, arrived, ended: arrived + 10, status: 200, bytes: 1 },
});
const log = summarizeLog([request(0, 'robots'), request(120, 'page'), request(260, 'trap')]);

test('the report gives the figures of the crawl and what the server saw', () => {
  const report = demoReport(summary, log, 'saunter-demo', 100);
  for (const words of [
    '1,234 in 21.3 s; 49 host names were met',
    '38 exact copies and 1 near-copy; kept once',
    '1 page of endless series fetched before they were left; links refused: 2 too deep',
    '57 URLs, by the rules or for want of a readable robots.txt; none was asked for',
    'robots 2 (nothing of a host',
    '110.0 ms, on a.test; the delay was 100 ms: kept',
    join('saunter-demo', 'warc'),
    'saunter verify --dir saunter-demo',
  ]) {
    expect(report).toContain(words);
  }
  expect(report).not.toMatch(/scope|nofollow/);
});

test('the report does not hide a broken delay or a forbidden request', () => {
  const bad = summarizeLog([request(0, 'page'), request(109, 'forbidden')]);
  expect(demoReport(summary, bad, 'd', 100)).toContain('99.0 ms, on a.test; the delay was 100 ms: BROKEN');
  expect(demoReport(summary, bad, 'd', 100)).toContain('AND 1 forbidden URL WAS ASKED FOR');
});

test.each([
  [['--help'], 0, /^A synthetic web.*Usage: .*--latency/s, /^$/],
  [['--prot', '80'], 2, /^$/, /^Unknown option '--prot'.* See node dist\/sim\/server-main\.js --help\.\n$/s],
  [['--web', 'wide'], 2, /^$/, /^There is no web "wide": give one of demo, traps, kill, bench, pool\. See /],
])('the server as a program answers %j with %d, in words', (args, code, out, err) => {
  const program = fileURLToPath(new URL('../../dist/sim/server-main.js', import.meta.url));
  const ran = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8', timeout: 20_000 });
  expect([ran.status, ran.stdout, ran.stderr]).toEqual([code, expect.stringMatching(out), expect.stringMatching(err)]);
});

test('the demo web starts in a process of its own, and its log comes back when it stops', async () => {
  const program = fileURLToPath(new URL('../../dist/sim/server-main.js', import.meta.url));
  const web = await startDemoWeb({ program });
  expect(web.seeds).toHaveLength(1);
  expect(web.hosts).toBeGreaterThanOrEqual(40);
  expect(await web.stop()).toMatchObject({ requests: 0, tightestHost: null });
});
