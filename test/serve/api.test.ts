/** The HTTP API on a crawl that runs: what it answers, to whom, and that it never breaks. */
import { request as rawRequest } from 'node:http';
import fc from 'fast-check';
import { type Document, OpenAPIClientAxios } from 'openapi-client-axios';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { METRICS } from '../../src/serve/metrics.js';
import { removeScratches, saunter, start } from '../support/saunter.js';
import { posted, type RunningCrawl, runningCrawl, TOKEN, until } from './running-crawl.js';

let crawl: RunningCrawl;
beforeAll(async () => {
  crawl = await runningCrawl();
}, 30_000);
afterAll(async () => {
  await crawl.stop();
  removeScratches();
});

interface Spec {
  openapi: string;
  paths: Record<string, Record<string, { operationId: string; security?: unknown[]; requestBody?: unknown }>>;
}
const specOf = (): Promise<Spec> => crawl.json<Spec>('/openapi.json');

/** Every operation: method, path with its parameters filled in, whether it needs the token. */
async function operations() {
  const { paths } = await specOf();
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: path.replace('{host}', 'well.test').replace('{visit}', '0'),
      isOpen: operation.security === undefined,
      hasBody: operation.requestBody !== undefined,
    })),
  );
}

/** A request with headers that `fetch` would not send. */
function raw(path: string, headers: Record<string, string>, method = 'GET'): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const request = rawRequest(crawl.url + path, { method, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => resolve({ status: response.statusCode!, body }));
    });
    request.on('error', reject);
    request.end();
  });
}

