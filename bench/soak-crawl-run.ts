/** One run of the program under a watch: what it said, how it ended, and what `soak-crawl-watch.mjs` wrote down. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { programFile } from './program.js';

export interface Ran {
  /** null after a signal. */
  readonly code: number | null;
  readonly out: string;
  /** The end of what it said, for messages. */
  readonly words: string;
}

/** A second of one thread. */
export interface WatchLine {
  readonly thread: number;
  readonly main: boolean;
  /** The longest that its loop stood still, ms; how long it was ready and had no core, ms. */
  readonly stood: number;
  readonly starved: number;
  /** Bytes of the heap and outside of it. */
  readonly memory: number;
  /** Open files of the process; 0 but for the main thread. */
  readonly files: number;
}

export class Watched {
  readonly over: Promise<Ran>;
  ended = false;
  readonly #child: ChildProcess;
  readonly #watch: string | null;
  #out = '';
  #err = '';

  /** @param watch where the watch writes; null for a command that is not watched */
  constructor(args: readonly string[], environment: NodeJS.ProcessEnv, watch: string | null) {
    this.#watch = watch;
    const env = { ...process.env, ...environment, ...(watch !== null && { SOAK_WATCH: watch }) };
    this.#child = spawn(process.execPath, [programFile, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#out += text;
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#err = (this.#err + text).slice(-100_000);
    });
    this.over = new Promise((resolve) => {
      this.#child.on('close', (code) => {
        this.ended = true;
        resolve({ code, out: this.#out, words: this.words.trim().slice(-600) });
      });
    });
  }

  /** Resolves when the program is up, or over: before, Ctrl-C ends Node itself. */
  async begun(): Promise<void> {
    while (!this.ended && this.watched().lines.length === 0) await sleep(50);
  }

  get words(): string {
    return this.#err;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** How it ended; null if it did not in that time, and was killed. */
  async within(milliseconds: number): Promise<Ran | null> {
    const timer = new AbortController();
    const late = sleep(milliseconds, null, { signal: timer.signal }).catch(() => null);
    const ran = await Promise.race([this.over, late]);
    timer.abort();
    if (ran === null) {
      this.#child.kill('SIGKILL');
      await this.over;
    }
    return ran;
  }

  /** What the watch wrote: the seconds of each thread, and how many of them it made crash. */
  watched(): { lines: WatchLine[]; crashes: number } {
    if (this.#watch === null || !existsSync(this.#watch)) return { lines: [], crashes: 0 };
    // The last line of a process that was killed may be half a one.
    const whole = readFileSync(this.#watch, 'utf8').split('\n').slice(0, -1);
    const all = whole.map((line) => JSON.parse(line) as WatchLine & { crash?: true });
    const lines = all.filter(({ crash }) => !crash);
    return { lines, crashes: all.length - lines.length };
  }
}
