/**
 * A set of names (hosts, domains, folders) that may be in the millions, as seeds may be: what is asked of it is whether a
 * name is in it. Up to {@link FEW} it holds the names themselves; beyond, 64 bits of each, hashed under the crawl's secret,
 * so that nobody can choose a name that passes for another: 11 to 21 bytes a name where a `Set` takes 100, in each thread.
 */
import { UrlKeyer } from './key.js';

/** Names that are kept as they are. */
const FEW = 4096;
const FULLEST = 0.75;

/** More than {@link FEW} names, as plain data. */
export interface PackedNames {
  readonly secret: Uint8Array;
  readonly count: number;
  /** High and low half of a hash each; two zeros are an empty slot. The number of slots is a power of two. */
  readonly slots: Uint32Array;
}

/** Names as plain data: scope rules are handed from thread to thread. */
export type Names = readonly string[] | PackedNames;

export class NameSet {
  #few: Set<string> | null = new Set();
  readonly #secret: Uint8Array;
  readonly #keyer: UrlKeyer;
  #slots = new Uint32Array(0);
  #count = 0;

  /** @param secret 16 bytes; packed names have their own */
  constructor(names: Names, secret: Uint8Array) {
    this.#secret = isList(names) ? secret : names.secret;
    this.#keyer = new UrlKeyer(this.#secret);
    if (isList(names)) {
      for (const name of names) this.add(name);
      return;
    }
    this.#few = null;
    this.#slots = Uint32Array.from(names.slots);
    this.#count = names.count;
  }

  get size(): number {
    return this.#few?.size ?? this.#count;
  }

  has(name: string): boolean {
    if (this.#few !== null) return this.#few.has(name);
    return this.#isTaken(this.#find(name));
  }

  /** False if it is in already. */
  add(name: string): boolean {
    if (this.#few !== null) {
      if (this.#few.has(name)) return false;
      this.#few.add(name);
      if (this.#few.size > FEW) this.#pack(this.#few);
      return true;
    }
    if (!this.#put(name)) return false;
    if (this.#count * 2 > this.#slots.length * FULLEST) this.#grow();
    return true;
  }

  data(): Names {
    if (this.#few !== null) return [...this.#few];
    return { secret: this.#secret, count: this.#count, slots: this.#slots };
  }

  #pack(names: Iterable<string>): void {
    this.#few = null;
    this.#slots = new Uint32Array(FEW * 8);
    for (const name of names) this.#put(name);
  }

  /** There is an empty slot. False if it is in already. */
  #put(name: string): boolean {
    const at = this.#find(name);
    if (this.#isTaken(at)) return false;
    this.#slots[at] = this.#keyer.hi;
    this.#slots[at + 1] = this.#keyer.lo;
    this.#count++;
    return true;
  }

  #isTaken(at: number): boolean {
    return this.#slots[at] !== 0 || this.#slots[at + 1] !== 0;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(old.length * 2);
    for (let i = 0; i < old.length; i += 2) {
      if (old[i] === 0 && old[i + 1] === 0) continue;
      const at = slotOf(this.#slots, old[i], old[i + 1]);
      this.#slots[at] = old[i];
      this.#slots[at + 1] = old[i + 1];
    }
  }

  /** The slot of a name, or the empty one where it would go; its hash is the keyer's. */
  #find(name: string): number {
    this.#keyer.hash(name);
    if (this.#keyer.hi === 0 && this.#keyer.lo === 0) this.#keyer.lo = 1;
    return slotOf(this.#slots, this.#keyer.hi, this.#keyer.lo);
  }
}

export const isList = (names: Names): names is readonly string[] => Array.isArray(names);

function slotOf(slots: Uint32Array, hi: number, lo: number): number {
  const mask = slots.length - 1;
  for (let at = (lo << 1) & mask; ; at = (at + 2) & mask) {
    const isFree = slots[at] === 0 && slots[at + 1] === 0;
    if (isFree || (slots[at] === hi && slots[at + 1] === lo)) return at;
  }
}
