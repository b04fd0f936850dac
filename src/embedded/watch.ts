/**
 * What a person who watches a crawl wants to see and the crawl itself does not need: requests by status, by host and
 * lately, pages that came in last, and how the figures grow. Fed with committed rows, so it never shows what a crash
 * could take back. Memory is bounded: 64 bytes a host, two rings, and an hour of samples.
 */
import type { Changes, RequestRow, VisitRow } from '../changes.js';
import { PlainColumns } from '../columns.js';
import { OUTCOMES } from '../errors.js';

/** Requests and pages that are remembered. */
const RECENT = 500;
/** ms between two samples, and how many are kept: an hour. */
export const SAMPLE_MS = 5_000;
const SAMPLES = 720;
/** Over this many samples a rate is taken: a minute. */
const RATE_SAMPLES = 12;

/** The figures of a moment, of the whole crawl. */
export interface Sample {
  /** Wall ms. */
  at: number;
  pages: number;
  requests: number;
  known: number;
  pending: number;
  /** Requests of this run that ended well, that were told to slow down, and that failed. */
  good: number;
  throttled: number;
  failed: number;
  /** Pages of this run, and those of them that repeat others. */
  read: number;
  repeated: number;
}

/** A page that came in. */
export interface RecentPage {
  visit: number;
  url: number;
  at: number;
  status: number;
  code: VisitRow['code'];
  title: string;
  bytes: number;
  duplicateOf: number;
  text: VisitRow['text'];
}

export class Watch {
  /** Requests of this run by HTTP status; 0 is no answer. */
  readonly statuses = new Map<number, number>();
  readonly samples: Sample[] = [];
  /** Requests, failed ones and bytes of each host in this run. */
  readonly #columns = new PlainColumns();
  readonly requests = this.#columns.add(Uint32Array);
  readonly failures = this.#columns.add(Uint32Array);
  readonly bytes = this.#columns.add(Float64Array);
  readonly lastAt = this.#columns.add(Float64Array);
  /** Requests and failed ones of each host in a window and in the one before it, and which window that is. */
  readonly #window = this.#columns.add(Float64Array);
  readonly #asked = this.#columns.add(Uint32Array);
  readonly #askedBefore = this.#columns.add(Uint32Array);
  readonly #failedNow = this.#columns.add(Uint32Array);
  readonly #failedBefore = this.#columns.add(Uint32Array);
  readonly #recentRequests: RequestRow[] = [];
  readonly #recentPages: RecentPage[] = [];
  readonly #listeners = new Set<(rows: Pick<Changes, 'requests' | 'visits'>) => void>();
  #good = 0;
  #throttled = 0;
  #failed = 0;
  #read = 0;
  #repeated = 0;

  /** Takes the rows of a commit. */
  committed(changes: Pick<Changes, 'requests' | 'visits'>): void {
    for (const request of changes.requests) this.#request(request);
    for (const visit of changes.visits) if (visit.kind === 'page') this.#page(visit);
    for (const hear of this.#listeners) hear(changes);
  }

  /** Hears of each commit until the returned function is called. */
  listen(hear: (rows: Pick<Changes, 'requests' | 'visits'>) => void): () => void {
    this.#listeners.add(hear);
    return () => this.#listeners.delete(hear);
  }

  #request(row: RequestRow): void {
    const { host, status, code, bytes, ended } = row;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    this.#columns.reserve(host + 1);
    this.requests[host]++;
    this.bytes[host] += bytes;
    this.lastAt[host] = ended;
    const kind = kindOf(code);
    this.#enterWindow(host, Math.floor(ended / WINDOW));
    this.#asked[host]++;
    if (kind === 'failed') this.#failedNow[host]++;
    if (kind === 'throttled') this.#throttled++;
    else if (kind === 'failed') {
      this.#failed++;
      this.failures[host]++;
    } else this.#good++;
    keep(this.#recentRequests, row);
  }

  #page(visit: VisitRow): void {
    if (visit.code === 'ok') {
      this.#read++;
      if (visit.duplicateOf >= 0) this.#repeated++;
    }
    const { id, url, at, status, code, title, bytes, duplicateOf, text } = visit;
    keep(this.#recentPages, { visit: id, url, at, status, code, title, bytes, duplicateOf, text });
  }

  /** The last requests, newest first. */
  recentRequests(): RequestRow[] {
    return this.#recentRequests.slice(-RECENT).reverse();
  }

  #enterWindow(host: number, window: number): void {
    const ago = window - this.#window[host];
    if (ago <= 0) return;
    this.#askedBefore[host] = ago === 1 ? this.#asked[host] : 0;
    this.#failedBefore[host] = ago === 1 ? this.#failedNow[host] : 0;
    this.#asked[host] = this.#failedNow[host] = 0;
    this.#window[host] = window;
  }

