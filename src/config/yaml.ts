/** YAML, and JSON, which is YAML too: values with the lines that they stand on. */
import { type ErrorCode, isMap, isNode, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { UserError } from '../errors.js';

export interface YamlValues {
  readonly values: unknown;
  /** On which line (from 1) an option by its dotted name stands, or an item of a list (`rules[0]`). */
  lineOf(option: string): number | null;
  /** Keys that are given twice, a sentence each; asked for when it is told. */
  readonly mistakes: readonly (() => string)[];
}

/** What a fault of the syntax means to a person. */
const WORDS: Readonly<Partial<Record<ErrorCode, string>>> = {
  BAD_ALIAS: 'a * must be followed by the name of an anchor: put a value that begins with it in quotes',
  BAD_DIRECTIVE: 'a line that begins with % is not for values',
  BAD_DQ_ESCAPE: 'this backslash means nothing in double quotes: double it, or use single quotes',
  BAD_INDENT: 'a list [ ] or object { } is not closed, or a line is indented wrongly',
  BAD_SCALAR_START: 'a value that begins with @ or ` must stand in quotes',
  BLOCK_AS_IMPLICIT_KEY:
    'a second colon on one line, or a line that is indented too far: put a text with a colon in quotes',
  BLOCK_IN_FLOW: 'a list of lines cannot stand within [ ] or { }',
  MISSING_CHAR: 'a quote is not closed, or a colon, comma or space is missing',
  MULTILINE_IMPLICIT_KEY: 'a colon is missing, or a line is indented too far',
  RESOURCE_EXHAUSTION: 'lists or objects lie too deep within each other',
  MULTIPLE_DOCS: 'a config file is one document: a line --- ends it',
  TAB_AS_INDENT: 'a line is indented by a tab: use spaces',
  TAG_RESOLVE_FAILED: 'a value that begins with ! must stand in quotes',
  UNEXPECTED_TOKEN:
    'this cannot stand here: see how the lines are indented, and whether quotes and brackets are closed',
};

/**
 * @param path for messages
 * @throws UserError (usage) that names line and column of the first fault of the syntax; what follows comes of it, mostly
 */
export function readYaml(text: string, path: string): YamlValues {
  const lines = new LineCounter();
  const document = parsed(text, path, lines);
  const [fault] = [...document.errors, ...document.warnings];
  if (fault !== undefined) {
    const { line, col } = lines.linePos(fault.pos[0]);
    const quoted = fault.message.split(/ at line \d+|\n/, 1)[0].replace(/[.:]$/, '');
    const words = WORDS[fault.code] === undefined ? quoted : `${WORDS[fault.code]} ("${quoted}")`;
    throw new UserError(`The config file ${path} is not YAML, line ${line}, column ${col}: ${words}.`, 2);
  }
  const { offsets, twice } = keysOf(document.contents);
  const lineAt = (offset: number): number => lines.linePos(offset).line;
  return {
    values: document.contents === null ? {} : valuesOf(document, path),
    lineOf: (option) => {
      const offset = offsets.get(option);
      return offset === undefined ? null : lineAt(offset);
    },
    mistakes: twice.map(
      ({ name, first, second }) =>
        () =>
          `${JSON.stringify(name).slice(0, 100)} is given twice (in ${path}, lines ${lineAt(first)} and ${lineAt(second)}): keep one.`,
    ),
  };
}

/** The reader's own search for keys that are given twice compares each with each: 90,000 of them take it a minute. */
function parsed(text: string, path: string, lineCounter: LineCounter) {
  try {
    return parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: false });
  } catch (error) {
    const isDeep = error instanceof RangeError;
    const words = isDeep ? 'lists or objects lie too deep within each other' : (error as Error).message;
    throw new UserError(`The config file ${path} cannot be read: ${words}.`, 2, { cause: error });
  }
}

/** An alias may name nothing, or unfold without end. */
function valuesOf(document: ReturnType<typeof parseDocument>, path: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw new UserError(`The config file ${path} cannot be read: ${(error as Error).message}.`, 2, { cause: error });
  }
}

/** Where the keys stand, by their dotted names, and which stand twice in one object. */
function keysOf(contents: Node | null) {
  const offsets = new Map<string, number>();
  const twice: { name: string; first: number; second: number }[] = [];
  if (contents === null) return { offsets, twice };
  /** The dotted name that the keys of an object begin with. */
  const prefixes = new Map<unknown, string>([[contents, '']]);
  visit(contents, {
    Map(_, map) {
      const prefix = prefixes.get(map);
      const here = new Map<string, number>();
      for (const { key, value } of map.items) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        const offset = key.range?.[0] ?? 0;
        const first = here.get(name);
        if (first === undefined) here.set(name, offset);
        else twice.push({ name, first, second: offset });
        if (prefix === undefined) continue;
        if (!offsets.has(prefix + name)) offsets.set(prefix + name, offset);
        if (isMap(value)) prefixes.set(value, `${prefix}${name}.`);
        if (!isSeq(value) || first !== undefined) continue;
        value.items.forEach((item, i) => {
          const range = isNode(item) ? item.range : null;
          if (range) offsets.set(`${prefix}${name}[${i}]`, range[0]);
        });
      }
    },
  });
  return { offsets, twice };
}
