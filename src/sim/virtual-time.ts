/** Virtual time: a queue of events, run one after the other, ties in the order in which they were planned. Nothing waits
 * and nothing is concurrent, so a seed decides everything that happens. */
export class VirtualTime {
  /** True time in ms since the beginning of the simulated world. */
  now = 0;
  #planned = 0;
  readonly #heap: { at: number; order: number; run: () => void }[] = [];

  /** Plans an event in `ms` (rounded up to a whole ms, at least 0). */
  after(ms: number, run: () => void): void {
    const at = this.now + Math.max(Math.ceil(ms), 0);
    const event = { at, order: this.#planned++, run };
    let hole = this.#heap.push(event) - 1;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      if (!isBefore(event, this.#heap[parent])) break;
      this.#heap[hole] = this.#heap[parent];
      hole = parent;
    }
    this.#heap[hole] = event;
  }

  /** Lets `ms` pass in which nothing happens: what was planned belonged to a process that is gone. */
  skip(ms: number): void {
    this.now += ms;
    this.#heap.length = 0;
  }

  /** Runs the next event; false if there is none. */
  step(): boolean {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (first === undefined || last === undefined) return false;
    if (last !== first) this.#sink(last);
    this.now = first.at;
    first.run();
    return true;
  }

  #sink(event: { at: number; order: number; run: () => void }): void {
    const heap = this.#heap;
    let hole = 0;
    for (;;) {
      let child = 2 * hole + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++;
      if (isBefore(event, heap[child])) break;
      heap[hole] = heap[child];
      hole = child;
    }
    heap[hole] = event;
  }
}

const isBefore = (a: { at: number; order: number }, b: { at: number; order: number }): boolean =>
  a.at < b.at || (a.at === b.at && a.order < b.order);
