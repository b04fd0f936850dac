/** What `soak-fuzz.ts` and its thread say to each other. */

export interface FuzzTurn {
  readonly target: string;
  readonly seed: number;
  readonly milliseconds: number;
}

export interface FuzzOutcome {
  readonly cases: number;
  /** Bytes of the heap and of buffers outside of it after a collection. */
  readonly memory: number;
  readonly failure: { readonly message: string; readonly path: string; readonly input: unknown } | null;
}

export interface FuzzWorkerData {
  readonly corpus: string | null;
  /** The case that is running: its length as JSON, its number, then the JSON itself. */
  readonly running: SharedArrayBuffer;
}

/** Words before the text of the case. */
export const RUNNING_HEADER = 8;
