/** The deciding parts of a crawl (frontier, admission, robots desk, settlement) wired together, with time, addresses,
 * texts and answers in the hands of a test. */

import { createHash } from 'node:crypto';
import { Admission, type AdmissionOptions } from '../../src/admit/admission.js';
import { type DuplicateOptions, Duplicates } from '../../src/admit/duplicates.js';
import { RobotsDesk } from '../../src/admit/robots-desk.js';
import { Settlement } from '../../src/admit/settle.js';
import { noChanges } from '../../src/changes.js';
import type { SeenFilter } from '../../src/dedupe/bloom-seen.js';
import { KeptPages } from '../../src/dedupe/kept-pages.js';
import { SeenTable } from '../../src/dedupe/seen.js';
import type { UrlText } from '../../src/engines/ports.js';
import { seededRandom } from '../../src/engines/system.js';
import { ROBOTS_TIMES } from '../../src/fetch/robots-ladder.js';
import { Frontier } from '../../src/frontier/frontier.js';
import type { FrontierOptions, Lease, Turn } from '../../src/frontier/lease.js';
import type { LeaseReport, PageReport } from '../../src/frontier/report.js';
import { breadthFirst } from '../../src/frontier/score.js';
import { UrlKeyer } from '../../src/url/key.js';
import { createNormalizer } from '../../src/url/normalize.js';
import { LinkPacker } from '../../src/url/packed-links.js';

const HOUR = 3_600_000;

export const FRONTIER: FrontierOptions = {
  rules: {
    ...{ delay: 1_000, fetchFactor: 10, fetchCap: 60_000, penaltyCap: HOUR, retryAfterCap: 24 * HOUR },
    ...{ throttlesBeforeSleep: 10, sleeps: [HOUR, 6 * HOUR, 24 * HOUR] },
    ...{ failuresBeforeOffline: 5, nxdomainsBeforeOffline: 2, offline: [HOUR, 6 * HOUR, 24 * HOUR] },
  },
  ...{ retries: [30_000, 120_000, 300_000, 900_000], key: 'host+ip', backQueues: 16, backQueuesMax: 16 },
  ...{ quantumFetches: 64, quantumTime: 600_000, sleepBeyond: 30_000, lookAhead: 4, workers: 1 },
  ...{ isCdn: () => false, perDomain: 4, shared: { from: 16, requests: 2, gap: 250 } },
  ...{ affinity: 1_000, budgetPeriod: 30 * 86_400_000 },
};

/** What a server says: a status, with what belongs to it. */
export interface Answer {
  status?: number;
  code?: LeaseReport['code'];
  /** robots.txt, or the content of a page. */
  body?: string;
  location?: string;
  links?: readonly string[];
  /** Of a page: its content, and its fingerprint; what the worker was told that it repeats. */
  content?: string;
  simhash?: string;
  told?: { of: number; near: boolean };
  retryAfterMs?: number;
  ms?: number;
}

export class Decisions {
  readonly frontier: Frontier;
  readonly admission: Admission;
  readonly duplicates: Duplicates;
  readonly settlement: Settlement;
  readonly robots: RobotsDesk;
  /** Rules that were read back from their rows, by origin. */
  readonly readBack: string[] = [];
  /** The body that a row gives back. */
  bodyOf = (place: number): Uint8Array | null => this.changes.robots[place].body;
  readonly changes = noChanges();
  now = 1_000_000;
  readonly #texts = new Map<number, UrlText>();
  #committed = 0;
  readonly #keyer = new UrlKeyer(new Uint8Array(16));
  readonly #normalizer = createNormalizer();
  /** Address of a host by name; its index by default. */
  addressOf = (host: number): readonly string[] => [`192.0.2.${host + 1}`];
  ttl = HOUR;
  /** When something falls due again, after a turn. */
  waitUntil = 0;

  constructor(
    options: {
      frontier?: Partial<FrontierOptions>;
      admission?: Partial<AdmissionOptions>;
      duplicates?: Partial<DuplicateOptions>;
      rulesMemory?: number;
      seen?: SeenFilter;
    } = {},
  ) {
    this.frontier = new Frontier({ ...FRONTIER, ...options.frontier }, seededRandom(1));
    this.admission = new Admission(
      this.frontier,
      options.seen ?? new SeenTable(),
      {
        ...{ maxDepth: 16, maxHops: 10, hostsPerDomain: 1_000, partitions: 16, budget: () => null, isListed: null },
        ...{ score: breadthFirst, tooManyQueries: () => false },
        onText: (text) => this.#texts.set(text.id, text),
        ...options.admission,
      },
      () => false,
    );
    this.duplicates = new Duplicates(new KeptPages(), this.frontier, this.admission, {
      ...{ exact: 'drop', near: 'demote', limits: { ratio: 0.8, window: 200 } },
      probe: (origin) => this.keyed(`${origin}/nobody-has-this`),
      ...options.duplicates,
    });
    const { duplicates } = this;
    this.robots = new RobotsDesk(this.frontier, this.admission, {
      ...{
        agent: 'Saunter',
        times: ROBOTS_TIMES,
        crawlDelayCap: HOUR,
        memory: options.rulesMemory ?? 1e9,
        isInside: () => false,
      },
      sitemap: (line, origin) => this.keyed(line, `${origin}/`),
    });
    this.settlement = new Settlement({
      ...{ frontier: this.frontier, admission: this.admission, duplicates, robots: this.robots },
      ids: { requests: 0, visits: 0 },
      options: { sameRedirects: 5, isInside: () => false, onSeedMoved: () => {} },
    });
  }

