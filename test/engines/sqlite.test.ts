/** What the SQLite store promises beyond the port: errors that a user can act on, other processes, a readable file. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/engines/database.js';
import { BatchError } from '../../src/engines/ports.js';
import { openSqliteReader, openSqliteStore, SqliteStore } from '../../src/engines/sqlite.js';
import { APPLICATION_ID, SCHEMA_VERSION } from '../../src/engines/sqlite-schema.js';
import { UserError } from '../../src/errors.js';
import { changes, crawled, everything, hostRow, urlRow, visitRow } from './rows.js';

let dir: string;
let path: string;
const opened: { close(): void }[] = [];
const keep = <T extends { close(): void }>(it: T): T => {
  opened.push(it);
  return it;
};
const open = (patience = 100) => keep(openSqliteStore(path, { create: true, reads: 'calling', patience }));

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'saunter-sqlite-'));
  path = join(dir, 'crawl.sqlite');
});
afterEach(() => {
  for (const it of opened.splice(0).reverse()) it.close();
  rmSync(dir, { recursive: true });
});

describe('opening', () => {
  const refusal = (run: () => unknown): string => {
    try {
      run();
    } catch (error) {
      expect(error).toBeInstanceOf(UserError);
      return (error as Error).message;
    }
    throw new Error('was not refused');
  };

  test('a crawl that is not there is not made unless asked for', () => {
    expect(refusal(() => openSqliteStore(path, { create: false }))).toContain('There is no crawl here');
    expect(refusal(() => openSqliteReader(path))).toContain('--dir');
    expect(existsSync(path)).toBe(false);
  });

  test("another program's database is refused and not touched", () => {
    const other = openDatabase(path);
    other.exec('CREATE TABLE notes (words TEXT)');
    other.close();
    const before = readFileSync(path);
    expect(refusal(() => open())).toContain('not a Saunter store');
    expect(refusal(() => openSqliteReader(path))).toContain('not a Saunter store');
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test.each<[number, ...string[]]>([
    [1, 'DROP COLUMN parser', 'DROP COLUMN fields', 'DROP COLUMN near', 'DROP COLUMN body_of', 'DROP COLUMN history'],
    [2, 'DROP COLUMN near', 'DROP COLUMN body_of', 'DROP COLUMN history'],
    [3, 'DROP COLUMN body_of', 'DROP COLUMN history'],
    [4],
  ])(
    'a store of version %i is brought up to date by the first writer, and readers say so until then',
    async (version, ...older) => {
      const store = open();
      await store.commit({ epoch: await store.beginEpoch(), sequence: 1, changes: crawled(0, 3) });
      store.close();
      const old = openDatabase(path);
      old.exec(`${older.map((change) => `ALTER TABLE visits ${change};`).join('\n')}
      ${version === 1 ? 'DROP TABLE reparsed;' : ''}
      DROP TABLE seeds;
      UPDATE meta SET value = '${version}' WHERE key = 'schema'; PRAGMA user_version = ${version}`);
      old.close();
      expect(refusal(() => openSqliteReader(path))).toContain('older Saunter');
      const again = open();
      expect([again.meta('schema'), again.count('reparsed'), again.count('seeds')]).toEqual([
        ...[String(SCHEMA_VERSION), 0, 0],
      ]);
      expect([...again.scan('visits')].flat()).toEqual(
        [0, 1, 2].map((id) => expect.objectContaining({ id, parser: 1, near: false })),
      );
      again.close();
      expect(keep(openSqliteReader(path)).count('visits')).toBe(3);
    },
  );

  test('a file that is no database at all is refused and not touched', () => {
    writeFileSync(path, 'My shopping list, longer than the header of a database file.'.repeat(50));
    expect(refusal(() => open())).toContain('not a Saunter store');
    expect(refusal(() => openSqliteReader(path))).toContain('not a Saunter store');
    expect(readFileSync(path, 'latin1')).toContain('shopping');
  });

  test('a store of a newer version is refused with both versions', () => {
    open().close();
    const db = openDatabase(path);
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    db.close();
    for (const run of [() => open(), () => openSqliteReader(path)]) {
      expect(refusal(run)).toContain(`store version ${SCHEMA_VERSION + 1}; this one reads up to ${SCHEMA_VERSION}`);
    }
  });

  test('a crawl that was killed while it made its store can begin again', async () => {
    openDatabase(path).close();
    writeFileSync(path, '');
    expect(refusal(() => openSqliteReader(path))).toContain('is empty');
    expect(refusal(() => openSqliteStore(path, { create: false }))).toContain('There is no crawl here');
    expect(await open().beginEpoch()).toBe(1);
  });

  test('a directory that is missing or cannot be written is named', () => {
    const nowhere = join(dir, 'missing', 'crawl.sqlite');
    const words = refusal(() => openSqliteStore(nowhere, { create: true }));
    expect(words).toContain(nowhere);
    expect(words).toContain('Check that its directory exists');
  });

  test('the file says whose it is, and which version', () => {
    open().close();
    const header = readFileSync(path).subarray(0, 100);
    expect([header.readUInt32BE(60), header.readUInt32BE(68)]).toEqual([SCHEMA_VERSION, APPLICATION_ID]);
    expect(keep(openSqliteReader(path)).meta('schema')).toBe(String(SCHEMA_VERSION));
  });

  test('a clean close leaves one file', async () => {
    const store = open();
    await store.beginEpoch();
    store.close();
    store.close();
    expect([existsSync(`${path}-wal`), existsSync(`${path}-shm`)]).toEqual([false, false]);
  });
});

describe('beside others', () => {
  test('a reader sees the commits as of its opening, the same in all tables', async () => {
    const store = open();
    const epoch = await store.beginEpoch();
    await store.commit({ epoch, sequence: 1, changes: crawled(0, 3000) });
    const reader = keep(openSqliteReader(path));
    await store.commit({ epoch, sequence: 2, changes: { ...crawled(3000, 500), meta: [['k', 'new']] } });
    for (const table of ['urls', 'requests', 'visits'] as const) {
      expect(reader.count(table)).toBe(3000);
      expect([...reader.scan(table)].flat()).toHaveLength(3000);
    }
    expect(reader.meta('k')).toBeNull();
    const later = keep(openSqliteReader(path));
    expect([later.count('urls'), later.meta('k')]).toEqual([3500, 'new']);
  });

  test('a reader that has begun keeps no commit from entering the file', async () => {
    const store = open();
    const epoch = await store.beginEpoch();
    await store.commit({ epoch, sequence: 1, changes: crawled(0, 3000) });
    const scan = keep(openSqliteReader(path)).scan('visits')[Symbol.iterator]();
    scan.next();
    await store.commit({ epoch, sequence: 2, changes: crawled(3000, 10) });
    const db = keep(openDatabase(path));
    expect(db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()).toMatchObject({ busy: 0, log: 0 });
    expect(scan.next().value).toHaveLength(1024);
  });

  test('a reader cannot write', async () => {
    open();
    const reader = keep(openSqliteReader(path));
    expect(Object.keys(reader)).not.toContain('commit');
    const db = keep(openDatabase(path, { readOnly: true }));
    expect(() => db.exec("INSERT INTO meta VALUES ('a', 'b')")).toThrow(/readonly/);
  });

  test('a commit waits while another program has a write open', async () => {
    const store = open(10_000);
    const epoch = await store.beginEpoch();
    const viewer = keep(openDatabase(path));
    viewer.exec('BEGIN IMMEDIATE');
    let ticks = 0;
    const timer = setInterval(() => ticks++, 5);
    const committed = store.commit({ epoch, sequence: 1, changes: crawled(0, 5) });
    setTimeout(() => viewer.exec('COMMIT'), 60);
    expect(await committed).toBe('committed');
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(1); // it waited without blocking
  });

  test('a write that stays open is named when the patience ends, and the batch can be sent again', async () => {
    const store = open(40);
    const epoch = await store.beginEpoch();
    const viewer = keep(openDatabase(path));
    viewer.exec('BEGIN IMMEDIATE');
    const batch = { epoch, sequence: 1, changes: crawled(0, 5) };
    const refused = store.commit(batch);
    await expect(refused).rejects.toThrow(UserError);
    await expect(refused).rejects.toThrow(/locked by another program/);
    viewer.exec('ROLLBACK');
    expect(await store.commit(batch)).toBe('committed');
  });
});

describe('when the disk refuses', () => {
  test('a full disk is named, keeps nothing of the batch, and the same batch goes in when there is room', async () => {
    open().close();
    const db = openDatabase(path);
    const store = keep(new SqliteStore(db, path, { create: true, reads: 'calling' }));
    const epoch = await store.beginEpoch();
    await store.commit({ epoch, sequence: 1, changes: crawled(0, 100) });
    db.exec('PRAGMA max_page_count = 40');
    const batch = { epoch, sequence: 2, changes: { ...crawled(100, 2000), meta: [['k', 'v']] as [string, string][] } };
    const refused = store.commit(batch);
    await expect(refused).rejects.toThrow(UserError);
    await expect(refused).rejects.toThrow(/The disk is full: .*crawl\.sqlite could not be written/);
    expect([store.lastBatch(), store.count('urls'), store.meta('k')]).toEqual([[epoch, 1], 100, null]);
    expect([...store.scan('urls')].flat()).toHaveLength(100);
    db.exec('PRAGMA max_page_count = 1000000');
    expect(await store.commit(batch)).toBe('committed');
    expect([store.count('visits'), store.meta('k')]).toEqual([2100, 'v']);
  });

  test('a row that SQL cannot hold fails its batch, not the store', async () => {
    const store = open();
    const epoch = await store.beginEpoch();
    for (const fault of [{ at: 1.5 }, { domain: null }, { budget: undefined }, { at: 'now' }, { at: null }]) {
      const hosts = [hostRow(0), hostRow(1, fault as object)];
      await expect(store.commit({ epoch, sequence: 1, changes: changes({ hosts }) })).rejects.toThrow(BatchError);
      expect(store.count('hosts')).toBe(0);
    }
    expect(await store.commit({ epoch, sequence: 1, changes: everything() })).toBe('committed');
  });
});

describe('for people', () => {
  const HOUR = 3_600_000;
  const T = Date.UTC(2026, 0, 1);

  test('pages shows each URL by its last visit, and how often it changed', async () => {
    const store = open();
    const epoch = await store.beginEpoch();
    const visits = [
      visitRow(0, { at: T, title: 'First', etag: '"1"' }),
      visitRow(1, { at: T + HOUR, changed: true, title: 'Second', simhash: '00000000000000ff' }),
      visitRow(2, {
        ...{ at: T + 2 * HOUR, changed: false, code: 'not-modified', status: 304, contentHash: null, simhash: null },
        ...{ title: '', etag: '"2"', nextVisit: T + 26 * HOUR },
      }),
    ];
    const urls = [urlRow(0, { keyHi: 0xff, keyLo: 0xfffffffe }), urlRow(1)];
    await store.commit({ epoch, sequence: 1, changes: changes({ hosts: [hostRow(0)], urls, visits }) });
    const db = keep(openDatabase(path, { readOnly: true }));
    expect(db.prepare('SELECT * FROM pages ORDER BY id').all()).toMatchObject([
      {
        host: 'www0.example.org',
        url_hash: '000000fffffffffe',
        url: urlRow(0).url,
        content_hash: '01'.repeat(32),
        simhash: '00000000000000ff',
        etag: '"2"',
        last_fetched: '2026-01-01T02:00:00.000Z',
        change_score: 0.5,
        next_fetch: '2026-01-02T02:00:00.000Z',
        status: 304,
        title: 'Second',
        visits: 3,
      },
      { url: urlRow(1).url, content_hash: null, last_fetched: null, change_score: null, next_fetch: null, visits: 0 },
    ]);
  });

  test('hosts_now shows the robots.txt in force, the delay and the budget', async () => {
    const store = open();
    const epoch = await store.beginEpoch();
    const c = everything();
    await store.commit({ epoch, sequence: 1, changes: c });
    const body = new TextEncoder().encode('User-agent: *\nDisallow: /a');
    const good = { ...c.robots[0], body, at: T };
    const failing = { ...good, body: null, failures: 1, failingSince: T + HOUR, at: T + HOUR, status: 503 };
    const gone = { ...failing, failures: 0, failingSince: null, at: T + 2 * HOUR, status: 404 };
    const db = keep(openDatabase(path, { readOnly: true }));
    const seen = [];
    for (const [i, row] of [good, failing, gone].entries()) {
      await store.commit({ epoch, sequence: i + 2, changes: changes({ robots: [row] }) });
      seen.push(db.prepare('SELECT * FROM hosts_now WHERE id = 0').get());
    }
    const text = 'User-agent: *\nDisallow: /a';
    expect(seen).toMatchObject([
      { host: 'www0.example.org', robots_txt: text, robots_fetched: '2026-01-01T00:00:00.000Z', delay_ms: 2100 },
      { url_budget: 10_000, robots_txt: text, robots_fetched: '2026-01-01T01:00:00.000Z', robots_status: 503 },
      { robots_txt: null, robots_fetched: '2026-01-01T02:00:00.000Z', robots_status: 404 },
    ]);
    expect(db.prepare('SELECT * FROM hosts_now WHERE id = 1').get()).toMatchObject({
      url_budget: null,
      last_event: 'asleep',
      delay_ms: 1234.5,
    });
  });

  test('every query and every column that docs/store.md names is there', async () => {
    const store = open();
    await store.commit({ epoch: await store.beginEpoch(), sequence: 1, changes: everything() });
    const page = readFileSync('docs/store.md', 'utf8');
    const db = keep(openDatabase(path, { readOnly: true }));
    const queries = [...page.matchAll(/```sql\n([^`]+)```|crawl\.sqlite "([^"]+)"/g)].map(
      (match) => match[1] ?? match[2],
    );
    expect(queries).toHaveLength(2);
    for (const query of queries) expect(db.prepare(query).all()).toBeInstanceOf(Array);
    const columns = (table: string): string[] =>
      (db.prepare('SELECT name FROM pragma_table_info(?) ORDER BY name').all(table) as { name: string }[]).map(
        (column) => column.name,
      );
    for (const view of ['pages', 'hosts_now']) {
      const [, paragraph] = new RegExp(`\\*\\*\`${view}\`\\*\\*([^*]+?)\\n\\n`).exec(page)!;
      const named = [...paragraph.matchAll(/`(\w+)`/g)].map((match) => match[1]).sort();
      expect(named).toEqual(columns(view));
    }
    const tables = [...page.matchAll(/^\| `(\w+)` \|/gm)].map((match) => match[1]).sort();
    const there = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
    expect(there).toEqual(tables.map((name) => expect.objectContaining({ name })));
  });
});
