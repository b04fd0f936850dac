import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { main, type Process } from '../../src/cli/main.js';
import type { Sink } from '../../src/cli/terminal.js';

/** A stream that keeps what was written. */
export class Kept extends EventEmitter implements Sink {
  text = '';
  isTTY: boolean;
  columns = 80;
  constructor(isTTY = false) {
    super();
    this.isTTY = isTTY;
  }
  write(text: string | Uint8Array): boolean {
    this.text += typeof text === 'string' ? text : Buffer.from(text).toString('latin1');
    return true;
  }
}

/** A process in memory. `run` gives the exit code and what was written. */
export class FakeProcess extends EventEmitter implements Process {
  stdout: Kept;
  stderr: Kept;
  stdin: Readable;
  env: NodeJS.ProcessEnv;
  exits: number[] = [];
  constructor(options: { tty?: boolean; stdin?: string; env?: NodeJS.ProcessEnv } = {}) {
    super();
    this.stdout = new Kept(options.tty);
    this.stderr = new Kept(options.tty);
    this.stdin = Readable.from([options.stdin ?? '']);
    this.env = options.env ?? {};
  }
  exit(code: number): void {
    this.exits.push(code);
  }
  async run(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
    const code = await main(argv, this);
    return { code, out: this.stdout.text, err: this.stderr.text };
  }
}