describe('access', () => {
  test('whatever changes or shows the crawl needs the token; a wrong one is none', async () => {
    for (const { method, path, isOpen } of await operations()) {
      for (const headers of [{}, { Authorization: 'Bearer wrong' }, { Authorization: `Basic ${TOKEN}` }] as Record<
        string,
        string
      >[]) {
        const response = await fetch(crawl.url + path, { method, headers });
        await response.body?.cancel();
        expect([method, path, response.status]).toEqual([method, path, isOpen ? 200 : 401]);
      }
    }
  });

  test('a host name that means this machine by somebody else’s will is refused, with the token too', async () => {
    const headers = { Authorization: `Bearer ${TOKEN}`, Host: 'rebound.example' };
    const { status, body } = await raw('/crawl/stats', headers);
    expect(status).toBe(421);
    expect(body).toContain('rebound.example');
    expect((await raw('/healthz', { Host: 'localhost' })).status).toBe(200);
  });

  test('pages of other sites are refused, with the token too', async () => {
    const token = { Authorization: `Bearer ${TOKEN}` };
    expect((await raw('/crawl/pause', { ...token, Origin: 'https://evil.example' }, 'POST')).status).toBe(403);
    expect((await raw('/crawl/stats', { ...token, 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    expect((await raw('/crawl/stats', { ...token, Origin: crawl.url })).status).toBe(200);
  });

  test('a token that can be guessed is refused before the crawl begins', async () => {
    const args = [
      'crawl',
      crawl.site.url('well.test'),
      '--dir',
      `${crawl.dir}-short`,
      '--allow-private',
      '127.0.0.0/8',
      '--admin',
      '1',
    ];
    const { over } = start([...args, '--resolve', '*.test=127.83.0.0/16'], {
      env: { ...process.env, SAUNTER_TOKEN: 'short' },
    });
    const { code, err } = await over;
    expect(err).toContain('SAUNTER_TOKEN must have at least 16 characters');
    expect(code).toBe(2);
  });

  test('a port that is taken is named', async () => {
    const port = new URL(crawl.url).port;
    const args = [
      'crawl',
      crawl.site.url('well.test'),
      '--dir',
      `${crawl.dir}-other`,
      '--allow-private',
      '127.0.0.0/8',
    ];
    const { code, err } = await start([...args, '--resolve', '*.test=127.83.0.0/16', '--admin', port]).over;
    expect(err).toContain(`Port ${port} of 127.0.0.1 is taken`);
    expect(code).toBe(1);
  });
});

describe('bad requests', () => {
  test('what is not as described is answered with a problem that says where', async () => {
    const response = await crawl.ask('/crawl/seeds', posted({ urls: [], priority: 9 }));
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    const { status, detail, errors } = (await response.json()) as {
      status: number;
      detail: string;
      errors: { at: string }[];
    };
    expect(status).toBe(400);
    expect(errors.map(({ at }) => at).sort()).toEqual(['priority', 'urls']);
    expect(detail).toContain('urls');
  });

  test('no JSON, another type, an unknown path, an unknown host: each is told', async () => {
    const type = { 'Content-Type': 'application/json' };
    expect((await crawl.ask('/crawl/seeds', { method: 'POST', headers: type, body: '{' })).status).toBe(400);
    for (const path of ['/crawl/seeds', '/dead-letters/retry']) {
      expect((await crawl.ask(path, { method: 'POST' })).status).toBe(415);
    }
    expect((await crawl.ask('/events', { method: 'HEAD' })).status).toBe(405);
    expect((await crawl.ask('/crawl/blocklist', posted({ host: 'a b', reason: 'x' }))).status).toBe(400);
    expect((await crawl.ask('/crawl/blocklist', posted({ host: 'a.test', for: 'long' }))).status).toBe(400);
    expect((await crawl.ask('/crawl/blocklist', posted({ host: 'never.met.test' }, 'DELETE'))).status).toBe(404);
    for (const path of [
      '/nothing',
      '/hosts/never.met.test',
      '/pages/99999999/text',
      '/assets/..%2f..%2fpackage.json',
      '/assets/none.js',
    ]) {
      const response = await crawl.ask(path);
      expect([path, response.status]).toEqual([path, 404]);
      expect(((await response.json()) as { detail: string }).detail).not.toBe('');
    }
  });

  test('a body over the limit is refused before it is read', async () => {
    const urls = ['http://well.test/'.padEnd(5_000_000, 'x')];
    const response = await crawl.ask('/crawl/seeds', posted({ urls }));
    expect(response.status).toBe(413);
  });

  test('no generated request is answered with a fault of ours', async () => {
    const all = (await operations()).filter(({ path }) => path !== '/events' && !path.startsWith('/crawl/pause'));
    const value = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.constant(null),
      fc.array(fc.string(), { maxLength: 3 }),
      fc.constantFrom('well.test', 'http://well.test/1', -1, 1e300),
    );
    const body = fc.oneof(
      fc.dictionary(fc.constantFrom('urls', 'host', 'reason', 'url', 'priority', '__proto__', 'x'), value),
      value,
    );
    const query = fc.dictionary(
      fc.constantFrom('sort', 'order', 'search', 'offset', 'limit', 'after', 'dropped'),
      fc.oneof(fc.string(), fc.integer().map(String)),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...all),
        body,
        query,
        fc.string(),
        async ({ method, path, hasBody }, json, parameters, piece) => {
          const where = path.replace('well.test', encodeURIComponent(piece) || 'x');
          const init = hasBody ? posted(json, method) : { method };
          const response = await crawl.ask(`${where}?${new URLSearchParams(parameters)}`, init);
          await response.arrayBuffer();
          expect(response.status).toBeLessThan(500);
        },
      ),
      { numRuns: 150 },
    );
    await crawl.ask('/crawl/blocklist', posted({ host: 'well.test' }, 'DELETE'));
    await crawl.ask('/dead-letters/restore', posted({}));
    await crawl.ask('/crawl/resume', { method: 'POST' });
  });
});

describe('looking', () => {
  test('the figures are those of the crawl, and move', async () => {
    const before = await crawl.json<{ pages: number; state: string; urls: { known: number } }>('/crawl/stats');
    expect(before.state).toBe('running');
    await until(async () => (await crawl.json<{ pages: number }>('/crawl/stats')).pages > before.pages + 3);
    const { samples } = await crawl.json<{ samples: { at: number }[] }>('/crawl/history');
    expect(samples.length).toBeGreaterThan(0);
  });

  test('hosts are sorted, searched and paged by the server', async () => {
    const list = (query: string) =>
      crawl.json<{ total: number; hosts: { host: string; requests: number }[] }>(`/hosts?${query}`);
    const all = await list('sort=name');
    expect(all.hosts.map(({ host }) => host)).toEqual([...all.hosts.map(({ host }) => host)].sort());
    expect((await list('sort=name&order=desc')).hosts[0].host).toBe('well.test');
    expect((await list('sort=name&search=TITLE')).hosts.map(({ host }) => host)).toEqual(['titles.test']);
    const second = await list('sort=name&offset=1&limit=1');
    expect([second.total, second.hosts.length]).toEqual([all.total, 1]);
    expect(second.hosts[0].host).toBe(all.hosts[1].host);
    const requests = (await list('sort=requests')).hosts.map((host) => host.requests);
    expect(requests).toEqual([...requests].sort((a, b) => b - a));
  });

  test('a host tells why it waits and what was asked of it', async () => {
    type Page = {
      host: string;
      address: string;
      robots: { verdict: string }[];
      recent: { url: string; code: string }[];
    };
    const host = await crawl.json<Page>('/hosts/well.test');
    expect(host.address).toMatch(/^127\.83\./);
    expect(host.robots[0].verdict).toBe('allow');
    expect(host.recent.length).toBeGreaterThan(2);
    const asked = new Set(crawl.site.asked('well.test', true).map((target) => crawl.site.url('well.test', target)));
    for (const { url } of host.recent) expect(asked).toContain(url);
  });

  test('pages come with the text that was taken from them', async () => {
    const { pages } = await crawl.json<{ pages: { visit: number; url: string; hasText: boolean }[] }>('/pages');
    const page = pages.find(({ url, hasText }) => hasText && url.includes('well.test'))!;
    const { text, url } = await crawl.json<{ text: string; url: string }>(`/pages/${page.visit}/text`);
    expect(url).toBe(page.url);
    expect(text).toContain('Water');
  });

  test('dead letters have their history, and another chance', async () => {
    type Letters = { letters: { place: number; url: string; code: string; history: unknown[] }[]; next: number | null };
    await until(async () => (await crawl.json<Letters>('/dead-letters')).letters.length > 0);
    const { letters } = await crawl.json<Letters>('/dead-letters?limit=1');
    expect(letters[0]).toMatchObject({ url: crawl.site.url('gone.test', '/nothing'), code: 'http.server' });
    expect(letters[0].history).toHaveLength(2);
    type Answer = { changed: number };
    const { url } = letters[0];
    const listed = async (dropped: boolean): Promise<number> =>
      (await crawl.json<Letters>(`/dead-letters?dropped=${dropped}`)).letters.length;
    expect(await crawl.json<Answer>('/dead-letters/drop', posted({ url }))).toMatchObject({ changed: 1 });
    expect(await crawl.json<Answer>('/dead-letters/drop', posted({ url }))).toMatchObject({ changed: 0 });
    expect([await listed(false), await listed(true)]).toEqual([0, 1]);
    expect(await crawl.json('/crawl/stats')).toMatchObject({ deadLetters: 0 });
    expect(await crawl.json<Answer>('/dead-letters/restore', posted({ host: 'gone.test' }))).toMatchObject({
      changed: 1,
    });
    expect([await listed(false), await listed(true)]).toEqual([1, 0]);
    const before = crawl.site.asked('gone.test').length;
    const { changed } = await crawl.json<{ changed: number }>('/dead-letters/retry', posted({ url }));
    expect(changed).toBe(1);
    await until(() => crawl.site.asked('gone.test').length > before);
  });

  test('events carry the figures and the requests', async () => {
    const control = new AbortController();
    const response = await crawl.ask('/events', { signal: control.signal });
    const reader = response.body!.getReader();
    let text = '';
    while (!/event: requests\ndata: .*\n\n/.test(text)) text += new TextDecoder().decode((await reader.read()).value);
    control.abort();
    const [, stats] = /event: stats\ndata: (.*)\n\n/.exec(text)!;
    expect(JSON.parse(stats)).toHaveProperty('pagesPerSecond');
  });

  test('the metrics are in the text format, and each is told of', async () => {
    const lines = (await (await crawl.ask('/metrics')).text()).trimEnd().split('\n');
    for (const line of lines)
      expect(line).toMatch(/^(?:# (?:HELP|TYPE) saunter_\w+ \S.*|saunter_\w+(?:\{\w+="[^"\n]*"\})? -?[\d.e+-]+)$/);
    for (const { name } of METRICS) expect(lines.some((line) => line.startsWith(`# TYPE ${name} `))).toBe(true);
    expect(lines.some((line) => /^saunter_pages_total [1-9]/.test(line))).toBe(true);
  });
});

describe('steering', () => {
  test('a client generated from the description blocks a host: its requests stop, and come again', async () => {
    const definition = (await specOf()) as unknown as Document;
    const api = new OpenAPIClientAxios({ definition, withServer: { url: crawl.url } });
    const client = await api.init<import('openapi-client-axios').OpenAPIClient>();
    client.defaults.headers.common.Authorization = `Bearer ${TOKEN}`;
    const { data } = await client.blockHost(undefined, { host: 'well.test', reason: 'its owner asked' });
    expect(data).toMatchObject({ subject: 'well.test', changed: 1 });
    expect((await client.blockHost(undefined, { host: 'well.test', reason: 'again' })).data.changed).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 300)); // one in flight may end
    const asked = crawl.site.asked('well.test').length;
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(crawl.site.asked('well.test').length).toBe(asked);
    expect((await client.host({ host: 'well.test' })).data).toMatchObject({
      state: 'blocked',
      block: { reason: 'its owner asked', until: null },
    });
    const { data: list } = await client.blocklist({ limit: 1 });
    expect(list).toMatchObject({ total: 1, hosts: [{ host: 'well.test', reason: 'its owner asked', until: null }] });
    expect((await client.blocklist({ search: 'other' })).data).toEqual({ total: 0, hosts: [] });
    await client.unblockHost(undefined, { host: 'well.test' });
    expect((await client.blocklist()).data.total).toBe(0);
    await until(() => crawl.site.asked('well.test').length > asked);
  });

  test('seeds at addresses that the crawl may not reach are refused at once, with the reason', async () => {
    const urls = ['http://10.0.0.1/', 'http://[::1]:8080/', 'http://2130706433:8080/'];
    const { seeds } = await crawl.json<{ seeds: { outcome: string; reason: string }[] }>(
      '/crawl/seeds',
      posted({ urls }),
    );
    expect(seeds.slice(0, 2).map(({ outcome, reason }) => `${outcome}: ${reason}`)).toEqual([
      'refused: 10.0.0.1 is a private address, which only a crawl begun with --allow-private reaches',
      'refused: ::1 is a loopback address, which only a crawl begun with --allow-private reaches',
    ]);
    expect(seeds[2].outcome).toBe('admitted'); // 127.0.0.1, in the range that was opened
  });

  test('a paused crawl asks nothing, does not end, and goes on', async () => {
    expect(await crawl.json('/crawl/pause', { method: 'POST' })).toEqual({ state: 'paused' });
    await new Promise((resolve) => setTimeout(resolve, 300));
    const asked = crawl.site.log.length;
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(crawl.site.log.length).toBe(asked);
    expect(await crawl.json('/crawl/stats')).toMatchObject({ state: 'paused' });
    expect(await crawl.json('/crawl/resume', { method: 'POST' })).toEqual({ state: 'running' });
    await until(() => crawl.site.log.length > asked);
  });

  test('seeds are durable when they are answered: a crawl killed then knows them', async () => {
    const url = crawl.site.url('late.test');
    const answer = await crawl.json<{ admitted: number; seeds: unknown[] }>(
      '/crawl/seeds',
      posted({ urls: [url, 'mailto:a@b', url] }),
    );
    crawl.running.child.kill('SIGKILL');
    expect(answer).toMatchObject({ admitted: 1, known: 1, refused: 1 });
    expect(answer.seeds[1]).toEqual({ url: 'mailto:a@b', outcome: 'refused', reason: expect.any(String) });
    await crawl.running.over;
    const { out } = await saunter(['list', 'urls', '--dir', crawl.dir]);
    expect(out).toContain(url);
  });
});
