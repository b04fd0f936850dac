/** Look-ups that fail: the resolver with its memory of failures, and the frontier with its ladders, on one virtual clock. */
import { expect, test } from 'vitest';
import { noChanges } from '../../src/changes.js';
import { seededRandom } from '../../src/engines/system.js';
import { createGuard } from '../../src/fetch/address-guard.js';
import { DnsResolver } from '../../src/fetch/resolver.js';
import { Frontier } from '../../src/frontier/frontier.js';
import { resolutionOf } from '../../src/resolution.js';
import { FRONTIER } from '../support/decisions.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = 1_000_000;
const NO_ROOM = Int32Array.of(0);

/** A host whose name is looked up at so many servers, which answer with what `error` gives by the time, in minutes. */
function named(servers: number, error: (minute: number) => string | null) {
  let now = START;
  /** Minutes of the real look-ups. */
  const asked: number[] = [];
  const minute = (): number => (now - START) / MINUTE;
  const resolver = new DnsResolver({
    servers: ['192.0.2.1', '192.0.2.2'].slice(0, servers),
    hostsFile: null,
    clock: () => now + 0.3, // in no whole step with the loop
    lookups: async (_server, _host, family) => {
      const at = Math.round(minute());
      if (asked.at(-1) !== at) asked.push(at);
      const code = error(minute());
      if (code !== null) throw Object.assign(new Error(code), { code });
      return family === 4 ? [{ address: '93.184.216.34', ttl: 300 }] : [];
    },
  });
  const changes = noChanges();
  const frontier = new Frontier(FRONTIER, seededRandom(1));
  const host = frontier.addHost('a.example', 'example', null, false, now);
  frontier.add(host, 1, false, now);
  const guard = createGuard();
  let counted = 0;
  const look = async (): Promise<void> => {
    const answer = await resolver.resolve('a.example');
    const isNews = frontier.resolved(host, resolutionOf(answer, guard, false, now), now, changes);
    if (isNews && 'code' in answer) counted++;
  };
  return {
    ...{ asked, frontier, host, resolver },
    events: () => changes.hostEvents.map(({ kind, at }) => `${kind} at ${Math.round((at - START) / MINUTE)}`),
    counted: () => counted,
    wake: () => frontier.unblock(host, now, changes),
    block: () => frontier.block(host, 'a test', now, changes),
    async run(until: number): Promise<void> {
      for (;;) {
        const { resolve, waitUntil } = frontier.next(now, NO_ROOM, 1, changes);
        for (const _ of resolve) await look();
        if (resolve.length > 0) continue;
        if (waitUntil > START + until) break;
        now = Math.max(waitUntil, now + 1);
      }
      now = START + until;
    },
  };
}

test('a name that was missing for a minute is found at the next look-up, and its host is not put offline', async () => {
  const name = named(2, (minute) => (minute < 1 ? 'ENOTFOUND' : null));
  await name.run(10 * MINUTE);
  expect(name.asked).toEqual([0, 5]);
  expect(name.counted()).toBe(1);
  expect(name.events()).toEqual([]);
  expect(name.frontier.hosts.address[name.host]).toBeGreaterThanOrEqual(0);
});

test('two real look-ups at two servers put a missing name offline', async () => {
  const name = named(2, () => 'ENOTFOUND');
  await name.run(50 * HOUR);
  expect(name.asked).toEqual([0, 5, 65, 425, 1865]);
  expect(name.counted()).toBe(5);
  expect(name.events()).toEqual(['offline at 5', 'offline at 65', 'offline at 425', 'dropped at 1865']);
});

test.each([
  [1, 'ENOTFOUND'],
  [2, 'ESERVFAIL'],
])(
  'it takes five of them at %i server with %s: nobody else has said that the name does not exist',
  async (servers, code) => {
    const name = named(servers, () => code);
    await name.run(HOUR);
    expect(name.asked).toEqual([0, 5, 10, 15, 30]);
    expect(name.counted()).toBe(5);
    expect(name.events()).toEqual(['offline at 30']);
  },
);

test('an operator who wakes a host hears the failure that is remembered, and it counts once', async () => {
  const name = named(2, () => 'ENOTFOUND');
  await name.run(MINUTE);
  name.block();
  name.wake();
  await name.run(4 * MINUTE);
  expect([name.asked, name.counted(), name.frontier.waiting(START + 4 * MINUTE)]).toEqual([
    [0],
    1,
    { dns: { urls: 1, next: START + 5 * MINUTE + 1 } },
  ]);
  await name.run(6 * MINUTE);
  expect(name.counted()).toBe(2);
});

test('a failure that somebody else has asked for before counts once, too', async () => {
  const name = named(2, () => 'ENOTFOUND');
  await name.resolver.resolve('a.example'); // as seeds are, before they are admitted
  await name.run(4 * MINUTE);
  expect([name.asked, name.counted()]).toEqual([[0], 1]);
});
