import type { Readable } from 'node:stream';
import { UserError } from '../errors.js';
import { nearest } from '../nearest.js';
import type { Arguments, CommandSpec } from './arguments.js';
import type { ExitCode, World } from './command.js';
import type { Case } from './inspect-kinds.js';

/** By argument, the operand is this field of the case. */
const SUBJECT: Readonly<Record<string, string>> = {
  url: 'input',
  robots: 'file',
  page: 'file',
  sitemap: 'file',
  charset: 'file',
  type: 'contentType',
};
/** Characters of the longest line: a page of the largest size in base64. */
const LONGEST_LINE = 128 * 1024 * 1024;

export const spec: CommandSpec = {
  name: 'inspect',
  says: 'How one URL, robots.txt, page, sitemap, charset or content type is read; or many, as JSON lines.',
  operands: 'url|robots|page|sitemap|charset|type [subject]',
  mostOperands: 2,
  flags: [
    { name: 'base', value: 'URL', says: 'url: what the link is resolved against.' },
    {
      name: 'url',
      value: 'URL',
      says: 'robots: the URL or path that is asked about; page, sitemap: where it came from.',
    },
    { name: 'agent', value: 'NAME', says: 'robots, page: the crawler to read for. Default: Saunter.' },
    { name: 'content-type', value: 'TYPE', says: 'page, sitemap, charset: the Content-Type header.' },
  ],
  options: [],
  examples: [
    ["saunter inspect url 'HTTP://Example.org:80/a/?utm_source=x&b=1'", 'Its normal form, what is fetched, its key.'],
    ['saunter inspect robots robots.txt --url /private/x', 'Whether it may be fetched, and the line that decides.'],
    ['saunter inspect page page.html --url https://example.org/', 'Charset, title, directives, links, text.'],
    ['saunter inspect url < cases.jsonl > answers.jsonl', 'Many at once: {"id": 1, "input": "..."} on each line.'],
  ],
  notes: [
    'Without a subject, cases are read from standard input, one JSON object on a line, and answers written in the same ' +
      'order. Fields that are not read (such as an id) are copied; a bad line is answered with an error.',
  ],
};

export async function run(args: Arguments, { terminal, stdin }: World): Promise<ExitCode> {
  const [name, subject] = args.operands;
  const { KINDS } = await import('./inspect-kinds.js');
  const kind = KINDS.get(name ?? '');
  if (!kind) {
    const near = nearest(name ?? '', KINDS.keys());
    const hint = near ? `the nearest is ${near}` : `give one of ${[...KINDS.keys()].join(', ')}`;
    throw new UserError(
      name === undefined
        ? `What should be inspected? Give one of ${[...KINDS.keys()].join(', ')}.`
        : `There is no "${name}" to inspect; ${hint}.`,
      2,
    );
  }
  const given = Object.fromEntries(
    [...args.flags].map(([flag, value]) => [flag === 'content-type' ? 'contentType' : flag, value]),
  );
  for (const field of Object.keys(given)) {
    if (!kind.reads.includes(field)) {
      const flag = field === 'contentType' ? 'content-type' : field;
      throw new UserError(`--${flag} says nothing about a ${name}.`, 2);
    }
  }
  if (subject !== undefined) {
    try {
      terminal.print(JSON.stringify(kind.answer({ ...given, [SUBJECT[name]]: subject }), null, 2));
      return 0;
    } catch (error) {
      throw new UserError(`${name} ${subject} cannot be inspected: ${(error as Error).message}.`, 1, { cause: error });
    }
  }
  for await (const line of linesOf(stdin)) {
    if (terminal.closed) break;
    if (line.trim() !== '') await terminal.printOne(answerLine(line, given, kind));
  }
  return 0;
}

/** One line in, one line out. */
function answerLine(
  line: string,
  given: Case,
  kind: { readonly reads: readonly string[]; answer(input: Case): Record<string, unknown> },
): string {
  let id: unknown;
  try {
    const input = JSON.parse(line) as Case | null;
    if (input === null || typeof input !== 'object' || Array.isArray(input)) throw new TypeError('not a JSON object');
    id = input.id;
    const copied = Object.fromEntries(Object.entries(input).filter(([field]) => !kind.reads.includes(field)));
    return JSON.stringify({ ...copied, ...kind.answer({ ...given, ...input }) });
  } catch (error) {
    return JSON.stringify({ id, error: (error as Error).message });
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
