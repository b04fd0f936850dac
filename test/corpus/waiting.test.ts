import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitingHosts } from '../../src/corpus/waiting.js';
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
