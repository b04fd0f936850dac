/**
 * Admission: which URLs become known (DESIGN 1.2). Pure. Scope and the shape of the URL were asked where the link was
 * found (`screen.ts`: they need no shared state); here the owner of the host asks the rest, cheapest first: never met?
 * not too deep? inside the budgets? not a trap? allowed by robots, if they are cached? Every refusal has a name and a
 * counter.
 */
import type { Changes } from '../changes.js';
import type { SeenFilter } from '../dedupe/bloom-seen.js';
import type { UrlText } from '../engines/ports.js';
import { mayAdmit } from '../frontier/budgets.js';
import type { Frontier } from '../frontier/frontier.js';
import { RobotsGate } from '../frontier/robots-gate.js';
import { linkersIn, type Score } from '../frontier/score.js';
import { LEVELS, NONE } from '../frontier/url-table.js';
import { domainOf } from '../url/domain.js';
import {
  LinkFlag,
  linkFlags,
  linkKeyHi,
  linkKeyLo,
  linkPriority,
  linkUrl,
  type PackedLinks,
} from '../url/packed-links.js';
import { partitionOf } from '../url/partition.js';
import { Counters, Refusals } from './counters.js';

/** Key of `meta`: '1' while a host has more room than when links to it were refused, and the held answers were not read again
 * for them. */
export const UNREAD = 'limits.unread';

export interface AdmissionOptions {
  maxDepth: number;
  /** Same-key chains are the lease's; this bounds redirects to other URLs. */
  maxHops: number;
  hostsPerDomain: number;
  partitions: number;
  /** Is a host on a list of names of which nothing is fetched? */
  isListed: ((host: string) => boolean) | null;
  /** URLs of a host in a budget period; null is no limit. @param isSeed it is met as the host of a seed */
  budget: (host: string, isSeed: boolean) => number | null;
  score: Score;
  /** Asks the query trap about a URL that is about to become known: at most so many distinct queries a path. */
  tooManyQueries: (url: string, host: string) => boolean;
  /** The best level that is refused because memory is nearly full; LEVELS or more if none is. */
  refusedFrom?: () => number;
  /** Told the text of each new URL: most are leased before they would have to be read back. */
  onText: (text: UrlText) => void;
}

/** A URL on its way in. */
export interface Candidate {
  keyHi: number;
  keyLo: number;
  /** Fetch form. */
  url: string;
  kind: 'page' | 'sitemap';
  depth: number;
  hops: number;
  /** Id of the URL that names it, -1 for none. */
  via: number;
  /** Fixed level, or null: scored. */
  level: number | null;
  priority: number | null;
  /** Seeds pass the budgets and the traps. */
  seed: boolean;
}

export class Admission {
  readonly refusals = new Refusals();
  /** Parameters that the normal form removed from URLs that were taken, by the names that the options give them; link
   * occurrences, too. */
  readonly removals = new Counters();
  readonly #frontier: Frontier;
  readonly #seen: SeenFilter;
  readonly #options: AdmissionOptions;
  /** Hosts that may be found in an opened private range: named by the operator, or linked from inside one. */
  readonly #isNamed: (host: string) => boolean;

  constructor(frontier: Frontier, seen: SeenFilter, options: AdmissionOptions, isNamed: (host: string) => boolean) {
    this.#frontier = frontier;
    this.#seen = seen;
    this.#options = options;
    this.#isNamed = isNamed;
  }

