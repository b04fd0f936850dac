/** The order of the hosts in the dashboard. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HOST_SORTS, HostOrder } from '../../src/embedded/host-order.js';
import { Watch } from '../../src/embedded/watch.js';
import { HostTable } from '../../src/frontier/host-table.js';

/** As many hosts as take several slices. */
function crowd(count: number, seed: number): { hosts: HostTable; watch: Watch } {
  const hosts = new HostTable();
  const watch = new Watch();
  const scatter = (n: number): number => Math.imul(n + seed, 0x9e3779b1) >>> 0;
  for (let id = 0; id < count; id++) {
    hosts.append(`www${scatter(id) % 50_000}.site${id}.test`, `site${id}.test`, null, false, 0);
    hosts.queued[id] = scatter(id) % 7;
  }
  const row = { url: -1, address: '', kind: 'page', target: '', started: 0, status: 200, code: 'ok' } as const;
  for (let id = 0; id < 500; id++) {
    const host = scatter(id) % count;
    const rest = { id, bytes: scatter(id) % 1e6, ended: 1000 + id, delay: 0, addressDelay: 0, record: null };
    watch.committed({ requests: [{ ...row, ...rest, host }], visits: [] });
  }
  return { hosts, watch };
}

test('each order is that of a plain sort: by the figure, and by age where it is equal', async () => {
  const { hosts, watch } = crowd(20_000, 1);
  const ids = Array.from({ length: hosts.size }, (_, id) => id);
  const figures = {
    pending: (id: number) => hosts.queued[id],
    requests: (id: number) => watch.requests[id] ?? 0,
    failures: (id: number) => watch.failures[id] ?? 0,
    bytes: (id: number) => Math.floor((watch.bytes[id] ?? 0) / 1024),
    recent: (id: number) => Math.floor((watch.lastAt[id] ?? 0) / 10),
  };
  let now = 0;
  const order = new HostOrder(hosts, watch, () => now);
  for (const sort of HOST_SORTS) {
    const names = (a: number, b: number): number => (hosts.names[a] < hosts.names[b] ? -1 : 1);
    const plain =
      sort === 'name' ? ids.toSorted(names) : ids.toSorted((a, b) => figures[sort](a) - figures[sort](b) || b - a);
    expect([...(await order.of({ sort, order: 'asc', search: '' }))]).toEqual(plain);
    const found = plain.filter((id) => hosts.names[id].includes('www77')).reverse();
    expect([...(await order.of({ sort, order: 'desc', search: 'www77' }))]).toEqual(found);
    now += 1;
  }
});

test('hosts that come later find their places among those that were sorted', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 5 }), async (steps) => {
      const { hosts, watch } = crowd(10, steps.length);
      let now = 0;
      const order = new HostOrder(hosts, watch, () => now);
      for (const more of [0, ...steps]) {
        for (let i = 0; i < more; i++) hosts.append(`w${(i * 7919) % 97}.${hosts.size}.test`, 'x.test', null, false, 0);
        now += 10_000; // what was kept is over
        const sorted = [...(await order.of({ sort: 'name', order: 'asc', search: '' }))].map((id) => hosts.names[id]);
        expect(sorted).toEqual([...hosts.names].sort());
      }
    }),
    { numRuns: 20, seed: 1 },
  );
});
