/**
 * `npm run bench -- watching`: what it costs a crawl to be watched. Pairs of the same crawl, alternating: with nobody
 * at its dashboard, and with a client that asks what an open dashboard asks (the stream of events, the history, the view
 * that is looked at: hosts, then pages). CPU of the crawl's process alone; the client's and the server's are not in it. The median of the pairs
 * counts, since a single one says little on a machine that does other things.
 * What `--admin` costs by itself, once, to load the API, is in both.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerProcess } from '../src/sim/server-process.js';
import { measure } from './measure.js';
import { programFile } from './program.js';

const TOKEN = 'a-token-for-the-bench-0123';
const PORT = 8796;
const HOME = `http://127.0.0.1:${PORT}`;
const PAIRS = 5;
/** Of the CPU of a crawl that nobody watches. */
const MOST = 0.04;
/** ms, as the dashboard asks for its views. */
const EVERY = 2_000;

export async function watchingBench(
  { hosts, pages, seed }: { hosts: number; pages: number; seed: number },
  say: (line: string) => void,
): Promise<boolean> {
  const scratch = mkdtempSync(join(tmpdir(), 'saunter-watching-'));
  const server = await ServerProcess.start({ web: 'bench', hosts, pages, seed });
  process.env.SAUNTER_TOKEN = TOKEN;
  try {
    const seeds = join(scratch, 'seeds.txt');
    writeFileSync(seeds, `${server.ready.seeds.join('\n')}\n`);
    const shares: number[] = [];
    for (let pair = 0; pair < PAIRS; pair++) {
      const cost = { alone: 0, watched: 0 };
      let asked = 0;
      for (const way of pair % 2 === 0 ? (['alone', 'watched'] as const) : (['watched', 'alone'] as const)) {
        const dir = join(scratch, 'crawl');
        const flags = ['crawl', '--seeds', seeds, '--dir', dir, '--resolve', server.ready.resolve, '--delay', '0'];
        flags.push('--allow-private', '127.0.0.0/8', '--scope', 'any', '--patience', '2s', '--json');
        flags.push('--contact', 'mailto:bench@example.com', '--admin', String(PORT));
        const over = new AbortController();
        const watching = way === 'watched' ? watch(over.signal) : Promise.resolve(0);
        const { user, system, code } = await measure([process.execPath, programFile, ...flags]);
        over.abort();
        asked += await watching;
        if (code !== 0) throw new Error(`the crawl ended with exit code ${code}`);
        cost[way] = user + system;
        rmSync(dir, { recursive: true });
      }
      shares.push(cost.watched / cost.alone - 1);
      const [a, b] = [cost.alone, cost.watched].map((ms) => (ms / 1000).toFixed(2));
      say(`pair ${pair + 1}: ${a} s of CPU alone, ${b} s watched (${asked} answers): ${percent(shares.at(-1)!)}`);
    }
    const median = shares.toSorted((a, b) => a - b)[PAIRS >> 1];
    say(`watching costs ${percent(median)} of the crawl's CPU (median of ${PAIRS} pairs)`);
    return median < MOST;
  } finally {
    await server.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Watches until the crawl is over; gives how many answers and events came. */
async function watch(signal: AbortSignal): Promise<number> {
  let came = 0;
  const headers = { Authorization: `Bearer ${TOKEN}` };
  const ask = async (path: string): Promise<void> => {
    const response = await fetch(HOME + path, { headers, signal });
    await response.text();
    came++;
  };
  while (!signal.aborted && !(await fetch(`${HOME}/healthz`).catch(() => null))?.ok) await pause(20);
  const listening = async (): Promise<void> => {
    await ask('/crawl/history');
    const response = await fetch(`${HOME}/events`, { headers, signal });
    for await (const _ of response.body!) came++;
  };
  const looking = async (): Promise<void> => {
    for (let turn = 0; !signal.aborted; turn++) {
      await ask(turn % 2 === 0 ? '/hosts?sort=requests&limit=50' : '/pages?limit=60');
      await pause(EVERY);
    }
  };
  await Promise.all([listening(), looking()].map((watching) => watching.catch(() => {}))); // the crawl has ended
  return came;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const percent = (share: number): string => `${share >= 0 ? '+' : ''}${(100 * share).toFixed(1)}%`;
