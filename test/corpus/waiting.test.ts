import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { noChanges } from '../../src/changes.js';
import { readStates } from '../../src/corpus/states.js';
import { waitingHosts } from '../../src/corpus/waiting.js';
import { waitingTurns } from '../../src/corpus/waiting-turns.js';
import { MemoryStore } from '../../src/engines/memory.js';
import { hostRow, requestRow, urlRow } from '../engines/rows.js';
import { MadeCrawl, START } from './made-crawl.js';

let made: MadeCrawl;
beforeAll(async () => {
  made = new MadeCrawl();
  for (const host of ['a', 'b', 'c', 'd', 'e']) for (const n of [1, 2]) made.url(`http://${host}.example/${n}`);
  made.event('http://a.example/', { kind: 'blocked', words: 'asked' });
  made.event('http://b.example/', { kind: 'blocked' });
  made.event('http://b.example/', { kind: 'unblocked' });
  made.event('http://b.example/', { kind: 'offline', until: START + 9_000 });
  made.event('http://c.example/', { kind: 'offline', until: START + 5_000 });
  made.event('http://d.example/', { kind: 'asleep', until: START + 7_000 });
  made.event('http://d.example/', { kind: 'recovered' });
  made.event('http://e.example/', { kind: 'asleep', until: START + 1_000 });
  await made.close();
});
afterAll(() => rmSync(made.dir, { recursive: true }));

test('URLs wait for hosts that are blocked, offline or asleep, as long as these are', () => {
  const reader = made.read();
  const states = new Uint8Array(10);
  states[1] = 2; // one of a.example is done
  expect(waitingHosts(reader, states, START)).toEqual({
    blocked: { hosts: 1, urls: 1, next: null },
    offline: { hosts: 2, urls: 4, next: START + 5_000 },
    throttled: { hosts: 1, urls: 2, next: START + 1_000 },
  });
  expect(waitingHosts(reader, states, START + 6_000)).toEqual({
    blocked: { hosts: 1, urls: 1, next: null },
    offline: { hosts: 1, urls: 2, next: START + 9_000 },
  });
  reader.close();
});

test('URLs wait that failed, and those of a host that asks for a long delay', () => {
  const store = new MemoryStore();
  const epoch = store.beginEpochNow();
  const request = (id: number, url: number, host: number, over: object) =>
    requestRow(id, { url, host, kind: 'page', started: START - 100, ended: START, ...over });
  const changes = {
    ...noChanges(),
    hosts: [hostRow(0, { name: 'a.test' }), hostRow(1, { name: 'b.test' })],
    urls: [0, 0, 1, 1].map((host, id) => urlRow(id, { host, via: -1 })),
    requests: [
      request(0, 0, 0, { code: 'http.server', status: 500, delay: 1_000 }),
      request(1, 2, 1, { delay: 600_000 }),
    ],
  };
  store.commitNow({ epoch, sequence: 1, changes });
  const states = readStates(store);
  states.states[2] = 2;
  expect(waitingTurns(store, states, START + 2_000)).toEqual({
    retry: { hosts: 1, urls: 1, next: null },
    delay: { hosts: 1, urls: 1, next: START + 600_000 },
  });
  expect(waitingTurns(store, states, START + 600_000)).toEqual({ retry: { hosts: 1, urls: 1, next: null } });
});

test('URLs wait where robots.txt cannot be read, at that origin alone, and until it can', () => {
  const store = new MemoryStore();
  const epoch = store.beginEpochNow();
  const urls = ['http://a.test/1', 'http://a.test/2', 'http://a.test:81/', 'http://b.test/'];
  const answer = (origin: string, host: number, status: number, at: number) => ({
    ...{ origin, host, at, request: -1, status, failures: status === 200 ? 0 : 1, failingSince: null },
    ...{
      code: status === 200 ? ('ok' as const) : ('http.server' as const),
      body: status === 200 ? Buffer.from('') : null,
    },
  });
  const changes = {
    ...noChanges(),
    hosts: [hostRow(0, { name: 'a.test' }), hostRow(1, { name: 'b.test' })],
    urls: urls.map((url, id) => urlRow(id, { url, host: id < 3 ? 0 : 1, via: -1 })),
    robots: [
      answer('http://a.test', 0, 503, 5),
      answer('http://a.test:81', 0, 200, 5),
      answer('http://b.test', 1, 503, 5),
    ],
  };
  store.commitNow({ epoch, sequence: 1, changes });
  const waiting = () => waitingHosts(store, new Uint8Array(4), START);
  expect(waiting()).toEqual({ robots: { hosts: 2, urls: 3, next: null } });
  store.commitNow({ epoch, sequence: 2, changes: { ...noChanges(), robots: [answer('http://b.test', 1, 200, 9)] } });
  expect(waiting()).toEqual({ robots: { hosts: 1, urls: 2, next: null } });
  // a file that was read once stands in for one that cannot be read
  store.commitNow({ epoch, sequence: 3, changes: { ...noChanges(), robots: [answer('http://b.test', 1, 503, 12)] } });
  expect(waiting()).toEqual({ robots: { hosts: 1, urls: 2, next: null } });
});
