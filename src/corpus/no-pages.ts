/** Why an export holds no page: which filter took the last of them. */
import type { StoreReader } from '../engines/ports.js';
import { readInForce } from './in-force.js';
import { EVERY_PAGE, type PageFilter, passes, wantedHosts } from './page-filter.js';
import { rows } from './states.js';

export interface NoPages {
  /** Pages that the crawl has, and those that were left when `by` took them all. */
  readonly pages: number;
  readonly left: number;
  /** The filters that did; empty if there was no page, `minWords` and `aiPreference` together where only texts can tell. */
  readonly by: readonly (keyof PageFilter)[];
}

/** Filters that the row of a visit decides, in the order in which they are named. */
const STEPS = ['noindex', 'duplicates', 'since', 'changedSince', 'languages'] as const;

/** Looks at every visit once for each filter. Asked only after an export that held nothing. */
export function whyNoPages(reader: StoreReader, filter: PageFilter): NoPages {
  const all: PageFilter = { ...EVERY_PAGE, noindex: 'keep' };
  const pages = countPages(reader, all);
  let left = pages;
  let taken = { ...all };
  for (const by of [['hosts', 'notHosts'], ...STEPS.map((step) => [step])] as (keyof PageFilter)[][]) {
    taken = { ...taken, ...Object.fromEntries(by.map((name) => [name, filter[name]])) };
    const count = countPages(reader, taken);
    if (count === 0) return { pages, left, by: left === 0 ? [] : by };
    left = count;
  }
  const byText = filter.minWords > 0 ? (['minWords'] as const) : [];
  const stated = filter.aiPreference === 'keep' ? [] : (['aiPreference'] as const);
  return { pages, left, by: [...byText, ...stated] };
}

/** Pages in force that pass what needs no text. */
function countPages(reader: StoreReader, filter: PageFilter): number {
  const { visits, changedAt } = readInForce(reader, { changes: filter.changedSince !== null });
  const hosts = wantedHosts(reader, filter);
  const isWanted = new Uint8Array(visits.length);
  for (const { id, host } of rows(reader, 'urls')) if (id < visits.length && hosts?.[host] !== 0) isWanted[id] = 1;
  let pages = 0;
  for (const visit of rows(reader, 'visits')) {
    const { url, id } = visit;
    if (visits[url] === id && isWanted[url] === 1 && passes(filter, visit, changedAt?.[url] ?? null)) pages++;
  }
  return pages;
}
