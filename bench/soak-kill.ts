/** `npm run soak -- kill [--seed N] [--rounds N]`: the big form of the kill test; one line a kill, then the verdict. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { killTest } from '../test/support/kill.js';
import { BIG } from '../test/support/kill-plans.js';
import { programFile } from './program.js';

/** Runs rounds with seeds that follow each other; true if every promise was kept. A round that failed leaves its
 * directory. */
export async function soakKill(args: readonly string[]): Promise<boolean> {
  const { values: flags } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string', default: '1' },
      rounds: { type: 'string', default: '1' },
      crawler: { type: 'string', default: programFile },
    },
  });
  const say = (line: string) => process.stdout.write(`${line}\n`);
  let kept = true;
  for (let round = 0; round < Number(flags.rounds); round++) {
    const seed = Number(flags.seed) + round;
    const scratch = mkdtempSync(join(tmpdir(), 'saunter-kill-'));
    say(`seed ${seed}: ${BIG.hosts} hosts x ${BIG.pages} pages, ${BIG.delay} ms apart`);
    const report = await killTest({
      ...{ ...BIG, seed, say },
      crawler: [process.execPath, flags.crawler],
      dir: join(scratch, 'crawl'),
    });
    const { kills, runs, seconds, requests, repeated, pages, problems } = report;
    say(
      `${kills.length} kills, ${runs} runs, ${seconds.toFixed(0)} s; ${pages} pages by ${requests} requests, ${repeated} of them repeated`,
    );
    for (const problem of problems) say(`PROBLEM: ${problem}`);
    say(problems.length === 0 ? `seed ${seed}: every promise kept` : `seed ${seed}: FAILED, see ${scratch}`);
    if (problems.length === 0) rmSync(scratch, { recursive: true, force: true });
    else kept = false;
  }
  return kept;
}
