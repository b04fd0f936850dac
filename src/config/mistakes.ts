/** What is wrong with a configuration, gathered so that all of it is told at once. */
import { UserError } from '../errors.js';
import { formatCount } from '../units.js';

/** Mistakes that are told; of more only the number. */
const MOST_TOLD = 20;

export class Mistakes {
  readonly #told: string[] = [];
  #count = 0;

  /** @param words a sentence that says where it stands and what is right; not asked for where too many are told already */
  add(words: () => string): void {
    if (this.#count++ < MOST_TOLD) this.#told.push(words());
  }

  /** @throws UserError (usage): the sentence of the only mistake, or a list of all */
  refuse(): void {
    if (this.#count === 0) return;
    if (this.#count === 1) throw new UserError(this.#told[0], 2);
    const more = this.#count - this.#told.length;
    const lines = [...this.#told, ...(more > 0 ? [`and ${formatCount(more)} more.`] : [])].map((line) => `\n- ${line}`);
    throw new UserError(`The configuration has ${formatCount(this.#count)} mistakes:${lines.join('')}`, 2);
  }
}

/** A value as a message shows it: in one line, not too long. */
export function quote(value: unknown): string {
  const text = inWords(value);
  return text.length > 100 ? `${text.slice(0, 99)}…` : text;
}

/** A module may hold what JSON cannot say: a bigint, a list within itself. */
function inWords(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return typeof value === 'bigint' ? `${value}n` : `this ${Array.isArray(value) ? 'list' : typeof value}`;
  }
}
