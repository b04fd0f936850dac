import { beforeEach, describe, expect, test } from 'vitest';
import { type Changes, noChanges, type RequestRow, type UrlRow, type VisitRow } from '../../src/changes.js';
import { loadConfig } from '../../src/config/load-config.js';
import { SeenTable } from '../../src/dedupe/seen.js';
import { MemoryStore } from '../../src/engines/memory.js';
import { UserError } from '../../src/errors.js';
import { Frontier } from '../../src/frontier/frontier.js';
import { UrlState } from '../../src/frontier/url-table.js';
import { type LastStop, rebuild } from '../../src/state/rebuild.js';
import { Tally } from '../../src/state/tally.js';

const DELAY = 1000;
const OWE = 10_000;
/** When the last run ended, wall ms. */
const STOPPED = 1_700_000_000_000;
const CLEAN: LastStop = { clean: true, leases: [] };

let store: MemoryStore;
let sequence: number;

beforeEach(() => {
  store = new MemoryStore();
  store.beginEpochNow();
  sequence = 0;
});

function commit(over: Partial<Changes>): void {
  store.commitNow({ epoch: 1, sequence: ++sequence, changes: { ...noChanges(), ...over } });
}

const host = (id: number) => ({
  id,
  name: `h${id}.test`,
  domain: `h${id}.test`,
  named: false,
  budget: null,
  at: STOPPED - 60_000,
});

const url = (id: number, hostId: number): UrlRow => ({
  ...{
    id,
    partition: 0,
    host: hostId,
    keyHi: id + 1,
    keyLo: 7 * id + 1,
    kind: 'page',
    level: 1,
    depth: 1,
    hops: 0,
    via: -1,
  },
  url: `http://h${hostId}.test/${id}`,
});

const request = (id: number, urlId: number, over: Partial<RequestRow> = {}): RequestRow => ({
  ...{ id, url: urlId, host: 0, address: '127.0.0.1', kind: 'page', target: `http://h0.test/${urlId}` },
  ...{
    started: STOPPED - 1100,
    ended: STOPPED - 1000,
    status: 200,
    code: 'ok',
    bytes: 10,
    delay: 5000,
    addressDelay: DELAY,
    record: null,
  },
  ...over,
});

const visit = (id: number, urlId: number, requestId: number, over: Partial<VisitRow> = {}): VisitRow => ({
  ...{ id, url: urlId, kind: 'page', request: requestId, at: STOPPED - 1000, status: 200, code: 'ok', finalUrl: null },
  ...{ contentType: 'text/html', charset: 'utf-8', language: '', title: '', contentHash: null, payloadDigest: null },
  ...{
    simhash: null,
    etag: null,
    lastModified: null,
    record: null,
    text: null,
    changed: true,
    duplicateOf: -1,
    near: false,
  },
  ...{
    index: true,
    nextVisit: null,
    bodyOf: -1,
    history: null,
    bytes: 10,
    links: 0,
    aiPreferences: null,
    parser: 1,
    fields: null,
  },
  ...over,
});

/** Rebuilds at `now`; jitter is half of its range. */
function start(stop: LastStop, now: number) {
  const config = loadConfig({}, {});
  const rules = {
    ...{ delay: DELAY, fetchFactor: 10, fetchCap: 60_000, penaltyCap: 3_600_000, retryAfterCap: 86_400_000 },
    ...{
      throttlesBeforeSleep: 10,
      sleeps: [3_600_000],
      failuresBeforeOffline: 5,
      nxdomainsBeforeOffline: 2,
      offline: [3_600_000],
    },
  };
  const frontier = new Frontier(
    {
      ...{ rules, retries: config['retry.ladder'], key: 'host+ip', backQueues: 16, backQueuesMax: 16, workers: 1 },
      ...{ quantumFetches: 64, quantumTime: 600_000, sleepBeyond: 30_000, lookAhead: 64 },
      ...{ isCdn: () => false, perDomain: 4, shared: { from: 16, requests: 2, gap: 250 } },
      ...{ affinity: 1_000, budgetPeriod: 30 * 86_400_000 },
    },
    { next: () => 0.5 },
  );
  const changes = noChanges();
  const seen = new SeenTable();
  const tally = new Tally();
  const parts = {
    ...{
      frontier,
      seen,
      tally,
      random: { next: () => 0.5 },
      delay: DELAY,
      uncleanOwe: OWE,
    },
    ...{ onRobots: () => {}, onSegment: () => {}, onVisit: () => {}, onReparsed: () => {}, onHostEvent: () => {} },
  };
  const rebuilt = rebuild(store, parts, stop, now, changes);
  return { ...rebuilt, frontier, changes, seen, tally };
}

