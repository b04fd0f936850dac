import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TimeHeap } from '../../src/frontier/time-heap.js';

test('entries come out earliest first, those of one time in the order in which they went in', () => {
  const step = fc.oneof(fc.record({ time: fc.integer({ min: 0, max: 9 }) }), fc.constant('pop' as const));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const heap = new TimeHeap();
      const entries: { time: number; value: number }[] = [];
      for (const [value, step] of steps.entries()) {
        if (step === 'pop') {
          const first = entries.shift();
          if (first !== undefined) expect(heap).toMatchObject({ ...first, stamp: first.value * 2 });
          if (first !== undefined) heap.pop();
        } else {
          heap.push(step.time, value, value * 2);
          const at = entries.findIndex(({ time }) => time > step.time);
          entries.splice(at < 0 ? entries.length : at, 0, { time: step.time, value });
        }
        expect(heap.size).toBe(entries.length);
        expect(heap.time).toBe(entries[0]?.time ?? Number.POSITIVE_INFINITY);
      }
    }),
    { numRuns: 100 },
  );
});

test('an empty heap is due never, and grows beyond its first room', () => {
  const heap = new TimeHeap();
  expect(heap.time).toBe(Number.POSITIVE_INFINITY);
  heap.pop();
  expect(heap.size).toBe(0);
  for (let i = 1_000; i > 0; i--) heap.push(i, i);
  for (let i = 1; i <= 1_000; i++) {
    expect(heap.value).toBe(i);
    heap.pop();
  }
});
