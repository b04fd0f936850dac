/**
 * The only place that writes to the user. Results go to stdout; progress and remarks go to stderr, and only if that is
 * a terminal; errors go to stderr always. Whatever comes from the web is freed of control characters first.
 */

import { fitParts, width } from './text-columns.js';

/** A writable stream, as much of it as is used here. */
export interface Sink {
  /** False if it wants no more for now. */
  write(text: string | Uint8Array): boolean;
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
  once(event: 'drain' | 'close' | 'error', listener: () => void): unknown;
  off(event: 'drain' | 'close' | 'error', listener: () => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
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

/** Between the parts of a line of progress. */
const PARTS = ' \u00b7 ';
const PROGRESS_GAP_MS = 100;
/** Between two drawings of several lines: who draws each 250 ms is drawn each time, late or not. */
const DRAW_GAP_MS = 200;
/** A terminal that cannot go back gets a line of progress this often, ms. */
const PLAIN_GAP_MS = 10_000;
/** To the start of the line, and clears it. */
const CLEAR_LINE = '\r\x1b[2K';

export class Terminal {
  /** The reader of stdout has gone (`saunter list urls | head`): what is still written is dropped. */
  closed = false;
  readonly #out: Sink;
  readonly #err: Sink;
  readonly #env: NodeJS.ProcessEnv;
  /** What stands on the screen and is drawn over. */
  #drawn: readonly string[] = [];
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

  /** Lines can be drawn over. */
  get redraws(): boolean {
    return this.live && this.#env.TERM !== 'dumb';
  }

  /** Of what is drawn on. What is not known, which some terminals say as 0, is assumed small. */
  get size(): { columns: number; rows: number; unicode: boolean } {
    const { LC_ALL, LC_CTYPE, LANG } = this.#env;
    const unicode = /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '');
    return { columns: this.#err.columns || 80, rows: this.#err.rows || 24, unicode };
  }

  /** A result, as it is: the caller has cleaned what came from the web. A newline is added. */
  print(text: string): void {
    if (this.closed) return;
    this.clear();
    this.#out.write(`${text}\n`);
  }

  /** Results go to a terminal: bytes would steer it. */
  get showsResults(): boolean {
    return this.#out.isTTY === true;
  }

  /** One of many results: the same, but waits while the reader is slower than we are. */
  printOne(text: string): Promise<void> {
    return this.printBytes(`${text}\n`);
  }

  /** What is written as it is, with nothing added; waits for the reader too. */
  async printBytes(bytes: string | Uint8Array): Promise<void> {
    if (this.closed || this.#out.write(bytes)) return;
    await new Promise<void>((resolve) => {
      const events = ['drain', 'close', 'error'] as const;
      const go = () => {
        for (const event of events) this.#out.off(event, go);
        resolve();
      };
      for (const event of events) this.#out.once(event, go);
    });
  }

  /** A remark, on terminals only; what was drawn goes on below it. */
  say(sentence: string): void {
    if (!this.live) return;
    const drawn = this.#drawn;
    const cleared = this.#cleared();
    this.#drawn = drawn;
    this.#err.write(`${cleared}${clean(sentence)}\n${drawn.join('\n')}`);
  }

  /** What went wrong, always. */
  error(sentence: string): void {
    this.clear();
    this.#err.write(`${clean(sentence)}\n`);
  }

  /** Redraws the progress line, at most ten times a second; a terminal that cannot redraw gets a line now and then.
   * @param now monotonic milliseconds */
  progress(line: string, now: number): void {
    if (!this.live || now - this.#lastProgress < (this.redraws ? PROGRESS_GAP_MS : PLAIN_GAP_MS)) return;
    if (!this.redraws) {
      if (Number.isFinite(this.#lastProgress)) this.#err.write(`${cleanLine(line)}\n`);
      this.#lastProgress = now;
      return;
    }
    this.#lastProgress = now;
    this.#redraw([fitParts(cleanLine(line).split(PARTS), PARTS, this.size.columns - 1)]);
  }

  /** Redraws some lines in place, at most five times a second; on terminals that can do so only.
   * @param lines clean, and no wider than the terminal
   * @param now monotonic milliseconds */
  draw(lines: readonly string[], now: number): void {
    if (!this.redraws || now - this.#lastProgress < DRAW_GAP_MS) return;
    this.#lastProgress = now;
    this.#redraw(lines);
  }

  /** Takes away what was drawn: the cursor stands where it began. */
  clear(): void {
    if (this.#drawn.length > 0) this.#err.write(this.#cleared());
  }

  /** In one write, so that no half of it is seen. The cursor stays visible all the time: no death can leave it hidden. */
  #redraw(lines: readonly string[]): void {
    const cleared = this.#drawn.length > 0 ? this.#cleared() : CLEAR_LINE;
    this.#drawn = lines;
    this.#err.write(`${cleared}${lines.join('\n')}`);
  }

  /** What clears the drawing. A terminal that became narrower since has broken its lines. */
  #cleared(): string {
    const { columns } = this.size;
    const rows = this.#drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(width(line) / columns)), 0);
    this.#drawn = [];
    return rows === 0 ? '' : rows === 1 ? CLEAR_LINE : `\r\x1b[${rows - 1}A\x1b[J`;
  }

  /** Bold on a terminal that shows colour. `text` must be clean. */
  bold(text: string): string {
    const colour = this.#out.isTTY === true && !this.#env.NO_COLOR && this.#env.TERM !== 'dumb';
    return colour ? `\x1b[1m${text}\x1b[22m` : text;
  }
}
