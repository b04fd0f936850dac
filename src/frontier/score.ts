/**
 * The priority of a URL that becomes known (DESIGN 4, Priority): level 0 is for seeds, the others are given by a score.
 * A score is a pure function, so that the same crawl makes the same choices.
 */

/** What a score is told of a URL. */
export interface Scored {
  /** The exact URL that would be requested, and its host name. */
  url: string;
  host: string;
  kind: 'page' | 'sitemap';
  /** Links from a seed. */
  depth: number;
  /** URLs of the host that were admitted before, in its present budget period. */
  hostUrls: number;
  /** Other hosts that link to this one: a count up to 8 or so, an estimate beyond, never above 140; counted anew by each
   * run. */
  linkingHosts: number;
  /** `<priority>` of a sitemap entry, 0 to 1, or null. */
  priority: number | null;
}

/** Gives a level from 1 (soon) to 4 (late). */
export type Score = (url: Scored) => number;

export const BEST_SCORE = 1;
export const WORST_SCORE = 4;

const FEW = 10;
const MANY = 1_000;
/** So many other hosts link there that somebody must care. */
const POPULAR = 8;

/** The default: breadth first, better for hosts of which little is known yet and for those that many hosts link to;
 * sitemap priority is a hint. */
export const breadthFirst = ({
  depth,
  kind,
  hostUrls,
  linkingHosts,
  priority,
}: Omit<Scored, 'url' | 'host'>): number => {
  if (kind === 'sitemap') return BEST_SCORE;
  let level = depth <= 1 ? 1 : depth <= 3 ? 2 : 3;
  if (hostUrls < FEW) level--;
  else if (hostUrls >= MANY) level++;
  if (linkingHosts >= POPULAR) level--;
  if (priority !== null && priority >= 0.8) level--;
  else if (priority !== null && priority < 0.3) level++;
  return Math.min(Math.max(level, BEST_SCORE), WORST_SCORE);
};

/** Bits of the sketch of linking hosts. */
const BITS = 32;
/** Distinct values by bits set, by linear counting (Whang et al. 1990); all of them set say nothing more. */
const COUNTED = Array.from({ length: BITS + 1 }, (_, set) =>
  Math.round(BITS * Math.log(BITS / Math.max(BITS - set, 0.5))),
);

/** The bit of a linking host in a sketch of 32. */
export const linkerBit = (host: number): number => 1 << (Math.imul(host, 0x9e3779b1) >>> 27);

/** How many hosts a sketch has seen. */
export function linkersIn(sketch: number): number {
  let set = 0;
  for (let bits = sketch; bits !== 0; bits &= bits - 1) set++;
  return COUNTED[set];
}
