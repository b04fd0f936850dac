/**
 * The exact seen filter: 64-bit keys to 32-bit ids (DESIGN sections 4 and 10).
 *
 * Extendible hashing: a directory, indexed by the top bits of a key's hash, of small segments, each an open-addressed
 * table of 12-byte slots. A segment grows by an eighth, and one that is full splits in two; so only one segment moves at
 * a time, in a few milliseconds, where doubling a flat table of 12 million keys pauses for 300. Growing by an eighth
 * also keeps the load between 0.71 and 0.8 at any size: 15 to 17 bytes a key, where doubling swings up to 32.
 *
 * Each segment has one buffer for life, which grows in place (it reserves addresses for the largest): nothing is left
 * for the garbage collector, and the allocator has nothing to fragment.
 */

import { growableColumn, resizeColumn } from '../columns.js';

/** Words of a slot: key high, key low, id + 1 (0 is an empty slot, so any key may be stored, (0, 0) too). */
const WORDS = 3;
const FIRST_CAPACITY = 256;
const FULLEST = 0.8;
const GROWTH = 1.125;
/** Slots of a segment: 1.5 MiB, moved in 2 ms or so. */
const LARGEST = 131_072;
/** A directory of more bits than this would mean that keys are no hashes; segments then grow instead. */
export const DEEPEST = 20;
const RANGE = 0x1_0000_0000;

/** The largest id that fits. */
export const LARGEST_ID = 0xffff_fffd;
/** In place of an id + 1, while a segment is pruned. */
const DROPPED = 0xffff_ffff;

interface Segment {
  slots: Uint32Array;
  capacity: number;
  used: number;
  /** How many top bits all its keys share. */
  depth: number;
}

/** One segment as a checkpoint holds it. */
export interface SeenSegment {
  /** Where it begins among 2^{@link DEEPEST} equal parts of the keys, and the top bits that its keys share. */
  readonly at: number;
  readonly depth: number;
  /** Three words each: key high, key low, id + 1, or 0 for an empty one. */
  readonly slots: Uint32Array;
}

export class SeenTable {
  private directory: Segment[] = [newSegment(FIRST_CAPACITY, 0)];
  private depth = 0;
  private count = 0;
  private allocated = FIRST_CAPACITY * WORDS * 4;

  get size(): number {
    return this.count;
  }

  /** Memory of the slots. */
  get bytes(): number {
    return this.allocated;
  }

  /** The id of a key, or -1. `hi` and `lo` are 32-bit halves, signed or not. */
  get(hi: number, lo: number): number {
    const hash = mix(hi, lo);
    const { slots, capacity } = this.directory[(hash >>> 1) >>> (31 - this.depth)];
    const at = find(slots, capacity, hi >>> 0, lo >>> 0, position(hash, lo, capacity));
    return slots[at + 2] - 1;
  }

  /** Adds a key. Returns -1 if it is new, or the id that it has, which stays. Throws a RangeError for an id that is
   * not an integer from 0 to {@link LARGEST_ID}. */
  insert(hi: number, lo: number, id: number): number {
    if (!(id >= 0 && id <= LARGEST_ID)) throw new RangeError(`the seen table holds ids up to ${LARGEST_ID}, not ${id}`);
    const hash = mix(hi, lo);
    let segment = this.directory[(hash >>> 1) >>> (31 - this.depth)];
    let at = find(segment.slots, segment.capacity, hi >>> 0, lo >>> 0, position(hash, lo, segment.capacity));
    if (segment.slots[at + 2] !== 0) return segment.slots[at + 2] - 1;
    while (segment.used + 1 > segment.capacity * FULLEST) {
      this.enlarge(segment);
      segment = this.directory[(hash >>> 1) >>> (31 - this.depth)];
      at = find(segment.slots, segment.capacity, hi >>> 0, lo >>> 0, position(hash, lo, segment.capacity));
    }
    segment.slots[at] = hi;
    segment.slots[at + 1] = lo;
    segment.slots[at + 2] = id + 1;
    segment.used++;
    this.count++;
    return -1;
  }

