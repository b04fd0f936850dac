/** The log and the traces of a crawl: what becomes of each URL, told to whoever asked for it and to nobody else. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pinnedAddress } from '../../src/fetch/pins.js';
import { afterBegin, configFile, removeScratches, scratch, start } from '../support/saunter.js';
import { links, Sites } from '../support/sites.js';
import { until } from './running-crawl.js';

interface Line {
  level: string;
  event: string;
  time: number;
  url: string;
  code: string;
  status: number;
  request: number;
  attempts: number;
}

interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  events: { name: string; timeUnixNano: string }[];
  status: { code: number };
}

/** A receiver of traces. While it is deaf it takes requests and never answers. */
const spans: OtlpSpan[] = [];
let isDeaf = false;
const receiver: Server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (text: string) => {
    body += text;
  });
  request.on('end', () => {
    if (isDeaf) return;
    const { resourceSpans } = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[] };
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
    response.end('{}');
  });
});

let site: Sites;
/** The last page of `well.test`. */
let last = 6;

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const hosts = ['well.test', 'gone.test'];
  site = await Sites.start(
    {
      'well.test': (target) => {
        const n = Number(/^\/(\d*)$/.exec(target)?.[1] ?? -1);
        return n < 0 || n > last ? undefined : `${n} ${links(`/${n + 1}`, site.url('gone.test'), '/secret/')}`;
      },
      'gone.test': (target) => (target === '/robots.txt' ? undefined : { status: 500 }),
    },
    hosts.map((host) => pinnedAddress(host, '127.85.0.0/16')),
  );
});
afterAll(async () => {
  receiver.closeAllConnections();
  receiver.close();
  await site.stop();
  removeScratches();
});

/** The retry ladder is shortened, so that there is a dead letter. */
const command = (log: string, delay: string, options: Record<string, string> = {}): string[] => [
  ...['crawl', site.url('well.test'), '--json', '--dir', scratch(), '--log', log, '--delay', delay, '--workers', '1'],
  ...['--scope', 'any', '--allow-private', '127.0.0.0/8', '--resolve', '*.test=127.85.0.0/16', '--patience', '1s'],
  ...['--max-depth', '10000'],
  ...['--config', configFile({ 'retry.ladder': ['20ms'], 'politeness.factor': 0, ...options })],
];

const linesOf = (text: string): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

/** Where traces go, and of all URLs. */
const traced = (): Record<string, string> => ({
  'trace.endpoint': `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/v1/traces`,
  'trace.share': '100%',
});

test('standard error has a line for each request and each URL given up; standard output has the summary alone', async () => {
  const { out, err, code } = await start(command('-', '10ms', traced())).over;
  expect([code, code === 0 ? '' : err]).toEqual([0, '']);
  const { requests } = JSON.parse(out) as { requests: number };
  const lines = linesOf(err);
  expect([lines[0].event, lines.at(-1)!.event]).toEqual(['begin', 'end']);
  const made = lines.filter(({ event }) => event === 'request');
  expect(made.map(({ request }) => request)).toEqual(Array.from({ length: requests }, (_, i) => i));
  expect(made.map(({ url }) => url).sort()).toEqual(site.log.map(({ host, target }) => site.url(host, target)).sort());
  expect(made.find(({ url }) => url === site.url('well.test', '/1'))).toMatchObject({
    ...{ level: 'info', host: 'well.test', kind: 'page', code: 'ok', status: 200 },
    ...{ bytes: expect.any(Number), ms: expect.any(Number), urlId: expect.any(Number), visit: expect.any(Number) },
  });
  const failed = { level: 'warn', url: site.url('gone.test'), code: 'http.server', status: 500 };
  expect(made.filter(({ status }) => status === 500)).toMatchObject([failed, failed]);
  const dead = lines.filter(({ event }) => event === 'dead');
  expect(dead).toMatchObject([{ level: 'error', url: site.url('gone.test'), code: 'http.server', attempts: 2 }]);
}, 20_000);

test('the same crawl is traced: each URL has one trace, from its admission to its end', () => {
  const attribute = (span: OtlpSpan, key: string): unknown =>
    Object.values(span.attributes.find((given) => given.key === key)?.value ?? {})[0];
  const traceOf = (target: string, host = 'well.test'): OtlpSpan[] => {
    const admitted = spans.find(
      (span) => span.name === 'admitted' && attribute(span, 'url.full') === site.url(host, target),
    )!;
    return spans.filter(({ traceId }) => traceId === admitted.traceId);
  };
  const [admitted, visit, request] = traceOf('/1');
  expect([admitted, visit, request].map(({ name }) => name)).toEqual(['admitted', 'visit', 'request']);
  expect([admitted.traceId, visit.spanId]).toEqual([
    expect.stringMatching(/^[0-9a-f]{32}$/),
    expect.stringMatching(/^[0-9a-f]{16}$/),
  ]);
  expect(request.parentSpanId).toBe(visit.spanId);
  expect(visit.events.map(({ name }) => name)).toEqual(['leased', 'fetched', 'settled', 'committed']);
  const times = [visit.startTimeUnixNano, ...visit.events.map(({ timeUnixNano }) => timeUnixNano)].map(BigInt);
  expect(times).toEqual([...times].sort((a, b) => (a < b ? -1 : 1)));
  expect(attribute(request, 'http.response.status_code')).toBe('200');
  const lost = traceOf('/', 'gone.test');
  expect(lost.map(({ name, status }) => `${name} ${status.code}`)).toEqual([
    'admitted 1',
    ...['visit 2', 'request 2', 'visit 2', 'request 2'],
    'dead 2',
  ]);
  // nothing of robots.txt, which is no URL of the crawl, and nothing twice
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
});