test('a demoted host stays at the lowest level', () => {
  commit({
    hosts: [host(0)],
    urls: [url(0, 0)],
    hostEvents: [{ host: 0, at: STOPPED, kind: 'demoted', until: 0, value: 0, words: 'repeats itself' }],
  });
  const { frontier } = start(CLEAN, STOPPED + 5_000);
  expect([frontier.hosts.demoted[0], frontier.hosts.levels[0]]).toEqual([1, 1 << 4]);
});

test('a host is a seed’s by the row of its seed, or by an event; an event names it', () => {
  const event = (id: number, kind: 'named' | 'seed') => ({
    host: id,
    at: STOPPED,
    kind,
    until: 0,
    value: 0,
    words: '',
  });
  commit({
    hosts: [host(0), host(1), host(2)].map((row) => ({ ...row, named: false })),
    urls: [url(0, 0), url(1, 1), url(2, 2)],
    seeds: [{ url: 1 }],
    hostEvents: [event(2, 'seed'), event(2, 'named')],
  });
  const { seed, named } = start(CLEAN, STOPPED + 5_000).frontier.hosts;
  expect([...seed.slice(0, 3), ...named.slice(0, 3)]).toEqual([0, 1, 1, 0, 0, 1]);
});

describe('clocks after a restart', () => {
  beforeEach(() =>
    commit({
      hosts: [host(0), host(1)],
      urls: [url(0, 0), url(1, 0), url(2, 1)],
      requests: [request(0, 0)],
      visits: [visit(0, 0, 0)],
    }),
  );

  test('a clean stop leaves what is left of the delay, and nothing to hosts that owe nothing', () => {
    const { frontier } = start(CLEAN, STOPPED + 1500);
    expect([...frontier.hosts.nextAt.slice(0, 2)]).toEqual([STOPPED + 4000, 0]);
    expect(start(CLEAN, STOPPED + 4000).frontier.hosts.nextAt[0]).toBe(0);
  });

  test('a host that was throttled and answered within one batch owes what it owed last', () => {
    const throttled = { at: STOPPED - 5000, until: STOPPED - 1000, value: 4000, words: 'slow down' };
    commit({
      requests: [
        request(1, 1, { started: STOPPED - 5010, ended: STOPPED - 5000, code: 'http.throttled', delay: 4000 }),
        request(2, 1, { started: STOPPED - 110, ended: STOPPED - 100, delay: 2000 }),
      ],
      hostEvents: [
        { host: 0, kind: 'throttled', ...throttled },
        { host: 0, kind: 'recovered', ...throttled, at: STOPPED - 100, until: 0, value: 2000 },
      ],
    });
    expect(start(CLEAN, STOPPED).frontier.hosts.nextAt[0]).toBe(STOPPED + 1900);
  });

  test('a clock that was set back makes nobody wait for longer than was owed', () => {
    const now = STOPPED - 86_400_000;
    expect(start(CLEAN, now).frontier.hosts.nextAt[0]).toBeLessThanOrEqual(now + 5000);
  });

  test('an unclean stop makes each host owe its full delay again, spread by jitter, and the listed one at least 10 s', () => {
    const now = STOPPED + 60_000;
    const stop: LastStop = { clean: false, leases: [{ url: 1, host: 0, kind: 'page', at: STOPPED - 500 }] };
    const { frontier } = start(stop, now);
    expect(frontier.hosts.nextAt[1]).toBe(now + 1.5 * DELAY);
    expect(frontier.hosts.restUntil[0]).toBe(now + OWE);
  });
});

