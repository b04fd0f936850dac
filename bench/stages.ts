/**
 * Which stages the CPU of a crawl goes to, by V8's sampling profiles of all its threads: the own time of each function
 * counts for the folder of its file; what V8 and Node do natively counts for what it is (zlib, hashes, files, sockets) or
 * else for the function of ours that called it. Counters in the program would cost more than some of the stages.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Stage {
  readonly name: string;
  /** Of the time in which a thread was not idle. V8's own helper threads (compiling, collecting) are not seen. */
  readonly share: number;
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  /** Microseconds. */
  readonly timeDeltas: readonly number[];
}

const IDLE = 'idle';
/** Of V8, for what is no function. */
const STATES: Readonly<Record<string, string>> = {
  '(idle)': IDLE,
  '(garbage collector)': 'garbage collection',
  '(program)': 'Node and V8 outside of functions',
};
/** Of Node's own files, the first that fits. */
const NATIVE: readonly (readonly [pattern: RegExp, stage: string])[] = [
  [/^node:(internal\/)?zlib/, 'gunzip and gzip (zlib)'],
  [/^node:(internal\/)?crypto/, 'hashes (crypto)'],
  [/^node:(internal\/)?fs/, 'files (fs)'],
  [/^node:(internal\/)?(net|tls|_tls|stream|streams|stream_base|js_stream|dns|tty|cluster)/, 'sockets (net, tls)'],
  [/^node:(internal\/)?(worker|per_context\/messageport)/, 'messages between threads'],
  [/^node:internal\/(modules|bootstrap|process\/esm)/, 'start-up (loading)'],
];
/** Of our own files, the first that fits. */
const OWN: readonly (readonly [pattern: RegExp, stage: string])[] = [
  [/\/parse\/(main-text|block-|text-|language|title-words|markdown)/, 'text and language'],
  [/\/parse\//, 'parse: tokens, links, directives'],
  [/\/(fetch)\//, 'fetch'],
  [/\/(archive)\//, 'archive'],
  [/\/(dedupe)\//, 'dedupe: seen, fingerprints, near-duplicates'],
  [/\/(url|admit)\//, 'links: normal form, scope, admission'],
  [/\/(frontier|revisit)\//, 'frontier'],
  [/\/(state|engines)\//, 'store'],
  [/node_modules\/@photostructure/, 'store'],
  [/\/(workers)\//, 'page workers: messages, order of work'],
  [/\/(embedded|crawl|serve|cli)/, 'main loop'],
];

/** The stages of all profiles in a folder, largest first.
 * @throws Error if the folder has none */
export function stagesOf(folder: string): Stage[] {
  const times = new Map<string, number>();
  const files = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'));
  if (files.length === 0) throw new Error(`${folder} has no profile: the crawl did not end by itself`);
  for (const file of files) addTimes(JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile, times);
  times.delete(IDLE);
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  return [...times].map(([name, time]) => ({ name, share: time / total })).sort((a, b) => b.share - a.share);
}

function addTimes({ nodes, samples, timeDeltas }: Profile, times: Map<string, number>): void {
  const stages = stagesByNode(nodes);
  for (let i = 0; i < samples.length; i++) {
    const stage = stages.get(samples[i]!) ?? 'other';
    // a sample stands for the time until the next one
    times.set(stage, (times.get(stage) ?? 0) + (timeDeltas[i + 1] ?? 0));
  }
}

function stagesByNode(nodes: readonly ProfileNode[]): Map<number, string> {
  const stages = new Map<number, string>();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const walk: { id: number; inherited: string }[] = [{ id: nodes[0]!.id, inherited: 'other' }];
  for (let step = walk.pop(); step !== undefined; step = walk.pop()) {
    const { callFrame, children } = byId.get(step.id)!;
    const stage = stageOf(callFrame) ?? step.inherited;
    stages.set(step.id, stage);
    for (const id of children ?? []) walk.push({ id, inherited: stage });
  }
  return stages;
}

/** The stage of a function, or null if it counts for its caller. */
function stageOf({ functionName, url }: ProfileNode['callFrame']): string | null {
  const state = STATES[functionName];
  if (state !== undefined) return state;
  const table = url.startsWith('node:') ? NATIVE : OWN;
  return table.find(([pattern]) => pattern.test(url))?.[1] ?? null;
}
