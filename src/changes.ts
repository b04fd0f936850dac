/**
 * The change records: what decisions return, batches carry and stores append. Every table only grows; a row is never
 * updated. Times are wall-clock milliseconds since 1970 (integers); ids are dense, from 0, given by the owner of the
 * partition (in memory), never by the store.
 */
import type { OutcomeCode } from './errors.js';

/** What a request is for. `page` and `sitemap` belong to a known URL; `robots` to an origin. */
export type RequestKind = 'page' | 'sitemap' | 'robots';

/** A URL that was admitted. Its state is *pending* until another row says otherwise. */
export interface UrlRow {
  id: number;
  partition: number;
  host: number;
  /** The 64-bit key of the normal form, as two unsigned 32-bit lanes. */
  keyHi: number;
  keyLo: number;
  kind: 'page' | 'sitemap';
  /** Priority level 0 (best) to 4. */
  level: number;
  /** Links from a seed. */
  depth: number;
  /** Redirects that led here in a row, 0 for a link. */
  hops: number;
  /** Id of the URL that named this one, or -1 (a seed, or a Sitemap line of robots.txt). */
  via: number;
  /** The fetch form: the exact spelling that is requested. */
  url: string;
}

/** A host name that was met. One row each, never updated. */
export interface HostRow {
  id: number;
  name: string;
  /** Registrable domain. */
  domain: string;
  /** The operator named it (seed, `--resolve`), or an opened range linked to it: private ranges that were opened with
   * `--allow-private` may be reached. */
  named: boolean;
  /** URLs that may be admitted, and fetched, in 30 days, when it was met; null is no limit. Each run has its own. */
  budget: number | null;
  at: number;
}

/** Where a record lies: a segment (by its id), and the bytes of its gzip member. */
export interface RecordPointer {
  segment: number;
  offset: number;
  length: number;
}

/** One request of any kind: the proof of politeness. */
export interface RequestRow {
  id: number;
  /** The known URL it was made for, or -1 (robots). */
  url: number;
  host: number;
  /** The address that was connected to; empty if none was. */
  address: string;
  kind: RequestKind;
  /** The exact URL that was requested. */
  target: string;
  started: number;
  ended: number;
  /** HTTP status, 0 if no answer came. */
  status: number;
  code: OutcomeCode;
  /** Bytes received. */
  bytes: number;
  /** Milliseconds that the host owed after it: the next request may not start before `ended + delay`. */
  delay: number;
  /** The same for its address (the floor of the address gap); -1 if the address had no clock (`politeness.key: host`). */
  addressDelay: number;
  /** The archived response (or revisit) record; null if no answer came. */
  record: RecordPointer | null;
}

/** The end of a visit: the URL is *done*. */
export interface VisitRow {
  id: number;
  url: number;
  kind: 'page' | 'sitemap';
  request: number;
  at: number;
  status: number;
  code: OutcomeCode;
  /** The exact URL that answered, if a same-key redirect changed the spelling; else null. */
  finalUrl: string | null;
  contentType: string;
  charset: string;
  language: string;
  title: string;
  /** SHA-256 of the decoded body, 32 bytes; null without a body. */
  contentHash: Uint8Array | null;
  /** SHA-1 of the entity as stored, 20 bytes; null without a body. */
  payloadDigest: Uint8Array | null;
  /** 64-bit fingerprint of the main text as 16 hex digits, or null. */
  simhash: string | null;
  etag: string | null;
  lastModified: string | null;
  record: RecordPointer | null;
  /** The `conversion` record of the text; null for duplicates, redirects, pages without text. */
  text: RecordPointer | null;
  /** The page is another than at the visit before (`revisit/plan.ts`), or this is its first visit. */
  changed: boolean;
  /** Id of the URL whose page this one repeats, or -1. */
  duplicateOf: number;
  /** It repeats that page nearly: the fingerprints of their texts differ by a few bits. False for the same content. */
  near: boolean;
  /** False if a robots directive of the page says noindex: kept out of exports. */
  index: boolean;
  /** Wall time of the next visit, or null for none. */
  nextVisit: number | null;
  /** The visit whose body is in force after this one, which brought none (304); -1: its own, if it has one. */
  bodyOf: number;
  /** What the last revisits of the page saw (`revisit/change-rate.ts`); null at its first visit. */
  history: string | null;
  bytes: number;
  /** Links on the page, before admission. */
  links: number;
  /** AI-preference signals of the page as JSON, or null. */
  aiPreferences: string | null;
  /** Version of the parser that read it (`parse/documents.ts`); 0 if nothing was parsed. */
  parser: number;
  /** What a handler of its content type said beside text and links: an object as JSON, or null. */
  fields: string | null;
}

