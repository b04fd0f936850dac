/**
 * The seen filter of crawls that are too large for exact keys (DESIGN 10, `seen.filter: bloom`). Every key is in a Bloom
 * filter; keys of URLs that are not done, and of seeds, are in an exact table beside it, so that a URL in work is always
 * found by its key. What it gives up: a small share of new URLs is taken for known ones and skipped, and a URL that is done
 * is not found by its key any more (`saunter retry URL` needs only dead ones, which stay).
 *
 * Keys enter the filter mixed with a secret of its own. When it holds as many as it was made for it is overfull: the owner
 * builds the next one, larger and under another secret, from the keys of the store while both are kept up to date
 * ({@link BloomSeen.begin}); a URL that was skipped falsely is met by the next as one never seen.
 */
import { BloomFilter, bloomSize, bloomSizeForBits } from './bloom.js';
import { DEEPEST, SeenTable } from './seen.js';

/** What admission asks. */
export interface SeenFilter {
  /** The id of a key; {@link UNNAMED} if it was met, or seems so, and its id is not held; -1 if it was never met. */
  get(hi: number, lo: number): number;
  /** Adds a key. Returns -1, or the id that it had. */
  insert(hi: number, lo: number, id: number): number;
}

/** Met before, and who it is is not known any more. */
export const UNNAMED = -2;

export interface BloomOptions {
  /** Keys that the first filter is made for. */
  keys: number;
  bitsPerKey: number;
  /** The false-positive rate at that many keys; null: as `bitsPerKey` gives. */
  rate: number | null;
  /** A random number below 2^32: secrets of filters. */
  secret: () => number;
}

export interface BloomFigures {
  /** Keys that set a bit, what the filter is made for, the share of bits set, and how likely a new URL is skipped. */
  inserted: number;
  design: number;
  fill: number;
  falsePositives: number;
  /** Filters so far: one more each time it was built anew. */
  epoch: number;
}

/** The exact table is looked through when it has grown to this, or has doubled. */
const LEAST = 65_536;
/** Additions between two segments of such a look. */
const PACE = 512;

interface Epoch {
  filter: BloomFilter;
  design: number;
  hi: number;
  lo: number;
}

export class BloomSeen implements SeenFilter {
  readonly exact = new SeenTable();
  /** Must the key of this URL be found exactly? Told by whoever knows the states of URLs. */
  keeps: (id: number) => boolean = () => true;
  readonly #options: BloomOptions;
  #now: Epoch;
  #next: Epoch | null = null;
  #epochs = 1;
  #sweepAt = LEAST;
  /** Place of the look through the exact table, -1 between two. */
  #cursor = -1;
  #additions = 0;

  constructor(options: BloomOptions) {
    this.#options = options;
    this.#now = this.#epoch(options.keys);
  }

  get(hi: number, lo: number): number {
    const id = this.exact.get(hi, lo);
    if (id >= 0) return id;
    return has(this.#now, hi, lo) ? UNNAMED : -1;
  }

  insert(hi: number, lo: number, id: number): number {
    const known = this.exact.insert(hi, lo, id);
    if (known >= 0) {
      this.exact.replace(hi, lo, id); // a second row of one URL: the later is the one in work
      return known;
    }
    add(this.#now, hi, lo);
    if (this.#next !== null) add(this.#next, hi, lo);
    if (this.#cursor >= 0 || this.exact.size >= this.#sweepAt) this.#sweep();
    return -1;
  }

  get bytes(): number {
    return this.exact.bytes + this.#now.filter.bytes + (this.#next?.filter.bytes ?? 0);
  }

  get figures(): BloomFigures {
    const { filter, design } = this.#now;
    return {
      inserted: filter.inserted,
      design,
      fill: filter.fillRatio,
      falsePositives: filter.falsePositiveRate,
      epoch: this.#epochs,
    };
  }

  /** It holds as many keys as it was made for: from here on the errors rise steeply. */
  get isOverfull(): boolean {
    return this.#now.filter.inserted >= this.#now.design;
  }

  // -- the next epoch -----------------------------------------------------------------------------------------------

  /** Begins the next filter, twice as large if this one is overfull. New keys enter both; the owner {@link recall}s the
   * old ones and then calls {@link end}. False if one is being built. */
  begin(): boolean {
    if (this.#next !== null) return false;
    this.#next = this.#epoch(this.isOverfull ? 2 * this.#now.design : this.#now.design);
    return true;
  }

  /** A key of the store, for the next filter. */
  recall(hi: number, lo: number): void {
    if (this.#next !== null) add(this.#next, hi, lo);
  }

  /** The next filter takes the place of this one. */
  end(): void {
    if (this.#next === null) return;
    this.#now = this.#next;
    this.#next = null;
    this.#epochs++;
  }

  #epoch(design: number): Epoch {
    const { bitsPerKey, rate, secret } = this.#options;
    const size = rate === null ? bloomSizeForBits(design, bitsPerKey) : bloomSize(design, rate);
    return { filter: new BloomFilter(size), design, hi: secret(), lo: secret() };
  }

  /** Looks through the exact table, a segment at a time, for keys that need not be found exactly any more. */
  #sweep(): void {
    if (this.#cursor < 0) this.#cursor = 0;
    if (this.#additions++ % PACE !== 0) return;
    const { depth } = this.exact.segmentAt(this.#cursor);
    this.exact.prune(this.#cursor, this.keeps);
    this.#cursor += 2 ** (DEEPEST - depth);
    if (this.#cursor < 2 ** DEEPEST) return;
    this.#cursor = -1;
    this.#additions = 0;
    this.#sweepAt = Math.max(LEAST, 2 * this.exact.size);
  }
}

/** A key under the secret of an epoch: each secret is another order of all keys. */
function mixed({ hi, lo }: Epoch, keyHi: number, keyLo: number): [hi: number, lo: number] {
  const high = avalanche(keyHi ^ hi ^ ((keyLo << 13) | (keyLo >>> 19)));
  return [high, avalanche(keyLo ^ lo ^ high)];
}

function avalanche(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

const has = (epoch: Epoch, hi: number, lo: number): boolean => epoch.filter.has(...mixed(epoch, hi, lo));
const add = (epoch: Epoch, hi: number, lo: number): boolean => epoch.filter.add(...mixed(epoch, hi, lo));
