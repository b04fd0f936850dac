/** What a page worker reports of a lease: everything that admission, the store and the summary need, and no body (but
 * for robots.txt, which the main thread compiles once for all workers). */
import type { OutcomeCode } from '../errors.js';
import type { NormalUrl } from '../url/normalize.js';
import type { PackedLinks } from '../url/packed-links.js';

/** A record in a segment that is known by its file name. */
export interface ArchivedRecord {
  segment: string;
  offset: number;
  length: number;
  /** Wall ms of the record itself (WARC-Date): what a revisit refers to. */
  date: number;
  /** Its line in the index (`warc/index.cdxj`); empty for text records. */
  cdxj: string;
}

export interface LeaseReport {
  lease: number;
  code: OutcomeCode;
  /** HTTP status, 0 if no answer came. */
  status: number;
  /** Monotonic ms: the request was begun, and its last byte came (or it failed). */
  started: number;
  ended: number;
  /** How much of that time our own thread was too busy to read, ms: not the server's. */
  blocked?: number;
  retryAfterMs: number | null;
  bytes: number;
  truncated: boolean;
  record: ArchivedRecord | null;
  /** The normalised target of a redirect. */
  redirect: RedirectTarget | null;
  /** robots.txt: its body as far as it is read (500 KiB). */
  robots: Uint8Array | null;
  page: PageReport | null;
  /** Links `from` to `to` of the batch's packed links. */
  from: number;
  to: number;
  /** Links that were refused where they were found, by reason; null for none. */
  refused: Record<string, number> | null;
  /** Parameters that were removed from the others, by the names that the options give them; null for none. */
  removed: Record<string, number> | null;
}

/** The part of a report about what an answer brought, where it brought nothing. */
export const NOTHING_BROUGHT = {
  record: null,
  redirect: null,
  robots: null,
  page: null,
  from: 0,
  to: 0,
  refused: null,
  removed: null,
} as const satisfies Partial<LeaseReport>;

export interface RedirectTarget {
  keyHi: number;
  keyLo: number;
  to: NormalUrl;
  inScope: boolean;
  /** Name of the guard that refuses its shape, or null. */
  trap: string | null;
  /** A cookie that the answer set, if it redirects to the very URL that was asked; carried back once. */
  cookie: string | null;
}

/** What was learnt from the body of a page (or sitemap). */
export interface PageReport {
  contentType: string;
  charset: string;
  language: string;
  title: string;
  contentHash: Uint8Array | null;
  payloadDigest: Uint8Array | null;
  simhash: string | null;
  etag: string | null;
  lastModified: string | null;
  text: ArchivedRecord | null;
  index: boolean;
  /** Links on the page, before any refusal. */
  links: number;
  aiPreferences: string | null;
  /** Version of the parser, 0 if nothing was parsed; what a handler said beside text and links, as JSON. */
  parser: number;
  fields: string | null;
  /** Id of the URL whose page this one repeats as far as the worker was told, or -1; nearly, or exactly. */
  duplicateOf: number;
  near: boolean;
}

/** Reports of several leases, with their links in one buffer. */
export interface ReportBatch {
  reports: LeaseReport[];
  links: PackedLinks;
}

/** Is this body held already? `payloadDigest` is SHA-1 of the entity, `contentHash` SHA-256 of the decoded body. */
export interface HeldQuestion {
  lease: number;
  contentHash: Uint8Array;
  payloadDigest: Uint8Array;
}

/** Is there a page with nearly this text? Both halves of its fingerprint. */
export interface NearQuestion {
  lease: number;
  hi: number;
  lo: number;
}

/** `of`: id of the URL whose page it is, -1 if there is none: write the text. -2: it is an error page of its host. */
export interface NearAnswer {
  lease: number;
  of: number;
}

/** `new`: write it. `duplicate`: equal content under another payload; write it, without a text. `revisit`: the very
 * entity is held; write a revisit record that refers to it. */
export type HeldAnswer =
  | { lease: number; held: 'new' }
  | { lease: number; held: 'duplicate'; of: number }
  | { lease: number; held: 'revisit'; of: number; url: string; date: number };
