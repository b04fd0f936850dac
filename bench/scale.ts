/**
 * `npm run bench -- scale`: what a known URL costs when there are 1, 10 and 100 million of them. The real frontier, seen
 * table, admission and projection are filled with synthetic keys, and at each size add, next and done are timed in a
 * sample of a running crawl on virtual time. See README.md.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Admission, type Candidate } from '../src/admit/admission.js';
import { type Changes, noChanges } from '../src/changes.js';
import { loadConfig } from '../src/config/load-config.js';
import { KeptPages } from '../src/dedupe/kept-pages.js';
import { SeenTable } from '../src/dedupe/seen.js';
import { frontierOptions } from '../src/embedded/parts.js';
import { seededRandom } from '../src/engines/system.js';
import { Frontier } from '../src/frontier/frontier.js';
import type { Lease } from '../src/frontier/lease.js';
import { breadthFirst } from '../src/frontier/score.js';
import { UrlTable } from '../src/frontier/url-table.js';
import { emptyProjection } from '../src/state/rebuild.js';
import { UrlKeyer } from '../src/url/key.js';

export interface ScaleOptions {
  /** Known URLs at which the costs are taken, ascending. */
  sizes: readonly number[];
  hosts: number;
  /** Kept pages of the figure a page. */
  pages: number;
  /** Calls of each kind that are timed. */
  sample: number;
  say: (line: string) => void;
}

/** CPU us a call. */
interface Costs {
  urls: number;
  add: number;
  known: number;
  next: number;
  done: number;
  rss: number;
}

const MIB = 2 ** 20;
const START = 1_700_000_000_000;
/** URLs between two looks at the clock while tables are filled. */
const STRIDE = 512;
/** Leases that a worker may have, workers, and ms of virtual time between two turns. */
const ROOM = Int32Array.of(64, 64);
const TURN = 5;
/** Rounds of each measurement, and links of a batch of the store. */
const ROUNDS = 8;
const BATCH = 2_000;
/** Hosts that are met for the figure of the longest pause: ten times those of a billion pages. */
const HOSTS = 1e6;

/** Every number from 0 to 2^32 - 1 becomes another one. */
function scatter(n: number): number {
  const hash = Math.imul(n ^ (n >>> 16), 0x85ebca6b);
  return (Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35) ^ (hash >>> 16)) >>> 0;
}

/** The defaults; the list of CDN addresses is that of the repository, since the compiled bench lies elsewhere. */
const benchOptions = () =>
  frontierOptions(loadConfig({ workers: ROOM.length, 'politeness.cdn': resolve('data/cdn-ranges.txt') }, {}));

class Crowd {
  readonly frontier = new Frontier(benchOptions(), seededRandom(1));
  readonly seen = new SeenTable();
  readonly projection = emptyProjection(this.frontier);
  readonly #options: ScaleOptions;
  readonly #admission: Admission;
  readonly #keyer = new UrlKeyer(new Uint8Array(16).fill(7));
  #changes: Changes = noChanges();
  #now = START;
  #fresh = 0;
  #out: Lease[] = [];
  /** The longest that {@link STRIDE} additions took, ms of CPU. */
  longest = 0;

  constructor(options: ScaleOptions) {
    this.#options = options;
    const limits = { maxDepth: 16, maxHops: 10, hostsPerDomain: 1e9, partitions: 256, budget: () => null };
    const rest = { score: breadthFirst, tooManyQueries: () => false, onText: () => {}, isListed: () => false };
    this.#admission = new Admission(this.frontier, this.seen, { ...limits, ...rest }, () => false);
    for (let host = 0; host < options.hosts; host++) {
      this.frontier.addHost(nameOf(host), `site${host}.example`, null, false, START);
      this.projection.host({ budget: null, named: false, at: START });
    }
  }

