/**
 * The line protocol between a synthetic server in a process of its own and whoever started it: JSON lines on its
 * standard input and output. The first line out says that it is ready; then each command is answered under its id.
 */
import type { LoggedRequest, ServerLogSummary } from './server-log.js';
import type { AnswerKind } from './web.js';

/** The first line of the server's output. */
export interface ReadyLine {
  readonly port: number;
  readonly seeds: readonly string[];
  /** The value for the crawler's `--resolve`. */
  readonly resolve: string;
  readonly hosts: number;
  /** Of the bench's web: what its pages are like. */
  readonly figures?: Readonly<Record<string, number>>;
}

/** What the server can be asked, and the type of its answer. */
export interface ControlCommands {
  /** The log in one object. */
  summary: { args: object; result: ServerLogSummary };
  /** Every request so far; times are null where a request is in flight. */
  log: { args: object; result: LoggedRequest[] };
  /** {@link SyntheticWeb.reachable}. */
  reachable: { args: object; result: string[] };
  /** Answered as soon as `pages` different pages have been served, with their number. */
  pages: { args: { pages: number }; result: number };
  /** Answered when the next request of this kind arrives, before it is answered itself. */
  next: { args: { kind: AnswerKind }; result: LoggedRequest };
  /** User and system CPU of the server's process in ms, and its peak RSS in MiB. */
  usage: { args: object; result: { user: number; system: number; rss: number } };
}

export type ControlName = keyof ControlCommands;

export interface ControlRequest {
  readonly id: number;
  readonly command: ControlName;
  readonly args: Record<string, unknown>;
}

export interface ControlReply {
  readonly id: number;
  readonly result: unknown;
}

/** Splits chunks of text into whole lines; what follows the last line end waits for the next chunk. */
export function lineReader(onLine: (line: string) => void): (chunk: string) => void {
  let rest = '';
  return (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    for (const line of lines) if (line !== '') onLine(line);
  };
}
