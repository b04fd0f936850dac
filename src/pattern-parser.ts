/**
 * The regular expressions of scope rules, read into a program for the automaton of `url/pattern.ts`.
 *
 * Supported: literals, `.`, classes, `\d \w \s` and their opposites, groups, `|`, `* + ? {m,n}` (a lazy `?` after them
 * changes nothing about a yes or no), `^` and `$`. Not supported, because no automaton has them: references back and
 * looks around. Normal URLs are ASCII, so patterns are.
 */

/** A pattern that is wrong, or that asks for what we do not have. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/** What a pattern may cost: characters of its source, nesting of groups, instructions once `{m,n}` is written out. */
export const PATTERN_LIMITS = { source: 1_000, nesting: 50, instructions: 5_000 } as const;

export const SET = 0;
export const SPLIT = 1;
export const BEGIN = 2;
export const END = 3;
export const MATCH = 4;

/** One instruction: SET goes to `next` on a character of `set`; SPLIT to `next` and `other`; BEGIN and END to `next`
 * at the start and the end of the text. */
export interface Instruction {
  readonly op: number;
  readonly set: Uint8Array | null;
  next: number;
  other: number;
}

type Node =
  | { kind: 'set'; set: Uint8Array }
  | { kind: 'begin' | 'end' | 'empty' }
  | { kind: 'sequence' | 'choice'; nodes: Node[] }
  | { kind: 'repeat'; node: Node; min: number; max: number };

const DIGITS = setOf((c) => c >= 48 && c <= 57);
const WORDS = setOf((c) => /\w/.test(String.fromCharCode(c)));
const SPACES = setOf((c) => /\s/.test(String.fromCharCode(c)));
const ANY = setOf((c) => c !== 10 && c !== 13);
const ESCAPED_SETS: Readonly<Record<string, Uint8Array>> = {
  d: DIGITS,
  D: not(DIGITS),
  w: WORDS,
  W: not(WORDS),
  s: SPACES,
  S: not(SPACES),
};

/** The program of a pattern; it starts at instruction 0. Throws a {@link PatternError}. */
export function compilePattern(source: string, ignoreCase = false): Instruction[] {
  if (source.length > PATTERN_LIMITS.source) {
    throw new PatternError(`a pattern has at most ${PATTERN_LIMITS.source} characters, this one ${source.length}`);
  }
  const program: Instruction[] = [];
  const emit = (op: number, set: Uint8Array | null = null): Instruction => {
    if (program.length >= PATTERN_LIMITS.instructions) throw new PatternError(`the pattern ${source} is too large`);
    const instruction = { op, set, next: program.length + 1, other: -1 };
    program.push(instruction);
    return instruction;
  };
  const loop = (node: Node) => {
    const start = program.length;
    const split = emit(SPLIT);
    write(node);
    emit(SPLIT).next = start;
    split.other = program.length;
  };
  const optional = (node: Node) => {
    const split = emit(SPLIT);
    write(node);
    split.other = program.length;
  };
  const choice = (nodes: Node[]) => {
    const exits: Instruction[] = [];
    nodes.forEach((node, i) => {
      const split = i < nodes.length - 1 ? emit(SPLIT) : undefined;
      write(node);
      if (split === undefined) return;
      exits.push(emit(SPLIT));
      split.other = program.length;
    });
    for (const exit of exits) exit.next = program.length;
  };
  const write = (node: Node): void => {
    if (node.kind === 'set') emit(SET, node.set);
    else if (node.kind === 'begin') emit(BEGIN);
    else if (node.kind === 'end') emit(END);
    else if (node.kind === 'sequence') node.nodes.forEach(write);
    else if (node.kind === 'choice') choice(node.nodes);
    else if (node.kind === 'repeat') {
      for (let i = 0; i < node.min; i++) {
        const before = program.length;
        write(node.node);
        if (program.length === before) return; // `(){999}`: nothing, however often
      }
      if (node.max === Number.POSITIVE_INFINITY) loop(node.node);
      else for (let i = node.min; i < node.max; i++) optional(node.node);
    }
  };
  write(new Parser(source, ignoreCase).parse());
  emit(MATCH);
  return program;
}

/** Recursive descent; the depth is that of the pattern's groups, which is limited. */
class Parser {
  private readonly source: string;
  private readonly ignoreCase: boolean;
  private at = 0;
  private depth = 0;

  constructor(source: string, ignoreCase: boolean) {
    this.source = source;
    this.ignoreCase = ignoreCase;
  }

  parse(): Node {
    const node = this.choice();
    if (this.at < this.source.length) throw this.error('has a ) without a (');
    return node;
  }

  private error(what: string): PatternError {
    return new PatternError(`the pattern ${this.source} ${what} (at character ${this.at + 1})`);
  }

