/** `npm run soak -- zoo [--copies N] [--only KIND,...]`: one crawl of all hostile servers with production timeouts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { visitZoo } from '../test/zoo/visit.js';
import { programFile } from './program.js';

/** The crawl must have ended by itself after this, ms; many copies are crawled by as many cores as one. */
const LIMIT = 300_000;

/** Copies repeat each other, page for page: their links are followed all the same. */
const COPIES = { 'dedupe.exact': 'follow', 'dedupe.near': 'follow' };
/** Faults that are printed. */
const MOST_FAULTS = 40;

/** True if every host came out as its table says, in time and in bounded memory. */
export async function soakZoo(args: readonly string[]): Promise<boolean> {
  const { values: flags } = parseArgs({
    args: [...args],
    options: { copies: { type: 'string', default: '1' }, only: { type: 'string' }, keep: { type: 'boolean' } },
  });
  const copies = Number(flags.copies);
  const scratch = mkdtempSync(join(tmpdir(), 'saunter-zoo-'));
  const { kinds, hosts, seconds, peak, summary, problems } = await visitZoo({
    ...{ program: programFile, certificates: resolve('test/fixtures/tls'), scratch, copies },
    ...{ only: flags.only?.split(','), deadline: copies * LIMIT },
    // every timeout and delay is the default; a trap is left after 30 URLs, a second retry is not waited for
    config: { budget: 30, patience: '1m', ...(copies > 1 && COPIES) },
  });
  const most = copies === 1 ? 400 : 600;
  const faults = [...problems];
  if (peak !== null && peak >= most) faults.push(`the crawler took ${peak} MiB, and may take ${most}`);
  if (copies === 1 && seconds * 1000 > LIMIT) faults.push(`it took ${seconds.toFixed(0)} s`);
  const say = (line: string) => process.stdout.write(`${line}\n`);
  say(`${kinds} kinds, ${hosts} hosts: ${seconds.toFixed(0)} s, peak ${peak ?? '?'} MiB`);
  say(JSON.stringify(summary));
  for (const fault of faults.slice(0, MOST_FAULTS)) say(`PROBLEM: ${fault}`);
  if (faults.length > MOST_FAULTS) say(`and ${faults.length - MOST_FAULTS} more`);
  if (flags.keep || faults.length > 0) say(`see ${scratch}`);
  else rmSync(scratch, { recursive: true, force: true });
  return faults.length === 0;
}
