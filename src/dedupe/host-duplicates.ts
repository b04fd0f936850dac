/**
 * How much of each host is repeated: the alarm for traps (DESIGN 5: more than 0.8 of its last 200 new pages) and the
 * report of mirrors (most of a host's pages are those of one other host). 8 bytes a host, and some hundred for each that
 * has duplicates.
 */
import { FreezableColumn } from '../columns.js';
import { WideMap } from '../wide-map.js';

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
  readonly #pages = new FreezableColumn();
  readonly #duplicates = new FreezableColumn();
  /** Both, for checkpoints. */
  readonly columns = [this.#pages, this.#duplicates] as const;
  /** Of the hosts with duplicates. */
  readonly #repeats = new WideMap<number, Repeats>();
  /** While a checkpoint is taken: what was known of hosts when it began, of those that have changed since. */
  #before: Map<number, Repeats | null> | null = null;

  constructor(limits: DuplicateLimits) {
    this.#limits = limits;
  }

  /** A new page of a host. @param of host of the page that it repeats, -1 if it repeats none */
  add(host: number, of: number): void {
    const pages = this.#pages.get(host);
    this.#pages.set(host, pages + 1);
    if (of >= 0) this.#duplicates.set(host, this.#duplicates.get(host) + 1);
    let repeats = this.#repeats.get(host);
    if (repeats === undefined && of < 0) return;
    if (this.#before !== null && !this.#before.has(host)) this.#before.set(host, copyOf(repeats));
    if (repeats === undefined) {
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

  // -- checkpoints --------------------------------------------------------------------------------------------------

  /** From now on until {@link thaw}, {@link repeats} gives what there is now. The columns are frozen by themselves. */
  freeze(): void {
    this.#before = new Map();
  }

  thaw(): void {
    this.#before = null;
  }

  /** What is known of hosts with duplicates, as of {@link freeze}; hosts may be added on the way. */
  *repeats(): Generator<HostRepeats> {
    for (const [host, now] of this.#repeats) {
      const then = this.#before?.get(host);
      const repeats = then === undefined ? now : then;
      if (repeats === null) continue;
      const { ring, next, filled, duplicates, own, others } = repeats;
      yield [host, String.fromCharCode(...ring.map((kind) => kind + ZERO)), next, filled, duplicates, own, [...others]];
    }
  }

  /** @throws RangeError for what {@link repeats} never gives with this window */
  restore([host, kinds, next, filled, duplicates, own, others]: HostRepeats): void {
    const { window } = this.#limits;
    if (kinds.length !== window || !(next < window)) throw new RangeError(`the window of host ${host} is another`);
    const ring = Uint8Array.from(kinds, (kind) => kind.charCodeAt(0) - ZERO);
    this.#repeats.set(host, { ring, next, filled, duplicates, own, others: new Map(others) });
  }

  clear(): void {
    for (const column of this.columns) column.clear();
    this.#repeats.clear();
  }

  /** Every host that mirrors another. */
  *mirrors(): Generator<Mirror & { host: number }> {
    for (const host of this.#repeats.keys()) {
      const mirror = this.mirrorOf(host);
      if (mirror !== null) yield { host, ...mirror };
    }
  }
}

/** A host with its {@link Repeats}, for JSON. */
export type HostRepeats = [
  host: number,
  ring: string,
  next: number,
  filled: number,
  duplicates: number,
  own: number,
  others: [host: number, copies: number][],
];

const ZERO = 48;

const copyOf = (repeats: Repeats | undefined): Repeats | null =>
  repeats === undefined ? null : { ...repeats, ring: repeats.ring.slice(), others: new Map(repeats.others) };

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
