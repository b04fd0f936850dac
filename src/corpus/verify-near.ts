/** Verify, near-duplicates: each has a fingerprint within three bits of one that the page it names has, or had. */
import { hammingDistance, NEAR_DISTANCE, parseSimhash } from '../dedupe/simhash.js';
import type { StoreReader } from '../engines/ports.js';
import type { Finding } from './finding.js';
import { rows } from './states.js';

/** Reads the visits twice, if there are near-duplicates. Memory: theirs, and the fingerprints of the pages they name. */
export function checkNear(reader: StoreReader, check: Finding): void {
  const near: { id: number; of: number; simhash: string | null }[] = [];
  const printsOf = new Map<number, Set<string>>();
  for (const { id, near: isNear, duplicateOf, simhash } of rows(reader, 'visits')) {
    if (!isNear) continue;
    near.push({ id, of: duplicateOf, simhash });
    printsOf.set(duplicateOf, new Set());
  }
  if (near.length === 0) return;
  readPrints(reader, printsOf);
  for (const { id, of, simhash } of near) {
    const isNear =
      simhash !== null && [...printsOf.get(of)!].some((print) => distance(print, simhash) <= NEAR_DISTANCE);
    check.expect(isNear, () => `visit ${id} is called a near-duplicate of URL ${of}, which has no page near to it`);
  }
}

/** Of each visit of those URLs, and of each reading of one. */
function readPrints(reader: StoreReader, printsOf: ReadonlyMap<number, Set<string>>): void {
  const urlOf = new Map<number, number>();
  for (const { id, url, simhash } of rows(reader, 'visits')) {
    const prints = printsOf.get(url);
    if (prints === undefined) continue;
    urlOf.set(id, url);
    if (simhash !== null) prints.add(simhash);
  }
  for (const { visit, simhash } of rows(reader, 'reparsed')) {
    const url = urlOf.get(visit);
    if (url !== undefined && simhash !== null) printsOf.get(url)!.add(simhash);
  }
}

const distance = (a: string, b: string): number => hammingDistance(parseSimhash(a), parseSimhash(b));
