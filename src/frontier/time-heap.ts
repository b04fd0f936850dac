/**
 * A binary heap of (time, value), ties by age. The ready heaps of the back queues, the sleeping hosts and the waiting
 * retries are such heaps. Entries cannot be removed: a caller that reschedules a value hands in a new `stamp` and
 * ignores entries whose stamp is no longer the value's own. O(log n), no object per entry.
 */
import { PlainColumns } from '../columns.js';

export class TimeHeap {
  #size = 0;
  #age = 0;
  readonly #columns = new PlainColumns();
  readonly #times = this.#columns.add(Float64Array);
  readonly #ages = this.#columns.add(Float64Array);
  readonly #values = this.#columns.add(Uint32Array);
  readonly #stamps = this.#columns.add(Uint32Array);

  get size(): number {
    return this.#size;
  }

  /** Earliest time, or Infinity. */
  get time(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : this.#times[0];
  }
  get value(): number {
    return this.#values[0];
  }
  get stamp(): number {
    return this.#stamps[0];
  }

  push(time: number, value: number, stamp = 0): void {
    this.#columns.reserve(this.#size + 1);
    this.#sift(this.#size++, time, this.#age++, value, stamp);
  }

  /** Removes the earliest entry; read `time`, `value` and `stamp` before. */
  pop(): void {
    if (this.#size === 0) return;
    const last = --this.#size;
    if (last === 0) return;
    const time = this.#times[last];
    const age = this.#ages[last];
    let hole = 0;
    for (;;) {
      let child = 2 * hole + 1;
      if (child >= last) break;
      if (child + 1 < last && this.#before(child + 1, child)) child++;
      if (time < this.#times[child] || (time === this.#times[child] && age < this.#ages[child])) break;
      this.#move(child, hole);
      hole = child;
    }
    this.#write(hole, time, age, this.#values[last], this.#stamps[last]);
  }

  #sift(at: number, time: number, age: number, value: number, stamp: number): void {
    let hole = at;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      if (this.#times[parent] <= time) break; // an older entry of the same time stays in front
      this.#move(parent, hole);
      hole = parent;
    }
    this.#write(hole, time, age, value, stamp);
  }

  #before(a: number, b: number): boolean {
    return this.#times[a] < this.#times[b] || (this.#times[a] === this.#times[b] && this.#ages[a] < this.#ages[b]);
  }

  #move(from: number, to: number): void {
    this.#write(to, this.#times[from], this.#ages[from], this.#values[from], this.#stamps[from]);
  }

  #write(at: number, time: number, age: number, value: number, stamp: number): void {
    this.#times[at] = time;
    this.#ages[at] = age;
    this.#values[at] = value;
    this.#stamps[at] = stamp;
  }
}
