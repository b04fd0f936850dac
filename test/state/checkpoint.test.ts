import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { noChanges } from '../../src/changes.js';
import type { StoreReader } from '../../src/engines/ports.js';
import { seededRandom } from '../../src/engines/system.js';
import { Frontier } from '../../src/frontier/frontier.js';
import type { FrontierOptions } from '../../src/frontier/lease.js';
import { simulate } from '../../src/sim/simulation.js';
import { REAL_PARTS } from '../../src/sim/simulation-world.js';
import { Checkpointer, type CheckpointIdentity } from '../../src/state/checkpoint.js';
import type { LastStop } from '../../src/state/rebuild.js';
import { changesOf, IDENTITY, lastBatch, Memory, prefixOf, withContents } from './memory.js';

const CLEAN: LastStop = { clean: true, leases: [] };

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'checkpoint-'));
  path = join(dir, 'checkpoint', 'state');
});
afterEach(() => rmSync(dir, { recursive: true }));

/** The store that a simulated crawl leaves, and its last start. */
function crawled(seed: number): { store: StoreReader; options: FrontierOptions; now: number } {
  let store: StoreReader | null = null;
  let options: FrontierOptions | null = null;
  let now = 0;
  const parts = {
    frontier: (given: FrontierOptions, random: ReturnType<typeof seededRandom>) => {
      options = given;
      return new Frontier(given, random);
    },
    rebuild: (...[reader, ...rest]: Parameters<typeof REAL_PARTS.rebuild>) => {
      store = reader;
      now = rest[2];
      return REAL_PARTS.rebuild(reader, ...rest);
    },
  };
  const { violation } = simulate({ seed, hosts: 8, pages: 15, crashes: 5, parts });
  if (violation !== null) throw new Error(violation);
  const revisit = { policy: 'adaptive', min: 1, max: 1e9, first: 86_400_000, every: 1e9, perDay: null } as const;
  const rows = withContents(store!, seed);
  // a third of the crawls start with a clock that was set back since the last rows
  const ended = Math.max(...[...rows.scan('requests')].flat().map((row) => row.ended));
  const at = seed % 3 === 0 ? now - 86_400_000 : Math.max(now, ended + 1000);
  return { store: rows, options: { ...options!, ...(seed % 2 === 0 && { revisit }) }, now: at };
}

/** Writes a checkpoint as of batch `at` by a crawl that goes on to batch `until` meanwhile, as in the loop: decisions are
 * in memory before their rows are committed. */
async function write(store: StoreReader, options: FrontierOptions, now: number, at: number, until = at): Promise<void> {
  const memory = new Memory(options).start(prefixOf(store, at), CLEAN, now);
  const { frontier, seen, tally, committed, rebuilt, parts } = memory;
  const decide = (batch: number): void => {
    for (const row of changesOf(store, batch).visits) {
      memory.duplicates.restore(row);
      memory.settled++;
    }
    for (const row of changesOf(store, batch).robots)
      memory.desk.restore(frontier.robots.of(row.origin, row.host), row);
  };
  let seenBatch = at;
  const view = (): StoreReader => prefixOf(store, seenBatch);
  const live: StoreReader = {
    ...view(),
    count: (table) => view().count(table),
    at: (table, places) => store.at(table, places),
  };
  let settle = (): void => {};
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const settings = { path, rows: 1, durable: () => settled, say: (words: string) => expect.unreachable(words) };
  const written = { projection: rebuilt!.projection, seen, urls: frontier.urls, tally, committed, parts };
  const checkpoints = new Checkpointer(written, live, IDENTITY, settings, 1);
  if (at < until) decide(at + 1); // what is open when the checkpoint begins
  checkpoints.committed(noChanges());
  settings.rows = Number.POSITIVE_INFINITY;
  for (let batch = at + 1; batch <= until; batch++) {
    const changes = changesOf(store, batch);
    for (const { keyHi, keyLo, host, level } of changes.urls)
      seen.insert(keyHi, keyLo, frontier.urls.append(host, level));
    if (batch < until) decide(batch + 1);
    await nextTurn();
    seenBatch = batch;
    tally.add(changes);
    committed.add(changes);
    checkpoints.committed(changes);
  }
  settle();
  await checkpoints.stop(true);
}