  keyed(url: string, base?: string) {
    const to = this.#normalizer.normalize(url, base);
    if (to.url === null) throw new Error(`${url} is no URL`);
    this.#keyer.hash(to.url);
    return { keyHi: this.#keyer.hi, keyLo: this.#keyer.lo, url: to.fetch, to };
  }

  /** Admits a URL; returns its id, an older one's id, or -1. */
  admit(url: string, place: { seed?: boolean; level?: number; depth?: number; hops?: number } = {}): number {
    const candidate = { ...this.keyed(url), kind: 'page', depth: 1, hops: 0, via: -1, priority: null } as const;
    return this.admission.admit({ ...candidate, level: null, seed: false, ...place }, false, this.now, this.changes);
  }

  /** One turn: addresses and texts are answered at once. */
  turn(room = 8): Lease[] {
    const leases: Lease[] = [];
    for (;;) {
      const turn = this.next(room - leases.length);
      leases.push(...turn.leases);
      this.waitUntil = turn.waitUntil;
      if (turn.resolve.length + turn.load.length + turn.rules.length === 0) return leases;
      for (const origin of turn.rules) this.loadRules(origin);
      this.#answer(turn);
    }
  }

  #answer({ resolve, load }: Turn): void {
    for (const host of resolve) this.resolve(host);
    for (const request of load) {
      const texts = request.urls.map((id) => this.#texts.get(id)!);
      this.frontier.loaded(request, texts, this.now);
    }
  }

  /** A turn that answers questions for addresses and texts, and leaves those for rules. */
  turnWithoutRules(): Turn {
    const all: Turn = { leases: [], resolve: [], load: [], rules: [], waitUntil: 0 };
    for (;;) {
      const turn = this.next();
      all.leases.push(...turn.leases);
      all.rules.push(...turn.rules);
      if (turn.resolve.length + turn.load.length === 0) return all;
      this.#answer(turn);
    }
  }

  /** Reads the rules of an origin back from their row. */
  loadRules(origin: Turn['rules'][number]): void {
    this.readBack.push(origin.name);
    const place = this.robots.placeOf(origin);
    this.robots.loaded(origin, place, this.bodyOf(place), this.now, this.changes);
  }

  /** All rows so far are committed. */
  commit(): void {
    this.robots.committed(this.changes.robots.length - this.#committed);
    this.#committed = this.changes.robots.length;
  }

  next(room = 8): Turn {
    return this.frontier.next(this.now, Int32Array.of(room), Number.POSITIVE_INFINITY, this.changes);
  }

  resolve(host: number): void {
    const until = this.now + this.ttl;
    this.frontier.resolved(host, { addresses: this.addressOf(host), until }, this.now, this.changes);
  }

  /** Ends a lease with an answer, now. */
  answer(
    lease: Lease,
    { status = 200, code, body, location, links = [], retryAfterMs, ms = 0, ...page }: Answer = {},
  ): void {
    const packer = new LinkPacker();
    for (const link of links) {
      const { keyHi, keyLo, url } = this.keyed(link, lease.target);
      packer.add(keyHi, keyLo, url);
    }
    const target = location === undefined ? null : this.keyed(location, lease.target);
    const report: LeaseReport = {
      ...{ lease: lease.id, status, started: this.now - ms, ended: this.now, retryAfterMs: retryAfterMs ?? null },
      ...{ bytes: 0, truncated: false, record: null, from: 0, to: links.length, refused: null, removed: null },
      page: pageOf(page),
      code: code ?? codeOf(status),
      redirect: target === null ? null : { ...target, inScope: true, trap: null, cookie: null },
      robots: lease.kind === 'robots' && body !== undefined ? Buffer.from(body) : null,
    };
    this.settlement.settle(lease, report, packer.take(), this.now, this.changes);
  }

  /** Lets time pass: whatever is leased is answered at once by `server`. Returns the requests. */
  run(ms: number, server: (target: string) => Answer = () => ({})): { at: number; target: string }[] {
    const requests: { at: number; target: string }[] = [];
    for (const end = this.now + ms; this.now < end; ) {
      const leases = this.turn();
      for (const lease of leases) {
        requests.push({ at: this.now, target: lease.target });
        this.answer(lease, server(lease.target));
      }
      if (leases.length > 0) continue;
      this.now = Math.min(Math.max(this.waitUntil, this.now + 1), end);
    }
    return requests;
  }
}

function pageOf({ content, simhash, told }: Answer): PageReport | null {
  if (content === undefined) return null;
  return {
    ...{ contentType: 'text/html', charset: '', language: '', title: '', payloadDigest: null, etag: null },
    ...{ lastModified: null, text: null, index: true, links: 0, aiPreferences: null, parser: 1, fields: null },
    contentHash: createHash('sha256').update(content).digest(),
    ...{ simhash: simhash ?? null, duplicateOf: told?.of ?? -1, near: told?.near ?? false },
  };
}

function codeOf(status: number): LeaseReport['code'] {
  if (status === 429 || status === 503) return 'http.throttled';
  if (status >= 500) return 'http.server';
  if (status >= 400) return status === 404 ? 'http.gone' : 'http.client';
  return status >= 300 ? 'redirect' : 'ok';
}
