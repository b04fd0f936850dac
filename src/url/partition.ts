/** Which partition a host belongs to (DESIGN section 9). */

/**
 * `0 <= partition < n`. A stable hash without a key: every node and every later version must agree. (FNV-1a, and the
 * finaliser of MurmurHash3, since FNV leaves the high bits of short names poor.)
 *
 * @param n how many partitions; at least 1
 */
export function partitionOf(host: string, n: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < host.length; i++) hash = Math.imul(hash ^ host.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % n;
}
