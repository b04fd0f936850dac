/**
 * Regular expressions in linear time. JavaScript's own go back and try again: one bad pattern and one crafted URL
 * would stop the crawl. A pattern here is an automaton (Thompson, 1968); the sets of states that URLs lead to are kept
 * as states of a deterministic one, built as they are met.
 */
import { BEGIN, compilePattern, END, type Instruction, MATCH, SET, SPLIT } from '../pattern-parser.js';

/** Deterministic states that are kept; past it the table starts again. */
const STATES_KEPT = 1_000;
const UNKNOWN = -1;

interface State {
  /** SET and END instructions that are alive. */
  readonly alive: readonly number[];
  readonly matched: boolean;
  /** Does the pattern match if the text ends here? */
  readonly matchedAtEnd: boolean;
  /** Next state by character, or UNKNOWN. */
  readonly next: Int32Array;
}

/** Like `new RegExp(source, ignoreCase ? 'i' : '').test`, for ASCII texts. */
export class Pattern {
  private readonly program: Instruction[];
  private states: State[] = [];
  private byKey = new Map<string, number>();

  /** Throws a {@link PatternError}. */
  constructor(source: string, ignoreCase = false) {
    this.program = compilePattern(source, ignoreCase);
    this.begin();
  }

  test(text: string): boolean {
    let state = this.states[0];
    for (let i = 0; i < text.length; i++) {
      if (state.matched) return true;
      const code = text.charCodeAt(i) & 127;
      const known = state.next[code];
      if (known !== UNKNOWN) {
        state = this.states[known];
        continue;
      }
      if (this.states.length >= STATES_KEPT) {
        const alive = this.step(state, code);
        this.begin();
        state = this.states[this.intern(alive)];
      } else {
        const next = this.intern(this.step(state, code));
        state.next[code] = next;
        state = this.states[next];
      }
    }
    return state.matched || state.matchedAtEnd;
  }

  private begin(): void {
    this.states = [];
    this.byKey.clear();
    this.intern(this.closure([0], true, false));
  }

  /** Where the live states go on `code`; and the match may also start at the next character. */
  private step(state: State, code: number): number[] {
    const targets = [0];
    for (const at of state.alive) {
      const { op, set, next } = this.program[at];
      if (op === SET && set![code] === 1) targets.push(next);
    }
    return this.closure(targets, false, false);
  }

  /** The SET, END and MATCH instructions that `from` leads to without reading. */
  private closure(from: readonly number[], atBegin: boolean, atEnd: boolean): number[] {
    const seen = new Set<number>();
    const stack = [...from];
    const found: number[] = [];
    while (stack.length > 0) {
      const at = stack.pop()!;
      if (at < 0 || seen.has(at)) continue;
      seen.add(at);
      const { op, next, other } = this.program[at];
      if (op === SPLIT) stack.push(next, other);
      else if (op === BEGIN) {
        if (atBegin) stack.push(next);
      } else if (op === END && atEnd) stack.push(next);
      else found.push(at);
    }
    return found.sort((a, b) => a - b);
  }

  private intern(alive: number[]): number {
    const first = this.states.length === 0;
    const key = first ? 'first' : alive.join(' ');
    const known = this.byKey.get(key);
    if (known !== undefined) return known;
    const isMatch = (at: number) => this.program[at].op === MATCH;
    const ends = alive.filter((at) => this.program[at].op === END);
    const state: State = {
      alive,
      matched: alive.some(isMatch),
      // In the first state the text is empty, so its end is its begin as well.
      matchedAtEnd: this.closure(ends, first, true).some(isMatch),
      next: new Int32Array(128).fill(UNKNOWN),
    };
    this.byKey.set(key, this.states.length);
    return this.states.push(state) - 1;
  }
}
