/** What every command of the program has: a description, and a body that gets its arguments and the world. */
import type { Readable } from 'node:stream';
import { UserError } from '../errors.js';
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
  /** The descriptions of all commands. */
  commands(): Promise<CommandSpec[]>;
}

/** Flags that most commands have. */
export const DIR_FLAG = { name: 'dir', value: 'DIR', says: 'The crawl directory.' } as const;
/** The same where it may stand alone ({@link DIR_OPERAND}). */
export const DIR_ALONE_FLAG = { ...DIR_FLAG, says: 'The crawl directory; it may stand without --dir, too.' } as const;
export const JSON_FLAG = { name: 'json', says: 'One line of JSON instead of words.' } as const;

/** The value of `--dir`.
 * @throws UserError (usage) without one */
export function requireDir({ flags }: Arguments): string {
  const dir = flags.get('dir');
  if (dir === undefined) throw new UserError('Which crawl? Give its directory with --dir DIR.', 2);
  return dir;
}

export interface Command {
  readonly spec: CommandSpec;
  /** The command has something to finish when it is interrupted (`World.signal`); the others end at once. */
  readonly stops?: boolean;
  /** What `--help` describes, by the operands: for a command whose first operand decides what else it takes.
   * @throws UserError (usage) for one that there is not */
  helpFor?(operands: readonly string[]): CommandSpec;
  run(args: Arguments, world: World): Promise<ExitCode>;
}
