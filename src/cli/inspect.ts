import type { Readable } from 'node:stream';
import { UserError } from '../errors.js';
import { fileFault } from '../file-fault.js';
import { nearest } from '../nearest.js';
import { type Arguments, type CommandSpec, flagsOf } from './arguments.js';
import type { ExitCode, World } from './command.js';
import { type Case, type Row, WrongCase } from './inspect-case.js';
import { type Entry, type Inspector, KINDS } from './inspect-kinds.js';
import { clean, type Terminal } from './terminal.js';

const NAMES = [...KINDS.keys()];
/** Characters of the longest line: a page of the largest size in base64. */
const LONGEST_LINE = 128 * 1024 * 1024;

const JSON_ANSWER = { name: 'json', says: 'The answer as one line of JSON, not as words.' } as const;
const ENTRIES = [...KINDS.values()];

/** The flags of all kinds, each once. */
const FLAGS = [
  ...new Map(ENTRIES.flatMap(({ flags }) => flags).map((flag) => [flag.name, flag])).values(),
  JSON_ANSWER,
];

const LINES =
  'Without a subject, cases are read from standard input, one JSON object on a line, and answers written in the same ' +
  'order. Fields that are not read (such as an id) are copied; a bad line is answered with an error.';

export const spec: CommandSpec = {
  name: 'inspect',
  says: 'How one URL, robots.txt, page, sitemap, answer, charset or content type is read; or many, as JSON lines.',
  operands: `${NAMES.join('|')} [subject]`,
  mostOperands: 2,
  flags: FLAGS,
  options: [...new Set(ENTRIES.flatMap(({ options }) => options))],
  examples: [
    ...[...KINDS].map(([kind, { says }]): [string, string] => [`saunter inspect ${kind} --help`, says]),
    ['saunter inspect url < cases.jsonl > answers.jsonl', 'Many at once: {"id": 1, "input": "..."} on each line.'],
  ],
  notes: [LINES],
};

/** Each kind has a help of its own; without one, all are named. */
export function helpFor([name]: readonly string[]): CommandSpec {
  if (name === undefined) return { ...spec, flags: [JSON_ANSWER], options: [] };
  const { says, operand, flags, options, examples, line } = entryNamed(name);
  return {
    ...{ name: `inspect ${name}`, says, operands: operand, mostOperands: 1, flags: [...flags, JSON_ANSWER], options },
    ...{
      examples: [
        ...examples,
        [`saunter inspect ${name} < cases.jsonl > answers.jsonl`, `Many at once: ${line} on each line.`],
      ],
    },
    notes: [LINES, `docs/inspect.md has the fields of cases and answers.`],
  };
}

export async function run(args: Arguments, world: World): Promise<ExitCode> {
  const [name, subject] = args.operands;
  const entry = entryNamed(name);
  const known = flagsOf(helpFor([name]));
  for (const flag of [...args.flags.keys(), ...Object.keys(args.options)]) {
    if (!known.has(flag)) {
      throw new UserError(`--${flag} says nothing about a ${name}.`, 2);
    }
  }
  // a case is what it is, wherever it is inspected: no file that happens to lie here
  const flags = new Map([['config', args.flags.get('config') ?? 'off']]);
  const { config } = await (await import('./configured.js')).configured({ flags, options: args.options }, null);
  const kind = await entry.open(config, world.signal);
  try {
    const given = givenFields(args);
    const isOne = subject !== undefined || given.file !== undefined || given.status !== undefined;
    if (isOne) {
      const input = subject === undefined ? given : { ...given, [kind.subject]: subject };
      await one(`${name} ${subject ?? ''}`.trim(), input, kind, args.flags.has('json'), world.terminal);
    } else {
      await many(given, kind, entry.atOnce, world);
    }
    return world.signal.aborted ? 130 : 0;
  } finally {
    await kind.close?.();
  }
}

/** @throws UserError (usage) for no kind, and one that there is not */
function entryNamed(name: string | undefined): Entry {
  const entry = KINDS.get(name ?? '');
  if (entry !== undefined) return entry;
  if (name === undefined) throw new UserError(`What should be inspected? Give one of ${NAMES.join(', ')}.`, 2);
  const near = nearest(name, NAMES);
  const hint = near ? `the nearest is ${near}` : `give one of ${NAMES.join(', ')}`;
  throw new UserError(`There is no "${name}" to inspect; ${hint}.`, 2);
}

/** `contentType` of `content-type`. */
const fieldOf = (flag: string): string => flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/** Flags as fields of a case. */
function givenFields({ flags }: Arguments): Case {
  const fields: Record<string, string> = {};
  for (const [flag, value] of flags) {
    if (flag === 'json' || flag === 'config') continue;
    fields[fieldOf(flag)] = value;
  }
  return fields;
}

async function one(what: string, input: Case, kind: Inspector, asJson: boolean, terminal: Terminal): Promise<void> {
  try {
    if (asJson) terminal.print(JSON.stringify(await kind.answer(input)));
    else terminal.print(table(await kind.explain(input)));
  } catch (error) {
    if (error instanceof UserError) throw error;
    const flag = error instanceof WrongCase ? spec.flags.find(({ name }) => fieldOf(name) === error.field) : undefined;
    const hint = flag === undefined ? '' : ` (--${flag.name} ${flag.value})`;
    const sentence = `${what} cannot be inspected: ${fileFault(error)}${hint}.`;
    throw new UserError(sentence, error instanceof WrongCase ? 2 : 1, { cause: error });
  }
}

/** Rows under each other, labels aligned, text of the web harmless. */
function table(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([label]) => label.length)) + 2;
  return rows
    .map(([label, text]) => label.padEnd(width) + clean(text).replaceAll('\n', `\n${' '.repeat(width)}`))
    .join('\n');
}

/** JSON lines in, JSON lines out, in the same order; at most `atOnce` cases are in memory. */
async function many(given: Case, kind: Inspector, atOnce: number, { terminal, stdin, signal }: World): Promise<void> {
  const underWay: Promise<string>[] = [];
  for await (const line of linesOf(stdin)) {
    if (terminal.closed || signal.aborted) break;
    if (line.trim() === '') continue;
    underWay.push(answerLine(line, given, kind));
    if (underWay.length >= atOnce) await terminal.printOne(await underWay.shift()!);
  }
  for (const answer of underWay) await terminal.printOne(await answer);
}

/** One line in, one line out. Never rejects. */
async function answerLine(line: string, given: Case, kind: Inspector): Promise<string> {
  let id: unknown = null;
  try {
    const input = JSON.parse(line) as Case | null;
    if (input === null || typeof input !== 'object' || Array.isArray(input)) throw new TypeError('not a JSON object');
    id = input.id ?? null;
    const copied = Object.fromEntries(Object.entries(input).filter(([field]) => !kind.reads.includes(field)));
    return JSON.stringify({ ...copied, ...(await kind.answer({ ...given, ...input })) });
  } catch (error) {
    return JSON.stringify({ id, error: fileFault(error) });
  }
}

/** Lines of a stream, each of bounded length. */
async function* linesOf(stream: Readable): AsyncGenerator<string> {
  stream.setEncoding('utf8');
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<string>) {
    const lines = chunk.split('\n');
    for (const [i, piece] of lines.entries()) {
      parts.push(piece);
      length += piece.length;
      if (length > LONGEST_LINE) throw new UserError('A line of standard input is longer than 128 MiB.', 1);
      if (i === lines.length - 1) break;
      yield parts.join('');
      parts = [];
      length = 0;
    }
  }
  if (length > 0) yield parts.join('');
}
