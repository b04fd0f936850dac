/**
 * Guards against URLs that a site makes without end: calendars, sessions, links that grow (DESIGN section 5). They are
 * arithmetic, not guesses, and every refusal has a name.
 */
import { UrlKeyer } from './key.js';
import type { NormalUrl } from './normalize.js';

export type TrapName = 'length' | 'depth' | 'repeat' | 'queries';

export interface TrapLimits {
  /** Longest URL, in bytes. */
  readonly length: number;
  /** Most links between a seed and a URL. */
  readonly depth: number;
  /** How often one path segment may occur in a path. */
  readonly repeat: number;
  /** Distinct queries of one path of one host. */
  readonly queries: number;
  /** Memory of the query counters, in bytes, allocated when the first query is counted. With 16 MiB and 100 million
   * counted queries an innocent path is over-counted by about 50, with a billion by about 500. */
  readonly sketchBytes: number;
}

export const DEFAULT_TRAP_LIMITS: TrapLimits = Object.freeze({
  length: 1_000,
  depth: 16,
  repeat: 3,
  queries: 1_000,
  sketchBytes: 16 * 1024 * 1024,
});

const ROWS = 4;
const NONE = new Uint16Array(0);

export class TrapGuards {
  readonly limits: TrapLimits;
  private readonly keyer: UrlKeyer;
  private readonly width: number;
  /** A count-min sketch with conservative update: {@link ROWS} rows of saturating 16-bit counters. */
  private sketch: Uint16Array | undefined;

  /** @param secret 16 bytes; with the same one and the same URLs, the same verdicts. */
  constructor(secret: Uint8Array, limits: Partial<TrapLimits> = {}) {
    this.limits = { ...DEFAULT_TRAP_LIMITS, ...limits };
    this.keyer = new UrlKeyer(secret);
    this.width = Math.max(1, Math.floor(this.limits.sketchBytes / (ROWS * 2)));
  }

  /** Which guard refuses this URL, or null. Changes nothing, so a URL may be asked about as often as one likes. */
  check(url: NormalUrl, depth: number): TrapName | null {
    if (url.fetch.length > this.limits.length || url.url.length > this.limits.length) return 'length';
    if (depth > this.limits.depth) return 'depth';
    if (repeats(url.url, this.limits.repeat)) return 'repeat';
    if (this.queriesOf(url) >= this.limits.queries) return 'queries';
    return null;
  }

  /** Counts the query of a URL that was not known before. Call it once for each new URL, after it was admitted. */
  count(url: Pick<NormalUrl, 'url'>): void {
    const counted = this.locate(url.url);
    if (!counted) return;
    this.sketch ??= new Uint16Array(this.width * ROWS);
    const least = this.least(this.sketch);
    if (least === 0xffff) return;
    // Conservative update: only the counters that hold the estimate grow.
    for (let row = 0; row < ROWS; row++) {
      const at = this.cell(row);
      if (this.sketch[at] === least) this.sketch[at]++;
    }
  }

  /** Counters as they are now, none while nothing was counted; for a checkpoint. */
  get counters(): Uint16Array {
    return this.sketch ?? NONE;
  }

  /** Takes counters back, of an equally large sketch under the same secret. Throws a RangeError for others. */
  fill(at: number, counters: Uint16Array): void {
    this.sketch ??= new Uint16Array(this.width * ROWS);
    this.sketch.set(counters, at);
  }

  clear(): void {
    this.sketch = undefined;
  }

  /** How many distinct queries were counted for this URL's path: never too few, and seldom too many. */
  queriesOf(url: Pick<NormalUrl, 'url'>): number {
    return this.sketch !== undefined && this.locate(url.url) ? this.least(this.sketch) : 0;
  }

  /** Hashes the URL up to its query into the keyer. False when it has none. */
  private locate(url: string): boolean {
    const query = url.indexOf('?');
    if (query < 0) return false;
    this.keyer.hash(url.slice(0, query));
    return true;
  }

  private least(sketch: Uint16Array): number {
    let least = 0xffff;
    for (let row = 0; row < ROWS; row++) least = Math.min(least, sketch[this.cell(row)]);
    return least;
  }

  /** Rows are hashed by lo + row * hi: two independent halves of one keyed hash (Kirsch and Mitzenmacher, 2006). */
  private cell(row: number): number {
    const hash = (this.keyer.lo + Math.imul(row, this.keyer.hi | 1)) >>> 0;
    return row * this.width + Math.floor((hash / 0x1_0000_0000) * this.width);
  }
}

const FEW_SEGMENTS = 12;
const segmentHashes = new Int32Array(FEW_SEGMENTS);

function areDistinct(count: number): boolean {
  for (let i = 1; i < count; i++) {
    for (let k = 0; k < i; k++) if (segmentHashes[i] === segmentHashes[k]) return false;
  }
  return true;
}

/** Does any segment of the path occur more than `limit` times? Empty segments count: `/a/////b` grows as well. */
function repeats(url: string, limit: number): boolean {
  const start = url.indexOf('/', url.indexOf('//') + 2);
  const query = url.indexOf('?', start);
  const end = query < 0 ? url.length : query;
  let segments = 0;
  let hash = 0;
  for (let i = start + 1; i <= end; i++) {
    const code = i < end ? url.charCodeAt(i) : 0x2f;
    if (code !== 0x2f) {
      hash = Math.imul(hash ^ code, 0x01000193);
      continue;
    }
    if (segments < FEW_SEGMENTS) segmentHashes[segments] = hash;
    segments++;
    hash = 0;
  }
  // Most paths are too short to repeat anything, or have no two segments of the same hash: 50 ns instead of a map.
  if (segments <= limit || (limit > 0 && segments <= FEW_SEGMENTS && areDistinct(segments))) return false;
  const counts = new Map<string, number>();
  for (const segment of url.slice(start + 1, end).split('/')) {
    const count = (counts.get(segment) ?? 0) + 1;
    if (count > limit) return true;
    counts.set(segment, count);
  }
  return false;
}
