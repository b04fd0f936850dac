/**
 * How much of each host is repeated: the alarm for traps (DESIGN 5: more than 0.8 of its last 200 new pages) and the
 * report of mirrors (most of a host's pages are those of one other host). 8 bytes a host, and some hundred for each that
 * has duplicates.
 */
import { Uint32Column } from '../columns.js';

export interface DuplicateLimits {
  /** A host with a larger share of duplicates among its last `window` new pages is a suspected trap. */
  readonly ratio: number;
  readonly window: number;
}

/** Another host that one repeats. */
export interface Mirror {
  of: number;
  /** Pages of the host that are duplicates of pages of `of`, and all its pages. */
  copies: number;
  pages: number;
}

/** Other hosts that are counted for each host; a mirror is a mirror of one. */
const MOST_OTHERS = 8;
/** A host is a mirror if so much of it is another's. */
const MIRROR_SHARE = 0.5;

const OTHER = 1;
const OWN = 2;

interface Repeats {
  /** Of the last pages, in a ring: 1 for a duplicate of another host's, 2 for one of its own. */
  readonly ring: Uint8Array;
  next: number;
  /** Pages in the ring, duplicates among them, and those of its own pages. */
  filled: number;
  duplicates: number;
  own: number;
  /** Copies of other hosts' pages, by host. */
  readonly others: Map<number, number>;
}

export class HostDuplicates {
  readonly #limits: DuplicateLimits;
  readonly #pages = new Uint32Column();
  readonly #duplicates = new Uint32Column();
  /** Of the hosts with duplicates. */
  readonly #repeats = new Map<number, Repeats>();

  constructor(limits: DuplicateLimits) {
    this.#limits = limits;
  }

  /** A new page of a host. @param of host of the page that it repeats, -1 if it repeats none */
  add(host: number, of: number): void {
    const pages = this.#pages.get(host);
    this.#pages.set(host, pages + 1);
    if (of >= 0) this.#duplicates.set(host, this.#duplicates.get(host) + 1);
    let repeats = this.#repeats.get(host);
    if (repeats === undefined) {
      if (of < 0) return;
      repeats = begin(this.#limits.window, pages);
      this.#repeats.set(host, repeats);
    }
    push(repeats, of < 0 ? 0 : of === host ? OWN : OTHER);
    if (of >= 0 && of !== host && (repeats.others.has(of) || repeats.others.size < MOST_OTHERS)) {
      repeats.others.set(of, (repeats.others.get(of) ?? 0) + 1);
    }
  }

  pages(host: number): number {
    return this.#pages.get(host);
  }

  duplicates(host: number): number {
    return this.#duplicates.get(host);
  }

  /** Are more than the limit's share of its last pages duplicates? Not before there were as many as the window holds. */
  isSuspect(host: number): boolean {
    const repeats = this.#repeats.get(host);
    const { ratio, window } = this.#limits;
    return repeats !== undefined && repeats.filled === window && repeats.duplicates > ratio * window;
  }

  /** Does the share of pages that repeat others of the same host rise towards the alarm: more than half of the limit, and
   * a tenth of the window at least? Error pages that claim to be none would look so. */
  isRising(host: number): boolean {
    const repeats = this.#repeats.get(host);
    if (repeats === undefined) return false;
    const { ratio, window } = this.#limits;
    return repeats.own >= window / 10 && repeats.own > (ratio / 2) * repeats.filled;
  }

  /** The other host that this one mirrors, or null. */
  mirrorOf(host: number): Mirror | null {
    const others = this.#repeats.get(host)?.others;
    if (others === undefined) return null;
    const pages = this.pages(host);
    let mirror: Mirror | null = null;
    for (const [of, copies] of others) if (copies > (mirror?.copies ?? 0)) mirror = { of, copies, pages };
    return mirror !== null && mirror.copies >= MIRROR_SHARE * pages ? mirror : null;
  }

  /** Every host that mirrors another. */
  *mirrors(): Generator<Mirror & { host: number }> {
    for (const host of this.#repeats.keys()) {
      const mirror = this.mirrorOf(host);
      if (mirror !== null) yield { host, ...mirror };
    }
  }
}

/** The pages that came before the first duplicate. */
function begin(window: number, pages: number): Repeats {
  const filled = Math.min(pages, window);
  return { ring: new Uint8Array(window), next: filled % window, filled, duplicates: 0, own: 0, others: new Map() };
}

function push(repeats: Repeats, kind: number): void {
  const { ring, next } = repeats;
  if (repeats.filled < ring.length) repeats.filled++;
  else count(repeats, ring[next], -1);
  ring[next] = kind;
  count(repeats, kind, 1);
  repeats.next = (next + 1) % ring.length;
}

function count(repeats: Repeats, kind: number, by: 1 | -1): void {
  if (kind !== 0) repeats.duplicates += by;
  if (kind === OWN) repeats.own += by;
}
