/**
 * The hosts of a crawl in an order that somebody looks at. There may be a hundred thousand, and the crawl's loop must not
 * stand still for them: they are sorted in slices of a few ms, with the loop's turn between them, and an order is kept for
 * a moment, so that who turns pages sees one list.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { HostTable } from '../frontier/host-table.js';
import type { Watch } from './watch.js';

export const HOST_SORTS = ['name', 'pending', 'requests', 'failures', 'bytes', 'recent'] as const;
export type HostSort = (typeof HOST_SORTS)[number];

export interface OrderQuery {
  sort: HostSort;
  order: 'asc' | 'desc';
  /** Part of a name, lower case. Empty: all hosts. */
  search: string;
}

/** An order is good for this long, ms. */
const KEPT_MS = 3_000;
/** Hosts that are sorted in one turn: some 5 ms by a figure, 10 by name. */
const SLICE = 8_192;

export class HostOrder {
  readonly #hosts: Pick<HostTable, 'names' | 'size' | 'queued'>;
  readonly #watch: Watch;
  readonly #startedAt: number;
  readonly #now: () => number;
  /** Hosts by name, as far as they were sorted: names never change, so only those that came since are new. */
  #named = new Uint32Array(0);
  #naming: Promise<void> | null = null;
  #kept: { key: string; until: number; order: Promise<Uint32Array> } | null = null;

  constructor(hosts: Pick<HostTable, 'names' | 'size' | 'queued'>, watch: Watch, now: () => number) {
    this.#hosts = hosts;
    this.#watch = watch;
    this.#now = now;
    this.#startedAt = now();
  }

  /** Ids of the hosts that match, in order. */
  of({ sort, order, search }: OrderQuery): Promise<Uint32Array> {
    const key = `${sort} ${order} ${search}`;
    const now = this.#now();
    if (this.#kept === null || this.#kept.key !== key || this.#kept.until <= now) {
      this.#kept = { key, until: now + KEPT_MS, order: this.#make(sort, order, search) };
    }
    return this.#kept.order;
  }

  async #make(sort: HostSort, order: 'asc' | 'desc', search: string): Promise<Uint32Array> {
    const all = sort === 'name' ? await this.#byName() : await this.#byFigure(sort);
    const { names } = this.#hosts;
    const found = search === '' ? all : await inSlices(all, (host) => names[host].includes(search));
    return order === 'asc' ? found : found.slice().reverse();
  }

  /** All hosts by name. */
  async #byName(): Promise<Uint32Array> {
    this.#naming ??= this.#sortNames().finally(() => {
      this.#naming = null;
    });
    await this.#naming;
    return this.#named;
  }

  async #sortNames(): Promise<void> {
    const { names } = this.#hosts;
    const before = (a: number, b: number): boolean => names[a] < names[b];
    while (this.#named.length < this.#hosts.size) {
      const from = this.#named.length;
      // with many hosts larger slices, so that there are not too many of them to merge
      const length = Math.min(Math.max(SLICE, from >> 3), this.#hosts.size - from);
      const slice = Uint32Array.from({ length }, (_, i) => from + i);
      slice.sort((a, b) => (names[a] < names[b] ? -1 : names[a] > names[b] ? 1 : 0));
      this.#named = merged(this.#named, slice, new Uint32Array(from + length), before);
      await turn();
    }
  }

  /** All hosts by a figure, and by age where it is equal: both in one number, since numbers are sorted ten times as fast as
   * by a function. */
  async #byFigure(sort: Exclude<HostSort, 'name'>): Promise<Uint32Array> {
    const value = this.#values(sort);
    const { size } = this.#hosts;
    let runs: Float64Array[] = [];
    for (let from = 0; from < size; from += SLICE) {
      const slice = new Float64Array(Math.min(SLICE, size - from));
      for (let i = 0; i < slice.length; i++) slice[i] = value(from + i) * size + (size - 1 - from - i);
      runs.push(slice.sort());
      await turn();
    }
    const before = (a: number, b: number): boolean => a < b;
    while (runs.length > 1) {
      const next: Float64Array[] = [];
      for (let i = 0; i < runs.length; i += 2) {
        const [a, b] = [runs[i], runs[i + 1]];
        next.push(b === undefined ? a : merged(a, b, new Float64Array(a.length + b.length), before));
        await turn();
      }
      runs = next;
    }
    const hosts = new Uint32Array(size);
    for (let i = 0; i < size; i++) hosts[i] = size - 1 - (runs[0][i] % size);
    return hosts;
  }

  /** Whole numbers small enough to leave room for the host's own. */
  #values(sort: Exclude<HostSort, 'name'>): (host: number) => number {
    const { requests, failures, bytes, lastAt } = this.#watch;
    const { queued } = this.#hosts;
    if (sort === 'bytes') return (host) => Math.floor((bytes[host] ?? 0) / 1024);
    if (sort === 'recent') return (host) => Math.floor(Math.max(0, (lastAt[host] ?? 0) - this.#startedAt) / 10);
    const column = { pending: queued, requests, failures }[sort];
    return (host) => column[host] ?? 0;
  }
}

/** Two sorted runs as one. */
function merged<T extends Uint32Array | Float64Array>(
  a: T,
  b: T,
  into: T,
  before: (x: number, y: number) => boolean,
): T {
  for (let i = 0, j = 0, to = 0; to < into.length; to++) {
    into[to] = i < a.length && (j === b.length || !before(b[j], a[i])) ? a[i++] : b[j++];
  }
  return into;
}

async function inSlices(ids: Uint32Array, holds: (id: number) => boolean): Promise<Uint32Array> {
  const found: number[] = [];
  for (let from = 0; from < ids.length; from += 2 * SLICE) {
    for (const id of ids.subarray(from, from + 2 * SLICE)) if (holds(id)) found.push(id);
    await turn();
  }
  return Uint32Array.from(found);
}
