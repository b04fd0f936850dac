/** Front queues (of hosts) and host queues (of URLs): levels, weights, order. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../src/engines/system.js';
import { drawLevel, FrontQueues } from '../../src/frontier/front-queues.js';
import { HostQueues } from '../../src/frontier/host-queues.js';
import { HostTable } from '../../src/frontier/host-table.js';
import { LEVELS, UrlState, UrlTable } from '../../src/frontier/url-table.js';

const level = fc.integer({ min: 0, max: LEVELS - 1 });

function hostsOf(count: number): HostTable {
  const hosts = new HostTable();
  for (let i = 0; i < count; i++) hosts.append(`h${i}.test`, `h${i}.test`, null, false, 0);
  return hosts;
}

describe('levels are drawn by weight', () => {
  test.each([
    [0b11111, [16, 8, 4, 2, 1]],
    [0b10001, [16, 0, 0, 0, 1]],
    [0b11000, [0, 0, 0, 2, 1]],
  ])('among those that have something (mask %i): %j', (mask, weights) => {
    const random = seededRandom(7);
    const draws = 62_000;
    const drawn = new Array(LEVELS).fill(0);
    for (let i = 0; i < draws; i++) drawn[drawLevel(mask, random)]++;
    const sum = weights.reduce((a, b) => a + b);
    weights.forEach((weight, level) => {
      const expected = (draws * weight) / sum;
      expect(Math.abs(drawn[level] - expected)).toBeLessThanOrEqual(5 * Math.sqrt(expected));
    });
  });

  test('an empty mask draws nothing, and a random number of almost 1 the last level that has something', () => {
    expect(drawLevel(0, seededRandom(1))).toBe(-1);
    expect(drawLevel(0b01010, { next: () => 1 - 2 ** -32 })).toBe(3);
    expect(drawLevel(0b01010, { next: () => 0 })).toBe(1);
  });
});

test('front queues keep the order of each level through insertions at both ends, removals and raises', () => {
  const HOSTS = 12;
  const step = fc.record({
    host: fc.integer({ min: 0, max: HOSTS - 1 }),
    level,
    atHead: fc.boolean(),
    take: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const front = new FrontQueues(hostsOf(HOSTS), seededRandom(3));
      const model: number[][] = Array.from({ length: LEVELS }, () => []);
      const levelOf = (host: number) => model.findIndex((queue) => queue.includes(host));
      for (const { host, level, atHead, take } of steps) {
        const now = levelOf(host);
        if (take) {
          const taken = front.take();
          if (taken < 0) expect(model.flat()).toEqual([]);
          else expect(model[levelOf(taken)].shift()).toBe(taken);
        } else if (now < 0) {
          front.put(host, level, atHead);
          if (atHead) model[level].unshift(host);
          else model[level].push(host);
        } else if (level === now) {
          front.remove(host);
          model[now].splice(model[now].indexOf(host), 1);
        } else {
          front.raise(host, level);
          if (level < now) {
            model[now].splice(model[now].indexOf(host), 1);
            model[level].push(host);
          }
        }
        expect([...front.lengths]).toEqual(model.map((queue) => queue.length));
        expect(front.size).toBe(model.flat().length);
      }
    }),
    { numRuns: 150 },
  );
});

test('a waiting host is removed in constant time, wherever it stands', () => {
  const time = (count: number): number => {
    const front = new FrontQueues(hostsOf(count), seededRandom(1));
    for (let host = 0; host < count; host++) front.put(host, 2);
    const before = performance.now();
    for (let host = count >> 1; host < (count >> 1) + 1_000; host++) front.remove(host);
    return performance.now() - before;
  };
  time(2_000);
  expect(time(200_000)).toBeLessThan(50); // a walk to the middle of the list 1,000 times takes seconds
});

test('the URLs of a host come level by level first in, first out; at the head come those that return', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ level, atHead: fc.boolean() }), { maxLength: 60 }), (puts) => {
      const hosts = hostsOf(1);
      const urls = new UrlTable();
      const queues = new HostQueues(hosts, urls, seededRandom(5));
      const model: number[][] = Array.from({ length: LEVELS }, () => []);
      for (const { level, atHead } of puts) {
        const url = urls.append(0, level);
        queues.put(url, atHead);
        if (atHead) model[level].unshift(url);
        else model[level].push(url);
      }
      expect(hosts.queued[0]).toBe(puts.length);
      if (puts.length > 0) expect(queues.best(0)).toBe(model.findIndex((list) => list.length > 0));
      const taken = queues.take(0, Number.POSITIVE_INFINITY);
      for (let level = 0; level < LEVELS; level++) {
        expect(taken.filter((url) => urls.level(url) === level)).toEqual(model[level]);
      }
      expect(queues.isEmpty(0)).toBe(true);
      expect(hosts.queued[0]).toBe(0);
    }),
    { numRuns: 100 },
  );
});

test('a demoted host has one level: what was in better ones comes first, and new URLs last', () => {
  fc.assert(
    fc.property(fc.array(level, { maxLength: 40 }), fc.array(level, { maxLength: 5 }), (before, after) => {
      const hosts = hostsOf(1);
      const urls = new UrlTable();
      const queues = new HostQueues(hosts, urls, seededRandom(5));
      const put = (level: number): void => queues.put(urls.append(0, level));
      before.forEach(put);
      queues.demote(0);
      expect(hosts.levels[0]).toBe(before.length === 0 ? 0 : 1 << (LEVELS - 1));
      after.forEach(put);
      const ids = before.map((_, id) => id);
      const expected = [0, 1, 2, 3, 4].flatMap((level) => ids.filter((id) => before[id] === level));
      const added = after.map((_, i) => before.length + i);
      expect(queues.take(0, Number.POSITIVE_INFINITY)).toEqual([...expected, ...added]);
      expect([hosts.queued[0], queues.isEmpty(0)]).toEqual([0, true]);
    }),
    { numRuns: 100 },
  );
});

test('denied URLs lie apart and come back all at once, in their order', () => {
  const hosts = hostsOf(1);
  const urls = new UrlTable();
  const queues = new HostQueues(hosts, urls, seededRandom(5));
  const ids = [0, 1, 2].map(() => urls.append(0, 1));
  for (const id of ids) {
    urls.setState(id, UrlState.denied);
    queues.putDenied(id);
  }
  expect(queues.isEmpty(0)).toBe(true);
  expect(queues.takeDenied(0)).toEqual(ids);
  expect(queues.takeDenied(0)).toEqual([]);
});

test('state, level and attempts of a URL share a byte and do not touch each other', () => {
  const state = fc.integer({ min: 0, max: 4 });
  fc.assert(
    fc.property(fc.array(fc.tuple(state, level, fc.integer({ min: 0, max: 12 })), { maxLength: 30 }), (changes) => {
      const urls = new UrlTable();
      const url = urls.append(0, 0);
      for (const [state, level, attempts] of changes) {
        urls.setState(url, state as UrlState);
        urls.setLevel(url, level);
        urls.setAttempts(url, attempts);
        expect([urls.state(url), urls.level(url), urls.attempts(url)]).toEqual([state, level, Math.min(attempts, 9)]);
        expect(urls.inState.map((n, i) => (i === state ? n - 1 : n))).toEqual([0, 0, 0, 0, 0]);
      }
    }),
  );
});
