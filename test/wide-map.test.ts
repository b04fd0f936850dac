/** A map for millions of entries. */
import { expect, test } from 'vitest';
import { seededRandom } from '../src/engines/system.js';
import { WideMap } from '../src/wide-map.js';

test.each([
  ['numbers', (n: number) => n],
  ['names', (n: number) => `www.site${n}.example`],
] as const)('holds what a Map holds, by %s', (_, keyOf: (n: number) => number | string) => {
  const random = seededRandom(4);
  const wide = new WideMap<number | string, number>();
  const map = new Map<number | string, number>();
  for (let i = 0; i < 20_000; i++) {
    const key = keyOf(Math.floor(random.next() * 3_000));
    if (random.next() < 0.3) expect(wide.delete(key)).toBe(map.delete(key));
    else {
      wide.set(key, i);
      map.set(key, i);
    }
    expect(wide.size).toBe(map.size);
  }
  for (let n = 0; n < 3_000; n++)
    expect([wide.has(keyOf(n)), wide.get(keyOf(n))]).toEqual([map.has(keyOf(n)), map.get(keyOf(n))]);
  expect(new Map(wide)).toEqual(map);
  wide.clear();
  expect([wide.size, [...wide]]).toEqual([0, []]);
});
