import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/engines/database.js';
import { openSqliteReader, openSqliteStore } from '../../src/engines/sqlite.js';
import { changes, hostRow, requestRow } from './rows.js';

test('a store whose crawl was killed while it turned its log on or off can be read, as it was committed', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'saunter-rollback-'));
  const [path, copy] = [join(dir, 'a.sqlite'), join(dir, 'b.sqlite')];
  const store = openSqliteStore(path, { create: true });
  const epoch = await store.beginEpoch();
  const requests = Array.from({ length: 2_000 }, (_, id) => requestRow(id));
  await store.commit({ epoch, sequence: 1, changes: changes({ hosts: [hostRow(0)], requests }) });
  store.close();
  // a transaction of a rollback journal, as it lies on the disk in the middle
  const db = openDatabase(path, {});
  db.exec('PRAGMA journal_mode = DELETE; PRAGMA cache_size = 2; BEGIN IMMEDIATE; DELETE FROM requests');
  copyFileSync(path, copy);
  copyFileSync(`${path}-journal`, `${copy}-journal`);
  db.exec('ROLLBACK');
  db.close();
  expect(() => {
    const raw = openDatabase(copy, { readOnly: true });
    raw.prepare('SELECT count(*) FROM requests').get();
  }).toThrow();
  const reader = openSqliteReader(copy);
  expect(reader.count('requests')).toBe(2_000);
  reader.close();
  rmSync(dir, { recursive: true, force: true });
});
