/**
 * Starts a synthetic server in a process of its own, so that its clock and its log do not depend on the crawler's
 * event loop, and speaks to it (see `server-control.ts`).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import {
  type ControlCommands,
  type ControlName,
  type ControlReply,
  lineReader,
  type ReadyLine,
} from './server-control.js';

export interface ServerProcessOptions {
  readonly web: 'demo' | 'kill' | 'bench' | 'pool' | 'traps';
  readonly hosts?: number;
  readonly pages?: number;
  readonly seed?: number;
  /** Milliseconds that every answer is late, such as `50-300`. */
  readonly latency?: string;
  /** Files of a key and its certificate: the server then speaks TLS. */
  readonly key?: string;
  readonly cert?: string;
  /** Hosts are called by their addresses. */
  readonly isLiteral?: boolean;
  /** The program; default: the built one next to this file. */
  readonly program?: string;
}

/** Commands on their way, by id. */
type Waiting = Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>;

/** A server that runs in a child process. */
export class ServerProcess {
  readonly ready: ReadyLine;
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #waiting: Waiting;
  #nextId = 1;

  private constructor(child: ChildProcess, ready: ReadyLine, waiting: Waiting) {
    this.#child = child;
    this.pid = child.pid!;
    this.ready = ready;
    this.#waiting = waiting;
  }

  /** @throws Error if the server ends before it is ready; its words went to our standard error */
  static async start(options: ServerProcessOptions): Promise<ServerProcess> {
    const program = options.program ?? fileURLToPath(new URL('./server-main.js', import.meta.url));
    const args = [program, '--control', '--web', options.web];
    for (const name of ['hosts', 'pages', 'seed', 'latency', 'key', 'cert'] as const) {
      if (options[name] !== undefined) args.push(`--${name}`, String(options[name]));
    }
    if (options.isLiteral) args.push('--literal');
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const waiting: Waiting = new Map();
    const ready = await new Promise<ReadyLine>((resolve, reject) => {
      let started = false;
      const read = lineReader((line) => {
        const message = JSON.parse(line, reviveInFlight) as ReadyLine | ControlReply;
        if (!started) {
          started = true;
          resolve(message as ReadyLine);
          return;
        }
        const { id, result } = message as ControlReply;
        waiting.get(id)?.resolve(result);
        waiting.delete(id);
      });
      child.stdout!.setEncoding('utf8');
      child.stdout!.on('data', read);
      child.on('error', reject);
      child.on('exit', (code) => {
        const error = new Error(`the synthetic server ended with code ${code}`);
        reject(error);
        for (const { reject } of waiting.values()) reject(error);
      });
    });
    return new ServerProcess(child, ready, waiting);
  }

  /** Sends a command and waits for its answer.
   * @throws Error if the server ends first */
  ask<Name extends ControlName>(
    command: Name,
    args: ControlCommands[Name]['args'],
  ): Promise<ControlCommands[Name]['result']> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
      this.#child.stdin!.write(`${JSON.stringify({ id, command, args })}\n`);
    });
  }

  /** Ends the server and waits until it has ended. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.stdin!.end();
    await ended;
  }
}

/** JSON has no NaN: the end of a request in flight travels as null. */
function reviveInFlight(key: string, value: unknown): unknown {
  return key === 'ended' && value === null ? Number.NaN : value;
}
