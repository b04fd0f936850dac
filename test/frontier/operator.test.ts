/** What an operator may say to a frontier: block a host, unblock it, take dead URLs back. */
import { beforeEach, describe, expect, it } from 'vitest';
import { type Changes, noChanges } from '../../src/changes.js';
import type { OutcomeCode } from '../../src/errors.js';
import { Frontier } from '../../src/frontier/frontier.js';
import { WAIT_REASONS } from '../../src/frontier/host-table.js';
import type { FrontierOptions, Lease, Turn } from '../../src/frontier/lease.js';
import { UrlState } from '../../src/frontier/url-table.js';

const OPTIONS: FrontierOptions = {
  rules: {
    delay: 1000,
    fetchFactor: 10,
    fetchCap: 60_000,
    penaltyCap: 3_600_000,
    retryAfterCap: 86_400_000,
    throttlesBeforeSleep: 10,
    sleeps: [3_600_000],
    failuresBeforeOffline: 2,
    nxdomainsBeforeOffline: 2,
    offline: [60_000],
  },
  retries: [1000],
  key: 'host+ip',
  ...{ isCdn: () => false, perDomain: 4, shared: { from: 16, requests: 2, gap: 250 } },
  backQueues: 16,
  backQueuesMax: 16,
  quantumFetches: 64,
  quantumTime: 600_000,
  sleepBeyond: 30_000,
  lookAhead: 4,
  workers: 1,
  affinity: 1000,
  budgetPeriod: 2_592_000_000,
};

let frontier: Frontier;
let changes: Changes;
let now: number;

beforeEach(() => {
  frontier = new Frontier(OPTIONS, { next: () => 0.5 });
  changes = noChanges();
  now = 1_000_000;
});

/** A host whose robots.txt allows everything, with `n` pending URLs. */
function host(name: string, n: number): number {
  const id = frontier.addHost(name, name, null, false, now);
  const origin = frontier.robots.of(`http://${name}`, id);
  origin.state = { verdict: 'allow', rules: null, until: Number.POSITIVE_INFINITY };
  for (let i = 0; i < n; i++) frontier.add(id, 1, false, now);
  return id;
}

/** One turn; addresses and texts are answered at once unless `answer` is false. */
function turn(answer = true): Turn {
  const total: Turn = { leases: [], resolve: [], load: [], rules: [], waitUntil: 0 };
  for (;;) {
    const { leases, resolve, load, waitUntil } = frontier.next(now, Int32Array.of(8), 100, changes);
    total.leases.push(...leases);
    total.resolve.push(...resolve);
    total.load.push(...load);
    total.waitUntil = waitUntil;
    if (!answer || (resolve.length === 0 && load.length === 0)) return total;
    for (const id of resolve) {
      frontier.resolved(id, { addresses: [`10.0.0.${id + 1}`], until: Number.POSITIVE_INFINITY }, now, changes);
    }
    for (const request of load) loaded(request);
  }
}

function loaded(request: Turn['load'][number]): void {
  const texts = request.urls.map((id) => ({
    id,
    url: `http://${frontier.hosts.names[request.host]}/${id}`,
    kind: 'page' as const,
    depth: 0,
    hops: 0,
    last: null,
  }));
  frontier.loaded(request, texts, now);
}

function done(lease: Lease, code: OutcomeCode, keep: Lease | null = null): void {
  frontier.done(lease, { code, status: 200, started: now, ended: now, retryAfterMs: null }, keep, now, changes);
}

/** Lets an hour pass; returns the targets that were leased, each of which is answered. */
function hour(code: OutcomeCode = 'ok'): string[] {
  const targets: string[] = [];
  for (const end = now + 3_600_000; now < end; ) {
    const { leases, waitUntil } = turn();
    for (const lease of leases) {
      targets.push(lease.target);
      done(lease, code);
    }
    if (leases.length === 0) now = Math.min(Math.max(waitUntil, now + 1), end);
  }
  return targets;
}

describe('a demoted host', () => {
  it('waits at the lowest level, and everything of it is fetched in the end', () => {
    const trap = host('trap.test', 3);
    turn(false); // it is asked for its address
    frontier.resolved(trap, { addresses: ['10.0.0.1'], until: Number.POSITIVE_INFINITY }, now, changes);
    expect(frontier.hosts.frontLevel[trap]).toBe(1);
    expect(frontier.demote(trap, 'repeats itself', now, changes)).toBe(true);
    expect(frontier.demote(trap, 'again', now, changes)).toBe(false);
    expect(changes.hostEvents).toEqual([
      { host: trap, at: now, kind: 'demoted', until: 0, value: 0, words: 'repeats itself' },
    ]);
    expect(frontier.hosts.frontLevel[trap]).toBe(4);
    frontier.add(trap, 1, false, now); // a better URL does not raise it
    expect(frontier.hosts.frontLevel[trap]).toBe(4);
    expect(hour()).toHaveLength(4);
  });

  it('keeps the place of a lease that is out', () => {
    const trap = host('trap.test', 3);
    const [lease] = turn().leases;
    frontier.demote(trap, '', now, changes);
    done(lease, 'ok');
    expect(hour()).toHaveLength(2);
  });
});

