/**
 * A web of millions of pages for the large simulation (`simulation-large.ts`): no object and no string per page. What a
 * host is, what it answers and where its pages link to are functions of the seed and of numbers; columns hold what is
 * asked often. Pages of all hosts are numbered through: those of host h are `base[h]` to `base[h + 1] - 1`.
 */
import type { OutcomeCode } from '../errors.js';
import { randomFor } from './web-random.js';

/** `equal`: every host has as many pages. `spread`: log-normal, most hosts are small and a few have thousands. `giant`:
 * one host holds nine tenths of all pages. */
export type SizeSpread = 'equal' | 'spread' | 'giant';

export interface LargeWebOptions {
  seed: number;
  hosts: number;
  /** Pages a host, on average. */
  pages: number;
  sizes: SizeSpread;
  /** Share of links that stay on their host. */
  locality: number;
  /** Share of requests that do not end with a page. */
  errors: number;
  /** Share of hosts that share their address with others. */
  shared: number;
  /** Typical ms of an answer. */
  latency: number;
}

/** Links on a page. */
const LINKS = 8;
/** Of the links that stay, those to pages that no other page needs to link to: all pages of a host hang on its home page
 * as a tree of that order. */
const CHILDREN = 3;
/** Hosts that one shared address serves, on average; some serve far more. */
const HOSTS_AN_ADDRESS = 30;
/** One page in so many is private: robots forbid it, where there are rules. */
const PRIVATE = 40;
/** One host in so many has each of these habits (where there are errors at all). */
const NO_RULES = 4;
const SLOW = 20;
const CRAWL_DELAY = 50;
const MOVES = 50;
const SPREAD = 1.3;
/** Pages of all hosts together: ids have 32 bits. */
const MOST_PAGES = 2 ** 32 - 2;

export class LargeWeb {
  readonly options: LargeWebOptions;
  readonly hosts: number;
  /** Number of the first page of each host, and of all pages behind the last. */
  readonly base: Float64Array;
  /** Typical ms of an answer, by host. */
  readonly latency: Float32Array;
  /** Addresses are numbered from 0. */
  readonly addresses: number;
  readonly #address: Uint32Array;
  readonly #cdns: number;
  readonly #open: string[] = [];
  readonly #private: string[] = [];
  readonly #addressNames: string[] = [];
  readonly #salt: number;
  // the last answer of `answer`, and the last links of `linksOf`
  code: OutcomeCode = 'ok';
  status = 200;
  ms = 0;
  retryAfterMs: number | null = null;
  readonly links = new Float64Array(LINKS);
  readonly linkHosts = new Uint32Array(LINKS);

