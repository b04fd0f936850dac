/** The thread in which cases run: it may crash or hang, and `soak-fuzz.ts` is told on what. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import fc from 'fast-check';
import { loadCorpus } from '../test/fuzz/corpus.js';
import { reduced } from '../test/fuzz/reduce.js';
import type { FuzzTarget } from '../test/fuzz/target.js';
import { TARGETS } from '../test/fuzz/targets.js';
import { type FuzzOutcome, type FuzzTurn, type FuzzWorkerData, RUNNING_HEADER } from './soak-fuzz-messages.js';

/** Cases of one call of fast-check: the time is looked at in between. */
const BATCH = 50;
const LONGEST_REDUCTION = 30_000;

const { corpus: directory, running } = workerData as FuzzWorkerData;
const corpus = loadCorpus(directory);
const header = new Int32Array(running, 0, 2);
const text = new Uint8Array(running, RUNNING_HEADER);
const encoder = new TextEncoder();
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

parentPort?.on('message', (turn: FuzzTurn) => {
  void run(turn).then((outcome) => parentPort?.postMessage(outcome));
});

async function run({ target: name, seed, milliseconds }: FuzzTurn): Promise<FuzzOutcome> {
  const target = TARGETS.find((one) => one.name === name);
  if (target === undefined) throw new RangeError(`there is no target ${name}`);
  const cases = target.cases(corpus);
  let count = 0;
  const property = fc.asyncProperty(cases, async (input) => {
    count++;
    await watched(target, input);
  });
  const until = performance.now() + milliseconds;
  let failure: FuzzOutcome['failure'] = null;
  for (let batch = 0; failure === null && performance.now() < until; batch++) {
    const details = await fc.check(property, { seed: seed + batch, numRuns: BATCH });
    if (details.failed) failure = await explained(target, seed + batch, details);
  }
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return { cases: count, memory: heapUsed + external, failure };
}

/** Runs a case; while it does, the shared memory says which. */
async function watched(target: FuzzTarget, input: unknown): Promise<void> {
  const { written } = encoder.encodeInto(JSON.stringify(input), text);
  header[1] = written;
  Atomics.add(header, 0, 1);
  await target.check(input);
  header[1] = 0;
}

async function explained(
  target: FuzzTarget,
  seed: number,
  details: fc.RunDetails<[unknown]>,
): Promise<FuzzOutcome['failure']> {
  const until = performance.now() + LONGEST_REDUCTION;
  let message = String(details.errorInstance ?? 'failed');
  const fails = async (input: unknown): Promise<boolean> => {
    try {
      await watched(target, input);
      return false;
    } catch (error) {
      message = String(error);
      return true;
    }
  };
  const input = await reduced(details.counterexample?.[0], fails, () => performance.now() < until);
  await fails(input);
  return { message, path: `seed ${seed}, path ${details.counterexamplePath}`, input };
}
