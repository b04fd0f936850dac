/** What passes between the frontier and the loop: leases out, outcomes in. Plain data. */
import type { RequestKind } from '../changes.js';
import type { LastVisit } from '../engines/ports.js';
import type { OutcomeCode } from '../errors.js';
import type { RevisitOptions } from '../revisit/policy.js';
import type { DelayRules } from './clocks.js';
import type { Origin } from './robots-gate.js';
import type { SharedRules } from './shared-addresses.js';

/** The right to make one request, now. Exactly one `done` ends it. */
export interface Lease {
  /** Dense within the process, from 0. */
  id: number;
  kind: RequestKind;
  /** Id of the known URL, -1 for robots. */
  url: number;
  host: number;
  /** Address id in the frontier's table, and the address itself. */
  address: number;
  connectTo: string;
  /** The exact URL to request. */
  target: string;
  /** Id of the origin that a robots lease is for (perhaps another host's, after a redirect); of the URL otherwise. */
  origin: number;
  /** Redirects followed so far: across hosts for robots, same-key for pages. */
  redirects: number;
  depth: number;
  hops: number;
  /** The visit before this one; null at the first. */
  last: LastVisit | null;
  /** Its page is known, and may be asked for on condition that it is another. */
  conditional: boolean;
  /** A cookie to carry back once (a redirect to itself that set one). */
  cookie: string | null;
  /** Page worker that its host sticks to, and that gets it; unless its page killed one before: then it gets one for itself. */
  worker: number;
  alone: boolean;
  granted: number;
}

/** How a lease ended. Times in ms on the loop's clock. */
export interface LeaseOutcome {
  code: OutcomeCode;
  status: number;
  started: number;
  ended: number;
  /** ms of that time that were our own fault. */
  blocked?: number;
  retryAfterMs: number | null;
}

/** What `done` decided. */
export interface Settled {
  /** The outcome that counts: `connect.elsewhere` in place of a failure at one of several addresses. */
  code: OutcomeCode;
  /** ms the host owes after the request's end, and its address. */
  delay: number;
  addressDelay: number;
  /** What became of the URL: its visit is over, it waits for another try, or it is given up. */
  url: 'done' | 'pending' | 'dead' | 'leased' | 'none';
}

/** A job at a host that no URL list holds: a robots.txt (of this host, or of another that redirected here), or a page
 * whose lease goes on at another spelling. */
export interface Errand {
  kind: RequestKind;
  url: number;
  target: string;
  origin: number;
  redirects: number;
  depth: number;
  hops: number;
  cookie: string | null;
  last: LastVisit | null;
}

/** Texts the frontier needs before it can lease: answered with `loaded`. */
export interface LoadRequest {
  host: number;
  urls: number[];
}

/** What may be done now. */
export interface Turn {
  leases: Lease[];
  /** Hosts whose address is needed: answered with `resolved`. */
  resolve: number[];
  load: LoadRequest[];
  /** Origins whose rules are needed in memory: answered with `rulesLoaded`. */
  rules: Origin[];
  /** Nothing more falls due before (ms; Infinity: only an answer can bring something). */
  waitUntil: number;
}

export type Resolution =
  | { addresses: readonly string[]; until: number }
  | {
      code: Extract<OutcomeCode, `dns.${string}` | 'guard.address' | 'guard.family' | 'guard.port'>;
      words: string;
      /** A failed look-up holds until then, ms: it is not made again before, and counts once. Default: it may be made at
       * once. */
      until?: number;
      /** NXDOMAIN, and one resolver alone says so: it counts as any other failure. */
      alone?: boolean;
    };

export interface FrontierOptions {
  rules: DelayRules;
  /** Waits before the second, third, ... attempt at a URL, ms; one failure more makes a dead letter. */
  retries: readonly number[];
  /** `host+ip`: both clocks. `host`: no address clock. `ip`: the address owes what the host owes. */
  key: 'host+ip' | 'host' | 'ip';
  /** With `host+ip`: is an address one of a CDN, and how many requests at once may a registrable domain have there? */
  isCdn: (address: string) => boolean;
  perDomain: number;
  /** With `host+ip`: what addresses may have that serve many domains. */
  shared: SharedRules;
  /** Back queues to start with, and at most. */
  backQueues: number;
  backQueuesMax: number;
  quantumFetches: number;
  quantumTime: number;
  /** A host whose next time is further away than this holds no back queue, ms. */
  sleepBeyond: number;
  /** URLs read ahead when a host takes a back queue. */
  lookAhead: number;
  /** When pages are visited again, and the share of a host's turns (0 to 1) that this may take while new URLs wait.
   * Default: never. */
  revisit?: RevisitOptions;
  revisitShare?: number;
  workers: number;
  /** A host whose worker has had no room for this long is leased to another, ms. */
  affinity: number;
  /** How long a budget lasts, ms. */
  budgetPeriod: number;
  /** Asked of each page and sitemap that robots allow, right before its lease: true makes it a dead letter (`guard.hook`)
   * and no request. Default: refuses nothing. */
  refuses?: (host: number, errand: Errand) => boolean;
  /** Would a request to this origin, of the host of that name at that address, come to a socket of ours? Asked before
   * anything is sent for a URL, its robots.txt included: true makes it a dead letter (`guard.own`). Default: never. */
  isOwn?: (host: string, address: string, origin: string) => boolean;
}
