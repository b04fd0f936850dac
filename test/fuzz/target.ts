/**
 * What is fuzzed: a generator of cases, and the promises that each case must keep. The suite runs each target briefly
 * from a fixed seed (`fuzz.test.ts`), `npm run soak -- fuzz` for as long as it is told.
 */
import type fc from 'fast-check';
import type { Corpus } from './corpus.js';

export interface FuzzTarget<Case = unknown> {
  readonly name: string;
  /** Cases in the suite; the whole folder takes less than 20 s there. */
  readonly suiteRuns: number;
  /** A case is plain JSON, with bytes as `latin1` strings, so that one that fails can be kept as a file. */
  cases(corpus: Corpus): fc.Arbitrary<Case>;
  /** Throws where the case breaks a promise. */
  check(input: Case): void | Promise<void>;
}

/** A case that was kept because it broke a promise once: the files of `kept/`. */
export interface KeptCase {
  readonly target: string;
  /** What it showed. */
  readonly says: string;
  readonly input: unknown;
}

export const bytesOf = (latin1: string): Buffer => Buffer.from(latin1, 'latin1');