describe('a blocked host', () => {
  it('gets no request, keeps its URLs, and says why they wait', () => {
    const blocked = host('a.test', 3);
    host('b.test', 2);
    expect(frontier.block(blocked, 'asked to', now, changes)).toBe(true);
    expect(frontier.block(blocked, 'again', now, changes)).toBe(false);
    expect(changes.hostEvents).toEqual([
      { host: blocked, at: now, kind: 'blocked', until: 0, value: 0, words: 'asked to' },
    ]);
    frontier.add(blocked, 0, false, now);
    expect(hour()).toEqual(['http://b.test/3', 'http://b.test/4']);
    expect(frontier.waiting(now)).toEqual({ blocked: { urls: 4, next: null } });
    expect(frontier.underWay).toBe(0);
  });

  it('goes on where it was when it is unblocked, at its own clock', () => {
    const id = host('a.test', 3);
    const [first] = turn().leases;
    frontier.block(id, '', now, changes);
    done(first, 'ok');
    now += 10;
    expect(frontier.unblock(id, now, changes)).toBe(true);
    expect(frontier.unblock(id, now, changes)).toBe(false);
    expect(turn().leases).toEqual([]);
    now += 990;
    expect(turn().leases.map(({ target }) => target)).toEqual(['http://a.test/1']);
    expect(changes.hostEvents.map(({ kind }) => kind)).toEqual(['blocked', 'unblocked']);
  });

  const address = () =>
    frontier.resolved(0, { addresses: ['10.0.0.1'], until: Number.POSITIVE_INFINITY }, now, changes);

  // every moment at which something of the host is out: what begins it, and what ends it
  it.each<[string, () => () => void]>([
    ['waiting in a front queue', () => () => {}],
    [
      'asking for its address',
      () => {
        turn(false);
        return address;
      },
    ],
    [
      'reading its texts',
      () => {
        turn(false);
        address();
        const [request] = turn(false).load;
        return () => loaded(request);
      },
    ],
    [
      'being fetched',
      () => {
        const [lease] = turn().leases;
        return () => done(lease, 'ok');
      },
    ],
  ])('that was %s loses nothing, whether it is unblocked before or after that ends', (_, begin) => {
    for (const early of [true, false]) {
      frontier = new Frontier(OPTIONS, { next: () => 0.5 });
      const id = host('a.test', 6);
      const end = begin();
      frontier.block(id, '', now, changes);
      if (early) frontier.unblock(id, now, changes);
      end();
      if (!early) {
        expect(hour()).toEqual([]);
        frontier.unblock(id, now, changes);
      }
      hour();
      expect([frontier.urls.inState, frontier.underWay]).toEqual([[0, 0, 0, 6, 0], 0]);
    }
  });

  it('takes a page that is between two of its spellings back to the first', () => {
    const id = host('a.test', 1);
    const [lease] = turn().leases;
    frontier.block(id, '', now, changes);
    done(lease, 'redirect.same', { ...lease, target: 'http://a.test/0/', redirects: 1 });
    expect(frontier.urls.state(0)).toBe(UrlState.pending);
    frontier.unblock(id, now, changes);
    expect(hour()).toEqual(['http://a.test/0']);
  });

  it('leaves the hosts whose robots.txt it holds forbidden, not waiting for ever', () => {
    const holder = host('a.test', 0);
    const other = frontier.addHost('b.test', 'b.test', null, false, now);
    frontier.add(other, 1, false, now);
    const [lease] = turn().leases;
    expect(lease.kind).toBe('robots');
    frontier.block(holder, '', now, changes);
    done(lease, 'redirect');
    frontier.robots.origins[lease.origin].busy = true;
    frontier.addErrand(holder, { ...lease, target: 'http://a.test/robots.txt', redirects: 1 }, now);
    const targets = hour();
    expect(targets.length).toBeGreaterThan(0);
    expect(new Set(targets)).toEqual(new Set(['http://b.test/robots.txt']));
  });

  it('goes on by itself when its block has an end, and not before', () => {
    const id = host('a.test', 2);
    const [first] = turn().leases;
    done(first, 'ok');
    const end = now + 7_200_000;
    expect(frontier.block(id, 'a pause', now, changes, end)).toBe(true);
    expect(frontier.block(id, 'a pause', now, changes, end)).toBe(false);
    expect(frontier.waiting(now)).toEqual({ blocked: { urls: 1, next: end } });
    expect(hour()).toEqual([]);
    expect(turn().waitUntil).toBe(end);
    now = end - 1;
    expect(turn().leases).toEqual([]);
    expect(frontier.blockedUntil(id)).toBe(end);
    now = end;
    expect(turn().leases.map(({ target }) => target)).toEqual(['http://a.test/1']);
    expect(changes.hostEvents.map(({ kind, at, until }) => [kind, at, until])).toEqual([
      ['blocked', end - 7_200_000, end],
      ['unblocked', end, 0],
    ]);
    expect(frontier.blockedUntil(id)).toBeNull();
  });

  it('is blocked for as long as the last block says, and no longer than somebody unblocks it', () => {
    const id = host('a.test', 5);
    frontier.block(id, 'a pause', now, changes, now + 1_000);
    expect(frontier.block(id, 'for good', now, changes)).toBe(true);
    expect(hour()).toEqual([]);
    frontier.block(id, 'a pause', now, changes, now + 60_000);
    frontier.unblock(id, now, changes);
    expect(turn().leases).toHaveLength(1);
    frontier.block(id, 'a pause', now, changes, now + 60_000);
    expect(frontier.unblock(id, now, changes)).toBe(true);
    frontier.block(id, 'another', now, changes, now + 90_000);
    now += 60_000;
    expect(turn().leases).toEqual([]);
  });

  it('stays blocked when its queue dies', () => {
    const id = host('a.test', 2);
    frontier.block(id, '', now, changes);
    frontier.drop(id, now, 'read.timeout', 'gone', changes);
    frontier.add(id, 1, false, now);
    expect(hour()).toEqual([]);
    expect(frontier.urls.inState[UrlState.dead]).toBe(2);
  });
});