  /** What this run's options say of hosts that earlier runs met: their budgets, and the names of `--resolve`. Called before
   * anything waits for a budget. */
  reconsider(): void {
    const { hosts } = this.#frontier;
    for (const [host, name] of hosts.names.entries()) {
      hosts.budget[host] = this.#options.budget(name, hosts.seed[host] === 1) ?? NONE;
      if (hosts.named[host] === 0 && this.#isNamed(name)) hosts.named[host] = 1;
    }
  }

  /** Id of a known URL by its key, or -1. */
  find(keyHi: number, keyLo: number): number {
    return Math.max(this.#seen.get(keyHi, keyLo), -1);
  }

  /** The links of a page or the entries of a sitemap.
   * @param page `inside`: it came from an address in an opened private range; `level`: that of its links, null if each
   *   has its own */
  links(
    page: { url: number; depth: number; inside: boolean; level: number | null },
    links: PackedLinks,
    from: number,
    to: number,
    now: number,
    changes: Changes,
  ): void {
    const candidate: Candidate = {
      keyHi: 0,
      keyLo: 0,
      url: '',
      kind: 'page',
      depth: page.depth,
      hops: 0,
      via: page.url,
      level: page.level,
      priority: null,
      seed: false,
    };
    for (let i = from; i < to; i++) {
      candidate.keyHi = linkKeyHi(links, i);
      candidate.keyLo = linkKeyLo(links, i);
      const known = this.#seen.get(candidate.keyHi, candidate.keyLo);
      if (known >= 0) {
        this.#frontier.linked(known, page.url);
        if (page.inside) this.#name(this.#frontier.urls.hostOf(known), now, changes);
        continue;
      }
      candidate.url = linkUrl(links, i);
      const isSitemap = (linkFlags(links, i) & LinkFlag.sitemap) !== 0;
      candidate.kind = isSitemap ? 'sitemap' : 'page';
      candidate.depth = isSitemap ? page.depth - 1 : page.depth; // an index adds no depth to what its sitemaps list
      candidate.priority = linkPriority(links, i);
      this.admit(candidate, page.inside, now, changes);
    }
  }

  /** Makes a URL known unless something speaks against it. Returns its id, an older id if it was known, or -1. */
  admit(c: Candidate, inside: boolean, now: number, changes: Changes): number {
    const known = this.#seen.get(c.keyHi, c.keyLo);
    if (known >= 0) {
      this.#learn(this.#frontier.urls.hostOf(known), c, inside, now, changes);
      return known;
    }
    // a Bloom filter may be wrong: what somebody gave, or a server sent us to, is not lost to that
    if (known !== -1 && !c.seed && c.hops === 0) return -1;
    if (c.depth > this.#options.maxDepth) return this.refusals.count('depth');
    if (c.hops > this.#options.maxHops) return this.refusals.count('redirects');
    const name = hostOfFetchForm(c.url);
    const host = this.#host(name, c, inside, now, changes);
    if (host < 0) return -1;
    const { hosts } = this.#frontier;
    if (!c.seed) {
      if (!mayAdmit(hosts, host, now)) return this.refusals.count('budget');
      if (this.#isFull(c, host, name)) return this.refusals.count('full');
      if (this.#options.tooManyQueries(c.url, name)) return this.refusals.count('queries');
    }
    return this.#append(c, host, name, now, changes);
  }

  /** DESIGN 4, Memory: what would be fetched last is not taken on when memory is nearly full. */
  #isFull(c: Candidate, host: number, name: string): boolean {
    const from = this.#options.refusedFrom?.() ?? LEVELS;
    if (from >= LEVELS) return false;
    const level = this.#frontier.hosts.demoted[host] === 1 ? LEVELS - 1 : (c.level ?? this.#score(c, host, name));
    return level >= from;
  }

  #append(c: Candidate, host: number, name: string, now: number, changes: Changes): number {
    const { robots } = this.#frontier;
    if (c.via >= 0) this.#frontier.hostLinked(host, c.via);
    const level = c.level ?? this.#score(c, host, name);
    const origin = robots.find(RobotsGate.nameOf(c.url));
    const denied = origin !== undefined && robots.gate(origin, now) === 'open' && !robots.allows(origin, c.url);
    const id = this.#frontier.add(host, level, denied, now);
    this.#seen.insert(c.keyHi, c.keyLo, id);
    const { kind, keyHi, keyLo, depth, hops, via, url } = c;
    const partition = partitionOf(name, this.#options.partitions);
    changes.urls.push({ id, partition, host, keyHi, keyLo, kind, level, depth, hops, via, url });
    if (denied) changes.denied.push({ url: id, at: now, denied: true });
    this.#options.onText({ id, url, kind, depth, hops, last: null });
    return id;
  }

  #score({ url, kind, depth, priority }: Candidate, host: number, name: string): number {
    const { hosts } = this.#frontier;
    const linkingHosts = linkersIn(hosts.linkers[host]);
    return this.#options.score({
      url,
      host: name,
      kind,
      depth,
      hostUrls: hosts.admitted[host],
      linkingHosts,
      priority,
    });
  }

  /** Id of a host that a redirect of a robots.txt leads to. */
  hostOf(name: string, inside: boolean, now: number, changes: Changes): number {
    return this.#host(name, null, inside, now, changes);
  }

  /** Id of a host, made known if it is new; -1 if it is on a blocklist, or its domain has too many.
   * @param c the URL that it is met by, null for none */
  #host(name: string, c: Candidate | null, inside: boolean, now: number, changes: Changes): number {
    const { hosts } = this.#frontier;
    const known = hosts.find(name);
    if (known >= 0) {
      this.#learn(known, c, inside, now, changes);
      return known;
    }
    if (this.#options.isListed?.(name)) return this.refusals.count('blocked');
    const domain = domainOf(name);
    if (!c?.seed && hosts.hostsOfDomain(domain) >= this.#options.hostsPerDomain) return this.refusals.count('hosts');
    const isSeed = makesSeed(c);
    const budget = this.#options.budget(name, isSeed);
    const named = isGiven(c) || inside || this.#isNamed(name);
    const id = this.#frontier.addHost(name, domain, budget, named, now);
    changes.hosts.push({ id, name, domain, named, budget, at: now });
    if (!isSeed) return id;
    hosts.seed[id] = 1;
    // of a seed that was given there is a row of its own
    if (!isGiven(c)) this.#say(id, 'seed', 'a seed led there', now, changes);
    return id;
  }

  /** A known host is met again, perhaps by a seed: it is named then, and has the budget of the seeds' hosts. */
  #learn(host: number, c: Candidate | null, inside: boolean, now: number, changes: Changes): void {
    if (inside || isGiven(c)) this.#name(host, now, changes);
    const { hosts } = this.#frontier;
    if (!makesSeed(c) || hosts.seed[host] === 1) return;
    hosts.seed[host] = 1;
    this.#say(host, 'seed', isGiven(c) ? 'given as a seed' : 'a seed led there', now, changes);
    const wasSpent = !mayAdmit(hosts, host, now);
    this.#frontier.setBudget(host, this.#options.budget(hosts.names[host], true), now);
    // what was refused before is found again by whoever reads the held answers
    if (wasSpent && mayAdmit(hosts, host, now)) changes.meta.push([UNREAD, '1']);
  }

  /** It may be reached in an opened range from now on. */
  #name(host: number, now: number, changes: Changes): void {
    const { named } = this.#frontier.hosts;
    if (named[host] === 1) return;
    named[host] = 1;
    this.#say(host, 'named', 'it may be in a range that --allow-private opens', now, changes);
  }

  #say(host: number, kind: 'named' | 'seed', words: string, now: number, changes: Changes): void {
    changes.hostEvents.push({ host, at: now, kind, until: 0, value: 0, words });
  }
}

/** Somebody gave the URL. Where a seed redirects to, a server says. */
const isGiven = (c: Candidate | null): boolean => c?.seed === true && c.hops === 0;

/** Has the host of the URL the budget of the seeds' hosts? Also where a seed redirects to; not that of a sitemap. */
const makesSeed = (c: Candidate | null): boolean => c?.seed === true && c.kind === 'page';

/** Host name of a URL in fetch form: no credentials, a slash after the authority. The dot of the root is not part of it:
 * `a.test.` is `a.test`, with its clocks, its budget and its blocks. */
export function hostOfFetchForm(url: string): string {
  const start = url.indexOf('//') + 2;
  const slash = url.indexOf('/', start);
  const authority = slash < 0 ? url.slice(start) : url.slice(start, slash);
  const colon = authority.lastIndexOf(':');
  const host = colon > authority.lastIndexOf(']') ? authority.slice(0, colon) : authority;
  return host.endsWith('.') ? host.slice(0, -1) : host;
}