/** What the parse stage says of a visit's body when it reads it again: in force instead of the visit's own columns, and
 * of earlier rows of that visit. */
export interface ReparsedRow {
  id: number;
  visit: number;
  at: number;
  parser: number;
  charset: string;
  language: string;
  title: string;
  simhash: string | null;
  /** The text in force from now on: a record of its own, or the one that was in force if the text is still the same. */
  text: RecordPointer | null;
  index: boolean;
  links: number;
  aiPreferences: string | null;
  fields: string | null;
}

/** What an origin's robots.txt answered. The last row of an origin is in force. */
export interface RobotsRow {
  origin: string;
  host: number;
  at: number;
  request: number;
  status: number;
  code: OutcomeCode;
  /** The body of a whole 2xx answer, at most 500 KiB; null otherwise. */
  body: Uint8Array | null;
  /** Failures in a row, and since when. 0 and null after an answer that counts. */
  failures: number;
  failingSince: number | null;
}

export type HostEventKind =
  | 'throttled'
  | 'recovered'
  | 'asleep'
  | 'offline'
  | 'online'
  | 'dropped'
  | 'blocked'
  | 'unblocked'
  | 'crawl-delay'
  /** To the lowest level: a suspected trap. */
  | 'demoted'
  /** Known already, it was named by the operator, or linked from an opened range (`HostRow.named`). */
  | 'named'
  /** A seed led there, or it was given as one after it was known: from now on it has the budget of the seeds' hosts. */
  | 'seed'
  /** Asked for a page that cannot exist: `value` is its URL's id, or -1. */
  | 'probed';

/** Something that happened to a host and outlives a restart. */
export interface HostEventRow {
  host: number;
  at: number;
  kind: HostEventKind;
  /** Wall time until which the host rests, 0 if it does not. */
  until: number;
  /** The penalty delay in force in ms (throttled, recovered), or the step of the ladder (asleep, offline). */
  value: number;
  words: string;
}

/** Robots forbid the URL (`denied`), or no longer do (it is pending again). */
export interface DeniedRow {
  url: number;
  at: number;
  denied: boolean;
}

/** The URL is given up (`dead`), or was taken back with `retry` (it is pending again). */
export interface DeadRow {
  url: number;
  at: number;
  dead: boolean;
  code: OutcomeCode;
  /** The failed attempts, oldest first. */
  history: readonly { at: number; code: OutcomeCode; status: number }[];
  /** The URL is dead as it was, and an operator dropped its letter, or brought it back: such a row says no more. */
  letter?: 'dropped' | 'restored';
}

/** A segment that a pointer names: a row when it is first named, another when it is closed. */
export interface SegmentRow {
  id: number;
  name: string;
  kind: 'warc' | 'text';
  at: number;
  closed: boolean;
  /** Committed bytes when closed, 0 when opened. */
  length: number;
}

/** A URL that somebody gave: what it stands for (its host, domain or folder) is in the scope for good. */
export interface SeedRow {
  url: number;
}

/** The changes of one batch, by table, in order. Also the sink that decisions append to. */
export interface Changes {
  hosts: HostRow[];
  urls: UrlRow[];
  requests: RequestRow[];
  visits: VisitRow[];
  reparsed: ReparsedRow[];
  robots: RobotsRow[];
  hostEvents: HostEventRow[];
  denied: DeniedRow[];
  dead: DeadRow[];
  segments: SegmentRow[];
  seeds: SeedRow[];
  /** Small facts that are replaced: scope additions, counters of refusals. */
  meta: [key: string, value: string][];
}

export const noChanges = (): Changes => ({
  hosts: [],
  urls: [],
  requests: [],
  visits: [],
  reparsed: [],
  robots: [],
  hostEvents: [],
  denied: [],
  dead: [],
  segments: [],
  seeds: [],
  meta: [],
});

export const countChanges = (c: Changes): number =>
  c.hosts.length +
  c.urls.length +
  c.requests.length +
  c.visits.length +
  c.reparsed.length +
  c.robots.length +
  c.hostEvents.length +
  c.denied.length +
  c.dead.length +
  c.segments.length +
  c.seeds.length +
  c.meta.length;

/** A group commit. The store keeps the last (epoch, sequence): a batch of unknown outcome is sent again unchanged. */
export interface Batch {
  epoch: number;
  sequence: number;
  changes: Changes;
}