  /** Adds URLs until there are so many. */
  fill(urls: number): void {
    const { frontier, seen, projection } = this;
    let before = threadCpu();
    for (let n = frontier.urls.size; n < urls; n++) {
      const [host, level] = [scatter(n ^ 0x5bd1e995) % this.#options.hosts, 1 + (n & 3)];
      seen.insert(scatter(n), scatter(n + 0x9e3779b9), frontier.add(host, level, false, this.#now));
      projection.url({ host, level });
      if (n % STRIDE !== 0) continue;
      const now = threadCpu();
      this.longest = Math.max(this.longest, now - before);
      before = now;
      if (n % 1e7 === 0) this.#options.say(`  ${n / 1e6} million URLs, ${rss().toFixed(0)} MiB`);
    }
  }

  /** Takes the costs as they are now: the least of some rounds each, since other work only ever adds to them. */
  measure(): Costs {
    const part = this.#options.sample / ROUNDS;
    const rounds = Array.from({ length: ROUNDS }, () => {
      const add = this.#admit(part, true);
      this.#fresh -= part;
      const known = this.#admit(part, false);
      return { add, known, ...this.#crawl(part) };
    });
    const least = (verb: 'add' | 'known' | 'next' | 'done'): number => Math.min(...rounds.map((round) => round[verb]));
    const costs = { add: least('add'), known: least('known'), next: least('next'), done: least('done') };
    return { urls: this.frontier.urls.size, ...costs, rss: rss() };
  }

  /** Links through admission: hashed, looked up, admitted. */
  #admit(count: number, isNew: boolean): number {
    const links = Array.from(
      { length: count },
      (_, i) => `https://${nameOf(scatter(this.#fresh + i) % this.#options.hosts)}/new/${this.#fresh + i}`,
    );
    this.#fresh += count;
    const place = { depth: 2, hops: 0, via: 0, level: null, priority: null, seed: false } as const;
    const size = this.frontier.urls.size;
    const began = cpu();
    for (const url of links) {
      this.#keyer.hash(url);
      const candidate: Candidate = { keyHi: this.#keyer.hi, keyLo: this.#keyer.lo, url, kind: 'page', ...place };
      this.#admission.admit(candidate, false, this.#now, this.#changes);
      if (this.#changes.urls.length === BATCH) this.#commit();
    }
    const us = ((cpu() - began) * 1000) / count;
    if (this.frontier.urls.size !== size + (isNew ? count : 0))
      throw new Error('links were not admitted as they should');
    this.#commit();
    return us;
  }

  #commit(): void {
    for (const row of this.#changes.urls) this.projection.url(row);
    this.#changes = noChanges();
  }

  /** Crawls so many pages; every host answers at once. */
  #crawl(pages: number): { next: number; done: number } {
    const { frontier } = this;
    let [next, done, leases] = [0, 0, 0];
    while (leases < pages) {
      this.#now += TURN;
      const began = cpu();
      for (const lease of this.#out) {
        const outcome = {
          code: 'ok',
          status: 200,
          started: lease.granted,
          ended: this.#now,
          retryAfterMs: null,
        } as const;
        frontier.done(lease, outcome, null, this.#now, this.#changes);
      }
      const between = cpu();
      const turn = frontier.next(this.#now, ROOM, Number.POSITIVE_INFINITY, this.#changes);
      next += cpu() - between;
      done += between - began;
      leases += this.#out.length;
      for (const lease of this.#out) if (lease.kind === 'robots') this.#allow(lease);
      this.#out = turn.leases;
      for (const host of turn.resolve) {
        const addresses = [`10.${(host >>> 16) & 255}.${(host >>> 8) & 255}.${host & 255}`];
        frontier.resolved(host, { addresses, until: Number.POSITIVE_INFINITY }, this.#now, this.#changes);
      }
      for (const request of turn.load) {
        const texts = request.urls.map((id) => ({
          ...({
            id,
            url: `https://${nameOf(request.host)}/${id}`,
            kind: 'page',
            depth: 1,
            hops: 0,
            last: null,
          } as const),
        }));
        frontier.loaded(request, texts as never, this.#now);
      }
      this.#changes = noChanges();
    }
    return { next: (next * 1000) / leases, done: (done * 1000) / leases };
  }

  #allow(lease: Lease): void {
    const origin = this.frontier.robots.origins[lease.origin];
    const state = { verdict: 'allow', rules: null, until: Number.POSITIVE_INFINITY } as const;
    this.frontier.setRobots(origin, state, 0, false, this.#now, this.#changes);
  }
}

/** CPU that this process has taken, ms: on a machine with other work, wall time measures that. */
const cpu = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
/** CPU of this thread alone, ms: helpers of the garbage collector do not pause it. Where Linux does not tell, that of all. */
function threadCpu(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;
  } catch {
    return cpu();
  }
}
const nameOf = (host: number): string => `www.site${host}.example`;
const rss = (): number => process.memoryUsage().rss / MIB;

/** Memory that `pages` kept pages take, bytes a page: content, owner and near-duplicate index. */
function bytesPerPage(pages: number): number {
  const before = process.memoryUsage().rss;
  const kept = new KeptPages(pages);
  const contentHash = new Uint8Array(32);
  const view = new DataView(contentHash.buffer);
  const hex = (n: number) => scatter(n).toString(16).padStart(8, '0');
  for (let id = 0; id < pages; id++) {
    view.setUint32(0, scatter(id));
    view.setUint32(4, scatter(id + 77));
    const simhash = hex(id + 5) + hex(id + 0x2545f491);
    kept.settled({ id, url: id, kind: 'page', code: 'ok', contentHash, simhash, duplicateOf: -1 }, id % 1000);
  }
  if (kept.near.size !== pages) throw new Error('not every page was kept');
  return (process.memoryUsage().rss - before) / pages;
}

/** The longest that the growth of a table holds the loop up: ms of CPU that {@link STRIDE} additions took. */
function longestGrowth(keys: number): number {
  const seen = new SeenTable();
  const urls = new UrlTable();
  let longest = 0;
  let before = threadCpu();
  for (let n = 0; n < keys; n++) {
    seen.insert(scatter(n), scatter(n + 77), urls.append(n % 1000, 1));
    if (n % STRIDE !== 0) continue;
    const now = threadCpu();
    longest = Math.max(longest, now - before);
    before = now;
  }
  return longest;
}

/** `npm run bench -- frontier`: the costs of a call at one size alone. */
export function frontierBench(options: ScaleOptions): boolean {
  const crowd = new Crowd(options);
  const [urls = 1e6] = options.sizes;
  crowd.fill(urls);
  const { add, known, next, done, rss } = crowd.measure();
  const of = `${urls / 1e6} million URLs of ${options.hosts} hosts`;
  options.say(`${of}, CPU us a call: add ${add.toFixed(2)} (a link that is known already ${known.toFixed(2)})`);
  options.say(`next ${next.toFixed(2)} a lease, done ${done.toFixed(2)}; RSS ${rss.toFixed(0)} MiB`);
  return true;
}

/** The same for what is known of hosts: names, addresses, origins. Ms of CPU that 64 of them took, and when. */
function longestOfHosts(hosts: number): number {
  const frontier = new Frontier(benchOptions(), seededRandom(1));
  let longest = 0;
  let before = threadCpu();
  for (let n = 0; n < hosts; n++) {
    const host = frontier.addHost(nameOf(n), `site${n}.example`, null, false, START);
    frontier.robots.of(`https://${nameOf(n)}`, host);
    frontier.addresses.intern(`10.${(n >>> 16) & 255}.${(n >>> 8) & 255}.${n & 255}`);
    if (n % 64 !== 0) continue;
    const now = threadCpu();
    longest = Math.max(longest, now - before);
    before = now;
  }
  return longest;
}

/** Runs it; true if it is within DESIGN's figures. */
export function scaleBench(options: ScaleOptions): boolean {
  const { say, sizes, hosts } = options;
  const page = bytesPerPage(options.pages);
  const beforeHosts = process.memoryUsage().heapUsed;
  const crowd = new Crowd(options);
  const names = (process.memoryUsage().heapUsed - beforeHosts) / hosts;
  const costs: Costs[] = [];
  for (const size of sizes) {
    crowd.fill(size);
    const cost = crowd.measure();
    costs.push(cost);
    const [add, known, next, done] = [cost.add, cost.known, cost.next, cost.done].map((us) => us.toFixed(2));
    say(
      `${(size / 1e6).toFixed(0)} million URLs: add ${add} us (known already: ${known}), next ${next}, done ${done}; RSS ${cost.rss.toFixed(0)} MiB`,
    );
  }
  const { frontier, seen, projection } = crowd;
  const longest = longestGrowth(8e6);
  const longestHosts = longestOfHosts(HOSTS);
  const urls = frontier.urls.size;
  const perUrl = (bytes: number): string => (bytes / urls).toFixed(1);
  const total = (seen.bytes + frontier.urls.bytes + projection.urls.bytes) / urls;
  say(`a known URL: ${total.toFixed(1)} bytes (DESIGN 4: 29, of which 4 for revisits, which this crawl has none of)`);
  say(
    `  seen ${perUrl(seen.bytes)} (16), list, host and state ${perUrl(frontier.urls.bytes)} (9), committed state ${perUrl(projection.urls.bytes)}`,
  );
  const columns = (frontier.hosts.bytes + projection.hosts.facts.bytes + projection.own.bytes) / hosts;
  say(`a host: ${columns.toFixed(0)} bytes in columns, ${names.toFixed(0)} for its name (DESIGN names no figure)`);
  say(
    `a kept page: ${page.toFixed(0)} bytes more (DESIGN 4: about 81, of which 5 for its last visit) of ${options.pages / 1e6} million`,
  );
  say(
    `the longest pause while tables grow: ${longest.toFixed(1)} ms; with the garbage collector's: ${crowd.longest.toFixed(1)} ms`,
  );
  say(
    `the longest pause while ${HOSTS / 1e6} million hosts, origins and addresses are met, one after the other: ${longestHosts.toFixed(1)} ms, the garbage collector's included`,
  );
  return judge(costs, longest, say);
}

/** The cost of a call grows by at most so much from the smallest size to the largest. */
const GROWTH = 1.3;
const MOST_MIB = (3.2 * 1000 ** 3) / MIB;
const LONGEST_PAUSE = 50;

function judge(costs: readonly Costs[], longest: number, say: (line: string) => void): boolean {
  const [first, last] = [costs[0], costs[costs.length - 1]];
  let isGood = true;
  for (const verb of ['add', 'next', 'done'] as const) {
    const growth = last[verb] / first[verb];
    say(`${verb} grows by ${growth.toFixed(2)} from ${first.urls / 1e6} to ${last.urls / 1e6} million`);
    if (growth <= GROWTH) continue;
    say(`FAULT: that is more than ${GROWTH}`);
    isGood = false;
  }
  if (last.rss > MOST_MIB) say(`FAULT: ${last.rss.toFixed(0)} MiB is more than ${MOST_MIB.toFixed(0)}`);
  if (longest > LONGEST_PAUSE) say(`FAULT: a pause of ${longest.toFixed(0)} ms is longer than ${LONGEST_PAUSE}`);
  return isGood && last.rss <= MOST_MIB && longest <= LONGEST_PAUSE;
}