  private choice(): Node {
    const nodes = [this.sequence()];
    while (this.source[this.at] === '|') {
      this.at++;
      nodes.push(this.sequence());
    }
    return nodes.length === 1 ? nodes[0] : { kind: 'choice', nodes };
  }

  private sequence(): Node {
    const nodes: Node[] = [];
    while (this.at < this.source.length && this.source[this.at] !== '|' && this.source[this.at] !== ')') {
      nodes.push(this.repeated(this.atom()));
    }
    return nodes.length === 0 ? { kind: 'empty' } : { kind: 'sequence', nodes };
  }

  private repeated(node: Node): Node {
    const quantifier = /^(?:[*+?]|\{(\d{1,4})(,?)(\d{0,4})\})/.exec(this.source.slice(this.at, this.at + 12));
    if (quantifier === null) return node;
    const [text, min, comma, max] = quantifier;
    this.at += text.length;
    if (this.source[this.at] === '?') this.at++;
    if (/^[*+?{]/.test(this.source.slice(this.at))) throw this.error('has a quantifier after a quantifier');
    const many = Number.POSITIVE_INFINITY;
    if (text === '*') return { kind: 'repeat', node, min: 0, max: many };
    if (text === '+') return { kind: 'repeat', node, min: 1, max: many };
    if (text === '?') return { kind: 'repeat', node, min: 0, max: 1 };
    const least = Number(min);
    const most = comma === '' ? least : max === '' ? many : Number(max);
    if (most < least) throw this.error('has a quantifier with its numbers in the wrong order');
    return { kind: 'repeat', node, min: least, max: most };
  }

  private atom(): Node {
    const character = this.source[this.at++];
    if (character === '(') return this.group();
    if (character === '[') return { kind: 'set', set: this.characterClass() };
    if (character === '.') return { kind: 'set', set: ANY };
    if (character === '^') return { kind: 'begin' };
    if (character === '$') return { kind: 'end' };
    if (character === '\\') return { kind: 'set', set: this.folded(this.escape()) };
    if ('*+?'.includes(character)) throw this.error('has a quantifier with nothing before it');
    return { kind: 'set', set: this.folded(single(this.ascii(character))) };
  }

  private folded(set: Uint8Array): Uint8Array {
    return this.ignoreCase ? foldCase(set) : set;
  }

  private group(): Node {
    if (++this.depth > PATTERN_LIMITS.nesting) throw this.error('has its groups too deep');
    if (this.source.startsWith('?:', this.at)) this.at += 2;
    else if (this.source[this.at] === '?') throw this.error('looks around or names a group, which we do not have');
    const node = this.choice();
    if (this.source[this.at] !== ')') throw this.error('has a ( without a )');
    this.at++;
    this.depth--;
    return node;
  }

  private escape(): Uint8Array {
    const character = this.source[this.at++];
    if (character === undefined) throw this.error('ends in a backslash');
    const set = ESCAPED_SETS[character];
    if (set !== undefined) return set;
    if (/[A-Za-z0-9]/.test(character)) throw this.error(`has \\${character}, which we do not have`);
    return single(this.ascii(character));
  }

  private characterClass(): Uint8Array {
    const negated = this.source[this.at] === '^';
    if (negated) this.at++;
    const set = new Uint8Array(128);
    for (;;) {
      const character = this.source[this.at++];
      if (character === undefined) throw this.error('has a [ without a ]');
      if (character === ']') {
        return negated ? not(this.folded(set)) : this.folded(set);
      }
      const from = character === '\\' ? this.escape() : single(this.ascii(character));
      if (this.source[this.at] === '-' && this.source[this.at + 1] !== ']' && this.at + 1 < this.source.length) {
        this.at++;
        const bound = this.source[this.at++];
        const to = bound === '\\' ? this.escape() : single(this.ascii(bound));
        const [low, high] = [only(from), only(to)];
        if (low < 0 || high < low) throw this.error('has a range that is none');
        set.fill(1, low, high + 1);
      } else {
        for (let i = 0; i < 128; i++) set[i] |= from[i];
      }
    }
  }

  private ascii(character: string): number {
    const code = character.charCodeAt(0);
    if (code > 127) throw this.error('is not ASCII; a normal URL is, so write the %XX form');
    return code;
  }
}

function setOf(has: (code: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => (has(code) ? 1 : 0));
}

function not(set: Uint8Array): Uint8Array {
  return set.map((bit) => 1 - bit);
}

function single(code: number): Uint8Array {
  return setOf((c) => c === code);
}

/** The one character of a set, or -1. */
function only(set: Uint8Array): number {
  const first = set.indexOf(1);
  return first === set.lastIndexOf(1) ? first : -1;
}

function foldCase(set: Uint8Array): Uint8Array {
  return setOf((code) => {
    const character = String.fromCharCode(code);
    return set[character.toLowerCase().charCodeAt(0)] === 1 || set[character.toUpperCase().charCodeAt(0)] === 1;
  });
}
