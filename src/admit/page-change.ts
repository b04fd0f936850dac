/** Whether a page is another than it was at the visit before (DESIGN 10, Revisit). Pure. */
import { hammingDistance, NEAR_DISTANCE, parseSimhash } from '../dedupe/simhash.js';
import type { LastVisit } from '../engines/ports.js';

/** What a visit brought. */
export interface Brought {
  /** A body, the word (304) that the one in force still is the page's, or no page. */
  page: 'body' | 'same' | 'none';
  contentHash: Uint8Array | null;
  /** Of its main text, 16 hex digits; null for a text too short to have one. */
  simhash: string | null;
}

/**
 * The main text moved by more than 3 bits of its fingerprint; where one of the two has none, the body is another. A page
 * that comes or goes has changed.
 */
export function hasChanged(last: LastVisit, { page, contentHash, simhash }: Brought): boolean {
  if (last.found !== (page !== 'none')) return true;
  if (page !== 'body') return false;
  const before = last.body;
  if (before.contentHash !== null && contentHash !== null && Buffer.compare(before.contentHash, contentHash) === 0)
    return false;
  if (before.simhash === null || simhash === null) return true;
  return hammingDistance(parseSimhash(before.simhash), parseSimhash(simhash)) > NEAR_DISTANCE;
}
