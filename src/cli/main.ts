/**
 * The command line: finds the command, loads its file (no other: `--help` stays fast), reads its arguments, and turns
 * errors into one sentence and an exit code.
 */
import type { Readable } from 'node:stream';
import { UserError } from '../errors.js';
import { nearest } from '../nearest.js';
import { version } from '../version.js';
import type { Command, ExitCode } from './command.js';
import { type Sink, Terminal } from './terminal.js';

interface Entry {
  readonly name: string;
  readonly says: string;
  load(): Promise<Command>;
}

const COMMANDS: readonly Entry[] = [
  { name: 'crawl', says: 'Crawl from seeds, or go on with a crawl.', load: () => import('./crawl.js') },
  { name: 'demo', says: 'Crawl a synthetic web on this machine; needs no network.', load: () => import('./demo.js') },
  { name: 'status', says: 'What a crawl has done and what it waits for.', load: () => import('./status.js') },
  {
    name: 'list',
    says: 'The URLs, hosts, blocks, dead letters or visits of a crawl.',
    load: () => import('./list.js'),
  },
  { name: 'show', says: 'The stored answer of one URL.', load: () => import('./show.js') },
  {
    name: 'export',
    says: 'The pages of a crawl, with their text, for other programs.',
    load: () => import('./export.js'),
  },
  {
    name: 'import',
    says: 'Take WARC and ARC files of any tool into a crawl directory.',
    load: () => import('./import.js'),
  },
  { name: 'reparse', says: 'Read the pages of a crawl again from its archive.', load: () => import('./reparse.js') },
  {
    name: 'verify',
    says: 'Read everything back and prove that no delay was broken.',
    load: () => import('./verify.js'),
  },
  { name: 'audit', says: 'Every request ever made to a host, and why.', load: () => import('./audit.js') },
  { name: 'block', says: 'Make no more requests to a host.', load: () => import('./block.js') },
  { name: 'unblock', says: 'End the block of a host.', load: () => import('./unblock.js') },
  { name: 'retry', says: 'Take dead letters back.', load: () => import('./retry.js') },
  { name: 'drop', says: 'Drop dead letters from the list.', load: () => import('./drop.js') },
  {
    name: 'simulate',
    says: 'Prove the promises of a crawl on virtual time, with crashes and faults.',
    load: () => import('./simulate.js'),
  },
  { name: 'plan', says: 'What a crawl takes, or what is left of one.', load: () => import('./plan.js') },
  { name: 'config', says: 'The options in force, each with its source.', load: () => import('./config.js') },
  {
    name: 'bot-page',
    says: 'A page that tells the owners of sites who crawls, and how to stop it.',
    load: () => import('./bot-page.js'),
  },
  {
    name: 'doctor',
    says: 'Whether this machine is fit to crawl, and what to mend.',
    load: () => import('./doctor.js'),
  },
  {
    name: 'completion',
    says: 'Let bash, zsh or fish complete commands and options.',
    load: () => import('./completion.js'),
  },
  { name: 'inspect', says: 'How one URL, robots.txt, page or answer is read.', load: () => import('./inspect.js') },
];

/** The process, or what stands for it in a test. */
export interface Process {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly stdin: Readable;
  readonly env: NodeJS.ProcessEnv;
  on(event: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  off(event: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  exit(code: number): void;
}

/**
 * Runs one command.
 * @param argv what follows the name of the program
 * @returns the exit code; nothing is thrown
 */
export async function main(argv: readonly string[], process: Process = globalThis.process): Promise<ExitCode> {
  const terminal = new Terminal(process.stdout, process.stderr, process.env);
  const stop = new AbortController();
  let stops = false;
  const interrupt = () => {
    // Nor does the second Ctrl-C wait: what is not durable yet is fetched again by the next run.
    if (!stops || stop.signal.aborted) {
      terminal.clear();
      return process.exit(130);
    }
    stop.abort();
    // also where nobody watches: who stopped it should know that it heard
    terminal.error('Stopping: what is open is finished and made durable. Ctrl-C again leaves at once.');
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  try {
    return await runCommand(argv, terminal, process, stop.signal, (command) => {
      stops = command.stops === true;
    });
  } catch (error) {
    if (error instanceof UserError) {
      terminal.error(error.message);
      return error.exitCode;
    }
    terminal.error(faultOf(error));
    if (process.env.SAUNTER_DEBUG) console.error(error);
    return 1;
  } finally {
    terminal.clear();
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}

/** What broke, in a sentence; a system without file descriptors says nothing that a user could act on. */
function faultOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EMFILE' || code === 'ENFILE') {
    return 'saunter failed: too many files are open. Raise the limit (ulimit -n 1024), then run the same command again.';
  }
  return `saunter failed: ${error instanceof Error ? error.message : String(error)}`;
}

async function runCommand(
  argv: readonly string[],
  terminal: Terminal,
  process: Process,
  signal: AbortSignal,
  begins: (command: Command) => void,
): Promise<ExitCode> {
  const [first, ...rest] = argv;
  if (first === '--version' || first === '-V') {
    terminal.print(version());
    return 0;
  }
  if (first === undefined || first === '--help' || first === '-h' || (first === 'help' && rest.length === 0)) {
    terminal.print(overview());
    return first === undefined ? 2 : 0;
  }
  const [name, args] = first === 'help' ? [rest[0], [...rest.slice(1), '--help']] : [first, rest];
  const command = await entryOf(name).load();
  const { parseArguments } = await import('./arguments.js');
  const parsed = parseArguments(command.spec, args);
  if (parsed.help) {
    const { helpOf } = await import('./help.js');
    const described = command.helpFor?.(parsed.operands) ?? command.spec;
    terminal.print(helpOf(described, (text) => terminal.bold(text), process.stdout.columns || undefined));
    return 0;
  }
  begins(command);
  return command.run(parsed, { terminal, stdin: process.stdin, signal, commands: commandSpecs });
}

/** The descriptions of all commands, whose files are loaded for them. */
export const commandSpecs = () => Promise.all(COMMANDS.map(async ({ load }) => (await load()).spec));

function entryOf(name: string): Entry {
  const entry = COMMANDS.find((command) => command.name === name);
  if (entry) return entry;
  const near = nearest(
    name,
    COMMANDS.map((command) => command.name),
  );
  const hint = near ? `the nearest is saunter ${near}` : 'see saunter --help';
  const what = name.startsWith('-') ? `option ${name}` : `command "${name}"`;
  throw new UserError(`There is no ${what}; ${hint}.`, 2);
}

function overview(): string {
  return [
    'Saunter, the polite web crawler.',
    '',
    'Usage: saunter COMMAND [options]',
    '',
    'Commands:',
    ...COMMANDS.map(({ name, says }) => `  ${name.padEnd(10)} ${says}`),
    '',
    'Try it:',
    '  saunter demo',
    '  saunter crawl https://example.org/ --contact me@example.org',
    '',
    'saunter COMMAND --help tells the rest. saunter --version prints the version.',
  ].join('\n');
}
