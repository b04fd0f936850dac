/**
 * A small web in memory for the simulation (`simulation.ts`): what each host would answer, as a function of the seed, the
 * request, the true time and how often it was asked. No bytes and no sockets: an answer is the outcome that the fetch
 * side would report, with the links that parsing would find.
 */
import type { OutcomeCode } from '../errors.js';
import { randomFor, type WebRandom } from './web-random.js';

/** How a host serves its robots.txt. */
export type RobotsHabit =
  | 'rules'
  | 'missing'
  /** 500 for ever: nothing may be fetched, and after 30 days the host is given up. */
  | 'failing'
  /** Fails a few times in some way, then rules. */
  | 'late'
  | 'throttled'
  | 'stalling'
  /** Redirects to a file of another host. */
  | 'elsewhere'
  /** Redirects on and on: more often than is followed. */
  | 'winding'
  /** Forbids a part until some time, then no longer. */
  | 'relenting'
  /** Rules at first, fails later: the copy goes on ruling. */
  | 'fading'
  /** A Crawl-delay longer than anyone waits. */
  | 'greedy';

export type PageKind =
  | 'plain'
  | 'private'
  | 'slash'
  | 'moved'
  | 'loop'
  | 'cookie'
  | 'gone'
  | 'error'
  | 'broken'
  | 'throttle'
  | 'stall'
  | 'copy'
  /** Refused by the guard of the connection. */
  | 'walled';

export interface ModelHost {
  readonly index: number;
  readonly name: string;
  /** Answers to the resolver, in order; the second set after `movesAt`. */
  readonly addresses: readonly (readonly string[])[];
  readonly movesAt: number;
  /** An address that refuses connections for ever. */
  readonly deadAddress: string | null;
  readonly robots: RobotsHabit;
  /** Every third page lies at another port, an origin with a robots.txt of its own; null: it does not. */
  readonly secondRobots: RobotsHabit | null;
  /** Disallow lines, `/private/` among them. */
  readonly disallow: readonly string[];
  readonly relentsAt: number;
  /** ms, 0 for none. */
  readonly crawlDelay: number;
  /** Some host of the web serves this host's file; -1 for itself. */
  readonly robotsAt: number;
  /** Typical ms of an answer. */
  readonly latency: number;
  /** True times from and to which connections are refused. */
  readonly down: readonly [from: number, to: number][];
  readonly nxdomain: boolean;
  /** Look-ups that time out before one succeeds. */
  readonly dnsFailures: number;
  readonly pages: readonly PageKind[];
  /** URLs that may be admitted in 30 days; null is no limit. */
  readonly budget: number | null;
  readonly sitemap: boolean;
}

export interface ModelAnswer {
  code: OutcomeCode;
  status: number;
  /** ms that the request took. */
  ms: number;
  retryAfterMs: number | null;
  location: string | null;
  setsCookie: boolean;
  /** robots.txt, or what stands for the content of a page. */
  body: string | null;
  links: readonly string[];
}

export interface WebSize {
  hosts: number;
  /** Most pages of a host. */
  pages: number;
}

export type ModelResolution =
  | { addresses: readonly string[]; ttlMs: number }
  | { code: 'dns.nxdomain' | 'dns.timeout'; ms: number };

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NEVER = Number.POSITIVE_INFINITY;
const GREEDY = 2 * HOUR;
const SECOND_PORT = ':8080';
const PATHS: Readonly<Record<PageKind, string>> = {
  plain: '/p/',
  private: '/private/',
  slash: '/s/',
  moved: '/m/',
  loop: '/l/',
  cookie: '/c/',
  gone: '/g/',
  error: '/e/',
  broken: '/x/',
  throttle: '/t/',
  stall: '/z/',
  copy: '/d/',
  walled: '/w/',
};
const KINDS = Object.entries(PATHS) as [PageKind, string][];

export class ModelWeb {
  readonly seed: number;
  readonly hosts: readonly ModelHost[];
  readonly seeds: readonly string[];
  readonly #ttl: number;
  readonly #byName: ReadonlyMap<string, ModelHost>;
  /** How often each target was asked for, since the beginning of the world. */
  readonly #asked = new Map<string, number>();

