/** What is wrong with a text that is not JSON, and where: `JSON.parse` says it in other words in each Node, and not always where. */

export interface SyntaxFault {
  /** Where it is, in characters from the start. */
  readonly offset: number;
  /** The end of "it is not JSON: ...". */
  readonly words: string;
}

const SPACE = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const LITERAL = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

/** The first fault of a text, or null if it is JSON. One pass, without recursion. */
export function jsonFault(text: string): SyntaxFault | null {
  let at = 0;
  /** Whether it goes on here; if so, past it. */
  const takes = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.test(text);
    if (found) at = pattern.lastIndex;
    return found;
  };
  const fault = (words: string): SyntaxFault => ({ offset: at, words: stranger(text, at) ?? words });
  /** The closing brackets that are awaited, innermost last. */
  const open: string[] = [];
  let wants: 'value' | 'first' | 'key' | 'comma' = 'value';
  for (;;) {
    takes(SPACE);
    const next = text[at];
    const end = open.at(-1);
    if (wants === 'comma') {
      if (end === undefined) return at === text.length ? null : fault('something follows the end of the value');
      if (next === end) {
        at++;
        open.pop();
      } else if (next === ',') {
        at++;
        wants = end === '}' ? 'key' : 'value';
      } else return fault(`a comma or ${end} is missing here`);
      continue;
    }
    if (wants === 'first' && next === end) {
      at++;
      open.pop();
      wants = 'comma';
      continue;
    }
    if (end === '}' && wants !== 'value') {
      if (next === '}') return fault('a comma stands before this }');
      if (next !== '"') return fault('a key in double quotes is missing here');
      if (!takes(STRING)) return fault('this text does not end, or holds what has to be escaped by a backslash');
      takes(SPACE);
      if (text[at] !== ':') return fault('a colon is missing after the key');
      at++;
      wants = 'value';
      continue;
    }
    if (next === '{' || next === '[') {
      at++;
      open.push(next === '{' ? '}' : ']');
      wants = 'first';
      continue;
    }
    if (next === ']' && end === ']') return fault('a comma stands before this ]');
    if (next === '"' && !takes(STRING))
      return fault('this text does not end, or holds what has to be escaped by a backslash');
    if (next !== '"' && !takes(LITERAL))
      return fault(
        'a value is missing here: a text in double quotes, a number, true, false, null, a list or an object',
      );
    wants = 'comma';
  }
}

/** What people write into JSON that is none. */
function stranger(text: string, at: number): string | null {
  if (at >= text.length) return 'the file ends too early';
  if (text[at] === "'") return 'texts stand in double quotes, not in single ones';
  if (text[at] === '#' || text.startsWith('//', at) || text.startsWith('/*', at))
    return 'JSON has no comments: YAML has';
  return null;
}
