/** The answers of broken servers, collected from the issue trackers of other clients: what must come of each. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FetchResult, HttpClient } from '../../src/fetch/http.js';
import { type RawServer, rawServer, sleep } from './raw-server.js';

interface Case {
  id: string;
  name: string;
  segments: { b64: string; delay_ms: number }[];
  close: 'fin' | 'rst' | 'keep';
  want: {
    status?: number;
    body?: string;
    to?: string | null;
    wait?: string;
    error?: boolean;
    error_or_truncated?: boolean;
    retry?: boolean;
  };
}

const fixtures = new URL('../fixtures/', import.meta.url);
const cases = readFileSync(new URL('http_raw/cases.jsonl', fixtures), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Case);
const byId = new Map(cases.map((c) => [c.id, c]));

/** The page that every case carries. */
const plain = Buffer.from(cases[0].segments[0].b64, 'base64').toString('latin1');
const PAGE = plain.slice(plain.indexOf('\r\n\r\n') + 4);
const CAPS = { wire: 5 << 20, decoded: 20 << 20, ratio: 200, ratioFrom: 1 << 20, lengthStops: true };

let server: RawServer;
// These servers close without having said so: a connection each.
const client = new HttpClient({
  timeouts: { firstByte: 1000, whole: 2000 },
  maxIdleSockets: 0,
  wall: () => Date.UTC(2026, 0, 1),
});

beforeAll(async () => {
  server = await rawServer(async (socket, head) => {
    const found = byId.get(head.split('/')[1]);
    for (const segment of found?.segments ?? []) {
      if (segment.delay_ms > 0) await sleep(segment.delay_ms);
      const text = Buffer.from(segment.b64, 'base64').toString('latin1').replaceAll('PORT', String(server.port));
      socket.write(Buffer.from(text, 'latin1'));
    }
    if (found?.close === 'fin') socket.end();
    if (found?.close === 'rst') setTimeout(() => socket.resetAndDestroy(), 30);
  });
});
afterAll(async () => {
  await client.close();
  await server.close();
});

function expectBody(body: string, result: FetchResult): void {
  const got = result.body.toString('latin1');
  if (body === 'empty') expect(got).toBe('');
  else if (body === 'first 100 bytes') expect(got).toBe(PAGE.slice(0, 100));
  else {
    expect(got).toBe(PAGE);
    expect(result.truncated).toBe(body.includes('flagged truncated') ? 'disconnect' : null);
  }
}

const WAITS: Record<string, number | null> = {
  '5 s': 5000,
  ignored: null,
  // 2065 is not more than 50 years ahead of 2026 (RFC 9110, 5.6.7): a very long wait, capped at a day.
  'RFC 850 date': 24 * 3600 * 1000,
};

describe('the answer of a broken server', () => {
  it.each(cases.map((c) => [c.name, c] as const))('%s', async (_, { id, want }) => {
    const url = `${server.url}/${id}/dir/page`;
    const result = await client.fetch({ url, address: '127.0.0.1', headers: [], caps: CAPS });
    if (want.error) expect(result.code).toMatch(/^(http\.malformed|read\.)/);
    if (want.error_or_truncated) expect(result.code !== 'ok' || result.truncated !== null).toBe(true);
    if (want.retry) expect(['read.closed', 'read.reset']).toContain(result.code);
    if (want.status !== undefined) expect(result.status).toBe(want.status);
    if (want.body !== undefined) {
      expect(result.code).toBe('ok');
      expectBody(want.body, result);
    }
    if (want.to !== undefined) expectTarget(want.to, result, url);
    if (want.wait !== undefined) {
      expect(result.code).toBe('http.throttled');
      expect(result.retryAfterMs).toBe(WAITS[want.wait]);
    }
  });
});

function expectTarget(to: string | null, result: FetchResult, url: string): void {
  const target = result.location === null ? null : new URL(result.location, url);
  if (to === null) {
    expect(target === null || !target.protocol.startsWith('http')).toBe(true);
    return;
  }
  expect(result.code).toBe('redirect');
  const wanted = to.replace('relative: ', '').split(' ')[0];
  expect(target!.pathname.endsWith(wanted), target!.pathname).toBe(true);
}
