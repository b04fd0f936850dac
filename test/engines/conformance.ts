/** What every engine of the port `Store` must do. Each test states a promise of engines/ports.ts. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Changes } from '../../src/changes.js';
import { noChanges } from '../../src/changes.js';
import { TABLE_NAMES } from '../../src/engines/batch-rules.js';
import { BatchError, FencedError, type Store, type TableName } from '../../src/engines/ports.js';
import {
  changes,
  crawled,
  everything,
  hostRow,
  reparsedRow,
  requestRow,
  segmentRow,
  urlRow,
  visitRow,
} from './rows.js';

export interface Engine {
  name: string;
  /** A new, empty store. */
  open(): Store;
  /** The same store as another process would see it after this one died; null where nothing outlives the object. */
  reopen: (() => Store) | null;
  clean(): void;
}

const all = <T extends TableName>(store: Store, table: T, from?: number) => [...store.scan(table, from)].flat();

export function conformance(engine: Engine): void {
  describe(`the store on ${engine.name}`, () => {
    let store: Store;
    let epoch: number;
    let sequence: number;
    const commit = (c: Changes) => store.commit({ epoch, sequence: ++sequence, changes: c });

    beforeEach(async () => {
      store = engine.open();
      epoch = await store.beginEpoch();
      sequence = 0;
    });
    afterEach(() => {
      store.close();
      engine.clean();
    });

    test('gives back every field of every table as it was committed', async () => {
      const rows = everything();
      expect(await commit(rows)).toBe('committed');
      for (const table of TABLE_NAMES) {
        expect(store.count(table)).toBe(rows[table].length);
        expect(all(store, table)).toEqual(rows[table].map((row) => ({ ...row, batch: 1 })));
      }
      expect(store.meta('scope')).toBe('["example.org"]');
      expect(store.meta('unknown')).toBeNull();
    });

    test('begins with nothing, and knows the place of its last batch', async () => {
      expect(epoch).toBe(1);
      expect(store.lastBatch()).toEqual([1, 0]);
      for (const table of TABLE_NAMES) expect([store.count(table), all(store, table)]).toEqual([0, []]);
      await commit(changes({ hosts: [hostRow(0)] }));
      await commit(noChanges());
      expect(store.lastBatch()).toEqual([1, 2]);
    });

    test('answers a batch that is sent again with already, and changes nothing', async () => {
      const batch = { epoch, sequence: 1, changes: crawled(0, 5) };
      expect(await store.commit(batch)).toBe('committed');
      expect(await store.commit(batch)).toBe('already');
      expect(store.count('urls')).toBe(5);
      expect(await store.commit({ epoch, sequence: 2, changes: crawled(5, 5) })).toBe('committed');
      expect(all(store, 'urls').map((row) => row.batch)).toEqual([1, 1, 1, 1, 1, 2, 2, 2, 2, 2]);
    });

    test('fences off the batches of an older epoch', async () => {
      await commit(crawled(0, 1));
      const next = await store.beginEpoch();
      expect(next).toBe(epoch + 1);
      expect(store.lastBatch()).toEqual([next, 0]);
      await expect(commit(crawled(1, 1))).rejects.toThrow(FencedError);
      await expect(store.commit({ epoch, sequence: 1, changes: crawled(0, 1) })).rejects.toThrow(FencedError);
      expect(store.count('urls')).toBe(1);
      expect(await store.commit({ epoch: next, sequence: 1, changes: crawled(1, 1) })).toBe('committed');
      expect(all(store, 'urls').map((row) => row.batch)).toEqual([1, 2]);
    });

    test('refuses a batch out of order: a lost one is noticed', async () => {
      await commit(crawled(0, 1));
      for (const [e, s] of [
        [epoch, 3],
        [epoch, 0],
        [epoch, -1],
        [epoch + 1, 1],
        [epoch + 1, 2],
      ]) {
        await expect(store.commit({ epoch: e, sequence: s, changes: noChanges() })).rejects.toThrow(BatchError);
      }
      expect(store.lastBatch()).toEqual([epoch, 1]);
    });

    const faults: [string, () => Partial<Changes>][] = [
      ['an id that skips one', () => ({ urls: [urlRow(20), urlRow(22)] })],
      ['an id that is taken', () => ({ urls: [urlRow(19)] })],
      ['an id that is not a number', () => ({ visits: [visitRow(Number.NaN, { url: 1 })] })],
      ['a URL of an unknown host', () => ({ urls: [urlRow(20, { host: 9 })] })],
      ['a visit of an unknown URL', () => ({ visits: [visitRow(20, { url: 21 })] })],
      ['a visit whose body an unknown visit has', () => ({ visits: [visitRow(20, { bodyOf: 21 })] })],
      ['a visit of an unknown request', () => ({ visits: [visitRow(20, { request: 20 })] })],
      ['a request to an unknown host', () => ({ requests: [requestRow(20, { host: -1 })] })],
      ['a second reading of an unknown visit', () => ({ reparsed: [reparsedRow(0, { visit: 20 })] })],
      ['a second reading that skips an id', () => ({ reparsed: [reparsedRow(1)] })],
      [
        'a pointer into an unknown segment',
        () => ({ requests: [requestRow(20, { record: { segment: 1, offset: 0, length: 1 } })] }),
      ],
      ['a segment that skips an id', () => ({ segments: [segmentRow(2)] })],
      ['a denial of an unknown URL', () => ({ denied: [{ url: 20, at: 1, denied: true }] })],
    ];
    for (const [fault, rows] of faults) {
      test(`keeps nothing of a batch with ${fault}, and takes the next one in its place`, async () => {
        await commit(crawled(0, 20));
        const bad = changes({ hosts: [hostRow(1)], meta: [['touched', 'yes']], ...rows() });
        await expect(store.commit({ epoch, sequence: 2, changes: bad })).rejects.toThrow(BatchError);
        expect([store.count('hosts'), store.count('urls'), store.count('visits')]).toEqual([1, 20, 20]);
        expect(store.meta('touched')).toBeNull();
        expect(store.lastBatch()).toEqual([epoch, 1]);
        expect(await store.commit({ epoch, sequence: 2, changes: crawled(20, 1) })).toBe('committed');
        expect(all(store, 'urls')).toHaveLength(21);
      });
    }

    test('yields each row once, in the order of insertion, from any row on', async () => {
      for (let i = 0; i < 3; i++) await commit(crawled(i * 1500, 1500));
      for (const from of [0, 1, 1499, 1500, 2048, 4499, 4500, 9000]) {
        const ids = all(store, 'visits', from).map((row) => row.id);
        expect(ids).toEqual(Array.from({ length: Math.max(0, 4500 - from) }, (_, i) => from + i));
      }
      for (const chunk of store.scan('urls')) expect(chunk.length).toBeLessThanOrEqual(4096);
    });

    test('gives rows by their places, in the order asked', async () => {
      await commit(crawled(0, 3000));
      await commit(changes({ denied: [{ url: 7, at: 1, denied: true }] }));
      const places = [2999, 0, 1024, 0];
      expect(store.at('urls', places)).toEqual(places.map((id) => ({ ...urlRow(id), batch: 1 })));
      expect(store.at('visits', places).map(({ id }) => id)).toEqual(places);
      expect(store.at('denied', [0])).toEqual([{ url: 7, at: 1, denied: true, batch: 2 }]);
      expect(store.at('urls', [])).toEqual([]);
      for (const place of [3000, -1]) expect(() => store.at('urls', [place])).toThrow(RangeError);
    });

    test('sees whole batches up to its beginning while others are committed', async () => {
      await commit(crawled(0, 3000));
      const seen: number[] = [];
      for (const chunk of store.scan('urls')) {
        seen.push(...chunk.map((row) => row.id));
        await commit(crawled(store.count('urls'), 10));
      }
      expect(seen).toEqual(Array.from({ length: 3000 }, (_, i) => i));
      expect(all(store, 'urls')).toHaveLength(store.count('urls'));
    });

    test('keeps the last value of a small fact', async () => {
      await commit(changes({ meta: [['k', '1'], ['k', '2'], ['l', 'ä']] })); // biome-ignore format: one batch
      await commit(changes({ meta: [['k', '3']] }));
      expect([store.meta('k'), store.meta('l')]).toEqual(['3', 'ä']);
    });

    test('replaces only what text cannot hold', async () => {
      await commit(changes({ hosts: [hostRow(0)], urls: [urlRow(0)] }));
      const title = 'a\0b \ud800 c \u{1f600} \u0001\u007f\ufeff "\'`';
      await commit(changes({ visits: [visitRow(0, { title, etag: '\0' })] }));
      expect(all(store, 'visits')[0]).toMatchObject({ title: 'a�b � c \u{1f600} \u0001\u007f\ufeff "\'`', etag: '�' });
    });

    test('is not changed by what happens to the rows afterwards', async () => {
      const c = everything();
      await commit(c);
      c.urls[0].url = 'changed';
      c.visits[0].contentHash!.fill(9);
      c.visits[0].record!.offset = -5;
      const rows = everything();
      expect(all(store, 'urls')[0].url).toBe(rows.urls[0].url);
      expect(all(store, 'visits')[0]).toEqual({ ...rows.visits[0], batch: 1 });
      all(store, 'urls')[0].url = 'changed';
      expect(all(store, 'urls')[0].url).toBe(rows.urls[0].url);
    });

    test('finds URLs by id, in the order asked, with what is known of the visits named', async () => {
      await commit(crawled(0, 100));
      const same = { code: 'not-modified', contentHash: null, payloadDigest: null, simhash: null } as const;
      await commit(
        changes({
          visits: [
            visitRow(100, { url: 7, etag: 'W/"new"', lastModified: null, history: '60-', bodyOf: 7, ...same }),
            visitRow(101, { url: 8, code: 'http.gone', status: 404, finalUrl: 'http://x.test/', contentHash: null }),
          ],
        }),
      );
      const found = await store.readUrls([42, 7, 7, 0, 8], [42, 100, 7, -1, 101]);
      const known = (id: number, visit: number) => {
        const { at, nextVisit, history, etag, lastModified, code, finalUrl, contentHash, ...row } = visitRow(visit);
        const { payloadDigest, simhash, duplicateOf } = row;
        const target = finalUrl ?? urlRow(id).url;
        const body = { visit, at, target, contentHash, payloadDigest, simhash };
        const last = { visit, at, nextVisit, history, found: code === 'ok', duplicateOf, etag, lastModified, body };
        return { id, url: urlRow(id).url, kind: 'page', depth: 3, hops: 0, last };
      };
      const seven = known(7, 7);
      const gone = known(8, 101);
      expect(found).toEqual([
        known(42, 42),
        { ...seven, last: { ...seven.last, visit: 100, history: '60-', etag: 'W/"new"', lastModified: null } },
        seven,
        { ...known(0, 0), last: null },
        {
          ...gone,
          last: {
            ...gone.last,
            found: false,
            body: { ...gone.last.body, target: 'http://x.test/', contentHash: null },
          },
        },
      ]);
      await expect(store.readUrls([100], [-1])).rejects.toThrow(RangeError);
      await expect(store.readUrls([1], [101])).rejects.toThrow(RangeError);
      await expect(store.readUrls([1], [2])).rejects.toThrow(RangeError);
      await expect(store.readUrls([1, 2], [1])).rejects.toThrow(RangeError);
      expect(await store.readUrls([], [])).toEqual([]);
    });

    test('finds visits by id with the URL that answered', async () => {
      await commit(everything());
      const [first, second] = everything().visits;
      expect(await store.readVisits([1, 0])).toEqual([
        { visit: 1, url: 1, target: urlRow(1).url, at: second.at, payloadDigest: null, contentHash: null },
        {
          visit: 0,
          url: 0,
          target: 'https://example.org/b/',
          at: first.at,
          payloadDigest: first.payloadDigest,
          contentHash: first.contentHash,
        },
      ]);
      await expect(store.readVisits([2])).rejects.toThrow(RangeError);
    });

    test('gives back the bodies of robots.txt by the places of their rows', async () => {
      await commit(everything());
      const bodies = everything().robots.map(({ body }) => body);
      expect(bodies.length).toBeGreaterThan(1);
      const places = bodies.map((_, place) => place).reverse();
      const read = await store.readRobots(places);
      expect(read.map((body) => body && Buffer.from(body).toString())).toEqual(
        places.map((place) => bodies[place] && Buffer.from(bodies[place]).toString()),
      );
      await expect(store.readRobots([bodies.length])).rejects.toThrow(RangeError);
    });

    test('commits in the order of the calls, also when none is awaited', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => commit(crawled(i * 10, 10))));
      expect(answers).toEqual(Array(20).fill('committed'));
      expect(store.count('visits')).toBe(200);
    });

    const { reopen } = engine;
    if (reopen !== null) {
      test('a store opened again knows all that was committed, and goes on', async () => {
        await commit(everything());
        store.close();
        store = reopen();
        expect(store.lastBatch()).toEqual([epoch, 1]);
        expect(store.meta('scope')).toBe('["example.org"]');
        const rows = everything();
        for (const table of TABLE_NAMES) {
          expect(all(store, table)).toEqual(rows[table].map((row) => ({ ...row, batch: 1 })));
        }
        expect(await store.commit({ epoch, sequence: 1, changes: rows })).toBe('already');
        const more = changes({ urls: [urlRow(2)], segments: [segmentRow(2)] });
        expect(await store.commit({ epoch: await store.beginEpoch(), sequence: 1, changes: more })).toBe('committed');
        expect(all(store, 'urls')[2]).toEqual({ ...urlRow(2), batch: 2 });
      });

      test('two writers: the one whose epoch is older is fenced, the other loses nothing', async () => {
        await commit(crawled(0, 2));
        const other = reopen();
        try {
          const newer = await other.beginEpoch();
          await expect(commit(crawled(2, 2))).rejects.toThrow(FencedError);
          expect(await other.commit({ epoch: newer, sequence: 1, changes: crawled(2, 3) })).toBe('committed');
          expect(all(other, 'urls')).toHaveLength(5);
        } finally {
          other.close();
        }
      });
    }
  });
}
