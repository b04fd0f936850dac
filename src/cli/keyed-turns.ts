/** Tasks of one key run one after another, with a gap between them; tasks of different keys run side by side. */

export class KeyedTurns {
  readonly #clock: () => number;
  readonly #sleep: (ms: number) => Promise<unknown>;
  /** The last task of each key that is under way or waits. */
  readonly #last = new Map<string, Promise<unknown>>();
  /** Ms before which no task of a key may begin; only where that is in the future. */
  readonly #notBefore = new Map<string, number>();

  /** @param clock monotonic ms */
  constructor(clock: () => number, sleep: (ms: number) => Promise<unknown>) {
    this.#clock = clock;
    this.#sleep = sleep;
  }

  /** Runs a task in its turn. It gives its value, and the gap that is owed from its end on, ms. */
  async run<T>(key: string, task: () => Promise<{ value: T; gap: number }>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const turn = before.catch(() => {}).then(() => this.#turn(key, task));
    this.#last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === turn) this.#last.delete(key);
    }
  }

  async #turn<T>(key: string, task: () => Promise<{ value: T; gap: number }>): Promise<T> {
    const wait = (this.#notBefore.get(key) ?? 0) - this.#clock();
    if (wait > 0) await this.#sleep(wait);
    const { value, gap } = await task();
    if (gap > 0) this.#notBefore.set(key, this.#clock() + gap);
    else this.#notBefore.delete(key);
    this.#forget();
    return value;
  }

  /** Keys whose gap is over need no memory. */
  #forget(): void {
    if (this.#notBefore.size < 1024) return;
    const now = this.#clock();
    for (const [key, time] of this.#notBefore) if (time <= now) this.#notBefore.delete(key);
  }
}
