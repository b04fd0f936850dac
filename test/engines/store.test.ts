import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryStore } from '../../src/engines/memory.js';
import { openSqliteStore } from '../../src/engines/sqlite.js';
import { conformance } from './conformance.js';

conformance({ name: 'memory', open: () => new MemoryStore(), reopen: null, clean: () => {} });

let dir = '';
const open = () => openSqliteStore(join(dir, 'crawl.sqlite'), { create: true, reads: 'calling' });
conformance({
  name: 'SQLite',
  open: () => {
    dir = mkdtempSync(join(tmpdir(), 'saunter-store-'));
    return open();
  },
  reopen: open,
  clean: () => rmSync(dir, { recursive: true }),
});