  /** Gives a key that is in another id. */
  replace(hi: number, lo: number, id: number): void {
    const hash = mix(hi, lo);
    const { slots, capacity } = this.directory[(hash >>> 1) >>> (31 - this.depth)];
    const at = find(slots, capacity, hi >>> 0, lo >>> 0, position(hash, lo, capacity));
    if (slots[at + 2] !== 0) slots[at + 2] = id + 1;
  }

  /** Visits every entry, in no order. */
  forEach(visit: (hi: number, lo: number, id: number) => void): void {
    let last: Segment | undefined;
    for (const segment of this.directory) {
      if (segment === last) continue; // the entries of one segment stand side by side
      last = segment;
      const { slots } = segment;
      for (let at = 0; at < slots.length; at += WORDS) {
        if (slots[at + 2] !== 0) visit(slots[at], slots[at + 1], slots[at + 2] - 1);
      }
    }
  }

  private enlarge(segment: Segment): void {
    if (segment.capacity < LARGEST || segment.depth === DEEPEST) this.grow(segment);
    else this.split(segment);
  }

  private grow(segment: Segment): void {
    const capacity = Math.ceil(segment.capacity * GROWTH);
    const entries = this.empty(segment, segment.capacity < LARGEST ? Math.min(capacity, LARGEST) : capacity);
    move(entries, segment, segment, 0);
  }

  private split(segment: Segment): void {
    if (segment.depth === this.depth) {
      this.directory = this.directory.flatMap((entry) => [entry, entry]);
      this.depth++;
    }
    const depth = segment.depth + 1;
    // Keys that are no hashes may all go one way, so the sides are counted first.
    const bit = 1 << (32 - depth);
    const ones = countOnes(segment, bit);
    const high = newSegment(roomFor(ones), depth);
    this.allocated += high.slots.byteLength;
    const entries = this.empty(segment, roomFor(segment.used - ones));
    segment.depth = depth;
    move(entries, segment, high, bit);
    const first = this.directory.indexOf(segment);
    const half = 1 << (this.depth - depth);
    this.directory.fill(high, first + half, first + 2 * half);
  }

  /** Gives an emptied segment a new capacity; returns what was in it, valid until the next call. */
  private empty(segment: Segment, capacity: number): Uint32Array {
    const { slots } = segment;
    const old = slots.length > scratch.length ? slots.slice() : scratch.subarray(0, slots.length);
    old.set(slots);
    this.allocated += capacity * WORDS * 4 - slots.byteLength;
    if (capacity <= LARGEST) {
      resizeColumn(slots, capacity * WORDS);
      slots.fill(0);
    } else {
      segment.slots = new Uint32Array(capacity * WORDS);
    }
    segment.capacity = capacity;
    segment.used = 0;
    return old;
  }

  /** Takes the keys out of the segment at `at` (see {@link segmentAt}) whose ids are not kept. */
  prune(at: number, keeps: (id: number) => boolean): void {
    const segment = this.directory[at >>> (DEEPEST - this.depth)];
    let kept = 0;
    for (let slot = 2; slot < segment.slots.length; slot += WORDS) {
      if (segment.slots[slot] === 0) continue;
      if (keeps(segment.slots[slot] - 1)) kept++;
      else segment.slots[slot] = DROPPED;
    }
    if (kept === segment.used) return;
    this.count -= segment.used - kept;
    const entries = this.empty(segment, roomFor(kept));
    for (let slot = 0; slot < entries.length; slot += WORDS) {
      if (entries[slot + 2] === DROPPED) entries.fill(0, slot, slot + WORDS);
    }
    move(entries, segment, segment, 0);
  }

  // -- checkpoints --------------------------------------------------------------------------------------------------

  /** The segment of the keys at `at` (0 to 2^{@link DEEPEST}), as it is now. A walk from 0, each time on by
   * 2^({@link DEEPEST} - depth), meets every key once, whatever is added meanwhile: to what was passed, or splits. */
  segmentAt(at: number): SeenSegment {
    const { slots, depth } = this.directory[at >>> (DEEPEST - this.depth)];
    return { at, depth, slots };
  }

