/** What repeats what, read from the rows alone: for commands that look at a crawl from outside. */
import { Uint32Column } from '../columns.js';
import { HostDuplicates } from '../dedupe/host-duplicates.js';
import type { StoreReader } from '../engines/ports.js';
import { readInForce } from './in-force.js';
import { rows } from './states.js';

/** The URL whose page the page of a URL repeats (its id, -1 for none), and whether nearly or exactly. */
export interface Repeats {
  of(url: number): number;
  isNear(url: number): boolean;
}

export function readRepeats(reader: StoreReader): Repeats {
  const { visits } = readInForce(reader);
  const of = new Int32Array(visits.length).fill(-1);
  const near = new Uint8Array(visits.length);
  for (const visit of rows(reader, 'visits')) {
    if (visit.url >= visits.length || visits[visit.url] !== visit.id) continue;
    of[visit.url] = visit.duplicateOf;
    near[visit.url] = visit.near ? 1 : 0;
  }
  return { of: (url) => of[url] ?? -1, isNear: (url) => near[url] === 1 };
}

/** Pages and duplicates of each host, by the first page of each URL, and the hosts that are suspected traps. */
export function readHostRepeats(reader: StoreReader): { duplicates: HostDuplicates; isTrap: Set<number> } {
  // the alarm was raised, or not, when the pages came: its limits are of no interest here
  const duplicates = new HostDuplicates({ ratio: 1, window: 1 });
  const hostOf = new Uint32Column();
  for (const { id, host } of rows(reader, 'urls')) hostOf.set(id, host);
  const hasPage = new Uint8Array(reader.count('urls'));
  for (const { kind, code, contentHash, url, duplicateOf } of rows(reader, 'visits')) {
    if (kind !== 'page' || code !== 'ok' || contentHash === null || hasPage[url] === 1) continue;
    hasPage[url] = 1;
    duplicates.add(hostOf.get(url), duplicateOf < 0 ? -1 : hostOf.get(duplicateOf));
  }
  const isTrap = new Set<number>();
  for (const { host, kind } of rows(reader, 'hostEvents')) if (kind === 'demoted') isTrap.add(host);
  return { duplicates, isTrap };
}
