/** What every command of the program has: a description, and a body that gets its arguments and the world. */
import type { Readable } from 'node:stream';
import type { Arguments, CommandSpec } from './arguments.js';
import type { Terminal } from './terminal.js';

/** 0 done, 1 failed, 2 wrong usage, 130 interrupted. */
export type ExitCode = 0 | 1 | 2 | 130;

/** What a command may touch, beside files. */
export interface World {
  readonly terminal: Terminal;
  readonly stdin: Readable;
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal;
}

export interface Command {
  readonly spec: CommandSpec;
  run(args: Arguments, world: World): Promise<ExitCode>;
}