  constructor(seed: number, size: WebSize) {
    this.seed = seed;
    const random = randomFor(seed, 'web');
    this.#ttl = random.pick([20_000, 300_000, 86_400_000]);
    const count = random.between(Math.ceil(size.hosts / 2), size.hosts);
    this.hosts = Array.from({ length: count }, (_, index) => planHost(seed, index, count, size.pages));
    this.#byName = new Map(this.hosts.map((host) => [host.name, host]));
    const first = this.hosts.filter((host) => host.index < 3 || random.chance(0.2));
    this.seeds = first.map((host) => this.url(host, 0));
  }

  find(name: string): ModelHost | undefined {
    return this.#byName.get(name);
  }

  /** The URL of a page as links spell it. */
  url(host: ModelHost, page: number): string {
    const port = host.secondRobots !== null && page % 3 === 2 ? SECOND_PORT : '';
    return `http://${host.name}${port}${PATHS[host.pages[page]]}${page}`;
  }

  resolve(name: string, now: number): ModelResolution {
    const host = this.#byName.get(name);
    const ms = 5;
    if (host === undefined || host.nxdomain) return { code: 'dns.nxdomain', ms };
    if (this.#count(`dns:${name}`) <= host.dnsFailures) return { code: 'dns.timeout', ms: 5_000 };
    const set = now < host.movesAt ? host.addresses[0] : host.addresses[1];
    return { addresses: set, ttlMs: this.#ttl };
  }

  /** The answer to a request that was made at this true time. */
  answer(target: string, address: string, cookie: string | null, now: number): ModelAnswer {
    const { hostname, host: site, pathname } = new URL(target);
    const host = this.#byName.get(hostname);
    const asked = this.#count(target);
    const random = randomFor(this.seed, `${target} ${asked}`);
    if (host === undefined || host.down.some(([from, to]) => now >= from && now < to) || address === host.deadAddress) {
      const late = random.chance(0.3);
      return { ...blank('connect.refused', 0, late ? 5_000 : 3), ...(late && { code: 'connect.timeout' as const }) };
    }
    const ms = Math.ceil(host.latency * (0.5 + random.float()));
    const answer = pathname.startsWith('/robots')
      ? this.#robots(host, site, pathname, asked, now, ms)
      : this.#page(host, site, pathname, asked, cookie, ms, random);
    return answer;
  }

  /** Links on a page that answers 200, whatever kind it is; empty for what is no page. */
  linksOf(target: string): string[] {
    const { hostname, pathname } = new URL(target);
    const host = this.#byName.get(hostname);
    if (host === undefined) return [];
    if (pathname === '/sitemap.xml') return host.pages.map((_, page) => this.url(host, page));
    const page = pageOf(pathname);
    return page < 0 || page >= host.pages.length ? [] : this.#links(host, page);
  }

  #count(label: string): number {
    const count = (this.#asked.get(label) ?? 0) + 1;
    this.#asked.set(label, count);
    return count;
  }

  #links(host: ModelHost, page: number): string[] {
    const random = randomFor(this.seed, `links ${host.index} ${page}`);
    const links: string[] = [];
    if (page + 1 < host.pages.length) links.push(this.url(host, page + 1));
    for (let i = random.below(4); i > 0; i--) {
      const other = random.chance(0.5) ? host : random.pick(this.hosts);
      const to = random.below(other.pages.length);
      links.push(spell(this.url(other, to), random));
    }
    if (random.chance(0.4)) links.push(this.url(random.pick(this.hosts), 0));
    return links;
  }

  #page(
    host: ModelHost,
    site: string,
    path: string,
    asked: number,
    cookie: string | null,
    ms: number,
    random: WebRandom,
  ): ModelAnswer {
    const page = pageOf(path);
    const kind = host.pages[page];
    const isRoot = path === '/sitemap.xml';
    if (!isRoot && (kind === undefined || !path.startsWith(PATHS[kind]))) return blank('http.gone', 404, ms);
    const fine = (): ModelAnswer => {
      const body = kind === 'copy' ? 'the same words everywhere' : `${host.name}${path.replace(/\/$/, '')}`;
      return { ...blank('ok', 200, ms), body, links: this.linksOf(`http://${site}${path}`) };
    };
    const times = isRoot ? 0 : 1 + (page % 3);
    switch (kind) {
      case 'gone':
        return blank('http.gone', 404, ms);
      case 'walled':
        return blank('guard.address', 0, 1);
      case 'broken':
        return blank('http.server', 500, ms);
      case 'error':
        return asked <= times ? blank('http.server', 500, ms) : fine();
      case 'stall':
        return asked <= times ? blank('read.first-byte', 0, 10_000) : fine();
      case 'throttle': {
        if (asked > times * (page % 4 === 3 ? 6 : 1)) return fine();
        const retryAfterMs = random.chance(0.5) ? random.between(1, 400) * 1_000 * (random.chance(0.1) ? 60 : 1) : null;
        return { ...blank('http.throttled', random.chance(0.5) ? 429 : 503, ms), retryAfterMs };
      }
      case 'slash':
        return path.endsWith('/') ? fine() : redirect(`http://${site}${path}/`, ms);
      case 'cookie':
        return cookie === null ? { ...redirect(`http://${site}${path}`, ms), setsCookie: true } : fine();
      case 'loop':
        return redirect(`http://${site}${path}`, ms);
      case 'moved': {
        const other = this.hosts[(host.index + page) % this.hosts.length];
        return redirect(this.url(other, page % other.pages.length), ms);
      }
      default:
        return fine();
    }
  }

