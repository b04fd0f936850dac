import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { webAddress } from '../../src/sim/server-address.js';
import { type KillPlan, killTest } from '../support/kill.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'saunter-harness-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const HOSTS = 8;
const addresses = join(scratch, 'addresses.json');
const names = Array.from({ length: HOSTS }, (_, index) => `site-${index}.test`);
writeFileSync(addresses, JSON.stringify(Object.fromEntries(names.map((name) => [name, webAddress(name)]))));

const HONEST_MOMENTS = ['robots', 'commit', 'scan', 'segment', 'any'] as const;

/** A small kill test of the fake crawler. */
function plan(bug: string, changes: Partial<KillPlan> = {}): KillPlan {
  return {
    crawler: [process.execPath, join(root, 'test/support/fake-crawler.mjs'), `--bug=${bug}`, '--addresses', addresses],
    serverProgram: join(root, 'dist/sim/server-main.js'),
    dir: join(scratch, bug || 'honest'),
    ...{ hosts: HOSTS, pages: 8, delay: 60, seed: 1, progress: 0.06, deadline: 40_000 },
    moments: ['any'],
    ...changes,
  };
}

describe('the kill test', { timeout: 60_000, concurrent: true }, () => {
  test('finds nothing wrong with an honest crawler, and meets every moment', async () => {
    const report = await killTest(plan('', { moments: HONEST_MOMENTS }));
    expect(report.problems).toEqual([]);
    expect(report.kills.map((kill) => [kill.moment, kill.met])).toEqual(HONEST_MOMENTS.map((moment) => [moment, true]));
    expect(report.pages).toBe(HOSTS * 8);
  });

  test.each<[bug: string, sentence: RegExp, changes: Partial<KillPlan>]>([
    ['lose', /^lost: /, {}],
    ['twice', / is in the index 2 times$/, {}],
    ['hasty', / ms after its last answer; the delay is 60 ms$/, {}],
    ['lazy', / was fetched again although it had ended \d+ ms before kill 1 \(any\)$/, { delay: 200, progress: 0.5 }],
    ['forbidden', /^robots forbid /, { moments: [] }],
    ['unverifiable', / verify .* ended with exit code 1/, { moments: [] }],
  ])('catches a crawler with the fault "%s"', async (bug, sentence, changes) => {
    const { problems } = await killTest(plan(bug, changes));
    expect(problems.filter((problem) => sentence.test(problem))).not.toEqual([]);
  });
});
