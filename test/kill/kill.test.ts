import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { killTest } from '../support/kill.js';
import { SMALL } from '../support/kill-plans.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('a crawl killed ten times loses no page, fetches none twice without need and breaks no delay', {
  timeout: 180_000,
}, async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'saunter-kill-'));
  const report = await killTest({
    ...SMALL,
    crawler: [process.execPath, join(root, 'bin/saunter.js')],
    serverProgram: join(root, 'dist/sim/server-main.js'),
    dir: join(scratch, 'crawl'),
  });
  expect(report.problems).toEqual([]);
  expect(report.kills.filter((kill) => kill.moment !== 'scan')).toHaveLength(10);
  expect(report.pages).toBe(SMALL.hosts * SMALL.pages);
  // Only a crawl that kept every promise is thrown away.
  rmSync(scratch, { recursive: true, force: true });
});