describe('a crawl that starts from a checkpoint and the rows after it', () => {
  test.each([11, 12, 13, 14, 15, 16])('knows what one knows that reads all rows (seed %i)', async (seed) => {
    const { store, options, now } = crawled(seed);
    const last = lastBatch(store);
    const random = seededRandom(seed);
    const whole = new Memory(options).start(store, CLEAN, now).picture();
    const unclean: LastStop = { clean: false, leases: [{ url: 0, host: 0, kind: 'page', at: now - 5 }] };
    const wholeUnclean = new Memory(options).start(store, unclean, now).picture();
    for (let i = 0; i < 4; i++) {
      const at = i === 0 ? last : 1 + Math.floor(random.next() * last);
      const until = Math.min(last, at + Math.floor(random.next() * 40));
      await write(store, options, now, at, until);
      const memory = new Memory(options).start(store, CLEAN, now, path);
      expect(memory.reason).toBe(null);
      expect(memory.picture(), `batch ${at} to ${until} of ${last}`).toEqual(whole);
      expect(new Memory(options).start(store, unclean, now, path).picture()).toEqual(wholeUnclean);
    }
  });
});

test('a clock that was set back since a checkpoint makes nobody wait for longer than the rows do', async () => {
  const { store, options, now } = crawled(17);
  await write(store, options, now, lastBatch(store));
  const back = now - 86_400_000;
  const whole = new Memory(options).start(store, CLEAN, back).picture();
  const memory = new Memory(options).start(store, CLEAN, back, path);
  expect(memory.reason).toBe(null);
  expect(memory.picture()).toEqual(whole);
});

describe('a checkpoint in doubt is not used, and all rows are read', () => {
  const world = crawled(21);
  const { store, options, now } = world;
  const last = lastBatch(store);
  const whole = new Memory(options).start(store, CLEAN, now).picture();

  const refused = (reader = store): string | null => {
    const memory = new Memory(options).start(reader, CLEAN, now, path);
    if (reader === store) expect(memory.picture()).toEqual(whole);
    return memory.reason;
  };

  test('when one byte of it is another, wherever it is', async () => {
    await write(store, options, now, last);
    const good = readFileSync(path);
    expect(refused()).toBe(null);
    const random = seededRandom(3);
    for (let i = 0; i < 40; i++) {
      const bad = Buffer.from(good);
      const at = i < 32 ? i : Math.floor(random.next() * bad.length);
      bad[at] ^= 1 << Math.floor(random.next() * 8);
      writeFileSync(path, bad);
      expect(refused(), `byte ${at}`).toMatch(/damaged|cut short|whose|other/);
    }
  });

  test('when it was cut short, by a byte or a block', async () => {
    await write(store, options, now, last);
    const { size } = statSync(path);
    for (const length of [size - 1, size - 32, size - 33, 100, 31, 0]) {
      await write(store, options, now, last);
      truncateSync(path, length);
      expect(refused(), `${length} of ${size} bytes`).toMatch(/cut short|damaged/);
    }
  });

  test('when it is of another crawl, another store version, or other options', async () => {
    await write(store, options, now, last);
    const original = { ...IDENTITY };
    const wrong: [keyof CheckpointIdentity, RegExp][] = [
      ['crawl', /another crawl/],
      ['schema', /another version/],
      ['options', /other options/],
    ];
    for (const [field, words] of wrong) {
      IDENTITY[field] = 'other';
      expect(refused()).toMatch(words);
      IDENTITY[field] = original[field];
    }
    expect(refused()).toBe(null);
  });

  test('when the store is an older copy, or went another way after one', async () => {
    await write(store, options, now, last);
    expect(refused(prefixOf(store, last - 3))).toMatch(/older/);
    const other: StoreReader = {
      ...prefixOf(store, last),
      at: (table, places) =>
        store.at(table, places).map((row) => ('keyHi' in row ? { ...row, keyHi: row.keyHi ^ 1 } : row)) as never,
    };
    const memory = new Memory(options).start(other, CLEAN, now, path);
    expect(memory.reason).toMatch(/rows are others/);
  });

  test('when a later version of Saunter may have put something else into the same place', async () => {
    await write(store, options, now, last);
    const bytes = readFileSync(path);
    writeFileSync(path, Buffer.concat([bytes, Buffer.from('more')]));
    expect(refused()).toMatch(/damaged/);
  });
});

test('a checkpoint that cannot be written leaves the last one, and says so', async () => {
  const { store, options, now } = crawled(22);
  const last = lastBatch(store);
  await write(store, options, now, last - 2);
  const before = readFileSync(path);
  const memory = new Memory(options).start(store, CLEAN, now);
  const { frontier, seen, tally, committed, rebuilt, parts: told } = memory;
  const said: string[] = [];
  const parts = { projection: rebuilt!.projection, seen, urls: frontier.urls, tally, committed, parts: told };
  const settings = {
    ...{ path, rows: 1, say: (words: string) => said.push(words) },
    durable: () => Promise.reject(new Error('the disk is full')),
  };
  const checkpoints = new Checkpointer(parts, store, IDENTITY, settings, 1);
  await checkpoints.stop(true);
  expect(said).toEqual([expect.stringContaining('the disk is full')]);
  expect(readFileSync(path).equals(before)).toBe(true);
});
