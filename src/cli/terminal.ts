/**
 * The only place that writes to the user. Results go to stdout; progress and remarks go to stderr, and only if that is
 * a terminal; errors go to stderr always. Whatever comes from the web is freed of control characters first.
 */

/** A writable stream, as much of it as is used here. */
export interface Sink {
  /** False if it wants no more for now. */
  write(text: string): boolean;
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
  once(event: 'drain' | 'close' | 'error', listener: () => void): unknown;
  off(event: 'drain' | 'close' | 'error', listener: () => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** C0 and C1 controls but tab and newline, line and paragraph separators, and everything that reorders or hides text:
 * bidirectional controls, zero-width characters, tags, lone surrogates. */
const UNSAFE =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\ud800-\udfff]/gu;

/** Text that cannot steer a terminal: each unsafe character becomes U+FFFD. */
export function clean(text: string): string {
  return text.replace(UNSAFE, '\ufffd');
}

/** The same on one line. */
export function cleanLine(text: string): string {
  return clean(text).replace(/[\t\n]/g, ' ');
}

const PROGRESS_GAP_MS = 100;

export class Terminal {
  /** The reader of stdout has gone (`saunter list urls | head`): what is still written is dropped. */
  closed = false;
  readonly #out: Sink;
  readonly #err: Sink;
  readonly #env: NodeJS.ProcessEnv;
  #line = '';
  #lastProgress = Number.NEGATIVE_INFINITY;

  constructor(out: Sink, err: Sink, env: NodeJS.ProcessEnv) {
    this.#out = out;
    this.#err = err;
    this.#env = env;
    out.on('error', (error) => {
      if (error.code !== 'EPIPE') this.error(`Standard output cannot be written: ${error.message}.`);
      this.closed = true;
    });
    // Nobody is left to tell.
    err.on('error', () => {});
  }

  /** stderr is a terminal: progress and remarks are wanted. */
  get live(): boolean {
    return this.#err.isTTY === true;
  }

  /** A result, as it is: the caller has cleaned what came from the web. A newline is added. */
  print(text: string): void {
    if (this.closed) return;
    this.#clearLine();
    this.#out.write(`${text}\n`);
  }

  /** One of many results: the same, but waits while the reader is slower than we are. */
  async printOne(text: string): Promise<void> {
    if (this.closed || this.#out.write(`${text}\n`)) return;
    await new Promise<void>((resolve) => {
      const events = ['drain', 'close', 'error'] as const;
      const go = () => {
        for (const event of events) this.#out.off(event, go);
        resolve();
      };
      for (const event of events) this.#out.once(event, go);
    });
  }

  /** A remark, on terminals only. */
  say(sentence: string): void {
    if (!this.live) return;
    this.#clearLine();
    this.#err.write(`${clean(sentence)}\n`);
  }

  /** What went wrong, always. */
  error(sentence: string): void {
    this.#clearLine();
    this.#err.write(`${clean(sentence)}\n`);
  }

  /** Redraws the progress line, at most ten times a second; on terminals that can do so only.
   * @param now monotonic milliseconds */
  progress(line: string, now: number): void {
    if (!this.live || this.#env.TERM === 'dumb' || now - this.#lastProgress < PROGRESS_GAP_MS) return;
    this.#lastProgress = now;
    this.#line = cleanLine(line).slice(0, (this.#err.columns ?? 80) - 1);
    this.#err.write(`\r\x1b[2K${this.#line}`);
  }

  /** Bold on a terminal that shows colour. `text` must be clean. */
  bold(text: string): string {
    const colour = this.#out.isTTY === true && !this.#env.NO_COLOR && this.#env.TERM !== 'dumb';
    return colour ? `\x1b[1m${text}\x1b[22m` : text;
  }

  #clearLine(): void {
    if (this.#line === '') return;
    this.#line = '';
    this.#err.write('\r\x1b[2K');
  }
}
