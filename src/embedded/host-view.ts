/** The hosts of a running crawl, to look at: sorted, searched and paged by us, since there may be a hundred thousand. */
import type { RequestRow } from '../changes.js';
import { UserError } from '../errors.js';
import { HostState, WAIT_REASONS } from '../frontier/host-table.js';
import { NONE } from '../frontier/url-table.js';
import { HostOrder, type OrderQuery } from './host-order.js';
import type { OpenedCrawl } from './open.js';
import type { Watch } from './watch.js';

export interface HostQuery extends OrderQuery {
  offset: number;
  limit: number;
}

/** A host in a list. Requests, failures and bytes are those of this run. */
export interface HostLine {
  host: string;
  state: HostStateName;
  /** Why it is not being fetched at this moment, in words. */
  why: string;
  pending: number;
  requests: number;
  failures: number;
  bytes: number;
  /** Wall ms of its last request of this run; null if there was none. */
  lastRequest: number | null;
}

/** Why, since when and until when a host is blocked. */
export interface Block {
  /** As it was given; '' for none. */
  reason: string;
  /** Wall ms; null for a name of a list of the config (`blocklist`), which no row tells of. */
  since: number | null;
  /** When the block ends by itself, wall ms; null for never. */
  until: number | null;
}

export interface HostPage extends HostLine {
  domain: string;
  address: string | null;
  /** Wall ms before which nothing is requested. */
  nextAt: number;
  /** ms: what it owed last, and what its robots.txt and its own answers ask for. */
  delay: { owed: number; crawlDelay: number; penalty: number };
  /** In its budget period; budget null is no limit. */
  budget: { fetched: number; admitted: number; limit: number | null };
  block: Block | null;
  throttles: number;
  failuresInRow: number;
  robots: {
    origin: string;
    verdict: 'rules' | 'allow' | 'deny' | 'unknown';
    until: number | null;
    crawlDelay: number;
  }[];
  recent: RequestLine[];
}

export interface RequestLine {
  url: string;
  kind: RequestRow['kind'];
  started: number;
  ended: number;
  status: number;
  code: RequestRow['code'];
  bytes: number;
}

const STATE_NAMES = [
  'idle',
  'queued',
  'in play',
  'asleep',
  'resolving',
  'waiting for its address',
  'waiting for robots.txt',
  'blocked',
] as const;
export type HostStateName = (typeof STATE_NAMES)[number];
export const HOST_STATES: readonly HostStateName[] = STATE_NAMES;

/** Requests shown on the page of a host. */
const SHOWN = 50;
/** Rows that are read back in search of them, and how many at a time. */
const DEPTH = 20_000;
const SLICE = 1_000;

export class HostView {
  readonly #opened: OpenedCrawl;
  readonly #watch: Watch;
  readonly #blockOf: (host: number) => Promise<Block>;
  readonly #order: HostOrder;

  constructor(opened: OpenedCrawl, watch: Watch, blockOf: (host: number) => Promise<Block>) {
    this.#opened = opened;
    this.#blockOf = blockOf;
    this.#watch = watch;
    this.#order = new HostOrder(opened.frontier.hosts, watch, () => opened.crawl.now());
  }

  async list(query: HostQuery): Promise<{ total: number; hosts: HostLine[] }> {
    const order = await this.#order.of(query);
    const page = order.subarray(query.offset, query.offset + query.limit);
    return { total: order.length, hosts: [...page].map((host) => this.#line(host)) };
  }

  #line(host: number): HostLine {
    const { hosts } = this.#opened.frontier;
    const { requests, failures, bytes, lastAt } = this.#watch;
    return {
      host: hosts.names[host],
      state: STATE_NAMES[hosts.state[host]],
      why: this.#why(host),
      pending: hosts.queued[host],
      requests: requests[host] ?? 0,
      failures: failures[host] ?? 0,
      bytes: bytes[host] ?? 0,
      lastRequest: (lastAt[host] ?? 0) > 0 ? lastAt[host] : null,
    };
  }

  #why(host: number): string {
    const { frontier, crawl } = this.#opened;
    const { hosts } = frontier;
    const now = crawl.now();
    const inSeconds = (at: number): string => `for ${Math.max(1, Math.ceil((at - now) / 1000))} s more`;
    switch (hosts.state[host]) {
      case HostState.off:
        return 'blocked by the operator';
      case HostState.resolving:
        return 'its address is being looked up';
      case HostState.robots:
        return 'its robots.txt is being fetched from another host';
      case HostState.parked:
        return 'another host of its address has the turn';
      case HostState.asleep:
        if (hosts.restUntil[host] > now)
          return `${WAIT_REASONS[hosts.reason[host]]}, ${inSeconds(hosts.restUntil[host])}`;
        return `its delay lasts ${inSeconds(hosts.nextAt[host])}`;
      case HostState.idle:
        return hosts.queued[host] === 0 ? 'nothing is left to fetch' : 'waits for a retry';
      case HostState.front:
        return 'waits for a back queue';
      default:
        if (hosts.nextAt[host] > now) return `its delay lasts ${inSeconds(hosts.nextAt[host])}`;
        return this.#opened.crawl.isPaused ? 'the crawl is paused' : 'it is its turn';
    }
  }

  /** Everything about one host.
   * @throws UserError if it was never met */
  async page(name: string): Promise<HostPage> {
    const { frontier } = this.#opened;
    const { hosts, addresses } = frontier;
    const host = hosts.find(name);
    if (host < 0) throw new UserError(`This crawl has never met the host ${name.slice(0, 253)}.`);
    const address = hosts.address[host];
    const origins = frontier.robots.ofHost(host);
    return {
      ...this.#line(host),
      domain: hosts.domains[host],
      address: address < 0 ? null : addresses.names[address],
      nextAt: hosts.nextAt[host],
      delay: { owed: hosts.owed[host], crawlDelay: hosts.crawlDelay[host], penalty: hosts.penalty[host] },
      budget: {
        fetched: hosts.fetched[host],
        admitted: hosts.admitted[host],
        limit: hosts.budget[host] === NONE ? null : hosts.budget[host],
      },
      block: hosts.state[host] === HostState.off ? await this.#blockOf(host) : null,
      throttles: hosts.throttles[host],
      failuresInRow: hosts.failures[host],
      robots: origins.map(({ name, state, crawlDelay }) => ({
        origin: name,
        verdict: state?.verdict ?? 'unknown',
        until: state?.until ?? null,
        crawlDelay,
      })),
      recent: await this.#recent(host),
    };
  }

  /** Its last requests, newest first, among the last rows of the store: read in slices, so that the crawl goes on. */
  async #recent(host: number): Promise<RequestLine[]> {
    const { store } = this.#opened;
    const found: RequestLine[] = [];
    const end = store.count('requests');
    for (let at = end; at > 0 && end - at < DEPTH && found.length < SHOWN; at -= SLICE) {
      const from = Math.max(0, at - SLICE);
      const rows = store.at('requests', range(from, at));
      for (let i = rows.length - 1; i >= 0 && found.length < SHOWN; i--) {
        const { target: url, kind, started, ended, status, code, bytes } = rows[i];
        if (rows[i].host === host) found.push({ url, kind, started, ended, status, code, bytes });
      }
      await new Promise(setImmediate);
    }
    return found;
  }
}

/** The places of rows from `from` on, up to `to`. */
export const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
