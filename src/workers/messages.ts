/** What the main thread and a page worker say to each other. Batched: one message carries many leases or reports. */

import type { WarcInfo } from '../archive/warc-writer.js';
import type { RequestKind } from '../changes.js';
import type { BodyCaps, FetchKind } from '../fetch/fetcher.js';
import type { FetchTimeouts } from '../fetch/http.js';
import type { OwnSocket } from '../fetch/own-sockets.js';
import type { HeldAnswer, HeldQuestion, NearAnswer, NearQuestion, ReportBatch } from '../frontier/report.js';
import type { LateRule } from '../url/late-rules.js';
import type { KeyOptions } from '../url/normalize.js';
import type { ScopeRule, SeedPlace } from '../url/scope.js';
import type { TrapLimits } from '../url/traps.js';
import type { DocumentSettings } from './document-reader.js';

/** How a worker fetches. */
export interface FetchSettings {
  userAgent: string;
  timeouts: FetchTimeouts;
  maxHeaderBytes: number;
  /** Certificates that are not valid end the request; otherwise the fault is recorded. */
  refuseCertificates: boolean;
  caps: Record<FetchKind, BodyCaps>;
  /** Bytes of a PDF that are read. */
  pdf: number;
  /** The operator's rules on content types. */
  contentRules: readonly LateRule[];
  /** Sockets of ours, that nothing leads to. */
  own: readonly OwnSocket[];
}

export interface DedupeSettings {
  /** The least three-word shingles of a text that gets a fingerprint. */
  shingles: number;
  /** Are links of pages with content that is held taken along? Of near-duplicates? */
  exactLinks: boolean;
  nearLinks: boolean;
}

/** The settings of a page worker: plain data, given at its start. */
export interface WorkerSettings {
  index: number;
  /** Secret of the URL keys, 16 bytes. */
  secret: Uint8Array;
  keyOptions: KeyOptions;
  scope: { rules: ScopeRule[]; fallback: 'accept' | 'reject' };
  traps: Partial<TrapLimits>;
  fetch: FetchSettings;
  /** Product token: whom robots directives name. */
  agent: string;
  archive: { warc: string; text: string; prefix: string; maxBytes: number; info: WarcInfo };
  /** What is made of texts, and of the links of pages that repeat another. */
  dedupe: DedupeSettings;
  /** How documents of heavy types are read. */
  documents: DocumentSettings;
  shared: SharedArrayBuffer;
  /** One word: bytes of bodies that this thread holds, for whoever has to give them back when it is dead. */
  ownBodies: SharedArrayBuffer;
  /** Parsing yields to the sockets after this, ms. */
  turn: number;
  /** Bytes of bodies in flight, all workers together, beyond which reading pauses. */
  bodyBudget: number;
  /** ms between heartbeats. */
  heartbeat: number;
}

/** What a conditional request names, and the revisit record of its 304. */
export interface HeldPage {
  etag: string | null;
  lastModified: string | null;
  /** The record that holds the body: the URL that answered, wall ms, SHA-1 of the entity. */
  url: string;
  date: number;
  payloadDigest: Uint8Array | null;
}

/** The part of a lease that a worker needs. */
export interface WorkOrder {
  lease: number;
  kind: RequestKind;
  target: string;
  connectTo: string;
  /** The page that is held, if it may be asked for on condition that it is another. */
  held: HeldPage | null;
  cookie: string | null;
}

export type ToWorker =
  | { type: 'work'; orders: WorkOrder[] }
  | { type: 'held'; answers: HeldAnswer[] }
  | { type: 'near'; answers: NearAnswer[] }
  | { type: 'scope'; seeds: readonly SeedPlace[] }
  /** Give up what is under way; then nothing more comes. */
  | { type: 'abort' }
  | { type: 'close' };

export type FromWorker =
  | { type: 'reports'; batch: ReportBatch }
  | { type: 'held?'; questions: HeldQuestion[] }
  | { type: 'near?'; questions: NearQuestion[] }
  | { type: 'segments'; closed: { name: string; length: number }[] }
  /** The archive cannot be written: the crawl has to stop. */
  | { type: 'fatal'; message: string }
  | { type: 'closed' };

/** What one worker of all does at a time: it reads a large body, or goes on with one past the budget of bodies. */
export const Turn = { large: 1, past: 2 } as const;
export type Turn = (typeof Turn)[keyof typeof Turn];

/** Words that all workers share; behind them each has two of its own. */
const OWN = 3;

/** Shared memory between the threads: a few words that must be readable while a worker is busy. */
export class SharedState {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;

  constructor(workers: number | SharedArrayBuffer) {
    this.buffer = typeof workers === 'number' ? new SharedArrayBuffer(4 * (OWN + 2 * workers)) : workers;
    this.#words = new Int32Array(this.buffer);
  }

  /** Bytes of bodies in flight, all workers together. */
  get bodies(): number {
    return Atomics.load(this.#words, 0);
  }
  addBodies(bytes: number): void {
    Atomics.add(this.#words, 0, bytes);
  }

  /** Takes a turn, of which there is one in the process; true if `worker` has it now. */
  takeTurn(turn: Turn, worker: number): boolean {
    const holder = Atomics.compareExchange(this.#words, turn, 0, worker + 1);
    return holder === 0 || holder === worker + 1;
  }
  /** Ends the turn if it is this worker's. */
  endTurn(turn: Turn, worker: number): void {
    Atomics.compareExchange(this.#words, turn, worker + 1, 0);
  }
  endTurns(worker: number): void {
    for (const turn of Object.values(Turn)) this.endTurn(turn, worker);
  }

  /** A worker lives: monotonic ms, modulo 2^32. */
  beat(worker: number, now: number): void {
    Atomics.store(this.#words, OWN + 2 * worker, now | 0);
  }
  /** ms since a worker's last heartbeat. */
  silence(worker: number, now: number): number {
    return ((now | 0) - Atomics.load(this.#words, OWN + 2 * worker)) | 0;
  }

  /** The lease that a worker is about to parse, -1 for none: the one that is to blame if it dies. */
  parsing(worker: number): number {
    return Atomics.load(this.#words, OWN + 1 + 2 * worker) - 1;
  }
  setParsing(worker: number, lease: number): void {
    Atomics.store(this.#words, OWN + 1 + 2 * worker, lease + 1);
  }
}