describe('a dead URL that is taken back', () => {
  it('has all its attempts again', () => {
    host('a.test', 1);
    expect(hour('http.malformed')).toHaveLength(2);
    expect(frontier.urls.state(0)).toBe(UrlState.dead);
    expect(frontier.revive(0, now, changes)).toBe(true);
    expect(frontier.revive(0, now, changes)).toBe(false);
    expect(changes.dead.map(({ dead }) => dead)).toEqual([true, false]);
    expect(hour('http.malformed')).toHaveLength(2);
    expect(frontier.urls.state(0)).toBe(UrlState.dead);
  });

  it('gives a host that was given up a new ladder', () => {
    const id = host('a.test', 1);
    hour('connect.refused');
    expect(frontier.urls.state(0)).toBe(UrlState.dead);
    changes = noChanges();
    frontier.revive(0, now, changes);
    expect(changes.hostEvents).toMatchObject([{ host: id, kind: 'online' }]);
    expect(hour('ok')).toEqual(['http://a.test/0']);
  });

  it('waits while its host is blocked', () => {
    const id = host('a.test', 1);
    hour('http.malformed');
    frontier.block(id, '', now, changes);
    frontier.revive(0, now, changes);
    expect(hour()).toEqual([]);
    frontier.unblock(id, now, changes);
    expect(hour()).toEqual(['http://a.test/0']);
  });
});

describe('a host with another budget', () => {
  it('is due at once if it waited for the one before, and waits again for a smaller one', () => {
    const id = host('a.test', 4);
    frontier.setBudget(id, 1, now);
    expect(hour()).toHaveLength(1);
    expect(frontier.waiting(now).budget).toEqual({ urls: 3, next: 1_000_000 + OPTIONS.budgetPeriod });
    frontier.setBudget(id, 1, now);
    expect(hour()).toEqual([]);
    frontier.setBudget(id, 3, now);
    expect(hour()).toHaveLength(2);
    frontier.setBudget(id, null, now);
    frontier.setBudget(id, 2, now);
    expect(hour()).toEqual([]);
    frontier.setBudget(id, null, now);
    expect(hour()).toHaveLength(1);
  });

  it('still rests for what it rested for beside its budget', () => {
    const id = host('a.test', 2);
    frontier.setBudget(id, 1, now);
    const [lease] = turn().leases;
    frontier.hosts.restUntil[id] = now + 7_200_000;
    frontier.hosts.reason[id] = WAIT_REASONS.indexOf('throttled');
    done(lease, 'ok');
    expect(frontier.waiting(now)).toHaveProperty('budget');
    frontier.setBudget(id, null, now);
    expect(frontier.waiting(now)).toEqual({ throttled: { urls: 1, next: now + 7_200_000 } });
  });
});
