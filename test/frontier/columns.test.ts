import { describe, expect, test } from 'vitest';
import { PlainColumns, Uint8Column, Uint32Column } from '../../src/columns.js';

const SEGMENT = 2 ** 20;

describe('columns in segments', () => {
  test.each([['bytes', Uint8Column, Uint8Array] as const, ['32-bit numbers', Uint32Column, Uint32Array] as const])(
    '%s read back as they were set on both sides of a segment border, and unset rows are 0',
    (_, Column, Values) => {
      const column = new Column();
      for (let row = SEGMENT - 2; row < SEGMENT + 2; row++) column.set(row, row & 0x7f);
      expect([SEGMENT - 2, SEGMENT - 1, SEGMENT, SEGMENT + 1].map((row) => column.get(row))).toEqual([126, 127, 0, 1]);
      expect([column.get(5), column.get(9 * SEGMENT)]).toEqual([0, 0]);
      expect(column.bytes).toBe(2 * SEGMENT * Values.BYTES_PER_ELEMENT);

      const copy = new Column();
      const whole = new Values(SEGMENT + 2);
      whole.set(column.view(0, SEGMENT), 0);
      whole.set(column.view(SEGMENT, 2), SEGMENT);
      copy.fill(3, whole as never);
      for (const row of [0, 5, SEGMENT - 2, SEGMENT - 1, SEGMENT + 1])
        expect(copy.get(row + 3), `row ${row}`).toBe(column.get(row));
      expect(column.view(7 * SEGMENT, 10)).toHaveLength(0);
      copy.clear();
      expect(copy.get(SEGMENT)).toBe(0);
    },
  );
});

test('plain columns grow in place: the array that was handed out sees the new rows, and they are 0', () => {
  const columns = new PlainColumns();
  const times = columns.add(Float64Array);
  const lists = columns.add(Uint32Array, 6);
  times[7] = 1.5;
  const before = times.length;
  columns.reserve(1_000_000);
  expect(times.length).toBeGreaterThanOrEqual(1_000_000);
  expect(lists.length).toBe(6 * times.length);
  expect([times[7], times[before], times[999_999]]).toEqual([1.5, 0, 0]);
  expect(columns.bytes).toBe(times.length * (8 + 24));
});
