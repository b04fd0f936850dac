/** What `audit` finds in rows: faults that a sound crawler would never write, and files that were in force for a while. */
import { describe, expect, it } from 'vitest';
import { noChanges, type RequestRow, type RobotsRow } from '../../src/changes.js';
import { type AuditLine, audit, findHost, hostEvents } from '../../src/corpus/audit.js';
import { MemoryStore } from '../../src/engines/memory.js';
import { hostRow, requestRow } from '../engines/rows.js';

const START = Date.UTC(2026, 0, 1);
const DAY = 86_400_000;

/** A request to `/x` of host 0 at `at` ms after the start, 10 ms long, after which 100 ms are owed. */
type Asked = Partial<RequestRow> & { at: number };

function lines(requests: readonly Asked[], robots: readonly Partial<RobotsRow>[]): AuditLine[] {
  const store = new MemoryStore();
  const changes = noChanges();
  changes.hosts.push(hostRow(0, { name: 'a.test' }), hostRow(1, { name: 'b.test' }));
  requests.forEach(({ at, ...row }, id) => {
    const times = { started: START + at, ended: START + at + 10, delay: 100 };
    changes.requests.push(requestRow(id, { target: 'http://a.test/x', ...times, ...row }));
  });
  for (const row of robots) {
    const file = { origin: 'http://a.test', host: 0, request: 0, status: 200, code: 'ok' } as const;
    changes.robots.push({ ...file, at: START + 10, body: null, failures: 0, failingSince: null, ...row });
  }
  store.commitNow({ epoch: store.beginEpochNow(), sequence: 1, changes });
  return [...audit(store, findHost(store, 'a.test'), 'Saunter')];
}

const file = (text: string) => Buffer.from(text);
const ROBOTS: Asked = { at: 0, kind: 'robots', target: 'http://a.test/robots.txt' };
const ALLOW = { body: file('User-agent: *\nAllow: /x\n') };

it('an end of a block by itself is at its time, not when a crawl noticed', () => {
  const store = new MemoryStore();
  const changes = noChanges();
  changes.hosts.push(hostRow(0, { name: 'a.test' }));
  const event = (kind: 'blocked' | 'unblocked', at: number, until = 0) => ({
    host: 0,
    kind,
    at,
    until,
    value: 0,
    words: '',
  });
  changes.hostEvents.push(event('blocked', 10, 50), event('unblocked', 900));
  changes.hostEvents.push(event('blocked', 1_000, 5_000), event('unblocked', 2_000));
  changes.hostEvents.push(event('blocked', 3_000), event('unblocked', 4_000));
  store.commitNow({ epoch: store.beginEpochNow(), sequence: 1, changes });
  expect(hostEvents(store, 0).map(({ at, kind, words }) => [at, kind, words])).toEqual([
    ...[
      [10, 'blocked', ''],
      [50, 'unblocked', 'its time was over'],
      [1_000, 'blocked', ''],
    ],
    ...[
      [2_000, 'unblocked', ''],
      [3_000, 'blocked', ''],
      [4_000, 'unblocked', ''],
    ],
  ]);
});

describe('an audit', () => {
  it('finds a request that came before its delay was over', () => {
    const found = lines([ROBOTS, { at: 110 }, { at: 200 }, { at: 319 }], [ALLOW]);
    expect(found.map(({ gap, owed }) => [gap, owed])).toEqual([
      [null, null],
      [100, 100],
      [80, 100],
      [109, 100],
    ]);
    expect(found.map(({ fault }) => fault)).toEqual([null, null, 'it came 18 ms too early', null]);
  });

  it('holds a request against the longest delay that is still owed, not against the last one', () => {
    const found = lines(
      [ROBOTS, { at: 110, delay: 5000 }, { at: 200, code: 'lease.lost', delay: 0 }, { at: 300 }],
      [ALLOW],
    );
    expect(found[2]).toMatchObject({ fault: null, because: expect.stringContaining('killed') });
    expect(found[3]).toMatchObject({ owed: 4910, fault: expect.stringContaining('too early') });
  });

  it('finds a request that robots.txt forbade, or that came before it was asked', () => {
    const forbidden = lines([ROBOTS, { at: 200 }], [{ body: file('User-agent: *\nDisallow: /x\n') }]);
    expect(forbidden[1]).toMatchObject({ rule: 'Disallow: /x', line: 2, fault: 'robots.txt forbade it' });
    const early = lines([{ at: 0 }, { ...ROBOTS, at: 200 }], [{ ...ALLOW, request: 1 }]);
    expect(early[0]).toMatchObject({
      because: 'its robots.txt had not been asked for',
      fault: 'robots.txt forbade it',
    });
    const other = lines([ROBOTS, { at: 200, target: 'https://a.test/x' }], [ALLOW]);
    expect(other[1].fault).toBe('robots.txt forbade it');
    const failing = lines([ROBOTS, { at: 200 }], [{ status: 500, code: 'http.server', failures: 1 }]);
    expect(failing[1]).toMatchObject({ because: 'robots.txt answered 500: nothing is allowed' });
    expect(failing[1].fault).not.toBeNull();
  });

  it('asks the file that was in force at the time of each request', () => {
    const again = { kind: 'robots', target: 'http://a.test/robots.txt' } as const;
    const found = lines(
      [ROBOTS, { at: 200 }, { at: DAY, ...again }, { at: DAY + 200 }, { at: 2 * DAY, ...again }, { at: 2 * DAY + 200 }],
      [
        ALLOW,
        { request: 2, at: START + DAY, body: file('User-agent: *\n\nAllow: /x\n') },
        { request: 4, at: START + 2 * DAY, status: 503, code: 'http.throttled' },
      ],
    );
    expect(found.map(({ line }) => line)).toEqual([null, 2, null, 3, null, 3]);
    expect(found[5].because).toBe(`line 3: Allow: /x, in the copy of ${new Date(START + DAY).toISOString()}`);
    expect(found.every(({ fault }) => fault === null)).toBe(true);
  });

  it('is about one host', () => {
    expect(lines([ROBOTS, { at: 20, host: 1, target: 'http://b.test/' }, { at: 200 }], [ALLOW])).toHaveLength(2);
    expect(findHost(new MemoryStore(), 'a.test')).toBe(-1);
  });
});
