import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AddressTable } from '../../src/frontier/address-table.js';

test('the line of an address is first come, first served, but for those that come first and those that leave', () => {
  const step = fc.record({ host: fc.nat(9), what: fc.constantFrom('queue', 'first', 'shift', 'leave') });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const table = new AddressTable();
      const id = table.intern('192.0.2.1');
      const line: number[] = [];
      for (const { host, what } of steps) {
        if (what === 'shift') expect(table.shift(id)).toBe(line.shift() ?? -1);
        else if (what === 'leave') {
          table.leave(id, host);
          if (line.includes(host)) line.splice(line.indexOf(host), 1);
        } else if (!line.includes(host)) {
          if (what === 'first') table.queueFirst(id, host);
          else table.queue(id, host);
          line.splice(what === 'first' ? 0 : line.length, 0, host);
        }
        expect(table.waiting(id)).toBe(line.length);
      }
    }),
    { numRuns: 150 },
  );
});

test('a long line is served to its end, in order', () => {
  const table = new AddressTable();
  const id = table.intern('192.0.2.1');
  for (let host = 0; host < 5_000; host++) table.queue(id, host);
  for (let host = 0; host < 5_000; host++) expect(table.shift(id)).toBe(host);
  expect([table.shift(id), table.waiting(id)]).toEqual([-1, 0]);
});

test('a place is taken by a request or by a promise, and free after it', () => {
  const table = new AddressTable();
  const id = table.intern('192.0.2.1');
  const other = table.intern('192.0.2.2');
  table.promise(id);
  expect([table.isPlaceFree(id), table.isPlaceFree(other)]).toEqual([false, true]);
  table.breakPromise(id);
  table.start(id);
  expect([table.isPlaceFree(id), table.inFlight(id)]).toEqual([false, 1]);
  table.end(id);
  expect(table.isPlaceFree(id)).toBe(true);
  expect(table.intern('192.0.2.1')).toBe(id);
});

test('the clock of an address only goes forward, and new addresses owe what newcomers owe', () => {
  const table = new AddressTable();
  const id = table.intern('192.0.2.1');
  table.owe(id, 500);
  table.owe(id, 300);
  expect(table.nextAt(id)).toBe(500);
  table.newcomersAt = 9_000;
  const ids = Array.from({ length: 3_000 }, (_, i) => table.intern(`2001:db8::${i.toString(16)}`));
  expect(ids.every((id) => table.nextAt(id) === 9_000)).toBe(true);
  expect(table.nextAt(id)).toBe(500);
});