  /** Of the hosts that were asked often in the last half minute to minute, the one most of whose requests failed; null if
   * none did.
   * @param now wall ms */
  sickest(now: number): { host: number; requests: number; failed: number } | null {
    const window = Math.floor(now / WINDOW);
    let sickest: { host: number; requests: number; failed: number } | null = null;
    for (let host = 0; host < this.#window.length; host++) {
      const ago = window - this.#window[host];
      if (ago > 1) continue;
      const requests = this.#asked[host] + (ago === 0 ? this.#askedBefore[host] : 0);
      const failed = this.#failedNow[host] + (ago === 0 ? this.#failedBefore[host] : 0);
      if (requests < OFTEN || failed < requests * SICK) continue;
      if (failed > (sickest?.failed ?? 0)) sickest = { host, requests, failed };
    }
    return sickest;
  }

  /** The last pages, newest first. */
  recentPages(): RecentPage[] {
    return this.#recentPages.slice(-RECENT).reverse();
  }

  /** Notes the figures of the moment. Called every {@link SAMPLE_MS}. */
  sample(figures: Pick<Sample, 'at' | 'pages' | 'requests' | 'known' | 'pending'>): void {
    const { good, throttled, failed, read, repeated } = this.#counts;
    this.samples.push({ ...figures, good, throttled, failed, read, repeated });
    if (this.samples.length > SAMPLES) this.samples.shift();
  }

  get #counts(): Pick<Sample, 'good' | 'throttled' | 'failed' | 'read' | 'repeated'> {
    return {
      good: this.#good,
      throttled: this.#throttled,
      failed: this.#failed,
      read: this.#read,
      repeated: this.#repeated,
    };
  }

  /** What changed over the last minute: the newest sample less the one of a minute ago, and the seconds between. */
  lately(): Sample & { seconds: number } {
    const newest = this.samples.at(-1);
    const oldest = this.samples.at(-1 - RATE_SAMPLES) ?? this.samples[0];
    if (newest === undefined || oldest === undefined) return { ...NOTHING, seconds: 0 };
    const change = { ...NOTHING, seconds: (newest.at - oldest.at) / 1000 };
    for (const name of Object.keys(NOTHING) as (keyof Sample)[]) change[name] = newest[name] - oldest[name];
    return change;
  }
}

/** Requests that make a host's failures mean something, and the share of them from which it is sick. */
const OFTEN = 10;
/** ms of a window. */
const WINDOW = 30_000;
const SICK = 0.8;

function kindOf(code: RequestRow['code']): 'good' | 'throttled' | 'failed' {
  const { host, url } = OUTCOMES[code];
  if (host === 'backoff') return 'throttled';
  return url === 'retry' || url === 'dead' ? 'failed' : 'good';
}

const NOTHING: Sample = {
  at: 0,
  pages: 0,
  requests: 0,
  known: 0,
  pending: 0,
  good: 0,
  throttled: 0,
  failed: 0,
  read: 0,
  repeated: 0,
};

/** Appends to a ring: the array is cut when it is twice as long as it need be, so appending stays cheap. */
function keep<T>(ring: T[], row: T): void {
  ring.push(row);
  if (ring.length >= 2 * RECENT) ring.splice(0, ring.length - RECENT);
}
