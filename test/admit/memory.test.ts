import { describe, expect, test } from 'vitest';
import { memoryGauge, memoryLimit } from '../../src/embedded/memory-gauge.js';
import { Decisions } from '../support/decisions.js';

describe('when memory is nearly full', () => {
  const levels = [1, 2, 3, 4];
  const admitted = (refusedFrom: number): number[] => {
    const crawl = new Decisions({ admission: { refusedFrom: () => refusedFrom } });
    return levels.filter((level) => crawl.admit(`http://a.test/${level}`, { level }) >= 0);
  };

  test('level 4 is refused first, then level 3; each is counted as full', () => {
    expect(admitted(5)).toEqual([1, 2, 3, 4]);
    expect(admitted(4)).toEqual([1, 2, 3]);
    expect(admitted(3)).toEqual([1, 2]);
    const crawl = new Decisions({ admission: { refusedFrom: () => 3 } });
    for (const level of levels) crawl.admit(`http://a.test/${level}`, { level });
    expect(crawl.admission.refusals.counts.full).toBe(2);
  });

  test('seeds pass at any level, and so does what is known already', () => {
    const crawl = new Decisions({ admission: { refusedFrom: () => 1 } });
    expect(crawl.admit('http://a.test/', { level: 4, seed: true })).toBe(0);
    expect(crawl.admit('http://a.test/', { level: 4 })).toBe(0);
    expect(crawl.admission.refusals.counts.full).toBeUndefined();
  });

  test('a refused URL is not remembered: once there is room it is admitted', () => {
    let from = 4;
    const crawl = new Decisions({ admission: { refusedFrom: () => from } });
    expect(crawl.admit('http://a.test/x', { level: 4 })).toBe(-1);
    from = 5;
    expect(crawl.admit('http://a.test/x', { level: 4 })).toBe(0);
  });

  test('a demoted host counts as level 4, whatever the level of its URL', () => {
    const crawl = new Decisions({ admission: { refusedFrom: () => 4 } });
    crawl.admit('http://a.test/', { level: 1 });
    crawl.frontier.demote(0, 'a trap', 0, crawl.changes);
    expect(crawl.admit('http://a.test/more', { level: 1 })).toBe(-1);
  });
});

describe('the gauge of memory', () => {
  const config = { 'memory.limit': 1000, 'memory.refuseLevel4': 0.8, 'memory.refuseLevel3': 0.9 };

  test('refuses from level 4 at 80% of the limit and from level 3 at 90%, and nothing again when there is room', () => {
    let [now, bytes] = [0, 0];
    const gauge = memoryGauge(
      config,
      () => now,
      () => bytes,
    );
    const at = (resident: number): number => {
      now += 1000;
      bytes = resident;
      return gauge();
    };
    expect([799, 800, 899, 900, 2000, 799].map(at)).toEqual([5, 4, 4, 3, 3, 5]);
  });

  test('looks at the process now and then, not at each URL', () => {
    let looks = 0;
    const gauge = memoryGauge(
      config,
      () => 0,
      () => ++looks,
    );
    for (let i = 0; i < 1000; i++) gauge();
    expect(looks).toBe(1);
  });

  test('by itself takes 60% of the machine at most', () => {
    expect(memoryLimit({ 'memory.limit': 2 ** 30 })).toBe(2 ** 30);
    expect(memoryLimit({ 'memory.limit': 'auto' })).toBeGreaterThan(2 ** 26);
  });
});
