/**
 * Which kept page is within 3 bits of a fingerprint? (DESIGN section 10; Manku, Jain and Das Sarma, 2007.)
 *
 * Cut 64 bits into B blocks: whatever 3 bits differ, B - 3 blocks are clean. So there is a table for each choice of
 * B - 3 blocks, and the page that is sought shares all those bits in one of them at least. More blocks mean more
 * tables and shorter chains: 4 tables of 16-bit keys up to 2^24 pages, 10 of 26 bits up to 2^28, 20 of 32 beyond.
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

/** How many blocks for that many pages. */
export function blocksFor(pages: number): 4 | 5 | 6 {
  return pages <= 2 ** 24 ? 4 : pages <= 2 ** 28 ? 5 : 6;
}

interface Table {
  /** The bits of the clean blocks. */
  readonly maskHi: number;
  readonly maskLo: number;
  /** Record + 1 of the newest page of each bucket. */
  readonly heads: Uint32Array;
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
    this.tables = cleanMasks(blocks).map(([maskHi, maskLo]) => {
      const wanted = Math.ceil(Math.log2(Math.max(2, expected)));
      const bits = Math.min(Math.max(wanted, 8), popCount(maskHi) + popCount(maskLo), 26);
      return { maskHi, maskLo, heads: new Uint32Array(2 ** bits), shift: 32 - bits };
    });
    this.width = FIXED + this.tables.length;
  }

  get size(): number {
    return this.count;
  }

  get bytes(): number {
    return this.chunks.length * CHUNK * this.width * 4 + this.tables.reduce((sum, t) => sum + t.heads.byteLength, 0);
  }

  /**
   * The id of the nearest page within 3 bits (the lowest of several), or -1; its distance is in {@link distance}.
   *
   * @param skip ids that do not count, such as earlier visits of the same URL
   */
  find(hi: number, lo: number, skip?: (id: number) => boolean): number {
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
          if ((distance < least || id < best) && !skip?.(id)) {
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
    const { maskHi, maskLo, shift } = this.tables[t];
    const hash = Math.imul((hi & maskHi) ^ Math.imul((lo & maskLo) ^ ((lo & maskLo) >>> 16), 0x9e3779b1), 0x85ebca6b);
    return Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35) >>> shift;
  }
}

/** For each choice of blocks - 3 of the blocks, the mask of their bits. */
function cleanMasks(blocks: number): [number, number][] {
  const edges = Array.from({ length: blocks + 1 }, (_, i) => Math.round((i * 64) / blocks));
  const masks: [number, number][] = [];
  for (let choice = 0; choice < 1 << blocks; choice++) {
    if (popCount(choice) !== blocks - NEAR) continue;
    let maskHi = 0;
    let maskLo = 0;
    for (let bit = 0; bit < 64; bit++) {
      const block = edges.findIndex((edge, i) => bit >= edge && bit < edges[i + 1]);
      if ((choice & (1 << block)) === 0) continue;
      if (bit < 32) maskLo |= 1 << bit;
      else maskHi |= 1 << (bit - 32);
    }
    masks.push([maskHi, maskLo]);
  }
  return masks;
}
