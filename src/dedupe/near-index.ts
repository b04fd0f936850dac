/**
 * Which kept page is within 3 bits of a fingerprint? (DESIGN section 10; Manku, Jain and Das Sarma, 2007.)
 *
 * Cut 64 bits into B blocks: whatever 3 bits differ, B - 3 blocks are clean. So there is a table for each choice of
 * B - 3 blocks, and the page that is sought shares all those bits in one of them at least. More blocks mean more
 * tables and shorter chains: 4 tables of 16-bit keys up to 2^21 pages, 10 of 26 bits up to 2^28, 20 of 32 beyond.
 * With 4 blocks a chain grows with the pages, and so does a query: 10 us at a million, 300 at ten, where 5 blocks need
 * 15 (`npm run bench -- simhash`; docs/decisions/015).
 *
 * A record is written once, and holds the fingerprint, the id and the chain links of all tables side by side, so a
 * step along a chain costs one cache miss: 28 bytes a page with 4 blocks, 52 with 5, 92 with 6, and the heads.
 */
import { popCount } from './simhash.js';

const NEAR = 3;
const CHUNK_BITS = 14;
const CHUNK = 1 << CHUNK_BITS;
/** Words of a record before its links: high, low, id. */
const FIXED = 3;
/** Steps along one chain. A site that makes pages with one block alike makes long chains; then old pages are missed,
 * which costs a page that is kept twice. 16 times what chance gives at the largest size. */
const LONGEST_WALK = 4_096;

/** Pages up to which 4 blocks are cheaper than 5: a query of 30 us. */
const MOST_IN_FOUR = 2 ** 21;
/** Pages on a chain of 5 or 6 blocks when the index holds what was expected: heads cost a quarter of what one a page
 * would, and a query twice the time. */
const CHAIN = 4;

/** How many blocks for that many pages. */
export function blocksFor(pages: number): 4 | 5 | 6 {
  return pages <= MOST_IN_FOUR ? 4 : pages <= 2 ** 28 ? 5 : 6;
}

/** A run of bits, from `start` up to `start + length`, and where it goes in a table's key. */
interface Block {
  readonly start: number;
  readonly length: number;
  readonly offset: number;
}

interface Table {
  /** The clean blocks, at most three, whose bits are the key. */
  readonly blocks: readonly Block[];
  /** Record + 1 of the newest page of each bucket. */
  readonly heads: Uint32Array;
  /** How a key of 32 bits becomes a bucket; 0 where the key is the bucket. */
  readonly shift: number;
}

export class NearIndex {
  readonly blocks: number;
  /** Distance of the page that {@link find} found last. */
  distance = 0;
  private readonly tables: Table[];
  private readonly chunks: Uint32Array[] = [];
  private readonly width: number;
  private count = 0;

  /**
   * @param expected pages that will be held: it sets the number of blocks and of buckets. More fit; they cost time.
   * @param blocks 4, 5 or 6
   */
  constructor(expected: number, blocks: number = blocksFor(expected)) {
    if (!(blocks > NEAR && blocks <= 6)) throw new RangeError(`the near index has 4, 5 or 6 blocks, not ${blocks}`);
    this.blocks = blocks;
    const heads = blocks === 4 ? expected : expected / CHAIN;
    const wanted = Math.min(Math.max(Math.ceil(Math.log2(Math.max(2, heads))), 8), 26);
    this.tables = cleanChoices(blocks).map((clean) => {
      const bits = clean.reduce((sum, block) => sum + block.length, 0);
      const heads = new Uint32Array(2 ** Math.min(bits, wanted));
      return { blocks: clean, heads, shift: bits <= wanted ? 0 : 32 - wanted };
    });
    this.width = FIXED + this.tables.length;
  }

  get size(): number {
    return this.count;
  }

  /** Pages from which on a larger index would be quicker by much. */
  get limit(): number {
    return this.blocks === 4 ? MOST_IN_FOUR : 4 * CHAIN * this.tables[0].heads.length;
  }

