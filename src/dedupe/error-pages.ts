/**
 * The error page of each host: what it answers with 404 or 410, or what it answered to a URL that cannot exist. A 200 with
 * nearly that text is an error all the same: a soft 404 (DESIGN 10). The latest one counts; 20 bytes a host.
 */
import { FreezableColumn } from '../columns.js';
import { NEAR_DISTANCE, popCount } from './simhash.js';

const PRINT = 1;
const CONTENT = 2;

export class ErrorPages {
  readonly #has = new FreezableColumn();
  readonly #hi = new FreezableColumn();
  readonly #lo = new FreezableColumn();
  readonly #contentHi = new FreezableColumn();
  readonly #contentLo = new FreezableColumn();
  /** All of it, for checkpoints. */
  readonly columns = [this.#has, this.#hi, this.#lo, this.#contentHi, this.#contentLo] as const;
  readonly #distance: number;

  /** @param distance bits by which a soft 404 may differ from the error page */
  constructor(distance: number = NEAR_DISTANCE) {
    this.#distance = distance;
  }

  /** An error page of the host. @param content SHA-256 of its body: error pages are often too short for a fingerprint */
  learn(host: number, print: { hi: number; lo: number } | null, content: Uint8Array | null): void {
    let has = this.#has.get(host);
    if (print !== null) {
      this.#hi.set(host, print.hi);
      this.#lo.set(host, print.lo);
      has |= PRINT;
    }
    if (content !== null) {
      this.#contentHi.set(host, word(content, 0));
      this.#contentLo.set(host, word(content, 4));
      has |= CONTENT;
    }
    if (has !== this.#has.get(host)) this.#has.set(host, has);
  }

  /** Is an error page of the host known? */
  isKnown(host: number): boolean {
    return this.#has.get(host) !== 0;
  }

  /** Is this the host's error page? */
  isError(host: number, print: { hi: number; lo: number } | null, content: Uint8Array | null): boolean {
    const has = this.#has.get(host);
    if (has === 0) return false;
    if (has & CONTENT && content !== null) {
      const isSame = this.#contentHi.get(host) === word(content, 0) && this.#contentLo.get(host) === word(content, 4);
      if (isSame) return true;
    }
    if (!(has & PRINT) || print === null) return false;
    const distance = popCount(this.#hi.get(host) ^ print.hi) + popCount(this.#lo.get(host) ^ print.lo);
    return distance <= this.#distance;
  }
}

const word = (bytes: Uint8Array, at: number): number =>
  ((bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]) >>> 0;