  /** Fills an empty table with the segments of one walk, in its order; slots are copied. `end` when all are in.
   * @throws RangeError if they are not all of one table */
  loading(): { take(segment: SeenSegment): void; end(): void } {
    const loaded: Segment[] = [];
    let next = 0;
    const take = ({ at, depth, slots }: SeenSegment): void => {
      const capacity = slots.length / WORDS;
      if (at !== next || !(depth >= 0 && depth <= DEEPEST) || !Number.isInteger(capacity) || capacity === 0)
        throw new RangeError('the segments of a seen table do not follow each other');
      const segment = newSegment(capacity, depth);
      segment.slots.set(slots);
      for (let id = 2; id < slots.length; id += WORDS) if (slots[id] !== 0) segment.used++;
      if (segment.used >= capacity) throw new RangeError('a segment of a seen table has no free slot');
      loaded.push(segment);
      next += 2 ** (DEEPEST - depth);
    };
    const end = (): void => {
      if (next !== 2 ** DEEPEST) throw new RangeError('a seen table was cut short');
      this.depth = loaded.reduce((most, { depth }) => Math.max(most, depth), 0);
      this.directory = loaded.flatMap((segment) => new Array<Segment>(1 << (this.depth - segment.depth)).fill(segment));
      this.count = loaded.reduce((sum, { used }) => sum + used, 0);
      this.allocated = loaded.reduce((sum, { slots }) => sum + slots.byteLength, 0);
    };
    return { take, end };
  }

  clear(): void {
    this.directory = [newSegment(FIRST_CAPACITY, 0)];
    this.depth = 0;
    this.count = 0;
    this.allocated = FIRST_CAPACITY * WORDS * 4;
  }
}

/** Entries on their way from one place in a segment to another. */
const scratch = new Uint32Array(LARGEST * WORDS);

function newSegment(capacity: number, depth: number): Segment {
  const words = capacity * WORDS;
  const slots = capacity > LARGEST ? new Uint32Array(words) : growableColumn(Uint32Array, words, LARGEST * WORDS);
  return { slots, capacity, used: 0, depth };
}

/** As if it had just grown: at a load of 0.6. */
function roomFor(keys: number): number {
  return Math.max(FIRST_CAPACITY, Math.ceil((keys * GROWTH) / FULLEST));
}

/** The keys are hashes already; this makes the table bear other ones as well. Its top bits choose the segment. */
function mix(hi: number, lo: number): number {
  const hash = Math.imul(hi ^ Math.imul(lo ^ (lo >>> 16), 0x9e3779b1), 0x85ebca6b);
  return hash ^ (hash >>> 15);
}

/** Word index of the slot where a key belongs. */
function position(hash: number, lo: number, capacity: number): number {
  const spread = Math.imul(hash ^ (lo >>> 13), 0xc2b2ae35) >>> 0;
  return (((spread * capacity) / RANGE) >>> 0) * WORDS;
}

/** Word index of the key's slot, or of the empty one where it would go. */
function find(slots: Uint32Array, capacity: number, hi: number, lo: number, start: number): number {
  const end = capacity * WORDS;
  for (let at = start; ; ) {
    if (slots[at + 2] === 0 || (slots[at] === hi && slots[at + 1] === lo)) return at;
    at += WORDS;
    if (at === end) at = 0;
  }
}

/** Moves all entries: to `high` those whose hash has `bit`, to `low` the others. Slots are visited in the order of
 * their positions, and go out in it, so both tables are walked from front to back. */
function move(slots: Uint32Array, low: Segment, high: Segment, bit: number): void {
  for (let at = 0; at < slots.length; at += WORDS) {
    if (slots[at + 2] === 0) continue;
    const hash = mix(slots[at], slots[at + 1]);
    const to = (hash & bit) === 0 ? low : high;
    const free = find(to.slots, to.capacity, slots[at], slots[at + 1], position(hash, slots[at + 1], to.capacity));
    to.slots[free] = slots[at];
    to.slots[free + 1] = slots[at + 1];
    to.slots[free + 2] = slots[at + 2];
    to.used++;
  }
}

function countOnes(segment: Segment, bit: number): number {
  const { slots } = segment;
  let ones = 0;
  for (let at = 0; at < slots.length; at += WORDS) {
    if (slots[at + 2] !== 0 && (mix(slots[at], slots[at + 1]) & bit) !== 0) ones++;
  }
  return ones;
}
