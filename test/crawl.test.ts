/** The loop alone: what holds leases back. */
import { expect, test } from 'vitest';
import { Crawl, type CrawlParts } from '../src/crawl.js';
import { systemClock } from '../src/engines/system.js';

/** A loop whose parts have nothing to do, with what may hold it back. */
function loop() {
  const held = { isFull: false, isBehind: false };
  const frontier = {
    turns: 0,
    underWay: 1,
    leases: new Map(),
    next() {
      this.turns++;
      return { leases: [], resolve: [], rules: [], load: [], waitUntil: Number.POSITIVE_INFINITY };
    },
  };
  const parts = {
    frontier,
    workers: {
      room: () => Int32Array.of(8),
      get isFull() {
        return held.isFull;
      },
      abort() {},
      close: async () => {},
    },
    batches: {
      get isBehind() {
        return held.isBehind;
      },
      isCommitting: false,
      dueAt: () => Number.POSITIVE_INFINITY,
      flush: async () => {},
    },
    tally: { pages: 0 },
    near: { load() {} },
    leases: { settled() {}, stop() {}, close() {} },
    clock: systemClock,
    recovered: [],
    recover: async () => [],
  };
  const forever = Number.POSITIVE_INFINITY;
  const limits = { maxPages: forever, maxDuration: forever, patience: 0, stands: false };
  return { held, frontier, crawl: new Crawl(parts as unknown as CrawlParts, limits) };
}

test.each([
  ['the bodies in flight exceed their budget', 'isFull'],
  ['the store is behind', 'isBehind'],
  ['the crawl is paused', 'isPaused'],
] as const)('no lease is asked for while %s, and the crawl does not end for that', async (_, fact) => {
  const { held, frontier, crawl } = loop();
  const set = (value: boolean): void => {
    if (fact === 'isPaused') crawl.isPaused = value;
    else held[fact] = value;
  };
  set(true);
  frontier.underWay = 0;
  let hasEnded = false;
  const ended = crawl.run().finally(() => {
    hasEnded = true;
  });
  for (let turn = 0; turn < 5; turn++) {
    crawl.wake();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect([frontier.turns, hasEnded]).toEqual([0, false]);
  set(false);
  crawl.wake();
  expect(await ended).toBe('done');
  expect(frontier.turns).toBe(1);
});
