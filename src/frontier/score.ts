/**
 * The default priority: breadth first, better for hosts of which little is known yet, sitemap priority as a hint
 * (DESIGN 4, Priority). Level 0 is for seeds.
 */
export interface Scored {
  depth: number;
  kind: 'page' | 'sitemap';
  /** URLs of the host that were admitted before. */
  hostUrls: number;
  /** `<priority>` of a sitemap entry, 0 to 1, or null. */
  priority: number | null;
}

export type Score = (url: Scored) => number;

const FEW = 10;
const MANY = 1_000;

export const breadthFirst: Score = ({ depth, kind, hostUrls, priority }) => {
  if (kind === 'sitemap') return 1;
  let level = depth <= 1 ? 1 : depth <= 3 ? 2 : 3;
  if (hostUrls < FEW) level--;
  else if (hostUrls >= MANY) level++;
  if (priority !== null && priority >= 0.8) level--;
  else if (priority !== null && priority < 0.3) level++;
  return Math.min(Math.max(level, 1), 4);
};