  #robots(host: ModelHost, site: string, path: string, asked: number, now: number, ms: number): ModelAnswer {
    const named = /^\/robots-of-(\d+)(-second)?\.txt$/.exec(path);
    if (named !== null) {
      const of = this.hosts[Number(named[1])];
      return { ...blank('ok', 200, ms), body: robotsText(of, named[2] ? of.name + SECOND_PORT : of.name, now) };
    }
    switch (habitOf(host, site)) {
      case 'missing':
        return blank('http.gone', 404, ms);
      case 'failing':
        return blank('http.server', 500, ms);
      case 'late':
        if (asked <= 2) return blank('http.server', 502, ms);
        break;
      case 'throttled':
        if (asked <= 2) return { ...blank('http.throttled', 429, ms), retryAfterMs: 40_000 * asked };
        break;
      case 'stalling':
        if (asked <= 1) return blank('read.first-byte', 0, 10_000);
        break;
      case 'elsewhere':
        return redirect(
          `http://${this.hosts[host.robotsAt].name}/robots-of-${host.index}${isSecond(site) ? '-second' : ''}.txt`,
          ms,
        );
      case 'winding': {
        const hop = Number(/^\/robots-(\d+)$/.exec(path)?.[1] ?? 0) + 1;
        return redirect(`http://${site}/robots-${hop}`, ms);
      }
      case 'fading':
        if (asked > 1) return blank('http.server', 500, ms);
        break;
      default:
    }
    return { ...blank('ok', 200, ms), body: robotsText(host, site, now) };
  }
}

const isSecond = (site: string): boolean => site.endsWith(SECOND_PORT);

/** How the origin at `site` (host and port) serves its robots.txt. */
export const habitOf = (host: ModelHost, site: string): RobotsHabit =>
  isSecond(site) ? host.secondRobots! : host.robots;

/** Disallow lines of an origin's file at some time, and its Crawl-delay in ms. */
export function rulesAt(
  host: ModelHost,
  site: string,
  now: number,
): { disallow: readonly string[]; crawlDelay: number } {
  const habit = habitOf(host, site);
  const disallow = habit === 'relenting' && now >= host.relentsAt ? [] : host.disallow;
  return { disallow, crawlDelay: habit === 'greedy' ? GREEDY : host.crawlDelay };
}

