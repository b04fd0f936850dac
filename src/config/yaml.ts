/** YAML, and JSON, which is YAML too: values with the lines that they stand on. */
import { isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import { UserError } from '../errors.js';

/**
 * @param path for messages
 * @returns the values, and on which line (from 1) an option by its dotted name stands
 * @throws UserError (usage) that names the line of the first fault: also of a key that is given twice
 */
export function readYaml(text: string, path: string): { values: unknown; lineOf(option: string): number | null } {
  const lines = new LineCounter();
  const document = parsed(text, path, lines);
  const [fault] = [...document.errors, ...document.warnings];
  if (fault !== undefined) {
    const words = fault.message.split(/ at line \d+|\n/, 1)[0].replace(/[.:]$/, '');
    throw new UserError(
      `The config file ${path} cannot be read, line ${lines.linePos(fault.pos[0]).line}: ${words}.`,
      2,
    );
  }
  return {
    values: document.contents === null ? {} : valuesOf(document, path),
    lineOf: (option) => {
      const offset = offsetOf(document.contents, option);
      return offset === null ? null : lines.linePos(offset).line;
    },
  };
}

function parsed(text: string, path: string, lineCounter: LineCounter) {
  try {
    return parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: true });
  } catch (error) {
    // nested so deeply that its reader gives up
    throw new UserError(`The config file ${path} cannot be read: ${(error as Error).message}.`, 2, { cause: error });
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

/** Where the key of an option stands, nested or dotted. */
function offsetOf(node: unknown, option: string): number | null {
  if (!isMap(node)) return null;
  for (const { key, value } of node.items) {
    if (!isScalar(key)) continue;
    const name = String(key.value);
    if (name === option) return key.range?.[0] ?? null;
    const inner = option.startsWith(`${name}.`) ? offsetOf(value, option.slice(name.length + 1)) : null;
    if (inner !== null) return inner;
  }
  return null;
}
