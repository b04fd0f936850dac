/** A figure that takes a walk over all hosts or URLs: asked for every second, it is looked up anew only so often that the
 * walks take a fiftieth of the time, and not at all where one walk would hold the crawl up. */
import { systemClock } from '../engines/system.js';

const SHARE = 50;

export class Sparing<T> {
  #value: T;
  #next = Number.NEGATIVE_INFINITY;

  /** @param value before the first look, and for ever where there is too much to look at */
  constructor(value: T) {
    this.#value = value;
  }

  /** @param isTooMuch a look would take too long */
  get(look: () => T, isTooMuch = false): T {
    const now = systemClock.monotonic();
    if (isTooMuch || now < this.#next) return this.#value;
    this.#value = look();
    const end = systemClock.monotonic();
    this.#next = end + SHARE * (end - now);
    return this.#value;
  }
}