function robotsText(host: ModelHost, site: string, now: number): string {
  const { disallow, crawlDelay } = rulesAt(host, site, now);
  const lines = ['User-agent: *', ...disallow.map((path) => `Disallow: ${path}`)];
  if (crawlDelay > 0) lines.push(`Crawl-delay: ${crawlDelay / 1000}`);
  if (host.sitemap) lines.push(`Sitemap: http://${site}/sitemap.xml`);
  return `${lines.join('\n')}\n`;
}

const blank = (code: OutcomeCode, status: number, ms: number): ModelAnswer => ({
  ...{ code, status, ms, retryAfterMs: null, location: null, setsCookie: false, body: null, links: [] },
});

const redirect = (location: string, ms: number): ModelAnswer => ({ ...blank('redirect', 301, ms), location });

/** Number of the page behind a path, or -1. */
function pageOf(path: string): number {
  const number = /^\/[a-z]+\/(\d+)\/?$/.exec(path)?.[1];
  return number === undefined ? -1 : Number(number);
}

/** Another spelling of the same page, now and then. */
function spell(url: string, random: WebRandom): string {
  if (random.chance(0.7)) return url;
  return random.pick([`${url}#part`, `${url}?utm_source=x`, `${url}?`, url.replace('http://', 'HTTP://user@')]);
}

function planHost(seed: number, index: number, count: number, mostPages: number): ModelHost {
  const random = randomFor(seed, `host ${index}`);
  // the first host is well, so that a crawl gets somewhere
  const luck = (p: number): boolean => index > 0 && random.chance(p);
  const shared = (): string => `10.0.0.${random.below(Math.ceil(count / 3))}`;
  const own = `10.1.${seed % 200}.${index}`;
  const first = luck(0.4) ? shared() : own;
  const two = luck(0.25);
  const addresses = two ? [first, `10.2.${seed % 200}.${index}`] : [first];
  const moves = luck(0.15);
  const pages = Array.from({ length: random.between(1, mostPages) }, (_, page) => pageKind(page, random));
  const disallow = ['/private/', ...(luck(0.4) ? pages.flatMap((k, i) => (k === 'slash' ? [`/s/${i}/`] : [])) : [])];
  const robots = index === 0 ? 'rules' : robotsHabit(random);
  const crawlDelay = luck(0.25) ? random.pick([500, 2_500, 20_000, 90_000]) : 0;
  return {
    index,
    name: `www${index}.site${index >> 1}.test`,
    addresses: [addresses, moves ? [shared()] : addresses],
    movesAt: moves ? random.below(HOUR) : NEVER,
    deadAddress: two && random.chance(0.6) ? addresses[random.below(2)] : null,
    robots,
    secondRobots: luck(0.2) ? robotsHabit(random) : null,
    disallow,
    relentsAt: random.between(HOUR, 3 * DAY),
    crawlDelay,
    robotsAt: random.below(count),
    latency: random.pick([4, 30, 30, 200, 900, luck(0.2) ? 8_000 : 60]),
    down: downTimes(random, luck),
    nxdomain: luck(0.06),
    dnsFailures: luck(0.1) ? random.between(1, 3) : 0,
    pages,
    budget: luck(0.15) ? random.between(2, Math.max(3, mostPages)) : null,
    sitemap: random.chance(0.25),
  };
}

function robotsHabit(random: WebRandom): RobotsHabit {
  if (random.chance(0.4)) return 'rules';
  return random.pick([
    ...(['missing', 'failing', 'late', 'throttled', 'stalling', 'elsewhere'] as const),
    ...(['elsewhere', 'winding', 'relenting', 'fading', 'greedy'] as const),
  ]);
}

function downTimes(random: WebRandom, luck: (p: number) => boolean): [number, number][] {
  const down: [number, number][] = [];
  if (luck(0.2)) {
    const from = random.below(60_000);
    down.push([from, from + random.between(5_000, 4 * HOUR)]);
  }
  if (luck(0.06)) down.push([random.below(30_000), NEVER]);
  return down;
}

function pageKind(page: number, random: WebRandom): PageKind {
  return page === 0 || random.chance(0.5) ? 'plain' : random.pick(KINDS)[0];
}