describe('leases that were out when the last run died', () => {
  beforeEach(() => commit({ hosts: [host(0)], urls: [url(0, 0), url(1, 0)] }));
  const lost = (urlId: number): LastStop => ({
    clean: false,
    leases: [{ url: urlId, host: 0, kind: 'page', at: STOPPED - 500 }],
  });

  test('are charged an attempt, which the next batch makes durable', () => {
    const { frontier, changes } = start(lost(1), STOPPED);
    expect(changes.requests).toMatchObject([{ id: 0, url: 1, code: 'lease.lost', status: 0, delay: OWE }]);
    expect([frontier.urls.attempts(1), frontier.urls.state(1)]).toEqual([1, UrlState.pending]);
  });

  test('are dead letters the fifth time in a row', () => {
    for (let n = 0; n < 4; n++) commit({ requests: start(lost(1), STOPPED + n).changes.requests });
    const { frontier, changes } = start(lost(1), STOPPED + 5);
    expect(frontier.urls.state(1)).toBe(UrlState.dead);
    expect(changes.dead).toMatchObject([{ url: 1, dead: true, code: 'lease.lost' }]);
    expect(changes.dead[0].history).toHaveLength(5);
  });

  test('are nothing to speak of if they were settled, or their host never became known', () => {
    commit({ requests: [request(0, 1)], visits: [visit(0, 1, 0)] });
    expect(start(lost(1), STOPPED).changes.requests).toEqual([]);
    expect(
      start({ clean: false, leases: [{ url: -1, host: 9, kind: 'robots', at: 1 }] }, STOPPED).changes.requests,
    ).toEqual([]);
  });
});

test('a lost lease of a URL that never became known is owed for by its host all the same', () => {
  commit({ hosts: [host(0)] });
  const { changes } = start({ clean: false, leases: [{ url: 99, host: 0, kind: 'page', at: 1 }] }, STOPPED);
  expect(changes.requests).toMatchObject([{ url: -1, host: 0, code: 'lease.lost', delay: 10_000 }]);
});

describe('what is known', () => {
  test('each URL is in the state that its last row says, and is found by its key', () => {
    commit({ hosts: [host(0)], urls: [0, 1, 2, 3, 4].map((id) => url(id, 0)) });
    commit({ requests: [request(0, 0)], visits: [visit(0, 0, 0)] });
    commit({ denied: [{ url: 1, at: STOPPED, denied: true }] });
    commit({
      dead: [2, 4].map((id) => ({ url: id, at: STOPPED, dead: true, code: 'http.server' as const, history: [] })),
    });
    commit({ dead: [{ url: 4, at: STOPPED, dead: false, code: 'http.server', history: [] }] });
    const { frontier, seen, tally, requests, visits } = start(CLEAN, STOPPED);
    const { done, denied, dead, pending } = UrlState;
    expect([0, 1, 2, 3, 4].map((id) => frontier.urls.state(id))).toEqual([done, denied, dead, pending, pending]);
    expect(seen.get(url(3, 0).keyHi, url(3, 0).keyLo)).toBe(3);
    expect([tally.pages, tally.robotsDenied, tally.deadLetters, requests, visits]).toEqual([1, 1, 1, 1, 1]);
  });

  test('failed attempts count on, and wait as long as the ladder says', () => {
    commit({ hosts: [host(0)], urls: [url(0, 0)] });
    commit({
      requests: [
        request(0, 0, { code: 'http.server', status: 500 }),
        request(1, 0, { code: 'http.server', status: 500 }),
      ],
    });
    const { frontier } = start(CLEAN, STOPPED);
    expect([frontier.urls.attempts(0), frontier.retries.size]).toEqual([2, 1]);
    expect(frontier.retries.time).toBe(STOPPED - 1000 + 120_000);
  });

  test('each segment is committed up to the end of its last record', () => {
    commit({
      hosts: [host(0)],
      urls: [url(0, 0), url(1, 0)],
      segments: [
        { id: 0, name: 'w.warc.gz', kind: 'warc', at: 1, closed: false, length: 0 },
        { id: 1, name: 't.text.warc.gz', kind: 'text', at: 1, closed: false, length: 0 },
      ],
      requests: [request(0, 0, { record: { segment: 0, offset: 500, length: 100 } })],
      visits: [
        visit(0, 0, 0, {
          record: { segment: 0, offset: 500, length: 100 },
          text: { segment: 1, offset: 30, length: 5 },
        }),
      ],
    });
    commit({
      requests: [request(1, 1, { record: { segment: 0, offset: 700, length: 50 }, code: 'http.server', status: 500 })],
    });
    expect(start(CLEAN, STOPPED).committed.lengths()).toEqual(
      new Map([
        ['w.warc.gz', 750],
        ['t.text.warc.gz', 35],
      ]),
    );
  });

  test('a store whose rows do not fit each other is refused', () => {
    commit({ hosts: [host(0)], urls: [url(0, 0), { ...url(1, 0), keyHi: 1, keyLo: 1 }] });
    expect(() => start(CLEAN, STOPPED)).toThrow(UserError);
    expect(() => start(CLEAN, STOPPED)).toThrow('the store is damaged: URL 1');
  });
});
