/** How long threads of a process were ready to run and had no core: the machine's doing, not the program's (Linux). */
import { readdirSync, readFileSync } from 'node:fs';

const EVERY_MS = 50;
/** Samples that are kept: two seconds. */
const KEPT = 40;

/** ms of waiting for a core since each thread began, by thread. */
type Sample = ReadonlyMap<string, number>;

export class Starvation {
  readonly #pid: number;
  readonly #timer: NodeJS.Timeout;
  #samples: { at: number; waited: Sample }[] = [];

  /** Watches until {@link end}. */
  constructor(pid: number) {
    this.#pid = pid;
    this.#timer = setInterval(() => this.#take(), EVERY_MS);
    this.#take();
  }

  /** The most that one thread has waited in the last `ms`; 0 where the system does not tell. */
  within(ms: number): number {
    this.#take();
    const { at, waited } = this.#samples.at(-1)!;
    const before = this.#samples.findLast((sample) => sample.at <= at - ms) ?? this.#samples[0]!;
    return Math.max(0, ...[...waited].map(([thread, total]) => total - (before.waited.get(thread) ?? 0)));
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #take(): void {
    this.#samples = [...this.#samples, { at: performance.now(), waited: waitedOf(this.#pid) }].slice(-KEPT);
  }
}

function waitedOf(pid: number): Sample {
  const waited = new Map<string, number>();
  for (const thread of threadsOf(pid)) {
    try {
      const [, delay = ''] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ');
      waited.set(thread, Number(delay) / 1e6);
    } catch {
      // it has just ended
    }
  }
  return waited;
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}
