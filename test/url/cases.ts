import { readFileSync } from 'node:fs';

/** The lines of a fixture of this suite, parsed. */
export function cases<T>(name: string): T[] {
  const text = readFileSync(new URL(`../fixtures/url/${name}.jsonl`, import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}