test('a file goes on at a higher level, and is opened anew on SIGHUP: what came before stays where it was moved', async () => {
  last = 1e6;
  const path = join(scratch(), 'log');
  const running = start(command(path, '10ms'));
  await until(() => read(path).length > 3);
  renameSync(path, `${path}.1`);
  running.child.kill('SIGHUP');
  await until(() => read(path).length > 3);
  running.child.kill('SIGINT');
  await running.over;
  const requests = [...read(`${path}.1`), ...read(path)].filter(({ event }) => event === 'request');
  expect(requests.map(({ request }) => request)).toEqual(requests.map((_, i) => i));

  last = 3;
  isDeaf = true; // a receiver that takes traces and never answers costs the crawl nothing
  const told = await start(command(path, '10ms', { 'log.level': 'error', ...traced() })).over;
  expect([told.code, JSON.parse(told.out)]).toMatchObject([0, { pages: last + 1 }]);
  const added = read(path).slice(-2);
  expect(added.map(({ event, level }) => `${level} ${event}`)).toEqual(['info end', 'error dead']);
}, 30_000);

test('a log that cannot be written is refused before anything is fetched', async () => {
  const asked = site.log.length;
  const { code, err } = await start(command(join(scratch(), 'none', 'log'), '10ms')).over;
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(/^The log .*none\/log cannot be written: there is no folder /),
  ]);
  const pipe = join(scratch(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const unread = await start(command(pipe, '10ms')).over;
  expect([unread.code, unread.err]).toEqual([2, expect.stringMatching(/^The log .* nobody reads from it yet/)]);
  expect(site.log).toHaveLength(asked);
});

test.runIf(existsSync('/dev/full'))(
  'a full disk ends the log, and neither the crawl nor its end',
  async () => {
    const { code, out, err } = await start(command('/dev/full', '10ms')).over;
    expect([code, JSON.parse(out)]).toMatchObject([0, { pages: last + 1 }]);
    expect(afterBegin(err)).toMatch(/^The log \/dev\/full cannot be written any more.*ENOSPC/);
  },
  20_000,
);

test.runIf(existsSync('/dev/full'))(
  'a log that broke goes on after SIGHUP once it can be written again',
  async () => {
    last = 1e6;
    const path = join(scratch(), 'log');
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync('/dev/full', path);
    const running = start(command(path, '10ms'));
    let said = '';
    running.child.stderr!.on('data', (text) => {
      said += text;
    });
    await until(() => said.includes('cannot be written any more'));
    running.child.kill('SIGHUP'); // the disk is full still: it is told of again, and the crawl goes on
    await until(() => said.split('cannot be written any more').length === 3);
    const asked = site.log.length;
    await until(() => site.log.length > asked + 50); // some commits long nobody hears of
    rmSync(path);
    running.child.kill('SIGHUP');
    const after = (): Line[] => {
      const all = read(path);
      const lost = all.findIndex(({ event }) => event === 'lost');
      return lost < 0 ? [] : all.slice(lost).filter(({ event }) => event === 'request');
    };
    await until(() => after().length > 5);
    running.child.kill('SIGINT');
    const { code, err } = await running.over;
    last = 3;
    expect([code, err.match(/cannot be written any more/g)]).toEqual([
      130,
      Array(2).fill('cannot be written any more'),
    ]);
    const lines = read(path);
    expect(lines.at(-1)!.event).toBe('end');
    // what waited is there, what came while it was broken is counted, and from then on every line is there
    const at = lines.findIndex(({ event }) => event === 'lost');
    expect(lines[at]).toMatchObject({ level: 'warn', lines: expect.any(Number) });
    const made = lines
      .slice(at)
      .filter(({ event }) => event === 'request')
      .map(({ request }) => request);
    expect(made).toEqual(made.map((_, i) => made[0] + i));
    expect([lines[0].event, at > 0, made[0] > 0]).toEqual(['begin', true, true]);
  },
  30_000,
);

/** Whole lines of a file; none if it is not there (yet). */
function read(path: string): Line[] {
  try {
    const text = readFileSync(path, 'utf8');
    return text === '' ? [] : linesOf(text.slice(0, text.lastIndexOf('\n')));
  } catch {
    return [];
  }
}