  /** Adds a record of another index to this one. */
  copy(from: NearIndex, record: number): void {
    const chunk = from.chunks[record >>> CHUNK_BITS];
    const at = (record & (CHUNK - 1)) * from.width;
    this.add(chunk[at], chunk[at + 1], chunk[at + 2]);
  }

  /** Writes both halves and the id of a record into `to`, from `at` on. */
  read(record: number, to: Uint32Array, at: number): void {
    const chunk = this.chunks[record >>> CHUNK_BITS];
    const from = (record & (CHUNK - 1)) * this.width;
    for (let i = 0; i < FIXED; i++) to[at + i] = chunk[from + i];
  }

  get bytes(): number {
    return this.chunks.length * CHUNK * this.width * 4 + this.tables.reduce((sum, t) => sum + t.heads.byteLength, 0);
  }

  /**
   * The id of the nearest page within 3 bits (the lowest of several), or -1; its distance is in {@link distance}.
   *
   * @param counts says of an id and the number of its record (its place in the order of {@link add}) whether it is
   *   meant; a URL's own earlier page is not
   */
  find(hi: number, lo: number, counts?: (id: number, record: number) => boolean): number {
    let best = -1;
    let least = NEAR + 1;
    for (let t = 0; t < this.tables.length; t++) {
      const { heads } = this.tables[t];
      let steps = 0;
      for (let next = heads[this.bucket(t, hi, lo)]; next !== 0 && steps < LONGEST_WALK; steps++) {
        const chunk = this.chunks[(next - 1) >>> CHUNK_BITS];
        const at = ((next - 1) & (CHUNK - 1)) * this.width;
        const distance = popCount(chunk[at] ^ hi) + popCount(chunk[at + 1] ^ lo);
        if (distance <= least && distance <= NEAR) {
          const id = chunk[at + 2];
          if ((distance < least || id < best) && (counts === undefined || counts(id, next - 1))) {
            least = distance;
            best = id;
          }
        }
        next = chunk[at + FIXED + t];
      }
    }
    this.distance = best < 0 ? 0 : least;
    return best;
  }

  /** Adds a kept page. @param id any unsigned 32-bit number */
  add(hi: number, lo: number, id: number): void {
    const record = this.count++;
    if ((record & (CHUNK - 1)) === 0) this.chunks.push(new Uint32Array(CHUNK * this.width));
    const chunk = this.chunks[record >>> CHUNK_BITS];
    const at = (record & (CHUNK - 1)) * this.width;
    chunk[at] = hi;
    chunk[at + 1] = lo;
    chunk[at + 2] = id;
    for (let t = 0; t < this.tables.length; t++) {
      const { heads } = this.tables[t];
      const bucket = this.bucket(t, hi, lo);
      chunk[at + FIXED + t] = heads[bucket];
      heads[bucket] = record + 1;
    }
  }

  private bucket(t: number, hi: number, lo: number): number {
    const { blocks, shift } = this.tables[t];
    let key = 0;
    for (let i = 0; i < blocks.length; i++) {
      const { start, length, offset } = blocks[i];
      const bits = start >= 32 ? hi >>> (start - 32) : start === 0 ? lo : (lo >>> start) | (hi << (32 - start));
      key |= (bits & ((1 << length) - 1)) << offset;
    }
    if (shift === 0) return key >>> 0;
    key = Math.imul(key ^ (key >>> 16), 0x85ebca6b);
    return Math.imul(key ^ (key >>> 15), 0x9e3779b1) >>> shift;
  }
}

/** Each choice of blocks - 3 of the blocks. */
function cleanChoices(count: number): Block[][] {
  const edge = (block: number) => Math.round((block * 64) / count);
  const choices: Block[][] = [];
  for (let choice = 0; choice < 1 << count; choice++) {
    if (popCount(choice) !== count - NEAR) continue;
    const blocks: Block[] = [];
    let offset = 0;
    for (let block = 0; block < count; block++) {
      if ((choice & (1 << block)) === 0) continue;
      const length = edge(block + 1) - edge(block);
      blocks.push({ start: edge(block), length, offset });
      offset += length;
    }
    choices.push(blocks);
  }
  return choices;
}