  constructor(options: LargeWebOptions) {
    this.options = options;
    this.hosts = options.hosts;
    this.#salt = randomFor(options.seed, 'large web').uint32();
    this.base = basesOf(options, this.#salt);
    this.latency = new Float32Array(options.hosts);
    const pools = Math.max(Math.round((options.hosts * options.shared) / HOSTS_AN_ADDRESS), 1);
    this.#cdns = Math.ceil(pools / 4);
    this.#address = Uint32Array.from({ length: 2 * options.hosts }, (_, i) => this.#planAddress(i, pools));
    this.addresses = pools + 2 * options.hosts;
    for (let host = 0; host < options.hosts; host++) {
      const factor = this.#draw(host, 2) < 1 / SLOW ? 10 : 1;
      this.latency[host] = options.latency * (0.4 + 1.2 * this.#draw(host, 1)) * factor;
    }
  }

  /** The first address of host i, or the second one of host i - hosts. */
  #planAddress(i: number, pools: number): number {
    const isShared = i > 0 && this.#draw(i, 3) < this.options.shared;
    // the square makes the first pools large: CDNs and shared hosting
    return isShared ? Math.floor(pools * this.#draw(i, 4) ** 2) : pools + i;
  }

  get pages(): number {
    return this.base[this.hosts];
  }

  /** Mean ms of an answer over all hosts. */
  get meanLatency(): number {
    let sum = 0;
    for (let host = 0; host < this.hosts; host++) sum += this.latency[host];
    return sum / this.hosts;
  }

  hostOf(page: number): number {
    let low = 0;
    for (let high = this.hosts - 1; low < high; ) {
      const middle = (low + high + 1) >>> 1;
      if (this.base[middle] <= page) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  nameOf(host: number): string {
    return `h${host}.d${this.domainOf(host)}.test`;
  }

  /** Number of its registrable domain. */
  domainOf(host: number): number {
    return host >>> 3;
  }

  /** Number of the address that the resolver gives at this time; some hosts move. */
  addressOf(host: number, now: number): number {
    const moves = this.#draw(host, 14) < 1 / MOVES && now >= 86_400_000 * this.#draw(host, 15);
    return this.#address[moves ? this.hosts + host : host];
  }

  /** The first are in a range of a CDN that Saunter knows. */
  addressName(number: number): string {
    const range = number < this.#cdns ? '104.16' : `10.${number >>> 16}`;
    this.#addressNames[number] ??= `${range}.${(number >>> 8) & 255}.${number & 255}`;
    return this.#addressNames[number];
  }

  /** What stands for the text of a page: the same for all pages of a host that robots treat alike. */
  urlOf(host: number, page: number): string {
    if (this.isPrivate(page)) {
      this.#private[host] ??= `http://${this.nameOf(host)}/private/`;
      return this.#private[host];
    }
    this.#open[host] ??= `http://${this.nameOf(host)}/`;
    return this.#open[host];
  }

  isPrivate(page: number): boolean {
    return mix(page, this.#salt) % PRIVATE === 1;
  }

  /** Its robots.txt has rules, which forbid what is private. */
  hasRules(host: number): boolean {
    return this.#draw(host, 5) >= 1 / NO_RULES;
  }

  /** ms, 0 for none. */
  crawlDelayOf(host: number): number {
    return this.hasRules(host) && this.#draw(host, 6) < 1 / CRAWL_DELAY ? 5_000 : 0;
  }

  /** Links from the home page to it. */
  depthOf(host: number, page: number): number {
    return Math.floor(Math.log(1 + (CHILDREN - 1) * (page - this.base[host])) / Math.log(CHILDREN));
  }

  /** Answers a request for a page of the host (-1: its robots.txt) into `code`, `status`, `ms` and `retryAfterMs`.
   * @param count how many requests were answered before: the same page may fail first and answer later */
  answer(host: number, page: number, count: number, now: number): void {
    const draw = mix(page ^ 0x51ed270b, mix(count, this.#salt));
    const u = draw / 2 ** 32;
    this.ms = Math.ceil(this.latency[host] * (0.5 + (mix(draw, 7) & 0xffff) / 0x10000));
    this.code = 'ok';
    this.status = 200;
    this.retryAfterMs = null;
    const { errors } = this.options;
    if (this.#isDown(host, now)) this.#end('connect.refused', 0, 3);
    else if (u >= errors) return;
    else this.#fail(u / errors, host);
  }

  /** Goes wrong in one of the usual ways. */
  #fail(u: number, host: number): void {
    if (u < 0.45) this.#end('http.gone', 404, this.ms);
    else if (u < 0.65) this.#end('http.server', 500, this.ms);
    else if (u < 0.75) this.#end('read.first-byte', 0, 10_000);
    else if (u < 0.8) this.#end('connect.timeout', 0, 5_000);
    else if (u < 0.9) this.#end('read.reset', 0, this.ms);
    else {
      this.#end('http.throttled', 429, this.ms);
      this.retryAfterMs = this.#draw(host, 8) < 0.5 ? 1_000 * Math.ceil(120 * u) : null;
    }
  }

  #end(code: OutcomeCode, status: number, ms: number): void {
    this.code = code;
    this.status = status;
    this.ms = ms;
  }

  /** Some hosts refuse connections for hours, and some for ever. */
  #isDown(host: number, now: number): boolean {
    const { errors } = this.options;
    if (host === 0 || this.#draw(host, 9) >= errors / 2) return false;
    const from = 86_400_000 * this.#draw(host, 10);
    return now >= from && (this.#draw(host, 11) < 0.1 || now < from + 6 * 3_600_000 * this.#draw(host, 12));
  }

  /** Look-ups of the host's name that fail before one succeeds. */
  lookupFailures(host: number): number {
    return host > 0 && this.#draw(host, 13) < this.options.errors / 2 ? 2 : 0;
  }

  /** Links of a page, into `links` and `linkHosts`. Returns how many. */
  linksOf(host: number, page: number): number {
    const own = Math.round(LINKS * this.options.locality);
    const first = this.base[host];
    const size = this.base[host + 1] - first;
    let count = 0;
    for (let i = 0; i < own; i++) {
      const draw = mix(page, mix(i, this.#salt));
      const to = i < CHILDREN ? CHILDREN * (page - first) + 1 + i : draw % size;
      if (to >= size) continue;
      this.links[count] = first + to;
      this.linkHosts[count++] = host;
    }
    for (let i = own; i < LINKS; i++) {
      const draw = mix(page, mix(i, this.#salt));
      const other = draw % this.hosts;
      const to = (draw & 1) === 0 ? 0 : mix(draw, 14) % (this.base[other + 1] - this.base[other]);
      this.links[count] = this.base[other] + to;
      this.linkHosts[count++] = other;
    }
    return count;
  }

  /** A number in [0, 1) that belongs to a trait of a host. */
  #draw(host: number, trait: number): number {
    return mix(host, mix(trait, this.#salt)) / 2 ** 32;
  }
}

function basesOf({ hosts, pages, sizes }: LargeWebOptions, salt: number): Float64Array {
  const weights = new Float64Array(hosts).fill(1);
  if (sizes === 'giant') weights[hosts - 1] = 9 * Math.max(hosts - 1, 1);
  if (sizes === 'spread')
    for (let host = 0; host < hosts; host++) weights[host] = Math.exp(SPREAD * normal(host, salt));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const base = new Float64Array(hosts + 1);
  for (let host = 0; host < hosts; host++) {
    base[host + 1] = base[host] + Math.max(Math.round((hosts * pages * weights[host]) / sum), 1);
  }
  if (base[hosts] > MOST_PAGES) throw new RangeError(`a web of ${base[hosts]} pages is too large`);
  return base;
}

/** About a normal deviate: the sum of four uniform ones. */
function normal(host: number, salt: number): number {
  let sum = -2;
  for (let i = 0; i < 4; i++) sum += mix(host, mix(20 + i, salt)) / 2 ** 32;
  return sum * Math.sqrt(3);
}

/** 32 bits from two numbers (the finaliser of MurmurHash3): spread, not security. */
export function mix(a: number, b: number): number {
  let hash = Math.imul(a ^ Math.imul(b, 0x9e3779b1), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 13), 0x27d4eb2f);
  return (hash ^ (hash >>> 16)) >>> 0;
}
